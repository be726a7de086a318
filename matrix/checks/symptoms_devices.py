"""Findings that rest on an error text together with what is known of the machine: permissions, masks, runtimes, instructions."""

from __future__ import annotations

import re
from collections.abc import Iterator

from torchdoctor.matrix import remedies
from torchdoctor.matrix.case import Case
from torchdoctor.matrix.checks import check
from torchdoctor.matrix.checks._aim import about, severity
from torchdoctor.matrix.checks.symptoms import seen
from torchdoctor.matrix.findings import finding
from torchdoctor.matrix.verdict import Finding
from torchdoctor.probes.facts import regex

_ARMV8_0 = regex(r"raspberry pi (?:3|4|zero 2)|cortex-a(?:53|57|72|73|35)\b|graviton ?1?$|bcm2711|bcm2837", re.I)
_OLD_IGPU = regex(r"\b(?:i[3579]-)?1[0-4]\d{2,3}(?:G\d|[HPU][XK]?|HK)\b|\b1[0-4]th gen\b", re.I)


@check("wsl-driver-not-visible", seen=("cuda-error-100",))
def no_device_in_wsl(case: Case) -> Iterator[Finding]:
    """cuInit finds no device inside WSL: the Windows driver's libcuda is not the one that is loaded."""
    rows = seen(case, "cuda-error-100")
    if (
        not rows
        or not case.facts.system.wsl
        or case.facts.torch.gpu_available
        or "CUDA_VISIBLE_DEVICES" in (case.facts.environment or {})
    ):
        return
    yield finding(
        "wsl-driver-not-visible",
        case,
        about="machine",
        severity="blocker",
        detail="Inside WSL cuInit finds no device: another libcuda than the Windows driver's is loaded, or that driver is missing.",
        evidence=(*rows[:1], "system.wsl"),
        fix=(
            "remove any Linux NVIDIA driver inside WSL: sudo apt purge '*nvidia*' 'libcuda*', then in Windows: wsl --shutdown",
            "keep /usr/lib/wsl/lib first on the loader's path",
            "update the NVIDIA driver in Windows",
        ),
    )


@check("devices-hidden", seen=("mig-device-assert",))
def mig_not_named(case: Case) -> Iterator[Finding]:
    """Two MIG slices are visible and CUDA enumerates one: the process has to name its slice."""
    rows = seen(case, "mig-device-assert")
    slices = [g for _, g in case.gpus("nvidia") if "mig" in (g.name or "").lower()]
    if (
        not rows
        or not (slices or case.symptom("mig-slice"))
        or (case.facts.environment or {}).get("CUDA_VISIBLE_DEVICES", "").startswith("MIG-")
    ):
        return
    yield finding(
        "devices-hidden",
        case,
        about="machine",
        severity="blocker",
        detail="A process sees one MIG slice; with several visible the count and the enumeration disagree.",
        evidence=(*rows[:1], "gpus[0].name", "environment.CUDA_VISIBLE_DEVICES"),
        fix=("export CUDA_VISIBLE_DEVICES=MIG-… with the UUID that nvidia-smi -L prints, before Python starts",),
    )


@check("devices-hidden", seen=("mig-without-slices", "mig-no-instances"))
def mig_without_slices(case: Case) -> Iterator[Finding]:
    """Every NVIDIA GPU is in MIG mode and no instance was made: CUDA finds nothing to compute on."""
    rows = seen(case, "mig-without-slices")
    if len(case.gpus("nvidia")) < 2:  # the list of instances does not say which of several cards are in MIG mode
        rows = (*rows, *seen(case, "mig-no-instances"))
    if not rows or case.facts.torch.gpu_available:
        return
    yield finding(
        "devices-hidden",
        case,
        about=about(case, "nvidia"),
        severity=severity(case, "nvidia"),
        title="MIG is on and the GPU has no instance",
        detail="In MIG mode only instances compute, and there is none.",
        evidence=(*rows[:1], "gpus[0].name", "torch.gpu_available"),
        fix=(
            "list the profiles: nvidia-smi mig -lgip",
            "make an instance: sudo nvidia-smi mig -cgi PROFILE -C",
            "or turn MIG off: sudo nvidia-smi -mig 0",
        ),
    )


@check("rocm-permission", seen=("accounts-differ",))
def another_account(case: Case) -> Iterator[Finding]:
    """The same question answered True for one account and False for another of one machine."""
    rows = seen(case, "accounts-differ")
    if not rows or not case.gpus("amd"):
        return
    yield finding(
        "rocm-permission",
        case,
        about="machine",
        severity="blocker",
        detail="One account of this machine sees the GPU, another does not: the second may not open /dev/kfd.",
        evidence=(*rows[:1], "gpus[0].name"),
        fix=remedies.join_group(case.facts, "render,video"),
    )


