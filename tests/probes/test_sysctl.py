"""System values, asked or printed."""

from __future__ import annotations

from typing import Any

from torchdoctor.probes.sysctl import Sysctl, parse_sysctl


def test_lines() -> None:
    text = "hw.memsize: 17179869184\nkern.version: Darwin: 21\nmachdep.cpu.brand_string:\nnot a line\nhw.ncpu=8\n"
    assert parse_sysctl(text) == {
        "hw.memsize": "17179869184",
        "kern.version": "Darwin: 21",
        "machdep.cpu.brand_string": "",
        "hw.ncpu": "8",
    }


def test_a_value_goes_before_what_was_printed(recorded: Any) -> None:
    host = recorded(
        commands={"sysctl -a": "hw.memsize: 1\nhw.model: Mac14,2"}, system="macos", values={"sysctl:hw.memsize": 2}
    )
    sysctl = Sysctl(host)
    assert (sysctl.text("hw.memsize"), sysctl.text("hw.model"), sysctl.text("hw.none")) == ("2", "Mac14,2", None)


def test_one_name(recorded: Any) -> None:
    assert Sysctl(recorded(commands={"sysctl -n hw.model": "Mac15,3\n"}, system="macos")).text("hw.model") == "Mac15,3"


def test_flags(recorded: Any) -> None:
    sysctl = Sysctl(recorded(system="macos", values={"sysctl:a.b": 1, "sysctl:a.c": 0, "sysctl:a.d": 7}))
    assert [sysctl.flag(f"a.{x}") for x in "bcde"] == [True, False, None, None]
