"""Does compiled GPU code run on a device? CUDA by compute capability, AMD by gfx target."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, lru_cache

from torchdoctor.matrix.tables import table
from torchdoctor.probes.facts import dataclass, regex

__all__ = ["Coverage", "capability", "cuda_coverage", "gfx_name", "overridden_gfx", "sm_number"]

_SM = regex(r"(sm|compute|lto)_(\d{2,3})([af]?)")
_GFX = regex(r"gfx[0-9a-f]{3,4}")
_OVERRIDE = regex(r"(\d{1,2})\.(\d{1,2})\.(\d{1,2})")


@dataclass(frozen=True, slots=True)
class Coverage:
    """``covered`` tells whether the code runs; ``below`` and ``above`` where the device lies outside the list;
    ``by`` the architecture that serves it (``sm_86``).
    """

    covered: bool
    below: bool = False
    above: bool = False
    by: str | None = None


def capability(text: str) -> tuple[int, int] | None:
    """``8.9`` → (8, 9); ``None`` for anything else."""
    major, dot, minor = text.partition(".")
    return (int(major), int(minor)) if dot and _is_number(major) and _is_number(minor) else None


def _is_number(text: str) -> bool:
    return text.isdecimal() and len(text) < 4


def sm_number(name: str) -> tuple[int, int] | None:
    """``sm_120`` or ``compute_90a`` → (12, 0), (9, 0); ``None`` where it is no such name."""
    match = _SM.fullmatch(name)
    if match is None:
        return None
    number = int(match[2])
    return divmod(number, 10)


def cuda_coverage(kernels: Iterable[str], ptx: Iterable[str], device: str) -> Coverage | None:
    """Whether a device of that compute capability runs code of these architectures; ``None`` where the list or the
    device is not understood. ``kernels`` may hold PTX entries (``compute_120``) as ``torch.cuda.get_arch_list`` prints.
    """
    wanted = capability(device)
    return None if wanted is None else _coverage((*kernels, *ptx), wanted)


@lru_cache(maxsize=4096)
def _coverage(names: tuple[str, ...], wanted: tuple[int, int]) -> Coverage | None:
    numbers, fitting = [], []
    for name in names:
        match = _SM.fullmatch(name)
        if match is None:
            continue
        number = divmod(int(match[2]), 10)
        if match[1] == "sm":
            numbers.append(number)
            if _runs(number, match[3], wanted):
                fitting.append((True, number, name))
        # Plain PTX of an older or equal architecture is compiled for the device when it is loaded.
        elif match[1] == "compute" and not match[3] and number <= wanted:
            fitting.append((False, number, name))
    if fitting:  # as the driver does: machine code before PTX, the nearest architecture first
        return Coverage(covered=True, by=max(fitting)[2])
    if not numbers:
        return None
    return Coverage(covered=False, below=wanted < min(numbers), above=wanted[0] > max(numbers)[0])


def _runs(code: tuple[int, int], suffix: str, device: tuple[int, int]) -> bool:
    if suffix == "a":  # architecture-specific: that very device only
        return code == device
    excluded, also = _rules()
    if code in also.get(device, ()):
        return True
    return code[0] == device[0] and code[1] <= device[1] and code not in excluded.get(device, ())


_Rules = dict[tuple[int, int], tuple[tuple[int, int], ...]]


@cache
def _rules() -> tuple[_Rules, _Rules]:
    data = table("cuda_compat.toml")
    tables: list[_Rules] = []
    for key in ("except", "also"):
        rules: _Rules = {}
        for row in data["binary_code"][key]:
            device = capability(row["device"])
            assert device is not None
            rules[device] = tuple(c for c in map(capability, row["code"]) if c)
        tables.append(rules)
    return tables[0], tables[1]


def gfx_name(text: str) -> str | None:
    """``gfx942:sramecc+:xnack-`` → ``gfx942``; ``None`` for a generic or malformed name."""
    base = text.strip().lower().split(":")[0]
    return base if _GFX.fullmatch(base) else None


def overridden_gfx(gfx: str, override: str | None) -> str:
    """The target a ROCm runtime uses for a chip under ``HSA_OVERRIDE_GFX_VERSION`` (``10.3.0`` → ``gfx1030``).

    Only an override within the chip's own generation counts; another generation's code does not run on it
    (``gfx-override-mismatch`` says so).
    """
    match = _OVERRIDE.fullmatch((override or "").strip())
    if match is None:
        return gfx
    target = f"gfx{int(match[1])}{int(match[2]):x}{int(match[3]):x}"
    return target if target[:-1] == gfx[:-1] else gfx
