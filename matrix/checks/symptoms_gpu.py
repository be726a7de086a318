"""Findings that rest on what torch or its runtime said about a GPU: its capability warnings, missing kernels, Metal."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from torchdoctor.matrix import remedies
from torchdoctor.matrix.case import Case
from torchdoctor.matrix.catalog import Build, Release, version_key
from torchdoctor.matrix.checks import check
from torchdoctor.matrix.checks._aim import about
from torchdoctor.matrix.checks.symptoms import seen
from torchdoctor.matrix.findings import finding
from torchdoctor.matrix.gpu_code import Coverage, capability, cuda_coverage
from torchdoctor.matrix.gpu_needs import elsewhere
from torchdoctor.matrix.grounds import LEAVE_OUT
from torchdoctor.matrix.mixed import mixed_finding
from torchdoctor.matrix.platforms import platforms_of
from torchdoctor.matrix.requirements import below
from torchdoctor.matrix.verdict import Finding
from torchdoctor.probes.facts import Gpu

_WARNED = ("torch-gpu-incompatible", "torch-gpu-warning", "torch-no-kernels-for-gpu")
_HIP = ("hip-invalid-function", "hip-invalid-image", "hip-no-binary", "hip-invalid-device", "tensile-missing")
_MPS = ("mps-backend-supported-on", "mps-not-available", "mps-built-unavailable", "mps-available-false")


def _known(case: Case) -> list[tuple[int, Gpu, tuple[int, int]]]:
    return [(i, g, cc) for i, g in case.gpus("nvidia") if (cc := capability(g.compute_capability or ""))]


def _kernels_unknown(case: Case) -> bool:
    return not case.facts.torch.kernels and (case.installed is None or case.installed.kernels is None)


def _id_of(coverage: Coverage) -> str:
    return "gpu-below-minimum" if coverage.below else "gpu-newer-than-wheel" if coverage.above else "gpu-arch-missing"


def _on_another_processor(case: Case, kernels: tuple[str, ...], cc: str) -> bool:
    """Whether the build of these architectures, or the installed one, has this one too on another processor architecture."""
    possible, installed = platforms_of(case.facts).possible, case.installed
    if len(possible) != 1:
        return False
    releases = (installed.release,) if installed and installed.release else case.catalog.releases()
    variant = installed.variant if installed and installed.release else None
    return any(
        elsewhere(release, build, cc)
        for release in releases
        for build in release.builds
        if build.platform == possible[0] and (build.variant == variant if variant else build.kernels == kernels)
    )


def _carried(case: Case, device: tuple[int, int]) -> bool:
    """Whether any release that the matrix knows carries code for the device: then another build is the cure."""
    cc = f"{device[0]}.{device[1]}"
    possible = platforms_of(case.facts).possible
    for release in case.catalog.releases():
        for build in release.builds:
            if build.platform in possible and build.vendor == "nvidia" and build.kernels:
                found = cuda_coverage(build.kernels, build.ptx or (), cc)
                if found is not None and found.covered:
                    return True
    return False


def _missing_code(
    case: Case,
    id: str,
    index: int,
    device: tuple[int, int],
    detail: str,
    rows: tuple[str, ...],
    *,
    others_served: bool = False,
) -> Finding:
    cure = _carried(case, device)
    layer = "packages" if cure or others_served or id == "gpu-newer-than-wheel" else "hardware"
    if cure and id == "gpu-below-minimum":
        fix: tuple[str, ...] = (
            "install the newest release and variant that still has code for this GPU (see the recommendation)",
        )
    elif others_served:
        fix = ("hide this card: CUDA_VISIBLE_DEVICES with the numbers of the others, CUDA_DEVICE_ORDER=PCI_BUS_ID",)
    elif cure:
        fix = ("install a build that has code for this GPU (see the recommendation)",)
    else:
        fix = ("no published build has code for this GPU: use the CPU build, or other hardware",)
    return finding(
        id,
        case,
        about=about(case, "nvidia"),
        severity="blocker",
        detail=detail,
        evidence=(f"gpus[{index}].name", f"gpus[{index}].compute_capability", "torch.kernels", *rows),
        fix=fix,
        lies_in=layer,
    )


@check("gpu-below-minimum", "gpu-newer-than-wheel", "gpu-arch-missing", seen=_WARNED)
def warned(case: Case) -> Iterator[Finding]:
    """torch named the GPU and the architectures that it was built for, or the lowest and highest of them."""
    rows = seen(case, *_WARNED)
    if not rows:
        return
    kernels = tuple(k for k in case.facts.torch.kernels or () if k.startswith("sm_"))
    bounds = _bounds(case)
    left_out: list[int] = []
    for index, gpu, device in _known(case):
        name = gpu.name or "the GPU"
        coverage = cuda_coverage(kernels, (), gpu.compute_capability or "") if kernels else None
        if coverage is not None:
            if not coverage.covered:
                detail = f"torch says that it was built for {' '.join(kernels)}; {name} is of compute capability {gpu.compute_capability}."
                id = _id_of(coverage)
                if coverage.below and _on_another_processor(case, kernels, gpu.compute_capability or ""):
                    id = "gpu-arch-missing"
                yield _missing_code(case, id, index, device, detail, rows[:1])
                left_out.append(index)
        elif bounds is not None and _kernels_unknown(case):
            low, high = bounds
            if device < low or device[0] > high[0]:
                id = "gpu-below-minimum" if device < low else "gpu-newer-than-wheel"
                detail = f"torch says that it runs on compute capability {low[0]}.{low[1]} to {high[0]}.{high[1]}; {name} is of {gpu.compute_capability}."
                yield _missing_code(case, id, index, device, detail, seen(case, "torch-capability-range")[:1])
                left_out.append(index)
    if left_out and len({d for _, _, d in _known(case)}) > 1:
        yield mixed_finding(case, tuple(left_out), about="installed")


def _bounds(case: Case) -> tuple[tuple[int, int], tuple[int, int]] | None:
    for _, text in case.symptom("torch-capability-range"):
        words = [w for part in text.split("(")[1:] if (w := capability(part.split(")")[0]))]
        if len(words) >= 2:
            return words[-2], words[-1]
    return None


@check(
    "gpu-below-minimum", "gpu-newer-than-wheel", "mixed-gpu-generations", seen=("no-kernel-image", "gpu-too-old-text")
)
def no_kernel(case: Case) -> Iterator[Finding]:
    """ "no kernel image" with a GPU that is older than every build, or than what current builds carry."""
    rows = seen(case, "no-kernel-image", "gpu-too-old-text")
    known = _known(case)
    if not rows or not known:
        return
    lowest = _lowest(case)
    ancient = [(i, g, d) for i, g, d in known if d < lowest]
    if ancient:
        index, gpu, device = ancient[0]
        detail = f"{gpu.name or 'The GPU'} is of compute capability {gpu.compute_capability}, under everything that builds since torch {case.catalog.oldest()} have code for."
        others = any(d >= lowest for _, _, d in known)
        yield _missing_code(case, "gpu-below-minimum", index, device, detail, rows[:1], others_served=others)
        if len({d for _, _, d in known}) > 1:
            yield mixed_finding(case, tuple(i for i, _, _ in ancient), about="installed")
        return
    if not _kernels_unknown(case) or len({d for _, _, d in known}) > 1:
        return
    if case.installed is not None and case.installed.release is None and not case.installed.version.startswith("2."):
        return  # a release the matrix does not know: the failing kernel may be another package's
    index, gpu, device = known[0]
    if _some_build_serves(case, gpu.compute_capability or ""):
        return  # which of the builds of that name it is, is not known: the failing kernel may be another package's
    if device < (7, 5) or seen(case, "gpu-too-old-text"):
        detail = f"The build has no code for compute capability {gpu.compute_capability}: current ones begin above it."
        yield _missing_code(case, "gpu-below-minimum", index, device, detail, rows[:1])
    elif device[0] >= 10:
        detail = f"The build has no code for compute capability {gpu.compute_capability}: it is older than this GPU."
        yield _missing_code(case, "gpu-newer-than-wheel", index, device, detail, rows[:1])


def _some_build_serves(case: Case, cc: str) -> bool:
    """Whether that release and variant has code for the GPU on one of the platforms that this may be."""
    installed = case.installed
    if installed is None or installed.release is None or installed.variant is None:
        return False
    builds = [b for p in platforms_of(case.facts).possible if (b := installed.release.build(installed.variant, p))]
    found = [cuda_coverage(b.kernels, b.ptx or (), cc) for b in builds if b.kernels]
    return any(c is not None and c.covered for c in found)


def _lowest(case: Case) -> tuple[int, int]:
    oldest = case.catalog.line(case.catalog.oldest())
    numbers = [
        divmod(int(k[3:]), 10)
        for r in oldest
        for b in r.builds
        if b.vendor == "nvidia"
        for k in b.kernels or ()
        if k[3:].isdecimal()
    ]
    return min(numbers, default=(3, 5))


@check("driver-too-old")
def before_minor_compatibility(case: Case) -> Iterator[Finding]:
    """Up to CUDA 10 a build needs a driver that speaks its very CUDA version: minor-version compatibility began with 11."""
    installed, driver = case.installed, case.facts.drivers.nvidia
    if (
        installed is None
        or not installed.variant
        or not installed.variant.startswith("cu")
        or case.facts.torch.gpu_available
    ):
        return
    wants = Build(torch="", variant=installed.variant, platform="").toolkit
    speaks = version_key(driver.cuda or "")[:2]
    if not speaks or wants >= (11, 0) or wants <= speaks:
        return
    yield finding(
        "driver-too-old",
        case,
        about="installed",
        severity="blocker",
        detail=f"This build is for CUDA {wants[0]}.{wants[1]}, the driver speaks {driver.cuda} at most; builds before CUDA 11 need that very version.",
        evidence=("torch.version", "torch.variant", "drivers.nvidia.version", "drivers.nvidia.cuda"),
        fix=("install a build for an older CUDA", "or update the NVIDIA driver"),
        lies_in="packages",
    )


@check("wrong-interpreter", seen=("torch-gpu-incompatible",))
def wrong_interpreter(case: Case) -> Iterator[Finding]:
    """The torch that warned is not the one that was looked at: the latter's build has the code that the former lacks."""
    installed = case.installed
    kernels = tuple(k for k in case.facts.torch.kernels or () if k.startswith("sm_"))
    if installed is None or not installed.variant or not kernels or not seen(case, "torch-gpu-incompatible"):
        return
    line = ".".join(installed.version.split(".")[:2])
    builds = [
        b
        for r in case.catalog.line(line)
        for p in platforms_of(case.facts).possible
        if (b := r.build(installed.variant, p)) and b.kernels
    ]
    for index, gpu, _ in _known(case):
        cc = gpu.compute_capability or ""
        mine = cuda_coverage(kernels, (), cc)
        theirs = [cuda_coverage(b.kernels or (), b.ptx or (), cc) for b in builds]
        if mine is None or mine.covered or not theirs or not all(t is not None and t.covered for t in theirs):
            continue
        yield finding(
            "wrong-interpreter",
            case,
            about="installed",
            severity="blocker",
            detail=f"torch {installed.version} ({installed.variant}) has code for {gpu.name or 'this GPU'}; the torch that printed the warning has not: it belongs to another interpreter.",
            evidence=(
                "torch.version",
                "torch.variant",
                "torch.kernels",
                f"gpus[{index}].compute_capability",
                *seen(case, "torch-gpu-incompatible")[:1],
            ),
            fix=(
                "install torch with the interpreter of the program that warns: its path stands in the warning",
                "PATH\\TO\\THAT\\python -m pip install …",
            ),
        )
        return


