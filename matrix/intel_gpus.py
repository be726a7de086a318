"""Intel GPUs: device ids, platforms, names."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from torchdoctor.matrix.gpu_names import NameIndex, Printed
from torchdoctor.matrix.known_gpu import KnownGpu, device_of, shared
from torchdoctor.matrix.tables import rows, weakest

__all__ = ["intel_by_pci", "names", "platform_in", "word_in"]


@lru_cache(maxsize=1)
def _ids() -> dict[str, KnownGpu]:
    platforms = {row["platform"]: row for row in rows("intel_gpus.json", "platforms")}
    found = {}
    for row in rows("intel_gpus.json", "pci"):
        platform = platforms[row["platform"]]
        found[row["id"]] = KnownGpu(
            vendor="intel",
            name=row["name"],
            pci_id=f"8086:{row['id']}",
            chip=row["platform"],
            architecture=platform["architecture"],
            integrated=platform["kind"] == "igpu",
            xpu=row.get("xpu", platform["xpu"]),
            note=platform.get("note"),
            confidence=weakest(row["confidence"], platform["confidence"]),
        )
    return found


def intel_by_pci(pci_id: str) -> KnownGpu | None:
    """By device id (``8086:e20b`` or ``e20b``). Older and newer graphics than the table's are not known."""
    return _ids().get(device_of(pci_id, "8086") or "")


@lru_cache(maxsize=1)
def names() -> tuple[NameIndex, list[KnownGpu]]:
    """The devices that have a name; several may share one."""
    held = [gpu for gpu in _ids().values() if gpu.name]
    return NameIndex("intel", [gpu.name or "" for gpu in held]), held


def platform_in(printed: Printed) -> KnownGpu | None:
    """The platform that lspci writes before the bracket (``Lunar Lake [Intel Arc Graphics 130V / 140V]``)."""
    for row in rows("intel_gpus.json", "platforms"):
        for part in row["platform"].lower().split(" / "):
            if any(part in spelling for spelling in printed.spellings):
                held = [gpu for gpu in _ids().values() if gpu.chip == row["platform"]]
                return shared([replace(gpu, name=None) for gpu in held])
    return None


def word_in(printed: Printed) -> KnownGpu | None:
    """Graphics older than the table, told by a word of their name (``HD Graphics 530``)."""
    words = {w for s in printed.spellings for w in s.split()}
    for row in rows("intel_gpus.json", "words"):
        if row["word"].lower() in words:
            return KnownGpu(vendor="intel", integrated=row["integrated"], xpu=row["xpu"], confidence=row["confidence"])
    return None
