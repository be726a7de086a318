"""Plain tables that fit a width: columns as wide as their content, the widest ones wrapped."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from torchdoctor.render.clean import cells, clean, wrap

__all__ = ["text_table"]

_GAP = 2
_WORD = 24  # a longer word may be broken


def text_table(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    width: int,
    *,
    style: Callable[[int, int, str], str] | None = None,
) -> list[str]:
    """Lines of a table at most ``width`` columns wide as far as words allow. ``style(row, column, text)`` may colour a
    padded cell (row -1 is the header).
    """
    cleaned = [[clean(c) for c in row] for row in rows]
    widths = _widths([list(header), *cleaned], width)
    lines = _row(-1, list(header), widths, style)
    for n, row in enumerate(cleaned):
        lines += _row(n, row, widths, style)
    return lines


def _widths(rows: list[list[str]], width: int) -> list[int]:
    columns = range(len(rows[0]))
    wants = [max(cells(row[c]) for row in rows) for c in columns]
    words = [min(max((cells(w) for row in rows for w in row[c].split()), default=1), _WORD) for c in columns]
    room = width - _GAP * (len(wants) - 1)
    while sum(wants) > room:
        loose = [c for c in columns if wants[c] > words[c]]
        if not loose:
            break  # no column can give more without cutting words: wider than asked for
        wants[max(loose, key=lambda c: wants[c])] -= 1
    return wants


def _row(n: int, row: list[str], widths: list[int], style: Callable[[int, int, str], str] | None) -> list[str]:
    parts = [wrap(text, size) if text else [""] for text, size in zip(row, widths, strict=True)]
    lines = []
    for k in range(max(len(p) for p in parts)):
        shown = []
        for c, (part, size) in enumerate(zip(parts, widths, strict=True)):
            text = part[k] if k < len(part) else ""
            padded = text + " " * (size - cells(text)) if c < len(parts) - 1 else text
            shown.append(style(n, c, padded) if style and text else padded)
        lines.append((" " * _GAP).join(shown).rstrip())
    return lines
