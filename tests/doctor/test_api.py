"""The public door: facts, files, recordings and pasted texts in, a report out."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torchdoctor
from torchdoctor.api import InputError, Options, diagnose, diagnose_text, judged, read_machine, read_machine_text
from torchdoctor.matrix.request import RequestError
from torchdoctor.probes.facts import Facts
from torchdoctor.probes.profile import facts_from_mapping

PROFILE: dict[str, Any] = {
    "system": {"os": "linux", "machine": "x86_64", "libc": "glibc", "libc_version": "2.39"},
    "python": {"implementation": "cpython", "version": "3.12.4", "bits": 64, "machine": "x86_64"},
    "gpus": [{"vendor": "nvidia", "name": "NVIDIA GeForce RTX 4090", "compute_capability": "8.9"}],
    "drivers": {"nvidia": {"version": "580.95.05"}},
    "packages": {},
    "environment": {},
}
HOSTS = Path(__file__).parents[1] / "hosts"


def test_facts_are_judged_as_they_are() -> None:
    report = torchdoctor.diagnose(facts_from_mapping(PROFILE))
    assert report.source == ("machine", "")
    assert report.verdict.status == "ok"
    assert report.commands["pip"] == "pip install torch==2.15.0"
    assert list(report.commands) == ["pip", "uv"]


def test_options_shape_the_request_and_its_commands() -> None:
    asked = Options(torch="2.14", variant="cu126", installer="conda", index_base="https://mirror.invalid/whl")
    report = diagnose(facts_from_mapping(PROFILE), asked)
    assert report.verdict.recommendation is not None
    assert (report.verdict.recommendation.torch, report.verdict.recommendation.variant) == ("2.14.1", "cu126")
    assert list(report.commands) == ["pip", "uv", "conda"]
    assert report.commands["pip"].endswith("--index-url https://mirror.invalid/whl/cu126")


def test_a_blocked_request_comes_with_an_alternative() -> None:
    old = {**PROFILE, "drivers": {"nvidia": {"version": "535.183.01"}}}
    report = diagnose(facts_from_mapping(old), Options(torch="2.15"))
    assert report.verdict.status == "blocked"
    assert report.alternative_commands["pip"].startswith("pip install torch==2.14.1")


def test_a_request_nobody_can_read_is_no_report() -> None:
    with pytest.raises(RequestError):
        judged(Facts(), ("machine", ""), Options(torch="newest"))


@pytest.mark.parametrize(
    ("name", "text", "kind"),
    [
        ("m.json", json.dumps(PROFILE), "machine"),
        ("m.toml", '[system]\nos = "linux"\n', "machine"),
        ("paste.txt", "PyTorch version: 2.6.0+cu126\n", "free_text"),
        ("pyproject.toml", '[project]\ndependencies = ["torch==2.6.0"]\n', "free_text"),
        ("log.txt", '{"other": 1}\n', "free_text"),
        ("log.txt", "", "free_text"),
    ],
)
def test_a_text_by_what_it_holds(name: str, text: str, kind: str) -> None:
    assert diagnose_text(text, name).source == (kind, name)


def test_our_own_report_is_judged_again_from_its_facts_alone() -> None:
    first = diagnose(facts_from_mapping(PROFILE))
    document = first.to_dict()
    document["verdict"] = "blocked"  # what it says of itself counts nothing
    again = diagnose_text(json.dumps(document), "report.json")
    assert again.source == ("report", "report.json")
    assert again.verdict == first.verdict
    # What the matrix had added is found anew, not taken for a reading.
    assert not [s for s in again.facts.sources.values() if s.startswith("matrix: ")] or again.facts == first.facts


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"schema": "torchdoctor/fleet/1", "nodes": 3}', "expected torchdoctor/report/1"),
        ('{"schema": "torchdoctor/report/1", "facts": 3}', "facts: expected an object"),
        ('{"system": {"os": 1}}', "system.os: expected a string"),
    ],
)
def test_a_document_of_ours_that_is_wrong_is_one_line(text: str, says: str) -> None:
    with pytest.raises(InputError) as error:
        diagnose_text(text, "x.json")
    assert str(error.value).startswith("x.json: ") and says in str(error.value) and "\n" not in str(error.value)


def test_files_folders_and_what_is_not_there(tmp_path: Path) -> None:
    file = tmp_path / "m.json"
    file.write_text(json.dumps(PROFILE))
    assert diagnose(file).verdict.status == "ok"
    assert diagnose(str(HOSTS / "linux-vm-no-gpu")).source[0] == "recording"
    with pytest.raises(InputError, match="no such file"):
        diagnose(tmp_path / "nowhere.json")
    with pytest.raises(InputError, match=r"recording\.json"):
        diagnose(tmp_path)  # a folder that is no recording
    (tmp_path / "binary").write_bytes(b"\x7fELF" + bytes(2000))
    with pytest.raises(InputError, match="binary"):
        diagnose(tmp_path / "binary")


def test_machine_files_in_either_language(tmp_path: Path) -> None:
    facts, warnings = read_machine_text('[system]\nos = "linux"\nkernal = "6"\n', "target.toml")
    assert facts.system.os == "linux"
    assert warnings == ["target.toml: unknown key system.kernal (nearest known: system.kernel)"]
    file = tmp_path / "report.json"
    file.write_text(json.dumps(diagnose(facts_from_mapping(PROFILE)).to_dict()))
    assert read_machine(str(file))[0].python.version == "3.12.4"  # a report is a machine file too
    with pytest.raises(InputError, match="m: not valid TOML"):
        read_machine_text("no = toml = at all", "m")


def test_every_candidate_on_request() -> None:
    few = diagnose(facts_from_mapping(PROFILE)).verdict.candidates
    every = diagnose(facts_from_mapping(PROFILE), replace(Options(), every=True)).verdict.candidates
    assert len(every) > 5 * len(few)
    assert {c.torch.split(".")[0] for c in every} == {"1", "2"}
