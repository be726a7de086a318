"""Intel GPUs: display devices by PCI id, the kernel driver bound to them, the compute runtime's libraries.

A display device is not yet an accelerator: which ids torch's XPU builds can use is the matrix's to say.
"""

from __future__ import annotations

from torchdoctor.probes import pci
from torchdoctor.probes.devices import put_node, put_render_nodes
from torchdoctor.probes.draft import Draft
from torchdoctor.probes.host import Host
from torchdoctor.probes.loader import candidates, version_behind
from torchdoctor.probes.patterns import regex

__all__ = ["probe"]

_VENDOR = "8086"
_GPU_MAKERS = ("8086", "10de", "1002")
_FOLDERS = ("/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib", "/usr/local/lib", "/run/opengl-driver/lib")
# libze_intel_gpu.so.1.6.33276 tells its version; a soname alone (….so.1) does not.
_VERSIONED = regex(r"libze_[a-z0-9_]{1,40}\.so\.(\d{1,6}(?:\.\d{1,6}){1,4})")
_RUNTIMES = ("libze_intel_gpu.so.1", "libze_intel_gpu_legacy1.so.1")
_LOADER = "libze_loader.so.1"


def probe(host: Host, draft: Draft, deadline: float) -> None:
    """Put the Intel GPUs, ``drivers.intel.*``, ``runtimes.level_zero`` and the render nodes."""
    if host.system == "windows":
        from torchdoctor.probes import adapters

        adapters.put(host, draft, "intel")
        return
    if host.system not in ("linux", None):
        return
    bus = pci.scan(host)
    # Class 03 only: the neural accelerators of newer processors are class 12 and no GPUs.
    devices = [d for d in bus.value or () if d.vendor == _VENDOR and d.display]
    cards = [d for d in bus.value or () if d.vendor in _GPU_MAKERS and d.display and not _inside(d.address)]
    for device in devices:
        draft.gpu(
            device.source or pci.BUS,
            vendor="intel",
            integrated=True if cards and _inside(device.address) else None,
            name=device.name,
            pci_id=device.pci_id,
            driver=device.driver,
            address=device.address,
        )
    wsl = host.stat("/dev/dxg").ok
    if devices:
        # Of graphics inside the processor and a card, the card is the one to compute on.
        first = sorted(devices, key=lambda d: _inside(d.address))
        bound = next((d for d in first if d.driver), None)
        unbound = all(d.driver == "" for d in devices)
        draft.put(
            "drivers.intel.kernel_driver",
            bound.driver if bound else "" if unbound else None,
            f"{first[0].source}/driver",
        )
        put_render_nodes(host, draft)
    elif not wsl and (bus.ok or (bus.absent and host.stat("/dev/dxg").absent)):
        draft.no_gpus(pci.BUS)
    else:
        draft.miss("gpus", bus.detail or "/dev/dxg does not tell whose GPU stands behind it")
    if wsl:
        put_node(host, draft, "/dev/dxg")
    if devices or wsl:
        _put_library(host, draft, "drivers.intel.compute_runtime", _RUNTIMES)
        _put_library(host, draft, "runtimes.level_zero", (_LOADER,))


def _inside(address: str) -> bool:
    """The place of the graphics inside an Intel processor. A card that a virtual machine was given alone may have it too."""
    return address in ("0000:00:02.0", "00:02.0")


def _put_library(host: Host, draft: Draft, path: str, names: tuple[str, ...]) -> None:
    none, reason = True, ""
    for name in names:
        for place in candidates(host, name, _folders(host)):
            version = version_behind(host, place, _VERSIONED)
            if version:
                draft.put(path, version, place)
                return
            answer = host.stat(place)
            none = none and answer.absent
            if answer.ok:
                reason = f"{place} does not tell its version"
    if none:
        draft.put(path, "", f"no folder of the loader holds {names[0]}")
    else:
        draft.miss(path, reason or f"where {names[0]} points to could not be read")


def _folders(host: Host) -> tuple[str, ...]:
    prefix = (host.environ().value or {}).get("CONDA_PREFIX", "")
    return (*_FOLDERS, f"{prefix}/lib") if prefix.startswith("/") else _FOLDERS
