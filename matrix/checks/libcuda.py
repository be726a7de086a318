"""libcuda: does it belong to the loaded kernel module, may this GPU use it, is it the one that WSL provides?"""

from __future__ import annotations

from collections.abc import Iterator

from torchdoctor.matrix import remedies
from torchdoctor.matrix.case import Case
from torchdoctor.matrix.catalog import version_key
from torchdoctor.matrix.checks import check
from torchdoctor.matrix.checks._aim import about, aims_at, never_carried
from torchdoctor.matrix.findings import finding
from torchdoctor.matrix.forward_compat import compat_allowed, compat_in_use, halves_differ, spoken_major
from torchdoctor.matrix.verdict import Finding

_VERSION = "drivers.nvidia.version"
_LIBRARY = "drivers.nvidia.library"


@check("driver-library-mismatch")
def driver_library_mismatch(case: Case) -> Iterator[Finding]:
    """libcuda and the loaded kernel module are of different versions, and it is no forward-compatibility libcuda."""
    driver = case.facts.drivers.nvidia
    if not halves_differ(case.facts) or case.facts.torch.gpu_available:
        return
    compat = compat_in_use(case.facts)
    if compat and version_key(driver.library or "") > version_key(driver.version or ""):
        return
    if compat:
        steps: tuple[str, ...] = (
            "take the compat folder off LD_LIBRARY_PATH and out of /etc/ld.so.conf.d: the driver is newer than it",
        )
    elif case.facts.system.container:
        steps = (
            "remove the NVIDIA driver libraries that the image brings: the container toolkit mounts those of the host",
        )
    else:
        steps = (
            remedies.restart(case.facts),
            "if it stays: remove every NVIDIA driver package and install one source's only",
        )
    yield finding(
        "driver-library-mismatch",
        case,
        about=about(case, "nvidia"),
        detail=f"The kernel runs module {driver.version}, libcuda is of {driver.library}.",
        evidence=(_VERSION, _LIBRARY),
        fix=steps,
    )


@check("cuda-compat-on-unsupported-gpu", "cuda-compat-in-use")
def cuda_compat(case: Case) -> Iterator[Finding]:
    """A newer libcuda from a ``compat`` folder: data-centre GPUs may use it, GeForce and Titan may not (error 804)."""
    driver, gpus = case.facts.drivers.nvidia, case.gpus("nvidia")
    if not gpus:
        return
    if not halves_differ(case.facts) or not compat_in_use(case.facts):
        if spoken_major(case.facts) is not None:
            yield finding(
                "cuda-compat-in-use",
                case,
                detail=f"The driver in use speaks CUDA {driver.cuda}, more than branch {(driver.version or '').split('.')[0]} does by itself.",
                evidence=(_VERSION, "drivers.nvidia.cuda", f"gpus[{gpus[0][0]}].name"),
            )
        return
    if version_key(driver.library or "") < version_key(driver.version or ""):
        return
    allowed = [compat_allowed(g) for _, g in gpus]
    rows = (_VERSION, _LIBRARY, *(f"gpus[{i}].name" for i, _ in gpus[:1]))
    if False in allowed and not case.facts.torch.gpu_available:
        container = bool(case.facts.system.container)
        yield finding(
            "cuda-compat-on-unsupported-gpu",
            case,
            about=about(case, "nvidia"),
            detail=f"libcuda {driver.library} comes from a compat folder; the driver is {driver.version} and consumer GPUs refuse the pair.",
            evidence=rows,
            lies_in="container" if container else "system",
            fix=(
                "take the compat folder off LD_LIBRARY_PATH (and out of /etc/ld.so.conf.d, then ldconfig)",
                f"or bring the driver to {(driver.library or '').split('.')[0]}: "
                + remedies.update_nvidia_driver(case.facts, (driver.library or "").split(".")[0])[0],
            ),
        )
    elif all(allowed):
        yield finding(
            "cuda-compat-in-use",
            case,
            detail=f"libcuda {driver.library} comes from a compat folder above driver {driver.version}, which a data-centre GPU may do.",
            evidence=rows,
        )


@check("wsl-driver-not-visible")
def wsl_driver_not_visible(case: Case) -> Iterator[Finding]:
    """Inside WSL 2 the Windows driver's libcuda is missing, or a Linux driver's stands before it."""
    system, driver = case.facts.system, case.facts.drivers.nvidia
    if system.wsl == 1 and (case.gpus("nvidia") or aims_at(case, "nvidia")):
        yield finding(
            "wsl-driver-not-visible",
            case,
            about=about(case, "nvidia"),
            title="WSL 1 has no GPU",
            detail="Only WSL 2 passes the GPU of Windows through.",
            evidence=("system.wsl", "system.kernel"),
            fix="in Windows: wsl --set-version <distribution> 2",
        )
    blocked = case.symptom("nvml-blocked-by-os")
    if blocked and not case.facts.torch.gpu_available:
        yield finding(
            "wsl-driver-not-visible",
            case,
            about=about(case, "nvidia"),
            title="Windows does not let WSL reach the GPU",
            detail="NVML says that the operating system blocks the GPU: the Windows driver and WSL have to meet anew.",
            evidence=(f"symptoms[{blocked[0][0]}]", "system.wsl", _VERSION),
            fix=("in Windows: wsl --shutdown", "if it stays: update the NVIDIA driver in Windows, then wsl --update"),
        )
        return
    if system.wsl != 2 or case.facts.torch.gpu_available:
        return
    dxg = (case.facts.devices or {}).get("/dev/dxg")
    source = case.facts.source(_LIBRARY) or ""
    rows = ("system.wsl", _LIBRARY, _VERSION)
    inside = ("remove it: sudo apt purge '*nvidia*' 'libcuda*' 'cuda-drivers*'", "in Windows: wsl --shutdown")
    windows = (
        "install or update the NVIDIA driver in Windows (https://www.nvidia.com/drivers)",
        "wsl --update && wsl --shutdown",
    )
    if (
        driver.library
        and source.startswith("/")
        and "libcuda" in source
        and "/wsl/" not in source
        and "/compat" not in source
        and len(version_key(driver.library)) > 1
        and version_key(driver.library)[0] >= 300
    ):
        yield finding(
            "wsl-driver-not-visible",
            case,
            about=about(case, "nvidia"),
            title="A Linux NVIDIA driver inside WSL hides the Windows one",
            detail=f"libcuda is loaded from {source}, not from /usr/lib/wsl/lib.",
            evidence=rows,
            fix=inside,
        )
    elif (
        case.gpus("nvidia")
        and not all(never_carried(case, g) for _, g in case.gpus("nvidia"))
        and (driver.library == "" or driver.version == "" or driver.installed is False)
        and not (dxg and dxg.present is False)
    ):
        yield finding(
            "wsl-driver-not-visible",
            case,
            about=about(case, "nvidia"),
            detail="The NVIDIA GPU is known, libcuda of the Windows driver is not where WSL puts it (/usr/lib/wsl/lib).",
            evidence=(*rows, f"gpus[{case.gpus('nvidia')[0][0]}].name"),
            fix=windows,
        )
