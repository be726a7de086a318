"""libcuda against the kernel module, forward compatibility, and WSL."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from torchdoctor.matrix.verdict import Finding

Examine = Callable[..., dict[str, Finding]]
Machine = Callable[..., dict[str, Any]]
COMPAT = {"drivers.nvidia.library": "/usr/local/cuda-13.0/compat/libcuda.so.580.65.06"}
A100 = {"vendor": "nvidia", "name": "NVIDIA A100-SXM4-80GB", "compute_capability": "8.0"}


def test_library_mismatch(examine: Examine, machine: Machine) -> None:
    found = examine(machine(drivers={"nvidia": {"version": "550.54.14", "library": "550.127.05"}}))[
        "driver-library-mismatch"
    ]
    assert (found.severity, found.lies_in) == ("blocker", "system")
    assert found.fix[0] == "sudo reboot"
    assert {e.value for e in found.evidence} == {"550.54.14", "550.127.05"}


@pytest.mark.parametrize(
    "groups",
    [
        {"drivers": {"nvidia": {"version": "550.54.14", "library": "550.54.14"}}},
        {"drivers": {"nvidia": {"version": "550.54.14", "library": "1"}}},  # a soname, not a version
        {"drivers": {"nvidia": {"version": "550.54.14", "library": ""}}},
        {"drivers": {"nvidia": {"version": "550.54.14"}}},
        {"drivers": {"nvidia": {"version": "581.29", "library": "1.1"}}, "system": {"wsl": 2}},
        {"drivers": {"nvidia": {"version": "540.4.0", "library": "1.1"}}, "system": {"jetson": "36.4.3"}},
        {"drivers": {"nvidia": {"version": "550.54.14", "library": "550.127.05"}}, "torch": {"gpu_available": True}},
    ],
)
def test_no_library_mismatch(examine: Examine, machine: Machine, groups: dict[str, Any]) -> None:
    assert "driver-library-mismatch" not in examine(machine(**groups))


def test_compat_on_geforce(examine: Examine, machine: Machine) -> None:
    profile = machine(drivers={"nvidia": {"version": "535.183.01", "library": "580.65.06"}})
    found = examine(profile, sources=COMPAT)
    assert found["cuda-compat-on-unsupported-gpu"].lies_in == "system"
    assert "driver-library-mismatch" not in found
    inside = {**profile, "system": {**profile["system"], "container": "docker"}}
    assert examine(inside, sources=COMPAT)["cuda-compat-on-unsupported-gpu"].lies_in == "container"


def test_compat_on_data_centre_gpu_is_a_note(examine: Examine, machine: Machine) -> None:
    found = examine(
        machine(gpus=[A100], drivers={"nvidia": {"version": "535.183.01", "library": "580.65.06"}}), sources=COMPAT
    )
    assert {f.severity for f in found.values()} == {"note"}
    assert "cuda-compat-in-use" in found


def test_compat_on_a_board_that_may_or_may_not(examine: Examine, machine: Machine) -> None:
    gpu = {"vendor": "nvidia", "name": "NVIDIA RTX A6000", "compute_capability": "8.6"}
    assert (
        examine(
            machine(gpus=[gpu], drivers={"nvidia": {"version": "535.183.01", "library": "580.65.06"}}), sources=COMPAT
        )
        == {}
    )


def test_compat_older_than_the_driver_is_a_mismatch(examine: Examine, machine: Machine) -> None:
    profile = machine(gpus=[A100], drivers={"nvidia": {"version": "595.45.04", "library": "580.65.06"}})
    found = examine(profile, sources=COMPAT)
    assert "compat folder" in found["driver-library-mismatch"].fix[0]
    assert "cuda-compat-in-use" not in found


def test_compat_without_a_path(examine: Examine, machine: Machine) -> None:
    newer = {"nvidia": {"version": "535.183.01", "library": "580.65.06"}}
    by_variable = machine(drivers=newer, environment={"LD_LIBRARY_PATH": "/usr/local/cuda/compat:/usr/lib"})
    assert "cuda-compat-on-unsupported-gpu" in examine(by_variable)
    inside = machine(drivers=newer, system={"container": "docker"}, gpus=[A100])
    assert set(examine(inside)) == {"cuda-compat-in-use"}
    assert "driver-library-mismatch" in examine(
        machine(drivers=newer, gpus=[A100])
    )  # on a host nothing hints at compat
    by_path = {"drivers.nvidia.library": "/usr/lib/x86_64-linux-gnu/libcuda.so.580.65.06"}
    assert "driver-library-mismatch" in examine(inside, sources=by_path)


def test_wsl_1(examine: Examine, machine: Machine) -> None:
    asked = machine(system={"wsl": 1}, gpus=[], drivers={})
    assert "wsl-driver-not-visible" not in examine(asked)
    assert examine(asked, variant="cu126")["wsl-driver-not-visible"].title == "WSL 1 has no GPU"


def test_wsl_without_libcuda(examine: Examine, machine: Machine) -> None:
    found = examine(machine(system={"wsl": 2}, drivers={"nvidia": {"library": ""}}))
    assert found["wsl-driver-not-visible"].fix[-1] == "wsl --update && wsl --shutdown"
    assert "driver-missing" not in found


def test_wsl_shadowed_by_a_linux_driver(examine: Examine, machine: Machine) -> None:
    profile = machine(system={"wsl": 2}, drivers={"nvidia": {"library": "550.54.14"}})
    found = examine(profile, sources={"drivers.nvidia.library": "/usr/lib/x86_64-linux-gnu/libcuda.so.550.54.14"})
    assert found["wsl-driver-not-visible"].fix[0].startswith("remove it: sudo apt purge")


@pytest.mark.parametrize(
    ("groups", "source"),
    [
        ({"drivers": {"nvidia": {"version": "581.29", "library": "1.1"}}}, "/usr/lib/wsl/lib/libcuda.so.1.1"),
        ({"drivers": {"nvidia": {"version": "581.29"}}}, ""),
        ({"gpus": [], "drivers": {"nvidia": {"library": "", "version": ""}}}, ""),
        ({"drivers": {"nvidia": {"library": ""}}, "torch": {"gpu_available": True}}, ""),
    ],
)
def test_wsl_is_fine(examine: Examine, machine: Machine, groups: dict[str, Any], source: str) -> None:
    found = examine(machine(system={"wsl": 2}, **groups), sources={"drivers.nvidia.library": source} if source else {})
    assert not [f for f in found.values() if f.severity != "note"]


def test_windows_blocks_the_gpu(examine: Examine, machine: Machine) -> None:
    seen = [{"id": "nvml-blocked-by-os", "text": "GPU access blocked by the operating system", "line": 2}]
    found = examine(machine(system={"wsl": 2}, symptoms=seen))
    assert found["wsl-driver-not-visible"].fix[0] == "in Windows: wsl --shutdown"


def test_wsl_needs_no_driver_for_a_gpu_that_no_build_serves(examine: Examine, machine: Machine) -> None:
    kepler = {"vendor": "nvidia", "name": "GeForce GT 645M", "compute_capability": "3.0", "integrated": False}
    wsl = {"system": {"wsl": 2}, "drivers": {"nvidia": {"version": ""}}}
    assert "wsl-driver-not-visible" not in examine(machine(gpus=[kepler], **wsl))
    assert "wsl-driver-not-visible" in examine(machine(gpus=[{**kepler, "compute_capability": "5.0"}], **wsl))
