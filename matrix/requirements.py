"""What a build needs of a machine, each need answered: met, not met (with the finding id) or not known.

Judged against facts that :mod:`torchdoctor.matrix.infer` has completed. A fact that is missing never fails a requirement.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from torchdoctor.matrix.catalog import Build, Release, version_key
from torchdoctor.matrix.gpu_code import Coverage, cuda_coverage, gfx_name, overridden_gfx
from torchdoctor.matrix.platforms import interpreter_machine
from torchdoctor.matrix.tables import weakest
from torchdoctor.probes.facts import Facts, Gpu

__all__ = [
    "HARDWARE",
    "Outcome",
    "accelerated_gpus",
    "assumed_vendors",
    "gpu_outcomes",
    "interpreter_tag",
    "requirements",
]

HARDWARE = frozenset(
    {"gpu-below-minimum", "gpu-arch-missing", "gpu-newer-than-wheel", "gfx-unsupported", "xpu-gpu-unsupported",
     "macos-x86-dropped", "arm-lacks-lse", "jetson-needs-vendor-wheel"}
)  # fmt: skip
"""Ids of requirements that no driver, system or interpreter update would meet."""


_MINOR_VERSIONS = 11
"""The first CUDA major whose minor versions share one driver floor (source: the CUDA compatibility guide)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One requirement answered. ``id`` is the finding where it is not met; ``facts`` the paths it was read from (or, where
    unknown, those that are missing); ``needs`` what would meet it in words (``driver 580 or newer``); ``value`` the bare
    number; ``gpu`` the place of the device in ``facts.gpus`` it is about.
    """

    status: Literal["met", "failed", "unknown"]
    id: str = ""
    facts: tuple[str, ...] = ()
    detail: str = ""
    needs: str = ""
    value: str = ""
    gpu: int | None = None
    confidence: str = "primary"


def interpreter_tag(facts: Facts) -> str | None:
    """``cp313`` or ``cp314t`` for the examined interpreter; ``None`` where its version is not known."""
    version = version_key(facts.python.version or "")
    if len(version) < 2:
        return None
    return f"cp{version[0]}{version[1]}{'t' if facts.python.free_threaded else ''}"


def accelerated_gpus(facts: Facts, vendor: str) -> tuple[tuple[int, Gpu], ...]:
    """The GPUs of a vendor that a build must serve: the discrete ones, or all where there is no discrete one."""
    mine = tuple((i, g) for i, g in enumerate(facts.gpus or ()) if g.vendor == vendor)
    discrete = tuple((i, g) for i, g in mine if not g.integrated)
    return discrete or mine


def requirements(
    release: Release, build: Build, facts: Facts, *, gpus: tuple[int, ...] | None = None, index: str | None = None
) -> Iterator[Outcome]:
    """Every requirement of one build on one machine. ``gpus`` limits the GPU ones to these places in ``facts.gpus``;
    ``index`` is ``default`` where the wheel of the default package index is meant, for the few releases where it matters.
    """
    yield _interpreter(release, build, facts)
    if build.platform.startswith("linux"):
        yield _libc(release, build, facts)
        yield from _instructions(release, build, facts, index)
    if build.platform.startswith("macos"):
        yield from _macos(release, build, facts)
    if build.vendor in ("nvidia", "amd", "intel"):
        yield from gpu_outcomes(release, build, facts, gpus=gpus)


# ---- interpreter


def _interpreter(release: Release, build: Build, facts: Facts) -> Outcome:
    python = facts.python
    if python.implementation and python.implementation != "cpython":
        return _fail(
            "python-implementation",
            ("python.implementation",),
            f"torch has wheels for CPython only, this is {python.implementation}",
            "CPython",
        )
    if python.bits == 32:
        return _fail(
            "python-32bit", ("python.bits",), "torch has wheels for 64-bit interpreters only", "a 64-bit Python"
        )
    tag = interpreter_tag(facts)
    path = "python.version"
    if tag is None:
        return Outcome(status="unknown", facts=(path,))
    rows = [r for r in release.interpreters if r.platform == build.platform]
    holding = [r for r in rows if tag in r.tags]
    default = [r for r in holding if r.index == "default"]
    if holding:
        found = default or holding
        return Outcome(status="met", facts=(path,), confidence=weakest(*(r.confidence for r in found[:1])))
    tags = [t for r in rows for t in r.tags]
    span = _span([t for t in tags if not t.endswith("t")])
    if tag.endswith("t"):
        free = sorted({f"3.{t[3:]}" for t in tags if t.endswith("t")}, key=lambda t: version_key(t[:-1]))
        have = ", ".join(free) or "none"
        return _fail(
            "free-threaded-unsupported",
            (path, "python.free_threaded"),
            f"torch {release.version} has no wheel for free-threaded {_dotted(tag)} here (free-threaded wheels: {have})",
            f"an ordinary Python {span}" + (f" or free-threaded {free[-1]}" if free else ""),
        )
    return _fail(
        "python-unsupported",
        (path,),
        f"torch {release.version} has wheels for Python {span} here, this is {_dotted(tag)}",
        f"Python {span}",
    )


def _dotted(tag: str) -> str:
    return f"3.{tag[3:]}"


def _span(tags: list[str]) -> str:
    minors = sorted({int(t[3:]) for t in tags})
    if not minors:
        return "(none)"
    return f"3.{minors[0]}" if len(minors) == 1 else f"3.{minors[0]}–3.{minors[-1]}"


# ---- system


def _libc(release: Release, build: Build, facts: Facts) -> Outcome:
    system = facts.system
    if system.libc == "musl":
        return _fail("musl", ("system.libc",), "torch has no wheel for musl libc", "a system with glibc")
    floor = release.glibc_floor(build)
    if floor is None:
        # No number in the matrix is no requirement, but for a build whose floor is marked as not established.
        return (
            Outcome(status="unknown", facts=("system.libc_version",))
            if build.glibc == "unknown"
            else Outcome(status="met")
        )
    if not system.libc_version:
        return Outcome(status="unknown", facts=("system.libc_version",))
    if version_key(system.libc_version) < version_key(floor):
        return _fail(
            "glibc-too-old",
            ("system.libc_version",),
            f"torch {release.version} ({build.variant}) needs glibc {floor}, this system has {system.libc_version}",
            f"a system with glibc {floor} or newer",
            value=floor,
        )
    return Outcome(status="met", facts=("system.libc_version",))


def _instructions(release: Release, build: Build, facts: Facts, index: str | None) -> Iterator[Outcome]:
    for row in release.broken:
        if row.platform != build.platform or (row.index == "own" and (index == "default" or build.variant != "cpu")):
            continue
        features, level = facts.cpu.features, facts.cpu.level
        if features is None and level is None:
            yield Outcome(status="unknown", facts=("cpu.features",))
        elif (features is not None and row.needs in features) or (features is None and level != "armv8.0-a"):
            yield Outcome(status="met", facts=("cpu.features",))
        elif features is not None or level == "armv8.0-a":
            yield _fail(
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
    if not version:
        yield Outcome(status="unknown", facts=("system.version",))
    elif version_key(version) < version_key(floor):
        needs = f"macOS {floor.removesuffix('.0')} or newer"
        yield _fail(
            "macos-too-old",
            ("system.version",),
            f"{what}, this is {version}",
            needs,
            value=floor,
            confidence=confidence,
        )
    else:
        yield Outcome(status="met", facts=("system.version",), confidence=confidence)
    if build.variant == "mps" and facts.gpus is not None and not any(g.vendor == "apple" for g in facts.gpus):
        yield Outcome(status="unknown", facts=("gpus",))


# ---- GPU


def assumed_vendors(facts: Facts) -> tuple[str, ...]:
    """Vendors whose driver is known to be there although nobody listed the GPUs."""
    if facts.gpus is not None:
        return ()
    drivers = facts.drivers
    found = (
        ("nvidia", drivers.nvidia.version or drivers.nvidia.cuda or facts.system.jetson),  # every Jetson has one
        ("amd", drivers.amdgpu.version),
    )
    return tuple(vendor for vendor, version in found if version)


def gpu_outcomes(
    release: Release, build: Build, facts: Facts, *, gpus: tuple[int, ...] | None = None
) -> Iterator[Outcome]:
    """The requirements a build has of the GPUs of its vendor and their driver; none where no such GPU is known."""
    vendor = build.vendor
    if facts.gpus is None and vendor in assumed_vendors(facts):
        # A driver is there, so a GPU is; which one, nobody said.
        if vendor == "nvidia":
            if _old_jetpack(facts):
                yield _jetson(build, facts, "this board")
                return
            yield from _nvidia_driver(build, facts, [])
        yield Outcome(status="unknown", facts=("gpus",))
        return
    mine = [(i, g) for i, g in accelerated_gpus(facts, vendor or "") if gpus is None or i in gpus]
    if not mine:
        return
    if vendor == "nvidia":
        yield from _nvidia_driver(build, facts, mine)
    for place, gpu in mine:
        if vendor == "nvidia":
            yield _cuda_code(release, build, facts, place, gpu)
        elif vendor == "amd":
            yield _gfx_code(build, facts, place, gpu)
        elif vendor == "intel":
            yield _xpu_device(release, build, place, gpu)


def _nvidia_driver(build: Build, facts: Facts, gpus: list[tuple[int, Gpu]]) -> Iterator[Outcome]:
    from torchdoctor.matrix import drivers

    driver, system = facts.drivers.nvidia, facts.system
    if build.toolkit[0] < _MINOR_VERSIONS:
        yield from _old_toolkit(build, facts)
        return
    if system.jetson:
        return  # JetPack's own numbering: the vendor's CUDA user space decides, not a driver branch
    if driver.version == "" or driver.installed is False or driver.loaded is False:
        return  # the advice is for after the driver is there; a check says that it is missing
    # Under WSL the Windows driver is what runs, so its floors count.
    os = "windows" if system.os == "windows" or system.wsl else "linux"
    major = build.toolkit[0]
    try:
        floor = drivers.driver_floor(major, os)
    except KeyError:
        return  # a toolkit without a row: no number, no requirement
    if driver.version:
        if not drivers.at_least(driver.version, floor.version):
            yield _fail(
                "driver-too-old",
                ("drivers.nvidia.version",),
                f"{build.variant} builds need driver {floor.version} or newer, this is {driver.version}",
                f"driver {floor.version} or newer",
                value=floor.version,
            )
            return
    elif driver.cuda:
        # Only the CUDA ceiling is known: the driver of that CUDA major carries every build of it.
        if version_key(driver.cuda)[:1] < (major,):
            yield _fail(
                "driver-too-old",
                ("drivers.nvidia.cuda",),
                f"{build.variant} builds need a driver for CUDA {major} (driver {floor.version} or newer), this one stops at CUDA {driver.cuda}",
                f"driver {floor.version} or newer",
                value=floor.version,
            )
            return
    else:
        yield Outcome(status="unknown", facts=("drivers.nvidia.version",))
        return
    confidence = floor.confidence
    for place, gpu in gpus:
        first = drivers.first_driver(gpu.compute_capability, os) if gpu.compute_capability else None
        if first is None or not driver.version:
            continue
        if not drivers.at_least(driver.version, first.version):
            # A driver that does not know the chip cannot run it, whatever the wheel. The table is derived.
            yield _fail(
                "driver-too-old",
                ("drivers.nvidia.version", f"gpus[{place}].compute_capability"),
                f"compute capability {gpu.compute_capability} needs driver {first.version} or newer, this is {driver.version}",
                f"driver {first.version} or newer",
                value=first.version,
                confidence=first.confidence,
            )
            return
    yield Outcome(status="met", facts=("drivers.nvidia.version",), confidence=confidence)


def _old_toolkit(build: Build, facts: Facts) -> Iterator[Outcome]:
    """Before CUDA 11 a driver ran the toolkits up to its own ceiling and no later one, not even of its major."""
    ceiling = facts.drivers.nvidia.cuda
    if ceiling and version_key(ceiling) < build.toolkit:
        wants = ".".join(map(str, build.toolkit))
        yield _fail(
            "driver-too-old",
            ("drivers.nvidia.version", "drivers.nvidia.cuda"),
            f"a CUDA {wants} build needs a driver for CUDA {wants}, this one stops at {ceiling}",
            f"a driver for CUDA {wants}",
        )


def _cuda_code(release: Release, build: Build, facts: Facts, place: int, gpu: Gpu) -> Outcome:
    path = f"gpus[{place}].compute_capability"
    cc = gpu.compute_capability
    if not cc:
        return Outcome(status="unknown", facts=(path,), gpu=place)
    if build.kernels is None:
        return Outcome(status="unknown", facts=(f"matrix: kernels of {build.variant} in {build.torch}",), gpu=place)
    found = _coverage(build, cc)
    if found is None:
        return Outcome(status="unknown", facts=(path,), gpu=place)
    if found.covered:
        return Outcome(status="met", facts=(path,), gpu=place, confidence=build.kernels_confidence)
    name = gpu.name or "the GPU"
    detail = (
        f"torch {build.torch} ({build.variant}) is built for {_list(build.kernels)}, {name} has compute capability {cc}"
    )
    if _old_jetpack(facts):
        return _jetson(build, facts, name, place)
    if found.above:
        id = "gpu-newer-than-wheel"
    elif found.below and not _elsewhere(release, build, cc):
        id = "gpu-below-minimum"
    else:
        id = "gpu-arch-missing"
    return _fail(
        id,
        (path, f"gpus[{place}].name"),
        detail,
        f"a GPU of {_list(build.kernels)}",
        gpu=place,
        confidence=build.kernels_confidence,
    )


def _old_jetpack(facts: Facts) -> bool:
    """JetPack 4 to 6 (L4T before R38): no stock wheel was ever built for these boards."""
    release = version_key((facts.system.jetson or "").lstrip("Rr"))
    return bool(release) and release < (38,)


def _jetson(build: Build, facts: Facts, name: str, place: int | None = None) -> Outcome:
    return _fail(
        "jetson-needs-vendor-wheel",
        ("system.jetson", f"gpus[{place}].compute_capability") if place is not None else ("system.jetson",),
        f"{_named(build)} is a server build for Arm; {name} runs JetPack with L4T {facts.system.jetson}",
        "NVIDIA's own wheel for this JetPack",
        gpu=place,
    )


def _coverage(build: Build, cc: str) -> Coverage | None:
    """Machine code first; PTX only where the toolkit's own libraries were made for the device too."""
    code = [k for k in build.kernels or () if not k.startswith("compute_")]
    ptx = [k for k in build.kernels or () if k.startswith("compute_")] + list(build.ptx or ())
    found = cuda_coverage(code, (), cc)
    if ptx and (found is None or not found.covered):
        from torchdoctor.matrix.drivers import toolkit_knows

        known = toolkit_knows(".".join(map(str, build.toolkit)), cc)
        if known is not False:
            return cuda_coverage(code, ptx, cc)
    return found


