"""GPU names as people and programs write them → vendor, name, gfx target, compute capability, PCI id, count."""

from __future__ import annotations

import re
from typing import Any

from torchdoctor.probes.frozen import dataclass
from torchdoctor.probes.patterns import regex

__all__ = [
    "Named",
    "bracketed",
    "compute_capability",
    "find_gpus",
    "gfx_target",
    "gfx_targets",
    "gpu_from_name",
    "intel_device_id",
    "is_integrated",
    "memory_bytes",
    "pci_id",
    "vendor_of",
]

_SUFFIX = (
    r"(?:[ -]?(?:Ti|SUPER|Super|Max-Q|Max Q|with Max-Q Design|Mobile|Laptop(?: GPU)?|Ada(?: Generation)?(?: Laptop GPU)?|SFF|Blackwell"
    r"|Generation|Workstation|Server|Edition|D(?: v2)?|GPU|PCIe|NVL|SXM\d?|HBM\d[a-z]?|\d{1,3} ?GB))"
)
# One alternative a product family; each is literal words and bounded digits.
_FAMILIES: tuple[tuple[str, str], ...] = (
    ("nvidia", rf"(?:NVIDIA[ -])?(?:GeForce[ -]?)?(?:RTX|GTX)[ -]?(?:PRO[ -])?(?:TITAN[ -])?A?\d{{3,4}}(?:M|Ti)?\b{_SUFFIX}{{0,6}}"),
    ("nvidia", rf"(?:NVIDIA )?GeForce (?:GTS?|GT|MX|G)? ?\d{{3,4}}[AM]?X?\b{_SUFFIX}{{0,3}}"),
    ("nvidia", r"(?:NVIDIA )?GTS? ?\d{3}[AM]?X?\b|(?:NVIDIA )?(?:GeForce )?MX ?\d{3}\b"),
    ("nvidia", rf"(?:NVIDIA )?Quadro(?: RTX| GV| GP)? ?[A-Z]{{0,2}}\d{{1,4}}[AM]?\b{_SUFFIX}{{0,3}}"),
    ("nvidia", r"(?:NVIDIA )?(?:GeForce GTX )?TITAN (?:Xp|X|V|RTX|Black|Z)\b|(?:NVIDIA )?(?:GeForce )?GTX TITAN(?: [XZ]| Black)?\b"),
    ("nvidia", rf"(?:NVIDIA )?Tesla [A-Z]{{1,2}}\d{{1,4}}[A-Za-z]{{0,2}}\b(?:-(?:PCIE|SXM\d|FHHL|DGXS)-\d{{1,3}}GB)?{_SUFFIX}{{0,2}}"),
    ("nvidia", r"(?:NVIDIA )?(?:Jetson )(?:AGX |Xavier |Orin |TX|T|Nano|Thor)[ \w]{0,16}?(?:Thor|Orin Nano|Orin NX|Orin|Xavier NX|Xavier|Nano|TX?\d{1,4}|T\d{4})?(?: \d{1,2}GB)?\b"),
    ("nvidia", r"(?:NVIDIA )?DGX[ -](?:Spark|H100|H200|A100|B200)\b|(?:NVIDIA )?RTX Spark\b"),
    ("nvidia", r"(?:NVIDIA[ -])?(?:GH200|GB200|GB300|GB10|B[123]00|H[128]00|H20|A[18]00)\b(?:[ -](?:\d{2,3} ?GB|PCIE(?:-\d{2,3}GB)?|PCIe?|SXM\d?(?:-\d{2,3}GB)?(?:-MIG[- ]\d{1,2}[gc]\.\d{1,3}gb)?|NVL|HBM\d\w?|MIG \d{1,2}[gc]\.\d{1,3}gb))*"),
    ("nvidia", r"NVIDIA (?:T4G?|L4|L2|L20|L40S?|A2|A10[GM]?|A16|A30X?|A40|V100|P100|P40|P4|K80|T\d{3,4}|PG\d{3}|CMP \d{2,3}HX)\b(?:[ -](?:\d{1,3}C|\d{1,3}Q|PCIE-\d{2}GB))?"),
    ("amd", r"(?:AMD )?Radeon(?:\(TM\)|™)? (?:Pro|PRO|AI PRO) [A-Z]{0,3} ?\d{3,4}[A-Z]{0,3}\b(?: XT[X]?)?"),
    ("amd", r"(?:AMD )?Radeon(?:\(TM\)|™)? (?:RX ?(?:Vega ?)?\d{2,4} ?(?:XTX|XT|GRE|M\b|S\b)?|R[579X] \w{3,6}|VII|Vega ?\d{1,2}\b|\d{3,4}[SM]|HD \d{4}\w?)(?: \d{1,2}GB)?(?: Graphics)?"),
    ("amd", r"(?:AMD )?RX ?(?:Vega ?)?\d{2,4} ?(?:XTX|XT|GRE|M\b|S\b)?(?= |$|[^\w])"),
    ("amd", r"(?:AMD )?(?:Instinct )?MI\d{2,3}[AXF]?X?\b(?:-OAM)?"),
    ("amd", r"(?:AMD )?(?:Renoir|Cezanne|Rembrandt|Barcelo|Lucienne|Raphael|Picasso|Raven Ridge|Strix Halo|Strix Point|Phoenix)(?= (?:graphics|Graphics|iGPU|APU|GPU|\())"),
    ("amd", r"(?:AMD )?(?:FirePro|Radeon Instinct|FireGL) ?[A-Z]{0,3}\d{2,5}\w{0,3}\b|(?:AMD )?R9 (?:Fury X?|Nano|\d{3}X?)\b"),
    ("amd", r"AMD Radeon(?:\(TM\)|™)? Graphics\b|AMD Custom GPU \d{4}\b"),
    ("intel", r"(?:Intel(?:\(R\))? )?Arc(?:\(TM\)|™)? (?:Pro )?(?:[AB]\d{2,3}[MVTE]?|\d{3}[TV]?|Graphics)\b(?: Graphics)?(?: \[0x[0-9a-fA-F]{4}\])?"),
    ("intel", r"(?:Intel(?:\(R\))? )?Data Cent(?:er|re) GPU (?:Max|MAX|Flex)[- ]?(?:Series )?\d{3,4}[A-Z]?\b"),
    ("intel", r"(?:Intel(?:\(R\))? )?(?:Iris(?:\(R\))?(?: Xe| Plus| Pro)?(?:\(R\))?(?: MAX)?(?: Graphics)?(?: \d{3})?|U?HD Graphics(?: \d{3,4})?)\b"),
    ("intel", r"Intel(?:\(R\))? Graphics(?: \[0x[0-9a-fA-F]{4}\]| \d{1,2}\.\d{1,3}\.\d{1,2})?"),
    ("apple", r"Apple M[1-9](?: (?:Pro|Max|Ultra))?\b|Apple Paravirtual device"),
)  # fmt: skip
# All of them begin with a capital: at other places none of the alternatives is tried.
_ANY = regex(f"(?=[A-Z])(?:{'|'.join(f'({pattern})' for _, pattern in _FAMILIES)})")
# What every one of these names holds: looked for first, and the names only from just before it on.
# Each alternative begins with a letter, so that only those letters are looked at.
_HINT = regex(
    r"RTX|GTX|GeForce|GTS? ?\d|MX ?\d|Quadro|TITAN|Tesla|Jetson|DGX|G[HB]\d|B[1-3]00|H[1-3]00|H[28]00|H20|A[18]00|NVIDIA|Radeon|RX ?[\dV]|MI\d|Instinct|Fire[PG]|R9 "
    r"|Renoir |Cezanne |Rembrandt |Barcelo |Lucienne |Raphael |Picasso |Raven |Strix |Phoenix |Custom GPU|Arc|Data Cent|Iris|HD Graphics|Intel|Apple [MP]"
)

