from __future__ import annotations

from collections.abc import Callable

import pytest
from torchdoctor.probes.facts import Facts

FactsOf = Callable[[str], Facts]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("I have an RTX 4090 and it does not work", ["RTX 4090"]),
        ("laptop: RTX 3060", ["RTX 3060"]),
        ("AMD Radeon RX 7900 XTX here", ["Radeon RX 7900 XTX"]),
        ("see https://example.invalid/RTX-4090", None),
        ("hey, I followed https://example.invalid/install on my RTX 5080 laptop and it fails", ["RTX 5080"]),
        ("does what https://example.invalid/rtx-5090-is-not-working says about cards apply here too?", None),
        ("* [see](https://example.invalid/1) what they changed for the RTX 4090 in this release", None),
        ("upgraded from a 3060 to a 5080, same torch", ["5080"]),
        ("I replaced my GTX 1080 with a new RTX 4070 yesterday", ["RTX 4070"]),
        ("iv got my 5090 , not working", ["5090"]),
        ("it takes a 3050 ms step", None),
        ("line 3060 to 5080 of the log", None),
        ("my B580 has no torch+xpu", ["B580"]),
        ("the B580 of this plan", None),
        ("6700 XT on fedora", ["6700 XT"]),
        ("7900 steps and 6600 XXL shirts", None),
        ("I did say so :( and the card is an RTX A2000", ["RTX A2000"]),
        ("tried on colab pro with a V100 16GB: it fails", ["V100"]),
        ("so I asked for it: RTX 3060", ["RTX 3060"]),
        ("supported cards: RTX 3060", None),
        ("I print 2x A4 pages and 4x 30 images", None),
        ('  File "/x/site-packages/rtx4090.py", line 3', None),
        ("Downloading RTX 4090 drivers", None),
    ],
)
def test_gpus_in_a_sentence(facts_of: FactsOf, text: str, names: list[str] | None) -> None:
    found = facts_of(text).gpus
    assert (None if found is None else [n for g in found for n in names or () if n in (g.name or "")]) == names


@pytest.mark.parametrize(
    ("text", "name", "count"),
    [
        ("our node: 4x P100 16GB", "P100", 4),
        ("We have DGX-1 with 8x V100 32GB", "V100", 8),
        ("2x 3090 here", "3090", 2),
    ],
)
def test_counted_cards_need_no_other_word(facts_of: FactsOf, text: str, name: str, count: int) -> None:
    assert [name in (g.name or "") for g in facts_of(text).gpus or ()] == [True] * count


def test_a_sentence_that_compares_cards_lists_no_machine(facts_of: FactsOf) -> None:
    long = (
        "The wheels for the RTX 4090 work for me but people report that those for the RTX 5090 are still missing there"
    )
    assert facts_of(long).gpus is None


@pytest.mark.parametrize(
    ("text", "os", "machine", "wsl"),
    [
        ("Ubuntu 22.04 on WSL2", "linux", None, 2),
        ("Windows 11", "windows", None, None),
        ("Windows on ARM, Snapdragon X", "windows", "aarch64", None),
        ("Raspberry Pi OS 32-bit", "linux", "armv7l", None),
        ("an Intel MacBook with macOS 13", "macos", "x86_64", None),
        ("wheels for Windows are missing", None, None, None),
        ("nothing of interest", None, None, None),
    ],
)
def test_the_system_in_a_sentence(
    facts_of: FactsOf, text: str, os: str | None, machine: str | None, wsl: int | None
) -> None:
    system = facts_of(text).system
    assert (system.os, system.machine, system.wsl) == (os, machine, wsl)


def test_a_driver_that_is_named(facts_of: FactsOf) -> None:
    assert facts_of("RTX 3060 with driver 535.183").drivers.nvidia.version == "535.183"
    assert facts_of("the driver is fine").drivers.nvidia.version is None


def test_what_a_tool_measured_outranks_what_a_person_typed(facts_of: FactsOf) -> None:
    facts = facts_of("I use Ubuntu 20.04\nLinux box 6.8.0-45-generic #45 SMP x86_64 GNU/Linux\nldd (GNU libc) 2.39\n")
    assert (facts.system.kernel, facts.system.libc_version) == ("6.8.0-45-generic", "2.39")


def test_the_version_of_a_compiler_is_not_the_systems(facts_of: Callable[[str], Facts]) -> None:
    for line in (
        "GCC version:  gcc version 5.4.0 20160609 (Ubuntu 5.4.0-6ubuntu1~16.04.9)",
        "Linux version 5.15.0-91-generic (buildd@host) (gcc (Ubuntu 11.4.0-1ubuntu1~22.04) 11.4.0, GNU ld 2.38) #101-Ubuntu SMP",
    ):
        assert facts_of(line).system.version is None


@pytest.mark.parametrize(
    ("text", "os", "name", "version"),
    [
        ("Win10, GTX1650", "windows", "Windows", "10"),
        ("on win 11 here", "windows", "Windows", "11"),
        ("Ubuntu2404 python3.13", "linux", "Ubuntu", "24.04"),
        ("CentOS7.9", "linux", "CentOS Linux", "7.9"),
        ("macOS14.4 (ARM)", "macos", "macOS", "14.4"),
        ("dpkg -i cuda-repo-ubuntu2204-12-4-local.deb", None, None, None),
        ("we win 1000 games", None, None, None),
    ],
)
def test_systems_with_their_number_glued(
    facts_of: FactsOf, text: str, os: str | None, name: str | None, version: str | None
) -> None:
    system = facts_of(text).system
    assert (system.os, system.name, system.version) == (os, name, version)


def test_a_driver_in_a_line_with_a_label(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of("my card: RTX 4070 Super, driver 572.83, Windows 11\n")
    assert facts.drivers.nvidia.version == "572.83" and facts.gpus is not None and facts.gpus[0].vendor == "nvidia"


def test_the_macos_that_metal_needs_is_no_systems_version(facts_of: Callable[[str], Facts]) -> None:
    text = (
        "RuntimeError: The MPS backend is supported on MacOS 14.0+. Current OS version can be queried using `sw_vers`\n"
    )
    assert facts_of(text).system.version is None
    assert facts_of(text + "M1 Pro, macOS 13.6.9\n").system.version == "13.6.9"


def test_a_sentence_that_quotes_an_error_has_no_label(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of('Getting "RuntimeError: no kernel image" with a fresh RTX 5060 laptop.\n')
    assert facts.gpus is not None and facts.gpus[0].name == "RTX 5060"
