"""TOML read line by line, for what a parser does not tell: on which line a key stands. Values stay text.

Reads what package tools write: tables, arrays of tables, dotted keys, values over several lines. A file that is no valid
TOML gives what could be made out of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from torchdoctor.probes.frozen import dataclass
from torchdoctor.probes.patterns import regex

__all__ = ["Entry", "inline_value", "strings", "toml_entries"]

_KEY = regex(r"[ \t]{0,40}((?:[A-Za-z0-9_-]{1,80}|\"[^\"\n]{0,80}\"|'[^'\n]{0,80}')(?:\.(?:[A-Za-z0-9_-]{1,80}|\"[^\"\n]{0,80}\"|'[^'\n]{0,80}')){0,6})[ \t]{0,40}=")  # fmt: skip
_STRING = regex(r"\"((?:[^\"\\\n]|\\.){0,2000})\"|'([^'\n]{0,2000})'")
_SPACES = regex(r"\s+")
_LONGEST = 400  # lines of one value


@dataclass(frozen=True, slots=True)
class Entry:
    """``table`` is the dotted name of the table, ``number`` counts the tables of an array of that name from 0."""

    line: int
    table: str
    number: int
    key: str
    value: str


def toml_entries(text: str) -> Iterator[Entry]:
    """Every key with its table and line, in the order of the file."""
    table, number = "", 0
    counts: dict[str, int] = {}
    lines = text.splitlines()
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        bare = line.strip()
        if not bare or bare.startswith("#"):
            continue
        if bare.startswith("["):
            array = bare.startswith("[[")
            table = bare.strip("[] \t").partition("]")[0].strip().replace('"', "").replace("'", "")
            number = counts[table] = counts.get(table, -1) + 1 if array else 0
            continue
        match = _KEY.match(line)
        if match is None:
            continue
        start, value = at, _uncommented(line[match.end() :])
        depth = _depth(value)
        quotes = next((q for q in ('"""', "'''") if value.lstrip().startswith(q) and value.count(q) == 1), None)
        parts = [value]
        while at < len(lines) and at - start < _LONGEST and (depth > 0 or quotes):
            more = lines[at] if quotes else _uncommented(lines[at])
            at += 1
            parts.append(more)
            if quotes:
                quotes = None if quotes in more else quotes
            else:
                depth += _depth(more)
        key = match[1].replace('"', "").replace("'", "")
        yield Entry(start, table, number, key, _SPACES.sub(" ", "\n".join(parts)).strip())


def strings(value: str) -> list[str]:
    """The quoted strings in a value, in order."""
    return [a or b for a, b in _STRING.findall(value)]


def inline_value(value: str, key: str) -> str | None:
    """``{ index = "pytorch-cpu", marker = "…" }``, ``index`` → ``pytorch-cpu``; the first one in a list of tables."""
    match = re.search(
        rf"(?:[{{,]|^)\s{{0,20}}{re.escape(key)}\s{{0,20}}=\s{{0,20}}(\"[^\"\n]{{0,1000}}\"|'[^'\n]{{0,1000}}'|\w{{1,40}})",
        value,
    )
    return match[1].strip("\"'") if match else None


def _depth(text: str) -> int:
    bare = _STRING.sub("", text)
    return bare.count("[") + bare.count("{") - bare.count("]") - bare.count("}")


def _uncommented(line: str) -> str:
    if "#" not in line:
        return line
    bare = _STRING.sub(lambda m: "x" * len(m[0]), line)
    at = bare.find("#")
    return line if at < 0 else line[:at]
