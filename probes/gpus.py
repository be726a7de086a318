"""Several readings of the same GPUs (PCI devices, a driver's tool, a report) made one list.

A *reading* is what one probe or one recorded command said: each of its entries is a device of its own. Two readings
of one vendor speak of the same devices; they are paired by address, else by PCI id and name, else by their order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

__all__ = ["Reading", "merge_gpus"]

Reading = tuple[dict[str, Any], str]


def merge_gpus(readings: Sequence[Sequence[Reading]]) -> list[Reading]:
    """One list of GPUs; where two readings differ in a field the earlier one wins."""
    merged: list[Reading] = []
    for reading in readings:
        # An entry may only join one that an earlier reading made, and each of those once.
        open_ = list(range(len(merged)))
        left: list[Reading] = []
        for fields, source in reading:
            match = next((i for i in open_ if _same_address(merged[i][0], fields)), None)
            if match is None:
                left.append((fields, source))
            else:
                open_.remove(match)
                _join(merged[match][0], fields)
        for test in (_same_id_and_name, _same_id, _same_name, _compatible):
            rest = []
            for fields, source in left:
                match = next((i for i in open_ if test(merged[i][0], fields)), None)
                if match is None:
                    rest.append((fields, source))
                else:
                    open_.remove(match)
                    _join(merged[match][0], fields)
            left = rest
        merged.extend((dict(fields), source) for fields, source in left)
    return merged


def _join(into: dict[str, Any], more: dict[str, Any]) -> None:
    for key, value in more.items():
        if value is not None and into.get(key) is None:
            into[key] = value


def _agree(one: dict[str, Any], other: dict[str, Any], key: str) -> bool:
    return one.get(key) is not None and one.get(key) == other.get(key)


def _differ(one: dict[str, Any], other: dict[str, Any], key: str) -> bool:
    return one.get(key) is not None and other.get(key) is not None and one[key] != other[key]


def _same_address(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return _agree(one, other, "vendor") and _agree(one, other, "address")


def _same_id_and_name(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return _same_id(one, other) and _same_name(one, other)


def _same_id(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return _compatible(one, other) and _agree(one, other, "pci_id")


def _same_name(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return _compatible(one, other) and _agree(one, other, "name")


def _compatible(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """One device as far as both tell: same vendor, and nothing that tells chips apart differs."""
    if not _agree(one, other, "vendor") or (_differ(one, other, "address") and _comparable(one, other)):
        return False
    return not any(_differ(one, other, key) for key in ("pci_id", "compute_capability", "gfx"))


def _comparable(one: dict[str, Any], other: dict[str, Any]) -> bool:
    # A table's index and a bus address say nothing of each other.
    return (":" in str(one["address"])) == (":" in str(other["address"]))
