"""``torchdoctor command``: the line and nothing else, one file for several machines, nothing where it cannot be."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result
from torchdoctor.commands.command import command
from torchdoctor.matrix.tables import parse_toml

CU126 = "https://download.pytorch.org/whl/cu126"
ADA = ["--gpu", "RTX 4090", "--driver", "535", "--python", "3.12", "--os", "ubuntu 24.04"]


def run(*args: str) -> Result:
    return CliRunner().invoke(command, args, standalone_mode=False)


@pytest.fixture
def machine(tmp_path: Path) -> Callable[..., list[str]]:
    """Profile files made with the words of ``profile``."""
    from torchdoctor.probes.profile import facts_to_mapping
    from torchdoctor.profile_flags import facts_from_flags

    def write(name: str, **words: Any) -> list[str]:
        path = tmp_path / f"{name}.json"
        path.write_text(json.dumps(facts_to_mapping(facts_from_flags(**words))))
        return ["--machine", str(path)]

    return write


def test_one_line_on_standard_output() -> None:
    done = run(*ADA)
    assert done.return_value == 0
    assert done.stdout == f"pip install torch==2.14.1 --index-url {CU126}\n"
    assert done.stderr.startswith("torchdoctor: This index holds torch's family only")


def test_a_declared_interpreter_is_not_named() -> None:
    done = run(*ADA, "--installer", "uv")
    assert done.stdout == "uv pip install torch==2.14.1 --torch-backend=cu126\n"


def test_companions() -> None:
    done = run(*ADA, "--with", "torchvision")
    assert done.stdout == f"pip install torch==2.14.1 torchvision==0.29.1 --index-url {CU126}\n"


def test_a_mirror_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TORCHDOCTOR_INDEX_BASE", "https://mirror.example/torch")
    assert run(*ADA).stdout == "pip install torch==2.14.1 --index-url https://mirror.example/torch/cu126\n"


@pytest.mark.parametrize("base", ["https://m/$(id)", "https://m/a;b", "https://m/it's"])
def test_a_mirror_is_quoted_for_the_shell(base: str) -> None:
    posix = run(*ADA, "--index-base", base).stdout
    assert f" {base}/cu126" not in posix
    powershell = run(*ADA, "--index-base", base, "--shell", "powershell").stdout
    assert powershell.endswith("'" + f"{base}/cu126".replace("'", "''") + "'\n")


@pytest.mark.parametrize("base", ["https://m/a b", "https://m/a\nb", "ftp://m", "m"])
def test_a_mirror_that_is_none(base: str) -> None:
    done = run(*ADA, "--index-base", base)
    assert done.stdout == ""
    assert "is not the URL of an index" in str(done.exception)


def test_nothing_where_the_request_cannot_be_met() -> None:
    done = run(*ADA, "--torch", "2.15")
    assert done.return_value == 1
    assert done.stdout == ""
    assert "driver-too-old" in done.stderr


def test_nothing_where_a_requirement_is_not_met() -> None:
    done = run("--gpu", "none", "--os", "ubuntu 24.04", "--python", "3.12", "--require", "cuda")
    assert done.return_value == 1
    assert done.stdout == ""
    assert "--require cuda is not met" in done.stderr


def test_one_project_for_several_machines(machine: Callable[..., list[str]]) -> None:
    several = [
        *machine("a", gpus=["RTX 4090"], driver="535", python="3.12", os="ubuntu 24.04"),
        *machine("b", gpus=["M2"], python="3.12", os="macos 15.5"),
        *machine("c", gpus=["none"], python="3.12", os="windows 11"),
    ]
    done = run(*several, "--installer", "uv-project")
    assert done.return_value == 0
    data = parse_toml(done.stdout)
    linux, mac, windows = data["tool"]["uv"]["environments"]
    assert data["project"]["dependencies"] == [
        f"torch==2.14.1 ; {linux}",
        f"torch==2.15.0 ; ({mac}) or ({windows})",
    ]
    assert data["tool"]["uv"]["sources"] == {"torch": [{"index": "pytorch-cu126", "marker": linux}]}


def test_machines_of_one_kind_take_what_all_can_run(machine: Callable[..., list[str]]) -> None:
    several = [
        *machine("old", gpus=["RTX 4090"], driver="535", python="3.12", os="ubuntu 24.04"),
        *machine("new", gpus=["RTX 4090"], driver="580", python="3.12", os="ubuntu 24.04"),
    ]
    done = run(*several, "--installer", "uv-project")
    assert done.return_value == 0
    assert parse_toml(done.stdout)["project"]["dependencies"] == ["torch==2.14.1"]
    assert "torch 2.14.1 (cu126) is the best that every one of them can run" in done.stderr


@pytest.mark.parametrize("other", [{"gpus": ["RX 7900 XTX"]}, {"gpus": ["none"]}])
def test_machines_that_share_nothing(other: dict[str, Any], machine: Callable[..., list[str]]) -> None:
    several = [
        *machine("one", gpus=["RTX 4090"], driver="580", python="3.12", os="ubuntu 24.04"),
        *machine("two", python="3.12", os="ubuntu 24.04", **other),
    ]
    done = run(*several, "--installer", "poetry")
    assert done.stdout == ""
    assert "no one project file serves all: torch 2.15.0 (cpu)" in str(done.exception) or "(rocm" in str(done.exception)


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--overlay"], "--overlay needs a declared machine"),
        (["--machine", "x.json", "--gpu", "RTX 4090"], "declares the machine already"),
        (["--machine", "a.json", "--machine", "b.json"], "need a project file"),
        (["--machine", "a", "--machine", "b", "--installer", "poetry", "--os", "linux"], "declare everything"),
        (["--gpu", "RTX 40900", "--os", "linux"], "nearest known"),
        (["--machine", "no-such.json"], "no such file"),
    ],
)
def test_calls_that_are_refused(args: list[str], said: str) -> None:
    done = run(*args)
    assert said in str(done.exception or "") or said in getattr(done.exception, "message", "")
    assert done.stdout == ""


def test_a_hostile_machine_file_neither_reaches_a_shell_nor_steers_a_terminal(tmp_path: Path) -> None:
    facts = {
        "system": {"os": "linux", "name": "x\x1b[2J", "machine": "x86_64", "libc": "glibc", "libc_version": "2.39"},
        "python": {"implementation": "cpython", "version": "3.12", "executable": "/bin/sh -c 'touch gone'", "bits": 64},
        "gpus": [{"vendor": "nvidia", "name": "$(touch gone)\n\x1b]0;x\x07", "compute_capability": "8.9"}],
        "drivers": {"nvidia": {"version": "535.1; touch gone"}},
        "packages": {"torch": "2.14.1+$(touch gone)", "`id`": "1"},
        "$(touch gone)\x1b": 1,
    }
    path = tmp_path / "machine.json"
    path.write_text(json.dumps(facts))
    for installer in ("pip", "uv", "conda", "dockerfile", "requirements", "uv-project"):
        done = run("--machine", str(path), "--installer", installer)
        for word in ("touch", "gone", "`", "/bin/sh"):
            assert word not in "".join(line for line in done.stdout.splitlines() if not line.startswith("#"))
        assert all(c.isprintable() or c == "\n" for c in done.stdout + done.stderr)


def test_a_package_is_no_argument() -> None:
    done = run("torchvision", *ADA)
    assert isinstance(done.exception, click.UsageError)
    assert "--with torchvision" in done.exception.message


def test_a_gpu_that_stays_unused_is_named() -> None:
    done = run("--gpu", "RX 7900 XTX", "--os", "windows 11", "--python", "3.12")
    assert done.stdout == "pip install torch==2.15.0\n"
    assert "for the CPU only, Radeon RX 7900 XTX stays unused" in done.stderr


def test_what_a_file_says_itself_is_not_said_twice() -> None:
    done = run(*ADA, "--installer", "poetry")
    assert done.stdout.startswith("# Poetry locks")
    assert done.stderr == ""
