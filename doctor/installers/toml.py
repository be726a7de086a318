"""Writing the few shapes of TOML that project files need; every string is escaped."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

__all__ = ["array", "inline", "string"]


def string(text: str) -> str:
    """A basic string: the escapes of JSON are those of TOML, but for DEL."""
    return json.dumps(text).replace("\x7f", "\\u007f")


def array(rows: Iterable[str]) -> str:
    """An array of values that are already TOML, one a line."""
    return "[\n" + "".join(f"    {row},\n" for row in rows) + "]"


def inline(pairs: Mapping[str, str]) -> str:
    """An inline table of strings."""
    return "{ " + ", ".join(f"{key} = {string(value)}" for key, value in pairs.items()) + " }"
