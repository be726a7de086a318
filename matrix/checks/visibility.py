"""Variables that hide GPUs from torch, and GPUs that were asked for and are not there."""

from __future__ import annotations

from collections.abc import Iterator

from torchdoctor.matrix.case import Case
from torchdoctor.matrix.checks import check
from torchdoctor.matrix.checks._aim import about, aims_at, installed_vendor, severity, unusable
from torchdoctor.matrix.findings import finding
from torchdoctor.matrix.gpu_needs import accelerated_gpus
from torchdoctor.matrix.verdict import Finding

_NOTHING = ("", "-1", "none")
_SLURM_NONE = "NoDevFiles"  # what Slurm sets for a job that was given none of the node's GPUs


@check("devices-hidden")
def devices_hidden(case: Case) -> Iterator[Finding]:
    """A variable leaves torch no GPU, or names one that is not there."""
    if case.facts.torch.gpu_available or not case.facts.environment:
        return
    if case.facts.environment.get("CUDA_VISIBLE_DEVICES") == _SLURM_NONE:
        yield from _slurm(case)
    elif _meant(case, "nvidia"):
        yield from _container(case)
        yield from _chain(case, "nvidia", (("CUDA_VISIBLE_DEVICES",),))
    if _meant(case, "amd"):
        # ROCr renumbers first, HIP (or, where it is unset, CUDA_VISIBLE_DEVICES) picks from what is left.
        yield from _chain(case, "amd", (("ROCR_VISIBLE_DEVICES",), ("HIP_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES")))
    if _meant(case, "intel"):
        yield from _chain(case, "intel", (("ZE_AFFINITY_MASK",),))
        yield from _selector(case)


def _container(case: Case) -> Iterator[Finding]:
    """The container runtime was told to pass no GPU, a CUDA build is meant, and none is there."""
    facts = case.facts
    value = (facts.environment or {}).get("NVIDIA_VISIBLE_DEVICES")
    if not facts.system.container or value not in ("none", "void"):
        return
    if (facts.gpus != () or facts.drivers.nvidia.version) and not unusable(case, "nvidia"):
        return
    if aims_at(case, "nvidia"):
        yield finding(
            "devices-hidden",
            case,
            about=about(case, "nvidia"),
            detail=f"NVIDIA_VISIBLE_DEVICES={value}: the container was started with the request for no GPU.",
            evidence=("environment.NVIDIA_VISIBLE_DEVICES", "system.container"),
            fix="start the container with -e NVIDIA_VISIBLE_DEVICES=all (or --gpus all)",
        )


def _slurm(case: Case) -> Iterator[Finding]:
    """Slurm gave the job no GPU; whichever the node has, torch may use none."""
    built_for = installed_vendor(case)
    if built_for != "nvidia" if case.installed else not (_meant(case, "nvidia") or unusable(case, "nvidia")):
        return
    yield finding(
        "devices-hidden",
        case,
        about=about(case, "nvidia"),
        severity=severity(case, "nvidia"),
        detail=f"CUDA_VISIBLE_DEVICES={_SLURM_NONE} is what Slurm sets for a job that asked for no GPU.",
        evidence=("environment.CUDA_VISIBLE_DEVICES", "torch.gpu_available"),
        fix=("ask for one in the job: #SBATCH --gres=gpu:1 (or --gpus=1), and srun inside it with the same",),
    )


def _meant(case: Case, vendor: str) -> bool:
    """Hiding matters where the build is for that vendor, or where no build is known and the vendor's GPU is there."""
    built_for = installed_vendor(case)
    if built_for is not None:
        return built_for == vendor
    return bool(accelerated_gpus(case.facts, vendor)) or aims_at(case, vendor)


def _chain(case: Case, vendor: str, stages: tuple[tuple[str, ...], ...]) -> Iterator[Finding]:
    """Each stage keeps the devices its variable names, numbered anew; parsing stops at the first that is not there."""
    environment = case.facts.environment
    gpus = case.gpus(vendor)
    if not environment or case.facts.gpus == ():
        return
    # A session that saw no GPU bears out what a pasted list shows.
    left: int | None = len(gpus) if gpus and (_complete(case) or unusable(case, vendor)) else None
    read: list[str] = []
    for names in stages:
        name = next((n for n in names if n in environment), None)
        if name is None:
            continue
        value = environment[name].strip()
        if name == "ZE_AFFINITY_MASK" and not value:
            continue  # an empty mask is no mask
        read.append(name)
        kept, wrong = _kept(value, left)
        if kept == 0:
            if left is None and wrong is None and not gpus:
                return  # nothing is known to be hidden
            yield _hidden(case, vendor, read, value, wrong)
            return
        if wrong is not None:
            yield finding(
                "devices-hidden",
                case,
                about=about(case, vendor),
                severity="warning",
                title="A setting names a GPU that is not there",
                detail=f"{name}={value} names device {wrong}, of {left} there; it and what follows are left out.",
                evidence=(f"environment.{name}", "gpus"),
                fix=f"name devices from 0 to {(left or 1) - 1} in {name}",
            )
            return
        left = kept