# Short names that are only a GPU where the text says that a GPU follows.
_BARE = regex(
    r"(?P<nv>(?:A10[GM]?|A16|A2|A30|A40|L4|L40S?|L20|L2|T4G?|V100[\w-]{0,16}|P100[\w-]{0,16}|P40|P4|K80|M60|M40|K40[cmst]?"
    r"|A\d{4}|[2345]0[56789]0(?: ?(?:Ti|SUPER|Super))?(?: Laptop(?: GPU)?| laptop)?|TITAN \w{1,5}|GV100|GP100))"
    r"s?(?![\w.])|(?P<amd>(?:[679]\d\d0 ?(?:XTX|XT|GRE)|Vega ?(?:56|64|20|10|8|11)|W\d{4}X?|8[456]\d0S|[78][6789]0M))(?![\w.])"
)
_MOST = 32  # names in one line; more of them are no list of what a machine holds
# Each begins with a digit, so that nothing else of a line is tried.
_COUNTED = regex(r"\d(?:(?<=[679])\d\d0 ?(?:XT|GRE)| ?[x×] ?[\dAKLMPTV]|[ -]?(?:\d{2,3} ?GB|GPU))", re.I)
_SERIES = regex(r"[2345]0[56789]0\b")
# "my 5090", "a new 3060": how people name a card whose series is known; not "a 3050 ms step"
_OWNED = regex(r"\b(?:my|an?|new|old) $", re.I)
_UNIT = regex(
    r"(?: Ti| SUPER)?[ -]?(?:m?s|MB|GB|MiB|px|steps?|rows?|tokens?|lines?|images?|samples?|files?|errors?|times|points?|x\d)\b",
    re.I,
)
_GLUED = regex(r"(\d)(Ti|SUPER|Super)")
_CASES = {
    "gtx": "GTX", "rtx": "RTX", "rx": "RX", "gt": "GT", "mx": "MX", "geforce": "GeForce", "radeon": "Radeon", "nvidia": "NVIDIA", "quadro": "Quadro",
    "tesla": "Tesla", "titan": "TITAN", "ti": "Ti", "super": "SUPER", "arc": "Arc", "intel": "Intel", "apple": "Apple", "xt": "XT", "xtx": "XTX",
}  # fmt: skip
_LOWER_WORDS = (
    "gtx",
    "rtx",
    "rx",
    "gt",
    "mx",
    "geforce",
    "radeon",
    "nvidia",
    "quadro",
    "tesla",
    "titan",
    "arc",
    "intel",
    "ti",
    "super",
    "xt",
)
# Looked for in a lower-cased line; each begins with a letter or a digit, so that little else is tried. A family's word (rtx,
# GEFORCE), what follows a number (4070ti, 7900 xtx, 980m), the letter of a model behind its family (arc b580, rtx a4000).
_FAMILY = regex(
    r"(gtx|rtx|rx|gt|mx|geforce|radeon|nvidia|quadro|tesla|titan|arc|intel)"
    r"(?= ?[a-z]?\d| (?:rtx|gtx|rx|geforce|tesla|titan|arc|radeon|quadro))"
)
_AFTER_NUMBER = regex(r"\d ?(ti|super|xtx|xt)\b|\d\d\d(mx?)\b")
_MODEL = regex(r"(?:rtx|arc|tesla|quadro) ([a-z])(?=\d{1,4}\b)")
_LOWER_MODEL = regex(r"(?:RTX|Arc|Tesla|Quadro) [a-z]\d|\d\d\dmx?\b")
_MULTIPLE = regex(r"\b(\d{1,3}) ?[x×X*] ?$|\b(\d{1,3}) GPU $")
_AFTER = regex(r"^(?: GPUs?)? ?(?:[x×X*:] ?(\d{1,2})\b|\((\d{1,2})[x×]\)|\(x(\d{1,2})\))")
_SOLD_WITH = regex(r"(?:RTX|GTX)[^()]{1,40} \d{1,3} ?GB$")  # a person adds the memory, the driver does not
_WORDS = {"two": 2, "three": 3, "four": 4, "six": 6, "eight": 8, "dual": 2, "sixteen": 16}
_WORD_BEFORE = regex(r"\b(two|three|four|six|eight|dual|sixteen)(?: \w{1,10})? $", re.I)
_GFX = regex(r"\bgfx(\d{1,2}[0-9a-f]{2})(?![0-9a-zA-Z-])")
_GFX_DECIMAL = {"gfx9010": "gfx90a"}  # rocm-smi of MI200 prints the step in decimal
_CC = regex(
    r"(?:compute[ _]cap(?:ability)?|CUDA capability|compute version|\bCC|\bcapability)(?:\s?\(CC\))?"
    r"\s{0,3}(?:is|of|=|:)?\s{0,3}\(?(?:sm_?)?(\d{1,2})(?:\.|, ?)(\d)\b",
    re.I,
)
_SM = regex(r"\bsm_?(\d{2,3})a?\b")
_BRACKET = regex(r"\[([A-Z][^\]\[]{3,80})\]")
_PCI = regex(r"\b(10de|1002|8086|106b):([0-9a-f]{4})\b", re.I)
_DEVICE_ID = regex(r"\b(?:device[ _]id|pci[ _]id|ID)\s?[:=]?\s?0x([0-9a-f]{4})\b|\[0x([0-9a-f]{4})\]", re.I)
_MEMORY = regex(r"\b(\d{1,6}(?:\.\d{1,3})?) ?(MiB|GiB|MB|GB|G|M)\b")

