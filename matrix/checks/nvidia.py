"""The NVIDIA driver: is it there, is it loaded, is its kernel module the kind that drives this GPU?"""

from __future__ import annotations

from collections.abc import Iterator

from torchdoctor.matrix import remedies
from torchdoctor.matrix.case import Case
from torchdoctor.matrix.checks import check
from torchdoctor.matrix.checks._aim import about, never_carried, unusable
from torchdoctor.matrix.findings import finding
from torchdoctor.matrix.gpu_code import capability
from torchdoctor.matrix.verdict import Finding
from torchdoctor.probes.facts import Facts, Gpu

_VERSION = "drivers.nvidia.version"
_TURING = (7, 5)
_BLACKWELL = (10, 0)
_FOREIGN = ("nouveau", "nova", "nova_core")  # in-tree drivers that hold the device and know no CUDA


def _judged(case: Case) -> tuple[tuple[int, Gpu], ...]:
    """The NVIDIA GPUs a driver could be wanted for, empty where another rule owns the case: a Jetson's driver comes with
    the board, WSL's lives in Windows.
    """
    return () if case.facts.system.jetson or case.facts.system.wsl else case.gpus("nvidia")


def _known_missing(facts: Facts) -> bool:
    driver = facts.drivers.nvidia
    return driver.installed is False or (
        driver.version == "" and driver.installed is None and driver.loaded is not True
    )


def _open_module(gpus: tuple[tuple[int, Gpu], ...]) -> bool | None:
    known = [c for _, g in gpus if (c := capability(g.compute_capability or ""))]
    return min(known) >= _TURING if known else None


@check("driver-missing")
def driver_missing(case: Case) -> Iterator[Finding]:
    """An NVIDIA GPU is on the bus, nothing of its driver is installed."""
    gpus = _judged(case)
    if not gpus or not _known_missing(case.facts) or case.facts.torch.gpu_available:
        return
    if all(never_carried(case, g) for _, g in gpus):
        return
    held = next((g.driver for _, g in gpus if g.driver in _FOREIGN), None)
    name = gpus[0][1].name or "an NVIDIA GPU"
    where = " on the host of this container" if case.facts.system.container else ""
    yield finding(
        "driver-missing",
        case,
        about=about(case, "nvidia"),
        detail=f"{name} is in the machine and no NVIDIA driver is installed{where}"
        + (f"; {held} holds the device, which knows no CUDA." if held else "."),
        evidence=(
            f"gpus[{gpus[0][0]}].name",
            f"gpus[{gpus[0][0]}].pci_id",
            f"gpus[{gpus[0][0]}].driver",
            _VERSION,
            "drivers.nvidia.installed",
        ),
        fix=remedies.nvidia_driver(case.facts, open_module=_open_module(gpus)),
    )


@check("driver-missing", seen=("found-no-nvidia-driver",))
def driver_missing_by_text(case: Case) -> Iterator[Finding]:
    """The card is on the bus, torch finds no driver, and nouveau runs or there is no nvidia-smi."""
    gpus, facts = _judged(case), case.facts
    found_none = case.symptom("found-no-nvidia-driver")
    shown = case.symptom("nouveau-loaded", "nvidia-smi-not-found")
    on_bus = any(
        (facts.source(f"gpus[{i}]") or "").startswith("line ")
        and (g.pci_id or "VGA" in (facts.source(f"gpus[{i}]") or "") or "3D" in (facts.source(f"gpus[{i}]") or ""))
        for i, g in gpus
    )
    driver = facts.drivers.nvidia
    if not (found_none and shown and on_bus) or facts.system.container or driver.version or driver.loaded:
        return
    yield finding(
        "driver-missing",
        case,
        about=about(case, "nvidia"),
        detail=f"{gpus[0][1].name or 'An NVIDIA GPU'} is on the bus and torch finds no NVIDIA driver.",
        evidence=(f"gpus[{gpus[0][0]}].name", *(f"symptoms[{i}]" for i, _ in (*found_none[:1], *shown[:1]))),
        fix=remedies.nvidia_driver(facts, open_module=_open_module(gpus)),
    )


