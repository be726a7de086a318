"""``uv pip install``: ``--torch-backend`` where uv knows the variant, else the URL of the index."""

from __future__ import annotations

from torchdoctor.installers.known import known
from torchdoctor.installers.target import Style, Target, index_of, pins, replaces_same_version
from torchdoctor.matrix.verdict import Recommendation
from torchdoctor.quote import join

__all__ = ["leaves_out", "render", "words"]


def render(targets: tuple[Target, ...], style: Style) -> str:
    """The command line."""
    return join(words(targets[0], style), style.shell)


def words(target: Target, style: Style) -> list[str]:
    """The command line, word by word."""
    recommendation = target.recommendation
    line = ["uv", "pip", "install"]
    if style.python:
        line += ["--python", style.python]
    if replaces_same_version(target):
        line += [w for name in recommendation.packages for w in ("--reinstall-package", name)]
    line += pins(recommendation)
    url = index_of(recommendation, style.index_base)
    if url is not None and url == _public(recommendation) and recommendation.variant in known()["uv"]["torch_backends"]:
        line.append(f"--torch-backend={recommendation.variant}")
    elif url is not None:
        line += ["--index-url", url]
    for extra in recommendation.extra_index_urls:
        line += ["--extra-index-url", extra]
    return line


def _public(recommendation: Recommendation) -> str:
    from torchdoctor.matrix.catalog import INDEX_ROOT

    return f"{INDEX_ROOT}/{recommendation.variant}"


def leaves_out(recommendation: Recommendation) -> str:
    """What is not done."""
    return "Needs a virtual environment or --python, and changes that only: a `uv sync` of a project undoes it."
