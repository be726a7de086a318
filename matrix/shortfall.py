"""What keeps a request from being met: no such release, no such build, or a machine that no build of it fits."""

from __future__ import annotations

from collections.abc import Iterator

from torchdoctor.matrix.case import Case
from torchdoctor.matrix.catalog import MATRIX_DATE, Build, Release, version_key
from torchdoctor.matrix.findings import finding
from torchdoctor.matrix.grounds import install_hint, to_findings
from torchdoctor.matrix.mixed import mixed_finding
from torchdoctor.matrix.platforms import interpreter_machine
from torchdoctor.matrix.request import Wanted, exists, in_family
from torchdoctor.matrix.requirements import machine_findings, never_served
from torchdoctor.matrix.select import Choice, Judged
from torchdoctor.matrix.tables import table
from torchdoctor.matrix.verdict import Finding, Severity
from torchdoctor.probes.facts import Facts

__all__ = ["KEEPS_FROM_GPU", "request_findings", "rosetta_findings"]

KEEPS_FROM_GPU = frozenset(
    {"driver-too-old", "gpu-below-minimum", "gpu-newer-than-wheel", "gpu-arch-missing", "gfx-unsupported",
     "xpu-gpu-unsupported", "macos-too-old", "glibc-too-old", "jetson-needs-vendor-wheel", "python-unsupported",
     "free-threaded-unsupported", "rosetta-python", "container-no-gpu", "devices-hidden", "metal-device-missing",
     "macos-x86-dropped", "no-wheel-for-platform"}
)  # fmt: skip
"""Findings that become blockers where the GPU is required."""

_ROSETTA_LAST = "2.2.2"  # the last release for Intel Macs; the release files say the same, this only words a sentence


def request_findings(case: Case, want: Wanted, variant: str | None, choice: Choice, today: Choice) -> Iterator[Finding]:
    """Findings about the request (or, where nothing was requested, about the machine's chances). ``today`` is the best
    choice regardless of the request.
    """
    requested = want.text is not None or variant is not None
    severity: Severity = "blocker" if requested else "warning"
    never = [o for o in never_served(case.facts) if not _rosetta(case)]
    if never:
        yield from to_findings(case, never, about="machine", severity="blocker", cure=None)
        return
    if not choice.platforms.possible:
        yield from to_findings(case, machine_findings(case.facts), about="machine", severity="blocker", cure=None)
        return
    if want.text is not None and exists(case.catalog, want) is False:
        yield _no_such_release(case, want)
        return
    if want.exact and not choice.examined and version_key(want.exact) < version_key(case.catalog.oldest()):
        yield from _before_the_matrix(case, want.exact)
        return
    if not choice.examined:
        yield from _nothing_published(case, want, variant, choice, today)
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
    name = {"linux": "Linux", "windows": "Windows"}[system.os]
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
        detail=f"there is no {kind} wheel of torch for {name} on {interpreter_machine(case.facts)}: "
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


def _no_such_release(case: Case, want: Wanted) -> Finding:
    number = want.exact or want.line or want.text or ""
    newest = case.catalog.newest().version
    line = ".".join(number.split(".")[:2])
    same_line = case.catalog.line(line)
    if version_key(number) > version_key(newest):
        detail = f"there is no torch {number} as of {MATRIX_DATE}; the newest is {newest}"
        near = newest
    elif same_line:
        near = same_line[0].version
        detail = f"torch {number} was never released; the {line} line ends with {near}"
    else:
        near = newest
        detail = f"no torch release fits {want.text}"
    return finding(
        "version-does-not-exist",
        case,
        about="request",
        severity="blocker",
        detail=detail,
        evidence=("request.torch",),
        fix=(f"ask for torch {near}",),
    )


def _before_the_matrix(case: Case, version: str) -> Iterator[Finding]:
    """A release the matrix does not hold: only its interpreters can be judged, by when each first had wheels."""
    offered = [v for v in case.facts.request.versions_offered or () if version_key(v)]
    oldest = min(offered, key=version_key, default=None)
    first = _first_release(case.facts)
    if oldest and case.facts.python.version and version_key(version) < version_key(oldest):
        detail, newer = f"the oldest release offered to it is {oldest}", oldest
    elif first and version_key(version) < version_key(first):
        detail, newer = f"wheels for it begin with torch {first}", first
    else:
        yield finding(
            "insufficient-data",
            case,
            about="request",
            severity="note",
            detail=f"torch {version} is older than what the matrix holds (it begins with {case.catalog.oldest()}): nothing is known of its builds",
            evidence=("request.torch",),
            fix=(f"ask for torch {case.catalog.oldest()} or newer",),
        )
        return
    yield finding(
        "python-unsupported",
        case,
        about="request",
        severity="blocker",
        detail=f"torch {version} has no wheel for Python {case.facts.python.version}: {detail}",
        evidence=("python.version", "request.torch", "request.versions_offered"),
        fix=(
            f"ask for torch {newer} or newer, or make an environment with a Python that torch {version} was made for",
        ),
    )


