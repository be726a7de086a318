"""Declared facts over probed ones: an image is judged for the machine it will run on, not for the one that builds it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from torchdoctor.probes.facts import Facts, System

__all__ = ["overlay"]

# What a builder shows of itself and not of the image: the kernel's side of the system, processor, devices, drivers, room.
_OF_THE_BUILDER = ("cpu", "gpus", "drivers", "devices", "symptoms", "resources")
_OF_ITS_KERNEL = ("kernel", "container", "wsl", "jetson", "page_size")


def overlay(declared: Facts, probed: Facts) -> Facts:
    """``probed`` without what belongs to the machine it was probed on, and ``declared`` over it, leaf by leaf.

    Lists and mappings count as leaves, except ``packages`` and ``environment``, whose entries are added. What neither
    knows stays unknown: a builder without a GPU says nothing of the target's.
    """
    image = _image(probed)
    merged = _over(declared, image, "", skip=("sources", "unknown"))
    said = {path: declared.source(path) or "declared" for path in _leaves(declared, "")}
    kept = {p: s for p, s in probed.sources.items() if image.get(p) is not None and p not in said and _shown(p, said)}
    unknown = {p: why for p, why in probed.unknown.items() if merged.get(p) is None and image.get(p) == probed.get(p)}
    reason = "the target does not declare it, and this machine is not the target"
    unknown |= {g: reason for g in _OF_THE_BUILDER if g not in ("symptoms",) and not _known(merged, g)}
    result: Facts = merged.replace(
        sources=kept | said, unknown={p: w for p, w in unknown.items() if p not in said} | dict(declared.unknown)
    )
    return result


def _image(probed: Facts) -> Facts:
    blank = Facts()
    system = dataclasses.replace(probed.system, **{name: getattr(System(), name) for name in _OF_ITS_KERNEL})
    torch = dataclasses.replace(probed.torch, gpu_available=None)
    runtimes = dataclasses.replace(probed.runtimes, metal=None)
    return probed.replace(
        system=system, torch=torch, runtimes=runtimes, **{group: getattr(blank, group) for group in _OF_THE_BUILDER}
    )


def _over(upper: Any, lower: Any, path: str, skip: tuple[str, ...] = ()) -> Any:
    changes = {}
    for field in dataclasses.fields(upper):
        value, below = getattr(upper, field.name), getattr(lower, field.name)
        if field.name in skip or value is None:
            continue
        if dataclasses.is_dataclass(value):
            changes[field.name] = _over(value, below, f"{path}{field.name}.")
        elif (
            isinstance(value, Mapping)
            and isinstance(below, Mapping)
            and path + field.name in ("packages", "environment")
        ):
            changes[field.name] = {**below, **value}
        else:
            changes[field.name] = value
    return dataclasses.replace(lower, **changes)


def _leaves(value: Any, path: str) -> list[str]:
    found = []
    for field in dataclasses.fields(value):
        if not path and field.name in ("sources", "unknown"):
            continue
        held = getattr(value, field.name)
        if dataclasses.is_dataclass(held):
            found += _leaves(held, f"{path}{field.name}.")
        elif held is not None and not (isinstance(held, Mapping) and path + field.name in ("packages", "environment")):
            found.append(path + field.name)
        elif isinstance(held, Mapping):
            found += [f"{path}{field.name}.{key}" for key in held]
    return found


def _shown(path: str, said: Mapping[str, str]) -> bool:
    """Is the probed source still of a value that is shown: not of a part of something declared as a whole?"""
    return not any(path.startswith((whole + ".", whole + "[")) for whole in said)


def _known(facts: Facts, group: str) -> bool:
    value = getattr(facts, group)
    if dataclasses.is_dataclass(value):
        return bool(_leaves(value, ""))
    return value is not None
