"""What the texts that describe a processor say: ``/proc/cpuinfo`` of every architecture, ``lscpu``, boot messages.

Every parser gives a :class:`Reading`, or ``None`` where the text is of another kind.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from torchdoctor.probes import arm, x86
from torchdoctor.probes.frozen import dataclass

__all__ = [
    "Reading",
    "parse_bsd_boot",
    "parse_cpuid",
    "parse_cpuinfo",
    "parse_isainfo",
    "parse_lscpu",
    "reading_of_arm",
    "reading_of_x86",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """``family`` is ``x86``, ``arm64``, ``arm32``, ``ppc``, ``s390``, ``riscv`` or ``loongarch``."""

    family: str
    vendor: str | None = None
    model: str | None = None
    level: str | None = None
    features: tuple[str, ...] | None = None


def reading_of_x86(words: Iterable[str], *, vendor: str | None = None, model: str | None = None) -> Reading:
    """From flags in any system's spelling."""
    flags = x86.normal_flags(words)
    return Reading(
        family="x86",
        vendor=_vendor(vendor),
        model=_spaced(model),
        level=x86.level(flags),
        features=x86.features(flags) if flags else None,
    )


def reading_of_arm(features: Iterable[str], *, vendor: str | None = None, model: str | None = None) -> Reading:
    """From the features that *all* cores have."""
    found = tuple(dict.fromkeys(features))
    wide = "asimd" in found
    return Reading(
        family="arm32" if found and not wide else "arm64",
        vendor=_vendor(vendor),
        model=_spaced(model),
        level=arm.level(found) if wide else None,
        features=found or None,
    )


def parse_cpuinfo(text: str) -> Reading | None:
    """``/proc/cpuinfo``. Cores may differ: what one of them lacks, a program must not use."""
    rows: dict[str, list[str]] = {}
    for line in text.splitlines():
        key, colon, value = line[:8192].partition(":")
        if colon:
            rows.setdefault(key.strip().lower(), []).append(value.strip())
    if "flags" in rows and {"fpu", "cx8", "sse2"} & set(rows["flags"][0].split()):
        return reading_of_x86(
            _common(rows["flags"]), vendor=_first(rows, "vendor_id"), model=_first(rows, "model name")
        )
    if "cpu implementer" in rows or _looks_arm(rows.get("features", [""])[0]):
        return _arm_cpuinfo(rows)
    return _other_cpuinfo(rows)


def _looks_arm(features: str) -> bool:
    return bool({"asimd", "neon", "vfp", "thumb", "fastmult"} & set(features.split()))


def _arm_cpuinfo(rows: dict[str, list[str]]) -> Reading:
    implementers, parts = rows.get("cpu implementer", []), rows.get("cpu part", [])
    cores = list(dict.fromkeys(zip(implementers, parts)))  # noqa: B905 - a cut text may end between the two
    vendors = list(dict.fromkeys(filter(None, map(arm.implementer, implementers))))
    model = arm.names(cores) or _first(rows, "model name") or _first(rows, "processor")
    return reading_of_arm(_common(rows.get("features", [])), vendor=vendors[0] if vendors else None, model=model)


def _other_cpuinfo(rows: dict[str, list[str]]) -> Reading | None:
    cpu = _first(rows, "cpu") or ""
    if cpu.upper().startswith(("POWER", "PPC", "IBM,POWER")) or "altivec" in cpu:
        words = ("altivec",) if "altivec supported" in cpu else ()
        return Reading(family="ppc", vendor="IBM", model=_spaced(cpu.partition(",")[0]), features=words)
    if "IBM/S390" in (_first(rows, "vendor_id") or ""):
        machine = re.search(
            r"machine = (\w{1,8})", " ".join(v for k, vs in rows.items() if k.startswith("processor") for v in vs[:1])
        )
        found = _common(rows.get("features", []))
        name = f"machine {machine.group(1)}" if machine else None
        return Reading(family="s390", vendor="IBM/S390", model=name, features=tuple(found) or None)
    if "isa" in rows and (_first(rows, "isa") or "").lower().startswith("rv"):
        return Reading(family="riscv", model=_first(rows, "uarch"), features=tuple(_isa(_common_isa(rows["isa"]))))
    if "features" in rows and "cpucfg" in rows["features"][0].split():
        return Reading(
            family="loongarch",
            vendor="Loongson",
            model=_first(rows, "model name"),
            features=tuple(_common(rows["features"])),
        )
    return None


def _isa(text: str) -> list[str]:
    """``rv64imac_zicsr`` → ``rv64``, ``i``, ``m``, ``a``, ``c``, ``zicsr``."""
    head, *extensions = text.lower().split("_")
    return [head[:4], *dict.fromkeys(head[4:]), *extensions]


def _common_isa(values: list[str]) -> str:
    return min(values, key=len)


def _common(values: list[str]) -> list[str]:
    """The words that stand in every one of the lists, in the order of the first."""
    distinct = list(dict.fromkeys(value for value in values if value))
    if not distinct:
        return []
    kept = set.intersection(*(set(value.split()) for value in distinct))
    return [word for word in distinct[0].split() if word in kept]


def _first(rows: dict[str, list[str]], key: str) -> str | None:
    return next((value for value in rows.get(key, ()) if value), None)


