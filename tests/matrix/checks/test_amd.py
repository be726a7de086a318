"""AMD GPUs: doors, override, WSL, and the integrated GPU beside the card."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from torchdoctor.matrix.verdict import Finding

Examine = Callable[..., dict[str, Finding]]
Machine = Callable[..., dict[str, Any]]
CARD = {"vendor": "amd", "name": "AMD Radeon RX 7900 XTX", "gfx": "gfx1100", "integrated": False}
IGPU = {"vendor": "amd", "name": "AMD Radeon Graphics", "gfx": "gfx1036", "integrated": True}
ROCM = {"torch": "2.9.1+rocm6.4"}
KFD = {"present": True, "openable": True, "group": "render"}


def rocm(machine: Machine, **groups: Any) -> dict[str, Any]:
    return machine(**{"gpus": [CARD], "drivers": {}, "packages": ROCM, **groups})


def test_no_kfd(examine: Examine, machine: Machine) -> None:
    found = examine(rocm(machine, devices={"/dev/kfd": {"present": False}}))["rocm-device-missing"]
    assert (found.severity, found.lies_in) == ("blocker", "system")
    assert found.fix[0].startswith("sudo modprobe amdgpu")


def test_no_kfd_in_a_container(examine: Examine, machine: Machine) -> None:
    found = examine(rocm(machine, system={"container": "docker"}, devices={"/dev/kfd": {"present": False}}))
    assert found["rocm-device-missing"].lies_in == "container"
    assert found["rocm-device-missing"].fix[0].startswith("docker run --device /dev/kfd")


def test_container_without_dri_and_card_set_aside(examine: Examine, machine: Machine) -> None:
    devices = {"/dev/kfd": KFD, "/dev/dri": {"present": False}}
    found = examine(rocm(machine, system={"container": "podman"}, devices=devices))["rocm-device-missing"]
    assert found.lies_in == "container" and "/dev/dri" in found.title
    assert "rocm-device-missing" not in examine(rocm(machine, devices=devices))  # nothing says that ROCm fails there
    aside = examine(rocm(machine, gpus=[{**CARD, "driver": "vfio-pci"}], devices={"/dev/kfd": KFD}))[
        "rocm-device-missing"
    ]
    assert aside.lies_in == "system" and "vfio-pci" in aside.title


@pytest.mark.parametrize(
    "groups",
    [
        {"devices": {"/dev/kfd": KFD}},
        {"devices": {}},
        {"devices": {"/dev/kfd": {"present": False}}, "system": {"wsl": 2}},
        {"devices": {"/dev/kfd": {"present": False}}, "gpus": []},
        {"devices": {"/dev/kfd": {"present": False}}, "gpus": [IGPU], "packages": {}},  # a display, nothing more
        {"devices": {"/dev/kfd": {"present": False}}, "packages": {"torch": "2.9.1+cu128"}},
        {"devices": {"/dev/kfd": {"present": False}}, "system": {"os": "windows"}},
    ],
)
def test_kfd_is_no_matter(examine: Examine, machine: Machine, groups: dict[str, Any]) -> None:
    assert "rocm-device-missing" not in examine(rocm(machine, **groups))


@pytest.mark.parametrize(
    "devices",
    [
        {"/dev/kfd": {"present": True, "openable": False, "group": "render"}},
        {"/dev/kfd": KFD, "/dev/dri/renderD128": {"present": True, "openable": False, "group": "render"}},
    ],
)
def test_permission(examine: Examine, machine: Machine, devices: dict[str, Any]) -> None:
    found = examine(rocm(machine, devices=devices))["rocm-permission"]
    assert (found.severity, found.lies_in) == ("blocker", "environment")
    assert found.fix[0] == "sudo usermod -aG render $USER"


def test_permission_in_a_container_wants_the_number(examine: Examine, machine: Machine) -> None:
    devices = {"/dev/kfd": {"present": True, "openable": False, "group": "109"}}
    found = examine(rocm(machine, system={"container": "docker"}, devices=devices))["rocm-permission"]
    assert "--group-add 109" in found.fix[0]


@pytest.mark.parametrize(
    "devices",
    [
        {"/dev/kfd": KFD},
        {"/dev/kfd": {"present": True}},
        {
            "/dev/kfd": KFD,
            "/dev/dri/renderD128": {"present": True, "openable": False},
            "/dev/dri/renderD129": {"present": True, "openable": True},
        },
    ],
)
def test_permission_is_fine(examine: Examine, machine: Machine, devices: dict[str, Any]) -> None:
    assert examine(rocm(machine, devices=devices)) == {}


def test_wsl_runtime(examine: Examine, machine: Machine) -> None:
    inside = rocm(machine, system={"wsl": 2})
    assert examine(inside)["rocm-wsl-runtime"].severity == "blocker"
    other = {**inside, "packages": {"torch": "2.6.0+rocm6.4.2"}}  # no stock wheel: AMD's own may be set up for WSL
    assert examine(other)["rocm-wsl-runtime"].severity == "warning"
    assert examine({**other, "torch": {"gpu_available": False}})["rocm-wsl-runtime"].severity == "blocker"
    assert "rocm-wsl-runtime" not in examine({**inside, "torch": {"gpu_available": True}})
    assert "rocm-wsl-runtime" not in examine({**inside, "packages": {"torch": "2.9.1+cpu"}})
    assert "rocm-wsl-runtime" not in examine(rocm(machine))
    assert examine({**inside, "packages": {}})["rocm-wsl-runtime"].about == "machine"


@pytest.mark.parametrize(
    ("value", "severity"),
    [
        ("10.3.0", "blocker"),
        ("12.0.1", "blocker"),
        ("11.5.0", "warning"),
        ("11.0.0", None),
        ("11.0.1", None),
        ("", None),
        ("rubbish", None),
    ],
)
def test_override(examine: Examine, machine: Machine, value: str, severity: str | None) -> None:
    found = examine(rocm(machine, environment={"HSA_OVERRIDE_GFX_VERSION": value})).get("gfx-override-mismatch")
    assert (found.severity if found else None) == severity


@pytest.mark.parametrize(
    ("gfx", "value", "wrong"),
    [
        ("gfx1031", "10.3.0", False),
        ("gfx1010", "10.3.0", True),
        ("gfx90c", "9.0.0", False),
        ("gfx1103", "11.0.0", False),
        ("gfx1150", "11.0.0", True),
        ("gfx1152", "11.5.0", False),
        (None, "10.3.0", False),
    ],
)
def test_override_by_generation(examine: Examine, machine: Machine, gfx: str | None, value: str, wrong: bool) -> None:
    gpu = {"vendor": "amd", "name": "GPU", "gfx": gfx, "integrated": False}
    found = examine(rocm(machine, gpus=[gpu], environment={"HSA_OVERRIDE_GFX_VERSION": value}))
    assert ("gfx-override-mismatch" in found) is wrong


@pytest.mark.parametrize(
    ("name", "wrong"),
    [("AMD Radeon RX 6700 XT", True), ("AMD Radeon RX 7900 XTX", False), ("AMD Radeon Graphics", False)],
)
def test_the_name_tells_the_chip_where_rocm_reports_the_override(
    examine: Examine, machine: Machine, name: str, wrong: bool
) -> None:
    gpu = {"vendor": "amd", "name": name, "gfx": "gfx1100", "integrated": False}
    found = examine(rocm(machine, gpus=[gpu], environment={"HSA_OVERRIDE_GFX_VERSION": "11.0.0"}))
    assert ("gfx-override-mismatch" in found) is wrong


def test_override_counts_on_linux_only_and_for_the_card(examine: Examine, machine: Machine) -> None:
    override = {"HSA_OVERRIDE_GFX_VERSION": "10.3.0"}
    assert "gfx-override-mismatch" not in examine(rocm(machine, system={"os": "windows"}, environment=override))
    beside = [{**CARD, "name": "AMD Radeon RX 6800", "gfx": "gfx1030"}, {**IGPU, "gfx": "gfx1103"}]
    assert "gfx-override-mismatch" not in examine(rocm(machine, gpus=beside, environment=override))


def test_integrated_gpu_in_the_way(examine: Examine, machine: Machine) -> None:
    both = rocm(machine, gpus=[CARD, IGPU])
    assert "igpu-dgpu-conflict" not in examine(both)  # most such machines work
    failed = {**both, "torch": {"gpu_available": False}}
    assert examine(failed)["igpu-dgpu-conflict"].severity == "warning"
    assert "igpu-dgpu-conflict" not in examine({**failed, "environment": {"ROCR_VISIBLE_DEVICES": "0"}})
    assert "igpu-dgpu-conflict" not in examine({**failed, "gpus": [CARD]})
    assert "igpu-dgpu-conflict" not in examine({**failed, "gpus": [IGPU]})


def test_override_is_nothing_to_what_runs_no_rocm(examine: Examine, machine: Machine) -> None:
    override = {"HSA_OVERRIDE_GFX_VERSION": "11.0.0"}
    nvidia = {"vendor": "nvidia", "name": "RTX 4090", "compute_capability": "8.9", "integrated": False}
    chip = {"vendor": "amd", "gfx": "gfx1036", "integrated": True}
    drivers = {"nvidia": {"version": "580.95.05"}}
    assert examine(machine(gpus=[nvidia, chip], drivers=drivers, environment=override)) == {}
    radeon = {"vendor": "amd", "gfx": "gfx1030", "integrated": False}
    cuda = {"torch": "2.9.1+cu128"}
    assert "gfx-override-mismatch" not in examine(machine(gpus=[radeon], packages=cuda, environment=override))


def test_a_rocm_build_beside_another_vendors_gpu_in_wsl_is_the_wrong_one(examine: Examine, machine: Machine) -> None:
    nvidia = {"vendor": "nvidia", "name": "RTX 4090", "compute_capability": "8.9", "integrated": False}
    found = examine(
        machine(
            gpus=[nvidia],
            system={"wsl": 2},
            drivers={"nvidia": {"version": "581.29"}},
            packages={"torch": "2.9.1+rocm6.4"},
        )
    )
    assert "rocm-wsl-runtime" not in found


def test_a_session_shows_a_rocm_build_without_its_number(examine: Examine, machine: Machine) -> None:
    profile = rocm(machine, system={"wsl": 2}, packages={}, request={"variant": "rocm6.4"})
    assert (
        examine({**profile, "torch": {"hip": "6.4.43482", "gpu_available": False}})["rocm-wsl-runtime"].severity
        == "blocker"
    )


def test_a_mask_that_hides_the_integrated_gpu_helps(examine: Examine, machine: Machine) -> None:
    seen = [{"id": i, "text": i} for i in ("amd-mask-helps", "hip-invalid-function")]
    both = rocm(machine, gpus=[CARD, IGPU], environment={"HIP_VISIBLE_DEVICES": "0"}, symptoms=seen)
    assert examine(both)["igpu-dgpu-conflict"].severity == "blocker"
    assert "igpu-dgpu-conflict" not in examine({**both, "symptoms": seen[:1]})  # nothing failed without it
    assert "igpu-dgpu-conflict" not in examine({**both, "gpus": [CARD]})