def _elsewhere(release: Release, build: Build, cc: str) -> bool:
    """The same release, variant and system carries the architecture on another processor architecture."""
    os = build.platform.split("_")[0]
    for other in release.builds:
        if other.variant == build.variant and other.platform != build.platform and other.platform.startswith(os):
            found = _coverage(other, cc)
            if found is not None and found.covered:
                return True
    return False


def _gfx_code(build: Build, facts: Facts, place: int, gpu: Gpu) -> Outcome:
    path = f"gpus[{place}].gfx"
    gfx = gfx_name(gpu.gfx or "")
    if gfx is None:
        return Outcome(status="unknown", facts=(path,), gpu=place)
    if build.kernels is None:
        return Outcome(status="unknown", facts=(f"matrix: kernels of {build.variant} in {build.torch}",), gpu=place)
    target = overridden_gfx(gfx, (facts.environment or {}).get("HSA_OVERRIDE_GFX_VERSION"))
    if target in build.kernels:
        return Outcome(status="met", facts=(path,), gpu=place, confidence=build.kernels_confidence)
    if target in build.unconfirmed:
        return Outcome(
            status="unknown",
            facts=(f"matrix: {target} in {build.variant} is built but not confirmed to work",),
            gpu=place,
        )
    why = "has no math library for" if target in build.without_libraries else "holds no code for"
    return _fail(
        "gfx-unsupported",
        (path, f"gpus[{place}].name"),
        f"{_named(build)} {why} {target}; it serves {_list(build.kernels)}",
        "a GPU the ROCm builds have code for",
        gpu=place,
        confidence=build.kernels_confidence,
    )


