"""The data's own checks: what a table may not say, or must not leave out. Every fault is reported, not the first.

``lint()`` joins the checks of the hardware tables here with those of the release files.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from torchdoctor.matrix.lint_releases import lint_releases
from torchdoctor.matrix.lint_tables import CHECKS, Read
from torchdoctor.matrix.tables import CONFIDENCES, table

__all__ = ["lint", "lint_hardware"]

_GROUPS = {
    "nvidia_gpus.json": ("pci", "chips", "ranges", "names", "ambiguous", "disputed", "boards"),
    "amd_gpus.json": ("pci", "targets", "names", "ambiguous"),
    "intel_gpus.json": ("pci", "words", "platforms"),
    "cpus.json": ("arm",),
    "offers.json": ("interpreters", "variants"),
    "drivers.toml": ("cuda_by_branch", "generations"),
    "systems.toml": ("jetson", "macos"),
}
_LISTS = {
    "drivers.toml": {"floor": {"cuda", "linux", "windows"}},
    "toolkits.toml": {"toolkit": {"cuda", "release", "cc_min", "cc_max"}, "branch": {"name", "facts"}},
}
_OPTIONAL = {
    "floor": {"note", "source", "confidence"},
    "toolkit": {"linux", "windows", "status", "cc_also", "confidence"},
    "branch": {"end", "source", "confidence"},
}
_KEYS = frozenset(("columns", "rows", "source", "confidence", "note", "vendor"))


def lint() -> list[str]:
    """Every fault of the shipped data, one line each; empty when all is well."""
    return lint_hardware() + lint_releases()


def lint_hardware(read: Read = table) -> list[str]:
    """Faults of the tables of GPUs, processors, drivers and systems. ``read`` hands out a file's data by name."""
    faults = list(_shapes(read))
    misshapen = bool(faults)
    for check in CHECKS:
        try:
            faults.extend(check(read))
        except (AttributeError, IndexError, KeyError, TypeError, ValueError):
            # A table out of shape cannot be compared with another: its own fault is told already.
            if not misshapen:
                raise
    return faults


# Shape: keys, columns, sources


def _shapes(read: Read) -> Iterator[str]:
    texts = read("sources.json")
    used: set[str] = set()
    for name, groups in _GROUPS.items():
        data = read(name)
        for key in data.keys() - {"about", *groups, *_LISTS.get(name, {})}:
            yield f"{name}: unknown key {key}"
        for group in groups:
            if group not in data:
                yield f"{name}: {group} is missing"
                continue
            yield from _group(name, group, data[group], texts, used)
    for name, lists in _LISTS.items():
        data = read(name)
        if name not in _GROUPS:
            for key in data.keys() - {"toolkits", *lists}:
                yield f"{name}: unknown key {key}"
        for group, needed in lists.items():
            whole = data.get(f"{group}s", {})  # a table beside the rows may hold what they share
            for place, row in enumerate(data.get(group, ())):
                where = f"{name}: {group}[{place}]"
                for key in sorted(needed - row.keys()):
                    yield f"{where}: {key} is missing"
                for key in sorted(row.keys() - needed - _OPTIONAL[group]):
                    yield f"{where}: unknown key {key}"
                yield from _grounds(where, {**whole, **row}, texts, used)
    for key in sorted(texts.keys() - used):
        yield f"sources.json: {key} is used by no table"


def _group(name: str, group: str, held: dict[str, Any], texts: dict[str, str], used: set[str]) -> Iterator[str]:
    where = f"{name}: {group}"
    for key in sorted(held.keys() - _KEYS):
        yield f"{where}: unknown key {key}"
    yield from _grounds(where, held, texts, used)
    columns = held.get("columns")
    if not columns or not held.get("rows"):
        yield f"{where}: columns and rows are needed"
        return
    for place, row in enumerate(held["rows"]):
        if not 2 <= len(row) <= len(columns):
            yield f"{where}[{place}]: {len(row)} values for {len(columns)} columns"
        elif "confidence" in columns and len(row) == len(columns) and row[-1] not in CONFIDENCES:
            yield f"{where}[{place}]: confidence {row[-1]!r} is none of {', '.join(CONFIDENCES)}"


def _grounds(where: str, held: dict[str, Any], texts: dict[str, str], used: set[str]) -> Iterator[str]:
    source = held.get("source")
    if not source:
        yield f"{where}: source is missing"
    for key in source or ():
        used.add(key)
        if key not in texts:
            yield f"{where}: source {key} is not in sources.json"
    if held.get("confidence") not in CONFIDENCES:
        yield f"{where}: confidence is missing or unknown"
