"""What a build needs of the GPUs of its vendor and their driver: the driver's floor, and code that runs on every device."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from torchdoctor.matrix.catalog import Build, Release, toolkit_of, version_key
from torchdoctor.matrix.gpu_code import Coverage, cuda_coverage, gfx_name, overridden_gfx
from torchdoctor.matrix.outcome import Outcome, answered, failed, listed
from torchdoctor.matrix.remember import once_a_machine
from torchdoctor.probes.facts import Facts, Gpu

__all__ = ["accelerated_gpus", "assumed_vendors", "gpu_outcomes"]

_MINOR_VERSIONS = 11
"""The first CUDA major whose minor versions share one driver floor (source: the CUDA compatibility guide)."""


@once_a_machine
def accelerated_gpus(facts: Facts, vendor: str) -> tuple[tuple[int, Gpu], ...]:
    """The GPUs of a vendor that a build must serve: the discrete ones, or all where there is no discrete one."""
    if not facts.gpus:
        return ()
    mine = tuple((i, g) for i, g in enumerate(facts.gpus) if g.vendor == vendor)
    discrete = tuple((i, g) for i, g in mine if not g.integrated)
    return discrete or mine


@once_a_machine
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


def gpu_outcomes(release: Release, build: Build, facts: Facts, gpus: tuple[int, ...] | None = None) -> list[Outcome]:
    """The requirements a build has of the GPUs of its vendor and their driver; none where no such GPU is known."""
    vendor = build.vendor
    if facts.gpus is None and vendor in assumed_vendors(facts):
        # A driver is there, so a GPU is; which one, nobody said.
        if vendor == "nvidia":
            if _old_jetpack(facts):
                return [_jetson(build, facts, "this board")]
            return [*_nvidia_driver(facts, build.variant, ()), answered(status="unknown", facts=("gpus",))]
        return [answered(status="unknown", facts=("gpus",))]
    mine = accelerated_gpus(facts, vendor or "")
    if gpus is not None:
        mine = tuple([(i, g) for i, g in mine if i in gpus])
    if vendor == "nvidia" and mine:
        answers = list(_nvidia_driver(facts, build.variant, tuple([i for i, _ in mine])))
        answers += [_cuda_code(release, build, facts, place, gpu) for place, gpu in mine]
        return answers
    if vendor == "amd":
        return [_gfx_code(build, facts, place, gpu) for place, gpu in mine]
    if vendor == "intel":
        return [_xpu_device(release, build, place, gpu) for place, gpu in mine]
    return []


@once_a_machine
def _nvidia_driver(facts: Facts, variant: str, places: tuple[int, ...]) -> tuple[Outcome, ...]:
    """What a variant needs of the driver, for the devices at ``places``: the same in every release that has the variant."""
    return tuple(_driver_needs(facts, variant, places))


def _driver_needs(facts: Facts, variant: str, places: tuple[int, ...]) -> Iterator[Outcome]:
    from torchdoctor.matrix import drivers
    from torchdoctor.matrix.forward_compat import spoken_major

    driver, system = facts.drivers.nvidia, facts.system
    toolkit = toolkit_of(variant)
    if toolkit[0] < _MINOR_VERSIONS:
        yield from _old_toolkit(facts, toolkit)
        return
    if system.jetson:
        return  # JetPack's own numbering: the vendor's CUDA user space decides, not a driver branch
    if driver.version == "" or driver.installed is False or driver.loaded is False:
        return  # the advice is for after the driver is there; a check says that it is missing
    # Under WSL the Windows driver is what runs, so its floors count.
    os = "windows" if system.os == "windows" or system.wsl else "linux"
    major = toolkit[0]
    try:
        floor = drivers.driver_floor(major, os)
    except KeyError:
        return  # a toolkit without a row: no number, no requirement
    if driver.version:
        # A forward-compatibility libcuda lifts the floor, not the driver's knowledge of chips.
        if not drivers.at_least(driver.version, floor.version) and (spoken_major(facts) or 0) < major:
            yield failed(
                "driver-too-old",
                ("drivers.nvidia.version",),
                f"{variant} builds need driver {floor.version} or newer, this is {driver.version}",
                f"driver {floor.version} or newer",
                value=floor.version,
            )
            return
    elif driver.cuda:
        # Only the CUDA ceiling is known: the driver of that CUDA major carries every build of it.
        if version_key(driver.cuda)[:1] < (major,):
            yield failed(
                "driver-too-old",
                ("drivers.nvidia.cuda",),
                f"{variant} builds need a driver for CUDA {major} (driver {floor.version} or newer), this one stops at CUDA {driver.cuda}",
                f"driver {floor.version} or newer",
                value=floor.version,
            )
            return
    else:
        yield answered(status="unknown", facts=("drivers.nvidia.version",))
        return
    confidence = floor.confidence
    for place in places:
        gpu = (facts.gpus or ())[place]
        first = drivers.first_driver(gpu.compute_capability, os) if gpu.compute_capability else None
        if first is None or not driver.version:
            continue
        if not drivers.at_least(driver.version, first.version):
            # A driver that does not know the chip cannot run it, whatever the wheel. The table is derived.
            yield failed(
                "driver-too-old",
                ("drivers.nvidia.version", f"gpus[{place}].compute_capability"),
                f"compute capability {gpu.compute_capability} needs driver {first.version} or newer, this is {driver.version}",
                f"driver {first.version} or newer",
                value=first.version,
                confidence=first.confidence,
            )
            return
    yield answered(status="met", facts=("drivers.nvidia.version",), confidence=confidence)


def _old_toolkit(facts: Facts, toolkit: tuple[int, ...]) -> Iterator[Outcome]:
    """Before CUDA 11 a driver ran the toolkits up to its own ceiling and no later one, not even of its major."""
    ceiling = facts.drivers.nvidia.cuda
    if ceiling and version_key(ceiling) < toolkit:
        wants = ".".join(map(str, toolkit))
        yield failed(
            "driver-too-old",
            ("drivers.nvidia.version", "drivers.nvidia.cuda"),
            f"a CUDA {wants} build needs a driver for CUDA {wants}, this one stops at {ceiling}",
            f"a driver for CUDA {wants}",
        )


def _cuda_code(release: Release, build: Build, facts: Facts, place: int, gpu: Gpu) -> Outcome:
    path = f"gpus[{place}].compute_capability"
    cc = gpu.compute_capability
    if not cc:
        return answered(status="unknown", facts=(path,), gpu=place)
    if build.kernels is None:
        return answered(status="unknown", facts=(f"matrix: kernels of {build.variant} in {build.torch}",), gpu=place)
    id = _lacks_code(release, build, cc)
    if id is None:
        return answered(status="unknown", facts=(path,), gpu=place)
    if not id:
        return answered(status="met", facts=(path,), gpu=place, confidence=build.kernels_confidence)
    name = gpu.name or "the GPU"
    detail = f"torch {build.torch} ({build.variant}) is built for {listed(build.kernels)}, {name} has compute capability {cc}"
    if _old_jetpack(facts):
        return _jetson(build, facts, name, place)
    return failed(
        id,
        (path, f"gpus[{place}].name"),
        detail,
        f"a GPU of {listed(build.kernels)}",
        gpu=place,
        confidence=build.kernels_confidence,
    )


@lru_cache(maxsize=4096)
def _lacks_code(release: Release, build: Build, cc: str) -> str | None:
    """The finding where a build has no code for a compute capability, ``""`` where it has, ``None`` where nobody knows."""
    found = _coverage(build, cc)
    if found is None:
        return None
    if found.covered:
        return ""
    if found.above:
        return "gpu-newer-than-wheel"
    return "gpu-below-minimum" if found.below and not elsewhere(release, build, cc) else "gpu-arch-missing"


@once_a_machine
def _old_jetpack(facts: Facts) -> bool:
    """JetPack 4 to 6 (L4T before R38): no stock wheel was ever built for these boards."""
    release = version_key((facts.system.jetson or "").lstrip("Rr"))
    return bool(release) and release < (38,)


def _jetson(build: Build, facts: Facts, name: str, place: int | None = None) -> Outcome:
    return failed(
        "jetson-needs-vendor-wheel",
        ("system.jetson", f"gpus[{place}].compute_capability") if place is not None else ("system.jetson",),
        f"{_named(build)} is a server build for Arm; {name} runs JetPack with L4T {facts.system.jetson}",
        "NVIDIA's own wheel for this JetPack",
        gpu=place,
    )


def _coverage(build: Build, cc: str) -> Coverage | None:
    """Machine code first; PTX only where the toolkit's own libraries were made for the device too."""
    return _covers(build.kernels or (), build.ptx or (), build.toolkit, cc)


