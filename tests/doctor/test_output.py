from __future__ import annotations

import io
import json
import os
import sys
from pathlib import Path
from typing import Any

import click
import pytest
from torchdoctor.api import diagnose
from torchdoctor.options import FORMATS
from torchdoctor.output import emit, is_utf8, render, report_json, terminal_width, wants_color, write_text
from torchdoctor.probes.profile import facts_from_mapping
from torchdoctor.report import Report


class _Stream(io.StringIO):
    def __init__(self, *, tty: bool = False, encoding: str = "utf-8") -> None:
        super().__init__()
        self._tty, self._encoding = tty, encoding

    def isatty(self) -> bool:
        return self._tty

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self._encoding

    def fileno(self) -> int:
        raise OSError


@pytest.fixture
def report() -> Report:
    return diagnose(facts_from_mapping({"system": {"os": "linux", "machine": "x86_64"}, "gpus": []}))


@pytest.mark.parametrize(
    ("variables", "tty", "color"),
    [
        ({}, True, True),
        ({}, False, False),
        ({"NO_COLOR": "1"}, True, False),
        ({"NO_COLOR": ""}, True, True),
        ({"FORCE_COLOR": "1"}, False, True),
        ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, True, False),
        ({"TERM": "dumb"}, True, False),
    ],
)
def test_colour_only_on_a_terminal(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], tty: bool, color: bool
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert wants_color(_Stream(tty=tty)) == color


@pytest.mark.parametrize(
    ("columns", "width"), [(None, 80), ("120", 120), ("1000", 200), ("1", 40), ("0", 80), ("wide", 80)]
)
def test_columns_to_write_for(monkeypatch: pytest.MonkeyPatch, columns: str | None, width: int) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    if columns is not None:
        monkeypatch.setenv("COLUMNS", columns)
    assert terminal_width(_Stream()) == width


@pytest.mark.parametrize(
    ("encoding", "utf8"), [("utf-8", True), ("UTF8", True), ("utf-8-sig", True), ("cp1252", False), ("", False)]
)
def test_streams_that_carry_every_character(monkeypatch: pytest.MonkeyPatch, encoding: str, utf8: bool) -> None:
    stream = _Stream(encoding=encoding)
    assert is_utf8(stream) == utf8
    monkeypatch.setattr(sys, "stdout", stream)
    assert report_json({"x": "é"}, indent=None) == ('{"x": "é"}\n' if utf8 else '{"x": "\\u00e9"}\n')


def test_every_format_ends_its_last_line(report: Report, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    texts = {name: render(report, name, to_file=True) for name in FORMATS}
    assert all(text.endswith("\n") and not text.endswith("\n\n") for text in texts.values())
    assert json.loads(texts["json"]) == json.loads(texts["ndjson"])
    assert texts["ndjson"].count("\n") == 1
    assert "\x1b" not in texts["text"]
    assert len(set(texts.values())) == len(FORMATS)


def test_the_summary_of_a_job_is_added_to(
    report: Report, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "summary.md"
    file.write_text("before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(file))
    render(report, "github")
    assert file.read_text().startswith("before\n") and len(file.read_text().splitlines()) > 1
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "no" / "folder"))
    assert render(report, "github").startswith("::")
    assert "the job summary cannot be written" in capsys.readouterr().err


def test_standard_output_gets_texts_as_they_come(capsys: pytest.CaptureFixture[str]) -> None:
    emit((text for text in ("a\n", "b\n")), "-")
    assert capsys.readouterr().out == "a\nb\n"


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "report.json"
    emit(["a", "b"], str(file))
    assert file.read_text() == "ab"

    def fail(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(click.ClickException, match=r"report\.json: cannot be written: No space left on device"):
        write_text(str(file), "new")
    assert file.read_text() == "ab"
    assert [p.name for p in tmp_path.iterdir()] == ["report.json"]


@pytest.mark.skipif(os.name == "nt", reason="POSIX modes and pipes")
def test_a_new_file_has_the_usual_mode_and_a_device_is_written_to(tmp_path: Path) -> None:
    mask = os.umask(0o027)
    try:
        write_text(str(tmp_path / "x"), "text")
    finally:
        os.umask(mask)
    assert (tmp_path / "x").stat().st_mode & 0o777 == 0o640
    write_text(os.devnull, "text")
    assert not os.path.isfile(os.devnull)


@pytest.mark.skipif(os.name == "nt", reason="POSIX modes and links")
def test_a_link_stays_one_and_a_file_keeps_its_mode(tmp_path: Path) -> None:
    target, link = tmp_path / "private", tmp_path / "link"
    target.write_text("old")
    target.chmod(0o600)
    link.symlink_to("private")
    write_text(str(link), "half a pair: \ud800")
    assert link.is_symlink()
    assert target.read_text() == "half a pair: ?"
    assert target.stat().st_mode & 0o777 == 0o600
    if os.geteuid():
        target.chmod(0o400)
        with pytest.raises(click.ClickException, match="cannot be written: Permission denied"):
            write_text(str(link), "new")


def test_a_name_that_no_file_can_have(tmp_path: Path) -> None:
    for name in ("x\0y", "x" * 5000, str(tmp_path), ""):
        with pytest.raises(click.ClickException, match="cannot be written"):
            write_text(name, "text")
