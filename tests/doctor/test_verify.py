"""What is made of the installer's answer; asking a real one is tested with the installers."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from torchdoctor import api, verify
from torchdoctor.api import Options
from torchdoctor.environment import Environment, NotUsableError
from torchdoctor.installers import Target
from torchdoctor.probes.facts import Python, System
from torchdoctor.probes.profile import facts_from_mapping
from torchdoctor.verify import examined_command, offered, verified_report

ADA = facts_from_mapping(
    {
        "system": {"os": "linux", "machine": "x86_64", "libc": "glibc", "libc_version": "2.39"},
        "python": {"implementation": "cpython", "version": "3.12.4", "bits": 64, "machine": "x86_64"},
        "gpus": [{"vendor": "nvidia", "name": "NVIDIA L4", "compute_capability": "8.9"}],
        "drivers": {"nvidia": {"version": "580.95.05"}},
        "packages": {},
    }
)
Pip = Callable[..., list[list[str]]]


@pytest.fixture
def here() -> Environment:
    fields = dict.fromkeys(Environment.__dataclass_fields__)
    return Environment(**{**fields, "python": "/env/bin/python", "pip": "24.2", "version": (3, 12)})  # type: ignore[arg-type]


@pytest.fixture
def pip(monkeypatch: pytest.MonkeyPatch) -> Pip:
    """``pip(held=frozenset({"torch==2.14.1"}), text="…")``: an index that holds these; returns the lines pip was asked with."""

    def install(*, held: frozenset[str] = frozenset(), status: int = 1, text: str | None = None) -> list[list[str]]:
        asked: list[list[str]] = []

        def run(line: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
            asked.append(line)
            wanted = [word for word in line if word.startswith("torch==")]
            if wanted and wanted[0] in held:
                return subprocess.CompletedProcess(line, 0, "", "")
            said = text if text is not None else f"ERROR: No matching distribution found for {wanted}"
            return subprocess.CompletedProcess(line, status, "", said)

        monkeypatch.setattr(subprocess, "run", run)
        return asked

    return install


@pytest.fixture
def report(monkeypatch: pytest.MonkeyPatch, here: Environment) -> api.Report:
    monkeypatch.setattr(verify, "examined_command", lambda options: ("/env/bin/python",))
    monkeypatch.setattr(verify, "inspect", lambda command: here)
    return api.judged(ADA, ("live", ""), Options())


def test_a_build_that_is_there_is_left_alone(report: api.Report, pip: Pip) -> None:
    asked = pip(held=frozenset({"torch==2.15.0"}))
    said: list[str] = []
    assert verified_report(report, Options(), said.append) is report
    assert said == [] and len(asked) == 1


def test_the_next_candidate_takes_the_place_of_one_that_is_not_there(report: api.Report, pip: Pip) -> None:
    pip(held=frozenset({"torch==2.14.1", "torch==2.14.1+cu130", "torch==2.14.1+cu132"}))
    said: list[str] = []
    found = verified_report(report, Options(), said.append)
    assert found.verdict.recommendation is not None and found.verdict.recommendation.torch == "2.14.1"
    assert said[0] == "torch 2.15.0 (cu132) is not on the index for this interpreter; taking the next candidate"
    assert found.verdict.summary.endswith("the index does not hold torch 2.15.0 (cu132) for this interpreter")
    assert found.commands["pip"].startswith("pip install torch==2.14.1")


def test_an_index_that_holds_nothing_changes_nothing(report: api.Report, pip: Pip) -> None:
    asked = pip()
    said: list[str] = []
    assert verified_report(report, Options(), said.append) is report
    assert len(asked) == 8  # and no more are tried
    assert said[-1].endswith("the matrix's choice stands, unverified")


def test_an_installer_that_cannot_be_asked(
    report: api.Report, pip: Pip, here: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = pip()
    monkeypatch.setattr(verify, "inspect", lambda command: replace(here, pip="21.3"))
    said: list[str] = []
    assert verified_report(report, Options(), said.append) is report
    assert said == ["torch 2.15.0 (cu132) is not verified: pip 21.3: 22.2 or newer can tell without installing"]
    assert asked == []

    def unusable(command: object) -> Environment:
        raise NotUsableError("no interpreter")

    monkeypatch.setattr(verify, "inspect", unusable)
    assert verified_report(report, Options(), said.append) is report
    assert said[-1] == "not verified: no interpreter"


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("ERROR: No matching distribution found for torch==2.15.0", (False, "")),
        ("ERROR: Could not find a version that satisfies the requirement torch (from versions: none)", (False, "")),
        # An index answers 403 or 404 for what it does not hold.
        ("Could not fetch URL https://x/torch/: 404 Client Error: Not Found\nNo matching distribution found", (False, "")),
        # One that does not answer proves nothing.
        ("WARNING: Retrying (Retry(total=0)) after connection broken\nNo matching distribution found", (None, "WARNING: Retrying (Retry(total=0)) after connection broken")),
        ("Could not fetch URL https://u:secret@x/: 500 Server Error", (None, "Could not fetch URL https://x/: 500 Server Error")),
        ("", (None, "pip failed with status 1")),
    ],
)  # fmt: skip
def test_what_pips_words_mean(
    report: api.Report, pip: Pip, here: Environment, text: str, answer: tuple[bool | None, str]
) -> None:
    pip(text=text)
    assert report.verdict.recommendation is not None
    target = Target(recommendation=report.verdict.recommendation, system=ADA.system)
    assert offered(target, here) == answer


def test_another_machine_is_asked_for_by_its_tags(report: api.Report, pip: Pip, here: Environment) -> None:
    asked = pip(held=frozenset({"torch==2.15.0"}))
    assert report.verdict.recommendation is not None
    windows = Target(
        recommendation=report.verdict.recommendation,
        system=System(os="windows", machine="x86_64"),
        python=Python(version="3.12.1"),
    )
    assert offered(windows, here, foreign=True) == (True, "")
    assert asked[0][asked[0].index("--platform") + 1] == "win_amd64"
    nowhere = replace(windows, system=System())
    found, why = offered(nowhere, here, foreign=True)
    assert found is None and why


def test_an_interpreter_that_is_not_there() -> None:
    with pytest.raises(NotUsableError, match="/no/such/python"):
        examined_command(Options(python="/no/such/python"))
