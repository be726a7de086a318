"""Findings that an error text proves by itself. Each says which line it rests on; what facts prove is checked elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from torchdoctor.matrix.case import Case
from torchdoctor.matrix.checks import _proofs_machine, _proofs_packages, check
from torchdoctor.matrix.checks._proof import Proof, about_of, seen
from torchdoctor.matrix.findings import finding
from torchdoctor.matrix.verdict import Finding

__all__ = ["PROOFS", "Proof", "seen"]

PROOFS: tuple[Proof, ...] = (*_proofs_machine.PROOFS, *_proofs_packages.PROOFS)


_BY_SYMPTOM: dict[str, list[int]] = {}
for _place, _proof in enumerate(PROOFS):
    for _symptom in _proof.symptoms:
        _BY_SYMPTOM.setdefault(_symptom, []).append(_place)


@check(*dict.fromkeys(p.finding for p in PROOFS), seen=tuple(_BY_SYMPTOM))
def from_texts(case: Case) -> Iterator[Finding]:
    """Every rule whose text was seen."""
    places = {place for symptom in case.facts.symptoms or () for place in _BY_SYMPTOM.get(symptom.id or "", ())}
    for place in sorted(places):
        proof = PROOFS[place]
        if not proof.when(case):
            continue
        steps: Iterable[str] = proof.fix if isinstance(proof.fix, tuple) else proof.fix(case)
        yield finding(
            proof.finding,
            case,
            about=about_of(case, proof.about),
            detail=proof.detail,
            evidence=(*seen(case, *proof.symptoms)[:2], *proof.facts),
            fix=tuple(steps),
            lies_in=proof.lies_in(case) if callable(proof.lies_in) else proof.lies_in,
            severity=proof.severity(case),
        )