@check("gfx-unsupported", seen=_HIP)
def hip_without_code(case: Case) -> Iterator[Finding]:
    """The HIP runtime or rocBLAS found no code for the GPU in what is installed."""
    rows = seen(case, *_HIP)
    gpus = case.gpus("amd")
    if not rows or not gpus or len({g.gfx for _, g in gpus}) > 1:
        return
    index, gpu = gpus[0]
    kernels = case.installed.kernels if case.installed else case.facts.torch.kernels
    if kernels and gpu.gfx and gpu.gfx in kernels and not seen(case, "tensile-missing"):
        return
    if not gpu.gfx and seen(case, "hip-invalid-device") == () and not gpu.name:
        return
    cure = gpu.gfx is not None and any(
        gpu.gfx in (b.kernels or ()) for r in case.catalog.releases() for b in r.builds if b.vendor == "amd"
    )
    override = () if cure else remedies.gfx_override(case.facts, gpu.gfx)
    yield finding(
        "gfx-unsupported",
        case,
        about="installed",
        severity="blocker",
        detail=f"The build holds no code for {gpu.name or 'the GPU'}" + (f" ({gpu.gfx})." if gpu.gfx else "."),
        evidence=(*rows[:1], f"gpus[{index}].name", f"gpus[{index}].gfx", "torch.kernels", "torch.version"),
        fix=(
            ("install a build whose list holds this target (see the recommendation)",)
            if cure
            else (*override, f"{'or ' if override else ''}no published build has code for this GPU: use the CPU build")
        ),
        lies_in="packages" if cure else "environment" if override else "hardware",
    )


