from __future__ import annotations

from typing import Any

import pytest
from torchdoctor.probes.macos import parse_system_version
from torchdoctor.probes.system import (
    probe,
)


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("<key>ProductVersion</key>\n\t<string>26.1</string>", "26.1"),
        ("ProductName:\tmacOS\nProductVersion:\t15.6.1\nBuildVersion:\t24G90\n", "15.6.1"),
        ("14.7\n", "14.7"),
        ("macOS", None),
    ],
)
def test_system_version(text: str, version: str | None) -> None:
    assert parse_system_version(text) == version


def test_an_old_sdk_is_shown_a_masked_version(recorded: Any, probed: Any) -> None:
    masked = recorded(
        system="macos",
        values={"sysctl:kern.osproductversion": "16.0"},
        commands={"sw_vers -productVersion": "26.2\n"},
    )
    facts = probed(probe, masked)
    assert (facts.system.version, facts.source("system.version")) == ("26.2", "sw_vers -productVersion")


@pytest.mark.parametrize("mask", ["10.16", "16.0", "25.1"])
def test_a_mask_alone_is_no_version(recorded: Any, probed: Any, mask: str) -> None:
    facts = probed(probe, recorded(system="macos", values={"sysctl:kern.osproductversion": mask}))
    assert facts.system.version is None
    assert "old programs" in facts.unknown["system.version"]


def test_rosetta_shows_another_machine(recorded: Any, probed: Any) -> None:
    values = {"sysctl:sysctl.proc_translated": 1, "uname.machine": "x86_64", "sysctl:kern.osproductversion": "15.1"}
    facts = probed(probe, recorded(system="macos", values=values))
    assert (facts.system.machine, facts.system.translated, facts.system.version) == ("aarch64", True, "15.1")


def test_the_file_of_the_system_where_no_sysctl_answers(recorded: Any, probed: Any) -> None:
    plist = "/System/Library/CoreServices/SystemVersion.plist"
    host = recorded({plist: "<key>ProductVersion</key>\n<string>15.2</string>"}, system="macos")
    facts = probed(probe, host)
    assert (facts.system.version, facts.source("system.version")) == ("15.2", plist)
    # A recording in which nobody looked does not say that nothing is translated.
    assert facts.system.translated is None
