from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from torchdoctor.probes.interpreter import Interpreter, InterpreterNotFoundError, parse_venv_config
from torchdoctor.probes.live import LiveHost

pytestmark = pytest.mark.skipif(os.name == "nt", reason="POSIX layout of environments")


def soon() -> float:
    return time.monotonic() + 20


def fake(path: Path, said: str = '{"version": "3.12.4"}') -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\necho '{said}'\n")
    path.chmod(0o755)
    return path


def test_it_says_what_it_is_run_isolated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "json.py").write_text("raise SystemExit('the wrong json')")
    monkeypatch.chdir(tmp_path)
    said = Interpreter(LiveHost({"PYTHONPATH": str(tmp_path)}), sys.executable).ask(soon()).value
    assert said is not None
    assert said["version"] == "{}.{}.{}".format(*sys.version_info[:3])
    assert said["executable"] == sys.executable
    assert str(tmp_path) not in said["path"]


def test_active_environment_before_the_path(tmp_path: Path) -> None:
    venv, conda, other = (fake(tmp_path / n / "bin" / "python") for n in ("venv", "conda", "other"))
    on_path = fake(tmp_path / "path" / "python3")
    env = {"VIRTUAL_ENV": str(tmp_path / "venv"), "CONDA_PREFIX": str(tmp_path / "conda"), "PATH": str(on_path.parent)}
    assert Interpreter(LiveHost(env)).command() == (str(venv),)
    del env["VIRTUAL_ENV"]
    assert Interpreter(LiveHost(env)).command() == (str(conda),)
    env["CONDA_PREFIX"] = str(tmp_path / "empty")
    assert Interpreter(LiveHost(env)).command() == (str(on_path),)
    assert Interpreter(LiveHost(env), str(other)).command() == (str(other),)
    assert Interpreter(LiveHost(env), str(tmp_path / "other")).command() == (str(other),)
    assert Interpreter(LiveHost(env), "python3").command() == (str(on_path),)
    assert Interpreter(LiveHost({})).command() == (sys.executable,)


def test_behind_pyenvs_shim(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shim = fake(tmp_path / "shims" / "python3")
    newer, older = (fake(tmp_path / "versions" / v / "bin" / "python3") for v in ("3.13.1", "3.10.2"))
    (tmp_path / "version").write_text("3.13.1\n3.10.2\n")
    project = tmp_path / "work" / "deep"
    project.mkdir(parents=True)
    monkeypatch.chdir(project)
    env = {"PATH": str(shim.parent)}
    assert Interpreter(LiveHost(env)).command() == (str(newer),)
    (tmp_path / "work" / ".python-version").write_text("3.10.2\n")
    assert Interpreter(LiveHost(env)).command() == (str(older),)
    assert Interpreter(LiveHost({**env, "PYENV_VERSION": "system"})).command() == (str(shim),)


@pytest.mark.parametrize("name", ["/no/such/python", "no-such-python"])
def test_not_found(name: str) -> None:
    with pytest.raises(InterpreterNotFoundError, match=f"--python {name}: no such interpreter"):
        Interpreter(LiveHost({}), name).check()


def test_what_cannot_run_says_why(tmp_path: Path) -> None:
    broken = tmp_path / "python"
    broken.write_text("#!/bin/sh\necho 'error while loading shared libraries' >&2\nexit 127\n")
    broken.chmod(0o755)
    answer = Interpreter(LiveHost({}), str(broken)).ask(soon())
    assert answer.detail == f"{broken} could not be run: error while loading shared libraries"
    chatty = fake(tmp_path / "chatty", 'site says hello\n{"version": "3.9.1"}\n{"not": "it"}')
    answer = Interpreter(LiveHost({}), str(chatty)).ask(soon())
    assert answer.value == {"version": "3.9.1"}


def test_code_in_pth_files_does_not_run_but_their_folders_count(tmp_path: Path) -> None:
    import subprocess

    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "venv")], check=True)
    (site,) = (tmp_path / "venv").glob("lib/python*/site-packages")
    (tmp_path / "extra").mkdir()
    (site / "own.pth").write_text(f"# a comment\nimport time; time.sleep(60)\n{tmp_path}/extra\n{tmp_path}/none\n")
    said = Interpreter(LiveHost({}), str(tmp_path / "venv")).ask(soon()).value
    assert said is not None
    assert (said["prefix"], str(tmp_path / "extra") in said["path"]) == (str(tmp_path / "venv"), True)
    assert str(site) in said["path"]
    assert f"{tmp_path}/none" not in said["path"]


def test_one_that_hangs(tmp_path: Path) -> None:
    slow = tmp_path / "python"
    slow.write_text("#!/bin/sh\nexec sleep 60\n")
    slow.chmod(0o755)
    interpreter = Interpreter(LiveHost({"PATH": "/bin:/usr/bin"}), str(slow))
    assert interpreter.ask(time.monotonic() + 0.3).status == "timeout"
    assert interpreter.recorded() == {
        "executable": str(slow), "error": interpreter.ask(soon()).detail, "status": "timeout",
    }  # fmt: skip


def test_folders_in_import_order(recorded: Any) -> None:
    said = {
        "version": "3.12.4", "purelib": "/v/site-packages", "platlib": "/v/site-packages",
        "path": ["/usr/lib/python312.zip", "/usr/lib/python3.12", "/v/site-packages"], "user_site": "/home/user/.local/lib",
    }  # fmt: skip
    host = recorded(python=said, environment={"PYTHONPATH": "/first:relative:/second"})
    assert Interpreter(host).folders(soon()).value == (
        "/first", "/second", "/usr/lib/python312.zip", "/usr/lib/python3.12", "/home/user/.local/lib", "/v/site-packages",
    )  # fmt: skip
    host = recorded(python=said, environment={"PYTHONNOUSERSITE": "1"})
    assert "/home/user/.local/lib" not in (Interpreter(host).folders(soon()).value or ())
    assert Interpreter(recorded()).folders(soon()).value is None


def test_replay_never_runs_anything(recorded: Any) -> None:
    assert Interpreter(recorded()).command() == ()
    assert Interpreter(recorded()).ask(soon()).status == "unrecorded"
    failed = recorded(python={"executable": "/v/bin/python", "error": "it did not start", "status": "failed"})
    assert Interpreter(failed).ask(soon()).detail == "it did not start"
    assert Interpreter(failed).command() == ("/v/bin/python",)


def test_venv_config() -> None:
    assert parse_venv_config("home = /usr/bin\nVersion_Info = 3.12.4\nno line\n") == {
        "home": "/usr/bin",
        "version_info": "3.12.4",
    }


@pytest.mark.skipif(os.name == "nt", reason="POSIX modes")
def test_what_is_no_program(tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_text("no program")
    for name in (str(text), os.devnull):
        with pytest.raises(InterpreterNotFoundError, match="not a program that can be run"):
            Interpreter(LiveHost(), name).check()
