from __future__ import annotations

from collections.abc import Callable

import pytest
from torchdoctor.probes.facts import Facts
from torchdoctor.probes.reports.machine_words import (
    hardware_words,
    l4t_of_kernel,
    put_jetson,
    put_platform,
    put_python,
    put_system,
)
from torchdoctor.probes.reports.reading import PRINTED, Reading, open_reading


def _facts(put: Callable[..., object], value: str, *, before: str | None = None) -> Facts:
    reading: Reading = open_reading(value)
    if before:
        reading.put("python.version", before, 0, PRINTED)
    put(reading, 0, value, PRINTED)
    return reading.draft.build()


def test_systems_by_name() -> None:
    facts = _facts(put_system, "Ubuntu 22.04.3 LTS (x86_64)")
    assert (facts.system.os, facts.system.name, facts.system.version) == ("linux", "Ubuntu", "22.04.3")
    assert _facts(put_system, "Alpine Linux v3.19").system.libc == "musl"
    assert put_system(open_reading("x"), 0, "a fine day", PRINTED) is False


@pytest.mark.parametrize(("python", "libc"), [("3.12.1", "2.35"), ("3.8.10", None), (None, None)])
def test_a_platform_string_tells_the_libc_only_where_it_was_asked(python: str | None, libc: str | None) -> None:
    facts = _facts(put_platform, "Linux-5.15.0-91-generic-x86_64-with-glibc2.35", before=python)
    assert (facts.system.os, facts.system.machine, facts.system.libc_version) == ("linux", "x86_64", libc)


def test_what_an_old_sdk_is_told_is_no_version() -> None:
    assert _facts(put_platform, "macOS-15.1-arm64-arm-64bit").system.version == "15.1"
    assert _facts(put_platform, "macOS-10.16-x86_64-i386-64bit").system.version is None


@pytest.mark.parametrize(
    ("text", "version", "free_threaded", "machine"),
    [
        ("3.13.0 experimental free-threading build (main, Oct 2024) [GCC 13]", "3.13.0", True, None),
        ("3.12.4 (tags/v3.12.4:8e8a4ba) [MSC v.1940 64 bit (AMD64)]", "3.12.4", None, "x86_64"),
        ("3.12", "3.12", None, None),
        ("nonsense", None, None, None),
    ],
)
def test_interpreters(text: str, version: str | None, free_threaded: bool | None, machine: str | None) -> None:
    python = _facts(put_python, text).python
    assert (python.version, python.free_threaded or None, python.machine) == (version, free_threaded, machine)


@pytest.mark.parametrize(
    ("text", "release"),
    [
        ("L4T 36.4.3", "36.4.3"),
        ("# R35 (release), REVISION: 4.1", "35.4.1"),
        ("JetPack 6.2", "36"),
        ("JetPack 9", None),
        ("a jet", None),
    ],
)
def test_boards_by_their_release(text: str, release: str | None) -> None:
    facts = _facts(put_jetson, text)
    assert facts.system.jetson == release


def test_machines_whose_name_settles_more_than_it_says() -> None:
    mac = _facts(hardware_words, "MacBook Pro M3 Max")
    assert (mac.cpu.model, mac.system.machine, mac.system.os) == ("Apple M3 Max", "aarch64", "macos")
    assert _facts(hardware_words, "Raspberry Pi 5").cpu.model == "Raspberry Pi 5"
    assert _facts(hardware_words, "a BMW M3").cpu.model is None


def test_kernels_that_ship_with_a_release() -> None:
    assert (l4t_of_kernel("5.15.148-tegra"), l4t_of_kernel("6.6.1")) == ("36", None)


@pytest.mark.parametrize(
    ("text", "model"),
    [
        ("apple silicon mac mini (m4)", "Apple M4"),
        ("macbook pro m1 pro with macos 13.2", "Apple M1 Pro"),
        ("my m3 max macbook pro", "Apple M3 Max"),
        ("M2 macbook", "Apple M2"),
        ("an M2 SSD in my mac mini of 2018", None),
        ("an M.2 disk for the imac", None),
        ("m1 in a machine of mine", None),
    ],
)
def test_macs_in_any_order_and_case(text: str, model: str | None) -> None:
    facts = _facts(hardware_words, text)
    assert facts.cpu.model == model
    assert facts.system.os == ("macos" if model else None)
