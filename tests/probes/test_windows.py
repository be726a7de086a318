from __future__ import annotations

from typing import Any

import pytest
from torchdoctor.probes.system import probe
from torchdoctor.probes.windows import parse_wmic_list, windows_name, windows_version

_RUNTIME = "HKLM\\SOFTWARE\\Microsoft\\VisualStudio\\14.0\\VC\\Runtimes\\"


@pytest.mark.parametrize(
    ("version", "product", "name"),
    [
        ("10.0.26100", "Windows 10 Pro", "Windows 11"),  # the registry still calls it 10
        ("10.0.22000", None, "Windows 11"),
        ("10.0.19045", "Windows 10 Home", "Windows 10"),
        ("10.0.20348", "Windows Server 2022 Datacenter", "Windows Server 2022"),
        ("6.3.9600", "Microsoft Windows Server 2012 R2 Standard", "Windows Server 2012 R2"),
        ("6.1.7601", None, "Windows 7"),
        ("11.0.1", None, None),
        ("10.0", None, None),
    ],
)
def test_names(version: str, product: str | None, name: str | None) -> None:
    assert windows_name(version, product) == name


def test_version_from_the_registry() -> None:
    values: dict[str, Any] = {
        "CurrentBuildNumber": "26100",
        "CurrentMajorVersionNumber": 10,
        "CurrentMinorVersionNumber": 0,
    }
    assert windows_version(values) == "10.0.26100"
    assert windows_version({"CurrentBuildNumber": "7601", "CurrentVersion": "6.1"}) == "6.1.7601"
    assert windows_version({"CurrentBuildNumber": "build"}) is None
    assert windows_version({}) is None


@pytest.mark.parametrize(
    ("text", "version", "name"),
    [
        ("OS Name:      Microsoft Windows 11 Pro\nOS Version:   10.0.26100 N/A Build 26100\n", "10.0.26100", "Windows 11"),
        ("Betriebssystemname:  Microsoft Windows 10 Pro\r\nBetriebssystemversion: 10.0.19045 Nicht zutreffend Build 19045\r\n", "10.0.19045", "Windows 10"),
        ("BIOS Version: LENOVO 1.0.5\n", None, None),
    ],
)  # fmt: skip
def test_systeminfo_in_any_language(
    recorded: Any, probed: Any, text: str, version: str | None, name: str | None
) -> None:
    for raw in (text.encode(), text.encode("utf-16")):
        system = probed(probe, recorded(commands={"systeminfo": raw}, system="windows")).system
        assert (system.version, system.name) == (version, name)


def test_wmic_list_is_utf16_and_escaped(recorded: Any, probed: Any) -> None:
    text = "\r\n\r\nBuildNumber=19045\r\nCaption=Microsoft Windows 10 Pro\r\nVersion=10.0.19045\r\nDevice=PCI\\VEN_10DE&amp;DEV_1F06\r\n"
    assert parse_wmic_list(text)["Device"] == "PCI\\VEN_10DE&DEV_1F06"
    machine = recorded(commands={"wmic os get /format:list": text.encode("utf-16")}, system="windows")
    assert probed(probe, machine).system.version == "10.0.19045"


@pytest.mark.parametrize(
    ("environment", "machine", "translated"),
    [
        ({"PROCESSOR_ARCHITECTURE": "AMD64", "PROCESSOR_IDENTIFIER": "Intel64 Family 6 Model 151"}, "x86_64", False),
        ({"PROCESSOR_ARCHITECTURE": "x86", "PROCESSOR_ARCHITEW6432": "AMD64"}, "x86_64", None),
        ({"PROCESSOR_ARCHITECTURE": "AMD64", "PROCESSOR_IDENTIFIER": "ARMv8 (64-bit) Family 8"}, "aarch64", True),
        ({"PROCESSOR_ARCHITECTURE": "ARM64", "PROCESSOR_IDENTIFIER": "ARMv8 (64-bit) Family 8"}, "aarch64", False),
        ({}, None, None),
    ],
)
def test_machine_and_emulation(
    recorded: Any, probed: Any, environment: dict[str, str], machine: str | None, translated: bool | None
) -> None:
    system = probed(probe, recorded(system="windows", environment=environment)).system
    assert (system.machine, system.translated) == (machine, translated)


def test_runtime_library(recorded: Any, probed: Any) -> None:
    def runtime(**manifest: Any) -> str | None:
        found: str | None = probed(probe, recorded(system="windows", **manifest)).system.vc_runtime
        return found

    none: dict[str, Any] = {_RUNTIME + "X64": None, _RUNTIME + "ARM64": None}
    dll = "C:\\Windows\\System32\\vcruntime140_1.dll"
    assert runtime(registry={_RUNTIME + "X64": {"Installed": 1, "Version": "v14.40.33810.00"}}) == "14.40.33810.00"
    assert runtime(registry=none, absent=[dll]) == ""
    assert runtime(registry=none, stat={dll: {}}) == "14"
    assert runtime(registry=none) is None
    assert runtime() is None
