"""What the tables of GPUs, processors, drivers and systems may not say of themselves or of each other."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from typing import Any

from torchdoctor.matrix.drivers import driver_key
from torchdoctor.matrix.gpu_names import NameIndex

__all__ = ["CHECKS", "Read"]

Read = Callable[[str], dict[str, Any]]
"""Hands out a file's data by its name."""

_ID = re.compile(r"[0-9a-f]{4}")
_LEVEL = re.compile(r"armv\d\.\d-a")
_TAG = re.compile(r"cp3\d{1,2}t?")
_RELEASE = re.compile(r"\d{1,2}\.\d{1,3}\.\d{1,3}")
_PLATFORM = re.compile(r"(?:linux|windows|macos)_[a-z0-9_]+")


def _rows(read: Read, name: str, group: str) -> list[dict[str, Any]]:
    held = read(name)[group]
    return [{"confidence": held["confidence"], **dict(zip(held["columns"], row, strict=False))} for row in held["rows"]]


def _twice(where: str, values: Iterable[Any]) -> Iterator[str]:
    seen = set()
    for value in values:
        if value in seen:
            yield f"{where}: {value} stands twice"
        seen.add(value)


# GPUs


def _nvidia(read: Read) -> Iterator[str]:
    file = "nvidia_gpus.json"
    known = {row["compute_capability"] for row in _rows(read, "drivers.toml", "generations")}
    chips = {row["chip"]: row["compute_capability"] for row in _rows(read, file, "chips")}
    yield from _twice(f"{file}: chips", (row["chip"] for row in _rows(read, file, "chips")))
    for chip, cc in chips.items():
        if cc is not None and cc not in known:
            yield f"{file}: chips: {chip} has compute capability {cc}, of which drivers.toml knows nothing"
    pci = _rows(read, file, "pci")
    yield from _twice(f"{file}: pci", (row["id"] for row in pci))
    for row in pci:
        if not _ID.fullmatch(row["id"]):
            yield f"{file}: pci: {row['id']!r} is no device id"
        if row["chip"] not in chips:
            yield f"{file}: pci: {row['id']} is of the unknown chip {row['chip']}"
    for row in _rows(read, file, "ranges"):
        if row["chip"] not in chips or row["first"] > row["last"]:
            yield f"{file}: ranges: {row['chip']} {row['first']}..{row['last']} is no range of a known chip"
        for held in pci:
            if row["first"] <= held["id"] <= row["last"] and held["chip"] != row["chip"]:
                yield f"{file}: ranges: {held['id']} lies in the range of {row['chip']} and is {held['chip']}"
    for row in _rows(read, file, "boards"):
        if row["chip"] not in chips:
            yield f"{file}: boards: {row['word']} is of the unknown chip {row['chip']}"
    yield from _nvidia_names(read, chips, pci, known)


def _nvidia_names(
    read: Read, chips: dict[str, str | None], pci: list[dict[str, Any]], known: set[str]
) -> Iterator[str]:
    file = "nvidia_gpus.json"
    names = _rows(read, file, "names")
    yield from _twice(f"{file}: names", (row["name"] for row in names))
    disputed = {row["name"] for row in _rows(read, file, "disputed")}
    ambiguous = {row["name"] for row in _rows(read, file, "ambiguous")}
    by_pci: dict[str, set[str | None]] = {}
    for row in pci:
        by_pci.setdefault(row["name"], set()).add(chips.get(row["chip"]))
    for row in names:
        name, cc = row["name"], row["compute_capability"]
        if cc not in known:
            yield f"{file}: names: {name} has compute capability {cc}, of which drivers.toml knows nothing"
        if name in ambiguous:
            yield f"{file}: {name} has one compute capability in names and several in ambiguous"
        chip_says = by_pci.get(name, set())
        if chip_says and chip_says != {cc} and name not in disputed:
            yield f"{file}: {name} is {cc} by name and {' or '.join(sorted(map(str, chip_says)))} by PCI id"
    for name in sorted(disputed - {row["name"] for row in names}):
        yield f"{file}: disputed: {name} is not among the names"
    for name, ccs in by_pci.items():
        if len(ccs - {None}) > 1 and name not in ambiguous and any(row["name"] == name for row in names):
            yield f"{file}: {name} is sold on several chips and not in ambiguous"


def _amd(read: Read) -> Iterator[str]:
    file = "amd_gpus.json"
    targets = {row["gfx"] for row in _rows(read, file, "targets")}
    yield from _twice(f"{file}: targets", (row["gfx"] for row in _rows(read, file, "targets")))
    pci, names = _rows(read, file, "pci"), _rows(read, file, "names")
    yield from _twice(f"{file}: pci", (row["id"] for row in pci))
    yield from _twice(f"{file}: names", (row["name"] for row in names))
    for row in pci:
        if not _ID.fullmatch(row["id"]):
            yield f"{file}: pci: {row['id']!r} is no device id"
        if row["gfx"] not in targets:
            yield f"{file}: pci: {row['id']} is of the unknown target {row['gfx']}"
    index = NameIndex("amd", [row["name"] for row in pci])
    for row in names:
        if row["gfx"] not in targets:
            yield f"{file}: names: {row['name']} is of the unknown target {row['gfx']}"
        by_id = {pci[hit]["gfx"] for hit in index.find(row["name"]) if pci[hit]["name"] == row["name"]}
        if by_id and by_id != {row["gfx"]}:
            yield f"{file}: {row['name']} is {row['gfx']} by name and {' or '.join(sorted(by_id))} by PCI id"


