from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
import pytest
from torchdoctor import api
from torchdoctor.api import InputError, Options, Report
from torchdoctor.probes.facts import Facts, System
from torchdoctor.probes.profile import facts_from_mapping
from torchdoctor.subject import subject, tell, unmet

HERE = facts_from_mapping(
    {
        "system": {"os": "linux", "machine": "x86_64", "libc": "glibc", "libc_version": "2.36"},
        "python": {"version": "3.11.2", "implementation": "cpython", "bits": 64},
        "gpus": [],
        "packages": {},
    }
)


@pytest.fixture(autouse=True)
def _probed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The machine at hand, without looking at it."""
    monkeypatch.setattr(api, "examine", lambda options, **_: (HERE, {"system": 0.1}, ()))


@pytest.fixture
def machine(tmp_path: Path) -> str:
    file = tmp_path / "target.json"
    profile = {
        "gpus": [{"vendor": "nvidia", "name": "NVIDIA L4", "compute_capability": "8.9"}],
        "drivers": {"nvidia": {"version": "550.54.14"}},
    }
    file.write_text(json.dumps(profile))
    return str(file)


def test_the_machine_at_hand_without_any_declaration() -> None:
    report = subject(Options())
    assert report.source == ("live", "this machine")
    other = api.judged(Facts(), ("live", "x"), Options())
    assert subject(Options(), probe=lambda options: other) is other


def test_a_declared_machine_is_not_probed(machine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api, "examine", lambda *_, **__: pytest.fail("looked at this machine"))
    report = subject(Options(), machines=(machine,))
    assert report.source == ("machine", machine)
    assert report.facts.python.version is None


def test_an_overlay_judges_this_image_for_the_declared_target(machine: str) -> None:
    report = subject(Options(), machines=(machine,), overlay=True)
    assert report.facts.python.version == "3.11.2"
    assert report.facts.gpus is not None and report.facts.gpus[0].name == "NVIDIA L4"
    assert report.timings == {"system": 0.1}


def test_flags_declare_a_machine_like_this_one() -> None:
    report = subject(Options(python="3.12"), gpus=("RTX 4090",), driver="580")
    assert report.source == ("machine", "flags")
    assert (report.facts.system.os, report.facts.system.libc_version) == ("linux", "2.36")
    assert report.facts.python.version == "3.12"
    # The version was to be judged, it is no program to name in a command.
    assert report.commands["pip"].startswith("pip install")
    other = subject(Options(), os="windows 11", gpus=("none",))
    assert (other.facts.system.os, other.facts.system.libc) == ("windows", None)


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ({"machines": ("a", "b")}, "one at a time"),
        ({"machines": ("a",), "gpus": ("RTX 4090",)}, "leave out --gpu"),
        ({"overlay": True}, "--overlay needs a declared machine"),
        ({"gpus": ("RTX 9999",)}, "RTX 9999"),
    ],
)
def test_declarations_that_contradict_or_are_none(how: dict[str, Any], says: str) -> None:
    with pytest.raises(click.UsageError) as error:
        subject(Options(), **how)
    assert says in error.value.message


def test_a_machine_file_that_is_not_there_and_one_with_an_odd_key(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(InputError, match="no such file"):
        subject(Options(), machines=(str(tmp_path / "nowhere.toml"),))
    file = tmp_path / "m.toml"
    file.write_text("[sistem]\n")
    subject(Options(), machines=(str(file),))
    assert capsys.readouterr().err == f"torchdoctor: warning: {file}: unknown key sistem (nearest known: system)\n"


def _report(profile: dict[str, Any], **asked: Any) -> Report:
    return api.judged(facts_from_mapping(profile), ("machine", ""), Options(**asked))


NEW = {
    "system": {"os": "linux", "machine": "x86_64", "libc": "glibc", "libc_version": "2.39"},
    "python": {"implementation": "cpython", "version": "3.12.4", "bits": 64, "machine": "x86_64"},
    "gpus": [{"vendor": "nvidia", "name": "NVIDIA L4", "compute_capability": "8.9"}],
    "drivers": {"nvidia": {"version": "535.183.01"}},
    "packages": {},
}


@pytest.mark.parametrize(
    ("asked", "status", "says"),
    [
        ({}, 0, ""),
        ({"torch": "2.15"}, 1, "driver-too-old: "),
        ({"requires": ("rocm",)}, 1, "--require rocm is not met (gpu-not-found)"),
        ({"requires": ("cuda",)}, 0, ""),
    ],
)
def test_what_stands_in_the_way_of_a_recommendation(
    asked: dict[str, Any], status: int, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert unmet(_report(NEW, **asked)) == status
    said = capsys.readouterr().err
    assert says in said and bool(said) == bool(says)


def test_no_candidate_that_could_be_judged_is_a_status_of_its_own() -> None:
    nothing = api.judged(Facts(system=System()), ("machine", ""), Options())
    assert unmet(nothing) == (0 if nothing.verdict.recommendation else 3)
    odd = {
        **NEW,
        "system": {"os": "linux", "machine": "riscv64"},
        "python": {"version": "3.12.4", "machine": "riscv64"},
    }
    assert unmet(_report(odd)) == 1  # a blocker says why


def test_nothing_smuggled_into_a_file_steers_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    tell("a\x1b[31mb\nc\u202e")
    assert capsys.readouterr().err == "torchdoctor: a?[31mb?c?\n"
