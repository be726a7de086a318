"""What an error means on this machine: devices hidden, denied, too old, not served."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from torchdoctor.matrix.verdict import Finding

Examine = Callable[..., dict[str, Finding]]


def _seen(*ids: str, text: str = "the text", **groups: Any) -> dict[str, Any]:
    return {"symptoms": [{"id": id, "text": text, "line": 7} for id in ids], **groups}


def test_no_device_in_wsl(examine: Examine) -> None:
    assert "wsl-driver-not-visible" in examine(_seen("cuda-error-100", system={"os": "linux", "wsl": 2}))
    assert "wsl-driver-not-visible" not in examine(_seen("cuda-error-100", system={"os": "linux", "wsl": 0}))


def test_a_slice_that_was_not_named(examine: Examine) -> None:
    gpus = [{"vendor": "nvidia", "name": "NVIDIA A100-SXM4-80GB MIG 3g.40gb", "compute_capability": "8.0"}] * 2
    assert "devices-hidden" in examine(_seen("mig-device-assert", gpus=gpus))
    assert "devices-hidden" not in examine(
        _seen("mig-device-assert", gpus=gpus, environment={"CUDA_VISIBLE_DEVICES": "MIG-1"})
    )


def test_permissions(examine: Examine) -> None:
    amd, intel = [{"vendor": "amd", "gfx": "gfx1100"}], [{"vendor": "intel", "name": "Intel(R) Graphics"}]
    assert "rocm-permission" in examine(_seen("accounts-differ", gpus=amd))
    assert "xpu-permission" in examine(_seen("xpu-device-count-zero", "xpu-group-added", "xpu-devices-2"))
    assert "xpu-permission" in examine(_seen("xpu-device-count-zero", "container-user-not-root", gpus=intel))
    assert "xpu-permission" not in examine(_seen("xpu-device-count-zero", gpus=intel))


def test_an_older_runtime_lists_fewer(examine: Examine) -> None:
    gpus = [{"vendor": "intel", "name": "Intel Arc Pro B60", "pci_id": "8086:e211", "integrated": False}] * 2
    assert "xpu-driver-too-old" in examine(_seen("xpu-devices-1", "xpu-devices-2", gpus=gpus))
    assert "xpu-driver-too-old" not in examine(_seen("xpu-devices-2", gpus=gpus))


def test_mig_mode_without_an_instance(examine: Examine) -> None:
    gpus = [{"vendor": "nvidia", "name": "NVIDIA A100-SXM4-80GB", "compute_capability": "8.0"}]
    found = examine(_seen("mig-without-slices", gpus=gpus, torch={"version": "2.6.0", "variant": "cu124"}))
    assert found["devices-hidden"].severity == "blocker"
    assert examine(_seen("mig-without-slices", gpus=gpus))["devices-hidden"].severity == "warning"
    assert "devices-hidden" not in examine(_seen("mig-without-slices", gpus=gpus, torch={"gpu_available": True}))
    assert "devices-hidden" in examine(_seen("mig-no-instances", gpus=gpus))
    assert "devices-hidden" not in examine(_seen("mig-no-instances", gpus=gpus * 2))  # the other may not be in MIG mode


@pytest.mark.parametrize(
    ("model", "found"),
    [("Intel 13500H", True), ("12th Gen Intel(R) Core(TM) i7-12700H", True), ("Intel(R) Core(TM) Ultra 7 258V", False)],
)
def test_old_integrated_graphics(examine: Examine, model: str, found: bool) -> None:
    assert ("xpu-gpu-unsupported" in examine(_seen("ur-error", cpu={"model": model}))) is found


@pytest.mark.parametrize(
    ("cpu", "machine", "found"),
    [
        ({"model": "Raspberry Pi 4"}, None, True),
        ({"model": "Cortex-A72", "level": "armv8.0-a"}, "aarch64", True),
        ({"model": "Raspberry Pi 5"}, "aarch64", False),
        ({"model": "Raspberry Pi 4"}, "armv7l", False),
        ({"model": "Neoverse-V2", "features": ["atomics"]}, "aarch64", False),
    ],
)
def test_illegal_instructions_on_arm(examine: Examine, cpu: dict[str, Any], machine: str | None, found: bool) -> None:
    assert ("arm-lacks-lse" in examine(_seen("illegal-instruction", cpu=cpu, system={"machine": machine}))) is found


def test_illegal_instructions_on_x86(examine: Examine) -> None:
    assert "cpu-lacks-avx2" in examine(_seen("illegal-instruction", "no-avx2-said"))
    assert "cpu-lacks-avx" in examine(_seen("illegal-instruction", "no-avx-said"))
    assert not {"cpu-lacks-avx", "cpu-lacks-avx2"} & set(examine(_seen("no-avx2-said")))
    assert "cpu-lacks-avx2" in examine(_seen("no-avx2-error"))  # a program that ended for it
    assert "cpu-lacks-avx2" not in examine(_seen("no-avx2-error", system={"machine": "aarch64"}))


def test_jetson(examine: Examine) -> None:
    board = {"os": "linux", "machine": "aarch64", "jetson": "35.4.1"}
    public = {"version": "2.9.1+cpu", "variant": "cpu", "gpu_available": False}
    assert "jetson-needs-vendor-wheel" in examine({"system": board, "torch": public})
    assert "jetson-needs-vendor-wheel" not in examine({"system": board, "torch": {**public, "origin": "vendor"}})
    assert "jetson-needs-vendor-wheel" not in examine({"system": {**board, "jetson": "38.4"}, "torch": public})
    asked = {"version": "2.9.1+cpu", "variant": "cpu"}  # a CPU build need not be asked whether it sees the GPU
    assert "jetson-needs-vendor-wheel" in examine({"system": board, "torch": asked})
    cuda = {"version": "2.9.1+cu126", "variant": "cu126"}
    assert "jetson-needs-vendor-wheel" not in examine({"system": board, "torch": {**cuda, "gpu_available": True}})
    assert "jetson-needs-vendor-wheel" not in examine({"system": board})
    wheel = _seen("wheel-404", system=board, python={"version": "3.10.12"})
    assert "python-unsupported" in examine(wheel)
    assert "python-unsupported" not in examine({**wheel, "python": {"version": "3.8.10"}})


def test_a_driver_that_the_report_blames(examine: Examine) -> None:
    profile = _seen(
        "driver-incompatible-said",
        drivers={"nvidia": {"version": "570"}},
        packages={"torch": "2.11.0"},
        system={"os": "linux", "machine": "x86_64"},
    )
    assert "driver-too-old" in examine(profile)
    profile["drivers"]["nvidia"]["version"] = "580.95.05"
    assert "driver-too-old" not in examine(profile)