_MODEL_KEPT = regex(r"\bRTX \d{4} \.\.\.$")
_INTEGRATED = regex(r"\biGPU\b|integrated|\bAPU\b|\bonboard graphics", re.I)


@dataclass(frozen=True, slots=True)
class Named:
    """A GPU that a piece of text names, ``count`` times."""

    fields: dict[str, Any]
    count: int
    start: int
    end: int


def find_gpus(text: str, *, labelled: bool = False) -> list[Named]:
    """The GPUs named in one line. ``labelled``: the text is known to be about a GPU, so short names count too."""
    if len(text) > 2000:
        text = text[:2000]
    if _typed(text):
        text = _spelled(text)
    found: list[Named] = []
    if hint := _HINT.search(text):
        for match in _ANY.finditer(text, max(0, hint.start() - 24)):
            vendor = _FAMILIES[(match.lastindex or 1) - 1][0]
            found.append(_named(text, match.start(), match.end(), vendor))
            if len(found) >= _MOST:
                break
    if not found and (labelled or _COUNTED.search(text) or _SERIES.search(text)):
        for match in _BARE.finditer(text):
            if labelled or _counted(text, match):
                found.append(_named(text, match.start(), match.end(), "nvidia" if match["nv"] else "amd"))
                if len(found) >= _MOST:
                    break
    return [n for n in found if n.fields["name"]]


