from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from torchdoctor import __version__
from torchdoctor.cli import COMMANDS

MACHINE: dict[str, Any] = {
    "system": {"os": "linux", "machine": "x86_64", "libc": "glibc", "libc_version": "2.39"},
    "python": {"implementation": "cpython", "version": "3.12.4", "bits": 64, "machine": "x86_64"},
    "gpus": [{"vendor": "nvidia", "name": "NVIDIA GeForce RTX 4090", "compute_capability": "8.9"}],
    "drivers": {"nvidia": {"version": "550.54.14"}},
    "packages": {},
    "environment": {},
}


Call = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    path = tmp_path / "machine.json"
    path.write_text(json.dumps(MACHINE))
    return path


def _edited(machine: Path, **groups: object) -> Path:
    machine.write_text(json.dumps({**MACHINE, **groups}))
    return machine


def test_version_and_help_import_no_command(call: Call) -> None:
    found = call("--version")
    assert (found.returncode, found.stdout) == (0, f"torchdoctor {__version__} (matrix of 2026-11-30)\n")
    shown = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "torchdoctor", "--help"], capture_output=True, text=True, timeout=60
    )
    assert all(name in shown.stdout for name in COMMANDS)
    assert "torchdoctor.matrix" not in shown.stderr
    assert "torchdoctor.commands" not in shown.stderr


def test_options_without_a_command_mean_check(call: Call, machine: Path) -> None:
    bare = call("--machine", str(machine), "--format", "json")
    named = call("check", "--machine", str(machine), "--format", "json")
    assert bare.returncode == named.returncode == 0
    assert bare.stdout == named.stdout
    assert json.loads(bare.stdout)["recommendation"]["torch"] == "2.14.1"


def test_a_machine_file_needs_no_probe_no_compiled_package(machine: Path) -> None:
    found = subprocess.run(
        [
            sys.executable,
            "-X",
            "importtime",
            "-m",
            "torchdoctor",
            "check",
            "--machine",
            str(machine),
            "--format",
            "json",
        ],
        capture_output=True,
        text=True,
        timeout=60,
    )
    imported = {line.rsplit("|", 1)[-1].strip() for line in found.stderr.splitlines() if "|" in line}
    assert found.returncode == 0
    assert not imported & {"psutil", "distro", "cpuinfo", "rich", "torch", "torchdoctor.probes.live"}
    if sys.version_info >= (3, 11):  # before, click itself brings it
        assert "subprocess" not in imported


@pytest.mark.parametrize(
    ("args", "status"),
    [
        ([], 0),
        (["--torch", "2.15"], 1),
        (["--torch", "2.15", "--fail-on", "never"], 0),
        (["--require", "cuda"], 0),
        (["--require", "rocm", "--fail-on", "never"], 1),  # a requirement is a requirement
        (["--torch", "2.15", "--ignore", "driver-too-old"], 0),
    ],
)
def test_exit_status(call: Call, machine: Path, args: list[str], status: int) -> None:
    assert call("check", "--machine", str(machine), *args).returncode == status


def test_warnings_fail_only_when_told_to(call: Call, machine: Path) -> None:
    old = _edited(machine, gpus=[{"vendor": "amd", "name": "AMD Radeon RX 580", "gfx": "gfx803"}], drivers={})
    assert call("check", "--machine", str(old)).returncode == 0
    assert call("check", "--machine", str(old), "--fail-on", "warning").returncode == 1


@pytest.mark.parametrize(
    ("content", "name", "says"),
    [
        ('{"system": {"os": 7}}', "m.json", "m.json: system.os: expected a string, found a number (7)"),
        ('{"gpus": "none"}', "m.json", "m.json: gpus: expected a list, found a string ('none')"),
        (
            '{"gpus": [{"memory": "24 GB"}]}',
            "m.json",
            "m.json: gpus[0].memory: expected a whole number, found a string ('24 GB')",
        ),
        ('{"system": {', "m.json", "m.json: not valid JSON: line 1 column 13"),
        ("[system\nos = 1", "m.toml", "m.toml: not valid TOML"),
        ("[1, 2]", "m.json", "m.json: expected an object of facts, found a list"),
    ],
)
def test_bad_input_is_one_clear_line(call: Call, tmp_path: Path, content: str, name: str, says: str) -> None:
    path = tmp_path / name
    path.write_text(content)
    found = call("check", "--machine", str(path), "--output", str(tmp_path / "out.json"))
    assert found.returncode == 2
    assert found.stdout == ""
    assert len(found.stderr.splitlines()) == 1
    assert says in found.stderr
    assert not (tmp_path / "out.json").exists()


def test_an_unknown_key_is_a_warning_with_the_nearest_known_one(call: Call, machine: Path) -> None:
    found = call(
        "check", "--machine", str(_edited(machine, driver={}, system={**MACHINE["system"], "libc_versio": "1"})), "-q"
    )
    assert found.returncode == 0
    assert "unknown key driver (nearest known: drivers)" in found.stderr
    assert "unknown key system.libc_versio (nearest known: system.libc_version)" in found.stderr
    assert len(found.stdout.splitlines()) == 1


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["chek"], "no such command: chek (did you mean check?)"),
        (["check", "--torch", "newest"], "not a torch release or range: 'newest'"),
        (["check", "--variant", "tpu"], "not a variant name: 'tpu'"),
        (["check", "--ignore", "driver-to-old"], "--ignore driver-to-old: no such finding (nearest: driver-too-old)"),
        (["check", "--machine", "nowhere.json"], "nowhere.json: no such file"),
        (["check", "--format", "xml"], "'xml' is not one of"),
        (["diagnose", "nowhere.txt"], "nowhere.txt: no such file"),
    ],
)
def test_wrong_calls_exit_2_with_one_line(call: Call, machine: Path, args: list[str], says: str) -> None:
    if "--machine" not in args and args[0] == "check":
        args = [*args, "--machine", str(machine)]
    found = call(*args)
    assert found.returncode == 2
    assert says in found.stderr
    assert "Traceback" not in found.stderr