@check("xpu-permission", seen=("xpu-device-count-zero",))
def xpu_groups(case: Case) -> Iterator[Finding]:
    """No XPU device until the user joined the groups, or none for a container's user while the host sees one."""
    zero = seen(case, "xpu-device-count-zero")
    joined = case.symptom("xpu-group-added") and any(
        s.id and s.id.startswith("xpu-devices-") and s.id != "xpu-devices-0" for s in case.facts.symptoms or ()
    )
    outside = case.symptom("container-user-not-root") and case.gpus("intel")
    if not zero or not (joined or outside):
        return
    yield finding(
        "xpu-permission",
        case,
        about="installed" if case.installed else "machine",
        severity="blocker",
        detail="The GPU is there and its render node is not open to this user.",
        evidence=(*zero[:1], *seen(case, "xpu-group-added", "container-user-not-root")[:1], "gpus[0].name"),
        fix=("start the container with --device /dev/dri --group-add $(stat -c %g /dev/dri/renderD128)",)
        if outside
        else remedies.join_group(case.facts, "render,video"),
    )


@check("xpu-driver-too-old")
def xpu_sees_fewer(case: Case) -> Iterator[Finding]:
    """One environment lists fewer Intel GPUs than another on the same machine: its compute runtime is older than the cards."""
    discrete = [g for _, g in case.gpus("intel") if not g.integrated]
    if not discrete:
        return
    counts = sorted(
        {
            int(s.id.rpartition("-")[2])
            for s in case.facts.symptoms or ()
            if s.id and re.fullmatch(r"xpu-devices-\d{1,2}", s.id)
        }
    )
    if len(counts) < 2 or counts[0] >= counts[-1] or case.symptom("xpu-group-added"):
        return
    yield finding(
        "xpu-driver-too-old",
        case,
        about="machine",
        severity="blocker",
        detail=f"One environment lists {counts[0]} device(s), another on the same machine {counts[-1]}: its compute runtime does not know the newer cards.",
        evidence=(
            *seen(case, f"xpu-devices-{counts[0]}", f"xpu-devices-{counts[-1]}"),
            "gpus[0].name",
            "drivers.intel.compute_runtime",
        ),
        fix=("use an image with a newer compute runtime and Level Zero", *remedies.intel_runtime(case.facts)),
    )


@check("xpu-gpu-unsupported", seen=("ur-error", "xpu-no-fp64"))
def old_integrated(case: Case) -> Iterator[Finding]:
    """Unified Runtime or fp64 errors on the integrated graphics of 10th to 14th generation Core processors."""
    rows = seen(case, "ur-error", "xpu-no-fp64")
    if not rows:
        return
    named = " ".join(filter(None, [case.facts.cpu.model, *(g.name for _, g in case.gpus("intel"))]))
    if not _OLD_IGPU.search(named) or any(g.integrated is False for _, g in case.gpus("intel")):
        return
    yield finding(
        "xpu-gpu-unsupported",
        case,
        about="installed" if case.installed else "machine",
        severity="blocker",
        detail="The integrated graphics of this processor has no fp64 and is not on the list that torch's XPU builds support.",
        evidence=(*rows[:1], "gpus[0].name", "cpu.model", "torch.version"),
        fix=(
            "use device='cpu' with the CPU build",
            "supported are Arc A and B cards, Core Ultra graphics and data-centre GPUs",
        ),
        lies_in="hardware",
    )


@check("arm-lacks-lse", seen=("illegal-instruction", "lse-instruction"))
def illegal_on_armv8_0(case: Case) -> Iterator[Finding]:
    """An illegal instruction on a core without LSE atomics."""
    facts = case.facts
    rows = seen(case, "illegal-instruction", "lse-instruction")
    old = facts.cpu.level == "armv8.0-a" or _ARMV8_0.search(facts.cpu.model or "") is not None
    if not rows or not old or "atomics" in (facts.cpu.features or ()) or facts.system.machine in ("x86_64", "armv7l"):
        return
    yield finding(
        "arm-lacks-lse",
        case,
        about="installed",
        severity="blocker",
        detail="The processor is Armv8.0 and has no LSE atomics; this build uses them without asking.",
        evidence=(*rows[:1], "cpu.model", "cpu.level", "torch.version"),
        fix=("install a release without the fault: 2.4.1, 2.5, 2.7 to 2.9, or 2.11 and newer",),
        lies_in="packages",
    )