def _intel(read: Read) -> Iterator[str]:
    file = "intel_gpus.json"
    platforms = _rows(read, file, "platforms")
    known = {row["platform"] for row in platforms}
    pci = _rows(read, file, "pci")
    yield from _twice(f"{file}: platforms", (row["platform"] for row in platforms))
    yield from _twice(f"{file}: pci", (row["id"] for row in pci))
    for row in pci:
        if not _ID.fullmatch(row["id"]):
            yield f"{file}: pci: {row['id']!r} is no device id"
        if row["platform"] not in known:
            yield f"{file}: pci: {row['id']} is of the unknown platform {row['platform']}"
    for row in platforms:
        if row["kind"] not in ("igpu", "dgpu", "datacenter"):
            yield f"{file}: platforms: {row['platform']} is of the unknown kind {row['kind']!r}"
        if all(held["platform"] != row["platform"] for held in pci):
            yield f"{file}: platforms: {row['platform']} has no device"


def _cpus(read: Read) -> Iterator[str]:
    rows = _rows(read, "cpus.json", "arm")
    yield from _twice("cpus.json: arm", ((row["implementer"], row["part"]) for row in rows))
    for row in rows:
        if row["level"] is not None and not _LEVEL.fullmatch(row["level"]):
            yield f"cpus.json: arm: {row['core']} has the level {row['level']!r}"
        if row["level"] is None and not row.get("note"):
            yield f"cpus.json: arm: {row['core']} has neither a level nor a note why"


# Drivers, systems, offers


def _drivers(read: Read) -> Iterator[str]:
    file = "drivers.toml"
    ladder = _rows(read, file, "cuda_by_branch")
    for below, above in pairwise(ladder):
        if driver_key(below["branch"]) >= driver_key(above["branch"]) or driver_key(below["cuda"]) >= driver_key(
            above["cuda"]
        ):
            yield f"{file}: cuda_by_branch: {above['branch']} ({above['cuda']}) does not follow {below['branch']} ({below['cuda']})"
    branch_of = {row["cuda"]: row["branch"].partition(".")[0] for row in ladder}
    first: dict[str, dict[str, Any]] = {
        row["cuda"]: row for row in read("toolkits.toml")["toolkit"]
    }  # the last: first release
    for row in read(file)["floor"]:
        for os in ("linux", "windows"):
            if not driver_key(row[os]):
                yield f"{file}: floor {row['cuda']}: {row[os]!r} is no driver version"
    rows = _rows(read, file, "generations")
    yield from _twice(f"{file}: generations", (row["compute_capability"] for row in rows))
    for row in rows:
        cc, toolkit, branch = row["compute_capability"], row["first_toolkit"], row["first_branch"]
        if row["modules"] not in ("proprietary", "open", "either"):
            yield f"{file}: generations: {cc} runs on the unknown modules {row['modules']!r}"
        if branch and branch_of.get(toolkit) != branch:
            yield f"{file}: generations: {cc} begins with branch {branch}, its toolkit {toolkit} with {branch_of.get(toolkit)}"
        for os in ("linux", "windows"):
            build = row[f"first_{os}"]
            if build and toolkit in first and build != first[toolkit].get(os):
                yield f"{file}: generations: {cc} begins with {os} driver {build}, its toolkit {toolkit} with {first[toolkit].get(os)}"
        if branch and row["last_branch"] and driver_key(row["last_branch"]) < driver_key(branch):
            yield f"{file}: generations: {cc} ends before it begins"


def _toolkits(read: Read) -> Iterator[str]:
    file = "toolkits.toml"
    ccs = {row["compute_capability"] for row in _rows(read, "drivers.toml", "generations")}
    cudas = {row["cuda"] for row in _rows(read, "drivers.toml", "cuda_by_branch")}
    for row in read(file)["toolkit"]:
        where = f"{file}: {row['cuda']} {row['release']}"
        if row["cuda"] not in cudas:
            yield f"{where}: no driver branch speaks it"
        for key in ("cc_min", "cc_max", "cc_also"):
            if key in row and row[key] not in ccs:
                yield f"{where}: {key} {row[key]} is unknown to drivers.toml"
        for os in ("linux", "windows"):
            if os in row and not driver_key(row[os]):
                yield f"{where}: {row[os]!r} is no driver version"


def _systems(read: Read) -> Iterator[str]:
    for group, column in (("jetson", "l4t"), ("macos", "major")):
        rows = _rows(read, "systems.toml", group)
        for below, above in pairwise(rows):
            if driver_key(below[column]) >= driver_key(above[column]):
                yield f"systems.toml: {group}: {above[column]} does not follow {below[column]}"


def _offers(read: Read) -> Iterator[str]:
    file = "offers.json"
    rows = _rows(read, file, "interpreters")
    yield from _twice(f"{file}: interpreters", ((row["tag"], row["platform"], row["limit"]) for row in rows))
    for row in rows:
        where = f"{file}: interpreters: {row['tag']} {row['platform']}"
        if not _TAG.fullmatch(row["tag"]) or not _PLATFORM.fullmatch(row["platform"]):
            yield f"{where}: not an interpreter tag and a platform"
    for row in (*rows, *_rows(read, file, "variants")):
        where = f"{file}: {row.get('tag') or row.get('variant')}"
        ends = [row[key] for key in ("first", "last") if row[key]]
        if any(not _RELEASE.fullmatch(end) for end in ends) or (
            len(ends) == 2 and driver_key(ends[0]) > driver_key(ends[1])
        ):
            yield f"{where}: {row['first']!r} to {row['last']!r} are no releases in order"


CHECKS = (_nvidia, _amd, _intel, _cpus, _drivers, _toolkits, _systems, _offers)
