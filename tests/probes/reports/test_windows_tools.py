from __future__ import annotations

from collections.abc import Callable

import pytest
from torchdoctor.probes.facts import Facts


def test_nvidias_driver_in_a_version_of_windows(facts_of: Callable[[str], Facts]) -> None:
    table = "Name                       DriverVersion\n----                       -------------\nNVIDIA GeForce RTX 4090    {}\nIntel(R) UHD Graphics 770  31.0.101.5590\n"
    facts = facts_of(table.format("32.0.15.8129"))
    assert (facts.drivers.nvidia.version, facts.system.os) == ("581.29", "windows")
    assert facts_of(table.format("10.0.19041.1")).drivers.nvidia.version is None


@pytest.mark.parametrize(
    ("text", "version"),
    [
        (
            "Card name: NVIDIA GeForce RTX 2060\nDriver File Version: 31.00.0015.3742 (English)\nDriver Version: 31.0.15.3742\n",
            "537.42",
        ),
        ("DriverVersion=27.21.14.6137\nName=NVIDIA GeForce GTX 1650\n", "461.37"),
        ("Name: NVIDIA RTX A2000\nDriverVersion : 32.0.15.7628\n", "576.28"),
        ("Name: NVIDIA T600\nDriverVersion=31.0.15.3742\nDriverVersion=32.0.15.7628\n", None),
        ("Card name: AMD Radeon RX 6600\nDriver Version: 31.0.21912.14\nbeside NVIDIA things\n", None),
    ],
)
def test_the_driver_where_windows_tools_show_it(
    facts_of: Callable[[str], Facts], text: str, version: str | None
) -> None:
    assert facts_of(text).drivers.nvidia.version == version


@pytest.mark.parametrize(
    ("text", "machine"),
    [
        ("PROCESSOR_ARCHITECTURE=AMD64\nPROCESSOR_ARCHITEW6432=ARM64\n", "aarch64"),
        (
            "PROCESSOR_ARCHITECTURE=AMD64\nPROCESSOR_IDENTIFIER=ARMv8 (64-bit) Family 8 Model 1 Revision 201, Qualcomm Technologies Inc\n",
            "aarch64",
        ),
        ("PS> (Get-CimInstance Win32_OperatingSystem).OSArchitecture\nARM 64-bit Processor\n", "aarch64"),
        ("[01]: AMD64 Family 25 Model 97 Stepping 2 AuthenticAMD ~4501 MHz\n", "x86_64"),
        ("Intel64 Family 6 Model 142 Stepping 12, GenuineIntel\n", "x86_64"),
    ],
)
def test_the_machine_under_the_process(facts_of: Callable[[str], Facts], text: str, machine: str) -> None:
    facts = facts_of(text)
    assert (facts.system.os, facts.system.machine) == ("windows", machine)


def test_words_about_families_are_no_processor(facts_of: Callable[[str], Facts]) -> None:
    assert facts_of("the ARM family of boards, model family 8\n").system.os is None
