"""Which variants carry which GPU generation, over the releases, as a picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from torchdoctor.render.page import esc

__all__ = ["COVERAGES", "draw_coverage"]

#: Generation → compute capabilities that stand for it in a build's list. A build carries a generation when its list holds
#: one of them, since code for an older member of the same major runs on the newer one.
_NVIDIA: Sequence[tuple[str, tuple[str, ...]]] = (
    ("Kepler 3.7", ("3.7",)),
    ("Maxwell 5.x", ("5.0", "5.2")),
    ("Pascal 6.x", ("6.0", "6.1")),
    ("Volta 7.0", ("7.0",)),
    ("Turing 7.5", ("7.5",)),
    ("Ampere, Ada 8.x", ("8.0", "8.6", "8.9")),
    ("Hopper 9.0", ("9.0",)),
    ("Blackwell 10.x", ("10.0", "10.3")),
    ("Blackwell 12.x", ("12.0", "12.1")),
)
_AMD: Sequence[tuple[str, tuple[str, ...]]] = (
    ("Vega gfx900/906", ("gfx900", "gfx906")),
    ("CDNA 1/2 gfx908/90a", ("gfx908", "gfx90a")),
    ("CDNA 3 gfx942", ("gfx942",)),
    ("CDNA 4 gfx950", ("gfx950",)),
    ("RDNA 2 gfx1030", ("gfx1030",)),
    ("RDNA 3 gfx110x", ("gfx1100", "gfx1101", "gfx1102")),
    ("RDNA 3.5 gfx115x", ("gfx1150", "gfx1151")),
    ("RDNA 4 gfx120x", ("gfx1200", "gfx1201")),
)

#: The pictures there are: (title, generations, prefix of the variants).
COVERAGES = (("NVIDIA GPUs", _NVIDIA, "cu"), ("AMD GPUs", _AMD, "rocm"))


def draw_coverage(
    document: Mapping[str, Any], title: str, kinds: Sequence[tuple[str, tuple[str, ...]]], prefix: str
) -> str:
    """An inline ``<svg>``: release lines from left (newest) to right, generations from top to bottom, in each cell the variants
    for Linux x86_64 that carry it. Empty where no row of that kind is in the document.
    """
    rows = [
        r for r in document["rows"] if r["platform"] == "linux_x86_64" and r["variant"].startswith(prefix) and r["gpus"]
    ]
    lines: list[str] = []
    for row in rows:
        if row["torch"] not in lines:
            lines.append(row["torch"])
    if not lines:
        return ""
    left, top, wide, high = 150, 26, 49, 56
    parts, told = [], []
    for n, line in enumerate(lines):
        parts.append(f'<text class="head" x="{left + n * wide + wide // 2}" y="16">{esc(line)}</text>')
    for k, (name, members) in enumerate(kinds):
        y = top + k * high
        parts.append(f'<text class="side" x="8" y="{y + high // 2 + 4}">{esc(name)}</text>')
        carried = []
        for n, line in enumerate(lines):
            variants = [
                r["variant"].removeprefix(prefix) for r in rows if r["torch"] == line and set(members) & set(r["gpus"])
            ]
            x = left + n * wide
            parts.append(
                f'<rect class="cell{" on" if variants else ""}" x="{x + 1}" y="{y + 1}" width="{wide - 2}" height="{high - 2}" rx="4"/>'
            )
            first = y + high // 2 + 4 - (len(variants) - 1) * 6
            parts += [
                f'<text class="in" x="{x + wide // 2}" y="{first + i * 12}">{esc(v)}</text>'
                for i, v in enumerate(variants)
            ]
            if variants:
                carried.append(f"{line} ({', '.join(variants)})")
        told.append(f"{name}: {', '.join(carried) or 'none'}")
    width, height = left + len(lines) * wide + 8, top + len(kinds) * high + 6
    name = esc(title.split()[0].lower())
    return (
        f'<svg class="coverage" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" '
        f'aria-labelledby="{name}-t {name}-d" xmlns="http://www.w3.org/2000/svg">'
        f'<title id="{name}-t">{esc(title)}: which {esc(prefix)} variants carry which generation, by release</title>'
        f'<desc id="{name}-d">{esc("; ".join(told))}</desc>' + "".join(parts) + "</svg>"
    )
