from __future__ import annotations

from typing import Any

import pytest
from torchdoctor.render.words import (
    LABELS,
    accepted_line,
    chosen_command,
    evidence_text,
    group,
    install_title,
    newer_rejected,
    newer_title,
    pick,
    reasons_text,
    recommended_is_installed,
)


def test_values_at_a_path_that_may_not_be_there() -> None:
    data = {"a": {"b": {"c": 1}}, "n": None}
    assert (pick(data, "a.b.c"), pick(data, "a.x.c"), pick(data, "n.b"), pick([], "a")) == (1, None, None, None)
    assert (group(data, "a.b"), group(data, "a.b.c"), group(data, "n")) == ({"c": 1}, {}, {})


def test_every_verdict_has_a_word() -> None:
    assert {v: word for v, (_, word) in LABELS.items()} == {
        "ok": "OK",
        "mismatch": "MISMATCH",
        "blocked": "BLOCKED",
        "unknown": "UNKNOWN",
    }


def test_the_command_that_is_shown() -> None:
    commands = {"pip": "P", "uv": "U", "conda": "C"}
    assert chosen_command({"commands": commands}) == "C"  # asked for beside the usual two
    assert chosen_command({"commands": commands}, "uv") == "U"
    assert chosen_command({"commands": {"pip": "P", "uv": "U"}}, "poetry") == "P"
    assert chosen_command({}) == ""


@pytest.mark.parametrize(
    ("verdict", "installed", "recommended", "title"),
    [
        ("ok", None, "2.15.0", "Install"),
        ("ok", "2.14.1+cu126", "2.14.1", "Installed already, the newest that works here:"),
        ("mismatch", "2.14.1+cu126", "2.14.1", "The best build here, installed already:"),
        ("ok", "2.13.0+cu126", "2.14.1", "The newest that works here is"),
        ("blocked", None, "2.15.0", "Once that is done, install"),
        ("mismatch", "2.15.0+cu132", "2.14.1", "Install"),
    ],
)
def test_what_a_command_is_good_for(verdict: str, installed: str | None, recommended: str, title: str) -> None:
    variant = installed.partition("+")[2] if installed else None
    report = {
        "verdict": verdict,
        "facts": {"torch": {"version": installed, "variant": variant}},
        "recommendation": {"torch": recommended, "variant": "cu126"},
        "findings": [{"severity": "blocker", "about": "machine"}] if verdict == "blocked" else [],
    }
    assert install_title(report) == title
    assert recommended_is_installed(report) == (installed == f"{recommended}+cu126")


def _candidate(torch: str, variant: str, *reasons: str, accepted: bool = False, unknown: tuple[str, ...] = ()) -> Any:
    return {"torch": torch, "variant": variant, "accepted": accepted, "reasons": reasons, "unknown": unknown}


def test_why_the_newer_ones_were_rejected() -> None:
    report = {
        "recommendation": {"torch": "2.12.1"},
        "candidates": [
            _candidate("2.15.0", "cu132", "driver-too-old"),
            _candidate("2.15.0", "xpu", "xpu-gpu-unsupported"),
            _candidate("2.15.0", "cpu", accepted=True),
            _candidate("2.14.1", "cu130", "driver-too-old"),
            _candidate("2.14.0", "cu130", "python-unsupported"),  # an older patch of a line that was told
            _candidate("2.13.0", "cu130", "driver-too-old"),
            _candidate("2.12.1", "cu126", accepted=True),
            _candidate("2.11.0", "cu126", accepted=True),
        ],
    }
    found = newer_rejected(report)
    assert found == [
        ("2.15.0", [("cu132", "driver-too-old"), ("xpu", "xpu-gpu-unsupported")]),
        ("2.13.0–2.14.1", [("", "driver-too-old")]),
    ]
    assert reasons_text(found[0][1]) == "cu132: driver-too-old; xpu: xpu-gpu-unsupported"
    assert reasons_text(found[1][1]) == "driver-too-old"


def test_what_was_missing_counts_where_nothing_is_proved() -> None:
    unknown = [_candidate("2.15.0", "cu132", unknown=("drivers.nvidia.version",)), _candidate("2.15.0", "cpu")]
    assert newer_rejected({"candidates": unknown}) == [("2.15.0", [("cu132", "drivers.nvidia.version not known")])]
    assert newer_rejected({"candidates": unknown[1:]}) == [("2.15.0", [("cpu", "not judged")])]
    assert newer_rejected({}) == []
    assert (newer_title({"recommendation": {"torch": "1"}}), newer_title({"recommendation": None})) == (
        "Why not a newer release",
        "Why none works",
    )


def test_lines_of_a_report() -> None:
    packages = {"torch": "2.14.1", "torchvision": "0.29.1", "torchaudio": "2.11.1"}
    build = {"torch": "2.14.1", "variant": "cu126"}
    assert (
        accepted_line({**build, "packages": packages})
        == "torch 2.14.1 (cu126) with torchvision 0.29.1 and torchaudio 2.11.1"
    )
    assert accepted_line(build) == "torch 2.14.1 (cu126)"
    assert evidence_text({"fact": "a.b", "value": "x\x1b[31m"}) == r"a.b = x\x1b[31m"
    assert evidence_text({"fact": "a.b", "value": None}) == "a.b is not there"
    assert evidence_text({"fact": "a.b", "value": ""}) == "a.b = (empty)"


@pytest.mark.parametrize(
    ("verdict", "about", "variant", "title"),
    [
        ("blocked", "machine", "cpu", "Once that is done, install"),
        ("blocked", "installed", "cu126", "Once that is done, install"),
        ("blocked", "installed", "cpu", "For the machine as it is, install"),
        ("blocked", "request", "cu126", "For the machine as it is, install"),
        ("unknown", "machine", "cpu", "As far as is known, install"),
    ],
)
def test_a_build_that_the_fix_does_not_lead_to(verdict: str, about: str, variant: str, title: str) -> None:
    report = {
        "verdict": verdict,
        "recommendation": {"torch": "2.15.0", "variant": variant},
        "findings": [{"severity": "blocker", "about": about}],
    }
    assert install_title(report) == title
