"""x86: from the flags that the guest sees to the microarchitecture level and the features worth reporting."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from torchdoctor.probes.data import table

__all__ = ["features", "flags_of_leaves", "level", "normal_flags"]

_KEPT = ("avx", "amx", "sse", "ssse")
_ALSO = frozenset({"aes", "gfni", "hypervisor", "pclmulqdq", "sha_ni", "vaes", "vpclmulqdq"})


def normal_flags(words: Iterable[str]) -> frozenset[str]:
    """Flags in any system's spelling, as Linux spells them."""
    aliases = table("cpu")["x86_aliases"]["rows"]
    return frozenset(aliases.get(low, low) for low in (word.strip().lower() for word in words) if low)


def level(flags: frozenset[str]) -> str | None:
    """``x86-64-v1`` … ``x86-64-v4``; ``None`` for a processor (or a view of one) that is not 64 bit."""
    best = None
    for name, needs in table("cpu")["x86_levels"]["rows"].items():
        if not flags.issuperset(needs):
            break
        best = str(name)
    return best


def features(flags: frozenset[str]) -> tuple[str, ...]:
    """The flags that can decide whether a build runs, sorted: those above the first level, AVX, AVX-512 and AMX."""
    _, *levels = table("cpu")["x86_levels"]["rows"].values()
    wanted = {need for needs in levels for need in needs}
    return tuple(sorted(f for f in flags if f in wanted or f in _ALSO or f.startswith(_KEPT)))


def flags_of_leaves(registers: Mapping[str, int]) -> frozenset[str]:
    """Flags from raw CPUID registers, named ``leaf.subleaf.register`` with a hexadecimal leaf (``7.0.ebx``)."""
    group = table("cpu")["x86_cpuid"]
    found = {
        str(name)
        for place, bits in group["rows"].items()
        for bit, name in bits.items()
        if registers.get(place, 0) >> int(bit) & 1
    }
    rule = group["os_enabled"]
    register, bit = rule["bit"]
    if not registers.get(register, 0) >> int(bit) & 1:
        found = {f for f in found if f not in rule["needed_by"] and not f.startswith(tuple(rule["prefixes"]))}
    return frozenset(found)
