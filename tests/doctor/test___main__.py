from __future__ import annotations

import runpy
import sys

import pytest
from torchdoctor import __version__


def test_the_module_is_the_command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    from torchdoctor import cli, program

    monkeypatch.setattr(program, "run", cli.main)
    monkeypatch.setattr(sys, "argv", ["python -m torchdoctor", "--version"])
    with pytest.raises(SystemExit) as end:
        runpy.run_module("torchdoctor", run_name="__main__")
    assert end.value.code == 0
    assert capsys.readouterr().out.startswith(f"torchdoctor {__version__} ")


def test_importing_the_module_runs_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_module("torchdoctor.__main__", run_name="something")
    assert capsys.readouterr().out == ""