def test_ignored_ids_may_stand_in_a_project_file(call: Call, machine: Path, tmp_path: Path) -> None:
    config = tmp_path / "pyproject.toml"
    config.write_text('[tool.torchdoctor]\nignore = ["driver-too-old"]\n')
    assert call("check", "--machine", str(machine), "--torch", "2.15", "--config", str(config)).returncode == 0
    config.write_text("[tool.torchdoctor]\nignore = 3\n")
    found = call("check", "--machine", str(machine), "--config", str(config))
    assert found.returncode == 2
    assert "tool.torchdoctor.ignore: expected a list of finding ids" in found.stderr


def test_output_goes_to_a_file_whole_or_not_at_all(call: Call, machine: Path, tmp_path: Path) -> None:
    target = tmp_path / "report.json"
    found = call("check", "--machine", str(machine), "--format", "json", "--output", str(target))
    assert found.stdout == ""
    assert json.loads(target.read_text(encoding="utf-8"))["schema"] == "torchdoctor/report/1"
    missing = tmp_path / "no" / "such" / "folder.json"
    found = call("check", "--machine", str(machine), "--format", "json", "--output", str(missing))
    assert found.returncode == 2
    assert "cannot be written" in found.stderr
    assert sorted(p.name for p in tmp_path.iterdir()) == ["machine.json", "report.json"]


def test_text_is_ascii_where_the_stream_is_not_utf8(machine: Path) -> None:
    found = subprocess.run(
        [sys.executable, "-m", "torchdoctor", "check", "--machine", str(machine)],
        capture_output=True,
        timeout=60,
        env={**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"},
    )
    assert found.returncode == 0
    found.stdout.decode("ascii")
    assert b"pip install torch==2.14.1" in found.stdout


def test_a_reader_that_goes_away_is_no_failure(machine: Path) -> None:
    command = f"{sys.executable} -m torchdoctor check --machine {machine} --format json --all | head -c 10"
    found = subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=60)
    assert found.stdout == '{\n  "schem'
    assert "Traceback" not in found.stderr


def test_a_fault_of_ours_is_one_line(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    from torchdoctor import api

    def broken(*args: object, **options: object) -> None:
        raise KeyError("what nobody thought of")

    monkeypatch.setattr(api, "judged", broken)
    monkeypatch.delenv("TORCHDOCTOR_TRACEBACK", raising=False)
    said = call("check", "--gpu", "RTX 4090", "--os", "ubuntu 24.04")
    assert (said.returncode, said.stdout) == (2, "")
    assert said.stderr.count("\n") == 1
    assert "fault of torchdoctor itself (KeyError" in said.stderr


@pytest.mark.skipif(os.name == "nt", reason="a POSIX shell")
@pytest.mark.parametrize(
    ("shell", "status", "says"),
    [
        ("$RUN >&-", 0, b""),
        ("$RUN >&- 2>&- <&-", 0, b""),
        ("$RUN -q 2>&-", 0, b""),
        ("$RUN --format json >/dev/full", 2, b"torchdoctor: standard output: No space left on device\n"),
        ("$RUN --output /dev/full", 2, b"torchdoctor: /dev/full: cannot be written: No space left on device\n"),
        ("$RUN --output /nowhere/x", 2, b"torchdoctor: /nowhere/x: cannot be written: No such file or directory\n"),
        ("$RUN | true; exit ${PIPESTATUS[0]}", 0, b""),
    ],
)
def test_streams_that_take_nothing(tmp_path: Path, shell: str, status: int, says: bytes) -> None:
    if "/dev/full" in shell and not os.path.exists("/dev/full"):
        pytest.skip("no such device")
    machine = tmp_path / "m.json"
    machine.write_text(json.dumps({"system": {"os": "linux"}}))
    run = f"'{sys.executable}' -m torchdoctor check --machine '{machine}'"
    done = subprocess.run(["bash", "-c", shell.replace("$RUN", run)], stderr=subprocess.PIPE, timeout=60)
    assert (done.returncode, done.stderr) == (status, says)


def test_modules_in_the_current_folder_are_not_run(tmp_path: Path) -> None:
    for name in ("json", "click", "packaging", "tomllib", "random"):
        (tmp_path / f"{name}.py").write_text(f"raise SystemExit('{name}.py was run')\n")
    run = [
        sys.executable,
        "-m",
        "torchdoctor",
        "check",
        "--gpu",
        "RTX 4090",
        "--os",
        "ubuntu 24.04",
        "--format",
        "json",
    ]
    done = subprocess.run(run, capture_output=True, cwd=tmp_path, timeout=60)
    assert done.stderr == b""
    assert json.loads(done.stdout)["facts"]["gpus"][0]["vendor"] == "nvidia"


def test_no_number_is_no_timeout(capsys: pytest.CaptureFixture[str]) -> None:
    from torchdoctor import cli

    with pytest.raises(SystemExit) as end:
        cli.main(["check", "--timeout", "nan"])
    assert end.value.code == 2
    assert "--timeout" in capsys.readouterr().err
