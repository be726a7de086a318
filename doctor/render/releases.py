"""The compatibility matrix as text, Markdown and HTML, with a picture of which GPUs each variant carries."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from torchdoctor.render.clean import ascii_text, clean
from torchdoctor.render.coverage import COVERAGES, draw_coverage
from torchdoctor.render.markdown import code, escape, table
from torchdoctor.render.page import esc, filtered_table, page
from torchdoctor.render.table import text_table

__all__ = [
    "markdown_table",
    "merged",
    "render_releases_html",
    "render_releases_markdown",
    "render_releases_text",
    "spans",
]

_PLATFORMS = {
    "linux_x86_64": "Linux x86_64",
    "linux_aarch64": "Linux aarch64",
    "linux_s390x": "Linux s390x",
    "windows_amd64": "Windows",
    "windows_arm64": "Windows arm64",
    "macos_arm64": "macOS arm64",
    "macos_x86_64": "macOS Intel",
}
_HEADER = ("torch", "variant", "platform", "Python", "GPUs", "needs")


def merged(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The rows with platforms that share everything else put together under ``platforms``."""
    found: dict[tuple[object, ...], dict[str, Any]] = {}
    for row in rows:
        key = (
            row["torch"],
            row["variant"],
            tuple(row["pythons"]),
            None if row["gpus"] is None else tuple(row["gpus"]),
            row["driver"],
            row["system"],
            row["metal"],
            str(row["here"]),
        )
        found.setdefault(key, {**row, "platforms": []})["platforms"].append(row["platform"])
    return list(found.values())


def _cells(row: Mapping[str, Any]) -> list[str]:
    gpus = row["gpus"]
    needs = [
        f"driver {row['driver']}" if row["driver"] else "",
        row["system"] or "",
        f"Metal: {row['metal']}" if row["metal"] else "",
    ]
    return [
        row["torch"],
        row["variant"],
        ", ".join(_platform(p) for p in row["platforms"]),
        spans(row["pythons"]),
        "not known" if gpus is None else _gpus(gpus) or ("" if row["metal"] is None else "Apple silicon"),
        ", ".join(n for n in needs if n),
    ]


def _gpus(gpus: Sequence[str]) -> str:
    """``7.5 8.0``; ``gfx942 1030 1100``, the prefix named once; names of Intel platforms with commas."""
    if gpus and gpus[0].startswith("gfx"):
        return "gfx" + " ".join(g.removeprefix("gfx") for g in gpus)
    return (" " if not gpus or gpus[0][:1].isdecimal() else ", ").join(gpus)


def _platform(name: str) -> str:
    return _PLATFORMS.get(name, name)


def spans(pythons: Sequence[str]) -> str:
    """``3.11 3.12 3.13 3.14 3.14t`` → ``3.11–3.14 3.14t``."""
    runs: list[list[str]] = []
    for version in pythons:
        if runs and not version.endswith("t") and _minor(version) == _minor(runs[-1][-1]) + 1:
            runs[-1].append(version)
        else:
            runs.append([version])
    return " ".join(run[0] if len(run) == 1 else f"{run[0]}–{run[-1]}" for run in runs)


def _minor(version: str) -> int:
    digits = version.partition(".")[2]
    return int(digits) if digits.isdecimal() and len(digits) < 6 else -9


def _here(here: Mapping[str, Any] | None) -> str:
    if here is None:
        return ""
    if here["accepted"]:
        return "✓ runs" + (f" ({', '.join(here['unknown'])} not known)" if here["unknown"] else "")
    reasons = [*here["reasons"], *(f"{u} not known" for u in here["unknown"])]
    return f"✗ {', '.join(reasons)}" if here["reasons"] else f"? {', '.join(reasons)}"


def _marked(document: Mapping[str, Any]) -> bool:
    return any(row["here"] is not None for row in document["rows"])


