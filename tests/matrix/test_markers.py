from __future__ import annotations

import pytest
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
