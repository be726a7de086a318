"""Requests for what was never published: no such release, no such variant of it, no wheel of it for this system."""

from __future__ import annotations

from collections.abc import Iterator

from torchdoctor.matrix.case import Case
from torchdoctor.matrix.catalog import MATRIX_DATE, Build, Release, version_key
from torchdoctor.matrix.findings import finding
from torchdoctor.matrix.grounds import install_hint
from torchdoctor.matrix.platforms import interpreter_machine
from torchdoctor.matrix.request import Wanted, in_family
from torchdoctor.matrix.rosetta import LAST_FOR_INTEL, translated
from torchdoctor.matrix.select import Choice, choose
from torchdoctor.matrix.tables import table
from torchdoctor.matrix.verdict import Finding
from torchdoctor.probes.facts import Facts

__all__ = ["before_the_matrix", "no_such_release", "nothing_published"]


def no_such_release(case: Case, want: Wanted) -> Finding:
    """``version-does-not-exist``, with the nearest release that does."""
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


def before_the_matrix(case: Case, version: str) -> Iterator[Finding]:
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


def nothing_published(
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
    if platform == "macos_x86_64" and all(version_key(r.version) > version_key(LAST_FOR_INTEL) for r in releases):
        if translated(case):
            return  # the interpreter is the cause, and that was said
        yield _unpublished(
            case,
            "macos-x86-dropped",
            variant,
            f"torch {releases[0].version} has no wheel for Intel Macs; {LAST_FOR_INTEL} was the last",
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
    if not any(mine.toolkit):
        return False
    oldest = [b.toolkit for b in case.catalog.line(case.catalog.oldest())[-1].builds if b.vendor == mine.vendor]
    return bool(oldest) and mine.toolkit < min(oldest)


def _published(releases: list[Release], variant: str) -> bool:
    if variant == "mps":  # a use of the macOS wheel, not a wheel of its own
        return any(r.build("cpu", "macos_arm64") for r in releases)
    return any(in_family(b.variant, variant) for r in releases for b in r.builds)


def _not_published(case: Case, want: Wanted, releases: list[Release], variant: str, platform: str) -> Finding:
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
