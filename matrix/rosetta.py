"""An Intel Python on Apple silicon: what runs translated, and what that keeps out of reach."""

from __future__ import annotations

from collections.abc import Iterator

from torchdoctor.matrix.case import Case
from torchdoctor.matrix.findings import finding
from torchdoctor.matrix.request import Wanted
from torchdoctor.matrix.select import Choice
from torchdoctor.matrix.verdict import Finding

__all__ = ["LAST_FOR_INTEL", "rosetta_findings", "translated"]

LAST_FOR_INTEL = "2.2.2"  # the release files say the same, this only words a sentence


def translated(case: Case) -> bool:
    """Whether the interpreter is an Intel one on Apple silicon."""
    system, python = case.facts.system, case.facts.python
    if system.os != "macos":
        return False
    return bool(system.translated) or (system.machine == "aarch64" and python.machine == "x86_64")


def rosetta_findings(case: Case, want: Wanted, choice: Choice, *, requested: bool) -> Iterator[Finding]:
    """``rosetta-python`` where the interpreter runs translated: a blocker once something is asked of it or installed in it,
    for Metal is out of its reach and so is every release after the last for Intel Macs.
    """
    if not translated(case):
        return
    blocker = (
        choice.accepted is None
        or (requested and (case.installed is not None or not want.matches(LAST_FOR_INTEL)))
        or bool(case.symptom("mach-o-architecture"))  # what an arm64 Python installed does not load
    )
    yield finding(
        "rosetta-python",
        case,
        about="machine",
        severity="blocker" if blocker else "warning",
        detail=f"this Python is built for Intel and runs translated; wheels for Intel Macs end with torch {LAST_FOR_INTEL}",
        evidence=("system.translated", "system.machine", "python.machine"),
        fix=("install an arm64 Python (python.org installer, Homebrew under /opt/homebrew, or a conda for osx-arm64)",),
    )
