"""The advice that goes with a verdict: the recommendation, the notes about newer releases, the one-line summary."""

from __future__ import annotations

from collections.abc import Iterator

from torchdoctor.matrix.case import Case
from torchdoctor.matrix.catalog import Build, version_key
from torchdoctor.matrix.findings import finding
from torchdoctor.matrix.gpu_needs import accelerated_gpus
from torchdoctor.matrix.outcome import HARDWARE, Outcome, failed
from torchdoctor.matrix.select import Choice, Judged
from torchdoctor.matrix.verdict import Finding, Recommendation, Status

__all__ = ["COMPANIONS", "TORCH_FAILED", "notes", "recommendation", "summary", "unexplained"]

TORCH_FAILED = (
    "torch-import-failed", "torch-available-failed", "torch-kernel-failed", "torch-crashed", "torch-hangs", "torch-wrong-result",
)  # fmt: skip
"""How torch failed when it was run (``check --live``)."""

COMPANIONS = ("torchvision", "torchaudio", "torchcodec")
"""Packages that are paired with torch where asked for or installed."""

_SPOKEN = {
    "system.os": "the system",
    "system.version": "the system's version",
    "system.machine": "the processor",
    "system.libc_version": "the glibc version",
    "python.version": "the Python version",
    "drivers.nvidia.version": "the NVIDIA driver's version",
    "cpu.features": "the processor's features",
}

_OLD = 90
"""Days after which the answer says how old its data is: two torch releases may be missing by then."""

_CHANGEABLE = ("driver-too-old", "macos-too-old", "glibc-too-old", "python-unsupported", "free-threaded-unsupported")


def recommendation(case: Case, choice: Choice, today: Choice) -> Recommendation | None:
    """What to install for a choice; ``None`` where no candidate works."""
    judged = choice.accepted
    if judged is None:
        return None
    change = _newer(choice)
    upgrade = None
    if change is not None:
        newer, outcome = change
        upgrade = f"{outcome.needs} would allow torch {newer.build.torch} ({newer.build.variant})"
    return Recommendation(
        torch=judged.build.torch,
        variant=judged.build.variant,
        index_url=judged.index_url,
        packages=_packages(case, judged),
        confidence=judged.confidence,
        upgrade=upgrade,
    )


def _packages(case: Case, judged: Judged) -> dict[str, str]:
    packages = {"torch": judged.build.torch}
    present = case.facts.packages or {}
    for name in COMPANIONS:
        if name not in case.asked.companions and name not in present:
            continue
        if name == "torchcodec":
            version = judged.release.torchcodec[-1] if judged.release.torchcodec else None
            version = f"{version}.*" if version else None
        else:
            pairs = judged.release.companions.get(name)
            version = pairs[0] if pairs else None
        if version:
            packages[name] = version
    return packages


def _newer(choice: Choice) -> tuple[Judged, Outcome] | None:
    """The newest candidate ahead of the accepted one that a single change outside would open."""
    taken = choice.accepted
    if taken is None:
        return None
    one_away = [
        j
        for j in choice.considered
        if not j.unknown and len(j.reasons) == 1 and j.reasons[0] in _CHANGEABLE and (j.uses_gpu or not taken.uses_gpu)
    ]
    for judged in one_away:
        newer = version_key(judged.build.torch) > version_key(taken.build.torch)
        if (newer or not taken.uses_gpu) if judged.uses_gpu else (newer and not choice.gpu_vendors):
            return judged, _hardest(judged.failed)
    # A GPU that nothing here can use leaves the CPU builds to choose from.
    for judged in one_away:
        if version_key(judged.build.torch) > version_key(taken.build.torch):
            return judged, _hardest(judged.failed)
    return None


def _hardest(outcomes: tuple[Outcome, ...]) -> Outcome:
    return max(outcomes, key=lambda o: version_key(o.value))


def unexplained(case: Case) -> bool:
    """Does the installed torch see no GPU although it was built for one that is there?"""
    installed = case.installed
    if case.facts.torch.gpu_available is not False or installed is None or installed.variant is None:
        return False
    vendor = Build(torch="", variant=installed.variant, platform="").vendor
    return vendor is not None and bool(accelerated_gpus(case.facts, vendor))


