"""AMD GPUs: device ids, gfx targets, names."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any

from torchdoctor.matrix.gpu_names import NameIndex
from torchdoctor.matrix.known_gpu import KnownGpu, device_of
from torchdoctor.matrix.tables import rows

__all__ = ["amd_by_pci", "integrated_gfx", "names", "of_gfx", "row_of"]


@lru_cache(maxsize=1)
def _targets() -> dict[str, dict[str, Any]]:
    return {row["gfx"]: row for row in rows("amd_gpus.json", "targets")}


def integrated_gfx(gfx: str) -> bool | None:
    """Whether a gfx target is that of a processor's graphics; ``None`` where the target is not known."""
    row = _targets().get(gfx)
    return row["integrated"] if row else None


def of_gfx(gfx: str, confidence: str) -> KnownGpu:
    """A gfx target as a GPU without a name."""
    row = _targets().get(gfx, {})
    return KnownGpu(
        vendor="amd",
        gfx=gfx,
        architecture=row.get("architecture"),
        integrated=row.get("integrated"),
        confidence=confidence,
    )


@lru_cache(maxsize=1)
def _ids() -> dict[str, dict[str, Any]]:
    return {row["id"]: row for row in rows("amd_gpus.json", "pci")}


def amd_by_pci(pci_id: str) -> KnownGpu | None:
    """By device id (``1002:744c`` or ``744c``)."""
    row = _ids().get(device_of(pci_id, "1002") or "")
    if row is None:
        return None
    return replace(
        of_gfx(row["gfx"], row["confidence"]), name=row["name"], pci_id=f"1002:{row['id']}", chip=row["codename"]
    )


@lru_cache(maxsize=1)
def names() -> tuple[NameIndex, list[dict[str, Any]]]:
    """Names of one gfx target, then those of several (their target is ``None``)."""
    held = [*rows("amd_gpus.json", "names"), *({**row, "gfx": None} for row in rows("amd_gpus.json", "ambiguous"))]
    return NameIndex("amd", [row["name"] for row in held]), held


def row_of(row: dict[str, Any]) -> KnownGpu:
    """A row of :func:`names` as a GPU."""
    gpu = of_gfx(row["gfx"], row["confidence"]) if row["gfx"] else KnownGpu(vendor="amd")
    return replace(gpu, name=row["name"])
