"""What to ask for where the facts do not settle the matter: which command's output would."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from torchdoctor.matrix.advice import TORCH_FAILED, unexplained
from torchdoctor.matrix.case import Case
from torchdoctor.matrix.findings import finding
from torchdoctor.matrix.verdict import Finding

__all__ = ["questions"]


def questions(case: Case, missing: Collection[str] = (), *, blind: bool = False) -> list[Finding]:
    """One ``insufficient-data`` note that names every missing fact that matters and the command that shows it.
    ``missing`` are the facts the choice went without; ``blind`` says that a torch that sees no GPU is still to be explained.
    """
    asked = list(_missing(case, missing, blind))
    if not asked:
        return []
    return [
        finding(
            "insufficient-data",
            case,
            about="machine",
            severity="note",
            detail="not known: " + ", ".join(what for what, _ in asked),
            fix=tuple(dict.fromkeys(command for _, command in asked)),
        )
    ]


def _missing(case: Case, missing: Collection[str], blind: bool) -> Iterator[tuple[str, str]]:
    facts = case.facts
    if case.symptom(*TORCH_FAILED):
        yield "why torch fails when it is run", "send the output of: torchdoctor capture, and of the program that fails"
    elif blind and unexplained(case):
        yield "why torch sees no GPU", "send the output of: torchdoctor capture, and of: nvidia-smi or rocminfo"
    collect = "send the output of: python -m torch.utils.collect_env (or: torchdoctor capture)"
    lacks = ("" if facts.system.os else "system", "" if facts.system.machine or facts.python.machine else "processor")
    if any(lacks):
        yield "the " + " and ".join(what for what in lacks if what), collect
    if not facts.python.version:
        yield "the Python version", "send the output of: python -VV"
    if facts.gpus is None and facts.system.os != "macos":
        yield "the GPU", "send the output of: nvidia-smi (NVIDIA), rocminfo (AMD) or lspci"
    nvidia = [g for g in facts.gpus or () if g.vendor == "nvidia"]
    if (
        nvidia
        and not facts.drivers.nvidia.version
        and facts.drivers.nvidia.version != ""
        and not facts.drivers.nvidia.cuda
    ):
        yield "the NVIDIA driver's version", "send the output of: nvidia-smi"
    if any(name.startswith("gpus[") and name.endswith("].gfx") for name in missing):
        yield "the GPU's gfx target", "send the output of: rocminfo"
    if any(name.startswith("gpus[") and name.endswith("].pci_id") for name in missing):
        yield "which Intel GPU it is", "send the output of: lspci -nn (Linux), or the name in Device Manager (Windows)"
    if "system.libc_version" in missing:
        yield "the glibc version", "send the output of: ldd --version"
    if "system.version" in missing:
        yield "the version of macOS", "send the output of: sw_vers"
    if "cpu.features" in missing:
        yield "the processor's features", "send the output of: lscpu"
    if any(not g.compute_capability for g in nvidia):
        yield "the GPU's compute capability", "send the output of: nvidia-smi --query-gpu=name,compute_cap --format=csv"
