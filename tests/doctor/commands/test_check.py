from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from torchdoctor.commands.check import command

TAG = f"cp{sys.version_info[0]}{sys.version_info[1]}"
MACHINE: dict[str, Any] = {
    "system": {
        "os": "linux",
        "machine": "x86_64",
        "name": "Ubuntu",
        "version": "24.04",
        "libc": "glibc",
        "libc_version": "2.39",
    },
    "python": {
        "implementation": "cpython",
        "version": "3.12.4",
        "free_threaded": False,
        "bits": 64,
        "machine": "x86_64",
    },
    "gpus": [{"vendor": "nvidia", "name": "NVIDIA GeForce RTX 4090", "compute_capability": "8.9", "integrated": False}],
    "packages": {"torch": "1.13.0+cpu"},
    "environment": {},
    "settings": [
        {"file": "/home/user/other/pyproject.toml", "line": 1, "key": "tool.uv.torch-backend", "value": "cpu"}
    ],
    "drivers": {"nvidia": {"version": "550.54.14"}},
}


@pytest.fixture
def machine(tmp_path: Path) -> str:
    file = tmp_path / "machine.json"
    file.write_text(json.dumps(MACHINE))
    return str(file)


def _run(*arguments: str) -> Result:
    return CliRunner().invoke(command, list(arguments), standalone_mode=False)


def _report(*arguments: str) -> tuple[Any, dict[str, Any]]:
    ran = _run(*arguments, "--format", "json")
    assert ran.exception is None, ran.exception
    return ran.return_value, json.loads(ran.stdout)


def test_a_requirements_file_that_the_driver_cannot_run(tmp_path: Path, machine: str) -> None:
    (tmp_path / "requirements.txt").write_text("numpy\ntorch>=2.0\n")
    status, report = _report(str(tmp_path / "requirements.txt"), "--machine", machine)
    assert status == 1
    assert report["source"] == {"kind": "project", "name": str(tmp_path / "requirements.txt")}
    assert report["verdict"] == "blocked"
    assert [f["id"] for f in report["findings"] if f["severity"] == "blocker"] == ["driver-too-old"]
    assert report["facts"]["request"]["torch"] == ">=2.0"
    assert report["sources"]["request.torch"].endswith("requirements.txt:2")
    assert report["facts"]["torch"]["version"] is None
    assert all(s["key"] != "tool.uv.torch-backend" for s in report["facts"]["settings"])


def test_a_project_that_fits(tmp_path: Path, machine: str) -> None:
    (tmp_path / "requirements.txt").write_text("--index-url https://download.pytorch.org/whl/cu126\ntorch==2.8.0\n")
    status, report = _report(str(tmp_path), "--machine", machine)
    assert (status, report["verdict"]) == (0, "ok")
    assert report["recommendation"]["torch"] == "2.8.0"
    assert report["recommendation"]["variant"] == "cu126"


def test_the_callers_release_stands_in_for_the_projects(tmp_path: Path, machine: str) -> None:
    (tmp_path / "requirements.txt").write_text("numpy\n")
    status, report = _report(str(tmp_path), "--machine", machine, "--torch", "2.8")
    assert (status, report["recommendation"]["torch"]) == (0, "2.8.0")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "expected requirements*.txt, pyproject.toml"),
        ("numpy\n", "expected a requirement on torch, found none"),
        ("torch==2.2.2; sys_platform == 'darwin'\n", "expected a requirement on torch, found none"),
    ],
)
def test_a_path_that_asks_for_no_torch(tmp_path: Path, machine: str, content: str | None, words: str) -> None:
    from torchdoctor.api import InputError

    folder = tmp_path / "project"
    folder.mkdir()
    if content is not None:
        (folder / "requirements.txt").write_text(content)
    ran = _run(str(folder), "--machine", machine)
    assert isinstance(ran.exception, InputError)
    assert str(ran.exception).startswith(str(folder))
    assert words in str(ran.exception)
    assert "\n" not in str(ran.exception)


def test_live_and_a_declared_machine_exclude_each_other(machine: str) -> None:
    ran = _run("--live", "--machine", machine)
    assert "--live asks the torch of this machine" in str(ran.exception)


def test_live_asks_the_torch_that_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site = tmp_path / "site"
    (site / "torch-2.13.0+cpu.dist-info").mkdir(parents=True)
    (site / "torch-2.13.0+cpu.dist-info/METADATA").write_text("Name: torch\nVersion: 2.13.0+cpu\n\n")
    (site / "torch").mkdir()
    (site / "torch/version.py").write_text("__version__ = '2.13.0+cpu'\ncuda = None\nhip = None\n")
    (site / "torch/__init__.py").write_text("import os\nos.abort()\n")
    monkeypatch.setenv("PYTHONPATH", str(site))
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    status, report = _report("--live", "--python", sys.executable)
    assert report["facts"]["torch"]["version"] == "2.13.0+cpu"
    crashed = next(s for s in report["facts"]["symptoms"] if s["id"] == "torch-crashed")
    assert "SIGABRT" in crashed["text"]
    assert report["verdict"] == "unknown"
    assert report["summary"].startswith(
        "torch failed when it was run, and nothing known explains it: the process that ran torch"
    )
    assert "insufficient-data" in {f["id"] for f in report["findings"]}
    assert status in (0, 3)


@pytest.mark.skipif(
    sys.platform != "linux" or os.uname().machine != "x86_64" or bool(sysconfig.get_config_var("Py_GIL_DISABLED")),
    reason="the stand-in wheels are for CPython on Linux x86_64",
)
def test_the_command_that_is_printed_here_works(environment: Any, index: Any) -> None:
    """Bare ``torchdoctor`` in an active environment; its command, as it stands, run by a shell with real pip."""
    pip = Path(environment.python).with_name("pip")
    pip.write_text(f'#!/bin/sh\nexec "{environment.python}" -m pip "$@"\n')
    pip.chmod(0o755)
    active = os.environ | {
        "VIRTUAL_ENV": str(environment.path),
        "PATH": f"{pip.parent}{os.pathsep}{os.environ['PATH']}",
        "NO_COLOR": "1",
        "COLUMNS": "200",
    }
    shown = subprocess.run(
        [sys.executable, "-m", "torchdoctor", "--index-base", index.root],
        capture_output=True, text=True, timeout=120, env=active, cwd=environment.path,
    )  # fmt: skip
    assert shown.returncode in (0, 1), shown.stderr
    (line,) = [text.strip() for text in shown.stdout.splitlines() if text.strip().startswith("pip install ")]
    torch = line.split("torch==")[1].split()[0]
    variant = line.rsplit("/", 1)[-1] if "--index-url" in line else None
    version = f"{torch}+{variant}" if variant else torch
    folder = f"whl/{variant}" if variant else "default"
    file = f"torch-{version}-{TAG}-{TAG}-manylinux_2_28_x86_64.whl"
    if file not in index.files:
        index.add(folder, "torch", version, tag=f"{TAG}-{TAG}-manylinux_2_28_x86_64")
    ran = subprocess.run(["sh", "-c", line], capture_output=True, text=True, timeout=120, env=active)
    assert ran.returncode == 0, ran.stderr
    assert environment.freeze()["torch"] == version
    assert f"/files/{file}" in index.asked
