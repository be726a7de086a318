"""Causes silence their symptoms; each id is said once; what has to be done first comes first."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from torchdoctor.matrix.findings import STACK, kind
from torchdoctor.matrix.verdict import Finding

__all__ = ["suppress"]

_WEIGHT = {"blocker": 0, "warning": 1, "note": 2}


def suppress(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The findings worth telling: one an id, none that a cause of at least its weight explains, in order of action."""
    kept = _once(findings)
    told = [f for f in kept if not any(_explains(cause, f) for cause in kept)]
    return tuple(sorted(told, key=_order))


def _explains(cause: Finding, symptom: Finding) -> bool:
    """A cause that weighs less than what it explains leaves it standing; a note explains notes only."""
    return symptom.id in kind(cause.id).explains and _WEIGHT[cause.severity] <= _WEIGHT[symptom.severity]


def _once(findings: Iterable[Finding]) -> list[Finding]:
    """One finding an id: the gravest, then the one with most evidence; what the others rest on is added to it."""
    best: dict[str, Finding] = {}
    for new in findings:
        old = best.get(new.id)
        if old is None:
            best[new.id] = new
            continue
        first, second = (old, new) if _rank(old) <= _rank(new) else (new, old)
        seen = {(e.fact, e.value) for e in first.evidence}
        more = tuple(e for e in second.evidence if (e.fact, e.value) not in seen)
        best[new.id] = dataclasses.replace(first, evidence=first.evidence + more)
    return list(best.values())


def _rank(finding: Finding) -> tuple[int, int]:
    return _WEIGHT[finding.severity], -len(finding.evidence)


def _order(finding: Finding) -> tuple[int, int, int]:
    """Blockers first; among equals the lower layer of the stack, since what lies above depends on it."""
    row = kind(finding.id)
    layer = finding.lies_in or row.lies_in[0]
    return _WEIGHT[finding.severity], STACK.index(layer), row.order
