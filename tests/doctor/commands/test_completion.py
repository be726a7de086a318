from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest
from click.testing import CliRunner
from torchdoctor.commands.completion import command

SHELLS = ("bash", "zsh", "fish", "powershell")


def _answers(words: str, at: int, kind: str = "bash_complete") -> list[str]:
    env = {**os.environ, "_TORCHDOCTOR_COMPLETE": kind, "COMP_WORDS": words, "COMP_CWORD": str(at)}
    run = subprocess.run([sys.executable, "-m", "torchdoctor"], env=env, capture_output=True, text=True, timeout=60)
    assert run.stderr == ""
    return run.stdout.split("\n")


@pytest.mark.parametrize("shell", SHELLS)
def test_a_script_for_each_shell(shell: str) -> None:
    result = CliRunner().invoke(command, [shell])
    assert result.exit_code == 0
    assert result.output.startswith("# ") and "_TORCHDOCTOR_COMPLETE" in result.output


def test_another_shell_is_refused() -> None:
    assert CliRunner().invoke(command, ["tcsh"]).exit_code == 2


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_shell_can_read_its_script(shell: str) -> None:
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"{shell} is not installed")
    script = CliRunner().invoke(command, [shell]).output
    check = subprocess.run([program, "-n"], input=script, capture_output=True, text=True, timeout=30)
    assert (check.returncode, check.stderr) == (0, "")


def test_commands_are_completed() -> None:
    assert {"plain,explain", "plain,releases", "plain,check"} <= set(_answers("torchdoctor ", 1))
    assert _answers("torchdoctor expl", 1)[0] == "plain,explain"


def test_options_and_choices_are_completed() -> None:
    assert "plain,--format" in _answers("torchdoctor check --for", 2)
    assert _answers("torchdoctor check --format m", 3)[0] == "plain,markdown"


def test_powershell_asks_for_triples() -> None:
    kind, value, help = _answers("torchdoctor expl", 1, "zsh_complete")[:3]
    assert (kind, value) == ("plain", "explain") and help.startswith("What a finding means")
