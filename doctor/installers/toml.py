"""Writing the few shapes of TOML that project files need; every string is escaped."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

__all__ = ["array", "inline", "string"]


def string(text: str) -> str:
    """A basic string in ASCII: the escapes of JSON are those of TOML, but for DEL and for what needs more than four digits."""
    quoted = json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
    return "".join(c if c.isascii() else _escaped(ord(c)) for c in quoted)


def _escaped(number: int) -> str:
    if 0xD800 <= number < 0xE000:
        number = 0xFFFD  # half a character is none
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


def array(rows: Iterable[str]) -> str:
    """An array of values that are already TOML, one a line."""
    return "[\n" + "".join(f"    {row},\n" for row in rows) + "]"


def inline(pairs: Mapping[str, str]) -> str:
    """An inline table of strings."""
    return "{ " + ", ".join(f"{key} = {string(value)}" for key, value in pairs.items()) + " }"