def _xpu_device(release: Release, build: Build, place: int, gpu: Gpu) -> Outcome:
    from torchdoctor.matrix.gpus import intel_gpu

    row = intel_gpu(gpu.pci_id, gpu.name)
    paths = (f"gpus[{place}].name", f"gpus[{place}].pci_id")
    if row is None or (row.chip is None and row.xpu is None):
        return Outcome(status="unknown", facts=paths[1:], gpu=place)
    linux_only = row.chip in release.xpu_linux_only and not build.platform.startswith("linux")
    listed = row.chip is None or row.chip in release.xpu_platforms
    if row.xpu is not False and listed and not linux_only:
        return Outcome(status="met", facts=paths, gpu=place, confidence=row.confidence)
    what = gpu.name or row.name or "this GPU"
    return _fail(
        "xpu-gpu-unsupported",
        paths,
        f"the XPU build of torch {release.version} is not validated for {what}"
        + (f" ({row.chip})" if row.chip else ""),
        "an Intel Arc or Data Center Max GPU",
        gpu=place,
    )


def _named(build: Build) -> str:
    if not build.torch:
        return "the torch in question"
    return f"torch {build.torch}" + (f" ({build.variant})" if build.toolkit != (0, 0) else "")


def _list(names: tuple[str, ...]) -> str:
    return " ".join(names)