def notes(
    case: Case,
    choice: Choice,
    today: Choice,
    recommended: Recommendation | None,
    findings: tuple[Finding, ...],
    *,
    requested: bool,
) -> Iterator[Finding]:
    """``newest-out-of-reach``, ``support-ends`` and ``inferred-fact``."""
    taken = today.accepted
    newest = case.catalog.newest().version
    if taken is not None and not requested and taken.build.torch != newest:
        change = _newer(today)
        ended = _ended(today, newest)
        if ended is not None and change is None:
            yield finding(
                "support-ends",
                case,
                about="machine",
                detail=f"torch {taken.build.torch} is the last release for this machine: {ended.detail}",
                evidence=ended.facts,
                fix=(f"stay with torch {taken.build.torch} ({taken.build.variant}), or {ended.needs} for newer ones",),
            )
        if change is not None:
            newer, outcome = change
            yield finding(
                "newest-out-of-reach",
                case,
                about="machine",
                detail=f"{outcome.needs} would allow torch {newer.build.torch} ({newer.build.variant}): {outcome.detail}",
                evidence=outcome.facts,
                fix=(f"for torch {newer.build.torch}: {outcome.needs}",),
            )
    if case.asked.data_age is not None and case.asked.data_age > _OLD:
        yield finding(
            "matrix-old",
            case,
            about="machine",
            detail=f"the data of this torchdoctor is {case.asked.data_age} days old: newer releases are not in it",
            fix=("update torchdoctor: pip install --upgrade torchdoctor",),
        )
    if recommended is not None and recommended.confidence == "inferred":
        yield finding(
            "inferred-fact",
            case,
            about="request" if requested else "machine",
            detail=f"that torch {recommended.torch} ({recommended.variant}) fits here rests on a matrix fact that is inferred, not confirmed",
            fix=("check that the wheel is there before relying on it: torchdoctor command --verify",),
        )


def _ended(choice: Choice, newest: str) -> Outcome | None:
    """The hardware reason that keeps every build of the newest release from this machine, if that is what does."""
    with_gpu = bool(choice.gpu_vendors) and (choice.accepted is None or choice.accepted.uses_gpu)
    of_newest = [j for j in choice.considered if j.build.torch == newest and (j.uses_gpu or not with_gpu)]
    if not of_newest and choice.platforms.possible == ("macos_x86_64",):
        return failed(
            "macos-x86-dropped",
            ("system.os", "python.machine"),
            "wheels for Intel Macs end with it",
            "use a Mac with Apple silicon",
        )
    if not of_newest:
        return None
    reasons = [next((o for o in j.failed if o.id in HARDWARE), None) for j in of_newest]
    return reasons[0] if all(r is not None for r in reasons) else None


def summary(
    status: Status, case: Case, findings: tuple[Finding, ...], recommended: Recommendation | None, choice: Choice
) -> str:
    """One sentence a person can act on."""
    blockers = [f for f in findings if f.severity == "blocker"]
    install = f"install torch {recommended.torch} ({recommended.variant})" if recommended else ""
    if blockers:
        first = blockers[0]
        text = (first.detail or first.title).rstrip(".")
        act = first.fix[0] if first.fix else install
        return f"{text}: {act}" if act else text
    installed = case.installed
    warnings = [f for f in findings if f.severity == "warning"]
    if status == "unknown" and (failed := case.symptom(*TORCH_FAILED)):
        words = failed[0][1].strip().splitlines()
        return f"torch failed when it was run, and nothing known explains it: {words[0][:200] if words else 'no word of why'}"
    if status == "unknown":
        if not choice.examined and choice.platforms.possible:
            return f"the matrix holds no such release (it begins with {case.catalog.oldest()} and has no pre-releases)"
        from torchdoctor.matrix.fit import unjudged

        names = (choice.accepted.unknown if choice.accepted else ()) or unjudged(case, choice)
        missing = ", ".join(_SPOKEN.get(name, name) for name in names[:2]) or "what machine this is"
        if installed is not None and installed.version and case.asked.torch is None and case.asked.variant is None:
            variant = f" ({installed.variant})" if installed.variant else ""
            if unexplained(case):
                return f"torch {installed.version}{variant} sees no GPU, and nothing that is known here explains it"
            return f"not enough is known to judge the installed torch {installed.version}{variant} ({missing})"
        return f"not enough is known to decide ({missing})" + (f"; as far as is known: {install}" if install else "")
    if installed is not None and case.asked.torch is None and case.asked.variant is None:
        variant = f" ({installed.variant})" if installed.variant else ""
        name = f"torch{' ' + installed.version if installed.version else ''}{variant}"
        idle = any(f.id in ("cuda-build-on-cpu-host", "wrong-variant") for f in findings)
        fits = f"{name} runs on this machine's CPU" if idle else f"{name} fits this machine"
        return f"{fits}; {warnings[0].detail or warnings[0].title}" if warnings else fits
    if warnings and install:
        return f"{install}; {warnings[0].detail or warnings[0].title}"
    return install or "nothing to install"
