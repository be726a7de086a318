from __future__ import annotations

import pytest
from packaging.markers import Marker
from torchdoctor.matrix.markers import holds
from torchdoctor.probes.profile import facts_from_mapping

LINUX = facts_from_mapping({"system": {"os": "linux", "machine": "aarch64"}, "python": {"version": "3.12.4"}})
WINDOWS = facts_from_mapping({"system": {"os": "windows", "machine": "x86_64"}, "python": {"version": "3.9.1"}})
MAC = facts_from_mapping({"system": {"os": "macos", "machine": "aarch64"}, "python": {"version": "3.12.4"}})


@pytest.mark.parametrize(
    ("marker", "linux", "windows", "mac"),
    [
        ("sys_platform == 'linux'", True, False, False),
        ("platform_system == 'Windows'", False, True, False),
        ("sys_platform == 'darwin' and platform_machine == 'arm64'", False, False, True),
        ("platform_machine == 'AMD64'", False, True, False),
        ("platform_machine == 'aarch64'", True, False, False),
        ("python_version >= '3.10'", True, False, True),
        ("os_name == 'nt'", False, True, False),
        ("implementation_name == 'cpython'", True, True, True),
        ("extra == 'gpu'", False, False, False),
        ("no marker at all (", False, False, False),
    ],
)
def test_markers_are_answered_for_the_machine_that_is_judged(
    marker: str, linux: bool, windows: bool, mac: bool
) -> None:
    assert (holds(marker, LINUX), holds(marker, WINDOWS), holds(marker, MAC)) == (linux, windows, mac)


def test_what_is_not_known_does_not_hold() -> None:
    nothing = facts_from_mapping({})
    assert not holds("sys_platform == 'linux'", nothing)
    no_machine = facts_from_mapping({"system": {"os": "linux"}})
    assert holds("sys_platform == 'linux'", no_machine)
    assert not holds("platform_machine != 'x86_64'", no_machine)
    assert not holds("python_version < '4'", no_machine)


@pytest.mark.parametrize("name", ["sys_platform", "platform_system", "platform_machine", "os_name"])
@pytest.mark.parametrize("operator", ["==", "!="])
@pytest.mark.parametrize("value", ["linux", "Linux", "win32", "darwin", "x86_64", "arm64", "posix", ""])
def test_one_comparison_of_words_is_answered_like_the_library_does(name: str, operator: str, value: str) -> None:
    for facts, environment in (
        (
            LINUX,
            {"sys_platform": "linux", "platform_system": "Linux", "platform_machine": "aarch64", "os_name": "posix"},
        ),
        (MAC, {"sys_platform": "darwin", "platform_system": "Darwin", "platform_machine": "arm64", "os_name": "posix"}),
    ):
        for text in (f"{name} {operator} '{value}'", f'{name}{operator}"{value}"'):
            assert holds(text, facts) == Marker(text).evaluate(environment)
