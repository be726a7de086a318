"""One requirement answered, and the ids that no update of software would meet."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

from torchdoctor.probes.facts import dataclass

__all__ = ["HARDWARE", "Outcome", "answered", "failed", "listed"]

HARDWARE = frozenset(
    {"gpu-below-minimum", "gpu-arch-missing", "gpu-newer-than-wheel", "gfx-unsupported", "xpu-gpu-unsupported",
     "macos-x86-dropped", "arm-lacks-lse", "jetson-needs-vendor-wheel"}
)  # fmt: skip
"""Ids of requirements that no driver, system or interpreter update would meet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One requirement answered. ``id`` is the finding where it is not met; ``facts`` the paths it was read from (or, where
    unknown, those that are missing); ``needs`` what would meet it in words (``driver 580 or newer``); ``value`` the bare
    number; ``gpu`` the place of the device in ``facts.gpus`` it is about.
    """

    status: Literal["met", "failed", "unknown"]
    id: str = ""
    facts: tuple[str, ...] = ()
    detail: str = ""
    needs: str = ""
    value: str = ""
    gpu: int | None = None
    confidence: str = "primary"


@lru_cache(maxsize=4096)
def answered(
    *,
    status: Literal["met", "unknown"],
    facts: tuple[str, ...] = (),
    gpu: int | None = None,
    confidence: str = "primary",
) -> Outcome:
    """A requirement that is met or not known. Most answers are equal, so they are made once and shared."""
    return Outcome(status=status, facts=facts, gpu=gpu, confidence=confidence)


def failed(
    id: str,
    facts: tuple[str, ...],
    detail: str,
    needs: str,
    *,
    value: str = "",
    gpu: int | None = None,
    confidence: str = "primary",
) -> Outcome:
    """A requirement that is not met."""
    return Outcome(
        status="failed", id=id, facts=facts, detail=detail, needs=needs, value=value, gpu=gpu, confidence=confidence
    )


def listed(names: tuple[str, ...]) -> str:
    """Architectures in a sentence."""
    return " ".join(names)
