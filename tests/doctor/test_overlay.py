"""An image judged for its target."""

from __future__ import annotations

from torchdoctor.overlay import overlay
from torchdoctor.probes.facts import (
    Device,
    Drivers,
    Facts,
    Gpu,
    NvidiaDriver,
    Python,
    Resources,
    System,
    Torch,
)

CARD = Gpu(vendor="nvidia", name="NVIDIA L4", compute_capability="8.9")
DECLARED = Facts(
    gpus=(CARD,), drivers=Drivers(nvidia=NvidiaDriver(version="550.54.14")), sources={"gpus": "target.toml"}
)
PROBED = Facts(
    system=System(os="linux", machine="x86_64", libc="glibc", libc_version="2.36", kernel="6.1", container="docker"),
    python=Python(version="3.12.4"),
    gpus=(),
    drivers=Drivers(nvidia=NvidiaDriver(version="", installed=False)),
    devices={"/dev/kfd": Device(present=False)},
    packages={"torch": "2.14.1+cu126"},
    torch=Torch(version="2.14.1", variant="cu126", gpu_available=False),
    resources=Resources(disk_free=5),
    sources={"gpus": "PCI bus", "python.version": "the examined interpreter", "drivers.nvidia.version": "/proc"},
    unknown={"torch.kernels": "no library", "cpu.model": "no answer"},
)


def test_the_image_of_the_builder_the_hardware_of_the_target() -> None:
    facts = overlay(DECLARED, PROBED)
    assert facts.gpus == (CARD,)
    assert facts.drivers.nvidia == NvidiaDriver(version="550.54.14")
    assert facts.python.version == "3.12.4"
    assert facts.packages == {"torch": "2.14.1+cu126"}
    assert (facts.system.libc_version, facts.system.os) == ("2.36", "linux")


def test_the_builder_says_nothing_of_the_target() -> None:
    facts = overlay(Facts(), PROBED)
    assert facts.gpus is None
    assert facts.drivers == Drivers()
    assert facts.devices is None
    assert facts.resources == Resources()
    assert facts.torch.gpu_available is None
    assert (facts.system.kernel, facts.system.container) == (None, None)
    assert "does not declare it" in facts.unknown["gpus"]


def test_sources_tell_which_is_which() -> None:
    facts = overlay(DECLARED, PROBED)
    assert facts.source("gpus[0].name") == "target.toml"
    assert facts.source("drivers.nvidia.version") == "declared"
    assert facts.source("python.version") == "the examined interpreter"
    assert "/proc" not in facts.sources.values()
    assert facts.unknown["torch.kernels"] == "no library"
    assert "gpus" not in facts.unknown


def test_declared_packages_are_added_and_declared_leaves_win() -> None:
    declared = DECLARED.replace(packages={"vllm": "0.20"}, python=Python(version="3.11"))
    facts = overlay(declared, PROBED)
    assert facts.packages == {"torch": "2.14.1+cu126", "vllm": "0.20"}
    assert facts.python.version == "3.11"


def test_known_to_be_none_is_declared_too() -> None:
    assert overlay(Facts(gpus=()), PROBED.replace(gpus=(CARD,))).gpus == ()
