"""NVIDIA GPUs: device ids, chips, names, and the boards whose chip has no id."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any

from torchdoctor.matrix.gpu_names import NameIndex, Printed
from torchdoctor.matrix.known_gpu import KnownGpu, device_of
from torchdoctor.matrix.tables import rows, table, weakest

__all__ = ["architecture_of", "board_in", "chip_in", "names", "nvidia_by_pci", "row_of"]


@lru_cache(maxsize=1)
def _chips() -> dict[str, dict[str, Any]]:
    return {row["chip"].lower(): row for row in rows("nvidia_gpus.json", "chips")}


@lru_cache(maxsize=1)
def _ids() -> dict[str, list[Any]]:
    return {row[0]: row for row in table("nvidia_gpus.json")["pci"]["rows"]}


def architecture_of(compute_capability: str) -> str | None:
    """``8.9`` → ``Ada``."""
    return next((r["architecture"] for r in _chips().values() if r["compute_capability"] == compute_capability), None)


def _of_chip(chip: str) -> KnownGpu | None:
    row = _chips().get(chip.lower())
    if row is None:
        return None
    # A board of a Tegra or Grace chip shares the memory; whether it counts as integrated is not ours to say.
    shared = row["chip"] == "GB20B" or any(row["chip"] == board["chip"] for board in rows("nvidia_gpus.json", "boards"))
    return KnownGpu(
        vendor="nvidia",
        chip=row["chip"],
        architecture=row["architecture"],
        compute_capability=row["compute_capability"],
        integrated=None if shared else False,
        confidence=row["confidence"],
    )


def nvidia_by_pci(pci_id: str) -> KnownGpu | None:
    """By device id (``10de:2684`` or ``2684``). An id newer than the table is placed by the range of a chip (inferred)."""
    device = device_of(pci_id, "10de")
    if device is None or len(device) != 4:
        return None
    group = table("nvidia_gpus.json")["pci"]
    held = _ids().get(device)
    if held is not None:
        chip = _of_chip(held[1])
        confidence = held[3] if len(held) > 3 else group["confidence"]
        return (
            replace(chip, name=held[2], pci_id=f"10de:{device}", confidence=weakest(chip.confidence, confidence))
            if chip
            else None
        )
    for row in rows("nvidia_gpus.json", "ranges"):
        if row["first"] <= device <= row["last"]:
            chip = _of_chip(row["chip"])
            return replace(chip, pci_id=f"10de:{device}", confidence="inferred") if chip else None
    return None


@lru_cache(maxsize=1)
def names() -> tuple[NameIndex, list[dict[str, Any]]]:
    """Names with one compute capability, then those sold on several chips (their capability is ``None``)."""
    held = [
        *rows("nvidia_gpus.json", "names"),
        *({**row, "compute_capability": None} for row in rows("nvidia_gpus.json", "ambiguous")),
    ]
    return NameIndex("nvidia", [row["name"] for row in held]), held


def chip_in(printed: Printed) -> KnownGpu | None:
    """The chip that lspci writes before the bracket (``GP107M [GeForce GTX 1050 Ti Mobile]``)."""
    for spelling in printed.spellings:
        for word in spelling.split():
            for end in range(len(word), 4, -1):
                if word[:end] in _chips():
                    return _of_chip(word[:end])
    return None


def board_in(printed: Printed) -> KnownGpu | None:
    """A Tegra board: ``Orin (nvgpu)``, ``NVIDIA Jetson AGX Xavier Developer Kit``."""
    words = {w for s in printed.spellings for w in s.replace("-", " ").split()}
    for row in rows("nvidia_gpus.json", "boards"):
        wanted = row["word"].lower().split()
        if words.issuperset(wanted) and (wanted != ["nano"] or words & {"jetson", "tegra"}):
            return _of_chip(row["chip"])
    return None


def row_of(row: dict[str, Any]) -> KnownGpu:
    """A row of :func:`names` as a GPU."""
    cc = row["compute_capability"]
    architecture = architecture_of(cc) if cc else None
    return KnownGpu(
        vendor="nvidia",
        name=row["name"],
        compute_capability=cc,
        architecture=architecture,
        confidence=row["confidence"],
    )