def _first_release(facts: Facts) -> str | None:
    """The first release line with wheels for the interpreter; ``None`` where that is not on record."""
    minor = ".".join(map(str, version_key(facts.python.version or "")[:2]))
    rows = table("interpreters.toml")["first"]
    return next((row["torch"] for row in rows if row["python"] == minor), None)


def _nothing_published(
    case: Case, want: Wanted, variant: str | None, choice: Choice, today: Choice
) -> Iterator[Finding]:
    """Releases fit, but none has this variant for this platform."""
    releases = [r for r in case.catalog.releases() if want.matches(r.version)]
    if not releases:
        return
    platform = choice.platforms.possible[0]
    if variant is not None and want.text is None and _before_its_time(case, variant):
        return
    if variant is not None and not _published(releases, variant):
        yield _not_published(case, want, releases, variant, platform)
        return
    if platform == "macos_x86_64" and all(version_key(r.version) > version_key(_ROSETTA_LAST) for r in releases):
        if _rosetta(case):
            return  # the interpreter is the cause, and that was said
        yield _unpublished(
            case,
            "macos-x86-dropped",
            variant,
            f"torch {releases[0].version} has no wheel for Intel Macs; {_ROSETTA_LAST} was the last",
        )
        return
    release = next(
        (r for r in releases if variant and any(in_family(b.variant, variant) for b in r.builds)), releases[0]
    )
    what = f"torch {release.version}" + (f" ({variant})" if variant else "")
    machine = interpreter_machine(case.facts)
    where = f"{case.facts.system.os} on {machine}"
    here = sorted({b.variant for b in release.on(platform)})
    have = f"; it has {', '.join(here)} there" if here else ""
    yield _unpublished(
        case, "no-wheel-for-platform", variant, f"{what} has no wheel for {where}{have}", today, platform_has=bool(here)
    )


def _before_its_time(case: Case, variant: str) -> bool:
    """A toolkit older than any the matrix holds may well have been published for the releases before it."""
    mine = Build(torch="", variant=variant, platform="")
    if not mine.toolkit:
        return False
    oldest = [b.toolkit for b in case.catalog.line(case.catalog.oldest())[-1].builds if b.vendor == mine.vendor]
    return bool(oldest) and mine.toolkit < min(oldest)


def _published(releases: list[Release], variant: str) -> bool:
    if variant == "mps":  # a use of the macOS wheel, not a wheel of its own
        return any(r.build("cpu", "macos_arm64") for r in releases)
    return any(in_family(b.variant, variant) for r in releases for b in r.builds)


def _not_published(case: Case, want: Wanted, releases: list[Release], variant: str, platform: str) -> Finding:
    from torchdoctor.matrix.select import choose

    newest = releases[0]
    have = ", ".join(dict.fromkeys(b.variant for b in newest.on(platform)))
    others = [r.version for r in case.catalog.releases() if any(in_family(b.variant, variant) for b in r.builds)]
    fix = list(install_hint(choose(case.catalog, case.facts, want).accepted))
    if have:
        fix.append(f"the variants of torch {newest.version} for this system: {have}")
    if others:
        span = f"{others[0]} … {others[-1]}" if len(others) > 1 else others[0]
        fix.append(f"releases that have {variant}: {span}")
    return finding(
        "variant-not-published",
        case,
        about="request",
        severity="blocker",
        detail=f"torch {newest.version} was never published as {variant}",
        evidence=("request.torch", "request.variant", "request.index"),
        fix=fix,
    )


def _unpublished(
    case: Case, id: str, variant: str | None, detail: str, today: Choice | None = None, *, platform_has: bool = False
) -> Finding:
    # Another variant is a cure; a release without any wheel for this platform has none.
    layer = "packages" if today is not None and variant is not None and platform_has else None
    return finding(
        id,
        case,
        about="request",
        severity="blocker",
        lies_in=layer,
        detail=detail,
        evidence=("system.os", "python.machine", "system.machine", "request.torch", "request.variant"),
        fix=install_hint(today.accepted) if today is not None else (),
    )


# ---- Rosetta


def _rosetta(case: Case) -> bool:
    system, python = case.facts.system, case.facts.python
    if system.os != "macos":
        return False
    return bool(system.translated) or (system.machine == "aarch64" and python.machine == "x86_64")


def rosetta_findings(case: Case, want: Wanted, choice: Choice, *, requested: bool) -> Iterator[Finding]:
    """``rosetta-python`` where the interpreter runs translated: a blocker once something is asked of it or installed in it,
    for Metal is out of its reach and so is every release after the last for Intel Macs.
    """
    if not _rosetta(case):
        return
    blocker = choice.accepted is None or (requested and (case.installed is not None or not want.matches(_ROSETTA_LAST)))
    yield finding(
        "rosetta-python",
        case,
        about="machine",
        severity="blocker" if blocker else "warning",
        detail=f"this Python is built for Intel and runs translated; wheels for Intel Macs end with torch {_ROSETTA_LAST}",
        evidence=("system.translated", "system.machine", "python.machine"),
        fix=("install an arm64 Python (python.org installer, Homebrew under /opt/homebrew, or a conda for osx-arm64)",),
    )
