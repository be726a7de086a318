from __future__ import annotations

from typing import Any

import pytest
from torchdoctor.matrix.platforms import platforms_of
from torchdoctor.probes.profile import facts_from_mapping


@pytest.mark.parametrize(
    ("system", "python", "platform"),
    [
        ({"os": "linux", "machine": "x86_64"}, {}, "linux_x86_64"),
        ({"os": "linux", "machine": "aarch64"}, {}, "linux_aarch64"),
        ({"os": "windows", "machine": "AMD64"}, {}, "windows_amd64"),
        ({"os": "windows", "machine": "ARM64"}, {}, "windows_arm64"),
        ({"os": "macos", "machine": "arm64"}, {}, "macos_arm64"),
        ({"os": "macos", "machine": "arm64"}, {"machine": "x86_64"}, "macos_x86_64"),  # the interpreter decides
        ({"os": "windows", "machine": "arm64"}, {"machine": "AMD64"}, "windows_amd64"),
    ],
)
def test_one_platform(system: dict[str, Any], python: dict[str, Any], platform: str) -> None:
    found = platforms_of(facts_from_mapping({"system": system, "python": python}))
    assert found.possible == (platform,)
    assert found.unknown == ()


@pytest.mark.parametrize("machine", ["ppc64le", "riscv64", "i686", "armv7l"])
def test_no_build_was_ever_published(machine: str) -> None:
    assert platforms_of(facts_from_mapping({"system": {"os": "linux", "machine": machine}})).possible == ()


def test_another_system_has_none() -> None:
    assert platforms_of(facts_from_mapping({"system": {"os": "freebsd"}})).possible == ()


def test_what_is_not_known_leaves_several() -> None:
    found = platforms_of(facts_from_mapping({"system": {"os": "windows"}}))
    assert found.possible == ("windows_amd64", "windows_arm64")
    assert found.unknown == ("system.machine",)
    found = platforms_of(facts_from_mapping({"system": {"machine": "x86_64"}}))
    assert found.possible == ("linux_x86_64", "windows_amd64", "macos_x86_64")
    assert found.unknown == ("system.os",)
