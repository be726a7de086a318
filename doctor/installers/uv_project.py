"""A project that uv manages: an explicit index, and sources that send torch's family there by marker."""

from __future__ import annotations

from torchdoctor.installers.known import only_there, second_host
from torchdoctor.installers.target import (
    Group,
    Style,
    Target,
    any_of,
    groups,
    index_name,
    index_of,
    pins,
    requires_python,
)
from torchdoctor.installers.toml import array, inline, string
from torchdoctor.matrix.verdict import Recommendation

__all__ = ["leaves_out", "render"]


def render(targets: tuple[Target, ...], style: Style) -> str:
    """The text of a ``pyproject.toml``."""
    found = groups(targets)
    out = ["# Merge into your pyproject.toml, keep your own name and version; then `uv sync`.", "[project]"]
    out += ['name = "my-project"', 'version = "0.1.0"']
    python = requires_python(targets)
    if python:
        out.append(f"requires-python = {string(python)}")
    out += [f"dependencies = {array(_dependencies(found))}", "", "[tool.uv]"]
    out += [f"environments = {array(string(g.marker) for g in found)}"]
    for name, (url, explicit) in _indexes(found, style).items():
        out += ["", "[[tool.uv.index]]", f"name = {string(name)}", f"url = {string(url)}"]
        out += (
            ["explicit = true"] if explicit else ["# not explicit: the ROCm packages below torch come from there too"]
        )
    sources = _sources(found, style)
    if sources:
        out += ["", "[tool.uv.sources]"]
        out += [f"{name} = {array(rows)}" for name, rows in sources.items()]
    return "\n".join(out) + "\n"


def _dependencies(found: tuple[Group, ...]) -> list[str]:
    rows: dict[str, list[str]] = {}
    for group in found:
        wanted = pins(group.target.recommendation)
        if group.target.system.os == "linux":
            # uv follows a source only for what the project itself asks for.
            wanted += only_there(group.target.recommendation)
        for pin in wanted:
            rows.setdefault(pin, []).append(group.marker)
    return [string(pin if len(marks) == len(found) else f"{pin} ; {any_of(marks)}") for pin, marks in rows.items()]


def _indexes(found: tuple[Group, ...], style: Style) -> dict[str, tuple[str, bool]]:
    return {
        index_name(g.target.recommendation): (url, second_host(g.target.recommendation) is None)
        for g in found
        if (url := index_of(g.target.recommendation, style.index_base))
    }


def _sources(found: tuple[Group, ...], style: Style) -> dict[str, list[str]]:
    rows: dict[str, list[str]] = {}
    for group in found:
        if index_of(group.target.recommendation, style.index_base) is None:
            continue
        names = [*group.target.recommendation.packages]
        if group.target.system.os == "linux":
            names += only_there(group.target.recommendation)
        for name in dict.fromkeys(["torch", *names]):
            rows.setdefault(name, []).append(
                inline({"index": index_name(group.target.recommendation), "marker": group.marker})
            )
    return rows


def leaves_out(recommendation: Recommendation) -> str:
    """What is not done."""
    return "Locks for the named machines only; free-threaded interpreters cannot be told apart in a project file."
