"""From an unmet requirement to a finding: what it says, where it lies, what to do about it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from torchdoctor.matrix import remedies
from torchdoctor.matrix.case import Case
from torchdoctor.matrix.findings import finding, kind
from torchdoctor.matrix.outcome import Outcome
from torchdoctor.matrix.select import Judged
from torchdoctor.matrix.verdict import About, Finding, Severity

__all__ = ["LEAVE_OUT", "OUTSIDE", "install_hint", "telling", "to_findings"]

OUTSIDE = frozenset({"hardware", "system", "container", "interpreter"})
"""Layers outside the Python environment: what lies there makes a verdict ``blocked``."""

# Where another build on this very machine is the cure, these lie in the packages; else where the table's second word says.
_EITHER = {
    "driver-too-old": "system",
    "gpu-below-minimum": "hardware",
    "gpu-arch-missing": "hardware",
    "gfx-unsupported": "hardware",
    "arm-lacks-lse": "hardware",
    "glibc-too-old": "system",
    "no-wheel-for-platform": "system",
    "macos-x86-dropped": "hardware",
}


def install_hint(judged: Judged | None) -> tuple[str, ...]:
    """The action that installs a candidate, in words; the command itself is the report's."""
    if judged is None:
        return ()
    where = f"from {judged.index_url}" if judged.index_url else "from the default package index"
    return (f"install torch {judged.build.torch} ({judged.build.variant}) {where}",)


def to_findings(
    case: Case,
    outcomes: Iterable[Outcome],
    *,
    about: About,
    severity: Severity,
    cure: Judged | None,
    other_release: Judged | None = None,
) -> Iterator[Finding]:
    """One finding an id. ``cure`` is the candidate that serves this machine as it is within what was asked for;
    ``other_release`` one that does so in another release (named as a way out, but not a cure of the request).
    """
    seen: dict[str, list[Outcome]] = {}
    for outcome in telling(case, outcomes):
        if outcome.status == "failed":
            seen.setdefault(outcome.id, []).append(outcome)
    for id, group in seen.items():
        first = group[0]
        layer = None
        if id in _EITHER:
            layer = "packages" if cure is not None else _EITHER[id]
        if id == "gfx-unsupported" and layer != "packages" and about == "installed" and _gfx(case, first):
            layer = "environment"  # a variable lets this generation's code run
        hint, remedy = install_hint(cure or other_release), _REMEDY.get(id, _no_remedy)(case, first)
        outside = about == "request" and cure is None and (layer or kind(id).lies_in[0]) in OUTSIDE
        # An override is a try, never the first thing to do; another system, driver or macOS is, in the order given.
        ways = (remedy, hint) if outside and id != "gfx-unsupported" else (hint, remedy)
        fix = _either(*ways)
        if not fix and id in _NO_CODE:
            fix = list(_without_code(case, group))
        yield finding(
            id,
            case,
            about=about,
            severity=severity,
            lies_in=layer,
            detail="; ".join(dict.fromkeys(o.detail for o in group if o.detail)),
            evidence=tuple(dict.fromkeys(f for o in group for f in o.facts)),
            fix=fix,
        )


def _either(first: tuple[str, ...], second: tuple[str, ...]) -> list[str]:
    """Two ways out, each a list of steps: where there are both, the second begins with "or"."""
    if not first or not second:
        return [*first, *second]
    return [*first, f"or {second[0]}", *second[1:]]


def telling(case: Case, outcomes: Iterable[Outcome]) -> tuple[Outcome, ...]:
    """The outcomes without a driver that no longer serves any NVIDIA GPU here: where code is missing too, the generation
    of the GPU is the cause, and no driver would help.
    """
    told = tuple(outcomes)
    driver = next((o for o in told if o.id == "driver-too-old" and o.status == "failed"), None)
    if driver is None or not any(o.id in _NO_CODE and o.status == "failed" for o in told):
        return told
    if _ended_before(case, driver.value) is None:
        return told
    return tuple(o for o in told if o.id != "driver-too-old")


def _ended_before(case: Case, driver: str) -> str | None:
    """The last driver branch of the NVIDIA GPUs here, where it ended before ``driver`` for every one of them."""
    from torchdoctor.matrix.drivers import at_least, last_branch

    ends = [last_branch(g.compute_capability or "") for _, g in case.gpus("nvidia")]
    if not ends or any(end is None or at_least(end, driver) for end in ends):
        return None
    return max(end for end in ends if end)


def _no_remedy(case: Case, outcome: Outcome) -> tuple[str, ...]:
    return (f"use {outcome.needs}",) if outcome.needs else ()


def _driver(case: Case, outcome: Outcome) -> tuple[str, ...]:
    if (last := _ended_before(case, outcome.value)) is not None:
        return (f"no such driver serves this GPU, R{last} was its last branch: use a build for it, or the CPU build",)
    return tuple(remedies.update_nvidia_driver(case.facts, outcome.value))


def _interpreter(case: Case, outcome: Outcome) -> tuple[str, ...]:
    return (f"make an environment with {outcome.needs}",)


def _macos(case: Case, outcome: Outcome) -> tuple[str, ...]:
    return (f"update to {outcome.needs}",)


def _musl(case: Case, outcome: Outcome) -> tuple[str, ...]:
    if case.facts.system.container:
        return ("use an image with glibc, such as python:3.12-slim, in place of the Alpine one",)
    return ("run Python in a container or chroot with glibc (Debian, Ubuntu, Fedora)",)


def _jetson(case: Case, outcome: Outcome) -> tuple[str, ...]:
    return (
        "install NVIDIA's own wheel for this JetPack from https://pypi.jetson-ai-lab.io (folder jp6/cu126 for JetPack 6.1 and 6.2)",
    )


def _hardware(case: Case, outcome: Outcome) -> tuple[str, ...]:
    return ()


LEAVE_OUT = "leave this GPU out, or serve it from an environment of its own with a build that has code for it"
"""What is left where a build serves another card of the machine."""

_NO_CODE = ("gpu-below-minimum", "gpu-newer-than-wheel", "gpu-arch-missing", "gfx-unsupported", "xpu-gpu-unsupported")


def _without_code(case: Case, group: list[Outcome]) -> tuple[str, ...]:
    """What is left to do about GPUs that no build for this machine has code for."""
    gpus, places = case.facts.gpus or (), {o.gpu for o in group if o.gpu is not None}
    beside = [i for i, g in enumerate(gpus) if i not in places and any(g.vendor == gpus[p].vendor for p in places)]
    if beside:
        return (LEAVE_OUT,)
    return ("take the CPU build, or use another GPU: no build that runs on this machine has code for this one",)


def _gfx(case: Case, outcome: Outcome) -> tuple[str, ...]:
    gpu = (case.facts.gpus or ())[outcome.gpu] if outcome.gpu is not None else None
    return remedies.gfx_override(case.facts, gpu.gfx if gpu else None)


_REMEDY: dict[str, Callable[[Case, Outcome], tuple[str, ...]]] = {
    "driver-too-old": _driver,
    "python-unsupported": _interpreter,
    "free-threaded-unsupported": _interpreter,
    "python-implementation": _interpreter,
    "python-32bit": _interpreter,
    "macos-too-old": _macos,
    "musl": _musl,
    "jetson-needs-vendor-wheel": _jetson,
    "gpu-below-minimum": _hardware,
    "gpu-newer-than-wheel": _hardware,
    "gpu-arch-missing": _hardware,
    "gfx-unsupported": _gfx,
    "xpu-gpu-unsupported": _hardware,
    "arm-lacks-lse": _hardware,
}
