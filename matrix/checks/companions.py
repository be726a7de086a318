"""torchvision, torchaudio, torchcodec and triton: do they pair with the installed torch, by version and by variant?"""

from __future__ import annotations

import re
from collections.abc import Iterator

from torchdoctor.matrix.case import Case
from torchdoctor.matrix.catalog import Catalog, version_key
from torchdoctor.matrix.checks import check
from torchdoctor.matrix.checks._packages import (
    distributions,
    environment_fix,
    line,
    local,
    public,
    stock_like,
    toolkit,
    torch_line,
)
from torchdoctor.matrix.findings import finding
from torchdoctor.matrix.platforms import platforms_of
from torchdoctor.matrix.tables import table
from torchdoctor.matrix.verdict import Finding, Severity
from torchdoctor.probes.facts import dataclass

_NAMES = ("torchvision", "torchaudio")


@dataclass(frozen=True, slots=True)
class _Pair:
    """What a companion's version says of the torch it is for: releases by number, or an open range from ``least``."""

    releases: tuple[str, ...] = ()
    line: tuple[int, ...] | None = None
    least: str | None = None


def _pair(catalog: Catalog, name: str, version: str) -> _Pair | None:
    """``None`` where nothing is known of that companion."""
    rows, key = table("companions.toml")["companion"][name], version_key(public(version))
    if len(key) < 2:
        return None
    opened = rows["open"]
    if key >= version_key(opened["from"]):
        return _Pair(least=opened["torch"]) if key[:2] <= version_key(opened["known_to"]) else None
    mine = [r for r in catalog.releases() if any(version_key(v) == key for v in r.companions.get(name, ()))]
    if mine:
        return _Pair(tuple(r.version for r in mine), line(mine[0].version))
    # A patch that no torch names (yanked, or rebuilt) belongs to the line of its neighbours.
    near = {
        line(r.version)
        for r in catalog.releases()
        if any(version_key(v)[:2] == key[:2] for v in r.companions.get(name, ()))
    }
    if len(near) == 1:
        return _Pair(line=near.pop())
    oldest = min(
        (version_key(v) for r in catalog.line(catalog.oldest()) for v in r.companions.get(name, ())), default=()
    )
    # Older than the companion of the oldest release in the matrix: for a torch before all of those.
    return _Pair(line=(0, 0)) if oldest and key < oldest else None


def _judge(case: Case, name: str, version: str) -> tuple[Severity, str] | None:
    """How badly a companion's version fails to pair, and the words for it; ``None`` where it pairs or is not known."""
    installed, torch = case.installed, torch_line(case)
    assert installed is not None
    if ".dev" in version or ".dev" in installed.version:
        return None  # nightly builds are numbered ahead of what they pair with
    if installed.release and version_key(public(version)) in map(
        version_key, installed.release.companions.get(name, ())
    ):
        return None  # the usual case, without opening another release
    pair = _pair(case.catalog, name, version)
    if pair is None or torch is None:
        return None
    if pair.line == (0, 0) and torch < version_key(case.catalog.oldest()):
        return None  # both are older than the matrix: nothing is known of their pairs
    number = version_key(public(installed.version))
    if pair.least is not None:
        least = version_key(pair.least)
        if number[: len(least)] >= least[: len(number)]:
            return None
        return (
            "blocker",
            f"{name} {public(version)} needs torch {pair.least} or newer, {installed.version} is installed.",
        )
    if pair.line != torch:
        made = f"torch {pair.releases[0]}" if pair.releases else "another torch"
        if pair.line == (0, 0):
            made = f"a torch older than {case.catalog.oldest()}"
        return "blocker", f"{name} {public(version)} was made for {made}, {installed.version} is installed."
    exact = len(number) >= 3 and installed.release is not None and pair.releases
    if exact and all(version_key(r) != number for r in pair.releases):
        return (
            "warning",
            f"{name} {public(version)} was made for torch {pair.releases[0]}, {installed.version} is installed.",
        )
    return None


def _partner(case: Case, name: str) -> str | None:
    """The version that pairs with the installed torch."""
    release = case.installed.release if case.installed else None
    return next(iter(release.companions.get(name, ())), None) if release else None


def _fix(case: Case, names: list[str]) -> tuple[str, ...]:
    """One command for all: what is taken from one index in one go pairs."""
    installed = case.installed
    pairs = [f"{name}=={partner}" for name in names if (partner := _partner(case, name))]
    if installed is None or installed.release is None or not pairs:
        return ()
    served = {installed.release.default_index.get(p) for p in platforms_of(case.facts).possible}
    index = installed.variant if installed.variant not in (None, "mps") and served != {installed.variant} else None
    return (environment_fix(case, " ".join([f"torch=={installed.version}", *pairs]), index),)


@check("companion-mismatch")
def companion_mismatch(case: Case) -> Iterator[Finding]:
    """A companion of another torch release, by its version, or of another variant: CPU beside CUDA, two CUDA versions."""
    installed = case.installed
    if installed is None or installed.origin in ("vendor", "source", "editable", "conda"):
        return
    if installed.origin is None and "a0" in installed.version:
        return
    judged: dict[str, tuple[Severity, str, str]] = {}
    for name in _NAMES:
        version = case.package(name)
        if version is None:
            continue
        by_version, by_variant = _judge(case, name, version), _judge_variant(case, name)
        if by_version is not None and (by_variant is None or by_version[0] == "blocker"):
            judged[name] = (*by_version, f"packages.{name}")
        elif by_variant is not None:
            judged[name] = by_variant
    if not judged:
        return
    yield finding(
        "companion-mismatch",
        case,
        about="installed",
        severity="blocker" if any(s == "blocker" for s, _, _ in judged.values()) else "warning",
        detail=" ".join(words for _, words, _ in judged.values()),
        evidence=(
            *dict.fromkeys(fact for _, _, fact in judged.values()),
            "torch.version",
            "packages.torch",
            "torch.variant",
        ),
        fix=_fix(case, list(judged)),
    )


