"""``torchdoctor releases``: the compatibility matrix as a table, and what of it this machine can run."""

from __future__ import annotations

import json
import sys
from typing import Any

import click
from torchdoctor.options import machine_options
from torchdoctor.subject import subject_options

__all__ = ["command"]


@click.command("releases")
@click.option("--torch", metavar="SPEC", help="Only these releases: 2.14, 2.14.1 or '>=2.8,<2.12'.")
@click.option("--variant", metavar="NAME", help="Only this variant or family: cu126, rocm, xpu, cpu …")
@click.option("--patches", is_flag=True, help="Every patch release, not only the newest of each line.")
@click.option(
    "--here", is_flag=True, help="Mark what this machine (or the declared one) can run, and why not the rest."
)
@subject_options
@machine_options
@click.option(
    "--format",
    "format_",
    metavar="NAME",
    type=click.Choice(("text", "json", "markdown", "html")),
    default="text",
    show_default=True,
    help="text, json, markdown, html.",
)
@click.option("--output", metavar="FILE", default="-", help="Write the table there; - is standard output.")
def command(
    torch: str | None, variant: str | None, patches: bool, here: bool, format_: str, output: str, **values: Any
) -> int:
    """The compatibility matrix: release, variant, platform, Python, GPUs, what it needs."""
    from torchdoctor.output import emit
    from torchdoctor.release_rows import release_document

    document = release_document(torch=torch, variant=variant, every_patch=patches)
    if not document["rows"]:
        asked = " ".join(t for t in (torch and f"--torch {torch}", variant and f"--variant {variant}") if t)
        raise click.ClickException(f"{asked}: nothing of that kind was published (torchdoctor releases lists what was)")
    declared = any(values.get(k) for k in ("machine", "gpus", "driver", "os", "arch"))
    if here or declared:
        _mark(document, torch, variant, values)
    emit([_rendered(document, format_, to_file=output != "-")], output)
    return 0


def _mark(document: dict[str, Any], torch: str | None, variant: str | None, values: dict[str, Any]) -> None:
    from torchdoctor.api import Options
    from torchdoctor.matrix.platforms import platforms_of
    from torchdoctor.release_rows import mark_here
    from torchdoctor.subject import subject

    python, timeout = values.pop("python"), values.pop("timeout")
    options = Options(torch=torch, variant=variant, python=python, timeout=timeout, every=True)
    report = subject(options, **values)
    possible = platforms_of(report.facts).possible
    mark_here(document, report.to_dict(), possible[0] if len(possible) == 1 else None)


def _rendered(document: dict[str, Any], format_: str, *, to_file: bool) -> str:
    from torchdoctor.output import is_utf8, terminal_width, wants_color
    from torchdoctor.render.releases import render_releases_html, render_releases_markdown, render_releases_text

    if format_ == "json":
        return json.dumps(document, indent=2, ensure_ascii=False) + "\n"
    if format_ == "markdown":
        return render_releases_markdown(document)
    if format_ == "html":
        return render_releases_html(document)
    return render_releases_text(
        document,
        width=100 if to_file else max(terminal_width(sys.stdout), 80),
        color=not to_file and wants_color(sys.stdout),
        ascii=not to_file and not is_utf8(sys.stdout),
    )
