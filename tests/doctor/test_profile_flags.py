"""A machine in a few words."""

from __future__ import annotations

import pytest
from torchdoctor.probes.facts import Gpu, System
from torchdoctor.profile_flags import FlagError, facts_from_flags, is_python_version


def test_the_words_of_a_workstation() -> None:
    facts = facts_from_flags(gpus=["RTX 4090"], driver="535", python="3.12", os="ubuntu 24.04")
    assert facts.gpus == (Gpu(vendor="nvidia", name="GeForce RTX 4090", compute_capability="8.9"),)
    assert facts.drivers.nvidia.version == "535"
    assert facts.drivers.nvidia.installed is True
    assert (facts.python.implementation, facts.python.version, facts.python.free_threaded) == ("cpython", "3.12", False)
    assert (facts.system.os, facts.system.libc, facts.system.libc_version) == ("linux", "glibc", "2.39")
    assert facts.system.machine == "x86_64"
    assert facts.packages is None


def test_what_is_not_said_is_not_known() -> None:
    facts = facts_from_flags()
    assert facts.gpus is None
    assert facts.python.version is None
    assert facts.drivers.nvidia.version is None
    assert facts.system == System()


def test_no_gpu_and_no_driver() -> None:
    assert facts_from_flags(gpus=["none"]).gpus == ()
    facts = facts_from_flags(gpus=["Tesla T4"], driver="none")
    assert facts.drivers.nvidia.version == ""
    assert facts.drivers.nvidia.installed is False


@pytest.mark.parametrize(
    ("text", "os", "machine", "version"),
    [
        ("windows 11", "windows", "x86_64", "11"),
        ("Windows", "windows", "x86_64", None),
        ("macos 15.5", "macos", "aarch64", "15.5"),
        ("debian-12", "linux", "x86_64", "12"),
        ("linux", "linux", "x86_64", None),
    ],
)
def test_systems(text: str, os: str, machine: str, version: str | None) -> None:
    system = facts_from_flags(os=text).system
    assert (system.os, system.machine, system.version) == (os, machine, version)


@pytest.mark.parametrize(
    ("text", "libc", "version"),
    [
        ("debian 12", "glibc", "2.36"),
        ("rocky 9.4", "glibc", "2.34"),
        ("ubuntu", "glibc", None),
        ("ubuntu 26.04", "glibc", None),
        ("alpine 3.21", "musl", None),
        ("linux", None, None),
    ],
)
def test_the_libc_of_a_distribution(text: str, libc: str | None, version: str | None) -> None:
    system = facts_from_flags(os=text).system
    assert (system.libc, system.libc_version) == (libc, version)


def test_without_a_system_it_is_the_one_at_hand() -> None:
    here = System(os="linux", machine="x86_64", libc="glibc", libc_version="2.36", kernel="6.1", container="docker")
    system = facts_from_flags(here=here).system
    assert (system.os, system.libc_version) == ("linux", "2.36")
    assert system.kernel is None  # of the machine at hand, not of the one declared
    assert facts_from_flags(here=here, machine="arm64").system.machine == "aarch64"


def test_the_driver_goes_to_the_vendor() -> None:
    assert facts_from_flags(gpus=["gfx1100"], driver="6.10").drivers.amdgpu.version == "6.10"
    assert facts_from_flags(gpus=["Arc B580"], driver="25.1").drivers.intel.compute_runtime == "25.1"
    assert facts_from_flags(gpus=["M2"]).gpus == (Gpu(vendor="apple", name="Apple M2", integrated=True),)


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        ({"gpus": ["RTX 4091"]}, "nearest known: .*4090"),
        ({"gpus": ["none", "RTX 4090"]}, "cannot stand beside"),
        ({"gpus": ["$(x)\n"]}, "no GPU is known"),
        ({"driver": "newest"}, "expected a version such as 535"),
        ({"gpus": ["M1"], "driver": "5"}, "part of macOS"),
        ({"gpus": ["RTX 4090", "gfx1100"], "driver": "5"}, "several vendors"),
        ({"python": "/usr/bin/python3"}, "expected a version such as 3.12"),
        ({"os": "amiga 3"}, "expected windows, macos, linux or one of"),
        ({"os": "a" * 500}, "expected a name"),
    ],
)
def test_flags_that_cannot_be_read(flags: dict[str, object], said: str) -> None:
    with pytest.raises(FlagError, match=said) as caught:
        facts_from_flags(**flags)  # type: ignore[arg-type]
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    ("text", "answer"),
    [("3.12", True), ("3.13t", True), ("3.12.4", True), ("python3.12", False), ("/x/3.12", False), ("3", False)],
)
def test_version_or_path(text: str, answer: bool) -> None:
    assert is_python_version(text) is answer


def test_free_threaded() -> None:
    python = facts_from_flags(python="3.13t").python
    assert (python.version, python.free_threaded) == ("3.13", True)


def test_an_apple_gpu_is_in_a_mac() -> None:
    here = System(os="linux", name="Debian GNU/Linux", version="12", machine="x86_64")
    facts = facts_from_flags(gpus=("M1",), here=here)
    assert (facts.system.os, facts.system.machine, facts.system.version) == ("macos", "aarch64", None)
    assert facts.sources["system"] == "--gpu"