@check("driver-not-loaded")
def driver_not_loaded(case: Case) -> Iterator[Finding]:
    """The driver is installed, its kernel module is not loaded, or another driver holds every NVIDIA GPU."""
    gpus, driver = _judged(case), case.facts.drivers.nvidia
    if not gpus or _known_missing(case.facts) or case.facts.torch.gpu_available or case.facts.system.os == "windows":
        return
    paths = [f"gpus[{i}].driver" for i, _ in gpus]
    first = f"gpus[{gpus[0][0]}].name"
    held = {g.driver for _, g in gpus}
    taken = driver.loaded is None and held <= set(_FOREIGN)
    if driver.installed and (driver.loaded is False or (driver.version == "" and driver.loaded is None) or taken):
        nouveau = next((g.driver for _, g in gpus if g.driver in _FOREIGN), None)
        why = f"{nouveau} holds the device." if nouveau else "Its kernel module is not in the running kernel."
        steps = remedies.rebuild_nvidia_module(case.facts)
        if nouveau:
            steps = (
                f"keep {nouveau} out: echo 'blacklist {nouveau}' | sudo tee /etc/modprobe.d/blacklist-{nouveau}.conf, rebuild the initramfs, restart",
                *steps,
            )
        yield finding(
            "driver-not-loaded",
            case,
            about=about(case, "nvidia"),
            detail=why,
            evidence=(
                first,
                "drivers.nvidia.installed",
                "drivers.nvidia.loaded",
                _VERSION,
                "system.secure_boot",
                *paths,
            ),
            fix=steps,
        )
    elif held == {"vfio-pci"}:
        yield finding(
            "driver-not-loaded",
            case,
            about=about(case, "nvidia"),
            title="The NVIDIA GPU is set aside for a virtual machine (vfio-pci)",
            detail="Every NVIDIA GPU is bound to vfio-pci: a virtual machine may use it, this system may not.",
            evidence=(first, *paths),
            fix="unbind it from vfio-pci and bind it to nvidia, or run torch inside the virtual machine",
        )
    elif driver.module in ("open", "proprietary"):
        yield from _wrong_flavour(case, gpus, driver.module)


def _wrong_flavour(case: Case, gpus: tuple[tuple[int, Gpu], ...], module: str) -> Iterator[Finding]:
    """GPUs before Turing are refused by the open kernel modules, Blackwell and later by the proprietary ones: no driver
    holds a device that was refused.
    """
    known = [(i, c) for i, g in gpus if g.driver != "nvidia" and (c := capability(g.compute_capability or ""))]
    refused = [i for i, c in known if (c < _TURING if module == "open" else c >= _BLACKWELL)]
    if not refused or len(refused) < len(gpus):
        return
    wanted = "proprietary" if module == "open" else "open"
    yield finding(
        "driver-not-loaded",
        case,
        about=about(case, "nvidia"),
        title=f"The {module} NVIDIA kernel module does not drive this GPU",
        detail=f"This generation works with the {wanted} kernel module only; the {module} one is loaded and refuses the device.",
        evidence=("drivers.nvidia.module", *(f"gpus[{i}].compute_capability" for i in refused)),
        fix=(
            f"install the {wanted} kernel modules of the driver",
            *remedies.nvidia_driver(case.facts, open_module=wanted == "open"),
        ),
    )


@check("cuda-init-unknown-error")
def uvm_missing(case: Case) -> Iterator[Finding]:
    """The GPU's device node is there, that of unified memory is not: cuInit gives 999. On a host it may still be made on
    demand, in a container it is not.
    """
    devices = case.facts.devices or {}
    gpu, uvm = devices.get("/dev/nvidia0"), devices.get("/dev/nvidia-uvm")
    container, failed = bool(case.facts.system.container), unusable(case, "nvidia")
    if not (gpu and gpu.present and uvm and uvm.present is False) or case.facts.torch.gpu_available:
        return
    if not (container or failed) or not case.gpus("nvidia"):
        return
    load = "sudo nvidia-modprobe -u -c=0  # or: sudo modprobe nvidia-uvm"
    yield finding(
        "cuda-init-unknown-error",
        case,
        about=about(case, "nvidia"),
        severity="blocker" if failed else "warning",
        title="CUDA cannot start: /dev/nvidia-uvm is missing",
        detail="The node for unified memory is made when the module nvidia-uvm is loaded; without it CUDA gives error 999.",
        evidence=(
            "devices./dev/nvidia0.present",
            "devices./dev/nvidia-uvm.present",
            "system.container",
            "torch.gpu_available",
        ),
        fix=(f"on the host: {load}", "start the container anew") if container else (load,),
    )
