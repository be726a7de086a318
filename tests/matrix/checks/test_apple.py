"""Metal by version and no device."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from torchdoctor.matrix.verdict import Finding

Examine = Callable[..., dict[str, Finding]]
MAC: dict[str, Any] = {
    "system": {"os": "macos", "version": "15.1", "machine": "aarch64"},
    "python": {"version": "3.12.4", "machine": "aarch64"},
    "gpus": [{"vendor": "apple", "name": "Apple M2"}],
    "packages": {"torch": "2.10.0"},
}


def test_no_device_though_the_system_is_new_enough(examine: Examine) -> None:
    found = examine({**MAC, "torch": {"gpu_available": False}})["metal-device-missing"]
    assert (found.severity, found.lies_in) == ("blocker", "environment")


def test_virtual_machine(examine: Examine) -> None:
    gpu = {"vendor": "apple", "name": "Apple Paravirtual device"}
    found = examine({**MAC, "gpus": [gpu], "runtimes": {"metal": ""}})["metal-device-missing"]
    assert "virtual" in found.detail
    assert found.severity == "warning"
    required = examine({**MAC, "runtimes": {"metal": ""}}, requires=("mps",))
    assert required["metal-device-missing"].severity == "blocker"


def test_no_cuda_is_no_missing_metal(examine: Examine) -> None:
    profile = {**MAC, "torch": {"gpu_available": False}}
    assert "metal-device-missing" not in examine(
        profile, sources={"torch.gpu_available": "line 8: Is CUDA available: False"}
    )


@pytest.mark.parametrize(
    "groups",
    [
        {},
        {"torch": {"gpu_available": True}},
        {"runtimes": {"metal": "supported"}},
        # An old system explains it: that is macos-too-old.
        {"torch": {"gpu_available": False}, "system": {"os": "macos", "version": "13.6", "machine": "aarch64"}},
        {"torch": {"gpu_available": False}, "system": {"os": "macos", "machine": "aarch64"}},
        {"torch": {"gpu_available": False}, "packages": {}},
        {"torch": {"gpu_available": False}, "system": {"os": "linux", "machine": "aarch64"}},
        {"runtimes": {"metal": ""}, "python": {"machine": "x86_64"}},
    ],
)
def test_metal_is_fine_or_unknown(examine: Examine, groups: dict[str, Any]) -> None:
    assert "metal-device-missing" not in examine({**MAC, **groups})
