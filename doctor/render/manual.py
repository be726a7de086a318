"""A page of the findings' manual, and the list of them, for a terminal."""

from __future__ import annotations

import re
from collections.abc import Sequence

from torchdoctor.render.clean import ascii_text, cells, wrap
from torchdoctor.render.markdown import code, escape, table

__all__ = ["render_list", "render_page"]

_EMPHASIS = re.compile(r"(?<![\w*`])\*([^*`\s]{1,80})\*")
_COLORS = {"blocker": "1;31", "warning": "1;33", "note": "36"}


def render_page(page: str, *, width: int = 80, color: bool = False, ascii: bool = False) -> str:
    """One page of Markdown for people: drawn by rich where there is colour, else wrapped with its marks left out."""
    text = _drawn(page, width) if color else _plain(page, width)
    return ascii_text(text) if ascii else text


def _drawn(page: str, width: int) -> str:
    import io

    from rich.console import Console
    from rich.markdown import Markdown

    out = io.StringIO()
    console = Console(file=out, force_terminal=True, color_system="standard", width=width, legacy_windows=False)
    console.print(Markdown(re.sub(r"<(https://[^>]+)>", r"\1", page), hyperlinks=False))
    return out.getvalue()


def _plain(page: str, width: int) -> str:
    lines: list[str] = []
    for block in page.strip().split("\n\n"):
        for line in block.split("\n"):
            text = re.sub(r"<(https://[^>]+)>", r"\1", _EMPHASIS.sub(r"\1", line.replace("**", "")))
            if text.startswith("#"):
                title = text.lstrip("#").strip()
                lines.append(title if line.startswith("## ") else f"{title}\n{'=' * cells(title)}")
            elif text.startswith("- "):
                head, *rest = wrap(text[2:], width - 4)
                lines += [f"  - {head}", *(f"    {r}" for r in rest)]
            else:
                lines += [f"  {part}" for part in wrap(text, width - 2)]
        lines.append("")
    return "\n".join(lines[:-1]) + "\n"


def render_list(
    rows: Sequence[tuple[str, str, str]],
    *,
    width: int = 80,
    color: bool = False,
    ascii: bool = False,
    markdown: bool = False,
) -> str:
    """The list of (id, usual severity, title)."""
    if markdown:
        return (
            "\n".join(table(["id", "severity", "what it says"], [[code(a), b, escape(c)] for a, b, c in rows])) + "\n"
        )
    wide = max(len(id) for id, _, _ in rows)
    lines = []
    for id, severity, title in rows:
        head, *rest = wrap(title, max(width - wide - 12, 20))
        mark = f"\x1b[{_COLORS[severity]}m{severity:<8}\x1b[0m" if color else f"{severity:<8}"
        lines.append(f"{id:<{wide}}  {mark}  {head}")
        lines += [" " * (wide + 12) + r for r in rest]
    text = "\n".join([*lines, "", "torchdoctor explain ID shows one of them."]) + "\n"
    return ascii_text(text) if ascii else text
