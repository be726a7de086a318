"""What keeps a request from being met: no such release, no such build, or a machine that no build of it fits."""

from __future__ import annotations

from collections.abc import Iterator

from torchdoctor.matrix.case import Case
from torchdoctor.matrix.catalog import version_key
from torchdoctor.matrix.findings import finding
from torchdoctor.matrix.grounds import to_findings
from torchdoctor.matrix.mixed import mixed_finding
from torchdoctor.matrix.platforms import interpreter_machine
from torchdoctor.matrix.request import Wanted, exists
from torchdoctor.matrix.requirements import machine_findings, never_served
from torchdoctor.matrix.rosetta import translated
from torchdoctor.matrix.select import Choice, Judged
from torchdoctor.matrix.unpublished import before_the_matrix, no_such_release, nothing_published
from torchdoctor.matrix.verdict import Finding, Severity

__all__ = ["KEEPS_FROM_GPU", "request_findings"]

KEEPS_FROM_GPU = frozenset(
    {"driver-too-old", "gpu-below-minimum", "gpu-newer-than-wheel", "gpu-arch-missing", "gfx-unsupported",
     "xpu-gpu-unsupported", "macos-too-old", "glibc-too-old", "jetson-needs-vendor-wheel", "python-unsupported",
     "free-threaded-unsupported", "rosetta-python", "container-no-gpu", "devices-hidden", "metal-device-missing",
     "macos-x86-dropped", "no-wheel-for-platform"}
)  # fmt: skip
"""Findings that become blockers where the GPU is required."""


def request_findings(case: Case, want: Wanted, variant: str | None, choice: Choice, today: Choice) -> Iterator[Finding]:
    """Findings about the request (or, where nothing was requested, about the machine's chances). ``today`` is the best
    choice regardless of the request.
    """
    requested = want.text is not None or variant is not None
    severity: Severity = "blocker" if requested else "warning"
    never = [o for o in never_served(case.facts) if not translated(case)]
    if never:
        yield from to_findings(case, never, about="machine", severity="blocker", cure=None)
        return
    if not choice.platforms.possible:
        yield from to_findings(case, machine_findings(case.facts), about="machine", severity="blocker", cure=None)
        return
    if want.text is not None and exists(case.catalog, want) is False:
        yield no_such_release(case, want)
        return
    if want.exact and not choice.examined and version_key(want.exact) < version_key(case.catalog.oldest()):
        yield from before_the_matrix(case, want.exact)
        return
    if not choice.examined:
        yield from nothing_published(case, want, variant, choice, today)
        return
    accepted = choice.accepted
    if accepted is None:
        nearest = _nearest(choice.considered, choice.gpu_vendors)
        if nearest is not None:
            yield from _explain(case, nearest, want, variant, choice, today, "blocker")
        return
    if choice.left_out:
        refused = [o for o in _whole(case, accepted, choice).failed if o.gpu in choice.left_out]
        if today.accepted is not None and today.accepted.uses_gpu and not today.left_out:
            # Some wheel does cover them all, only not one of what was asked for.
            yield from to_findings(
                case, refused, about="request", severity=severity, cure=None, other_release=today.accepted
            )
            return
        if not refused:  # not for want of code: the driver does not know the chip
            whole = [o for o in _whole(case, accepted, choice).failed if o.gpu is None]
            yield from to_findings(case, whole, about="machine", severity="warning", cure=None)
            return
        yield mixed_finding(case, choice.left_out, about="machine")
        yield from to_findings(case, refused, about="machine", severity="warning", cure=None)
        return
    if accepted.uses_gpu or variant == "cpu":
        return
    nearest = _nearest([j for j in choice.considered if j.uses_gpu], choice.gpu_vendors)
    if nearest is None:
        yield from _no_build_here(case, choice, today)
        return
    if _only_integrated(case, nearest):
        return
    yield from _explain(case, nearest, want, variant, choice, today, severity)


def _explain(
    case: Case, nearest: Judged, want: Wanted, variant: str | None, choice: Choice, today: Choice, severity: Severity
) -> Iterator[Finding]:
    """The findings of the candidate that came nearest. Another variant of the same request is a cure; another release
    is only named as the way out.
    """
    cure = None
    if variant is not None and severity == "blocker":
        from torchdoctor.matrix.select import choose

        wider = choose(case.catalog, case.facts, want) if want.text is not None else today
        taken = wider.accepted
        cure = taken if taken is not None and (taken.uses_gpu or not choice.gpu_vendors) else None
    other = today.accepted if severity == "blocker" and today.accepted is not None else None
    about = "request" if severity == "blocker" else "machine"
    yield from to_findings(case, nearest.failed, about=about, severity=severity, cure=cure, other_release=other)  # type: ignore[arg-type]


def _no_build_here(case: Case, choice: Choice, today: Choice) -> Iterator[Finding]:
    """A graphics card for which nothing was ever published on this platform: the CPU build works, the card stays unused."""
    published = {j.build.vendor for j in today.considered}
    cards = [
        (i, g)
        for i, g in enumerate(case.facts.gpus or ())
        if g.vendor in choice.gpu_vendors
        and g.vendor not in published
        and (g.integrated is False or case.asked.requires)
    ]
    system = case.facts.system
    if not cards or system.os not in ("linux", "windows"):
        return
    place, card = cards[0]
    kind = {"nvidia": "CUDA", "amd": "ROCm", "intel": "XPU"}.get(card.vendor or "", "GPU")
    name, machine = {"linux": "Linux", "windows": "Windows"}[system.os], interpreter_machine(case.facts)
    fix = ["run it on a system that has such wheels (see: torchdoctor releases)"]
    if card.vendor == "amd" and system.os == "windows":
        fix.insert(0, "AMD publishes wheels for Windows itself: https://github.com/ROCm/TheRock/blob/main/RELEASES.md")
    yield finding(
        "no-wheel-for-platform",
        case,
        about="machine",
        severity="warning",
        lies_in="system",
        title="No build of torch for this GPU is published for this system",
        detail=f"there is no {kind} wheel of torch for {name}{f' on {machine}' if machine else ''}: "
        f"{card.name or 'the GPU'} stays unused",
        evidence=("system.os", "python.machine", "system.machine", f"gpus[{place}].name"),
        fix=fix,
    )


def _nearest(judged: list[Judged] | tuple[Judged, ...], vendors: tuple[str, ...]) -> Judged | None:
    """The candidate that fails the fewest requirements, those that use the GPU first, the newest first."""
    pool = [j for j in judged if j.uses_gpu] or list(judged)
    pool = [j for j in pool if j.failed]
    if not pool:
        return None
    return max(pool, key=lambda j: (-len(j.reasons), version_key(j.build.torch), j.is_default, j.build.toolkit))


def _whole(case: Case, accepted: Judged, choice: Choice) -> Judged:
    from torchdoctor.matrix.select import judge_build

    return judge_build(accepted.release, accepted.build, case.facts, choice.platforms)


def _only_integrated(case: Case, nearest: Judged) -> bool:
    """An integrated chip that no wheel has code for is no accelerator: the CPU build is simply right."""
    gpus = case.facts.gpus or ()
    about = [gpus[o.gpu] for o in nearest.failed if o.gpu is not None]
    code_only = all(o.id in ("gfx-unsupported", "xpu-gpu-unsupported") for o in nearest.failed)
    return bool(about) and code_only and all(g.integrated for g in about) and not case.asked.requires
