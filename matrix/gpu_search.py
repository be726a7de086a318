"""What a person may mean by a few words about a GPU: for the ``gpus`` command."""

from __future__ import annotations

from dataclasses import replace

from torchdoctor.matrix.gpu_names import NameIndex, guess_vendor, read_name
from torchdoctor.matrix.gpus import (
    VENDORS,
    KnownGpu,
    architecture_of,
    by_name,
    by_pci,
    integrated_gfx,
    intel_by_pci,
)
from torchdoctor.matrix.tables import rows
from torchdoctor.probes.facts import regex

__all__ = ["ids_of", "names_of", "nearest", "search"]

_MOST = 24  # rows shown for a text that means many
_CC = regex(r"(?:sm_?|compute_?|cc ?)?(\d{1,2})\.?(\d)a?")
_GFX = regex(r"gfx[0-9a-f]{3,5}")
_HEX = regex(r"(?:0x)?([0-9a-f]{4})")


def search(text: str) -> tuple[KnownGpu, ...]:
    """What is known of a name, PCI id, gfx target or compute capability: the likeliest reading only, several rows where it
    means several chips, empty where nothing is known.
    """
    low = text.strip().lower()
    if not low or len(low) > 200:
        return ()
    if ":" in low:
        known = by_pci(low)
        if known is not None:
            return (known,)
    if _GFX.fullmatch(low):
        return _of_gfx(low)
    for vendor in _vendors(text):
        known = by_name(text, vendor)
        if known is not None:
            return (known,)
    for vendor in _vendors(text):
        several = _several(text, vendor)
        if several:
            return several
    capability = _CC.fullmatch(low)
    if capability:
        cc = f"{capability[1]}.{capability[2]}"
        architecture = architecture_of(cc)
        if architecture:
            return (KnownGpu(vendor="nvidia", compute_capability=cc, architecture=architecture),)
    bare = _HEX.fullmatch(low)
    if bare:
        return tuple(gpu for vendor in VENDORS if (gpu := by_pci(bare[1], vendor)) is not None)
    return _containing(low)


def _vendors(text: str) -> tuple[str, ...]:
    vendor = guess_vendor(text, None)
    return (vendor,) if vendor in VENDORS else VENDORS


def _of_gfx(gfx: str) -> tuple[KnownGpu, ...]:
    for row in rows("amd_gpus.json", "targets"):
        if row["gfx"] == gfx:
            return (
                KnownGpu(
                    vendor="amd",
                    gfx=gfx,
                    architecture=row["architecture"],
                    integrated=integrated_gfx(gfx),
                    confidence=row["confidence"],
                ),
            )
    return ()


def _several(text: str, vendor: str) -> tuple[KnownGpu, ...]:
    """A name sold on several chips: one row a chip, so that the PCI id can settle it."""
    printed = read_name(text, vendor)
    if printed.cut or vendor == "intel":
        return ()
    group, key = ("nvidia_gpus.json", "compute_capability") if vendor == "nvidia" else ("amd_gpus.json", "gfx")
    held = [row for row in rows(group, "pci") if row["name"]]
    index = NameIndex(vendor, [row["name"] for row in held])
    found: dict[str, KnownGpu] = {}
    for spelling in printed.spellings:
        for hit in index.find(spelling):
            known = by_pci(held[hit]["id"], vendor)
            value = getattr(known, key) if known else None
            if known and value:
                found.setdefault(value, known)
    named = rows(group, "names")
    index = NameIndex(vendor, [row["name"] for row in named])
    for spelling in printed.spellings:
        for hit in index.find(spelling):
            known = by_name(named[hit]["name"], vendor)
            if known:
                found.setdefault(named[hit][key], known)
    return tuple(found[value] for value in sorted(found))


def _containing(low: str) -> tuple[KnownGpu, ...]:
    wanted = low.split()
    found = []
    for vendor, name in _all_names():
        if all(word in name.lower() for word in wanted):
            known = by_name(name, vendor)
            if known is not None:
                found.append(replace(known, name=name))
                if len(found) == _MOST:
                    break
    return tuple(found)


def _all_names() -> list[tuple[str, str]]:
    names = [("nvidia", row["name"]) for row in rows("nvidia_gpus.json", "names")]
    names += [("amd", row["name"]) for row in rows("amd_gpus.json", "names")]
    names += [("intel", row["name"]) for row in rows("intel_gpus.json", "pci") if row["name"]]
    return list(dict.fromkeys(names))


def ids_of(gpu: KnownGpu) -> tuple[str, ...]:
    """The PCI ids that go by the name of a GPU and are of the same kind."""
    if not gpu.name:
        return (gpu.pci_id,) if gpu.pci_id else ()
    held = [row for row in rows(f"{gpu.vendor}_gpus.json", "pci") if row["name"]]
    hits = NameIndex(gpu.vendor, [row["name"] for row in held]).find(
        gpu.name.partition("/")[0] if gpu.pci_id else gpu.name
    )
    known = [by_pci(held[hit]["id"], gpu.vendor) for hit in hits]
    same = [k.pci_id for k in known if k and (k.compute_capability, k.gfx) == (gpu.compute_capability, gpu.gfx)]
    first = [gpu.pci_id] if gpu.pci_id else []
    return tuple(dict.fromkeys([*first, *(i for i in same if i)]))


def names_of(gpu: KnownGpu) -> tuple[str, ...]:
    """Names that share the compute capability or gfx target of a row that has no name of its own."""
    if gpu.gfx:
        return tuple(row["name"] for row in rows("amd_gpus.json", "names") if row["gfx"] == gpu.gfx)
    if gpu.compute_capability:
        held = rows("nvidia_gpus.json", "names")
        return tuple(row["name"] for row in held if row["compute_capability"] == gpu.compute_capability)
    if gpu.platform:
        held = rows("intel_gpus.json", "pci")
        mine = (
            row["name"] for row in held if row["platform"] == gpu.platform and row["name"] and intel_by_pci(row["id"])
        )
        return tuple(dict.fromkeys(mine))
    return ()


def nearest(text: str, count: int = 4) -> tuple[str, ...]:
    """The known names most like a text, best first."""
    from difflib import get_close_matches

    # A card is also known without its family word: "4099" is nearer to "4090" than to "GeForce RTX 4090".
    names: dict[str, str] = {}
    for _, name in _all_names():
        words = name.lower().split()
        for start in range(min(len(words), 3)):
            names.setdefault(" ".join(words[start:]), name)
    low = text.strip().lower()[:80]
    for vendor in ("nvidia ", "amd ", "intel "):
        low = low.removeprefix(vendor)
    found = get_close_matches(low, names, n=count * 3, cutoff=0.5)
    return tuple(dict.fromkeys(names[name] for name in found))[:count]