@check("cpu-lacks-avx", "cpu-lacks-avx2", seen=("illegal-instruction", "no-avx2-error"))
def illegal_on_x86(case: Case) -> Iterator[Finding]:
    """An illegal instruction on a processor that the report says has no AVX or AVX2, or a program that ended for its lack."""
    rows = seen(case, "no-avx2-error", "illegal-instruction")
    if not rows or case.facts.cpu.features or case.facts.system.machine == "aarch64":
        return
    for id, said in (
        ("cpu-lacks-avx", "no-avx-said"),
        ("cpu-lacks-avx2", "no-avx2-said"),
        ("cpu-lacks-avx2", "no-avx2-error"),
    ):
        if case.symptom(said):
            yield finding(
                id,
                case,
                severity="blocker",
                detail="The report says that the processor shows none of these instructions.",
                evidence=(*rows[:1], *seen(case, said)[:1], "cpu.model"),
                fix=("give the virtual machine a CPU model with AVX2, or use other hardware",),
            )
            return


@check("python-unsupported", seen=("wheel-404",))
def jetson_wheel_not_there(case: Case) -> Iterator[Finding]:
    """A JetPack wheel for an interpreter that NVIDIA never built one for: JetPack 5 has Python 3.8 only."""
    rows = seen(case, "wheel-404")
    version = case.facts.python.version or ""
    if (
        not (case.facts.system.jetson or "").startswith(("34", "35"))
        or not version
        or version.startswith("3.8")
        or not rows
    ):
        return
    yield finding(
        "python-unsupported",
        case,
        about="request",
        severity="blocker",
        detail=f"NVIDIA's wheels for JetPack 5 are for Python 3.8, this is {version}.",
        evidence=(*rows[:1], "system.jetson", "python.version"),
        fix=("use the system's Python 3.8, or NVIDIA's l4t-pytorch container",),
    )


@check("driver-too-old", seen=("driver-incompatible-said",))
def said_incompatible(case: Case) -> Iterator[Finding]:
    """The report names a driver incompatibility and a driver below what a CUDA 13 build needs."""
    rows = seen(case, "driver-incompatible-said")
    installed, driver = case.installed, case.facts.drivers.nvidia.version or ""
    if (
        not rows
        or installed is None
        or case.facts.torch.gpu_available
        or not driver[:3].isdecimal()
        or installed.release is None
    ):
        return
    default = (
        {installed.release.default_index.get(p) for p in ("linux_x86_64",)}
        if installed.variant is None
        else {installed.variant}
    )
    if any(v and v.startswith("cu13") for v in default) and int(driver[:3]) < 580:
        yield finding(
            "driver-too-old",
            case,
            about=about(case, "nvidia"),
            severity="blocker",
            detail=f"torch {installed.version} of the default index is a CUDA 13 build, which needs driver 580; this is {driver}.",
            evidence=(*rows[:1], "drivers.nvidia.version", "torch.version"),
            fix=(
                "install a CUDA 12 variant (see the recommendation)",
                *remedies.update_nvidia_driver(case.facts, "580"),
            ),
            lies_in="packages",
        )


@check("jetson-needs-vendor-wheel")
def nothing_for_jetson(case: Case) -> Iterator[Finding]:
    """A JetPack 5 or 6 board without torch, or with a public wheel that does not see its GPU: none carries it."""
    facts = case.facts
    release = (facts.system.jetson or "").partition(".")[0].lstrip("R")
    if release not in ("32", "34", "35", "36"):
        return
    installed = case.installed
    asked = facts.request.package == "torch" and facts.torch.gpu_available is False and not facts.request.index
    if installed is None and "torch.version" not in facts.unknown and not asked:
        return
    if installed is not None and (
        installed.origin in ("vendor", "source", "conda")
        or installed.variant is None
        or facts.torch.gpu_available
        or (facts.torch.gpu_available is None and installed.variant != "cpu")
    ):
        return
    yield finding(
        "jetson-needs-vendor-wheel",
        case,
        about="machine",
        severity="blocker",
        detail="This board's JetPack is served by NVIDIA's own wheels only; the public ones have no code for its GPU.",
        evidence=("system.jetson", "system.kernel", "python.version", "torch.version"),
        fix=("install NVIDIA's wheel for this JetPack and its system Python, or use the l4t-pytorch container",),
    )
