from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from torchdoctor.probes.interpreter import Interpreter
from torchdoctor.probes.live import LiveHost
from torchdoctor.probes.python_build import parse_build_details, parse_said, parse_version_text, probe

_LINUX = {
    "version": "3.13.1", "implementation": "cpython", "abiflags": "t", "soabi": "cpython-313t-x86_64-linux-gnu",
    "multiarch": "x86_64-linux-gnu", "platform": "linux-x86_64", "machine": "x86_64", "bits": 64, "free_threaded": True,
    "gil_enabled": False, "debug": False, "libc": "glibc", "executable": "/v/bin/python", "prefix": "/v",
    "base_prefix": "/usr", "venv": {"home": "/usr/bin", "uv": "0.9"}, "conda": False, "externally_managed": False,
}  # fmt: skip


def test_a_free_threaded_venv_of_uv() -> None:
    assert parse_said(_LINUX) == {
        "implementation": "cpython", "executable": "/v/bin/python", "libc": "glibc", "free_threaded": True,
        "gil_enabled": False, "debug": False, "externally_managed": False, "bits": 64, "version": "3.13.1",
        "abi": "cp313t", "platform_tag": "linux_x86_64", "machine": "x86_64", "environment": "uv",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("said", "machine"),
    [
        ({"platform": "linux-x86_64", "machine": "x86_64", "bits": 32}, "i686"),
        (
            {"platform": "linux-aarch64", "machine": "aarch64", "bits": 32, "soabi": "cpython-311-arm-linux-gnueabihf"},
            "armv7l",
        ),
        ({"platform": "linux-aarch64", "machine": "aarch64", "bits": 32}, "armv7l"),
        ({"platform": "win-amd64", "bits": 64}, "x86_64"),
        ({"platform": "win32", "bits": 32}, "i686"),
        ({"platform": "win-arm64", "bits": 64}, "aarch64"),
        ({"platform": "macosx-11.0-arm64", "machine": "arm64", "bits": 64}, "aarch64"),
        ({"platform": "macosx-10.9-universal2", "machine": "x86_64", "bits": 64}, "x86_64"),
        ({"platform": "macosx-10.9-universal2", "machine": "arm64", "bits": 64}, "aarch64"),
        ({"platform": None}, None),
    ],
)
def test_what_it_was_built_for(said: dict[str, Any], machine: str | None) -> None:
    assert parse_said(said).get("machine") == machine


@pytest.mark.parametrize(
    ("said", "environment"),
    [
        ({"prefix": "/v", "venv": {}}, "venv"),
        ({"prefix": "/opt/conda", "conda": True}, "conda"),
        ({"prefix": "/home/user/.pyenv/versions/3.12.1"}, "pyenv"),
        ({"prefix": "/home/user/.local/share/uv/python/cpython-3.12"}, "uv"),
        ({"prefix": "/opt/homebrew/Cellar/python@3.12"}, "homebrew"),
        ({"prefix": "/usr"}, "system"),
        ({}, None),
    ],
)
def test_kind_of_environment(said: dict[str, Any], environment: str | None) -> None:
    assert parse_said(said).get("environment") == environment


@pytest.mark.parametrize(
    ("said", "abi"),
    [
        ({"version": "2.7.18", "implementation": "cpython", "abiflags": "mu"}, "cp27mu"),
        ({"version": "3.7.3", "implementation": "cpython", "abiflags": "m"}, "cp37m"),
        ({"version": "3.15.0b1", "implementation": "cpython", "abiflags": ""}, "cp315"),
        ({"version": "3.10.14", "implementation": "pypy", "soabi": "pypy310-pp73-x86_64-linux-gnu"}, "pypy310_pp73"),
    ],
)
def test_abi(said: dict[str, Any], abi: str) -> None:
    assert parse_said(said)["abi"] == abi


