from __future__ import annotations

from typing import Any

import pytest
from torchdoctor.probes.draft import Draft
from torchdoctor.probes.libc import parse_ldd, parse_loader, probe_libc

_GLIBC_SH = b"\x7fELF\2\1\1\0" + b"\0" * 700 + b"\0/lib64/ld-linux-x86-64.so.2\0"
_MUSL_SH = b"\x7fELF\2\1\1\0" + b"\0" * 700 + b"\0/lib/ld-musl-aarch64.so.1\0"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("ldd (Debian GLIBC 2.36-9+deb12u14) 2.36\nCopyright (C) 2022", ("glibc", "2.36")),
        ("ldd (GNU libc) 2.28\n", ("glibc", "2.28")),
        ("ldd (Ubuntu GLIBC 2.39-0ubuntu8.3) 2.39\n", ("glibc", "2.39")),
        ("glibc 2.17\n", ("glibc", "2.17")),
        ("musl libc (x86_64)\nVersion 1.2.3\nDynamic Program Loader\n", ("musl", "1.2.3")),
        ("musl libc (x86_64)\r\nVersion 1.2.5\r\n", ("musl", "1.2.5")),
        ("ldd: command not found", (None, None)),
        ("", (None, None)),
    ],
)
def test_what_prints_it(text: str, found: tuple[str | None, str | None]) -> None:
    assert parse_ldd(text) == found


def test_loader_of_a_program() -> None:
    assert parse_loader(_GLIBC_SH) == "/lib64/ld-linux-x86-64.so.2"
    assert parse_loader(_MUSL_SH) == "/lib/ld-musl-aarch64.so.1"
    assert parse_loader(b"#!/bin/sh\n") is None
    assert parse_loader(b"\x7fELF" + b"\0" * 60) is None


def probe(host: Any, draft: Draft, deadline: float) -> None:  # the fixture hands over what a probe takes
    probe_libc(host, draft, deadline)


def test_the_shell_decides_where_both_loaders_are(recorded: Any, probed: Any) -> None:
    listings = {"/lib": ["ld-linux-x86-64.so.2", "ld-musl-x86_64.so.1"]}
    files = {"/bin/sh": _MUSL_SH}
    both = recorded(
        files, {"/lib/ld-musl-aarch64.so.1": (1, b"", b"musl libc (aarch64)\nVersion 1.2.5\n")}, listings=listings
    )
    facts = probed(probe, both)
    assert (facts.system.libc, facts.system.libc_version) == ("musl", "1.2.5")
    # An interpreter of its own libc answers confstr on a machine of the other.
    facts = probed(probe, recorded({"/bin/sh": _GLIBC_SH}, {"getconf GNU_LIBC_VERSION": "glibc 2.35\n"}, absent=[]))
    assert (facts.system.libc, facts.system.libc_version) == ("glibc", "2.35")


def test_confstr_of_a_glibc_process(recorded: Any, probed: Any) -> None:
    facts = probed(probe, recorded({"/bin/sh": _GLIBC_SH}, values={"glibc": "2.39"}))
    assert (facts.system.libc, facts.system.libc_version, facts.source("system.libc")) == ("glibc", "2.39", "confstr")


def test_nothing_recorded_is_unknown(recorded: Any, probed: Any) -> None:
    facts = probed(probe, recorded())
    assert (facts.system.libc, facts.system.libc_version) == (None, None)
    assert "not recorded" in facts.unknown["system.libc_version"]
    # A loader beside another one proves nothing.
    assert probed(probe, recorded(listings={"/lib": ["ld-linux.so.2", "ld-musl-x86_64.so.1"]})).system.libc is None
    assert probed(probe, recorded(listings={"/lib": ["ld-musl-x86_64.so.1"]})).system.libc == "musl"
