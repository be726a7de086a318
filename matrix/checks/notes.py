"""Things that are true and worth a line, so that nobody takes them for the fault."""

from __future__ import annotations

from collections.abc import Iterator

from torchdoctor.matrix.case import Case
from torchdoctor.matrix.catalog import version_key
from torchdoctor.matrix.checks import check
from torchdoctor.matrix.checks._aim import build_facts, installed_vendor
from torchdoctor.matrix.findings import finding
from torchdoctor.matrix.gpu_code import capability, cuda_coverage
from torchdoctor.matrix.verdict import Finding

_WARNED = ("torch-gpu-warning", "torch-gpu-incompatible", "torch-capability-range")


def _toolkit(variant: str | None) -> tuple[int, int] | None:
    """``cu128`` → (12, 8)."""
    digits = (variant or "").removeprefix("cu")
    return (
        (int(digits[:-1]), int(digits[-1]))
        if variant and variant.startswith("cu") and 3 <= len(digits) <= 4 and digits.isdecimal()
        else None
    )


@check("same-major-compat", "cc-warning-benign")
def same_major_compat(case: Case) -> Iterator[Finding]:
    """The GPU runs code of an older member of its generation; torch warns about some of those for nothing."""
    installed = case.installed
    if installed is None or not installed.kernels or installed_vendor(case) != "nvidia":
        return
    for place, gpu in case.gpus("nvidia"):
        device = capability(gpu.compute_capability or "")
        found = cuda_coverage(installed.kernels, (), gpu.compute_capability or "")
        if device is None or found is None or not found.covered or not (found.by or "").startswith("sm_"):
            continue
        if found.by in (f"sm_{device[0]}{device[1]}", f"sm_{device[0]}{device[1]}a"):
            continue
        benign = device == (12, 1) or bool(case.symptom(*_WARNED))
        name = gpu.name or "The GPU"
        yield finding(
            "cc-warning-benign" if benign else "same-major-compat",
            case,
            about="installed",
            detail=f"{name} ({gpu.compute_capability}) runs the code for {found.by}."
            + (" The warning about its compute capability needs no action." if benign else ""),
            evidence=(f"gpus[{place}].compute_capability", "torch.kernels", *build_facts(case)),
        )
        return


@check("minor-version-compat")
def minor_version_compat(case: Case) -> Iterator[Finding]:
    """The driver speaks an older CUDA of the same major than the wheel was built with."""
    wheel = _toolkit(case.installed.variant if case.installed else None)
    driver = case.facts.drivers.nvidia
    speaks = version_key(driver.cuda or "")[:2]
    if wheel is None or len(speaks) < 2 or not case.gpus("nvidia") or speaks[0] != wheel[0] or speaks >= wheel:
        return
    yield finding(
        "minor-version-compat",
        case,
        about="installed",
        detail=f"The driver speaks CUDA {driver.cuda}, the build uses {wheel[0]}.{wheel[1]}: within CUDA {wheel[0]} that works.",
        evidence=("drivers.nvidia.version", "drivers.nvidia.cuda", *build_facts(case)),
    )


@check("toolkit-differs")
def toolkit_differs(case: Case) -> Iterator[Finding]:
    """The toolkit on the system is of another CUDA version than the wheel."""
    wheel, toolkit = _toolkit(case.installed.variant if case.installed else None), case.facts.runtimes.cuda
    have = version_key(toolkit or "")[:2]
    if wheel is None or len(have) < 2 or have == wheel:
        return
    yield finding(
        "toolkit-differs",
        case,
        about="installed",
        detail=f"CUDA toolkit {toolkit} is installed, the wheel brings CUDA {wheel[0]}.{wheel[1]} of its own.",
        evidence=("runtimes.cuda", *build_facts(case)),
    )


@check("wsl-versions-differ")
def wsl_versions_differ(case: Case) -> Iterator[Finding]:
    """Inside WSL the library's number differs from the Windows driver's."""
    driver = case.facts.drivers.nvidia
    windows, inside = version_key(driver.version or ""), version_key(driver.library or "")
    if case.facts.system.wsl and windows and len(inside) > 1 and inside[0] > 100 and windows != inside:
        yield finding(
            "wsl-versions-differ",
            case,
            detail=f"The tools inside WSL are of {driver.library}, the Windows driver is {driver.version}: the latter counts.",
            evidence=("drivers.nvidia.version", "drivers.nvidia.library"),
        )


@check("vendor-build")
def vendor_build(case: Case) -> Iterator[Finding]:
    """torch was built by NVIDIA or another vendor for this system."""
    torch = case.facts.torch
    if torch.origin == "vendor":
        yield finding(
            "vendor-build",
            case,
            about="installed",
            detail=f"torch {torch.version} was built by a vendor for this system; a wheel from an index would replace what was tuned for it.",
            evidence=("torch.version", "torch.origin"),
        )


@check("cuda-build-on-cpu-host")
def cuda_build_on_cpu_host(case: Case) -> Iterator[Finding]:
    """A GPU build on a machine that is known to have no GPU of its vendor."""
    vendor = installed_vendor(case)
    if (
        vendor not in ("nvidia", "amd", "intel")
        or case.facts.gpus is None
        or case.gpus(vendor)
        or case.facts.torch.gpu_available
    ):
        return
    variant = case.installed.variant if case.installed else None
    yield finding(
        "cuda-build-on-cpu-host",
        case,
        about="installed",
        detail=f"The {variant} build is installed and the machine has no GPU for it; it runs on the CPU.",
        evidence=(*build_facts(case), "gpus"),
    )


@check("unused-nvidia-packages")
def unused_nvidia_packages(case: Case) -> Iterator[Finding]:
    """NVIDIA's CUDA packages beside a torch that does not load them."""
    if case.installed is None or case.installed.variant in (None, "") or installed_vendor(case) == "nvidia":
        return
    names = sorted(
        n for n in case.facts.packages or {} if n.startswith("nvidia-") and n.endswith(("-cu11", "-cu12", "-cu13"))
    )
    if not names:
        return
    yield finding(
        "unused-nvidia-packages",
        case,
        about="installed",
        detail=f"{len(names)} nvidia packages are installed, the {case.installed.variant} build uses none of them.",
        evidence=(*build_facts(case), *(f"packages.{n}" for n in names[:3])),
        fix=f"pip uninstall {' '.join(names)}",
    )


@check("mig-single-instance")
def mig_single_instance(case: Case) -> Iterator[Finding]:
    """The GPU is split into MIG instances; a process sees one."""
    for place, gpu in case.gpus("nvidia"):
        if " MIG" in (gpu.name or "").upper():
            yield finding(
                "mig-single-instance",
                case,
                detail=f"{gpu.name}: a process uses one instance, torch counts one device.",
                evidence=(f"gpus[{place}].name",),
            )
            return


@check("tegra-smi-absent")
def tegra_smi_absent(case: Case) -> Iterator[Finding]:
    """On a Jetson nvidia-smi is missing or shows little; nothing follows from that."""
    jetson = case.facts.system.jetson
    if jetson and (
        case.symptom("nvidia-smi-failed", "nvidia-smi-no-devices") or version_key(jetson.lstrip("R"))[:1] < (36,)
    ):
        yield finding("tegra-smi-absent", case, evidence=("system.jetson",))
