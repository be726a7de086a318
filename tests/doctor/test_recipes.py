"""The recipes, run as far as they can run here: their torchdoctor calls for real, the rest by structure."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from torchdoctor.commands.check import command as check
from torchdoctor.matrix.tables import parse_toml
from torchdoctor.probes.profile import facts_from_mapping

RECIPES = Path(__file__).resolve().parents[2] / "docs" / "recipes"


def runs(name: str) -> list[list[str]]:
    """The torchdoctor calls of a Dockerfile's RUN lines, word by word."""
    text = (RECIPES / name).read_text().replace("\\\n", " ")
    found = []
    for line in text.splitlines():
        if line.startswith("RUN "):
            words = [w for w in shlex.split(line[4:]) if not w.startswith("--mount")]
            if (
                any(w.endswith("torchdoctor") for w in words)
                and "pip" not in words
                and not any(w.endswith("/pip") for w in words)
            ):
                at = next(i for i, w in enumerate(words) if w.endswith("torchdoctor"))
                found.append(words[at + 1 :])
    return found


def test_target_is_a_profile_without_a_guess() -> None:
    warnings: list[str] = []
    facts = facts_from_mapping(parse_toml((RECIPES / "target.toml").read_text()), warnings=warnings)
    assert warnings == []
    assert facts.gpus is not None
    assert facts.gpus[0].name == "NVIDIA L4"
    assert facts.python.version is None


@pytest.mark.skipif(
    sys.platform != "linux" or os.uname().machine != "x86_64", reason="the stand-in wheels are for Linux x86_64"
)
@pytest.mark.parametrize("name", ["Dockerfile", "Dockerfile.uv"])
def test_images(name: str, environment: Any, index: Any, tool: Callable[[str], str], tmp_path: Path) -> None:
    tool("uv")
    (tmp_path / "target.toml").write_text((RECIPES / "target.toml").read_text())
    (tmp_path / "requirements.txt").write_text("on-torch\n")
    calls = runs(name)
    assert [call[0] for call in calls] == ["install", "check"]
    for call in calls:
        line = [w.replace("/opt/venv/bin/python", environment.python) for w in call]
        if call[0] == "install" and "--installer" not in call:
            line += ["--installer", "uv"]  # what pip does is tested elsewhere, and takes its time
        done = subprocess.run(
            [sys.executable, "-m", "torchdoctor", *line],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=120,
            env=os.environ | {"TORCHDOCTOR_INDEX_BASE": index.root},
        )
        assert done.returncode == 0, done.stdout + done.stderr
    assert environment.freeze()["torch"].startswith("2.14.1+cu1")
    assert ("on-torch" in environment.freeze()) is (name == "Dockerfile")


def test_alpine_is_refused() -> None:
    assert runs("Dockerfile.alpine") == [["check", "--machine", "target.toml", "--overlay", "--require", "cuda"]]
    done = CliRunner().invoke(
        check, ["--os", "alpine 3.21", "--gpu", "L4", "--driver", "535", "--python", "3.12"], standalone_mode=False
    )
    assert done.return_value == 1
    assert "musl" in done.output


def test_dev_container() -> None:
    data = json.loads((RECIPES / "devcontainer.json").read_text())
    for key, name in (("postCreateCommand", "install"), ("postStartCommand", "check")):
        assert f"torchdoctor {name} " in data[key]
        _parses(data[key])


@pytest.mark.parametrize("name", ["github-workflow.yml", "pre-commit-config.yaml", "kubernetes.yaml"])
def test_calls_in_yaml_are_calls(name: str) -> None:
    text = (RECIPES / name).read_text()
    assert "\t" not in text
    if name == "kubernetes.yaml":
        listed = re.search(r'command: (\["torchdoctor".*\])', text)
        assert listed is not None
        _parses(" ".join(json.loads(listed[1])))
        return
    calls = re.findall(r"(?:run|entry): (torchdoctor .*)", text)
    assert len(calls) == 1
    _parses(calls[0])


def _parses(line: str) -> None:
    """Click takes every torchdoctor call of a shell line: options exist, values are allowed."""
    from importlib import import_module

    for part in line.split("&&"):
        words = shlex.split(part)
        if "torchdoctor" not in words:
            continue
        name, *args = words[words.index("torchdoctor") + 1 :]
        command = import_module(f"torchdoctor.commands.{name}").command
        command.make_context(name, args)


@pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX shell")
@pytest.mark.parametrize(
    ("gpus", "status", "said", "drains"),
    [
        ("0,1", 0, "✓ OK fits", False),
        ("0,1", 1, "✗ BLOCKED driver", True),
        ("0,1", 1, "? UNKNOWN not enough is known", False),
        ("0,1", 2, "no such file", False),
        ("0,1", 3, "? UNKNOWN no candidate", False),
        ("", 1, "✗ BLOCKED driver", False),
    ],
)
def test_slurm_prolog(gpus: str, status: int, said: str, drains: bool, tmp_path: Path) -> None:
    stub = tmp_path / "torchdoctor"
    stub.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > "{tmp_path}/called"\necho "{said}"\nexit {status}\n')
    stub.chmod(0o755)
    done = subprocess.run(
        ["sh", str(RECIPES / "slurm-prolog.sh")],
        env={
            "PATH": os.environ["PATH"],
            "TORCHDOCTOR": str(stub),
            "SLURM_JOB_GPUS": gpus,
            "TORCHDOCTOR_PYTHON": "/opt/py",
        },
        capture_output=True,
        text=True,
        timeout=20,
    )
    assert (done.returncode != 0) is drains
    assert (tmp_path / "called").exists() is bool(gpus)
    if drains:
        assert done.stdout == f"print torchdoctor: {said}\n"
    if gpus:
        name, *args = (tmp_path / "called").read_text().splitlines()
        assert name == "check"
        check.make_context("check", args)
