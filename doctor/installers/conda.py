"""conda: conda-forge builds torch by itself; torch's own channel has ended."""

from __future__ import annotations

from torchdoctor.installers import pip
from torchdoctor.installers.known import known
from torchdoctor.installers.target import Style, Target
from torchdoctor.matrix.verdict import Recommendation
from torchdoctor.quote import join

__all__ = ["leaves_out", "render"]

_NAMES = {"torch": "pytorch"}


def render(targets: tuple[Target, ...], style: Style) -> str:
    """The command line; pip inside the environment for builds that conda-forge does not make."""
    recommendation = targets[0].recommendation
    variant = recommendation.variant
    if not _on_conda_forge(variant):
        return join(
            ["conda", "run", "python", "-m", *pip.words(targets[0], Style(index_base=style.index_base))], style.shell
        )
    line = ["conda", "install", "--channel", "conda-forge", "--override-channels"]
    for name, version in {"torch": recommendation.torch, **recommendation.packages}.items():
        known = _NAMES.get(name, name)
        if name == "torch" and variant.startswith("cu"):
            known = "pytorch-gpu"
        elif name == "torch" and variant == "cpu" and targets[0].system.os != "macos":
            known = "pytorch-cpu"
        line.append(f"{known}={version}")
    if variant.startswith("cu"):
        line.append(f"cuda-version={variant[2:-1]}")  # any toolkit of that major runs on the drivers the wheel runs on
    return join(line, style.shell)


def _on_conda_forge(variant: str) -> bool:
    return variant in ("cpu", "mps") or variant.startswith("cu")


def leaves_out(recommendation: Recommendation) -> str:
    """What is not done."""
    ended = known()["conda"]["channel_ended_after"]
    said = f"The pytorch channel ended after torch {ended}"
    if not _on_conda_forge(recommendation.variant):
        return f"{said} and conda-forge makes no {recommendation.variant} build: pip installs torch's own into the environment."
    return (
        f"{said}; conda-forge builds torch by itself: whether it has this release, and for which GPU architectures, "
        "is not in the matrix."
    )
