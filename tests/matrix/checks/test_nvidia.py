"""The NVIDIA driver: missing, not loaded, of the wrong flavour, and none of it where nothing is wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from torchdoctor.matrix.verdict import Finding

Examine = Callable[..., dict[str, Finding]]
Machine = Callable[..., dict[str, Any]]
T4 = {"vendor": "nvidia", "name": "Tesla T4", "pci_id": "10de:1eb8", "compute_capability": "7.5", "integrated": False}
PASCAL = {"vendor": "nvidia", "name": "GTX 1080", "compute_capability": "6.1"}
BLACKWELL = {"vendor": "nvidia", "name": "RTX 5090", "compute_capability": "12.0"}


@pytest.mark.parametrize("driver", [{"version": ""}, {"installed": False}, {"version": "", "installed": False}])
def test_driver_missing(examine: Examine, machine: Machine, driver: dict[str, Any]) -> None:
    found = examine(machine(gpus=[T4], drivers={"nvidia": driver}))["driver-missing"]
    assert (found.severity, found.lies_in) == ("blocker", "system")
    assert found.fix == ("sudo ubuntu-drivers install", "sudo reboot")
    assert "gpus[0].name" in [e.fact for e in found.evidence]


@pytest.mark.parametrize(
    ("name", "first"),
    [
        ("Debian GNU/Linux", "sudo apt install nvidia-driver"),
        ("Fedora Linux", "sudo dnf install akmod-nvidia"),
        ("Rocky Linux", "sudo dnf install nvidia-open"),
        ("Arch Linux", "sudo pacman -S nvidia-open"),
        ("openSUSE Tumbleweed", "sudo zypper"),
        ("NixOS", "services.xserver"),
        ("Void", "install the NVIDIA driver: https://"),
    ],
)
def test_driver_missing_tells_each_system_its_own_command(
    examine: Examine, machine: Machine, name: str, first: str
) -> None:
    found = examine(machine(system={"name": name}, gpus=[T4], drivers={"nvidia": {"version": ""}}))
    assert found["driver-missing"].fix[0].startswith(first)


def test_driver_missing_on_windows_and_in_a_container(examine: Examine, machine: Machine) -> None:
    windows = examine(machine(system={"os": "windows", "name": "Windows 11"}, drivers={"nvidia": {"version": ""}}))
    assert windows["driver-missing"].fix[1] == "restart Windows"
    container = examine(machine(system={"container": "docker"}, drivers={"nvidia": {"version": ""}}))
    assert "on the host" in container["driver-missing"].fix[0]


@pytest.mark.parametrize(
    "groups",
    [
        {"drivers": {"nvidia": {"version": "580.95.05"}}},
        {"drivers": {}},  # nothing known of a driver is no missing driver
        {"gpus": [], "drivers": {"nvidia": {"version": ""}}},
        {"gpus": None, "drivers": {"nvidia": {"version": ""}}},
        {"drivers": {"nvidia": {"version": ""}}, "system": {"wsl": 2}},
        {"drivers": {"nvidia": {"version": ""}}, "system": {"jetson": "36.4.3"}},
        {"drivers": {"nvidia": {"version": ""}}, "torch": {"gpu_available": True}},
        # No release ever carried Fermi: it is a display, and needs no driver for torch.
        {"drivers": {"nvidia": {"version": ""}}, "gpus": [{"vendor": "nvidia", "compute_capability": "2.1"}]},
    ],
)
def test_no_driver_missing(examine: Examine, machine: Machine, groups: dict[str, Any]) -> None:
    assert "driver-missing" not in examine(machine(**groups))


def test_driver_not_loaded(examine: Examine, machine: Machine) -> None:
    driver = {"installed": True, "loaded": False, "version": ""}
    found = examine(machine(drivers={"nvidia": driver}))
    assert "driver-missing" not in found
    assert found["driver-not-loaded"].severity == "blocker"
    assert found["driver-not-loaded"].fix[0].startswith("sudo modprobe nvidia")
    fedora = examine(machine(system={"name": "Fedora Linux"}, drivers={"nvidia": driver}))
    assert any("akmods" in step for step in fedora["driver-not-loaded"].fix)


@pytest.mark.parametrize(
    ("held", "nvidia", "found"),
    [
        ("nouveau", {"installed": True}, True),
        ("nouveau", {"installed": True, "version": "565.77"}, True),
        ("nouveau", {}, False),
        ("nouveau", {"installed": True, "loaded": True}, False),
        ("nvidia", {"installed": True}, False),
        (None, {"installed": True}, False),
    ],
)
def test_installed_and_another_driver_holds_the_device(
    examine: Examine, machine: Machine, held: str | None, nvidia: dict[str, Any], found: bool
) -> None:
    findings = examine(machine(gpus=[{**T4, "driver": held}], drivers={"nvidia": nvidia}))
    assert ("driver-not-loaded" in findings) is found


def test_nouveau_holds_the_device(examine: Examine, machine: Machine) -> None:
    gpu = {**T4, "driver": "nouveau"}
    loaded = examine(machine(gpus=[gpu], drivers={"nvidia": {"installed": True, "loaded": False}}))["driver-not-loaded"]
    assert "nouveau" in loaded.detail
    assert "blacklist nouveau" in loaded.fix[0]
    missing = examine(machine(gpus=[gpu], drivers={"nvidia": {"version": "", "installed": False}}))["driver-missing"]
    assert "nouveau holds the device" in missing.detail


def test_a_loaded_driver_is_loaded(examine: Examine, machine: Machine) -> None:
    assert examine(machine(drivers={"nvidia": {"installed": True, "loaded": True, "version": "580.95.05"}})) == {}
    assert "driver-not-loaded" not in examine(machine(drivers={"nvidia": {"installed": True}}))


def test_vfio(examine: Examine, machine: Machine) -> None:
    found = examine(
        machine(gpus=[{**T4, "driver": "vfio-pci"}], drivers={"nvidia": {"version": "580.95.05", "loaded": True}})
    )
    assert "virtual machine" in found["driver-not-loaded"].title
    both = examine(machine(gpus=[{**T4, "driver": "vfio-pci"}, {**T4, "driver": "nvidia"}]))
    assert "driver-not-loaded" not in both


@pytest.mark.parametrize(
    ("module", "gpus", "fault"),
    [
        ("open", [PASCAL], True),
        ("proprietary", [BLACKWELL], True),
        ("open", [BLACKWELL], False),
        ("proprietary", [PASCAL], False),
        ("open", [PASCAL, BLACKWELL], False),  # the other card works
        ("open", [{"vendor": "nvidia", "name": "unknown"}], False),
    ],
)
def test_kernel_module_of_the_wrong_flavour(
    examine: Examine, machine: Machine, module: str, gpus: list[dict[str, Any]], fault: bool
) -> None:
    found = examine(machine(gpus=gpus, drivers={"nvidia": {"version": "580.95.05", "loaded": True, "module": module}}))
    assert ("driver-not-loaded" in found) is fault


@pytest.mark.parametrize(
    ("container", "available", "uvm", "severity"),
    [
        ("docker", None, False, "warning"),
        ("docker", False, False, "blocker"),
        ("", False, False, "blocker"),
        ("", None, False, None),  # made on demand
        ("docker", True, False, None),
        ("docker", False, True, None),
        ("docker", False, None, None),
    ],
)
def test_uvm_missing(
    examine: Examine, machine: Machine, container: str, available: bool | None, uvm: bool | None, severity: str | None
) -> None:
    devices = {
        "/dev/nvidiactl": {"present": True},
        "/dev/nvidia0": {"present": True},
        "/dev/nvidia-uvm": {"present": uvm},
    }
    found = examine(machine(system={"container": container}, devices=devices, torch={"gpu_available": available}))
    assert (found["cuda-init-unknown-error"].severity if "cuda-init-unknown-error" in found else None) == severity


def test_driver_missing_by_what_a_session_shows(examine: Examine, machine: Machine) -> None:
    said = [{"id": "found-no-nvidia-driver", "text": "Found no NVIDIA driver", "line": 1}]
    nouveau = [*said, {"id": "nouveau-loaded", "text": "nouveau 3096576 4", "line": 5}]
    bus = {"gpus[0]": "line 3: 01:00.0 VGA compatible controller: NVIDIA Corporation AD102 [GeForce RTX 4090]"}
    shown = machine(drivers={}, symptoms=nouveau)
    assert examine(shown, sources=bus)["driver-missing"].severity == "blocker"
    assert "driver-missing" not in examine({**shown, "symptoms": said}, sources=bus)  # a container says that too
    assert "driver-missing" not in examine(shown, sources={"gpus[0]": "line 3: I have an RTX 4090"})
    assert "driver-missing" not in examine({**shown, "system": {"os": "linux", "container": "docker"}}, sources=bus)