def _typed(text: str) -> bool:
    """Whether a person wrote a name, in any case, rather than a program."""
    low, held = text.lower(), False
    for word in _LOWER_WORDS:
        if word in low:
            held = True
            if low.count(word) != text.count(_CASES[word]):
                return True
    return held and _LOWER_MODEL.search(text) is not None


def _counted(text: str, match: re.Match[str]) -> bool:
    """Cards are counted or their memory is given: ``8x V100``, ``a V100 32GB``; a short number alone may be anything."""
    if match["amd"] and match[0].endswith(("XT", "XTX", "GRE")):
        return True  # no other thing is called so
    if match["nv"] and match[0][0].isdigit():
        before, after = text[max(0, match.start() - 16) : match.start()], text[match.end() : match.end() + 10]
        if _OWNED.search(before) and not _UNIT.match(after):
            return True
    beside = re.match(r"[ -]?(?:\d{2,3} ?GB\b|GPUs?\b)", text[match.end() : match.end() + 12])
    counted = re.search(r"\b\d{1,2} ?[x×] ?$", text[max(0, match.start() - 6) : match.start()])
    return beside is not None or (counted is not None and not match[0].startswith(("A2", "A30", "A40", "P4")))


def _spelled(text: str) -> str:
    """The names in a line as vendors write them; no character moves."""
    low = text.lower()
    if len(low) != len(text):
        return text
    for pattern in (_FAMILY, _AFTER_NUMBER, _MODEL):
        for match in pattern.finditer(low):
            start, end = match.span(match.lastindex or 0)
            begins = match.start() == 0 or not (low[match.start() - 1].isalnum() or low[match.start() - 1] == "_")
            if begins or pattern is _AFTER_NUMBER:
                text = text[:start] + _CASES.get(low[start:end], low[start:end].upper()) + text[end:]
    return text


def _named(text: str, start: int, end: int, vendor: str) -> Named:
    before, after = text[max(0, start - 24) : start], text[end : end + 24]
    count = 1
    if match := _MULTIPLE.search(before):
        count = int(match[1] or match[2])
    elif match := _WORD_BEFORE.search(before):
        count = _WORDS[match[1].lower()]
    elif match := _AFTER.match(after):
        count = int(match[1] or match[2] or match[3])
    name = text[start:end].strip(" -,")
    if name[:1].isdigit() and vendor == "nvidia":  # "3090", "5060 laptop": how people shorten GeForce RTX
        name = "GeForce RTX " + _GLUED.sub(r"\1 \2", name.replace("laptop", "Laptop"))
    elif _SOLD_WITH.search(name):
        name = re.sub(r" \d{1,3} ?GB$", "", name)
    return Named({"vendor": vendor, "name": name}, max(1, min(count, 64)), start, end)


