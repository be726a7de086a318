"""What is installed in a folder, read from metadata files as text: no import machinery, nothing outside the folder."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from torchdoctor.probes.frozen import dataclass
from torchdoctor.probes.host import Host
from torchdoctor.probes.patterns import regex

__all__ = [
    "Found",
    "Scan",
    "canonical",
    "conda_packages",
    "metadata_head",
    "record_files",
    "requirements",
    "scan",
    "wheel_tags",
]

_NAME = regex(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,120}[A-Za-z0-9])?\Z")
_VERSION = regex(r"v?[0-9][A-Za-z0-9.!+_-]{0,80}\Z")
_RUNS = regex(r"[-_.]+")
_EGG_PYTHON = regex(r"-py[0-9][0-9.]{0,6}(?:-[A-Za-z0-9_.]{1,40})?\Z")
_HEADERS = 16 << 10  # requirements stand in the headers, before the description


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One distribution: ``folder`` is where it is installed, ``metadata`` its ``.dist-info`` or ``.egg-info``."""

    name: str
    version: str | None
    folder: str
    metadata: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Scan:
    """What one folder holds: its distributions, every name in it, why it could not be read, what in it is broken."""

    folder: str
    found: tuple[Found, ...] = ()
    names: frozenset[str] = frozenset()
    missing: str | None = None
    broken: Mapping[str, str] | None = None


def canonical(name: str) -> str:
    """``Flash_Attn`` → ``flash-attn``, the name an index knows it by."""
    return _RUNS.sub("-", name).lower()


def scan(host: Host, folder: str) -> Scan:
    """The distributions in one folder of the module path. A folder that is not there holds none."""
    answer = host.listing(folder)
    if answer.value is None:
        return Scan(folder=folder, missing=None if answer.absent else answer.detail or answer.status)
    found, broken = [], {}
    for entry in answer.value:
        if not entry.endswith((".dist-info", ".egg-info")):
            continue
        name, version = _split(entry)
        if not _NAME.match(name) or not name.isascii():
            broken[re.sub(r"[^A-Za-z0-9._~-]", "?", name)[:60] or "?"] = "its folder is named like no distribution"
            continue
        if version is None or not _VERSION.match(version):
            version = _header(host, f"{folder}/{entry}", "version")
        if version is None:
            broken[canonical(name)] = "its metadata names no version"
        found.append(Found(name=canonical(name), version=version, folder=folder, metadata=f"{folder}/{entry}"))
    reason = None if answer.ok else answer.detail or answer.status
    return Scan(folder=folder, found=tuple(found), names=frozenset(answer.value), missing=reason, broken=broken or None)


def metadata_head(host: Host, found: Found, limit: int = _HEADERS) -> bytes:
    """The headers of its metadata; empty where they cannot be read."""
    for name in ("/METADATA", "/PKG-INFO", ""):
        answer = host.read(found.metadata + name, limit)
        if answer.value is not None:
            return answer.value.replace(b"\r\n", b"\n").partition(b"\n\n")[0]
    return b""


def requirements(head: bytes) -> Iterator[str]:
    """The requirements in its headers that hold without an extra, as written."""
    for line in head.decode("utf-8", "replace").split("\n"):
        if line[:14].lower() == "requires-dist:" and "extra" not in line.partition(";")[2]:
            yield line[14:].strip()


def wheel_tags(host: Host, found: Found) -> tuple[tuple[str, ...] | None, bool | None]:
    """Its wheel tags (``cp312-cp312-linux_x86_64``) and whether it is pure Python; ``None`` where that is not known."""
    answer = host.read(found.metadata + "/WHEEL", 8192)
    if answer.value is None:
        return None, None
    tags, pure = [], None
    for line in answer.value.decode("utf-8", "replace").splitlines():
        key, _, value = line.partition(":")
        if key.strip().lower() == "tag":
            tags.append(value.strip()[:200])
        elif key.strip().lower() == "root-is-purelib":
            pure = value.strip().lower() == "true"
    return tuple(tags[:16]) or None, pure


def record_files(host: Host, found: Found, endings: tuple[str, ...]) -> tuple[str, ...] | None:
    """The installed files with one of these endings, relative to its folder. A path that leads out of the folder is
    passed over; ``None`` where the record cannot be read.
    """
    answer = host.read(found.metadata + "/RECORD", 4 << 20)
    if answer.value is None:
        return None
    files = []
    for line in answer.value.decode("utf-8", "replace").splitlines():
        path = line.rsplit(",", 2)[0].strip('"').replace("\\", "/")
        inside = not path.startswith(("/", "~")) and ":" not in path and ".." not in path.split("/")
        if inside and path.endswith(endings):
            files.append(path)
    return tuple(sorted(files))


def conda_packages(host: Host, prefix: str) -> dict[str, tuple[str, str, str]] | None:
    """Conda package → (version, build, metadata file) of an environment; ``None`` where it is no conda environment."""
    answer = host.listing(f"{prefix}/conda-meta")
    if answer.value is None:
        return None
    packages = {}
    for entry in answer.value:
        parts = entry.removesuffix(".json").rsplit("-", 2)
        if entry.endswith(".json") and len(parts) == 3 and _NAME.match(parts[0]) and _VERSION.match(parts[1]):
            packages[parts[0].lower()] = (parts[1], parts[2], f"{prefix}/conda-meta/{entry}")
    return packages


def _split(entry: str) -> tuple[str, str | None]:
    if entry.endswith(".dist-info"):
        name, dash, version = entry.removesuffix(".dist-info").rpartition("-")
    else:
        name, dash, version = _EGG_PYTHON.sub("", entry.removesuffix(".egg-info")).partition("-")
        if not dash:
            return name, None
    return (name, version) if dash else (version, None)


def _header(host: Host, metadata: str, key: str) -> str | None:
    found = Found(name="", version=None, folder="", metadata=metadata)
    for line in metadata_head(host, found).decode("utf-8", "replace").split("\n"):
        name, _, value = line.partition(":")
        if name.lower() == key and _VERSION.match(value.strip()):
            return value.strip()
    return None
