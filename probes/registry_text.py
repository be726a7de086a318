"""What ``reg query``, ``reg export`` and the ``name=value`` lists of ``wmic`` and PowerShell print.

Footers and labels are localised: only keys, value names and types are matched.
"""

from __future__ import annotations

import re
from typing import Any

from torchdoctor.probes.patterns import regex

__all__ = ["parse_blocks", "parse_reg"]

_KEY = regex(r"\[?(HKEY_[A-Z_]{4,30}\\[^\]\r\n]{1,1000})\]?")
_QUERY = regex(r"[ \t]{1,8}(\S.{0,255}?)[ \t]{2,8}(REG_[A-Z_]{2,30})(?:[ \t]{2,8}(.*))?")
_EXPORT = regex(r'"((?:[^"\\]|\\.){1,255})"=(.*)')


def parse_reg(text: str) -> dict[str, dict[str, Any]]:
    """Key → value name → value; ``REG_BINARY`` as bytes, ``REG_DWORD`` and ``REG_QWORD`` as integers."""
    keys: dict[str, dict[str, Any]] = {}
    values: dict[str, Any] = {}
    # A long binary value of an export goes on in the next line after a backslash.
    for line in re.sub(r",\\\r?\n[ \t]{0,8}", ",", text.lstrip("\ufeff")).splitlines():
        key = _KEY.fullmatch(line.strip())
        if key:
            values = keys.setdefault(key.group(1), {})
            continue
        query = _QUERY.fullmatch(line[:70000])
        if query:
            values[query.group(1)] = _query_value(query.group(2), (query.group(3) or "").strip())
            continue
        export = _EXPORT.fullmatch(line[:70000])
        if export:
            values[export.group(1).replace("\\\\", "\\")] = _export_value(export.group(2).strip())
    return keys


def _query_value(kind: str, text: str) -> Any:
    if kind in ("REG_DWORD", "REG_QWORD"):
        return _integer(text)
    if kind == "REG_BINARY":
        return _bytes(text.replace(" ", ""))
    return text


def _export_value(text: str) -> Any:
    if text.startswith('"'):
        return re.sub(r"\\(.)", r"\1", text[1:].removesuffix('"'))
    kind, _, value = text.partition(":")
    if kind == "dword":
        return _integer("0x" + value)
    if kind == "hex(b)":
        return int.from_bytes(_bytes(value.replace(",", "")), "little")
    if kind in ("hex(1)", "hex(2)", "hex(7)"):
        return _bytes(value.replace(",", "")).decode("utf-16-le", "replace").rstrip("\0")
    return _bytes(value.replace(",", "")) if kind.startswith("hex") else text


def _integer(text: str) -> int | None:
    try:
        return int(text[:20], 16 if text[:2].lower() == "0x" else 10)
    except ValueError:
        return None


def _bytes(digits: str) -> bytes:
    try:
        return bytes.fromhex(digits)
    except ValueError:
        return b""


def parse_blocks(text: str) -> list[dict[str, str]]:
    """``Name=value`` (``wmic … /value``) or ``Name : value`` (``Format-List``), one block for each object.

    The list format of wmic writes ``&amp;`` for ``&``.
    """
    blocks: list[dict[str, str]] = []
    current: dict[str, str] = {}
    for line in text.lstrip("\ufeff").splitlines():
        match = re.match(r"[ \t]{0,8}(\w{1,64})[ \t]{0,64}[=:](.*)", line[:20000])
        if match is None:
            continue
        name, value = match.group(1), match.group(2).strip().replace("&amp;", "&")
        if name in current:
            blocks.append(current)
            current = {}
        current[name] = value
    if current:
        blocks.append(current)
    return blocks
