"""MkDocs hook: the pages that are made from the code and the data: commands, findings, matrix."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from importlib.resources import files as package_files
from typing import Any

import click

__all__ = ["command_reference", "finding_pages", "matrix_page", "on_files"]


def on_files(files: Any, config: Any) -> Any:
    """Add the generated pages to those that were found."""
    from mkdocs.structure.files import File

    made = {**dict(finding_pages()), "reference/commands.md": command_reference(), "matrix/index.md": matrix_page()}
    for path, text in made.items():
        files.append(File.generated(config, path, content=text))
    return files


def finding_pages() -> Iterator[tuple[str, str]]:
    """(path, Markdown) of the list of findings and of each page, with links between them."""
    from torchdoctor.matrix.findings import STACK, finding_kinds
    from torchdoctor.render.markdown import escape, table

    kinds = finding_kinds()
    lines = ["# Findings", "", "One id is one thing that can be proved from facts and that a person can act on."]
    for layer in reversed(STACK):
        rows = [
            [f"[`{k.id}`]({k.id}.md)", k.severity, escape(k.title)] for k in kinds.values() if k.lies_in[0] == layer
        ]
        if rows:
            lines += ["", f"## Lies in: {layer}", "", *table(["id", "usual severity", "what it says"], rows)]
    yield "findings/index.md", "\n".join(lines) + "\n"
    for id in kinds:
        text = package_files("torchdoctor").joinpath(f"explain/{id}.md").read_text(encoding="utf-8")
        yield f"findings/{id}.md", re.sub(r"`([a-z0-9-]+)`", partial(_linked, id, kinds), text)


def _linked(own: str, kinds: Any, match: re.Match[str]) -> str:
    name = match.group(1)
    return f"[`{name}`]({name}.md)" if name in kinds and name != own else match.group()


def command_reference() -> str:
    """Every command with its options, as click knows them."""
    from torchdoctor.cli import COMMANDS, cli
    from torchdoctor.render.markdown import code, escape, table

    lines = ["# Commands", "", "`python -m torchdoctor` is the same as `torchdoctor`; without a command it is `check`."]
    with click.Context(cli, info_name="torchdoctor") as parent:
        for name in COMMANDS:
            command = cli.get_command(parent, name)
            assert command is not None
            context = click.Context(command, info_name=name, parent=parent)
            usage = command.get_usage(context).removeprefix("Usage: ")
            text = " ".join((command.help or "").split())
            lines += ["", f"## {name}", "", escape(text), "", "```text", " ".join(usage.split()), "```"]
            rows = []
            for param in command.get_params(context):
                record = param.get_help_record(context)
                if record is not None and record[0].startswith("-") and "--help" not in record[0]:
                    rows.append([code(record[0]), escape(record[1])])
            if rows:
                lines += ["", *table(["option", ""], rows)]
    return "\n".join(lines) + "\n"


def matrix_page() -> str:
    """The matrix: pictures of which GPUs each variant carries, then every build of the newest patches."""
    from torchdoctor.release_rows import release_document
    from torchdoctor.render.coverage import COVERAGES, draw_coverage
    from torchdoctor.render.releases import markdown_table

    document = release_document()
    lines = [
        "# The matrix",
        "",
        f"Compiled on {document['matrix']} from data with sources: the newest patch of each release line. "
        "`torchdoctor releases --here` marks what a machine can run.",
    ]
    for title, kinds, prefix in COVERAGES:
        lines += ["", f"## {title}: which variant carries which generation (Linux x86_64)", ""]
        lines += ['<div class="coverage">', draw_coverage(document, title, kinds, prefix), "</div>"]
    lines += ["", "## Every build", "", *markdown_table(document)]
    return "\n".join(lines) + "\n"
