"""What a case is about: which vendor's GPU is meant, by what is installed and what was asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchdoctor.matrix.gpu_code import capability
from torchdoctor.matrix.verdict import About

if TYPE_CHECKING:
    from torchdoctor.matrix.case import Case
    from torchdoctor.matrix.verdict import Severity
    from torchdoctor.probes.facts import Gpu

__all__ = ["about", "aims_at", "build_facts", "installed_vendor", "never_carried", "severity", "unusable", "vendor_of"]

_REQUIRED = {"cuda": "nvidia", "rocm": "amd", "xpu": "intel", "mps": "apple"}


def vendor_of(variant: str | None) -> str | None:
    """``cu124`` → ``nvidia``, ``rocm6.4`` → ``amd``, ``xpu`` → ``intel``, ``mps`` → ``apple``; else ``None``."""
    if not variant:
        return None
    if variant.startswith("cu"):
        return "nvidia"
    if variant.startswith("rocm"):
        return "amd"
    return {"xpu": "intel", "mps": "apple"}.get(variant)


def installed_vendor(case: Case) -> str | None:
    """The vendor whose GPU the installed torch is built for, ``None`` for a CPU build, none or an unknown one."""
    return vendor_of(case.installed.variant) if case.installed else None


def aims_at(case: Case, vendor: str) -> bool:
    """Is a GPU of ``vendor`` what the installed torch or the request is for?"""
    return (
        installed_vendor(case) == vendor
        or vendor_of(case.asked.variant) == vendor
        or any(_REQUIRED.get(what) == vendor for what in case.asked.requires)
    )


def unusable(case: Case, vendor: str) -> bool:
    """Was torch seen to find no GPU of ``vendor``? "CUDA available: False" says nothing of Intel's or Apple's."""
    if case.facts.torch.gpu_available is not False:
        return False
    return vendor in ("nvidia", "amd") or "cuda" not in (case.facts.source("torch.gpu_available") or "").lower()


def severity(case: Case, vendor: str) -> Severity:
    """A blocker where that vendor's GPU is meant or was seen not to work, else a warning: the CPU build works all the same."""
    return "blocker" if aims_at(case, vendor) or unusable(case, vendor) else "warning"


def about(case: Case, vendor: str) -> About:
    """``installed`` where the installed torch is built for that vendor's GPU, else ``machine``."""
    return "installed" if installed_vendor(case) == vendor else "machine"


def build_facts(case: Case) -> tuple[str, ...]:
    """The paths that name the installed build: what torch says of itself, else what the package list says."""
    return ("torch.version" if case.facts.torch.version else "packages.torch", "torch.variant")


def never_carried(case: Case, gpu: Gpu) -> bool:
    """No release ever carried this NVIDIA GPU: it is a display, and needs no driver for torch. Opens the oldest release's file."""
    device = capability(gpu.compute_capability or "")
    if device is None:
        return False
    oldest = case.catalog.line(case.catalog.oldest())
    kernels = {k for r in oldest for b in r.builds if b.vendor == "nvidia" for k in b.kernels or ()}
    lowest = min((int(k[3:]) for k in kernels if k.startswith("sm_") and k[3:].isdecimal()), default=0)
    return device[0] * 10 + device[1] < lowest
