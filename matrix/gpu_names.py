"""Names of GPUs as programs print and people type them, taken apart into what a table can be asked for.

The same card is ``NVIDIA GeForce RTX 4090``, ``GeForce RTX 4090/PCIe/SSE2``, ``AD102 [GeForce RTX 4090] (rev a1)``,
``rtx4090`` and ``4090``. A name is compared as the run of its letters and digits, first as it stands, then without the words
that do not change the chip (memory, form factor, "Laptop GPU"), then without the family word in front.
"""

from __future__ import annotations

from collections.abc import Iterator

from torchdoctor.probes.facts import dataclass, regex

__all__ = ["NameIndex", "Printed", "guess_vendor", "read_name"]

_LONGEST = 240  # characters looked at; no real name comes near it

_VENDOR_WORDS = {
    "nvidia": ("nvidia", "geforce", "quadro", "tesla", "rtx", "gtx", "jetson", "tegra", "titan"),
    "amd": ("amd", "radeon", "instinct", "ati", "firepro"),
    "intel": ("intel", "arc", "iris", "uhd"),
    "apple": ("apple",),
}


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_PCI_VENDORS = {"10de": "nvidia", "1002": "amd", "8086": "intel", "106b": "apple"}
# Words that say who made or sells it, or that it is a GPU at all.
_NOISE = _set(
    "nvidia corporation corp amd ati advanced micro devices inc intel tm r co graphics gpu adapter device series "
    "generation vga compatible controller 3d display the dual slot"
)
# Words that change the board, not the chip: form factor, memory kind, cooling, edition.
_BOARD = _set(
    "laptop mobile notebook max q maxq with design pcie pci e sxm sxm2 sxm3 sxm4 sxm5 sxm6 dgxs fhhl oam hbm2 hbm2e hbm3 "
    "hbm3e nvl gddr5 gddr5x gddr6 gddr6x ddr3 ddr4 lhr edition founders server workstation sff embedded developer kit module "
    "mig virtual vgpu vf ac mba mcm"
)
_FAMILIES = {
    "nvidia": _set("geforce quadro tesla rtx gtx gt grid nvs jetson tegra agx igx drive"),
    "amd": _set("radeon rx pro instinct firepro"),
    "intel": _set("arc pro data center"),
}
_GENERATIONS = {"nvidia": frozenset(("ada", "blackwell")), "amd": frozenset[str](), "intel": frozenset[str]()}

