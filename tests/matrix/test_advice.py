from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from torchdoctor.matrix.advice import notes, recommendation, summary
from torchdoctor.matrix.case import Asked, Case
from torchdoctor.matrix.catalog import Catalog
from torchdoctor.matrix.infer import infer
from torchdoctor.matrix.request import wanted
from torchdoctor.matrix.select import Choice, choose
from torchdoctor.matrix.verdict import Finding
from torchdoctor.probes.facts import Facts

Machine = Callable[..., Facts]


def _case(catalog: Catalog, facts: Facts, **asked: Any) -> tuple[Case, Choice]:
    known = infer(facts)
    return Case(facts=known, catalog=catalog, asked=Asked(**asked)), choose(catalog, known, wanted(asked.get("torch")))


def _notes(catalog: Catalog, facts: Facts, *, requested: bool = False) -> dict[str, Finding]:
    case, choice = _case(catalog, facts)
    told = notes(case, choice, choice, recommendation(case, choice, choice), (), requested=requested)
    return {f.id: f for f in told}


def test_what_to_install(catalog: Catalog, machine: Machine) -> None:
    case, choice = _case(catalog, machine("4090", driver="580.95.05"))
    best = recommendation(case, choice, choice)
    assert best is not None
    assert (best.torch, best.variant, best.index_url, best.upgrade) == ("2.15.0", "cu132", None, None)
    assert best.packages == {"torch": "2.15.0"}


def test_companions_that_are_asked_for_or_installed_are_paired(catalog: Catalog, machine: Machine) -> None:
    case, choice = _case(catalog, machine(packages={"torchaudio": "2.2.0"}), companions=("torchvision",), torch="2.5.1")
    best = recommendation(case, choice, choice)
    assert best is not None
    assert best.packages == {"torch": "2.5.1", "torchvision": "0.20.1", "torchaudio": "2.5.1"}


def test_a_companion_without_a_known_pair_is_left_out(catalog: Catalog, machine: Machine) -> None:
    case, choice = _case(catalog, machine(), companions=("torchcodec",))
    best = recommendation(case, choice, choice)
    assert best is not None and best.packages == {"torch": "2.15.0"}


def test_no_candidate_no_recommendation(catalog: Catalog, machine: Machine) -> None:
    case, choice = _case(catalog, machine(arch="riscv64"))
    assert recommendation(case, choice, choice) is None


def test_one_change_that_opens_a_newer_release(catalog: Catalog, machine: Machine) -> None:
    facts = machine("4090", driver="535.183.01")
    assert list(_notes(catalog, facts)) == ["newest-out-of-reach"]
    assert _notes(catalog, facts)["newest-out-of-reach"].detail.startswith(
        "driver 580 or newer would allow torch 2.15.0 (cu132)"
    )
    assert _notes(catalog, facts, requested=True) == {}
    case, choice = _case(catalog, facts)
    best = recommendation(case, choice, choice)
    assert best is not None and best.upgrade == "driver 580 or newer would allow torch 2.15.0 (cu132)"


def test_the_last_release_of_a_machine(catalog: Catalog, machine: Machine) -> None:
    found = _notes(catalog, machine("1080", driver="580.95.05"))
    assert list(found) == ["support-ends"]
    assert found["support-ends"].detail.startswith("torch 2.14.1 is the last release for this machine")
    intel_mac = machine(os="macos", gpus=[], python="3.11.9")
    assert "Intel Macs" in _notes(catalog, intel_mac)["support-ends"].detail


def test_the_newest_release_needs_no_note(catalog: Catalog, machine: Machine) -> None:
    assert _notes(catalog, machine("4090", driver="580.95.05")) == {}


def _finding(severity: Any, **words: Any) -> Finding:
    return Finding(id="x", severity=severity, about="machine", title="A title.", **words)


@pytest.mark.parametrize(
    ("findings", "says"),
    [
        ((), "install torch 2.15.0 (cu132)"),
        ((_finding("warning", detail="old"),), "install torch 2.15.0 (cu132); old"),
        ((_finding("warning"),), "install torch 2.15.0 (cu132); A title."),
        ((_finding("blocker", fix=("do this", "or that")),), "A title: do this"),
        ((_finding("blocker", detail="It is so."),), "It is so: install torch 2.15.0 (cu132)"),
        ((_finding("note", detail="aside"),), "install torch 2.15.0 (cu132)"),
    ],
)
def test_the_summary_is_what_to_do(catalog: Catalog, machine: Machine, findings: Any, says: str) -> None:
    case, choice = _case(catalog, machine("4090", driver="580.95.05"))
    best = recommendation(case, choice, choice)
    assert summary("ok", case, findings, best, choice) == says


def test_the_summary_of_what_is_not_known(catalog: Catalog) -> None:
    case, choice = _case(catalog, Facts())
    assert summary("unknown", case, (), None, choice).startswith("not enough is known to decide (")
