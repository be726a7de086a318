"""The tags of a declared machine are those its own interpreter would give."""

from __future__ import annotations

import pytest
from torchdoctor.installers import InstallerError
from torchdoctor.probes.facts import Python, System
from torchdoctor.tags import abi, foreign_options, platforms


def test_linux_tags_from_its_glibc_down() -> None:
    found = platforms(System(os="linux", machine="x86_64", libc="glibc", libc_version="2.18"))
    assert found[:3] == ["manylinux_2_18_x86_64", "manylinux_2_17_x86_64", "manylinux2014_x86_64"]
    assert found[-3:] == ["manylinux_2_5_x86_64", "manylinux1_x86_64", "linux_x86_64"]
    assert len(found) == len(set(found)) == (18 - 5 + 1) + 3 + 1


def test_linux_tags_are_all_known_to_packaging() -> None:
    import platform

    from packaging.tags import sys_tags

    libc, version = platform.libc_ver()
    if libc != "glibc" or platform.machine() != "x86_64":
        pytest.skip("the tags of this interpreter are not those of glibc on x86_64")
    mine = platforms(System(os="linux", machine="x86_64", libc="glibc", libc_version=version))
    theirs = list(dict.fromkeys(t.platform for t in sys_tags() if t.platform != "any"))
    assert mine[:-1] == [t for t in theirs if t != "linux_x86_64"]


@pytest.mark.parametrize(
    ("system", "tag"),
    [
        (System(os="windows", machine="x86_64"), "win_amd64"),
        (System(os="windows", machine="aarch64"), "win_arm64"),
        (System(os="macos", machine="aarch64", version="15.5"), "macosx_15_0_arm64"),
        (System(os="macos", machine="x86_64", version="13.6"), "macosx_13_0_x86_64"),
        (System(os="macos", machine="x86_64", version="10.15.7"), "macosx_10_15_x86_64"),
    ],
)
def test_other_systems(system: System, tag: str) -> None:
    assert platforms(system) == [tag]


@pytest.mark.parametrize(
    "system",
    [
        System(),
        System(os="linux", machine="x86_64"),
        System(os="linux", machine="x86_64", libc="musl", libc_version="1.2"),
        System(os="linux", machine="x86_64", libc="glibc", libc_version="new"),
        System(os="macos", machine="aarch64"),
        System(os="windows"),
    ],
)
def test_what_is_not_known_has_no_tags(system: System) -> None:
    with pytest.raises(InstallerError, match="not all are known"):
        platforms(system)


def test_abi() -> None:
    assert abi(Python(version="3.12.4")) == "cp312"
    assert abi(Python(version="3.13.2", free_threaded=True)) == "cp313t"
    with pytest.raises(InstallerError, match=r"python\.version"):
        abi(Python())


def test_options_for_pip() -> None:
    line = foreign_options(System(os="windows", machine="x86_64"), Python(version="3.12.4"))
    assert line == [
        "--platform",
        "win_amd64",
        "--python-version",
        "3.12",
        "--implementation",
        "cp",
        "--abi",
        "cp312",
        "--only-binary=:all:",
    ]
