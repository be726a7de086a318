"""x86: from the flags that the guest sees to the microarchitecture level and the features worth reporting."""

from __future__ import annotations

from collections.abc import Iterable

from torchdoctor.probes.data import table

__all__ = ["features", "level", "normal_flags"]

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
