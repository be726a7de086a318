"""What reaches the streams: the job summary of GitHub, probe times, colour and encodings, asked of the whole command."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

MACHINE = str(Path(__file__).parents[1] / "hosts" / "profiles" / "driver-too-old.json")


Looks = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def looks(call: Callable[..., subprocess.CompletedProcess[str]], monkeypatch: pytest.MonkeyPatch) -> Looks:
    """``looks("--format", "github", TERM="dumb")``: a check with these variables and none of the caller's."""
    for name in ("NO_COLOR", "FORCE_COLOR", "GITHUB_STEP_SUMMARY", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)

    def run(*args: str, **variables: str) -> subprocess.CompletedProcess[str]:
        return call("check", "--machine", MACHINE, *args, **variables)

    return run


def test_a_github_job_gets_annotations_and_a_summary(looks: Looks, tmp_path: Path) -> None:
    file = tmp_path / "summary.md"
    file.write_text("before\n", encoding="utf-8")
    run = looks("--format", "github", GITHUB_STEP_SUMMARY=str(file))
    assert run.stdout.startswith("::error title=torchdoctor%3A driver-too-old::") and run.stderr == ""
    text = file.read_text(encoding="utf-8")
    assert text.startswith("before\n## ✗ torchdoctor: MISMATCH")


def test_a_summary_that_cannot_be_written_is_only_a_warning(looks: Looks, tmp_path: Path) -> None:
    run = looks("--format", "github", GITHUB_STEP_SUMMARY=str(tmp_path / "no" / "such"))
    assert run.stdout.splitlines()[-1].startswith("::notice title=torchdoctor::")
    assert run.stderr.count("\n") == 1 and "job summary cannot be written" in run.stderr


@pytest.mark.parametrize(
    ("env", "coloured"),
    [
        ({}, False),
        ({"FORCE_COLOR": "1"}, True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        ({"TERM": "dumb"}, False),
    ],
)
def test_a_pipe_is_coloured_only_on_request(looks: Looks, env: dict[str, str], coloured: bool) -> None:
    assert ("\x1b[" in looks(**env).stdout) is coloured


def test_streams_that_are_not_utf8_get_ascii() -> None:
    line = [sys.executable, "-m", "torchdoctor", "check", "--machine", MACHINE]
    variables = {**os.environ, "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}
    run = subprocess.run(line, capture_output=True, text=True, timeout=60, env=variables)
    assert run.stdout.isascii() and run.stdout.startswith("x MISMATCH")


def test_the_width_of_the_caller_is_kept(looks: Looks) -> None:
    lines = looks(COLUMNS="60").stdout.splitlines()
    assert max(len(line) for line in lines if not line.startswith("pip install")) <= 60


def test_q_is_one_line(looks: Looks) -> None:
    assert looks("-q").stdout.count("\n") == 1
