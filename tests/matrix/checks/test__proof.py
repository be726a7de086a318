from __future__ import annotations

from typing import Any

import pytest
from torchdoctor.matrix.case import Asked, Case
from torchdoctor.matrix.catalog import Catalog
from torchdoctor.matrix.checks import _proofs_machine, _proofs_packages
from torchdoctor.matrix.checks._proof import Proof, about_of, seen
from torchdoctor.matrix.findings import finding_kinds
from torchdoctor.matrix.fit import installed_torch
from torchdoctor.probes.profile import facts_from_mapping

_CATALOG = Catalog()
EVERY: tuple[Proof, ...] = (*_proofs_machine.PROOFS, *_proofs_packages.PROOFS)


def _case(**profile: Any) -> Case:
    facts = facts_from_mapping({"system": {"os": "linux", "machine": "x86_64"}, **profile})
    return Case(facts=facts, catalog=_CATALOG, asked=Asked(), installed=installed_torch(facts, _CATALOG))


@pytest.mark.parametrize(
    ("word", "torch", "about"),
    [
        ("nvidia", "2.5.1+cu124", "installed"),
        ("nvidia", "2.5.1+cpu", "machine"),
        ("amd", "2.5.1+cu124", "machine"),
        ("torch", "2.5.1+cpu", "installed"),
        ("torch", None, "machine"),
        ("request", None, "request"),
        ("installed", None, "installed"),
        ("machine", "2.5.1+cu124", "machine"),
    ],
)
def test_what_a_rule_is_about(word: str, torch: str | None, about: str) -> None:
    assert about_of(_case(packages={"torch": torch} if torch else {}), word) == about


def test_the_lines_that_were_seen() -> None:
    case = _case(symptoms=[{"id": "a", "text": "x"}, {"id": "b", "text": "y"}, {"id": "c", "text": "z"}])
    assert seen(case, "c", "a") == ("symptoms[0]", "symptoms[2]")
    assert seen(case, "d") == ()


@pytest.mark.parametrize("proof", EVERY, ids=lambda p: f"{p.finding} {p.symptoms[0]}")
def test_a_rule_is_whole(proof: Proof) -> None:
    """A rule nobody can act on, or that names a finding nobody described, is none."""
    assert proof.finding in finding_kinds()
    assert proof.symptoms and proof.detail.endswith(".")
    steps = proof.fix if isinstance(proof.fix, tuple) else proof.fix(_case())
    assert steps and all(isinstance(step, str) and step for step in steps)
    assert proof.severity(_case()) in ("blocker", "warning", "note")
