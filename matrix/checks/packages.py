"""The installed distributions among themselves: two copies, pins that contradict, binaries for another machine or ABI."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchdoctor.matrix.case import Case
from torchdoctor.matrix.catalog import version_key
from torchdoctor.matrix.checks import check
from torchdoctor.matrix.checks._packages import FAMILY, distributions, line, public, stock_like
from torchdoctor.matrix.findings import finding
from torchdoctor.matrix.markers import holds
from torchdoctor.matrix.platforms import platforms_of
from torchdoctor.matrix.requirements import interpreter_tag
from torchdoctor.matrix.verdict import Finding
from torchdoctor.probes.facts import regex

if TYPE_CHECKING:
    from packaging.requirements import Requirement

_GFX_PACKAGE = regex(r"rocm-sdk-(?:libraries|device)-(gfx[0-9a-fx]{3,4}(?:-(?:all|dgpu|dcgpu|igpu))?)\Z")


@check("duplicate-install")
def duplicate_install(case: Case) -> Iterator[Finding]:
    """Two torch installations on one module path, or two sets of metadata for one."""
    rows = list(distributions(case, "torch"))
    if len(rows) < 2:
        return
    places = list(dict.fromkeys(row.location for _, row in rows if row.location))
    numbers = {public(row.version) for _, row in rows if row.version}
    loaded = public(case.facts.torch.version)
    if len(places) < 2 and len(numbers) < 2:
        return
    where = "; ".join(f"{row.version} in {row.location}" for _, row in rows[:4])
    # Two copies of one release hide each other without harm until one of them is upgraded.
    harmless = len(numbers) < 2
    yield finding(
        "duplicate-install",
        case,
        about="installed",
        severity="warning" if harmless else "blocker",
        detail=f"torch is there {len(rows)} times: {where}." + (f" An import takes {loaded}." if loaded else ""),
        evidence=(*(f"distributions[{i}].location" for i, _ in rows[:4]), "torch.path", "torch.version"),
        fix=(
            "pip uninstall -y torch torchvision torchaudio, until pip says that it is not installed",
            "install torch once",
        ),
    )


def _requirement(text: str) -> Requirement | None:
    from packaging.requirements import InvalidRequirement, Requirement

    try:
        return Requirement(text)
    except InvalidRequirement:
        return None


@check("companion-pin-conflict")
def pin_conflict(case: Case) -> Iterator[Finding]:
    """A package requires a torch that the installed one is not."""
    if case.installed is None or not stock_like(case) or len(version_key(case.installed.version)) < 3:
        return
    conflicts = []
    for place, row in distributions(case):
        if row.name in FAMILY:
            continue
        for text in row.requires or ():
            requirement = _requirement(text) if re.match(r"torch(?![\w.-])", text) else None
            if requirement is None or (requirement.marker and not holds(str(requirement.marker), case.facts)):
                continue
            if not requirement.specifier.contains(case.installed.version, prereleases=True):
                conflicts.append((place, row, requirement))
    if not conflicts:
        return
    words = ", ".join(f"{row.name} {row.version} requires torch{r.specifier}" for _, row, r in conflicts[:3])
    # What was compiled against the pinned torch fails when it is loaded; pure Python usually does not.
    compiled = any(row.libraries for _, row, _ in conflicts)
    yield finding(
        "companion-pin-conflict",
        case,
        about="installed",
        severity="blocker" if compiled else "warning",
        detail=f"{words}; {case.installed.version} is installed.",
        evidence=(*(f"distributions[{i}].requires" for i, _, _ in conflicts[:3]), "torch.version", "packages.torch"),
        fix=(
            f'pip install "torch{conflicts[0][2].specifier}"',
            f"or a version of {conflicts[0][1].name} made for torch {line(case.installed.version)[0]}.{line(case.installed.version)[1]}",
        ),
    )


@check("numpy-abi")
def numpy_abi(case: Case) -> Iterator[Finding]:
    """NumPy 2 beside a torch that was compiled for NumPy 1; which releases those are differs by system."""
    numpy, installed = case.package("numpy"), case.installed
    if numpy is None and not case.facts.symptoms:
        return
    if installed is not None and stock_like(case) and _numpy2(case, installed.version) is True:
        return  # this torch was compiled for both: what complains is another package
    for place, _ in case.symptom("numpy-abi")[:1]:
        yield finding(
            "numpy-abi",
            case,
            about="installed",
            detail="Something that was compiled for NumPy 1 was loaded beside NumPy 2.",
            evidence=(f"symptoms[{place}]", "packages.numpy", "torch.version", "packages.torch"),
            fix=('pip install "numpy<2"', "or install a newer torch"),
        )
        return
    if installed is None or not numpy or version_key(numpy)[:1] != (2,) or not stock_like(case):
        return
    if _numpy2(case, installed.version) is not False:
        return
    yield finding(
        "numpy-abi",
        case,
        about="installed",
        detail=f"torch {installed.version} was compiled for NumPy 1, {numpy} is installed: Numpy is not available to torch.",
        evidence=("packages.numpy", "torch.version", "packages.torch", "system.os"),
        fix=('pip install "numpy<2"', "or install a newer torch"),
    )


def _numpy2(case: Case, version: str) -> bool | None:
    """Can that torch use NumPy 2 here? A version cut short is judged where all its patches agree."""
    key = version_key(version)
    if key[:2] < version_key(case.catalog.oldest()) and len(key) >= 2:
        return False  # compiled before NumPy 2 existed
    system = case.facts.system.os
    releases = [r for r in case.catalog.line(".".join(map(str, key[:2]))) if version_key(r.version)[: len(key)] == key]
    said = {
        r.numpy2.get(name)
        for r in releases
        for name in ((system,) if system in ("linux", "macos", "windows") else ("linux", "macos", "windows"))
    }
    return said.pop() if len(said) == 1 else None


@check("wheel-arch-mismatch")
def wheel_arch(case: Case) -> Iterator[Finding]:
    """The installed libraries are of another machine than the interpreter that would load them."""
    python = case.facts.python.machine
    if not python:
        return
    for place, row in distributions(case):
        if not row.machines or python in row.machines:
            continue
        yield finding(
            "wheel-arch-mismatch",
            case,
            about="installed",
            detail=f"{row.name} {row.version} holds binaries for {' and '.join(row.machines)}, the interpreter is {python}.",
            evidence=(f"distributions[{place}].machines", "python.machine"),
            fix=f"pip install --force-reinstall --no-cache-dir {row.name}=={public(row.version)}, run by the interpreter that is to use it",
        )
        return


@check("free-threaded-unsupported")
def free_threaded(case: Case) -> Iterator[Finding]:
    """A free-threaded interpreter beside wheels for the usual one: their extension modules cannot be loaded."""
    if case.facts.python.free_threaded is not True:
        return
    for place, row in distributions(case):
        tags = [t.split("-") for t in row.tags or () if t.count("-") >= 2]
        if (
            not tags
            or any(t[1].endswith("t") or t[1] == "none" for t in tags)
            or not tags[0][1].startswith(("cp", "abi3"))
        ):
            continue
        version = case.facts.python.version or ""
        yield finding(
            "free-threaded-unsupported",
            case,
            about="installed",
            detail=f"{row.name} {row.version} is a wheel for {tags[0][1]}, this Python {version} is the free-threaded build.",
            evidence=(f"distributions[{place}].tags", "python.free_threaded", "python.version"),
            fix=(
                f"use the usual build of Python {'.'.join(version.split('.')[:2])}",
                f"or a version of {row.name} with free-threaded wheels, if there is one",
            ),
        )
        return


@check("free-threaded-unsupported")
def torch_without_free_threaded_wheel(case: Case) -> Iterator[Finding]:
    """The installed release was never published for the free-threaded interpreter that is to load it."""
    installed, tag = case.installed, interpreter_tag(case.facts)
    if installed is None or installed.release is None or tag is None or case.facts.python.free_threaded is not True:
        return
    if installed.origin not in (None, "wheel") or case.facts.torch.gpu_available is not None:
        return  # it was loaded, so it is of this interpreter
    possible = platforms_of(case.facts).possible
    if not possible or any(tag in installed.release.tags(p, "own") for p in possible):
        return
    usual = ".".join(map(str, version_key(case.facts.python.version or "")[:2]))
    yield finding(
        "free-threaded-unsupported",
        case,
        about="installed",
        detail=f"torch {installed.version} has no wheel for the free-threaded Python {usual}: what is installed is for the usual one.",
        evidence=("python.free_threaded", "python.version", "torch.version", "packages.torch"),
        fix=(f"run it with the usual build of Python {usual}", "or install a release with free-threaded wheels"),
    )


@check("rocm-sdk-arch-mismatch")
def rocm_sdk(case: Case) -> Iterator[Finding]:
    """A device package of the ROCm SDK for a target that none of the GPUs is."""
    gpus = [(i, g.gfx) for i, g in case.gpus("amd") if g.gfx]
    if not gpus:
        return
    targets = {n: m[1] for n in sorted(case.facts.packages or {}) if (m := _GFX_PACKAGE.match(n))}
    if not targets or any(g.gfx is None for _, g in case.gpus("amd")):
        return
    if any(_target_serves(target, gfx) for target in targets.values() for _, gfx in gpus):
        return
    names = ", ".join(targets)
    yield finding(
        "rocm-sdk-arch-mismatch",
        case,
        about="installed",
        detail=f"{names} is installed, the GPU is {gpus[0][1]}.",
        evidence=(*(f"packages.{n}" for n in targets), f"gpus[{gpus[0][0]}].gfx"),
        fix=f"install the ROCm packages for {gpus[0][1]}: their index is named after the target",
    )


def _target_serves(target: str, gfx: str) -> bool:
    """``gfx94x-dcgpu`` serves ``gfx942``; ``gfx1151`` serves itself only."""
    pattern = target.split("-")[0].lower()
    return len(pattern) == len(gfx) and all(p in ("x", g) for p, g in zip(pattern, gfx.lower(), strict=True))
