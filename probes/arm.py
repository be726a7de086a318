"""Arm: names of cores, and from features to the architecture level.

Features decide, names are for display: a hypervisor may hide what a core has, and ``CPU architecture: 8`` is printed
for every 64-bit core, also for v9 ones.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from torchdoctor.probes.data import table

__all__ = ["core_name", "core_of_midr", "features_of_hwcaps", "implementer", "level", "names"]


def implementer(code: str) -> str | None:
    """``0x41`` → ``Arm``."""
    name = table("cpu")["arm_implementers"]["rows"].get(_hex(code, 2))
    return None if name is None else str(name)


def core_name(implementer_code: str, part: str) -> str:
    """``0x41``, ``0xd0c`` → ``Neoverse-N1``; one that no table names is called by its numbers."""
    key = f"{_hex(implementer_code, 2)}/{_hex(part, 3)}"
    name = table("cpu")["arm_parts"]["rows"].get(key)
    return str(name) if name else f"part {key}"


def names(cores: Iterable[tuple[str, str]]) -> str | None:
    """All kinds of cores of one machine, in the order in which they are numbered."""
    found = list(dict.fromkeys(core_name(*core) for core in cores))
    return " + ".join(found) or None


def core_of_midr(text: str) -> tuple[str, str] | None:
    """``0x00000000410fd0c1`` → implementer ``0x41``, part ``0xd0c``."""
    try:
        value = int(text.strip(), 16)
    except ValueError:
        return None
    if not 0 < value < 1 << 64:
        return None
    return f"0x{value >> 24 & 0xFF:02x}", f"0x{value >> 4 & 0xFFF:03x}"


def level(features: Collection[str]) -> str | None:
    """``armv8.0-a`` … ``armv9.2-a`` from 64-bit features; ``None`` for the view of a 32-bit process."""
    held = frozenset(features)
    rules = table("cpu")["arm_levels"]
    best = None
    for row in rules["rows"]:
        if not held.issuperset(row["needs"]):
            break
        best = str(row["level"])
    if best is not None and held.issuperset(rules["armv9"]["needs"]):
        return str(rules["armv9"]["levels"].get(best, rules["armv9"]["else"]))
    return best


def features_of_hwcaps(masks: dict[int, int]) -> tuple[str, ...]:
    """Features from entries 16 and 26 of the auxiliary vector of a 64-bit process."""
    names_of = table("cpu")["arm_hwcaps"]
    return tuple(
        n for entry, mask in sorted(masks.items()) for bit, n in enumerate(names_of[str(entry)]) if mask >> bit & 1
    )


def _hex(text: str, digits: int) -> str:
    try:
        return f"0x{int(text.strip(), 0):0{digits}x}"
    except ValueError:
        return text.strip().lower()