def _built_with(case: Case, name: str) -> tuple[str, str] | None:
    """(variant, path of the fact) a companion was built for; ``None`` where it does not say."""
    version = case.package(name)
    tail = local(version).split(".post")[0]
    if toolkit(tail) or tail in ("cpu", "xpu") or tail.startswith("rocm"):
        return tail, f"packages.{name}"
    for place, row in distributions(case, name):
        if row.variant:
            return row.variant, f"distributions[{place}].variant"
    return None


def _judge_variant(case: Case, name: str) -> tuple[Severity, str, str] | None:
    """How badly a companion's variant fails to pair, the words for it, the fact that names it."""
    installed = case.installed
    if installed is None or not installed.variant or installed.variant == "mps" or not stock_like(case):
        return None
    built = _built_with(case, name)
    if built is None or built[0] == installed.variant:
        return None
    severity = _variant_severity(case, name, built[0])
    if severity is None:
        return None
    return severity, f"{name} is the {built[0]} build, torch {installed.version} is {installed.variant}.", built[1]


def _variant_severity(case: Case, name: str, theirs: str) -> Severity | None:
    assert case.installed is not None
    mine, other = toolkit(case.installed.variant), toolkit(theirs)
    if mine and other:
        if mine[0] != other[0]:
            return "blocker"
        rows = table("companions.toml")["companion"][name]
        # Later releases compare the majors only, or nothing at all.
        strict = version_key(public(case.package(name))) < version_key(rows["same_minor_before"])
        return "blocker" if strict else None
    rocm = _rocm(case.installed.variant), _rocm(theirs)
    if all(rocm):
        # Wheels of one ROCm line are mixed in practice; only the maker's own number differs.
        return None if rocm[0] == rocm[1] else "warning"
    if theirs == "cpu":
        # Its operators are missing on the GPU only; without one the pair works.
        return "blocker" if case.facts.gpus else "warning"
    return "blocker"


def _rocm(variant: str | None) -> tuple[int, int] | None:
    """``rocm7.11.0a20260112`` → (7, 11)."""
    match = re.match(r"rocm(\d{1,2})\.(\d{1,2})", variant or "")
    return (int(match[1]), int(match[2])) if match else None


@check("companion-mismatch")
def triton(case: Case) -> Iterator[Finding]:
    """triton is pinned by the torch wheel; another one breaks ``torch.compile``."""
    installed, version = case.installed, case.package("triton")
    if version is None or installed is None or installed.release is None or not stock_like(case):
        return
    if case.facts.system.os != "linux" or not toolkit(installed.variant) or "+" in version or "a" in version:
        return
    wanted = installed.release.companions.get("triton", ())
    if not wanted or any(_satisfies(version, w) for w in wanted):
        return
    yield finding(
        "companion-mismatch",
        case,
        about="installed",
        severity="warning",
        detail=f"torch {installed.version} was made with triton {wanted[0].lstrip('~=')}, {version} is installed: torch.compile may fail.",
        evidence=("packages.triton", "torch.version"),
        fix=environment_fix(case, f'"triton{wanted[0] if wanted[0][0] in "~=<>" else "==" + wanted[0]}"'),
    )


def _satisfies(version: str, wanted: str) -> bool:
    number = version_key(version)
    if wanted.startswith("~="):
        return number[:2] == version_key(wanted[2:])[:2] and number >= version_key(wanted[2:])
    return number == version_key(wanted)


@check("companion-mismatch")
def torchcodec(case: Case) -> Iterator[Finding]:
    """torchcodec declares no torch; its versions follow the release lines."""
    version, installed = case.package("torchcodec"), case.installed
    if version is None or installed is None or installed.release is None or not stock_like(case):
        return
    bounds, key = installed.release.torchcodec, version_key(public(version))[:2]
    last = version_key(table("companions.toml")["companion"]["torchcodec"]["last_bound_line"])
    if not bounds or len(key) < 2 or line(installed.version) > last:
        return
    oldest, newest = version_key(bounds[0])[:2], version_key(bounds[-1])[:2]
    if oldest <= key <= newest:
        return
    yield finding(
        "companion-mismatch",
        case,
        about="installed",
        severity="warning",
        detail=f"torchcodec {version} follows another torch line; for {installed.version} it is {bounds[0]} to {bounds[-1]}.",
        evidence=("packages.torchcodec", "torch.version"),
        fix=environment_fix(case, f'"torchcodec>={bounds[0]},<={bounds[-1]}.99"'),
    )


@check("ipex-version-mismatch")
def ipex(case: Case) -> Iterator[Finding]:
    """intel-extension-for-pytorch loads into the torch of its own major.minor only."""
    for name in ("intel-extension-for-pytorch", "intel_extension_for_pytorch", "ipex"):
        version, torch = case.package(name), torch_line(case)
        if version is None or torch is None or len(line(version)) < 2:
            continue
        if line(version) != torch:
            number = f"{line(version)[0]}.{line(version)[1]}"
            yield finding(
                "ipex-version-mismatch",
                case,
                about="installed",
                detail=f"intel-extension-for-pytorch {version} needs torch {number}, {case.installed.version if case.installed else ''} is installed.",
                evidence=(f"packages.{name}", "torch.version", "packages.torch"),
                fix=(
                    f'pip install "torch=={number}.*"',
                    "or uninstall the extension: recent torch has the XPU device built in",
                ),
            )
        return
