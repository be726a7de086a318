from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from torchdoctor.matrix.verdict import Finding

Examine = Callable[..., dict[str, Finding]]
Machine = Callable[..., dict[str, Any]]

CU124 = {"torch": "2.5.1+cu124"}


@pytest.mark.parametrize(
    ("path", "groups", "found"),
    [
        ("/usr/local/cuda-12.1/lib64", {}, True),
        ("/opt/x:/usr/local/cuda-12.1/lib64:/y", {}, True),
        ("/usr/local/cuda-12.4/lib64", {}, False),
        ("/usr/local/cuda-12.6/lib64", {}, False),  # newer: it has every symbol
        ("/usr/local/cuda-11.8/lib64", {}, False),  # another major has other file names
        ("/usr/local/cuda/lib64", {"runtimes": {"cuda": "12.1"}}, True),
        ("/usr/local/cuda/lib64", {}, False),
        ("/usr/local/cuda-12.1/lib64", {"torch": {"version": "2.5.1+cu124", "gpu_available": True}}, False),
        ("/usr/local/cuda-12.1/lib64", {"torch": {"version": "2.5.1+cu124", "origin": "source"}}, False),
        ("/usr/local/cuda-12.1/lib64", {"packages": {"torch": "2.5.1+cpu"}}, False),
        ("", {}, False),
    ],
)
def test_an_older_toolkit_before_the_wheels_own(
    examine: Examine, machine: Machine, path: str, groups: dict[str, Any], found: bool
) -> None:
    profile = machine(**{"packages": CU124, "environment": {"LD_LIBRARY_PATH": path}, **groups})
    finding = examine(profile).get("system-cuda-shadowing")
    assert (finding is not None) == found
    assert finding is None or finding.severity == "warning"


def test_a_symbol_that_was_missed_is_proof(examine: Examine, machine: Machine) -> None:
    seen = [{"id": "undefined-symbol-nvidia", "text": "undefined symbol: __nvJitLinkComplete_12_4"}]
    assert examine(machine(packages=CU124, symptoms=seen))["system-cuda-shadowing"].severity == "blocker"


def test_a_stub_of_libcuda(examine: Examine, machine: Machine) -> None:
    stubs = "/usr/local/cuda/lib64/stubs"
    path = {"LD_LIBRARY_PATH": f"/opt/lib:{stubs}"}
    assert examine(machine(environment=path))["libcuda-stub"].severity == "warning"
    assert "libcuda-stub" not in examine(machine(environment=path, torch={"gpu_available": True}))
    assert "libcuda-stub" not in examine(machine(environment={"LIBRARY_PATH": stubs}))
    loaded = examine(machine(), sources={"drivers.nvidia.library": f"{stubs}/libcuda.so"})["libcuda-stub"]
    assert (loaded.severity, stubs in loaded.detail) == ("blocker", True)


@pytest.mark.parametrize(
    ("groups", "severity"),
    [
        ({"symptoms": [{"id": "openmp-duplicate", "text": "OMP: Error #15"}]}, "blocker"),
        ({"environment": {"KMP_DUPLICATE_LIB_OK": "TRUE"}}, "note"),
        ({"environment": {"KMP_DUPLICATE_LIB_OK": "FALSE"}}, None),
        ({}, None),
    ],
)
def test_two_openmp_runtimes(examine: Examine, machine: Machine, groups: dict[str, Any], severity: str | None) -> None:
    found = examine(machine(**groups)).get("openmp-duplicate")
    assert (found.severity if found else None) == severity
