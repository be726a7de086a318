"""What a finding id says, where it lies and how bad it usually is: :file:`data/findings.toml`, read once when needed."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, Any

from torchdoctor.matrix.tables import table
from torchdoctor.matrix.verdict import Evidence, Finding
from torchdoctor.probes.facts import dataclass

if TYPE_CHECKING:
    from torchdoctor.matrix.case import Case
    from torchdoctor.matrix.verdict import About, Severity

__all__ = ["STACK", "FindingKind", "finding", "finding_kinds", "kind"]

#: What has to change, from the ground up: what lies lower is seen to first.
STACK: tuple[str, ...] = ("hardware", "system", "container", "interpreter", "environment", "packages")


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingKind:
    """One row of the table. ``lies_in`` holds the usual layer first; ``explains`` the ids it makes pointless to mention;
    ``order`` is the place in the table.
    """

    id: str
    title: str
    lies_in: tuple[str, ...]
    severity: Severity
    explains: tuple[str, ...]
    help: str
    order: int


@cache
def finding_kinds() -> dict[str, FindingKind]:
    """Every finding id with its row, in the order of the table."""
    return {
        id: FindingKind(
            id=id,
            title=row["title"],
            lies_in=tuple(row["lies_in"]),
            severity=row["severity"],
            explains=tuple(row["explains"]),
            help=row["help"],
            order=order,
        )
        for order, (id, row) in enumerate(table("findings.toml").items())
    }


def kind(id: str) -> FindingKind:
    """The row of ``id``; raises ``KeyError`` for an id that is not in the table."""
    return finding_kinds()[id]


def finding(
    id: str,
    case: Case,
    *,
    about: About = "machine",
    detail: str = "",
    evidence: Iterable[str | Evidence] = (),
    fix: str | Iterable[str] = (),
    lies_in: str | None = None,
    severity: Severity | None = None,
    title: str | None = None,
    **shown: Any,
) -> Finding:
    """A finding of ``id`` with title, layer and severity of the table where the caller names none.

    ``evidence`` mixes paths of ``case.facts`` (left out where not known) and ready rows; ``shown`` adds rows with a
    value of its own. ``fix`` is one action or several. An unknown id raises
    ``KeyError``, a layer that is not in :data:`STACK` ``ValueError``.
    """
    row = kind(id)
    layer = lies_in or row.lies_in[0]
    if layer not in STACK:
        raise ValueError(f"{id}: {layer!r} is none of {', '.join(STACK)}")
    rows: list[Evidence] = []
    for entry in evidence:
        rows.extend(case.evidence(entry) if isinstance(entry, str) else (entry,))
    rows.extend(case.evidence(**shown))
    actions = (fix,) if isinstance(fix, str) else tuple(fix)
    return Finding(
        id=id,
        severity=severity or row.severity,
        about=about,
        title=title or row.title,
        detail=detail,
        evidence=tuple(rows),
        fix=actions or (row.help,),
        lies_in=layer,
    )
