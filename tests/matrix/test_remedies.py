"""Commands for the system at hand."""

from __future__ import annotations

import pytest
from torchdoctor.matrix import remedies
from torchdoctor.probes.facts import Drivers, Facts, Gpu, NvidiaDriver, System


def system(**values: object) -> Facts:
    return Facts(system=System(**values))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("os", "name", "family"),
    [
        ("linux", "Ubuntu", "ubuntu"),
        ("linux", "Ubuntu 24.04.3 LTS", "ubuntu"),
        ("linux", "Linux Mint", "ubuntu"),
        ("linux", "Debian GNU/Linux", "debian"),
        ("linux", "Red Hat Enterprise Linux", "rhel"),
        ("linux", "AlmaLinux", "rhel"),
        ("linux", "CentOS Linux", "rhel"),
        ("linux", "Fedora Linux 43", "fedora"),
        ("linux", "EndeavourOS", "arch"),
        ("linux", "SLES", "suse"),
        ("linux", "Gentoo", "linux"),
        ("linux", None, "linux"),
        ("windows", "Windows 11", "windows"),
        ("macos", "macOS", "macos"),
        (None, None, ""),
    ],
)
def test_family(os: str | None, name: str | None, family: str) -> None:
    assert remedies.family(system(os=os, name=name)) == family


def test_old_cards_get_the_proprietary_driver() -> None:
    rhel = system(os="linux", name="Rocky Linux")
    assert "cuda-drivers" in remedies.nvidia_driver(rhel, open_module=False)[0]
    assert "nvidia-open" in remedies.nvidia_driver(rhel, open_module=True)[0]


def test_update_goes_where_the_driver_lives() -> None:
    assert remedies.update_nvidia_driver(system(os="linux", wsl=2), "580")[1] == "wsl --shutdown"
    assert "of the host" in remedies.update_nvidia_driver(system(os="linux", container="docker"), "580")[0]
    assert (
        remedies.update_nvidia_driver(system(os="linux", name="Ubuntu"), "580")[0]
        == "sudo apt install nvidia-driver-580"
    )


@pytest.mark.parametrize(
    ("capability", "floor", "branch"),
    [
        ("8.9", "525.60.13", 580),
        ("6.1", "525.60.13", 580),
        ("3.7", "450.80.02", 470),
        ("12.0", "590", 590),
        (None, "", 580),
    ],
)
def test_the_branch_that_is_installed_is_one_that_lasts(capability: str | None, floor: str, branch: int) -> None:
    gpu = Gpu(vendor="nvidia", compute_capability=capability)
    facts = Facts(system=System(os="linux", name="Ubuntu"), gpus=(gpu,))
    assert remedies.update_nvidia_driver(facts, floor)[0] == f"sudo apt install nvidia-driver-{branch}"


def test_fabric_manager_is_of_the_drivers_version() -> None:
    driver = Drivers(nvidia=NvidiaDriver(version="570.124.06"))
    assert remedies.fabric_manager(Facts(system=System(os="linux", name="Ubuntu"), drivers=driver))[0].endswith("-570")
    assert remedies.fabric_manager(Facts(system=System(os="linux", name="Rocky Linux"), drivers=driver))[0].endswith(
        "-570.124.06"
    )
    assert "<driver branch>" in remedies.fabric_manager(system(os="linux", name="Ubuntu"))[0]


@pytest.mark.parametrize("vendor", ["nvidia", "amd", "intel"])
@pytest.mark.parametrize("engine", ["docker", "podman", "kubernetes", "lxc", "apptainer", "containerd"])
def test_every_engine_gets_a_command(vendor: str, engine: str) -> None:
    assert all(remedies.give_gpu(system(os="linux", container=engine), vendor))


def test_groups() -> None:
    assert remedies.join_group(system(os="linux"), None)[0] == "sudo usermod -aG render,video $USER"
    assert "--group-add $(stat" in remedies.join_group(system(os="linux", container="docker"), "render")[0]


@pytest.mark.parametrize(("on", "place"), [(True, 0), (None, -1)])
def test_secure_boot_first_where_it_is_known_to_be_on(on: bool | None, place: int) -> None:
    assert "Secure Boot" in remedies.rebuild_nvidia_module(system(os="linux", name="Ubuntu", secure_boot=on))[place]


def test_secure_boot_off_is_not_mentioned() -> None:
    steps = remedies.rebuild_nvidia_module(system(os="linux", name="Ubuntu", secure_boot=False))
    assert not [s for s in steps if "Secure Boot" in s]


@pytest.mark.parametrize(
    ("gfx", "os", "environment", "value"),
    [
        ("gfx1032", "linux", {}, "10.3.0"),
        ("gfx1103", None, {}, "11.0.0"),
        ("gfx1030", "linux", {}, None),  # the target itself
        ("gfx1201", "linux", {}, None),
        (None, "linux", {}, None),
        ("gfx1032", "windows", {}, None),
        ("gfx1032", "linux", {"HSA_OVERRIDE_GFX_VERSION": "10.3.0"}, None),
        ("gfx1032", "linux", {"HSA_OVERRIDE_GFX_VERSION": "11.0.0"}, "10.3.0"),  # what is set does not run
    ],
)
def test_gfx_override(gfx: str | None, os: str | None, environment: dict[str, str], value: str | None) -> None:
    steps = remedies.gfx_override(Facts(system=System(os=os), environment=environment), gfx)
    assert [s.split("=")[1].split(" ")[0] for s in steps] == ([value] if value else [])