def test_nonsense_is_left_out() -> None:
    said = {
        "version": 3,
        "bits": True,
        "free_threaded": "yes",
        "executable": 1,
        "platform": 5,
        "venv": "x",
        "multiarch": [],
    }
    assert parse_said(said) == {}


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("Python 3.14.0 free-threading build (main, Oct 7 2025, 10:00:00) [GCC 13.2.0]",
         {"version": "3.14.0", "free_threaded": True, "implementation": "cpython"}),
        ("Python 3.13.0 experimental free-threading build (main) [Clang 18.1.8 ]",
         {"version": "3.13.0", "free_threaded": True, "implementation": "cpython"}),
        ("Python 3.13.0 (main, Oct  7 2024, 05:02:14) [Clang 16.0.0 (clang-1600.0.26.4)]",
         {"version": "3.13.0", "free_threaded": False, "implementation": "cpython"}),
        ("Python 3.13.0", {"version": "3.13.0"}),  # the short form shows it of no build
        ("Python 3.12.1", {"version": "3.12.1", "free_threaded": False}),
        ("\nPython 2.7.18\n", {"version": "2.7.18", "free_threaded": False}),
        ("Python 3.12.4 (tags/v3.12.4:8e8a4ba, Jun  6 2024, 19:30:16) [MSC v.1940 64 bit (AMD64)]",
         {"version": "3.12.4", "free_threaded": False, "implementation": "cpython", "bits": 64, "machine": "x86_64"}),
        ("Python 3.11.11 (0253c85bf5f8, Feb 26 2025) [PyPy 7.3.19 with GCC 10.2.1]",
         {"version": "3.11.11", "free_threaded": False, "implementation": "pypy"}),
        ("Python was not found; run without arguments to install", {}),
        ("", {}),
    ],
)  # fmt: skip
def test_version_text(text: str, facts: dict[str, Any]) -> None:
    assert parse_version_text(text) == facts


def test_build_details() -> None:
    text = (
        '{"schema_version": "1.0", "platform": "linux-aarch64", "abi": {"flags": ["t"]}, "implementation": '
        '{"name": "cpython", "version": {"major": 3, "minor": 14, "micro": 2}}}'
    )
    assert parse_build_details(text) == {
        "version": "3.14.2", "implementation": "cpython", "free_threaded": True, "debug": False,
        "platform_tag": "linux_aarch64", "machine": "aarch64",
    }  # fmt: skip
    for bad in ("", "[]", "{", '{"abi": 3, "implementation": {"version": "3"}}', "[" * 9999):
        assert parse_build_details(bad) == {}


@pytest.mark.skipif(os.name == "nt", reason="POSIX layout")
def test_one_that_cannot_run_is_read_from_its_files(tmp_path: Path, probed: Any) -> None:
    base = tmp_path / "base"
    (base / "lib/python3.14t").mkdir(parents=True)
    (base / "lib/python3.14t/build-details.json").write_text(
        '{"platform": "linux-x86_64", "abi": {"flags": ["t"]}, "implementation": {"name": "cpython", "version": '
        '{"major": 3, "minor": 14, "micro": 0}}}'
    )
    (base / "bin").mkdir()
    (base / "bin/python3.14").write_text("#!/no/such/loader\n")
    (base / "bin/python3.14").chmod(0o755)
    venv = tmp_path / "venv"
    (venv / "bin").mkdir(parents=True)
    (venv / "bin/python").symlink_to(base / "bin/python3.14")
    (venv / "pyvenv.cfg").write_text("home = x\nversion_info = 3.14.0.final.0\n")
    host = LiveHost({})
    python = probed(probe, host, interpreter=Interpreter(host, str(venv))).python
    assert (python.version, python.free_threaded, python.machine, python.environment) == (
        "3.14.0",
        True,
        "x86_64",
        "venv",
    )


def test_a_replay_that_has_only_the_version(recorded: Any, probed: Any) -> None:
    facts = probed(probe, recorded(commands={"python2 -V": (0, b"", b"Python 2.7.18\n")}))
    assert (facts.python.version, facts.source("python.version")) == ("2.7.18", "python2 -V")
    facts = probed(probe, recorded())
    assert facts.python == type(facts.python)()
    assert facts.unknown["python.version"] == "not recorded: python"


def _interpreters() -> list[str]:
    versions = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    return sorted(str(p) for p in versions.glob("*/bin/python"))


@pytest.mark.parametrize("program", _interpreters()[:12] or [sys.executable])
def test_every_interpreter_here(program: str, probed: Any) -> None:
    host = LiveHost({})
    python = probed(probe, host, interpreter=Interpreter(host, program)).python
    done = subprocess.run([program, "-V"], capture_output=True, text=True, check=True)
    printed = (done.stdout + done.stderr).split()[1]  # Python 2 prints on standard error
    assert python.version == printed.rstrip("+")
    assert (python.implementation, python.bits, python.executable is not None) == ("cpython", 64, True)
    assert (python.abi or "").startswith("cp" + "".join(printed.split(".")[:2]))
