"""The release files' own checks: unknown keys, missing sources, gaps and contradictions, all of them at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib.resources import files
from typing import Any

from torchdoctor.matrix.catalog import version_key
from torchdoctor.matrix.gpu_code import gfx_name, sm_number
from torchdoctor.matrix.platforms import PLATFORMS
from torchdoctor.matrix.request import RequestError, normal_variant
from torchdoctor.matrix.tables import CONFIDENCES, parse_toml, table

__all__ = ["lint_releases"]

_TOP = {
    "line",
    "patch",
    "default_index",
    "interpreters",
    "glibc",
    "metal",
    "numpy2",
    "torchcodec",
    "xpu",
    "broken",
    "build",
    "changes",
}
_KEYS = {
    "patch": {"version", "date", "companions", "requires_python", "source", "confidence"},
    "interpreters": {"index", "platform", "patches", "tags", "macos", "source", "confidence"},
    "broken": {"finding", "patches", "platform", "index", "needs", "where", "source", "confidence"},
    "build": {"variant", "platform", "patches", "kernels", "ptx", "unconfirmed", "without_libraries", "kernels_source",
              "kernels_confidence", "glibc", "therock", "note", "source", "confidence"},
    "glibc": {"linux_x86_64", "linux_aarch64", "linux_s390x", "cxx11_abi", "source", "confidence"},
    "metal": {"min_macos", "note", "source", "confidence"},
    "numpy2": {"linux", "macos", "windows", "source", "confidence"},
    "torchcodec": {"oldest", "newest", "source", "confidence"},
    "xpu": {"platforms", "linux_only", "source", "confidence"},
    "changes": {"items", "source", "confidence"},
    "default_index": {*PLATFORMS, "source", "confidence"},
}  # fmt: skip
_LISTS = ("patch", "interpreters", "broken", "build")


def lint_releases(data: Mapping[str, Mapping[str, Any]] | None = None) -> list[str]:
    """Every fault of the release files, each as ``FILE: group: what``. ``data`` replaces the shipped files (name → table)."""
    if data is None:
        root = files("torchdoctor.matrix") / "data" / "releases"
        data = {p.name: parse_toml(p.read_text(encoding="utf-8")) for p in sorted(root.iterdir(), key=lambda p: p.name)}
    sources = table("release_sources.json")
    found = []
    for name, release in data.items():
        found += [f"{name}: {fault}" for fault in _file(name, release, sources)]
    return found


def _file(name: str, data: Mapping[str, Any], sources: Mapping[str, str]) -> Iterator[str]:
    for key in sorted(set(data) - _TOP):
        yield f"unknown group {key}"
    for key in ("line", "patch", "default_index", "interpreters", "glibc", "metal", "build"):
        if key not in data:
            yield f"no group {key}"
    if data.get("line") != name.removesuffix(".toml"):
        yield f"line is {data.get('line')!r}, the file is {name}"
    for group, known in _KEYS.items():
        value = data.get(group, [] if group in _LISTS else None)
        if value is None:
            continue
        for number, row in enumerate(value if isinstance(value, list) else [value]):
            where = f"{group}[{number}]" if isinstance(value, list) else group
            for key in sorted(set(row) - known):
                yield f"{where}: unknown key {key}"
            yield from _sourced(where, row, sources)
    versions = [p.get("version", "") for p in data.get("patch", [])]
    yield from _patches(data, versions)
    yield from _builds(data, versions)
    yield from _interpreters(data, versions)


def _sourced(where: str, row: Mapping[str, Any], sources: Mapping[str, str]) -> Iterator[str]:
    for key in ("source", "kernels_source"):
        for source in row.get(key, ()):
            # A new release may spell its source out in place; a key must be in the table.
            if source not in sources and " " not in source:
                yield f"{where}: {key} {source!r} is neither a key of release_sources.json nor a sentence"
    if not row.get("source"):
        yield f"{where}: no source"
    for key in ("confidence", "kernels_confidence"):
        if key in row and row[key] not in CONFIDENCES:
            yield f"{where}: {key} {row[key]!r} is none of {', '.join(CONFIDENCES)}"
    if "confidence" not in row:
        yield f"{where}: no confidence"


def _patches(data: Mapping[str, Any], versions: list[str]) -> Iterator[str]:
    for version in versions:
        if ".".join(version.split(".")[:2]) != data.get("line"):
            yield f"patch {version}: not of line {data.get('line')}"
    for group in ("interpreters", "broken", "build"):
        for number, row in enumerate(data.get(group, ())):
            for patch in row.get("patches", ()):
                if patch not in versions:
                    yield f"{group}[{number}]: no patch {patch}"
            if row.get("platform") not in PLATFORMS:
                yield f"{group}[{number}]: no platform {row.get('platform')!r}"


def _builds(data: Mapping[str, Any], versions: list[str]) -> Iterator[str]:
    for version in versions:
        here: set[tuple[str, str]] = set()
        for number, row in enumerate(data.get("build", ())):
            if version not in row.get("patches", versions):
                continue
            pair = (row.get("variant", ""), row.get("platform", ""))
            if pair in here:
                yield f"build[{number}]: {version} has {pair[0]} for {pair[1]} twice"
            here.add(pair)
        for platform, variant in data.get("default_index", {}).items():
            if platform in PLATFORMS and (variant, platform) not in here:
                yield f"default_index: {version} serves {variant} for {platform}, but no such build is listed"
    for number, row in enumerate(data.get("build", ())):
        variant = row.get("variant", "")
        try:
            normal_variant(variant)
        except RequestError:
            yield f"build[{number}]: no variant {variant!r}"
            continue
        kernels = row.get("kernels")
        if variant.startswith(("cu", "rocm")):
            if kernels is None:
                yield f"build[{number}]: {variant} without kernels"
            reads = gfx_name if variant.startswith("rocm") else sm_number
            for kernel in [*(kernels or ()), *row.get("ptx", ())]:
                if reads(kernel) is None:
                    yield f"build[{number}]: {kernel!r} is no architecture of {variant}"
            for kernel in set(kernels or ()) & {*row.get("unconfirmed", ()), *row.get("without_libraries", ())}:
                yield f"build[{number}]: {kernel} both counts and does not"
        elif kernels is not None:
            yield f"build[{number}]: {variant} with kernels"


def _interpreters(data: Mapping[str, Any], versions: list[str]) -> Iterator[str]:
    for version in versions:
        served = {r.get("platform") for r in data.get("interpreters", ()) if version in r.get("patches", versions)}
        for row in data.get("build", ()):
            if version in row.get("patches", versions) and row.get("platform") not in served:
                yield f"interpreters: {version} has builds for {row.get('platform')}, but no interpreters"
    for number, row in enumerate(data.get("interpreters", ())):
        if row.get("index") not in ("default", "own"):
            yield f"interpreters[{number}]: index {row.get('index')!r} is neither default nor own"
        if str(row.get("platform", "")).startswith("macos") != ("macos" in row):
            yield f"interpreters[{number}]: macos belongs to macOS wheels, and to all of them"
        for tag in row.get("tags", ()):
            if not (tag.startswith("cp3") and tag[3:].rstrip("t").isdecimal()):
                yield f"interpreters[{number}]: {tag!r} is no interpreter tag"
    minimum = data.get("metal", {}).get("min_macos")
    if minimum is not None and not version_key(minimum):
        yield f"metal: min_macos {minimum!r} is no version"
