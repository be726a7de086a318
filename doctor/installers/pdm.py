"""A project that PDM manages: a source that alone serves torch's family."""

from __future__ import annotations

from dataclasses import replace

from torchdoctor.installers.known import only_there, second_host
from torchdoctor.installers.target import (
    Style,
    Target,
    any_of,
    groups,
    index_name,
    index_of,
    keep_apart,
    label,
    on_own_index,
    pins,
    requires_python,
)
from torchdoctor.installers.toml import array, string
from torchdoctor.matrix.verdict import Recommendation
from torchdoctor.probes.facts import System

__all__ = ["leaves_out", "render"]


def render(targets: tuple[Target, ...], style: Style) -> str:
    """The text of a ``pyproject.toml``."""
    found = groups(targets)
    several = len({index_of(g.target.recommendation, style.index_base) for g in found}) > 1
    if several:
        # PDM binds a package to its indexes for all machines at once, so each build has to be on one of them.
        found = tuple(replace(g, target=on_own_index(g.target)) for g in found)
        keep_apart(found, "PDM")
    dependencies: dict[str, list[str]] = {}
    sources: dict[str, tuple[str, list[str]]] = {}
    for group in found:
        recommendation = group.target.recommendation
        for pin in pins(recommendation, label(group.target) if several else None):
            dependencies.setdefault(pin, []).append(group.marker)
        url = index_of(recommendation, style.index_base)
        if url is not None:
            names = ["torch", *recommendation.packages, *only_there(recommendation)]
            names += ["rocm*"] if second_host(recommendation) else []
            sources[index_name(recommendation)] = (url, list(dict.fromkeys(names)))
    out = ["# Merge into your pyproject.toml, keep your own name and version; then `pdm install`."]
    if len(dependencies) > len({p.partition("==")[0] for p in dependencies}):
        # One lock for all platforms holds a package once: different builds take one lock target a platform.
        out.append("# Before that, and again after `pdm add --no-sync NAME`, lock for each platform:")
        for i, group in enumerate(found):
            out.append(f"#   pdm lock --platform {_platform(group.target.system)}{' --append' if i else ''}")
    out.append("[project]")
    out += ['name = "my-project"', 'version = "0.1.0"']
    python = requires_python(targets)
    if python:
        out.append(f"requires-python = {string(python)}")
    rows = [string(p if len(m) == len(found) else f"{p} ; {any_of(m)}") for p, m in dependencies.items()]
    out += [f"dependencies = {array(rows)}", "", "[tool.pdm]", "distribution = false"]
    for name, (url, names) in sources.items():
        out += ["", "[[tool.pdm.source]]", f"name = {string(name)}", f"url = {string(url)}"]
        out += [f"include_packages = {array(string(n) for n in names)}"]
    return "\n".join(out) + "\n"


def _platform(system: System) -> str:
    machine = "arm64" if system.machine == "aarch64" else system.machine
    if system.os == "macos":
        return f"macos_{machine}"
    if system.os == "windows":
        return "windows_amd64" if machine == "x86_64" else f"windows_{machine}"
    numbers = (system.libc_version or "").split(".")
    known = system.libc == "glibc" and len(numbers) >= 2 and all(n.isdecimal() and n.isascii() for n in numbers[:2])
    glibc = f"{numbers[0]}_{numbers[1]}" if known else "2_28"
    return f"manylinux_{glibc}_{system.machine}"


def leaves_out(recommendation: Recommendation) -> str:
    """What is not done."""
    return "Names torch's family only: other packages that torch's index serves come from your usual index."
