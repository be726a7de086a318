from __future__ import annotations

import re
from typing import Any

import pytest
from torchdoctor.render.text import render_text

PIP = "pip install torch==2.14.1 torchvision==0.29.1 --index-url https://download.pytorch.org/whl/cu126"


def test_the_usual_case_fits_80_columns_and_40_lines(report: dict[str, Any]) -> None:
    lines = render_text(report).splitlines()
    assert len(lines) <= 40
    assert [line for line in lines if len(line) > 80] == [PIP]


@pytest.mark.parametrize("width", [60, 80, 200])
def test_only_the_command_may_pass_the_width(report: dict[str, Any], width: int) -> None:
    wider = {line for line in render_text(report, width=width, verbose=True).splitlines() if len(line) > width}
    assert wider <= {PIP}


def test_the_command_stands_alone_at_the_left_edge(report: dict[str, Any]) -> None:
    lines = render_text(report, width=60).splitlines()
    at = lines.index(PIP)
    assert lines[at - 1] == lines[at + 1] == ""


def test_verdict_machine_findings_command_reasons_in_that_order(report: dict[str, Any]) -> None:
    text = render_text(report)
    marks = [
        "✗ MISMATCH",
        "System   Ubuntu 24.04",
        "✗ blocker  driver-too-old",
        "· note  same-major",
        PIP,
        "Why not a newer",
    ]
    places = [text.index(mark) for mark in marks]
    assert places == sorted(places)
    assert "2.15.0  cu132, cu134: driver-too-old" in text
    assert "To go further  driver 580 or newer" in text


def test_evidence_names_its_source_and_an_empty_or_absent_value(report: dict[str, Any]) -> None:
    text = render_text(report, verbose=True)
    assert "seen drivers.nvidia.version = 535.183.01  ← /sys/module/nvidia/version" in text
    assert "environment.CUDA_VISIBLE_DEVICES = (empty)" in text
    assert "devices./dev/nvidia0 is not there" in text


def test_long_evidence_is_cut_without_v(report: dict[str, Any]) -> None:
    assert "and 1 more (-v)" in render_text(report)
    assert "more (-v)" not in render_text(report, verbose=True)


def test_v_lists_every_fact_with_its_source(report: dict[str, Any]) -> None:
    text = render_text(report, verbose=True, width=120)
    assert "  gpus[0].compute_capability = 8.9  ← /sys/bus/pci/devices" in text
    assert "? runtimes.level_zero: not looked for" in text


def test_v_lists_the_time_of_every_probe(report: dict[str, Any]) -> None:
    text = render_text(report, verbose=True, timings={"nvidia": 0.0123, "cpu": 1.5})
    assert re.search(r"nvidia +12 ms\n +cpu +1500 ms", text)
    assert "Probes" not in render_text(report, timings={"nvidia": 0.0123})


def test_q_is_one_line(report: dict[str, Any]) -> None:
    text = render_text(report, quiet=True, width=40)
    assert text.count("\n") == 1
    assert text == f"✗ MISMATCH {report['summary']}\n"


def test_colour_repeats_and_never_replaces_words(report: dict[str, Any]) -> None:
    coloured = render_text(report, color=True)
    assert "\x1b[1;31m✗ blocker\x1b[0m" in coloured
    assert re.sub(r"\x1b\[[\d;]*m", "", coloured) == render_text(report)


def test_ascii_streams_get_ascii(report: dict[str, Any]) -> None:
    report["facts"]["gpus"][0]["name"] = "Karte für 漢字"
    text = render_text(report, ascii=True, verbose=True)
    assert text.isascii()
    assert "x blocker" in text and "f\\xfcr \\u6f22" in text


def test_escapes_in_facts_never_reach_the_terminal(hostile: dict[str, Any]) -> None:
    text = render_text(hostile, verbose=True)
    assert "\x1b" not in text and "\x07" not in text and "\u202e" not in text
    assert "\\x1b[31mred" in text


def test_unknown_says_what_is_missing(report: dict[str, Any]) -> None:
    report |= {"verdict": "unknown", "findings": [], "recommendation": None, "candidates": []}
    report["unknown"] = {f"fact.{n}": "did not answer" for n in range(6)}
    text = render_text(report)
    assert text.startswith("? UNKNOWN")
    assert "fact.3: did not answer" in text and "fact.4" not in text and "and 2 more (-v)" in text
    assert "Install" not in text


def test_what_is_installed_already_is_not_asked_for_again(report: dict[str, Any]) -> None:
    report["facts"]["torch"] |= {"version": "2.14.1", "variant": "cu126"}
    report |= {"verdict": "ok", "findings": []}
    text = render_text(report)
    assert "Installed already, the newest that works here: torch 2.14.1 (cu126)" in text and PIP in text
    assert "explain" not in text


def test_the_command_of_the_installer_asked_for(report: dict[str, Any]) -> None:
    report["recommendation"]["commands"]["poetry"] = "poetry source add pytorch\npoetry add torch"
    lines = render_text(report, installer="poetry").splitlines()
    assert lines[lines.index("poetry source add pytorch") + 1] == "poetry add torch"
    assert "uv pip install" in render_text(report, installer="uv")