@lru_cache(maxsize=4096)
def _covers(kernels: tuple[str, ...], ptx_too: tuple[str, ...], toolkit: tuple[int, ...], cc: str) -> Coverage | None:
    code = [k for k in kernels if not k.startswith("compute_")]
    ptx = [k for k in kernels if k.startswith("compute_")] + list(ptx_too)
    found = cuda_coverage(code, (), cc)
    if ptx and (found is None or not found.covered):
        from torchdoctor.matrix.drivers import toolkit_knows

        known = toolkit_knows(".".join(map(str, toolkit)), cc)
        if known is not False:
            return cuda_coverage(code, ptx, cc)
    return found


def elsewhere(release: Release, build: Build, cc: str) -> bool:
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
        return answered(status="unknown", facts=(path,), gpu=place)
    if build.kernels is None:
        return answered(status="unknown", facts=(f"matrix: kernels of {build.variant} in {build.torch}",), gpu=place)
    target = overridden_gfx(gfx, (facts.environment or {}).get("HSA_OVERRIDE_GFX_VERSION"))
    if target in build.kernels:
        return answered(status="met", facts=(path,), gpu=place, confidence=build.kernels_confidence)
    if target in build.unconfirmed:
        return answered(
            status="unknown",
            facts=(f"matrix: whether {build.variant} works on {target}",),
            gpu=place,
        )
    why = "has no math library for" if target in build.without_libraries else "holds no code for"
    return failed(
        "gfx-unsupported",
        (path, f"gpus[{place}].name"),
        f"{_named(build)} {why} {target}; it serves {listed(build.kernels)}",
        "a GPU the ROCm builds have code for",
        gpu=place,
        confidence=build.kernels_confidence,
    )


def _xpu_device(release: Release, build: Build, place: int, gpu: Gpu) -> Outcome:
    from torchdoctor.matrix.gpus import intel_gpu

    row = intel_gpu(gpu.pci_id, gpu.name)
    paths = (f"gpus[{place}].name", f"gpus[{place}].pci_id")
    if row is None or (row.chip is None and row.xpu is None):
        return answered(status="unknown", facts=paths[1:], gpu=place)
    linux_only = row.chip in release.xpu_linux_only and not build.platform.startswith("linux")
    listed = row.chip is None or row.chip in release.xpu_platforms
    if row.xpu is not False and listed and not linux_only:
        return answered(status="met", facts=paths, gpu=place, confidence=row.confidence)
    what = gpu.name or row.name or "this GPU"
    return failed(
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