def _fail(
    id: str,
    facts: tuple[str, ...],
    detail: str,
    needs: str,
    *,
    value: str = "",
    gpu: int | None = None,
    confidence: str = "primary",
) -> Outcome:
    return Outcome(
        status="failed", id=id, facts=facts, detail=detail, needs=needs, value=value, gpu=gpu, confidence=confidence
    )


def never_served(facts: Facts) -> Iterator[Outcome]:
    """What no wheel of any release was ever made for: another implementation, 32 bits, musl."""
    machine, system, python = interpreter_machine(facts), facts.system, facts.python
    if python.implementation and python.implementation != "cpython":
        yield _fail(
            "python-implementation",
            ("python.implementation",),
            f"torch has wheels for CPython only, this is {python.implementation}",
            "CPython",
        )
    if system.libc == "musl":
        yield _fail("musl", ("system.libc",), "torch has no wheel for musl libc", "a system with glibc")
    if machine == "armv7l":
        yield _fail(
            "arm32",
            ("python.machine", "system.machine"),
            "torch has no wheel for 32-bit Arm",
            "a 64-bit system and Python",
        )
    elif python.bits == 32 or machine == "i686":
        yield _fail(
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
        yield _fail(
            "no-wheel-for-platform",
            ("system.os", "system.machine"),
            f"no torch wheel was ever published for {system.os or 'this system'} on {machine or 'this machine'}",
            "another machine",
        )
