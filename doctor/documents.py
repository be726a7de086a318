"""Documents that somebody sent: read within limits, decoded, told apart. What is refused gets one clear line."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from typing import Any

__all__ = ["LIMIT", "LINE_LIMIT", "InputError", "decode_document", "is_zip", "json_object", "read_document", "stream"]

LIMIT = 64 << 20
"""The largest document that is read, in bytes."""
LINE_LIMIT = 4 << 20
"""The longest line of a stream of reports, in bytes."""
_WRITER = 5.0  # seconds that a named pipe is given to be written into


class InputError(ValueError):
    """An input that cannot be used; one line that names it and what was expected."""


def is_zip(name: str) -> bool:
    """Whether the file is a zip. A pipe is not looked into: what is read of it is gone."""
    try:
        if not os.path.isfile(name):
            return False
        with open(name, "rb", buffering=0) as file:
            return file.read(4) == b"PK\x03\x04"
    except (OSError, ValueError):
        return False


def read_document(name: str) -> bytes:
    """The bytes of a file or pipe. Raises :class:`InputError`."""
    if not name:
        raise InputError("an empty file name: expected a file, a folder or -")
    if os.path.isdir(name):
        raise InputError(f"{name}: is a folder, expected a file")
    try:
        data = _content(name)
    except FileNotFoundError:
        raise InputError(f"{name}: no such file") from None
    except InputError:
        raise
    except (OSError, ValueError) as error:
        raise InputError(f"{name}: cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if len(data) > LIMIT:
        raise InputError(f"{name}: larger than {LIMIT >> 20} MiB, expected a report or a machine profile")
    return data


def _content(name: str) -> bytes:
    import stat

    status = os.stat(name)
    if stat.S_ISREG(status.st_mode) and status.st_size <= LIMIT:
        with open(name, "rb", buffering=0) as whole:
            return whole.readall()  # room for LIMIT bytes would be cleared first, whatever the size
    if not hasattr(os, "O_NONBLOCK") or not stat.S_ISFIFO(status.st_mode):
        with open(name, "rb") as file:
            return file.read(LIMIT + 1)
    import select

    # Opened the usual way, a named pipe that nobody writes into waits for ever.
    handle = os.open(name, os.O_RDONLY | os.O_NONBLOCK)
    with os.fdopen(handle, "rb") as file:
        select.select([handle], [], [], _WRITER)
        try:
            first = os.read(handle, 1)
        except BlockingIOError:
            first = b""  # somebody is there who has not written yet
        else:
            if not first:
                raise InputError(f"{name}: a pipe that nothing was written into, expected a report")
        os.set_blocking(handle, True)
        return first + file.read(LIMIT)


def decode_document(data: bytes, name: str) -> str:
    """Text of a document. Raises :class:`InputError` for what is no text."""
    from torchdoctor.probes.reports.decode import NotText, decode

    try:
        return decode(data, name)
    except NotText as error:
        raise InputError(str(error)) from None


def json_object(text: str) -> dict[str, Any] | None:
    """The object that ``text`` is, ``None`` where it is anything else."""
    from torchdoctor.probes.profile import read_json

    try:
        loaded = read_json(text)
    except ValueError:
        return None
    return loaded if isinstance(loaded, dict) else None


def stream(text: str, name: str) -> Iterator[tuple[str, str | InputError]] | None:
    """The documents of a stream, one a line, as (name with line, text or why it is refused); ``None`` where ``text`` is no
    stream of our documents.
    """
    if not _is_stream(text, name):
        return None
    return _lines(text, name)


def _is_stream(text: str, name: str) -> bool:
    if text[:1] != "{":
        return False
    if name.endswith((".ndjson", ".jsonl")):
        return True
    try:
        first, end = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        return False
    rest = text[end:]
    return "\n" in rest[:2] and bool(rest.strip()) and isinstance(first, dict) and _ours(first)


def _ours(document: Mapping[str, Any]) -> bool:
    return str(document.get("schema", "")).startswith("torchdoctor/")


def _lines(text: str, name: str) -> Iterator[tuple[str, str | InputError]]:
    from torchdoctor.probes.profile import read_json

    for number, line in enumerate(text.split("\n"), 1):
        place = f"{name}: line {number}"
        if not line.strip():
            continue
        if len(line) > LINE_LIMIT or len(line.encode("utf-8", "replace")) > LINE_LIMIT:
            yield place, InputError(f"{place}: longer than {LINE_LIMIT >> 20} MiB, expected a report")
            continue
        try:
            found = read_json(line)
        except ValueError as error:
            yield place, InputError(f"{place}: not valid JSON: {error}")
            continue
        yield place, line if isinstance(found, dict) else InputError(f"{place}: expected a report")
