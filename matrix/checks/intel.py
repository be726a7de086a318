"""Intel GPUs under torch's XPU builds: user-space driver, kernel driver, permission, oneAPI of the right place."""

from __future__ import annotations

from collections.abc import Iterator

from torchdoctor.matrix import remedies
from torchdoctor.matrix.case import Case
from torchdoctor.matrix.checks import check
from torchdoctor.matrix.checks._aim import about, aims_at, installed_vendor, unusable
from torchdoctor.matrix.findings import finding
from torchdoctor.matrix.gpu_needs import accelerated_gpus
from torchdoctor.matrix.gpus import intel_gpu
from torchdoctor.matrix.tables import table
from torchdoctor.matrix.verdict import Finding
from torchdoctor.probes.facts import Gpu

_NO_DEVICE = ("xpu-device-count-zero", "ze-dependency", "ze-uninitialized")


def _supported(case: Case) -> tuple[tuple[int, Gpu], ...]:
    """The Intel GPUs that torch's XPU builds may serve: all but those known to be of a platform they leave out."""
    rows = ((i, g, intel_gpu(g.pci_id, g.name)) for i, g in case.gpus("intel"))
    return tuple((i, g) for i, g, row in rows if row is None or row.xpu is not False)


def _meant(case: Case) -> bool:
    """Is the Intel GPU what torch is to run on? A display chip beside a CPU or CUDA build is nobody's accelerator."""
    if aims_at(case, "intel"):
        return True
    return (
        installed_vendor(case) is None
        and case.installed is None
        and any(g.integrated is False for _, g in case.gpus("intel"))
    )


@check("xpu-driver-too-old", "xpu-driver-mismatch")
def xpu_driver(case: Case) -> Iterator[Finding]:
    """No compute runtime is installed for the Intel GPU, or the Level Zero loader stands alone."""
    facts = case.facts
    if not _supported(case) or not _meant(case) or facts.torch.gpu_available:
        return
    if facts.drivers.intel.compute_runtime != "":
        return
    first = _supported(case)[0][0]
    rows = ("drivers.intel.compute_runtime", "runtimes.level_zero", f"gpus[{first}].name")
    if facts.runtimes.level_zero:
        yield finding(
            "xpu-driver-mismatch",
            case,
            about=about(case, "intel"),
            title="The Level Zero loader is installed, the Intel GPU driver for it is not",
            detail="libze_loader finds no libze_intel_gpu, so torch counts zero devices.",
            evidence=rows,
            fix=remedies.intel_runtime(facts),
        )
    else:
        yield finding(
            "xpu-driver-too-old",
            case,
            about=about(case, "intel"),
            title="The Intel compute runtime is not installed",
            detail="torch's XPU builds bring oneAPI, not the GPU driver: Level Zero and the compute runtime come from the system.",
            evidence=rows,
            fix=remedies.intel_runtime(facts),
        )


@check("xpu-kernel-driver")
def xpu_kernel_driver(case: Case) -> Iterator[Finding]:
    """The Intel GPU is bound to a kernel driver that Level Zero gets nothing from."""
    facts = case.facts
    if facts.system.os not in ("linux", None) or not _meant(case) or facts.torch.gpu_available:
        return
    platforms = _platforms(case)
    cards = accelerated_gpus(facts, "intel")
    runtime = facts.drivers.intel.compute_runtime
    for place, gpu in cards:
        # What holds "the" Intel GPU is what holds the only one.
        bound = facts.drivers.intel.kernel_driver if gpu.driver is None and len(cards) == 1 else gpu.driver
        row = f"gpus[{place}].driver" if gpu.driver is not None else "drivers.intel.kernel_driver"
        certain = True
        if bound is None:
            continue
        if bound == "" and facts.system.os == "linux":
            title: str | None = "No kernel driver is bound to the Intel GPU"
            detail = "Neither i915 nor xe drives the device: the kernel may be older than the GPU."
            fix = "boot a newer kernel; sudo dmesg | grep -iE 'i915|xe ' says why the driver leaves it out"
        elif bound == "vfio-pci":
            title = "The Intel GPU is set aside for a virtual machine (vfio-pci)"
            detail, fix = (
                "A virtual machine may use it, this system may not.",
                "unbind it from vfio-pci, or run torch in the virtual machine",
            )
        else:
            wanted = next(
                (d for d in ("i915", "xe") if platforms.get(place) in table("checks.toml")["intel_kernel_driver"][d]),
                None,
            )
            # xe may drive the older chips too: only a device that then answers nothing proves it wrong.
            dead = (case.symptom(*_NO_DEVICE) or unusable(case, "intel")) and runtime != ""
            if wanted is None or bound not in ("i915", "xe") or bound == wanted or not dead:
                continue
            title, certain = None, bool(runtime)
            detail = f"{gpu.name or 'The GPU'} is bound to {bound} and answers nothing; {wanted} is the driver it is supported with."
            fix = (
                f"boot with {bound}.force_probe=!{_id(gpu.pci_id)} {wanted}.force_probe={_id(gpu.pci_id)}, then restart"
            )
        yield finding(
            "xpu-kernel-driver",
            case,
            about=about(case, "intel"),
            title=title,
            detail=detail,
            severity="blocker" if certain else "warning",
            evidence=(
                row,
                f"gpus[{place}].name",
                f"gpus[{place}].pci_id",
                *(f"symptoms[{i}]" for i, _ in case.symptom(*_NO_DEVICE)),
            ),
            fix=fix,
        )
        return


