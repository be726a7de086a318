"""A rule that an error text proves by itself, and what such rules share."""

from __future__ import annotations

from collections.abc import Callable

from torchdoctor.matrix.case import Case
from torchdoctor.matrix.checks._aim import about as aim
from torchdoctor.matrix.verdict import About, Severity
from torchdoctor.probes.facts import dataclass

__all__ = ["Proof", "about_of", "seen"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """One rule: any of ``symptoms`` proves ``finding``, unless ``when`` says otherwise. ``about`` names a vendor whose GPU
    is meant, or is one of the three words of a finding.
    """

    finding: str
    symptoms: tuple[str, ...]
    detail: str
    about: str = "machine"
    fix: Callable[[Case], tuple[str, ...]] | tuple[str, ...] = ()
    lies_in: str | Callable[[Case], str] | None = None
    when: Callable[[Case], bool] = lambda case: True
    facts: tuple[str, ...] = ()
    severity: Callable[[Case], Severity] = lambda case: "blocker"


def seen(case: Case, *ids: str) -> tuple[str, ...]:
    """Evidence paths of the symptoms with these ids."""
    return tuple(f"symptoms[{index}]" for index, _ in case.symptom(*ids))


def about_of(case: Case, word: str) -> About:
    """What a finding is about: the build for that vendor where it is installed, else the machine; or the word itself."""
    if word in ("nvidia", "amd", "intel", "apple"):
        return aim(case, word)
    if word == "torch":
        return "installed" if case.installed is not None else "machine"
    return "request" if word == "request" else "installed" if word == "installed" else "machine"
