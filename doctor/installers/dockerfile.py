"""A ``RUN`` line with a download cache that survives the build and any user can write to."""

from __future__ import annotations

from dataclasses import replace

from torchdoctor.installers import pip
from torchdoctor.installers.target import Style, Target, no_control
from torchdoctor.matrix.verdict import Recommendation
from torchdoctor.quote import join

__all__ = ["leaves_out", "render"]

_CACHE = "/var/cache/pip"


def render(targets: tuple[Target, ...], style: Style) -> str:
    """The instruction, on two lines. The shell is that of a Linux image, wherever the command is printed."""
    line = [no_control(w) for w in pip.words(targets[0], replace(style, shell="posix"))]
    # mode=1777: a cache mount belongs to root, and pip leaves a cache alone that its user cannot write.
    mount = f"RUN --mount=type=cache,target={_CACHE},mode=1777,sharing=locked \\"
    return f"{mount}\n    PIP_CACHE_DIR={_CACHE} {join(line)}"


def leaves_out(recommendation: Recommendation) -> str:
    """What is not done."""
    return (
        "Needs BuildKit and an image with glibc (not Alpine). The driver stays on the host. "
        "A USER who may not write to the image's Python gets torch in a home folder of their own."
    )
