"""A project that Poetry manages: an explicit source, and constraints that name it by marker."""

from __future__ import annotations

from torchdoctor.installers.known import only_there, second_host
from torchdoctor.installers.target import Style, Target, groups, index_name, index_of, requires_python
from torchdoctor.installers.toml import array, inline, string
from torchdoctor.matrix.verdict import Recommendation

__all__ = ["leaves_out", "render"]


def render(targets: tuple[Target, ...], style: Style) -> str:
    """The text of a ``pyproject.toml`` for Poetry 1.8 and newer."""
    found = groups(targets)
    out = ["# Merge into your pyproject.toml; then `poetry lock` and `poetry install`.", "[tool.poetry]"]
    out += ["package-mode = false", "", "[tool.poetry.dependencies]"]
    python = requires_python(targets)
    if python:
        out.append(f"python = {string(python)}")
    rows: dict[str, list[str]] = {}
    sources: dict[str, tuple[str, str]] = {}
    for group in found:
        recommendation = group.target.recommendation
        url = index_of(recommendation, style.index_base)
        wanted = {"torch": recommendation.torch, **recommendation.packages}
        if group.target.system.os == "linux":
            wanted |= dict.fromkeys(only_there(recommendation), "")
        for name, version in wanted.items():
            pairs = {"version": f"=={version}" if version else "*", "markers": group.marker}
            if url is not None:
                pairs["source"] = index_name(recommendation)
            rows.setdefault(name, []).append(inline(pairs))
        if url is not None:
            # ROCm as Python packages has too many names to list: let Poetry look there for what it finds nowhere else.
            sources[index_name(recommendation)] = (url, "supplemental" if second_host(recommendation) else "explicit")
    out += [f"{name} = {array(tables)}" for name, tables in rows.items()]
    for name, (url, priority) in sources.items():
        out += ["", "[[tool.poetry.source]]", f"name = {string(name)}", f"url = {string(url)}"]
        out += [f"priority = {string(priority)}"]
    return "\n".join(out) + "\n"


def leaves_out(recommendation: Recommendation) -> str:
    """What is not done."""
    return (
        "Poetry locks for every platform and may download each variant's wheel to read it; the lock can take minutes."
    )
