"""Intel GPUs: user-space driver, kernel driver, permission, a oneAPI that comes first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from torchdoctor.matrix.verdict import Finding

Examine = Callable[..., dict[str, Finding]]
Machine = Callable[..., dict[str, Any]]
B580 = {
    "vendor": "intel",
    "name": "Intel Arc B580 Graphics",
    "pci_id": "8086:e20b",
    "integrated": False,
    "driver": "xe",
}
A770 = {
    "vendor": "intel",
    "name": "Intel Arc A770 Graphics",
    "pci_id": "8086:56a0",
    "integrated": False,
    "driver": "i915",
}
IRIS = {
    "vendor": "intel",
    "name": "Intel Iris Xe Graphics",
    "pci_id": "8086:9a49",
    "integrated": True,
    "driver": "i915",
}
XPU = {"torch": "2.14.1+xpu"}


def arc(machine: Machine, **groups: Any) -> dict[str, Any]:
    return machine(**{"gpus": [B580], "drivers": {}, "packages": XPU, **groups})


def test_no_compute_runtime(examine: Examine, machine: Machine) -> None:
    found = examine(arc(machine, drivers={"intel": {"compute_runtime": ""}}))["xpu-driver-too-old"]
    assert (found.severity, found.lies_in) == ("blocker", "system")
    assert found.fix[0].startswith("sudo apt install libze1 libze-intel-gpu1")


def test_loader_without_driver(examine: Examine, machine: Machine) -> None:
    found = examine(arc(machine, drivers={"intel": {"compute_runtime": ""}}, runtimes={"level_zero": "1.28.2"}))
    assert "xpu-driver-mismatch" in found
    assert "xpu-driver-too-old" not in found


@pytest.mark.parametrize(
    "groups",
    [
        {"drivers": {"intel": {"compute_runtime": "26.05.37020.3"}}},
        {"drivers": {}},
        {"drivers": {"intel": {"compute_runtime": ""}}, "torch": {"gpu_available": True}},
        {"drivers": {"intel": {"compute_runtime": ""}}, "gpus": [IRIS], "packages": {"torch": "2.14.1+cpu"}},
        {"drivers": {"intel": {"compute_runtime": ""}}, "gpus": [IRIS], "packages": {}},
        {"drivers": {"intel": {"compute_runtime": ""}}, "gpus": []},
    ],
)
def test_runtime_is_fine(examine: Examine, machine: Machine, groups: dict[str, Any]) -> None:
    assert not [f for f in examine(arc(machine, **groups)).values() if f.severity != "note"]


def test_wrong_kernel_driver(examine: Examine, machine: Machine) -> None:
    bound = {**A770, "driver": "xe"}
    dead = arc(machine, gpus=[bound], torch={"gpu_available": False})
    found = examine(dead)
    assert "xe.force_probe=!56a0 i915.force_probe=56a0" in found["xpu-kernel-driver"].fix[0]
    no_cuda = {"torch.gpu_available": "line 8: Is CUDA available: False"}
    assert "xpu-kernel-driver" not in examine(dead, sources=no_cuda)
    assert found["xpu-kernel-driver"].severity == "warning"
    complete = {**dead, "drivers": {"intel": {"compute_runtime": "26.05.37020.3", "kernel_driver": "xe"}}}
    complete["gpus"] = [{**A770, "driver": None}]
    assert examine(complete)["xpu-kernel-driver"].severity == "blocker"
    assert "xpu-kernel-driver" not in examine({**dead, "drivers": {"intel": {"compute_runtime": ""}}})
    assert "xpu-kernel-driver" not in examine(arc(machine, gpus=[bound]))  # xe may drive it: nothing is proved
    assert "xpu-kernel-driver" not in examine({**dead, "gpus": [A770]})
    assert "xpu-kernel-driver" not in examine({**dead, "gpus": [{**A770, "driver": None}]})


def test_set_aside_for_a_virtual_machine(examine: Examine, machine: Machine) -> None:
    assert "virtual machine" in examine(arc(machine, gpus=[{**B580, "driver": "vfio-pci"}]))["xpu-kernel-driver"].title


def test_no_driver_bound(examine: Examine, machine: Machine) -> None:
    assert "No kernel driver" in examine(arc(machine, gpus=[{**B580, "driver": ""}]))["xpu-kernel-driver"].title


def test_container_without_dri(examine: Examine, machine: Machine) -> None:
    shut = {"/dev/dri": {"present": False}}
    found = examine(arc(machine, system={"container": "docker"}, devices=shut))["xpu-permission"]
    assert found.fix[0].startswith("docker run --device /dev/dri")
    assert "xpu-permission" not in examine(arc(machine, devices=shut))


def test_permission(examine: Examine, machine: Machine) -> None:
    shut = {"/dev/dri/renderD128": {"present": True, "openable": False, "group": "render"}}
    found = examine(arc(machine, devices=shut))["xpu-permission"]
    assert (found.severity, found.fix[0]) == ("blocker", "sudo usermod -aG render $USER")
    assert "xpu-permission" not in examine(
        arc(machine, devices={**shut, "/dev/dri/renderD129": {"present": True, "openable": True}})
    )
    assert "xpu-permission" not in examine(arc(machine, devices=shut, gpus=[IRIS], packages={}))
    assert "xpu-permission" not in examine(arc(machine, devices=shut, system={"wsl": 2}))
    # the build says whose node it is where the card is not named, and another vendor's card says that it is not
    assert "xpu-permission" in examine(arc(machine, devices=shut, gpus=None))
    radeon = {"vendor": "amd", "name": "RX 7600", "gfx": "gfx1102"}
    assert "xpu-permission" not in examine(arc(machine, devices=shut, gpus=[radeon]))


def test_oneapi_before_the_wheels_own(examine: Examine, machine: Machine) -> None:
    path = {"LD_LIBRARY_PATH": "/opt/lib:/opt/intel/oneapi/compiler/2024.2/lib"}
    assert examine(arc(machine, environment=path))["xpu-oneapi-conflict"].severity == "warning"
    failed = examine(arc(machine, environment=path, torch={"gpu_available": False}))
    assert failed["xpu-oneapi-conflict"].severity == "blocker"
    assert "xpu-oneapi-conflict" not in examine(arc(machine, environment=path, packages={"torch": "2.14.1+cpu"}))
    assert "xpu-oneapi-conflict" not in examine(arc(machine, environment={"LD_LIBRARY_PATH": "/opt/lib"}))
