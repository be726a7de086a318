from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from torchdoctor.commands.capture import command

pytestmark = pytest.mark.skipif(os.name == "nt", reason="POSIX programs")


def run(*args: str) -> Result:
    return CliRunner().invoke(command, list(args), standalone_mode=False)


def test_a_file_is_written_and_named(tmp_path: Path) -> None:
    out = tmp_path / "machine.zip"
    result = run("-o", str(out), "--python", sys.executable)
    assert result.exception is None
    assert result.stdout.strip() == str(out)
    assert out.read_bytes()[:4] == b"PK\3\4"
    assert [p.name for p in tmp_path.iterdir()] == ["machine.zip"]  # nothing half-written beside it


@pytest.mark.parametrize("out", ["none/machine.zip", "."])
def test_no_place_to_write(tmp_path: Path, out: str) -> None:
    result = run("-o", str(tmp_path / out))
    assert "expected the name of a file in a folder that exists" in str(result.exception)
    assert list(tmp_path.iterdir()) == []


def test_no_such_interpreter(tmp_path: Path) -> None:
    result = run("-o", str(tmp_path / "x.zip"), "--python", "/no/such/python")
    assert str(result.exception) == "--python /no/such/python: no such interpreter or environment"
    assert list(tmp_path.iterdir()) == []


def cli(*args: str, env: dict[str, str], cwd: Path) -> subprocess.CompletedProcess[str]:
    code = "import sys; from torchdoctor.cli import main; sys.exit(main())"
    return subprocess.run(
        [sys.executable, "-c", code, *args], env=env, cwd=cwd, capture_output=True, text=True, timeout=60
    )


@pytest.mark.parametrize("name", ["check", "capture"])
def test_a_wrong_interpreter_is_one_line(tmp_path: Path, name: str) -> None:
    done = cli(name, "--python", "/no/such", env={"PATH": "/bin"}, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "torchdoctor: --python /no/such: no such interpreter or environment\n"


def steady(facts: dict[str, Any]) -> dict[str, Any]:
    """What does not change between two looks at one machine."""
    return {k: v for k, v in facts.items() if k != "resources"}


def test_replayed_elsewhere_with_an_empty_environment(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path / "zelda"), "USER": "zelda", "CUDA_VISIBLE_DEVICES": "0,1"}
    (tmp_path / "zelda").mkdir()
    python = ("--python", sys.executable)
    live = cli("check", "--format", "json", *python, env=env, cwd=tmp_path)
    assert cli("capture", "-o", "m.zip", *python, env=env, cwd=tmp_path).returncode == 0
    replayed = cli("diagnose", "--format", "json", "../m.zip", env={}, cwd=tmp_path / "elsewhere")
    ours, theirs = json.loads(live.stdout), json.loads(replayed.stdout)
    assert steady(theirs["facts"]) == steady(ours["facts"])
    assert theirs["facts"]["environment"]["CUDA_VISIBLE_DEVICES"] == "0,1"
    assert theirs["verdict"] == ours["verdict"]


def test_a_hanging_tool_of_a_vendor(tmp_path: Path) -> None:
    """The budget holds, the answer says why, and nothing stays behind."""
    tool = tmp_path / "bin" / "nvidia-smi"
    tool.parent.mkdir()
    tool.write_text(f"#!/bin/sh\necho $$ >> {tmp_path}/pids\nexec sleep 3600\n")
    tool.chmod(0o755)
    env = {"PATH": f"{tool.parent}:/bin:/usr/bin", "HOME": str(tmp_path)}
    code = (
        "from torchdoctor.probes import live\n"
        "from torchdoctor.probes.host import Answer, Stat\n"
        "real = live.LiveHost.stat\n"
        # What a WSL guest shows of a card: the device, no bus.
        "live.LiveHost.stat = lambda self, path: Answer(Stat(openable=True)) if path == '/dev/dxg' else real(self, path)\n"
        "live.LiveHost.listing = lambda self, path: Answer(status='absent')\n"
        "from torchdoctor.cli import main\nmain()\n"
    )
    start = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", code, "check", "--timeout", "1", "--python", sys.executable, "--format", "json"],
        env=env, cwd=tmp_path, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert time.monotonic() - start < 4  # starting the interpreter included
    report = json.loads(done.stdout)
    assert report["facts"]["gpus"] is None
    assert report["unknown"]["gpus"].startswith("nvidia-smi did not answer in ")
    for pid in (tmp_path / "pids").read_text().split():
        assert not Path(f"/proc/{pid}").exists() or "State:\tZ" in Path(f"/proc/{pid}/status").read_text()
