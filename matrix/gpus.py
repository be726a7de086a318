"""What the matrix knows of a GPU, by PCI id or by a printed name. Tables are opened when first asked.

The PCI id decides; a name is a fallback. A name that several chips share, or that a table cut off, gives nothing.
"""

from __future__ import annotations

from functools import lru_cache

from torchdoctor.matrix import amd_gpus, intel_gpus, nvidia_gpus
from torchdoctor.matrix.amd_gpus import amd_by_pci, integrated_gfx
from torchdoctor.matrix.gpu_names import Printed, read_name
from torchdoctor.matrix.intel_gpus import intel_by_pci
from torchdoctor.matrix.known_gpu import KnownGpu, device_of, shared
from torchdoctor.matrix.nvidia_gpus import architecture_of, nvidia_by_pci

__all__ = [
    "KnownGpu",
    "amd_by_name",
    "amd_by_pci",
    "architecture_of",
    "by_name",
    "by_pci",
    "integrated_gfx",
    "intel_by_name",
    "intel_by_pci",
    "intel_gpu",
    "nvidia_by_name",
    "nvidia_by_pci",
]

VENDORS = ("nvidia", "amd", "intel")


@lru_cache(maxsize=1024)
def _by_name(name: str, vendor: str) -> KnownGpu | None:
    printed = read_name(name, vendor)
    if printed.cut:
        return None
    found = by_pci(printed.pci_id) if printed.pci_id else None
    if found is None and vendor == "amd" and printed.gfx:
        found = amd_gpus.of_gfx(printed.gfx, "primary")
    if found is None and vendor == "nvidia":
        found = nvidia_gpus.chip_in(printed)
    if found is None:
        found = shared(_named(printed, vendor))
    if found is None and vendor == "nvidia":
        found = nvidia_gpus.board_in(printed)
    if found is None and vendor == "intel":
        found = intel_gpus.platform_in(printed) or intel_gpus.word_in(printed)
    return found


def _named(printed: Printed, vendor: str) -> list[KnownGpu]:
    """The rows of the first spelling that is known; the parts of an enumeration (``RX 7900 XT/7900 XTX``) all count."""
    if vendor == "intel":
        intel_index, known = intel_gpus.names()
        for spelling in printed.spellings:
            hits = intel_index.find(spelling)
            if hits:
                return [known[i] for i in hits]
        return []
    tables = nvidia_gpus if vendor == "nvidia" else amd_gpus
    index, held = tables.names()
    found: list[KnownGpu] = []
    for spelling in printed.spellings:
        hits = index.find(spelling)
        if not hits and printed.vgpu:  # "GRID V100D-8C": the letters behind the board's number name its memory
            hits = index.find(spelling.rstrip("dxpls"))
        found.extend(tables.row_of(held[i]) for i in hits)
        if found and "/" not in printed.spellings[0]:
            break
    return found


def by_pci(pci_id: str, vendor: str | None = None) -> KnownGpu | None:
    """By PCI id of any vendor; a bare device id needs ``vendor``."""
    head = pci_id.strip().lower().partition(":")[0].removeprefix("0x")
    vendor = {"10de": "nvidia", "1002": "amd", "8086": "intel"}.get(head, vendor) if ":" in pci_id else vendor
    lookup = {"nvidia": nvidia_by_pci, "amd": amd_by_pci, "intel": intel_by_pci}.get(vendor or "")
    return lookup(pci_id) if lookup else None


def by_name(name: str, vendor: str) -> KnownGpu | None:
    """By a printed name of a vendor (``nvidia``, ``amd``, ``intel``)."""
    return _by_name(name, vendor) if vendor in VENDORS else None


def nvidia_by_name(name: str) -> KnownGpu | None:
    """By a printed name; ``None`` where it is unknown, cut off, or shared by several compute capabilities."""
    return _by_name(name, "nvidia")


def amd_by_name(name: str) -> KnownGpu | None:
    """By a printed name; a gfx target written in the name (``RX 7900 XTX (gfx1100)``) counts first."""
    return _by_name(name, "amd")


def intel_by_name(name: str) -> KnownGpu | None:
    """By a printed name. One name may mean several platforms: then only what they share is told."""
    return _by_name(name, "intel")


def intel_gpu(pci_id: str | None, name: str | None) -> KnownGpu | None:
    """By PCI id, by name where that says nothing. The table holds every id that Intel's compute runtime drives from its
    twelfth generation on, so an id outside it is older or newer than anything PyTorch lists.
    """
    known = (intel_by_pci(pci_id) if pci_id else None) or (intel_by_name(name) if name else None)
    if known is None and pci_id and device_of(pci_id, "8086"):
        return KnownGpu(vendor="intel", pci_id=pci_id.lower(), xpu=False, confidence="inferred")
    return known
