from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from torchdoctor.probes.interpreter_script import SCRIPT


def _run(*flags: str, python: str = sys.executable, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [python, *flags, "-c", SCRIPT], capture_output=True, text=True, timeout=60, env={**os.environ, **environ}
    )


def test_one_line_of_json_tells_the_interpreter() -> None:
    ran = _run("-I", "-S")
    assert (ran.returncode, ran.stderr, ran.stdout.count("\n")) == (0, "", 1)
    told = json.loads(ran.stdout)
    assert told["version"].startswith(f"{sys.version_info[0]}.{sys.version_info[1]}.")
    assert (told["implementation"], told["bits"]) == (sys.implementation.name, 64 if sys.maxsize > 2**32 else 32)
    assert os.path.realpath(told["prefix"]) == os.path.realpath(sys.prefix)
    # Without site its folders are found all the same.
    assert told["purelib"] in told["path"]
    assert all(os.path.isabs(path) for path in told["path"])


def test_code_of_a_pth_file_is_not_run(tmp_path: Path) -> None:
    import venv

    venv.create(tmp_path / "env", with_pip=False, symlinks=os.name != "nt")
    python = tmp_path / "env" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    (folder,) = (tmp_path / "env").rglob("site-packages")
    ran = tmp_path / "ran"
    more = tmp_path / "more"
    more.mkdir()
    (folder / "evil.pth").write_text(f"import pathlib; pathlib.Path({str(ran)!r}).touch()\n{more}\n")
    told = json.loads(_run("-I", "-S", python=str(python)).stdout)
    assert not ran.exists()
    assert str(more) in told["path"]
    assert told["venv"]


def test_the_script_speaks_the_oldest_python() -> None:
    for word in ("f'", 'f"', "async ", "nonlocal ", ":=", "print ("):
        assert word not in SCRIPT
    compile(SCRIPT, "script", "exec")
    with pytest.raises(SyntaxError):
        compile(SCRIPT + "\n(", "script", "exec")
