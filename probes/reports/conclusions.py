"""What follows from several facts of one paste together, before anything is judged: spelled-out consequences only."""

from __future__ import annotations

import re

from torchdoctor.probes.draft import Draft
from torchdoctor.probes.patterns import regex
from torchdoctor.probes.reports import values
from torchdoctor.probes.reports.reading import PRINTED, Reading

__all__ = ["conclude"]


def conclude(reading: Reading) -> None:
    """Completes a draft: the variant of a torch without CUDA, the machine of an interpreter, Rosetta."""
    _variant(reading)
    _not_compiled(reading)
    _needed_machine(reading)
    _apple_gpu(reading)
    _interpreter_machine(reading)
    _two_torches(reading)
    _runtime_variant(reading)
    _jetson_gpu(reading)
    _accounts(reading)
    _another_interpreter(reading)


def _source(draft: Draft, path: str) -> str:
    held = draft.held(path)
    return held[2] if held else path


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
    source = _source(draft, "torch.cuda")
    if mac:
        machine = draft.value("python.machine") or draft.value("system.machine")
        draft.put("torch.variant", "mps" if machine == "aarch64" else "cpu", source, rank=PRINTED)
    else:
        draft.put("torch.variant", "cpu", source, rank=PRINTED)


def _not_compiled(reading: Reading) -> None:
    """torch says that it was built without CUDA; on a Mac that is no news."""
    draft = reading.draft
    if draft.value("torch.variant") is not None or draft.value("system.os") == "macos":
        return
    for index in reading.find("Torch not compiled with CUDA enabled"):
        reading.put("torch.variant", "cpu", index, PRINTED)
        return


def _apple_gpu(reading: Reading) -> None:
    """Every Mac with Apple silicon has Apple's GPU."""
    draft = reading.draft
    if draft.value("system.os") != "macos" or draft.value("system.machine") != "aarch64" or draft.gpus:
        return
    source = _source(draft, "system.machine")
    model = draft.value("cpu.model")
    named = {"name": model} if isinstance(model, str) and model.startswith("Apple") else {}
    draft.gpu(source, vendor="apple", integrated=True, **named)


_NEEDED = regex(r"\(have '(x86_64|arm64)\w{0,2}', need '(x86_64|arm64)")


def _needed_machine(reading: Reading) -> None:
    """The loader of macOS names the machine that the process runs as; who speaks of Rosetta has Apple silicon."""
    for index in reading.find("incompatible architecture"):
        if match := _NEEDED.search(reading.lines[index][:4000]):
            reading.put("python.machine", "aarch64" if match[2] == "arm64" else match[2], index, PRINTED)
            if match[1] == "arm64" and reading.has("rosetta"):
                reading.put("system.machine", "aarch64", index, PRINTED)
            return


def _interpreter_machine(reading: Reading) -> None:
    draft = reading.draft
    python, machine = draft.value("python.machine"), draft.value("system.machine")
    if python == "x86_64" and machine == "aarch64" and draft.value("system.os") in ("macos", "windows"):
        draft.put("system.translated", True, _source(draft, "python.machine"), rank=PRINTED)


def _two_torches(reading: Reading) -> None:
    """A torch that runs and another that the package tool manages."""
    running = reading.draft.value("torch.version")
    parsed = values.parse_torch(running) if running else None
    if parsed is None:
        return
    for index in reading.find("torch.__file__"):
        _printed_elsewhere(reading, index)
    _two_folders(reading)
    shown = re.match(r"line (\d{1,9}):", _source(reading.draft, "torch.version"))
    for index in reading.find("uccessfully uninstalled torch-"):
        if shown and int(shown[1]) > reading.number(index):
            continue  # what ran afterwards may be what was installed in its place
        other = values.parse_torch(reading.lines[index].split("uninstalled torch-", 1)[1])
        if other and other.version != parsed.version:
            reading.symptom("torch-versions-differ", index)


_FOLDER = regex(r"^\s{0,4}(\S{0,200}[/\\](?:site|dist)-packages)[/\\]torch(?:[/\\]\S{0,120})?\s{0,4}$")


