"""``torchdoctor profile``: what it writes is what ``--machine`` reads."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from torchdoctor.api import read_machine
from torchdoctor.commands.profile import command

WORDS = ["--gpu", "RTX 4090", "--gpu", "RTX 3090", "--driver", "535", "--python", "3.13t", "--os", "ubuntu 22.04"]


@pytest.mark.parametrize("name", ["machine.json", "machine.toml"])
def test_both_formats_read_back_alike(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    done = CliRunner().invoke(command, [*WORDS, "-o", str(path)], standalone_mode=False)
    assert done.return_value == 0, done.exception
    assert done.stdout == ""
    facts, warnings = read_machine(str(path))
    assert warnings == []
    assert [g.name for g in facts.gpus or ()] == ["GeForce RTX 4090", "GeForce RTX 3090"]
    assert (facts.python.version, facts.python.free_threaded) == ("3.13", True)
    assert facts.system.libc_version == "2.35"
    assert facts.drivers.nvidia.version == "535"
    assert facts.packages is None


def test_standard_output_is_json() -> None:
    done = CliRunner().invoke(command, ["--gpu", "none", "--os", "windows 11"], standalone_mode=False)
    assert json.loads(done.stdout) == {
        "system": {"os": "windows", "name": "Windows 11", "version": "11", "machine": "x86_64"},
        "gpus": [],
    }


def test_no_gpu_is_kept_in_toml(tmp_path: Path) -> None:
    path = tmp_path / "m.toml"
    CliRunner().invoke(
        command, ["--gpu", "none", "--driver", "none", "--os", "linux", "-o", str(path)], standalone_mode=False
    )
    facts, _ = read_machine(str(path))
    assert facts.gpus == ()
    assert facts.drivers.nvidia.version == ""


def test_an_unknown_gpu_gets_the_nearest_names() -> None:
    done = CliRunner().invoke(command, ["--gpu", "RTX 4095", "--os", "linux"], standalone_mode=False)
    assert "nearest known: " in str(done.exception)
    assert "RTX 409" in str(done.exception)


def test_the_system_at_hand_is_said() -> None:
    done = CliRunner().invoke(command, ["--gpu", "RTX 4090"], standalone_mode=False)
    assert done.return_value == 0
    assert "the system is this machine's" in done.stderr
    assert json.loads(done.stdout)["system"]["os"]
