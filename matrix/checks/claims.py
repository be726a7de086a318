"""What a report says and its own facts deny: a name that is not the chip's, advice of torch's that does not help here."""

from __future__ import annotations

import re
from collections.abc import Iterator

from torchdoctor.matrix.case import Case
from torchdoctor.matrix.catalog import Release, version_key
from torchdoctor.matrix.checks import check
from torchdoctor.matrix.findings import finding
from torchdoctor.matrix.gpu_needs import gpu_outcomes
from torchdoctor.matrix.gpus import by_name, by_pci
from torchdoctor.matrix.platforms import platforms_of
from torchdoctor.matrix.verdict import Finding
from torchdoctor.probes.facts import regex

_CUDA = regex(r"(\d{1,2})\.(\d)(?!\d)")
_MACOS = regex(r"mac ?os (\d{1,2}\.\d{1,2})\+?", re.I)


@check("claim-contradicts-report")
def name_against_id(case: Case) -> Iterator[Finding]:
    """A GPU is called by a name whose chip is another than its PCI id says; the id counts."""
    for place, gpu in enumerate(case.facts.gpus or ()):
        if not gpu.name or not gpu.pci_id or not gpu.vendor:
            continue
        named, real = by_name(gpu.name, gpu.vendor), by_pci(gpu.pci_id, gpu.vendor)
        if named is None or real is None:
            continue
        pairs = {
            "nvidia": (named.compute_capability, real.compute_capability),
            "amd": (named.gfx, real.gfx),
            "intel": (named.chip, real.chip),
        }.get(gpu.vendor, (None, None))
        if None in pairs or pairs[0] == pairs[1]:
            continue
        yield finding(
            "claim-contradicts-report",
            case,
            detail=f"{gpu.name} would be {pairs[0]}, the PCI id {gpu.pci_id} is {pairs[1]}"
            + (f" ({real.name})." if real.name else "."),
            evidence=(f"gpus[{place}].name", f"gpus[{place}].pci_id"),
            fix="believe the PCI id: lspci -nn shows it",
        )
        return


@check("torch-advice-wrong")
def torch_advice(case: Case) -> Iterator[Finding]:
    """torch's own text names CUDA versions that no build for this GPU has, or a macOS minimum that is not the reason."""
    seen = case.symptom("torch-advice")
    if seen:
        index, text = seen[0]
        named = [f"cu{major}{minor}" for major, minor in _CUDA.findall(text)]
        if named and case.gpus("nvidia") and _helps(case, named) is False:
            yield finding(
                "torch-advice-wrong",
                case,
                about="installed",
                detail=f"torch advises CUDA {text}; no build of {', '.join(named)} runs on this machine.",
                evidence=(f"symptoms[{index}]", f"gpus[{case.gpus('nvidia')[0][0]}].compute_capability"),
            )
            return
    yield from _metal_minimum(case)


def _helps(case: Case, variants: list[str]) -> bool | None:
    """Does some release offer one of the variants with code for the GPUs here? ``None`` where that is not known."""
    platforms = platforms_of(case.facts).possible
    unknown = False
    for release in case.catalog.releases():
        for build in release.builds:
            if build.variant not in variants or build.platform not in platforms:
                continue
            outcomes = [o.status for o in gpu_outcomes(release, build, case.facts)]
            if "failed" in outcomes:
                continue
            if "unknown" not in outcomes:
                return True
            unknown = True
    return None if unknown or not platforms else False


def _metal_minimum(case: Case) -> Iterator[Finding]:
    seen = case.symptom("mps-backend-supported-on")
    release: Release | None = case.installed.release if case.installed else None
    match = _MACOS.search(seen[0][1]) if seen else None
    if match is None:
        return
    printed, real, here = match[1], release.metal_min if release else None, case.facts.system.version
    rows = (f"symptoms[{seen[0][0]}]", "system.version", "torch.version")
    if real and version_key(real) != version_key(printed):
        detail = f"torch {release.version if release else ''} needs macOS {real} for Metal, not {printed}."
    elif here and version_key(here) >= version_key(printed):
        detail = f"This is macOS {here}, which is new enough: the system's version is not the reason."
    else:
        return
    yield finding("torch-advice-wrong", case, about="installed", detail=detail, evidence=rows)
