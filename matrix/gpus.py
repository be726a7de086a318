"""What the matrix knows of a GPU, by PCI id or by a printed name. Tables are opened when first asked.

The PCI id decides; a name is a fallback. A name that several chips share, or that a table cut off, gives nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import lru_cache
from typing import Any

from torchdoctor.matrix.gpu_names import NameIndex, Printed, read_name
from torchdoctor.matrix.tables import CONFIDENCES, rows, table, weakest

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


def _device(pci_id: str, vendor: str) -> str | None:
    """The device half of ``10de:2684`` or ``2684``, ``None`` where the id is not of that vendor."""
    head, colon, tail = pci_id.strip().lower().partition(":")
    if colon and head.removeprefix("0x") != vendor:
        return None
    return (tail or head).removeprefix("0x")[:4]


# NVIDIA


@lru_cache(maxsize=1)
def _chips() -> dict[str, dict[str, Any]]:
    return {row["chip"].lower(): row for row in rows("nvidia_gpus.json", "chips")}


@lru_cache(maxsize=1)
def _nvidia_ids() -> dict[str, list[Any]]:
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
    device = _device(pci_id, "10de")
    if device is None or len(device) != 4:
        return None
    group = table("nvidia_gpus.json")["pci"]
    held = _nvidia_ids().get(device)
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
def _nvidia_names() -> tuple[NameIndex, list[dict[str, Any]]]:
    """Names with one compute capability, then those sold on several chips (their capability is ``None``)."""
    held = rows("nvidia_gpus.json", "names")
    held += [{**row, "compute_capability": None} for row in rows("nvidia_gpus.json", "ambiguous")]
    return NameIndex("nvidia", [row["name"] for row in held]), held


def nvidia_by_name(name: str) -> KnownGpu | None:
    """By a printed name; ``None`` where it is unknown, cut off, or shared by several compute capabilities."""
    return _by_name(name, "nvidia")


def _chip_in(printed: Printed) -> KnownGpu | None:
    """The chip that lspci writes before the bracket (``GP107M [GeForce GTX 1050 Ti Mobile]``)."""
    for spelling in printed.spellings:
        for word in spelling.split():
            for end in range(len(word), 4, -1):
                if word[:end] in _chips():
                    return _of_chip(word[:end])
    return None


def _board_in(printed: Printed) -> KnownGpu | None:
    """A Tegra board: ``Orin (nvgpu)``, ``NVIDIA Jetson AGX Xavier Developer Kit``."""
    words = {w for s in printed.spellings for w in s.replace("-", " ").split()}
    for row in rows("nvidia_gpus.json", "boards"):
        wanted = row["word"].lower().split()
        if words.issuperset(wanted) and (wanted != ["nano"] or words & {"jetson", "tegra"}):
            return _of_chip(row["chip"])
    return None


# AMD


@lru_cache(maxsize=1)
def _targets() -> dict[str, dict[str, Any]]:
    return {row["gfx"]: row for row in rows("amd_gpus.json", "targets")}


def integrated_gfx(gfx: str) -> bool | None:
    """Whether a gfx target is that of a processor's graphics; ``None`` where the target is not known."""
    row = _targets().get(gfx)
    return row["integrated"] if row else None


def _of_gfx(gfx: str, confidence: str) -> KnownGpu:
    row = _targets().get(gfx, {})
    return KnownGpu(
        vendor="amd",
        gfx=gfx,
        architecture=row.get("architecture"),
        integrated=row.get("integrated"),
        confidence=confidence,
    )


@lru_cache(maxsize=1)
def _amd_ids() -> dict[str, dict[str, Any]]:
    return {row["id"]: row for row in rows("amd_gpus.json", "pci")}


def amd_by_pci(pci_id: str) -> KnownGpu | None:
    """By device id (``1002:744c`` or ``744c``)."""
    row = _amd_ids().get(_device(pci_id, "1002") or "")
    if row is None:
        return None
    return replace(
        _of_gfx(row["gfx"], row["confidence"]), name=row["name"], pci_id=f"1002:{row['id']}", chip=row["codename"]
    )


@lru_cache(maxsize=1)
def _amd_names() -> tuple[NameIndex, list[dict[str, Any]]]:
    held = rows("amd_gpus.json", "names")
    held += [{**row, "gfx": None} for row in rows("amd_gpus.json", "ambiguous")]
    return NameIndex("amd", [row["name"] for row in held]), held


def amd_by_name(name: str) -> KnownGpu | None:
    """By a printed name; a gfx target written in the name (``RX 7900 XTX (gfx1100)``) counts first."""
    return _by_name(name, "amd")


# Intel


@lru_cache(maxsize=1)
def _intel_ids() -> dict[str, KnownGpu]:
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
    return _intel_ids().get(_device(pci_id, "8086") or "")


