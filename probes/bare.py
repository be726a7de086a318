"""What a recording keeps of files that tell more than a probe reads: metadata of packages, configuration, projects."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

__all__ = ["bare"]

_CONFIGURATIONS = ("pip.conf", "pip.ini", "uv.toml", "pyproject.toml", "pdm.toml", ".conf")
_HEADER = re.compile(rb"[ \t]{0,20}\[\[?([\w.\"' -]{1,120})\]\]?[ \t]{0,20}(?:#.{0,400})?\r?\Z")
_TABLES = (b"tool.uv", b"tool.poetry.source", b"tool.pdm.source")
_PRIVATE = re.compile(rb"(?im)^([ \t]{0,40}[\w.-]{0,60}(?:user(?:name)?|pass(?:word)?|token|secret|auth|key)[\w-]{0,20}[ \t]{0,20}[=:])[^\r\n]{1,4000}")  # fmt: skip


def bare(path: str, data: bytes) -> bytes:
    """The content of a file for a recording. Lines keep their numbers; replaying gives the same facts."""
    return _settings(path, _metadata(path, data))


def _metadata(path: str, data: bytes) -> bytes:
    """Of a metadata file what a probe reads: name, version and requirements, not authors and descriptions. Any other file
    is given back as it is.
    """
    if not path.endswith(("/METADATA", "/PKG-INFO", ".egg-info")):
        return data
    head = data.replace(b"\r\n", b"\n").partition(b"\n\n")[0]
    kept = [line for line in head.split(b"\n") if line.lower().startswith((b"name:", b"version:", b"requires-dist:"))]
    return b"\n".join(kept) + b"\n\n"


def _settings(path: str, data: bytes) -> bytes:
    """A configuration file for a recording: names of users, passwords and keys emptied; of a project's file only the
    tables that are read here, everything else as empty lines.
    """
    if not path.endswith(_CONFIGURATIONS):
        return data
    if path.endswith("pyproject.toml"):
        data = b"\n".join(_read_here(data.split(b"\n")))
    return _PRIVATE.sub(rb"\1 removed", data)


def _read_here(lines: Iterable[bytes]) -> Iterator[bytes]:
    table = b""
    for line in lines:
        if header := _HEADER.match(line):
            table = header[1].strip()
        dependency = table.startswith(b"tool.poetry") and table.endswith(b"dependencies")
        kept = table.startswith(_TABLES) or (dependency and (header or line.lstrip().lower().startswith(b"torch")))
        yield line if kept else b""
