"""Text from machines and strangers, made safe to show: no terminal escapes, no hidden or direction-changing characters."""

from __future__ import annotations

import re
import unicodedata

__all__ = ["ascii_text", "cells", "clean", "fit", "wrap"]

_UNSAFE = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufe00-\ufe0f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e01ef]"
)
_PLAIN = str.maketrans(
    {"✓": "+", "✗": "x", "×": "x", "·": "-", "•": "-", "→": "->", "←": "<-", "…": "...", "–": "-", "—": "-", "≥": ">=",
     "≤": "<=", "“": '"', "”": '"', "‘": "'", "’": "'", "─": "-"}
)  # fmt: skip


def clean(value: object) -> str:
    """``value`` as one line of harmless text: line breaks and tabs become spaces, control characters ``\\x1b``."""
    text = value if isinstance(value, str) else str(value)
    return _UNSAFE.sub(_visible, text) if _UNSAFE.search(text) else text


def _visible(match: re.Match[str]) -> str:
    char = match.group()
    if char in "\n\r\t\v\f\u2028\u2029":
        return " "
    code = ord(char)
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"


def ascii_text(text: str) -> str:
    """``text`` in ASCII alone: our own signs get a likeness, everything else its escape."""
    return text.translate(_PLAIN).encode("ascii", "backslashreplace").decode("ascii")


def cells(text: str) -> int:
    """The columns that ``text`` takes on a terminal (wide East Asian characters take two, combining ones none)."""
    if text.isascii():
        return len(text)
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def fit(text: str, width: int) -> str:
    """``text`` cut to ``width`` columns, with ``…`` where something was cut."""
    if cells(text) <= width:
        return text
    while text and cells(text) > width - 1:
        text = text[:-1]
    return text.rstrip() + "…"


def wrap(text: str, width: int) -> list[str]:
    """``text`` broken at spaces into lines of at most ``width`` columns; a longer word is broken where it must be."""
    lines, line, used = [], "", 0
    for word in text.split():
        size = cells(word)
        if line and used + 1 + size <= width:
            line, used = f"{line} {word}", used + 1 + size
            continue
        if line:
            lines.append(line)
        while size > width:
            head = _head(word, width)
            lines.append(head)
            word = word[len(head) :]
            size = cells(word)
        line, used = word, size
    return [*lines, line] if line else lines or [""]


def _head(word: str, width: int) -> str:
    if word.isascii():
        return word[: max(width, 1)]
    head, used = "", 0
    for char in word:
        used += cells(char)
        if head and used > width:
            break
        head += char
    return head
