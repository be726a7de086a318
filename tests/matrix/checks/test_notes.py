"""Notes are said where they are true, and stay notes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from torchdoctor.matrix.verdict import Finding

Examine = Callable[..., dict[str, Finding]]
Machine = Callable[..., dict[str, Any]]
GB10 = {"vendor": "nvidia", "name": "NVIDIA GB10", "compute_capability": "12.1"}
A100 = {"vendor": "nvidia", "name": "NVIDIA A100", "compute_capability": "8.0"}
OLD = {"nvidia": {"version": "535.183.01", "cuda": "12.2"}}


@pytest.mark.parametrize(
    ("id", "groups", "otherwise"),
    [
        ("same-major-compat", {"packages": {"torch": "2.14.1+cu126"}}, {"gpus": [A100]}),
        ("cc-warning-benign", {"gpus": [GB10], "packages": {"torch": "2.14.1+cu130"}}, {"gpus": [A100]}),
        (
            "minor-version-compat",
            {"drivers": OLD, "packages": {"torch": "2.14.1+cu126"}},
            {"packages": {"torch": "2.3.0+cu121"}},
        ),
        (
            "toolkit-differs",
            {"runtimes": {"cuda": "12.4"}, "packages": {"torch": "2.14.1+cu126"}},
            {"runtimes": {"cuda": "12.6"}},
        ),
        (
            "wsl-versions-differ",
            {"system": {"wsl": 2}, "drivers": {"nvidia": {"version": "581.29", "library": "580.95.05"}}},
            {"drivers": {"nvidia": {"version": "581.29", "library": "581.29"}}},
        ),
        (
            "vendor-build",
            {"torch": {"version": "2.6.0a0+ecf3bae40a.nv25.01", "origin": "vendor"}},
            {"torch": {"origin": "wheel"}},
        ),
        ("cuda-build-on-cpu-host", {"gpus": [], "packages": {"torch": "2.14.1+cu126"}}, {"gpus": None}),
        (
            "unused-nvidia-packages",
            {"gpus": [], "packages": {"torch": "2.14.1+cpu", "nvidia-cublas-cu12": "12.6.4.1"}},
            {"packages": {"torch": "2.14.1+cu126", "nvidia-cublas-cu12": "12.6.4.1"}},
        ),
        (
            "mig-single-instance",
            {"gpus": [{"vendor": "nvidia", "name": "NVIDIA A100-SXM4-80GB MIG 3g.40gb", "compute_capability": "8.0"}]},
            {"gpus": [A100]},
        ),
        ("tegra-smi-absent", {"system": {"jetson": "35.4.1"}}, {"system": {"jetson": "38.2"}}),
    ],
)
def test_note(examine: Examine, machine: Machine, id: str, groups: dict[str, Any], otherwise: dict[str, Any]) -> None:
    found = examine(machine(**groups))
    assert id in found
    assert found[id].severity == "note"
    assert [f.id for f in found.values() if f.severity != "note"] == []
    assert id not in examine(machine(**{**groups, **otherwise}))
