"""What a build needs of a machine, each need answered: met, not met (with the finding id) or not known.

Judged against facts that :mod:`torchdoctor.matrix.infer` has completed. A fact that is missing never fails a requirement.
The needs a build has of GPUs and their drivers are in :mod:`torchdoctor.matrix.gpu_needs`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from torchdoctor.matrix.catalog import Build, Release, version_key
from torchdoctor.matrix.gpu_needs import gpu_outcomes
from torchdoctor.matrix.outcome import Outcome, answered, failed
from torchdoctor.matrix.platforms import interpreter_machine
from torchdoctor.matrix.remember import once_a_machine
from torchdoctor.probes.facts import Facts

__all__ = ["below", "interpreter_tag", "machine_findings", "never_served", "requirements"]


def below(version: str, floor: str) -> bool | None:
    """Is a version below the floor? ``None`` where it is too coarse to tell: macOS ``14`` reaches 14.0, of 14.4 nobody knows."""
    have, need = version_key(version), version_key(floor)
    if have == need[: len(have)]:
        return None if any(need[len(have) :]) else False
    return have < need


@once_a_machine
def interpreter_tag(facts: Facts) -> str | None:
    """``cp313`` or ``cp314t`` for the examined interpreter; ``None`` where its version is not known."""
    version = version_key(facts.python.version or "")
    if len(version) < 2:
        return None
    return f"cp{version[0]}{version[1]}{'t' if facts.python.free_threaded else ''}"


def requirements(
    release: Release,
    build: Build,
    facts: Facts,
    gpus: tuple[int, ...] | None = None,
    index: str | None = None,
) -> list[Outcome]:
    """Every requirement of one build on one machine. ``gpus`` limits the GPU ones to these places in ``facts.gpus``;
    ``index`` is ``default`` where the wheel of the default package index is meant, for the few releases where it matters.
    """
    platform = build.platform
    answers = [_interpreter_need(release, platform, facts)]
    if platform.startswith("linux"):
        answers.append(_libc(release, build, facts))
        if release.broken:
            answers += _instructions(release, build, facts, index)
    elif platform.startswith("macos"):
        answers += _macos(release, build, facts)
    if build.vendor in ("nvidia", "amd", "intel"):
        answers += gpu_outcomes(release, build, facts, gpus)
    return answers


# ---- interpreter


def _interpreter_need(release: Release, platform: str, facts: Facts) -> Outcome:
    """The interpreter that every build of a release asks for on one platform."""
    python = facts.python
    if python.implementation and python.implementation != "cpython":
        return failed(
            "python-implementation",
            ("python.implementation",),
            f"torch has wheels for CPython only, this is {python.implementation}",
            "CPython",
        )
    if python.bits == 32:
        return failed(
            "python-32bit", ("python.bits",), "torch has wheels for 64-bit interpreters only", "a 64-bit Python"
        )
    tag = interpreter_tag(facts)
    if tag is None:
        return answered(status="unknown", facts=("python.version",))
    return _holds(release, platform, tag)


@lru_cache(maxsize=2048)
def _holds(release: Release, platform: str, tag: str) -> Outcome:
    """Whether any wheel of a release was made for an interpreter; asked of the same few interpreters again and again."""
    path = "python.version"
    rows = [r for r in release.interpreters if r.platform == platform]
    holding = [r for r in rows if tag in r.tags]
    if holding:
        found = next((r for r in holding if r.index == "default"), holding[0])
        return answered(status="met", facts=(path,), confidence=found.confidence)
    tags = [t for r in rows for t in r.tags]
    span = _span([t for t in tags if not t.endswith("t")])
    if tag.endswith("t"):
        free = sorted({f"3.{t[3:]}" for t in tags if t.endswith("t")}, key=lambda t: version_key(t[:-1]))
        have = ", ".join(free) or "none"
        return failed(
            "free-threaded-unsupported",
            (path, "python.free_threaded"),
            f"torch {release.version} has no wheel for free-threaded {_dotted(tag)} here (free-threaded wheels: {have})",
            f"an ordinary Python {span}" + (f" or free-threaded {free[-1]}" if free else ""),
        )
    return failed(
        "python-unsupported",
        (path,),
        f"torch {release.version} has wheels for Python {span} here, this is {_dotted(tag)}",
        f"Python {span}",
    )


def _dotted(tag: str) -> str:
    """``cp313t`` → ``3.13t``."""
    return f"{tag[2]}.{tag[3:]}"


def _span(tags: list[str]) -> str:
    minors = sorted({int(t[3:]) for t in tags})
    if not minors:
        return "(none)"
    return f"3.{minors[0]}" if len(minors) == 1 else f"3.{minors[0]}–3.{minors[-1]}"


# ---- system


def _libc(release: Release, build: Build, facts: Facts) -> Outcome:
    system = facts.system
    if system.libc == "musl":
        return failed("musl", ("system.libc",), "torch has no wheel for musl libc", "a system with glibc")
    return _glibc(release, build, system.libc_version)


@lru_cache(maxsize=2048)
def _glibc(release: Release, build: Build, version: str | None) -> Outcome:
    floor = release.glibc_floor(build)
    if floor is None:
        # No number in the matrix is no requirement, but for a build whose floor is marked as not established.
        return (
            answered(status="unknown", facts=("system.libc_version",))
            if build.glibc == "unknown"
            else answered(status="met")
        )
    if not version:
        return answered(status="unknown", facts=("system.libc_version",))
    if version_key(version) < version_key(floor):
        return failed(
            "glibc-too-old",
            ("system.libc_version",),
            f"torch {release.version} ({build.variant}) needs glibc {floor}, this system has {version}",
            f"a system with glibc {floor} or newer",
            value=floor,
        )
    return answered(status="met", facts=("system.libc_version",))


def _instructions(release: Release, build: Build, facts: Facts, index: str | None) -> Iterator[Outcome]:
    for row in release.broken:
        if row.platform != build.platform or (row.index == "own" and (index == "default" or build.variant != "cpu")):
            continue
        features, level = facts.cpu.features, facts.cpu.level
        if features is None and level is None:
            yield answered(status="unknown", facts=("cpu.features",))
        elif (features is not None and row.needs in features) or (features is None and level != "armv8.0-a"):
            yield answered(status="met", facts=("cpu.features",))
        elif features is not None or level == "armv8.0-a":
            yield failed(
                row.finding,
                ("cpu.model", "cpu.level", "cpu.features"),
                f"torch {release.version} uses Arm LSE atomics ({row.where}), this processor has none",
                "an Armv8.1 processor",
            )


def _macos(release: Release, build: Build, facts: Facts) -> Iterator[Outcome]:
    version = facts.system.version
    tag = interpreter_tag(facts)
    rows = [r for r in release.interpreters if r.platform == build.platform and r.macos]
    minima = [r.macos for r in rows if r.macos and (tag is None or tag in r.tags)] or [r.macos for r in rows if r.macos]
    floor = min(minima, key=version_key, default=None)
    if build.variant == "mps" and release.metal_min:
        floor = max(release.metal_min, floor or "0", key=version_key)
        what = f"Metal in torch {release.version} needs macOS {floor}"
        confidence = release.metal_confidence
    else:
        what, confidence = f"torch {release.version} has wheels for macOS {floor} and newer", "primary"
    if floor is None:
        return
    older = below(version, floor) if version else None
    if older is None:
        yield answered(status="unknown", facts=("system.version",))
    elif older:
        needs = f"macOS {floor.removesuffix('.0')} or newer"
        yield failed(
            "macos-too-old",
            ("system.version",),
            f"{what}, this is {version}",
            needs,
            value=floor,
            confidence=confidence,
        )
    else:
        yield answered(status="met", facts=("system.version",), confidence=confidence)
    if build.variant == "mps" and facts.gpus is not None and not any(g.vendor == "apple" for g in facts.gpus):
        yield answered(status="unknown", facts=("gpus",))


def never_served(facts: Facts) -> Iterator[Outcome]:
    """What no wheel of any release was ever made for: another implementation, 32 bits, musl."""
    machine, system, python = interpreter_machine(facts), facts.system, facts.python
    if python.implementation and python.implementation != "cpython":
        yield failed(
            "python-implementation",
            ("python.implementation",),
            f"torch has wheels for CPython only, this is {python.implementation}",
            "CPython",
        )
    if system.libc == "musl":
        yield failed("musl", ("system.libc",), "torch has no wheel for musl libc", "a system with glibc")
    if machine == "armv7l":
        yield failed(
            "arm32",
            ("python.machine", "system.machine"),
            "torch has no wheel for 32-bit Arm",
            "a 64-bit system and Python",
        )
    elif python.bits == 32 or machine == "i686":
        yield failed(
            "python-32bit",
            ("python.bits", "python.machine"),
            "torch has wheels for 64-bit interpreters only",
            "a 64-bit Python",
        )


def machine_findings(facts: Facts) -> Iterator[Outcome]:
    """Why no build at all was ever published for this machine."""
    named = tuple(never_served(facts))
    yield from named
    if not named:
        machine, system = interpreter_machine(facts), facts.system
        yield failed(
            "no-wheel-for-platform",
            ("system.os", "system.machine"),
            f"no torch wheel was ever published for {system.os or 'this system'} on {machine or 'this machine'}",
            "another machine",
        )
