"""A GPU as the tables know it, and what several rows of one name have in common."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from torchdoctor.matrix.tables import CONFIDENCES
from torchdoctor.probes.facts import dataclass

__all__ = ["KnownGpu", "device_of", "shared"]


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownGpu:
    """A row of the tables. ``pci_id`` is ``10de:2684``; ``chip`` the chip, AMD codename or Intel platform; ``xpu``
    tells whether PyTorch lists it for its XPU builds; ``confidence`` that of
    the weakest fact in it. ``None`` = not known.
    """

    vendor: str
    name: str | None = None
    pci_id: str | None = None
    chip: str | None = None
    architecture: str | None = None
    compute_capability: str | None = None
    gfx: str | None = None
    integrated: bool | None = None
    xpu: bool | None = None
    note: str | None = None
    confidence: str = "primary"

    @property
    def platform(self) -> str | None:
        """The Intel platform as releases list it; ``None`` where a name belongs to several."""
        return self.chip if self.vendor == "intel" else None


def device_of(pci_id: str, vendor: str) -> str | None:
    """The device half of ``10de:2684`` or ``2684``, ``None`` where the id is not of that vendor."""
    head, colon, tail = pci_id.strip().lower().partition(":")
    if colon and head.removeprefix("0x") != vendor:
        return None
    return (tail or head).removeprefix("0x")[:4]


def shared(found: list[KnownGpu]) -> KnownGpu | None:
    """What several rows have in common; ``None`` where that does not settle what code the GPU runs."""
    if not found:
        return None
    common: dict[str, Any] = {}
    for f in fields(KnownGpu):
        values = {getattr(gpu, f.name) for gpu in found}
        common[f.name] = values.pop() if len(values) == 1 else None
    # They agree, so the best source proves it; a row of another spelling proves a little less.
    common["confidence"] = min((gpu.confidence for gpu in found), key=CONFIDENCES.index)
    if len(found) > 1:
        common["pci_id"] = None
        common["name"] = common["name"] or min((gpu.name or "" for gpu in found), key=len) or None
    gpu = KnownGpu(**common)
    settled = {"nvidia": gpu.compute_capability, "amd": gpu.gfx, "intel": gpu.chip or gpu.xpu}[gpu.vendor]
    return gpu if settled is not None else None