def gpu_from_name(name: str) -> dict[str, Any]:
    """Fields of a GPU whose whole name is given, ``AMD Radeon RX 7900 XTX (gfx1100)`` among them.

    A name that a table has cut (``NVIDIA GeForce ...``) is no name.
    """
    fields: dict[str, Any] = {}
    gfx = gfx_target(name)
    if gfx:
        fields["gfx"] = gfx
        name = re.sub(r"\s?\(gfx[^)]{0,40}\)", "", name).strip()
    name = re.sub(r"\s?\((?:UUID|uuid|\.\.\.)[^)]{0,60}\)", "", name).strip(" \t*,;|")
    vendor = vendor_of(name) or ("amd" if gfx else None)
    if vendor:
        fields["vendor"] = vendor
    if _MODEL_KEPT.search(name):
        fields["name"] = name  # the table cut the suffix, and every card of that number runs the same code
        return fields
    if "..." in name or name.endswith("…") or not name or name == gfx:
        return fields
    if name.upper() in ("ERR!", "GRAPHICS DEVICE", "UNKNOWN", "N/A", "UNKNOWN ERROR"):
        return fields
    fields["name"] = name
    return fields


def vendor_of(name: str) -> str | None:
    """The vendor that a device name gives away, or ``None``."""
    low = name.lower()
    if any(w in low for w in ("nvidia", "geforce", "quadro", "tesla", "titan", "rtx", "gtx", "jetson", "grid ")):
        return "nvidia"
    if any(w in low for w in ("radeon", "amd", "instinct", "gfx", "firepro", "advanced micro devices")):
        return "amd"
    if any(w in low for w in ("intel", "arc(tm)", "iris", "uhd graphics")):
        return "intel"
    if low.startswith("apple"):
        return "apple"
    named = find_gpus(name, labelled=True)
    return str(named[0].fields["vendor"]) if named else None


def gfx_target(text: str) -> str | None:
    """The first gfx target in ``text`` (``gfx90a``); generic ISA names (``gfx11-generic``) are none."""
    match = _GFX.search(text)
    if match is None:
        return None
    name = "gfx" + match[1]
    return _GFX_DECIMAL.get(name, name)


def gfx_targets(text: str) -> list[str]:
    """Every gfx target in ``text``, once, in order."""
    return list(dict.fromkeys(_GFX_DECIMAL.get("gfx" + m[1], "gfx" + m[1]) for m in _GFX.finditer(text)))


def compute_capability(text: str) -> str | None:
    """``compute capability 8.9``, ``sm_120`` or ``(12, 1)`` after such words → ``8.9`` …"""
    if match := _CC.search(text):
        return f"{int(match[1])}.{match[2]}"
    if match := _SM.search(text):
        return f"{match[1][:-1]}.{match[1][-1]}"
    return None


def bracketed(text: str) -> str | None:
    """The name by which a listing of PCI devices knows a card: ``NVIDIA Corporation GA106 [GeForce RTX 3060] (rev a1)``."""
    match = _BRACKET.search(text.replace("[AMD/ATI]", ""))
    return match[1] if match else None


def pci_id(text: str) -> str | None:
    """The first GPU vendor's ``vendor:device`` pair in ``text``, lower case."""
    match = _PCI.search(text)
    return f"{match[1]}:{match[2]}".lower() if match else None


def intel_device_id(text: str) -> str | None:
    """``8086:e211`` from ``device ID 0xe211`` or ``[0xe211]``."""
    match = _DEVICE_ID.search(text)
    return f"8086:{(match[1] or match[2]).lower()}" if match else None


def memory_bytes(text: str) -> int | None:
    """The first amount of memory in ``text`` in bytes; GB are read as GiB, as device tools mean them."""
    match = _MEMORY.search(text)
    if match is None:
        return None
    return int(float(match[1]) * (1024**3 if match[2][0] == "G" else 1024**2))


def is_integrated(text: str) -> bool | None:
    """``True`` where the text says so; there is no word that says the contrary."""
    return True if _INTEGRATED.search(text) else None
