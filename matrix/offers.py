"""What the versions that pip lists give away: the list begins where the interpreter's wheels begin, and ends where the
wheels for its platform end.
"""

from __future__ import annotations

import dataclasses
from functools import lru_cache
from typing import Any

from torchdoctor.matrix.tables import rows
from torchdoctor.probes.facts import Facts, dataclass

__all__ = ["Offer", "adopt_offer", "read_offer"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """``python`` is ``3.12`` or ``3.13t``; ``platform`` ``linux_x86_64``, ``macos_x86_64`` … or the system alone
    (``windows``); ``limit`` what else holds it back (``glibc<2.28``). ``None`` = the list does not tell.
    """

    python: str | None = None
    platform: str | None = None
    limit: str | None = None


@lru_cache(maxsize=512)
def _key(version: str) -> tuple[int, int, int] | None:
    """The three numbers of a final release; ``None`` for anything else."""
    parts = version.split("+")[0].strip().split(".")
    if not 2 <= len(parts) <= 3 or not all(p.isdecimal() and len(p) < 6 for p in parts):
        return None
    numbers = [int(p) for p in parts] + [0]
    return (numbers[0], numbers[1], numbers[2])


def read_offer(facts: Facts) -> Offer:
    """Read ``facts.request``. The list is complete, so its first entry is where the interpreter's wheels begin. Its last one
    proves something only where a later release was asked for and is missing: else the report may just be old. What is known
    of the interpreter and the system narrows the choice.
    """
    request = facts.request
    keys = [k for k in map(_key, request.versions_offered or ()) if k]
    bounds = _index_bounds(request.versions_offered or (), request.variant)
    if not keys or bounds is None or request.package not in (None, "torch"):
        return Offer()
    first, last = min(keys), max(keys)
    begins, ends = bounds
    ended = _missed(request.torch, last, ends)
    fits = []
    for row in rows("offers.json", "interpreters"):
        low, high = _key(row["first"]), _key(row["last"])
        starts = (
            first == max(low, begins) if low else first == begins or (first < _MATRIX_BEGINS and begins == _EVERYTHING)
        )
        stops = last == high if ended else high is None or last <= high
        # Only an end shows that something else than the interpreter holds the list back.
        if starts and stops and (ended or not row["limit"]) and _possible(row, facts):
            fits.append(row)
    return _common(fits)


def _missed(asked: str | None, last: tuple[int, int, int], ends: tuple[int, int, int] | None) -> bool:
    """Whether a release that really exists, and that the index has, was asked for and lies behind the end of the list."""
    from torchdoctor.matrix.catalog import Catalog

    if not asked or asked.startswith(("<", "!")):
        return False
    number = asked.lstrip("=~> ").partition("+")[0].partition(",")[0].strip()
    wanted = _key(number)
    if wanted is None or wanted <= last or (ends is not None and wanted > ends):
        return False
    catalog = Catalog()
    return catalog.release(number) is not None or bool(number.count(".") == 1 and catalog.line(number))


_MATRIX_BEGINS = (1, 13, 0)
_EVERYTHING = (0, 0, 0)


def _index_bounds(
    offered: tuple[str, ...], variant: str | None
) -> tuple[tuple[int, int, int], tuple[int, int, int] | None] | None:
    """First and last release of the index that was asked (``None`` = goes on); nothing for a variant without a row."""
    local = {v.partition("+")[2] for v in offered}
    name = local.pop() if len(local) == 1 else ""  # a find-links page lists every variant
    if name in ("", "cpu"):
        name = "" if local else variant or ""
    if name in ("", "cpu"):
        return _EVERYTHING, None
    for row in rows("offers.json", "variants"):
        if row["variant"] == name:
            return _key(row["first"]) or _EVERYTHING, _key(row["last"])
    return None


def _possible(row: dict[str, str], facts: Facts) -> bool:
    os, python = facts.system.os, facts.python
    # An interpreter for Intel also runs on Apple silicon: there only its own architecture counts.
    told = python.machine or (None if os == "macos" else facts.system.machine)
    machine = {"aarch64": ("aarch64", "arm64"), "x86_64": ("x86_64", "amd64")}.get(told or "")
    if os and not row["platform"].startswith(os):
        return False
    if machine and not row["platform"].endswith(machine):
        return False
    if python.version:
        parts = python.version.split(".")
        plain = row["tag"].removesuffix("t")
        if len(parts) > 1 and plain != f"cp{parts[0]}{parts[1]}":
            return False
    return python.free_threaded is None or row["tag"].endswith("t") == python.free_threaded


def _one(fits: list[dict[str, str]], column: str) -> str | None:
    values = {row[column] for row in fits}
    return values.pop() if len(values) == 1 else None


def _common(fits: list[dict[str, str]]) -> Offer:
    if not fits:
        return Offer()
    versions = {row["tag"].removesuffix("t") for row in fits}
    tag = _one(fits, "tag") or (versions.pop() if len(versions) == 1 else None)
    platform = _one(fits, "platform")
    if platform is None:
        systems = {row["platform"].split("_")[0] for row in fits}
        platform = systems.pop() if len(systems) == 1 else None
    return Offer(
        python=f"{tag[2]}.{tag[3:]}" if tag else None,
        platform=platform,
        limit=_one(fits, "limit") or None,
    )


def adopt_offer(facts: Facts) -> Facts:
    """Facts in which the interpreter and system that the offered versions gave away stand for those that nothing else tells.

    For facts that went through :func:`torchdoctor.matrix.infer.infer`; what a report says itself is never changed.
    """
    request, python, system = facts.request, facts.python, facts.system
    by_list = {key for key in ("python", "platform") if facts.sources.get(f"request.{key}", "").startswith("matrix: ")}
    changes: dict[str, dict[str, Any]] = {"python": {}, "system": {}}
    sources: dict[str, str] = {}

    def put(group: str, key: str, value: Any, of: str) -> None:
        changes[group][key] = value
        sources[f"{group}.{key}"] = facts.sources[f"request.{of}"]

    if "python" in by_list and request.python and python.version is None:
        put("python", "version", request.python.removesuffix("t"), "python")
        if request.python.endswith("t") and python.free_threaded is None:
            put("python", "free_threaded", True, "python")
    if "platform" in by_list and request.platform:
        os, _, machine = request.platform.split()[0].partition("_")
        if system.os is None:
            put("system", "os", os, "platform")
        if machine and python.machine is None:
            put("python", "machine", {"amd64": "x86_64", "arm64": "aarch64"}.get(machine, machine), "platform")
    if not sources:
        return facts
    return facts.replace(
        python=dataclasses.replace(python, **changes["python"]),
        system=dataclasses.replace(system, **changes["system"]),
        sources={**facts.sources, **sources},
        unknown={path: why for path, why in facts.unknown.items() if path not in sources},
    )
