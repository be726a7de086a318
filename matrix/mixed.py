"""GPUs of generations that no one wheel covers: which is left out, and how to hide it."""

from __future__ import annotations

from torchdoctor.matrix.case import Case
from torchdoctor.matrix.findings import finding
from torchdoctor.matrix.verdict import About, Finding

__all__ = ["mixed_finding"]

_HIDES = {"nvidia": "CUDA_VISIBLE_DEVICES", "amd": "HIP_VISIBLE_DEVICES", "intel": "ONEAPI_DEVICE_SELECTOR"}


def mixed_finding(case: Case, left_out: tuple[int, ...], *, about: About) -> Finding:
    """``mixed-gpu-generations`` naming the cards at ``left_out`` (places in ``facts.gpus``)."""
    gpus = case.facts.gpus or ()
    vendor = gpus[left_out[0]].vendor or ""
    mine = [i for i, g in enumerate(gpus) if g.vendor == vendor]
    kept = [str(n) for n, i in enumerate(mine) if i not in left_out]
    names = ", ".join(dict.fromkeys(gpus[i].name or f"GPU {i}" for i in left_out))
    variable = _HIDES.get(vendor)
    value = f"level_zero:{','.join(kept)}" if vendor == "intel" else ",".join(kept)
    return finding(
        "mixed-gpu-generations",
        case,
        about=about,
        severity="warning",
        lies_in="hardware",
        detail=f"no wheel has code for every GPU of this machine; {names} is left out",
        evidence=[f"gpus[{i}].{'gfx' if vendor == 'amd' else 'compute_capability'}" for i in mine],
        fix=(f"hide the card left out: {variable}={value}",) if variable else (),
    )