def _id(pci_id: str | None) -> str:
    return (pci_id or "8086:ID").split(":")[-1]


def _platforms(case: Case) -> dict[int, str]:
    rows = ((i, intel_gpu(g.pci_id, g.name)) for i, g in case.gpus("intel"))
    return {i: row.platform for i, row in rows if row and row.platform}


@check("xpu-permission")
def xpu_permission(case: Case) -> Iterator[Finding]:
    """Every render node is there and this user may open none of them."""
    facts = case.facts
    if (
        facts.system.os not in ("linux", None)
        or facts.system.wsl
        or facts.torch.gpu_available
        or not (case.gpus("intel") or (aims_at(case, "intel") and not facts.gpus))
        or not _meant(case)
    ):
        return
    dri = (facts.devices or {}).get("/dev/dri")
    if facts.system.container and dri is not None and dri.present is False:
        yield finding(
            "xpu-permission",
            case,
            about=about(case, "intel"),
            title="The container was not given the Intel GPU's render node",
            detail=f"The {facts.system.container} container was started without /dev/dri.",
            evidence=("devices./dev/dri.present", "system.container"),
            fix=remedies.give_gpu(facts, "intel"),
        )
        return
    nodes = {
        p: d
        for p, d in sorted((facts.devices or {}).items())
        if p.startswith("/dev/dri/renderD") and d.present is not False
    }
    if not nodes or any(d.openable is not False for d in nodes.values()):
        return
    path, device = next(iter(nodes.items()))
    owner = f", which belongs to group {device.group}" if device.group else ""
    yield finding(
        "xpu-permission",
        case,
        about=about(case, "intel"),
        detail=f"This user may not open {path}{owner}.",
        evidence=(f"devices.{path}.openable", f"devices.{path}.group"),
        fix=remedies.join_group(facts, device.group),
    )


@check("xpu-oneapi-conflict")
def xpu_oneapi_conflict(case: Case) -> Iterator[Finding]:
    """An installed oneAPI comes before the libraries that the XPU wheel brings."""
    facts = case.facts
    if installed_vendor(case) != "intel" or facts.torch.gpu_available:
        return
    environment = facts.environment or {}
    path = environment.get("LD_LIBRARY_PATH", "")
    folder = next(
        (
            p
            for p in path.split(":")
            if "/oneapi/" in p.lower() and any(part in p for part in ("/compiler/", "/mkl/", "/umf/", "/tcm/"))
        ),
        None,
    )
    if folder is None:
        return
    failed = bool(unusable(case, "intel") or case.symptom("undefined-symbol-other", "missing-library"))
    yield finding(
        "xpu-oneapi-conflict",
        case,
        about="installed",
        severity="blocker" if failed else "warning",
        detail=f"{folder} stands on LD_LIBRARY_PATH: its SYCL and MKL libraries are loaded instead of those the wheel pins.",
        evidence=("environment.LD_LIBRARY_PATH", "environment.ONEAPI_ROOT", "runtimes.oneapi"),
        fix="open a shell without setvars.sh: the wheel brings its own oneAPI",
    )