def _line_release(case: Case) -> Release | None:
    if case.installed is None:
        return None
    if case.installed.release is not None:
        return case.installed.release
    line = case.catalog.line(".".join(case.installed.version.split(".")[:2]))
    return line[-1] if line else None


@check("macos-too-old", "metal-device-missing", seen=_MPS)
def metal(case: Case) -> Iterator[Finding]:
    """MPS is built in and not available. The release's own minimum decides why, never the number in torch's text."""
    rows = seen(case, *_MPS)
    system = case.facts.system
    release = _line_release(case)
    if not rows or case.facts.torch.gpu_available or system.os != "macos" or release is None or not release.metal_min:
        return
    if not system.version or version_key(system.version)[:2] in ((10, 16),):
        return
    if below(system.version, release.metal_min):
        yield finding(
            "macos-too-old",
            case,
            about="installed",
            severity="blocker",
            detail=f"torch {case.installed.version if case.installed else ''} uses Metal from macOS {release.metal_min} on, this is {system.version}.",
            evidence=("torch.version", "system.version", *rows[:1]),
            fix=(
                f"update to macOS {release.metal_min} or newer",
                "or install the last release that supports this one (see the recommendation)",
            ),
        )


@check("gpu-below-minimum", "gpu-newer-than-wheel", "gpu-arch-missing")
def on_no_platform(case: Case) -> Iterator[Finding]:
    """Which of a build's platforms the machine is is not known, and on none of them does it have code for the GPU."""
    installed = case.installed
    if installed is None or installed.release is None or installed.kernels is not None or not installed.variant:
        return
    builds = [b for p in platforms_of(case.facts).possible if (b := installed.release.build(installed.variant, p))]
    known = _known(case)
    if (
        not builds
        or any(b.kernels is None for b in builds)
        or case.facts.system.jetson
        or len(known) != len(case.gpus("nvidia"))
    ):
        return
    ids: dict[str, tuple[int, tuple[int, int]]] = {}
    served = False
    for index, gpu, device in known:
        found = [cuda_coverage(b.kernels or (), b.ptx or (), gpu.compute_capability or "") for b in builds]
        if all(c is not None and c.covered for c in found):
            served = True
            continue
        answers = {_id_of(c) for c in found if c is not None and not c.covered}
        if any(c is None or c.covered for c in found) or len(answers) != 1:
            return  # one platform's build may serve this card, or they differ in what is wrong
        ids.setdefault(answers.pop(), (index, device))
    for id, (index, device) in ids.items():
        detail = f"torch {installed.version} ({installed.variant}) has no code for compute capability {device[0]}.{device[1]} on any system."
        told = _missing_code(case, id, index, device, detail, ("torch.version", "torch.variant"))
        # Beside a card that it serves the build works, until the other is asked for.
        works = served and not seen(case, "no-kernel-image")
        yield dataclasses.replace(told, severity="warning", fix=(LEAVE_OUT,)) if works else told