@lru_cache(maxsize=1)
def _intel_names() -> tuple[NameIndex, list[KnownGpu]]:
    held = [gpu for gpu in _intel_ids().values() if gpu.name]
    return NameIndex("intel", [gpu.name or "" for gpu in held]), held


def intel_by_name(name: str) -> KnownGpu | None:
    """By a printed name. One name may mean several platforms: then only what they share is told."""
    return _by_name(name, "intel")


def intel_gpu(pci_id: str | None, name: str | None) -> KnownGpu | None:
    """By PCI id, by name where that says nothing. The table holds every id that Intel's compute runtime drives from its
    twelfth generation on, so an id outside it is older or newer than anything PyTorch lists.
    """
    known = (intel_by_pci(pci_id) if pci_id else None) or (intel_by_name(name) if name else None)
    if known is None and pci_id and _device(pci_id, "8086"):
        return KnownGpu(vendor="intel", pci_id=pci_id.lower(), xpu=False, confidence="inferred")
    return known


def _intel_platform(printed: Printed) -> KnownGpu | None:
    """The platform that lspci writes before the bracket (``Lunar Lake [Intel Arc Graphics 130V / 140V]``)."""
    for row in rows("intel_gpus.json", "platforms"):
        for part in row["platform"].lower().split(" / "):
            if any(part in spelling for spelling in printed.spellings):
                shared = [gpu for gpu in _intel_ids().values() if gpu.chip == row["platform"]]
                return _shared([replace(gpu, name=None) for gpu in shared])
    return None


def _intel_word(printed: Printed) -> KnownGpu | None:
    words = {w for s in printed.spellings for w in s.split()}
    for row in rows("intel_gpus.json", "words"):
        if row["word"].lower() in words:
            return KnownGpu(vendor="intel", integrated=row["integrated"], xpu=row["xpu"], confidence=row["confidence"])
    return None


# All vendors


@lru_cache(maxsize=1024)
def _by_name(name: str, vendor: str) -> KnownGpu | None:
    printed = read_name(name, vendor)
    if printed.cut:
        return None
    found = by_pci(printed.pci_id) if printed.pci_id else None
    if found is None and vendor == "amd" and printed.gfx:
        found = _of_gfx(printed.gfx, "primary")
    if found is None and vendor == "nvidia":
        found = _chip_in(printed)
    if found is None:
        found = _shared(_named(printed, vendor))
    if found is None and vendor == "nvidia":
        found = _board_in(printed)
    if found is None and vendor == "intel":
        found = _intel_platform(printed) or _intel_word(printed)
    return found


def _named(printed: Printed, vendor: str) -> list[KnownGpu]:
    """The rows of the first spelling that is known; the parts of an enumeration (``RX 7900 XT/7900 XTX``) all count."""
    if vendor == "intel":
        intel_index, known = _intel_names()
        for spelling in printed.spellings:
            hits = intel_index.find(spelling)
            if hits:
                return [known[i] for i in hits]
        return []
    index, held = _nvidia_names() if vendor == "nvidia" else _amd_names()
    found: list[KnownGpu] = []
    for spelling in printed.spellings:
        hits = index.find(spelling)
        if not hits and printed.vgpu:  # "GRID V100D-8C": the letters behind the board's number name its memory
            hits = index.find(spelling.rstrip("dxpls"))
        found.extend(_row(held[i], vendor) for i in hits)
        if found and "/" not in printed.spellings[0]:
            break
    return found


def _row(row: dict[str, Any], vendor: str) -> KnownGpu:
    if vendor == "amd":
        gpu = _of_gfx(row["gfx"], row["confidence"]) if row["gfx"] else KnownGpu(vendor="amd")
        return replace(gpu, name=row["name"])
    cc = row["compute_capability"]
    architecture = architecture_of(cc) if cc else None
    return KnownGpu(
        vendor="nvidia",
        name=row["name"],
        compute_capability=cc,
        architecture=architecture,
        confidence=row["confidence"],
    )


def _shared(found: list[KnownGpu]) -> KnownGpu | None:
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


def by_pci(pci_id: str, vendor: str | None = None) -> KnownGpu | None:
    """By PCI id of any vendor; a bare device id needs ``vendor``."""
    head = pci_id.strip().lower().partition(":")[0].removeprefix("0x")
    vendor = {"10de": "nvidia", "1002": "amd", "8086": "intel"}.get(head, vendor) if ":" in pci_id else vendor
    lookup = {"nvidia": nvidia_by_pci, "amd": amd_by_pci, "intel": intel_by_pci}.get(vendor or "")
    return lookup(pci_id) if lookup else None


def by_name(name: str, vendor: str) -> KnownGpu | None:
    """By a printed name of a vendor (``nvidia``, ``amd``, ``intel``)."""
    return _by_name(name, vendor) if vendor in VENDORS else None