def _two_folders(reading: Reading) -> None:
    """A search found torch in two folders of packages, and the one that was imported is not the one that the list names."""
    managed = values.parse_torch(reading.draft.value("packages.torch") or "")
    if managed is None or not reading.has("packages/torch", "packages\\torch"):
        return
    folders = {
        match[1] for line in reading.lines if "packages" in line and (match := _FOLDER.match(line[:500])) is not None
    }
    if len(folders) != 2:
        return
    for index in reading.find("torch.__version__"):
        below = reading.lines[index + 1].strip(" '\"") if index + 1 < len(reading.lines) else ""
        found = values.parse_torch(below) if below[:1].isdecimal() else None
        if found and found.version != managed.version:
            reading.symptom("torch-versions-differ", index + 1)
            return


_PRINTED_FILE = regex(
    r"\b(\d{1,2}\.\d{1,2}\.\d{1,2}[\w.+]{0,40})[\s,'\")]{1,4}(\S{1,200}?[/\\]{1,2}torch[/\\]{1,2}__init__\.py)"
)


def _printed_elsewhere(reading: Reading, index: int) -> None:
    """An import that took another release than the one that ``pip show`` names, and from where."""
    managed = values.parse_torch(reading.draft.value("packages.torch") or "")
    for at in range(index + 1, min(index + 4, len(reading.lines))):
        match = _PRINTED_FILE.search(reading.lines[at][:600])
        found = values.parse_torch(match[1]) if match else None
        if found and managed and found.version != managed.version:
            reading.symptom("torch-versions-differ", at)
            return


def _runtime_variant(reading: Reading) -> None:
    """A torch without a local version beside the CUDA runtime and the triton that the Linux wheel pins: the CUDA it is for."""
    draft = reading.draft
    version = draft.value("packages.torch")
    if version is None or "+" in version or draft.value("torch.variant") is not None:
        return
    if (
        draft.value("torch.cuda") is not None
        or draft.value("torch.origin") is not None
        or not draft.value("packages.triton")
    ):
        return
    for name in ("nvidia-cuda-runtime-cu11", "nvidia-cuda-runtime-cu12", "nvidia-cuda-runtime"):
        runtime = draft.value(f"packages.{name}")
        if runtime and re.match(r"\d{2}\.\d{1,2}\.", runtime):
            source = _source(draft, f"packages.{name}")
            draft.put("torch.variant", values.cuda_variant(runtime), source, rank=PRINTED)
            draft.put("system.os", "linux", source, rank=PRINTED - 15)
            return


def _jetson_gpu(reading: Reading) -> None:
    """Every Jetson has an NVIDIA GPU of its own; nvidia-smi and collect_env do not show it there."""
    draft = reading.draft
    if draft.value("system.jetson") is None or any(fields.get("vendor") == "nvidia" for fields, _ in draft.gpus):
        return
    draft.gpu(_source(draft, "system.jetson"), vendor="nvidia", integrated=True)


_ACCOUNT = regex(r"^\s{0,4}([\w.-]{1,40})@([\w.-]{1,60})[:\s][^\n]{0,80}[$#%] .{0,200}is_available\(\)")


def _accounts(reading: Reading) -> None:
    """The same question at two prompts of one machine, answered True for one account and False for the other."""
    answers: dict[str, tuple[int, str]] = {}
    for index in reading.find("is_available()"):
        match = _ACCOUNT.match(reading.lines[index])
        if match is None or index + 1 >= len(reading.lines):
            continue
        answer = reading.lines[index + 1].strip()
        if answer in ("True", "False"):
            answers.setdefault(match[1], (index + 1, answer))
    if len({answer for _, answer in answers.values()}) == 2:
        at = next(index for index, answer in answers.values() if answer == "False")
        reading.symptom("accounts-differ", at, f"{reading.lines[at - 1].strip()} -> False")


_WORDS = regex(r"[\s\"'`;,]+")
_INTERPRETER = regex(r"((?:[A-Za-z]:[/\\]|[/~]).{0,200}[/\\])python[\d.]{0,5}(?:\.exe)?[:).]?", re.I)


def _another_interpreter(reading: Reading) -> None:
    """torch printed its version, another import did not find it, and two interpreters are named by their paths."""
    held = reading.draft.held("torch.version")
    if held is None or held[0] < PRINTED or not reading.has("no module named"):
        return
    folders = {
        match[1].lower()
        for line in reading.lines
        if "python" in line
        for word in _WORDS.split(line[:2000])
        if len(word) < 260 and (match := _INTERPRETER.fullmatch(word))
    }
    if len(folders) < 2:
        return
    for index in reading.find("No module named 'torch'"):
        reading.symptom("torch-of-another-interpreter", index)
        return