def _shown(document: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The rows people want to see: where a machine was judged, those of its platform."""
    return [r for r in document["rows"] if r["here"] is None or r["here"]["reasons"] != ["another platform"]]


def render_releases_text(
    document: Mapping[str, Any], *, width: int = 80, color: bool = False, ascii: bool = False
) -> str:
    """The matrix as a table of at most ``width`` columns, ending with a line break."""
    rows = merged(_shown(document))
    here = _marked(document)
    header = [*_HEADER, "here"] if here else list(_HEADER)
    body = [[*_cells(row), _here(row["here"])] if here else _cells(row) for row in rows]
    seen = ""
    for row in body:
        # A release is named once; its further rows leave the column empty.
        row[0], seen = ("" if row[0] == seen else row[0]), row[0] or seen
    about = f"matrix of {clean(document['matrix'])}"
    if body and all(row[2] == body[0][2] for row in body):
        about += f", builds for {body[0][2]}"
        header, body = [*header[:2], *header[3:]], [[*row[:2], *row[3:]] for row in body]
    lines = text_table(header, body, width, style=_styled(body, here) if color else None)
    text = "\n".join([*lines, "", about]) + "\n"
    return ascii_text(text) if ascii else text


def _styled(body: Sequence[Sequence[str]], here: bool) -> Callable[[int, int, str], str]:
    def style(row: int, column: int, text: str) -> str:
        if row < 0:
            return f"\x1b[2m{text}\x1b[0m"
        if column == 0:
            return f"\x1b[1m{text}\x1b[0m"
        if here and column == len(body[row]) - 1:
            code = {"✓": "32", "✗": "31"}.get(body[row][column][:1], "33")
            return f"\x1b[{code}m{text}\x1b[0m"
        return text

    return style


def render_releases_markdown(document: Mapping[str, Any]) -> str:
    """The matrix as one Markdown table with a heading."""
    return (
        "\n".join(["## torch releases", "", *markdown_table(document), "", f"Matrix of {escape(document['matrix'])}."])
        + "\n"
    )


def markdown_table(document: Mapping[str, Any]) -> list[str]:
    """The lines of the Markdown table alone."""
    here = _marked(document)
    header = [*_HEADER, "here"] if here else list(_HEADER)
    rows = []
    for row in merged(_shown(document)):
        torch, variant, *rest = _cells(row)
        shown = [escape(torch), code(variant), *(escape(c) for c in rest)]
        rows.append([*shown, escape(_here(row["here"]))] if here else shown)
    return table(header, rows)


def render_releases_html(document: Mapping[str, Any]) -> str:
    """The matrix as a page: which GPUs each variant carries over the releases as a picture, then the table."""
    here = _marked(document)
    rows = []
    for row in merged(_shown(document)):
        cells = [esc(c) for c in _cells(row)]
        state = "" if row["here"] is None else "yes" if row["here"]["accepted"] else "no"
        if here:
            cells.append(f'<span class="{state or "maybe"}">{esc(_here(row["here"]))}</span>')
        rows.append((state, cells))
    states = (("yes", "what runs here"), ("no", "what does not")) if here else ()
    header = (*_HEADER, "here") if here else _HEADER
    pictures = ""
    for title, kinds, prefix in COVERAGES:
        drawn = draw_coverage(document, title, kinds, prefix)
        if drawn:
            pictures += (
                f"<h2>{title}: which variant carries which generation</h2>"
                f'<div class="scroll" tabindex="0" role="region" aria-label="{title} over releases">{drawn}</div>'
            )
    body = (
        '<header class="verdict ok"><span class="tag ok">matrix</span><h1>torch releases: what was published, and what it '
        f"needs</h1></header>\n<main>{pictures}<h2>Every build</h2>"
        f"{filtered_table('Builds', header, rows, states=states)}</main>"
    )
    return page("torch releases", body, footer=f"torchdoctor, compatibility matrix of {document['matrix']}.")
