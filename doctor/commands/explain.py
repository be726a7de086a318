"""``torchdoctor explain [ID]``: the page of a finding, or the list of all findings."""

from __future__ import annotations

import sys
from importlib.resources import files

import click

__all__ = ["command"]


@click.command("explain")
@click.argument("ids", metavar="[ID]...", nargs=-1)
@click.option(
    "--format",
    "format_",
    metavar="NAME",
    type=click.Choice(("text", "markdown")),
    default="text",
    show_default=True,
    help="text, markdown.",
)
def command(ids: tuple[str, ...], format_: str) -> None:
    """What a finding means, how it is established, how to fix it. Without an ID: every finding."""
    from torchdoctor.matrix.findings import finding_kinds
    from torchdoctor.output import emit, is_utf8, terminal_width, wants_color
    from torchdoctor.render.manual import render_list, render_page

    kinds = finding_kinds()
    for id in ids:
        if id not in kinds:
            raise click.UsageError(f"no such finding: {id[:80]} ({_nearest(id, list(kinds))})")
    width, ascii = terminal_width(sys.stdout), not is_utf8(sys.stdout)
    color = wants_color(sys.stdout)
    if not ids:
        rows = [(k.id, k.severity, k.title) for k in kinds.values()]
        emit([render_list(rows, width=width, color=color, ascii=ascii, markdown=format_ == "markdown")], "-")
        return
    pages = [_page(id) for id in ids]
    if format_ == "text":
        pages = [render_page(page, width=width, color=color, ascii=ascii) for page in pages]
    emit(["\n".join(pages)], "-")


def _page(id: str) -> str:
    return files("torchdoctor").joinpath(f"explain/{id}.md").read_text(encoding="utf-8")


def _nearest(id: str, known: list[str]) -> str:
    from difflib import get_close_matches

    low = id.strip().lower()
    near = get_close_matches(low, known, n=3, cutoff=0.6) or [k for k in known if low and low in k][:3]
    near = near or get_close_matches(low, known, n=3, cutoff=0.3)
    return f"nearest: {', '.join(near)}" if near else "torchdoctor explain lists them"
