"""What the matrix says: findings, candidates, a recommendation and the verdict over them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Literal

from torchdoctor.probes.facts import dataclass

__all__ = ["Candidate", "Evidence", "Finding", "Recommendation", "Require", "Verdict"]

Severity = Literal["blocker", "warning", "note"]
About = Literal["installed", "request", "machine"]
Status = Literal["ok", "mismatch", "blocked", "unknown"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """One fact a finding rests on: its path, its value as shown to people, where it was read."""

    fact: str
    value: str | None
    source: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing proved. ``lies_in`` is what has to change: ``packages``, ``environment``, ``interpreter``,
    ``system``, ``container`` or ``hardware``. ``fix`` holds one action an entry, first things first.
    """

    id: str
    severity: Severity
    about: About
    title: str
    detail: str = ""
    evidence: tuple[Evidence, ...] = ()
    fix: tuple[str, ...] = ()
    lies_in: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One (release, variant) that was judged: ``reasons`` are finding ids, ``unknown`` the facts that were missing."""

    torch: str
    variant: str
    accepted: bool
    reasons: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Recommendation:
    """What to install. ``packages`` holds torch and its companions; ``index_url`` is ``None`` where the default
    package index serves that very wheel for this interpreter and platform; ``confidence`` is that of the weakest fact.
    """

    torch: str
    variant: str
    index_url: str | None
    packages: Mapping[str, str]
    confidence: str = "primary"
    upgrade: str | None = None
    extra_index_urls: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Require:
    """An answer to ``--require``."""

    what: str
    met: bool | None
    why: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The whole answer of the matrix for one machine."""

    status: Status
    summary: str
    findings: tuple[Finding, ...] = ()
    requires: tuple[Require, ...] = ()
    recommendation: Recommendation | None = None
    alternative: Recommendation | None = None
    candidates: tuple[Candidate, ...] = field(default=())
