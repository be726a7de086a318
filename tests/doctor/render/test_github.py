from __future__ import annotations

from typing import Any

import pytest
from torchdoctor.render.github import render_github, summary
from torchdoctor.render.markdown import render_markdown


def test_each_finding_then_one_notice_with_the_verdict(report: dict[str, Any]) -> None:
    lines = render_github(report).splitlines()
    assert lines[0].startswith("::error title=torchdoctor%3A driver-too-old::The NVIDIA driver is too old")
    assert "%0Afix: install torch 2.14.1 (cu126)" in lines[0]
    assert lines[-1].startswith("::notice title=torchdoctor::MISMATCH: cu132 builds need")
    assert "pip install torch==2.14.1" in lines[-1]
    assert sum(line.startswith("::notice title=torchdoctor::") for line in lines) == 1


def test_a_healthy_machine_still_gets_its_notice(report: dict[str, Any]) -> None:
    report |= {"verdict": "ok", "findings": [], "recommendation": None}
    assert render_github(report) == f"::notice title=torchdoctor::OK: {report['summary']}\n"


def test_no_control_character_and_no_command_of_a_stranger(hostile: dict[str, Any]) -> None:
    hostile["summary"] = "first\n::error::made up\r50% done, a:b"
    text = render_github(hostile)
    assert all(line.startswith(("::error title=", "::notice title=")) for line in text.splitlines())
    assert not any(ord(c) < 32 for c in text.replace("\n", ""))
    assert "50%25 done" in text


def test_properties_escape_what_ends_them(report: dict[str, Any]) -> None:
    report["findings"][0]["id"] = "a,b:c::d"
    assert "::error title=torchdoctor%3A a%2Cb%3Ac%3A%3Ad::" in render_github(report)


def test_the_verdict_is_among_the_ten_notices_that_github_shows(report: dict[str, Any]) -> None:
    report["findings"] = [report["findings"][1]] * 30
    assert render_github(report).count("::notice") == 10


def test_the_summary_of_a_job_is_the_markdown_report(report: dict[str, Any]) -> None:
    assert summary(report) == render_markdown(report)


@pytest.mark.parametrize(
    ("file", "place"),
    [
        ("pyproject.toml", "file=pyproject.toml,line=7,"),
        ("~/.config/pip/pip.conf", ""),
        ("/etc/pip.conf", ""),
        ("C:/pip.ini", ""),
    ],
)
def test_a_setting_of_the_repository_is_shown_in_place(report: dict[str, Any], file: str, place: str) -> None:
    report["facts"]["settings"] = [{"file": file, "line": 7, "key": "extra-index-url", "value": "x"}]
    report["findings"][0]["evidence"] = [{"fact": "settings[0].value", "value": "x", "source": file}]
    assert render_github(report).startswith(f"::error {place}title=torchdoctor%3A driver-too-old::")
    report["findings"][0]["evidence"] = [{"fact": "settings[9]", "value": "x", "source": file}]
    assert render_github(report).startswith("::error title=")


@pytest.mark.parametrize(
    ("about", "place", "said"),
    [
        ("request", "./requirements.txt:2", "::error file=requirements.txt,line=2,title="),
        ("machine", "./requirements.txt:2", "::error title="),
        ("request", "/srv/requirements.txt:2", "::error title="),
        ("request", "a,b.txt:2", "::error file=a%2Cb.txt,line=2,title="),
        ("request", "line 2: torch", "::error title="),
    ],
)
def test_the_line_that_asks_for_what_cannot_be(report: dict[str, Any], about: str, place: str, said: str) -> None:
    finding = {"id": "driver-too-old", "severity": "blocker", "about": about, "title": "too old"}
    report |= {"source": {"kind": "project", "name": "."}, "findings": [finding], "sources": {"request.torch": place}}
    assert render_github(report).startswith(said)
