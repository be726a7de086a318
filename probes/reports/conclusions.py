"""What follows from several facts of one paste together, before anything is judged: spelled-out consequences only."""

from __future__ import annotations

from torchdoctor.probes.reports import values
from torchdoctor.probes.reports.reading import PRINTED, Reading

__all__ = ["conclude"]


def conclude(reading: Reading) -> None:
    """Completes a draft: the variant of a torch without CUDA, the machine of an interpreter, Rosetta."""
    _variant(reading)
    _apple_gpu(reading)
    _interpreter_machine(reading)
    _two_torches(reading)


def _variant(reading: Reading) -> None:
    """A dump that shows ``torch.version.cuda`` to be empty and no ROCm or XPU build is a CPU build (mps on arm64 Macs)."""
    draft = reading.draft
    version = draft.value("torch.version")
    if version is None or draft.value("torch.variant") is not None or draft.value("torch.cuda") != "":
        return
    if draft.value("torch.hip"):
        return
    parsed = values.parse_torch(version)
    if parsed and parsed.local and not parsed.local.startswith(("git", "nv")):
        return
    mac = draft.value("system.os") == "macos"
    held = draft._values.get("torch.cuda")
    source = held[2] if held else "CUDA used to build PyTorch"
    if mac:
        machine = draft.value("python.machine") or draft.value("system.machine")
        draft.put("torch.variant", "mps" if machine == "aarch64" else "cpu", source, rank=PRINTED)
    else:
        draft.put("torch.variant", "cpu", source, rank=PRINTED)


def _apple_gpu(reading: Reading) -> None:
    """Every Mac with Apple silicon has Apple's GPU."""
    draft = reading.draft
    if draft.value("system.os") != "macos" or draft.value("system.machine") != "aarch64" or draft.gpus:
        return
    source = draft._values["system.machine"][2]
    model = draft.value("cpu.model")
    named = {"name": model} if isinstance(model, str) and model.startswith("Apple") else {}
    draft.gpu(source, vendor="apple", integrated=True, **named)


def _interpreter_machine(reading: Reading) -> None:
    draft = reading.draft
    python, machine = draft.value("python.machine"), draft.value("system.machine")
    if python == "x86_64" and machine == "aarch64" and draft.value("system.os") in ("macos", "windows"):
        held = draft._values["python.machine"]
        draft.put("system.translated", True, held[2], rank=PRINTED)


def _two_torches(reading: Reading) -> None:
    """A torch that runs and another that the package tool manages."""
    running = reading.draft.value("torch.version")
    parsed = values.parse_torch(running) if running else None
    if parsed is None:
        return
    for index in reading.find("uccessfully uninstalled torch-"):
        other = values.parse_torch(reading.lines[index].split("uninstalled torch-", 1)[1])
        if other and other.version != parsed.version:
            reading.symptom("torch-versions-differ", index)
