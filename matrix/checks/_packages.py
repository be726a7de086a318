"""What the checks of packages share: versions taken apart, the CUDA major of torch, the distributions that were seen."""

from __future__ import annotations

from collections.abc import Iterator

from torchdoctor.matrix.case import Case
from torchdoctor.matrix.catalog import version_key
from torchdoctor.matrix.request import RequestError, normal_variant
from torchdoctor.probes.facts import Distribution, regex

__all__ = [
    "FAMILY",
    "asked_variant",
    "cuda_major",
    "distributions",
    "environment_fix",
    "from_conda",
    "line",
    "local",
    "nvidia_majors",
    "public",
    "stock_like",
    "toolkit",
    "torch_line",
]

#: Packages that are judged as companions, not as extensions.
FAMILY = ("torch", "torchvision", "torchaudio", "torchcodec", "triton")

_CU = regex(r"cu(\d{2,3})\Z")
_NVIDIA = regex(r"nvidia-[a-z0-9-]{2,40}?-cu(\d{2})\Z")
#: Packages that NVIDIA numbers by the CUDA release they belong to once the suffix is gone (CUDA 13 and later).
_TOOLKIT = frozenset(
    {"nvidia-cuda-runtime", "nvidia-cuda-nvrtc", "nvidia-cuda-nvcc", "nvidia-cuda-cupti", "nvidia-nvvm", "nvidia-nvtx",
     "nvidia-nvjitlink", "cuda-toolkit"}
)  # fmt: skip


def public(version: str | None) -> str:
    """``2.5.1+cu124`` → ``2.5.1``."""
    return (version or "").partition("+")[0]


def local(version: str | None) -> str:
    """``2.5.1+cu124`` → ``cu124``; empty where there is none."""
    return (version or "").partition("+")[2]


def line(version: str | None) -> tuple[int, ...]:
    """``2.5.1+cu124`` → (2, 5)."""
    return version_key(public(version))[:2]


def toolkit(variant: str | None) -> tuple[int, int] | None:
    """``cu124`` → (12, 4); ``cu12`` → (12, -1); ``None`` for anything else."""
    match = _CU.match(variant or "")
    if match is None:
        return None
    digits = match[1]
    return (int(digits[:2]), int(digits[2]) if len(digits) == 3 else -1)


def asked_variant(case: Case) -> str | None:
    """The variant that was asked for; ``None`` for none and for ``auto``."""
    try:
        return normal_variant(case.asked.variant)
    except RequestError:
        return None


def torch_line(case: Case) -> tuple[int, ...] | None:
    """The release line of the installed torch; ``None`` where there is none or it is known in part only."""
    found = line(case.installed.version) if case.installed else ()
    return found if len(found) == 2 else None


def cuda_major(case: Case) -> int | None:
    """The CUDA major the installed torch was built with; ``None`` where it is no CUDA build or not known."""
    # a session may show what torch was built with and not its number
    pair = toolkit(case.installed.variant if case.installed else case.facts.torch.variant)
    return pair[0] if pair else None


def stock_like(case: Case) -> bool:
    """Is torch a release wheel as far as is known? Vendor, source, conda and nightly builds follow rules of their own."""
    installed = case.installed
    if installed is None or installed.origin not in (None, "wheel"):
        return False
    return not from_conda(case) and not any(mark in installed.version for mark in ("a0", "dev", "git"))


def from_conda(case: Case) -> bool:
    """Does conda manage torch here?"""
    packages = case.facts.packages or {}
    return (
        (case.installed is not None and case.installed.origin == "conda")
        or any(d.build and d.name in ("pytorch", "pytorch-gpu", "libtorch") for d in case.facts.distributions or ())
        or "pytorch" in packages
        or "pytorch-cuda" in packages
    )


def distributions(case: Case, *names: str) -> Iterator[tuple[int, Distribution]]:
    """The distributions that were looked into (conda's own rows left out), with their place in the facts."""
    for place, row in enumerate(case.facts.distributions or ()):
        if row.name and row.build is None and (not names or row.name in names):
            yield place, row


def nvidia_majors(case: Case) -> dict[int, list[str]]:
    """CUDA major → NVIDIA's packages of that major: by their suffix, or for packages without one by their version."""
    majors: dict[int, list[str]] = {}
    for name, version in sorted((case.facts.packages or {}).items()):
        match = _NVIDIA.match(name)
        key = version_key(version)
        if match:
            majors.setdefault(int(match[1]), []).append(name)
        elif name in _TOOLKIT and key and key[0] >= 13:
            majors.setdefault(key[0], []).append(name)
    return majors


def environment_fix(case: Case, packages: str, index: str | None = None) -> str:
    """The pip line that puts packages right in the examined environment."""
    return f"pip install {packages}" + (f" --index-url https://download.pytorch.org/whl/{index}" if index else "")