def test_the_alternative_is_offered_beside_nothing(report: dict[str, Any]) -> None:
    report["alternative"], report["recommendation"] = report["recommendation"], None
    assert "Not what was asked for, but it works here: torch 2.14.1 (cu126)" in render_text(report)


def test_equal_gpus_are_counted(report: dict[str, Any]) -> None:
    report["facts"]["gpus"] *= 8
    assert "GPU      8 × NVIDIA GeForce RTX 4090" in render_text(report)


def test_an_unknown_machine_shows_nothing_made_up(report: dict[str, Any]) -> None:
    report["facts"] = {"gpus": None, "system": {}}
    text = render_text(report)
    assert "GPU" not in text.split("✗ blocker")[0].split("\n", 2)[2]
    report["facts"] = {"gpus": []}
    assert "GPU      none found" in render_text(report)


def test_requirements_are_answered(report: dict[str, Any]) -> None:
    report["requires"] += [{"what": "gpu", "met": True, "why": []}]
    text = render_text(report)
    assert "✗ required cuda  not met: driver-too-old" in text
    assert "✓ required gpu  met" in text


def test_a_healthy_machine_hears_of_notes_in_one_line(report: dict[str, Any]) -> None:
    report |= {"verdict": "ok", "findings": [report["findings"][1]]}
    assert "· notes  same-major-compat (-v)" in render_text(report)
    assert "The GPU runs code of an older member" in render_text(report, verbose=True)


@pytest.mark.parametrize(
    ("verdict", "said"),
    [
        ("mismatch", "Install torch"),
        ("blocked", "Once that is done, install torch"),
        ("ok", "The newest that works here is torch"),
    ],
)
def test_what_the_command_is_good_for(report: dict[str, Any], verdict: str, said: str) -> None:
    report["verdict"] = verdict
    assert f"\n{said} 2.14.1 (cu126)" in render_text(report)


def test_releases_out_of_reach_for_one_reason_are_one_line(report: dict[str, Any]) -> None:
    row = {"accepted": False, "reasons": ["musl"], "unknown": []}
    report["candidates"] = [
        {"torch": v, "variant": variant, **row}
        for v in ("2.15.0", "2.14.1", "2.14.0", "2.13.0")
        for variant in ("cu132", "cpu")
    ]
    report["recommendation"]["torch"] = "2.12.1"
    assert "\n  2.13.0–2.15.0  musl\n" in render_text(report)
    report["candidates"][0]["reasons"] = ["driver-too-old"]
    text = render_text(report)
    assert "\n  2.15.0         cu132: driver-too-old\n" in text and "\n  2.13.0–2.14.1  musl\n" in text


def test_quoted_lines_of_a_report_are_numbered_and_long_values_cut(report: dict[str, Any]) -> None:
    report["findings"][0]["evidence"] = [
        {
            "fact": "gpus[0].name",
            "value": "RTX",
            "source": "line 24: GPU models and configuration: GPU 0: RTX and so on",
        },
        {"fact": "symptoms[0]", "value": "word " * 100, "source": None},
    ]
    text = render_text(report)
    assert "seen gpus[0].name = RTX  ← line 24\n" in text
    assert text.count("word") < 40 and "…" in text
    assert "GPU models and configuration" in render_text(report, verbose=True)


def test_a_pasted_text_without_torch_proves_nothing(report: dict[str, Any]) -> None:
    report["facts"] |= {"torch": {}, "packages": {"torchaudio": "2.0.2"}}
    assert "torch    not installed" in render_text(report)
    report["source"]["kind"] = "free_text"
    assert "not installed" not in render_text(report)
    report["facts"]["torch"] = {"version": "2.14.1+cu126", "variant": "cu126"}
    assert "torch    2.14.1 installed · cu126" in render_text(report)
    assert "installed already: torch 2.14.1 (cu126)" in render_text(report)


def test_what_is_missing_counts_where_nothing_is_proved(report: dict[str, Any]) -> None:
    report["candidates"][0]["unknown"] = ["python.version"]
    report["candidates"][1] |= {"reasons": [], "unknown": ["python.version", "system.os"]}
    assert "2.15.0  cu132: driver-too-old; cu134: python.version, system.os not known" in render_text(report)


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ({"kind": "text", "name": "report.txt"}, "  ask  - send A\n       - send B\n"),
        ({"kind": "machine", "name": "flags"}, "  ask  say more with --os"),
        ({"kind": "machine", "name": "target.toml"}, "  ask  add it to the file"),
    ],
)
def test_what_is_missing_is_asked_of_who_can_tell(report: dict[str, Any], source: dict[str, str], said: str) -> None:
    gap = {"id": "insufficient-data", "severity": "note", "detail": "not known: the GPU", "fix": ["send A", "send B"]}
    report |= {"verdict": "unknown", "source": source, "findings": [gap]}
    assert said in render_text(report)
    assert "  ask" not in render_text(report, verbose=True)


def test_a_machine_of_which_nothing_is_known_leaves_no_gap(report: dict[str, Any]) -> None:
    report |= {"facts": {}, "source": {"kind": "text", "name": "report.txt"}}
    assert "\n\n\n" not in render_text(report)
