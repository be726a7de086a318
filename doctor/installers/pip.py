"""``pip install``: torch's index alone, since it also serves what torch depends on."""

from __future__ import annotations

from torchdoctor.installers.target import Style, Target, index_of, pins, replaces_same_version
from torchdoctor.matrix.verdict import Recommendation
from torchdoctor.quote import join

__all__ = ["leaves_out", "render", "words"]


def render(targets: tuple[Target, ...], style: Style) -> str:
    """The command line."""
    return join(words(targets[0], style), style.shell)


def words(target: Target, style: Style) -> list[str]:
    """The command line, word by word."""
    program = [style.python, "-m", "pip"] if style.python else ["pip"]
    line = [*program, "install"]
    if replaces_same_version(target):
        line.append("--force-reinstall")  # else "already satisfied": pip does not compare local versions
    line += pins(target.recommendation)
    url = index_of(target.recommendation, style.index_base)
    if url is not None:
        line += ["--index-url", url]
    for extra in target.recommendation.extra_index_urls:
        line += ["--extra-index-url", extra]
    return line


def leaves_out(recommendation: Recommendation) -> str:
    """What is not done."""
    if recommendation.index_url is None:
        return "Takes the build of the default package index; an extra index configured in pip could replace it."
    return "This index holds torch's family only: install other packages in a second command, from your usual index."