def _vendor(text: str | None) -> str | None:
    """One spelling (lscpu writes ``ARM``); a name that was damaged is none."""
    name = text.strip() if text else ""
    return None if not name or "\0" in name or "\ufffd" in name else "Arm" if name == "ARM" else name


def _spaced(text: str | None) -> str | None:
    return " ".join(text.replace("\0", " ").split()) or None if text else None


def parse_lscpu(text: str) -> Reading | None:
    """``lscpu`` as text or JSON. Labels may be localised: the flags are known by what they hold."""
    rows = _json_rows(text) if text.lstrip()[:1] == "{" else [line.partition(":")[::2] for line in text.splitlines()]
    cells = [(key.strip().lower().rstrip(":"), value.strip()) for key, value in rows]
    vendor = next((v for k, v in cells if k == "vendor id" and v), None)
    models = list(dict.fromkeys(v for k, v in cells if k == "model name" and v and v != "-"))
    lists = [value for _, value in cells if len(value) < 16384 and value.count(" ") > 1]
    for kind, build in (
        ({"fpu", "sse2"}, reading_of_x86),
        ({"fp", "asimd"}, reading_of_arm),
        ({"half", "thumb"}, reading_of_arm),
    ):
        found = [value for value in lists if kind <= set(value.split())]
        if found:
            return build(_common(found), vendor=vendor, model=" + ".join(models))
    if "half" in (word for value in lists for word in value.split()):
        return None
    machine = next((v for k, v in cells if k == "architecture"), "")
    if machine.startswith(("aarch64", "arm")) and (models or vendor):
        return Reading(
            family="arm64" if "64" in machine else "arm32", vendor=_vendor(vendor), model=" + ".join(models) or None
        )
    if machine.startswith(("ppc64", "s390", "riscv")) and (models or vendor):
        family = {"p": "ppc", "s": "s390", "r": "riscv"}[machine[0]]
        return Reading(family=family, vendor=_vendor(vendor), model=" + ".join(models) or None)
    return None


def _json_rows(text: str) -> list[tuple[str, str]]:
    import json

    rows: list[tuple[str, str]] = []
    try:
        stack = [json.loads(text)]
    except (ValueError, RecursionError):
        return rows
    while stack:
        node = stack.pop(0)
        if isinstance(node, list):
            stack = node + stack
        elif isinstance(node, dict):
            if isinstance(node.get("field"), str) and isinstance(node.get("data"), str):
                rows.append((node["field"], node["data"]))
            stack = [v for v in node.values() if isinstance(v, dict | list)] + stack
    return rows


def parse_bsd_boot(text: str) -> Reading | None:
    """FreeBSD's boot messages: ``CPU: …``, ``Features=0x…<FPU,…>``, upper case."""
    words = [
        w for group in re.findall(r"Features\d?=0x[0-9a-f]{1,16}<([^>\n]{1,4000})>", text) for w in group.split(",")
    ]
    if "SSE2" not in words:
        return None
    # ``Structured Extended Features`` end in the same word and are found by the same pattern.
    model = re.search(r"(?m)^CPU: (.{1,200})$", text)
    name = model.group(1).strip() if model else None
    vendor = re.search(r'Origin\s?=\s?"(\w{1,16})"', text)
    return reading_of_x86(
        words, vendor=vendor.group(1) if vendor else None, model=re.sub(r" \(\d.{0,40}$", "", name) if name else None
    )


def parse_isainfo(text: str) -> Reading | None:
    """``isainfo -v`` of illumos and Solaris: the words after ``64-bit amd64 applications``."""
    _, found, rest = text.partition("64-bit amd64 applications")
    words = rest.partition("32-bit")[0].split()
    if not found or "sse2" not in words:
        return None
    return reading_of_x86([*words, "lm"])


def parse_cpuid(text: str) -> Reading | None:
    """Raw CPUID leaves of the first processor: ``cpuid -r`` lines, or rows of leaf, subleaf, eax, ebx, ecx, edx."""
    names = ("eax", "ebx", "ecx", "edx")
    registers: dict[str, int] = {}
    for line in text.splitlines()[:4000]:
        numbers = re.findall(r"0x[0-9a-fA-F]{1,8}\b|\b\d{1,10}\b", line[:200])
        if len(numbers) == 6:
            leaf, subleaf, *values = (int(n, 16 if n.startswith("0x") else 10) for n in numbers)
            for name, value in zip(names, values, strict=True):
                registers.setdefault(f"{leaf:x}.{subleaf}.{name}", value & 0xFFFFFFFF)
    if "0.0.ebx" not in registers or "1.0.edx" not in registers:
        return None
    vendor = _letters([registers[f"0.0.{n}"] for n in ("ebx", "edx", "ecx")])
    brand = _letters([registers.get(f"{leaf:x}.0.{n}", 0) for leaf in range(0x80000002, 0x80000005) for n in names])
    return reading_of_x86(x86.flags_of_leaves(registers), vendor=vendor, model=brand)


def _letters(values: list[int]) -> str:
    return b"".join(v.to_bytes(4, "little") for v in values).split(b"\0")[0].decode("ascii", "replace").strip()
