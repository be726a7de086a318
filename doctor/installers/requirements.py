"""A requirements file of its own: an index line in such a file counts for every package in it."""

from __future__ import annotations

from dataclasses import replace

from torchdoctor.installers.target import Style, Target, groups, index_of, keep_apart, label, on_own_index, pins
from torchdoctor.matrix.verdict import Recommendation

__all__ = ["leaves_out", "render"]


def render(targets: tuple[Target, ...], style: Style) -> str:
    """The text of the file. Several indexes are told apart by exact local versions."""
    head = ["# Keep apart from your other requirements: an index line counts for every package of the file."]
    if len({_index(t, style) for t in targets}) == 1 and len({tuple(pins(t.recommendation)) for t in targets}) == 1:
        url = _index(targets[0], style)
        extra = [f"--extra-index-url {u}" for u in targets[0].recommendation.extra_index_urls]
        body = [f"--index-url {url}"] if url else []
        return "\n".join([*head, *body, *extra, *pins(targets[0].recommendation)]) + "\n"
    found = groups(targets)
    if any(t.recommendation.index_url for t in targets):
        # An index line counts for all: only a label keeps the builds apart. Wheels for macOS have none and need none.
        found = tuple(g if g.target.system.os == "macos" else replace(g, target=on_own_index(g.target)) for g in found)
    keep_apart(found, "a requirements file")
    urls = list(dict.fromkeys(u for g in found if (u := _index(g.target, style))))
    lines = []
    for group in found:
        held = label(group.target)
        lines += [f"{pin} ; {group.marker}" for pin in pins(group.target.recommendation, held)]
    return "\n".join([*head, *(f"--extra-index-url {u}" for u in urls), *lines]) + "\n"


def _index(target: Target, style: Style) -> str | None:
    return index_of(target.recommendation, style.index_base)


def leaves_out(recommendation: Recommendation) -> str:
    """What is not done."""
    return "Holds torch's family only and pins nothing below it; install it first, then your other requirements."
