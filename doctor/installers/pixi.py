"""A pixi workspace: Python from conda-forge, torch as a PyPI dependency with its own index, by platform."""

from __future__ import annotations

from torchdoctor.installers.known import only_there, second_host
from torchdoctor.installers.target import InstallerError, Style, Target, groups, index_of, minor
from torchdoctor.installers.toml import array, string
from torchdoctor.matrix.verdict import Recommendation

__all__ = ["leaves_out", "render"]

_PLATFORMS = {
    ("linux", "x86_64"): "linux-64",
    ("linux", "aarch64"): "linux-aarch64",
    ("windows", "x86_64"): "win-64",
    ("windows", "aarch64"): "win-arm64",
    ("macos", "x86_64"): "osx-64",
    ("macos", "aarch64"): "osx-arm64",
}


def render(targets: tuple[Target, ...], style: Style) -> str:
    """The text of a ``pixi.toml``."""
    found = groups(targets)
    platforms: dict[str, Target] = {}
    for group in found:
        key = (group.target.system.os or "", group.target.system.machine or "")
        if key not in _PLATFORMS:
            raise InstallerError(f"pixi has no platform for {' '.join(key)}")
        if _PLATFORMS[key] in platforms:
            raise InstallerError(f"pixi tells machines apart by platform only, and {_PLATFORMS[key]} takes two builds")
        platforms[_PLATFORMS[key]] = group.target
    minors = {minor(t.python) for t in targets}
    if len(minors) > 1:
        raise InstallerError("a pixi environment holds one Python, and these machines have several")
    python = next(iter(minors))
    out = ["# Merge into your pixi.toml; then `pixi install`.", "[workspace]", 'name = "my-project"']
    out += ['channels = ["conda-forge"]', f"platforms = {array(string(p) for p in platforms)}", "", "[dependencies]"]
    out += [f"python = {string(f'{python}.*' if python else '*')}"]
    for platform, target in platforms.items():
        out += ["", f"[target.{platform}.pypi-dependencies]"]
        recommendation = target.recommendation
        url = index_of(recommendation, style.index_base)
        rows = {n: f"=={v}" for n, v in {"torch": recommendation.torch, **recommendation.packages}.items()}
        if target.system.os == "linux":
            rows |= dict.fromkeys(only_there(recommendation), "*")
        for name, version in rows.items():
            pairs = {"version": version} | ({"index": url} if url else {})
            out.append(f"{name} = " + "{ " + ", ".join(f"{k} = {string(v)}" for k, v in pairs.items()) + " }")
        if url and second_host(recommendation):
            out += ["", f"[target.{platform}.pypi-options]", f"extra-index-urls = [{string(url)}]"]
    return "\n".join(out) + "\n"


def leaves_out(recommendation: Recommendation) -> str:
    """What is not done."""
    return "Takes torch's own wheels, not the builds of conda-forge: do not add conda's pytorch beside them."