def _complete(case: Case) -> bool:
    """Is the list of GPUs a whole one? A pasted report may show some of them only."""
    source = case.facts.source("gpus") or case.facts.source("gpus[0]") or ""
    return not source.startswith("line ")


def _kept(value: str, there: int | None) -> tuple[int | None, str | None]:
    """How many devices a list keeps (``None`` = not known) and the first entry that names none."""
    if value in _NOTHING:
        return 0, None
    kept = 0
    for entry in value.split(","):
        entry = entry.strip()
        index = entry.split(".")[0].split(":")[0]  # 0.1 is a tile, 0:1 a MIG slice
        if index.isdecimal():
            if there is not None and (len(index) > 9 or int(index) >= there):
                return kept, entry
        elif index.startswith("-") or not index:
            return kept, entry
        kept += 1
    return kept, None


def _hidden(case: Case, vendor: str, names: list[str], value: str, wrong: str | None) -> Finding:
    name = names[-1]
    if wrong is None:
        detail = f"{name} is {value or 'empty'}: no GPU is left."
    elif len(names) > 1:
        detail = f"{names[0]} is applied first and renumbers what it keeps from 0; {name}={value} then names device {wrong}, which is gone."
    else:
        detail = (
            f"{name}={value} names device {wrong}, which is not there; the list is read no further, so no GPU is left."
        )
    paths = [f"environment.{n}" for n in names]
    first = case.gpus(vendor)[:1]
    on_windows = case.facts.system.os == "windows"
    unset = [f"set {n}=" if on_windows else f"unset {n}" for n in (names if len(names) == 1 else [name])]
    return finding(
        "devices-hidden",
        case,
        about=about(case, vendor),
        severity=severity(case, vendor),
        detail=detail,
        evidence=(*paths, *(f"gpus[{i}].name" for i, _ in first)),
        fix=(*unset, "and take it out of the shell profile, service file or container that sets it"),
    )


def _selector(case: Case) -> Iterator[Finding]:
    """``ONEAPI_DEVICE_SELECTOR`` that leaves no Level Zero GPU; torch uses no other backend."""
    value = (case.facts.environment or {}).get("ONEAPI_DEVICE_SELECTOR", "").strip().lower()
    accepted = [t.strip() for t in value.split(";") if t.strip() and not t.strip().startswith("!")]
    meant = case.gpus("intel") or (
        unusable(case, "intel") and installed_vendor(case) == "intel" and not case.facts.gpus
    )
    if not accepted or not meant:
        return
    for term in accepted:
        backend, _, devices = term.partition(":")
        if backend in ("level_zero", "*") and any(
            d.strip() == "*" or d.strip() == "gpu" or d.strip()[:1].isdecimal() for d in devices.split(",")
        ):
            return
    yield finding(
        "devices-hidden",
        case,
        about=about(case, "intel"),
        severity=severity(case, "intel"),
        detail=f"ONEAPI_DEVICE_SELECTOR={value} leaves no Level Zero GPU, the only kind torch uses.",
        evidence=("environment.ONEAPI_DEVICE_SELECTOR",),
        fix="unset ONEAPI_DEVICE_SELECTOR, or set it to level_zero:gpu",
    )


# ---- what was required

_KINDS = {
    "cuda": ("nvidia",),
    "rocm": ("amd",),
    "xpu": ("intel",),
    "mps": ("apple",),
    "gpu": ("nvidia", "amd", "intel", "apple"),
}
_NAMES = {"cuda": "an NVIDIA GPU", "rocm": "an AMD GPU", "xpu": "an Intel GPU", "mps": "an Apple GPU", "gpu": "a GPU"}


@check("gpu-not-found")
def gpu_not_found(case: Case) -> Iterator[Finding]:
    """``--require`` names a kind of GPU and the machine is known to have none."""
    for what in case.asked.requires:
        vendors = _KINDS.get(what)
        if vendors is None or any(case.gpus(v) for v in vendors):
            continue
        os = case.facts.system.os
        elsewhere = os is not None and (
            (what == "mps" and os != "macos") or (what in ("cuda", "rocm", "xpu") and os == "macos")
        )
        if case.facts.gpus is None and not elsewhere:
            continue
        others = ", ".join(g.name or g.vendor or "?" for g in case.facts.gpus or ())
        yield finding(
            "gpu-not-found",
            case,
            about="request",
            detail=f"--require {what}: this machine has no {_NAMES[what].split(' ', 1)[1]}"
            + (f" (there is: {others})." if others else "."),
            evidence=("gpus", "system.os"),
            fix=f"run on a machine with {_NAMES[what]}, or drop --require {what}",
            lies_in="hardware",
        )
        return