_PCI_PAIR = regex(r"(?<![0-9a-f])(10de|1002|8086)[:_]([0-9a-f]{4})(?![0-9a-f])")
_DEVICE = regex(r"\bdevice (?:0x)?([0-9a-f]{4})\b|\[0x([0-9a-f]{4})\]")
_GFX = regex(r"\bgfx([0-9]{1,2}[0-9a-f]{2})(?![0-9a-z])")
_VGPU = regex(r"-\d{1,3}[qcab]$")
_WORD = regex(r"[a-z0-9]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Printed:
    """A printed name taken apart: the spellings worth looking up, best first, and what the text itself gives away.
    ``cut`` marks a name that a table cut off: it is no name.
    """

    spellings: tuple[str, ...]
    pci_id: str | None = None
    gfx: str | None = None
    cut: bool = False
    vgpu: bool = False


def guess_vendor(name: str | None, pci_id: str | None) -> str | None:
    """``nvidia``, ``amd``, ``intel`` or ``apple`` from a PCI id or the words of a name."""
    if pci_id:
        vendor = _PCI_VENDORS.get(pci_id.lower().partition(":")[0].removeprefix("0x"))
        if vendor:
            return vendor
    words = set(_WORD.findall((name or "")[:_LONGEST].lower()))
    for vendor, known in _VENDOR_WORDS.items():
        if words.intersection(known):
            return vendor
    return None


def read_name(text: str, vendor: str) -> Printed:
    """Take a printed name apart. ``vendor`` completes a bare device id (``Intel Graphics [0xe223]``)."""
    low = text[:_LONGEST].strip().lower().replace("™", " ").replace("®", " ").replace("(tm)", " ").replace("(r)", " ")
    if "..." in low or "…" in low:
        return Printed(spellings=(), cut=True)
    pci_id = None
    pair, device = _PCI_PAIR.search(low), _DEVICE.search(low)
    if pair:
        pci_id = f"{pair[1]}:{pair[2]}"
    elif device:
        number = next((k for k, v in _PCI_VENDORS.items() if v == vendor), None)
        pci_id = f"{number}:{device[1] or device[2]}" if number else None
    gfx = _GFX.search(low)
    for mark in (" w/ ", " with radeon"):  # "AMD Ryzen 7 7840U w/ Radeon 780M Graphics" is the processor's name
        if mark in low:
            low = low[low.index(mark) + len(mark) :] if mark == " w/ " else low[low.index(mark) + len(" with ") :]
    low = low.partition("/pcie")[0]
    # nvidia-smi writes the slice behind the board: "NVIDIA A100-SXM4-80GB MIG 3g.40gb".
    low = low.replace("-mig-", " mig ").partition(" mig ")[0]
    bracketed, plain = _brackets(low)
    plain = plain.strip().removesuffix(" vgpu").strip()
    vgpu = _VGPU.search(plain)
    if vgpu:
        plain = plain[: vgpu.start()]
    spellings: list[str] = []
    for part in (*bracketed, plain):
        spellings.append(part)
        if "/" in part:
            spellings.extend(p.strip() for p in part.split("/"))
    found = tuple(dict.fromkeys(s for s in spellings if s))
    return Printed(spellings=found, pci_id=pci_id, gfx=f"gfx{gfx[1]}" if gfx else None, vgpu=vgpu is not None)


def _brackets(low: str) -> tuple[list[str], str]:
    """The texts in square brackets (a pci.ids name holds the marketing name there) and the rest without parentheses."""
    inside: list[str] = []
    plain: list[str] = []
    kept, depth, start = 0, 0, 0
    for i, ch in enumerate(low):
        if ch in "[(":
            if depth == 0:
                plain.append(low[kept:i])
                start = i
            depth += 1
        elif ch in "])" and depth:
            depth -= 1
            if depth == 0:
                kept = i + 1
                text = low[start + 1 : i].strip()
                # "NVIDIA TITAN X (Pascal)" is a name; "(rev a1)", "(UUID: GPU-…)", "(navi31, LLVM 18)" are not.
                if text == "pascal":
                    plain.append(f" {text}")
                elif low[start] == "[" and not _only_ids(text):
                    inside.append(text)
    if depth == 0:
        plain.append(low[kept:])
    return inside, " ".join(plain)


def _only_ids(text: str) -> bool:
    return text in ("amd/ati", "nvidia") or all(ch in "0123456789abcdefx:" for ch in text)


def _words(name: str) -> list[str]:
    return [w for w in _WORD.findall(name.lower()) if w not in _NOISE]


def _reduced(words: list[str]) -> list[str]:
    return [w for w in words if w not in _BOARD and not (w[0].isdigit() and w[-1] in "gb" and w.rstrip("gb").isdigit())]


class NameIndex:
    """Names of one vendor's GPUs, found by any of their spellings. Each name carries a row (its place in a list)."""

    def __init__(self, vendor: str, names: list[str]) -> None:
        self._families = _FAMILIES[vendor]
        self._generations = _GENERATIONS[vendor]
        self._words = [_words(name) for name in names]
        # One dictionary a level, built when a name is not found at the stricter ones.
        self._levels: list[dict[str, set[int]]] = []

    def _level(self, level: int) -> dict[str, set[int]]:
        while len(self._levels) <= level:
            built: dict[str, set[int]] = {}
            for row, words in enumerate(self._words):
                for spelled in self._spellings(words, len(self._levels)):
                    if spelled:
                        built.setdefault("".join(spelled), set()).add(row)
            self._levels.append(built)
        return self._levels[level]

    def _spellings(self, words: list[str], level: int) -> Iterator[list[str]]:
        if level == 0:
            yield words
            return
        short = _reduced(words)
        yield short
        while level == 2 and short:
            yield [w for w in short if w not in self._generations]
            if short[0] not in self._families:
                break
            short = short[1:]
            yield short

    def find(self, spelling: str) -> tuple[int, ...]:
        """The rows that a spelling means at the strictest level that knows it; empty where none does."""
        words = _words(spelling)
        short = _reduced(words)
        bare = short
        while bare and bare[0] in self._families:
            bare = bare[1:]
        # A board's maker may stand in front: "Palit GeForce RTX 3080".
        start = next((i for i, word in enumerate(short) if word in self._families), 0)
        for level, tried in ((0, words), (1, short), (2, short), (2, bare), (2, short[start:] if start else [])):
            rows = self._level(level).get("".join(tried))
            if rows:
                return tuple(sorted(rows))
        return ()
