from __future__ import annotations

import runpy
import subprocess
import sys

import pytest
from torchdoctor import __version__


def test_the_module_is_the_command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    from torchdoctor import cli

    monkeypatch.setattr(cli, "run", cli.main)
    monkeypatch.setattr(sys, "argv", ["python -m torchdoctor", "--version"])
    with pytest.raises(SystemExit) as end:
        runpy.run_module("torchdoctor", run_name="__main__")
    assert end.value.code == 0
    assert capsys.readouterr().out.startswith(f"torchdoctor {__version__} ")


def test_importing_the_module_runs_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_module("torchdoctor.__main__", run_name="something")
    assert capsys.readouterr().out == ""


def _run(code: str, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *options, "-c", code], capture_output=True, text=True, timeout=60)


def test_the_program_ends_at_once_with_its_status_and_nothing_lost() -> None:
    ends = "import atexit, sys; atexit.register(print, 'at the end', flush=True); from torchdoctor.cli import run; "
    found = _run(ends + "sys.argv[1:] = ['--version']; run()")
    assert found.returncode == 0
    assert found.stdout.splitlines() == [found.stdout.splitlines()[0], "at the end"]
    wrong = _run(ends + "sys.argv[1:] = ['nonsense']; run()")
    assert (wrong.returncode, wrong.stdout) == (2, "at the end\n")
    assert "nonsense" in wrong.stderr


def test_a_profiler_gets_to_say_what_it_saw() -> None:
    shown = subprocess.run(
        [sys.executable, "-m", "cProfile", "-s", "tottime", "-m", "torchdoctor", "--version"],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert "function calls" in shown.stdout


def test_a_thread_that_is_no_daemon_is_waited_for() -> None:
    code = (
        "import sys, threading, time; from torchdoctor.cli import run; sys.argv[1:] = ['--version']; "
        "threading.Thread(target=lambda: (time.sleep(0.3), print('done', flush=True))).start(); run()"
    )
    assert _run(code).stdout.endswith("done\n")
