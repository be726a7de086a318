"""What only the matrix can add to facts: a name or PCI id becomes a compute capability or gfx target, a driver its CUDA
ceiling, a core name its level, the versions pip offered an interpreter and platform.

Pure and idempotent. A fact that is known is never changed; what is added says so in ``sources`` with ``matrix: …``.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from torchdoctor.matrix.gpu_names import guess_vendor
from torchdoctor.matrix.gpus import KnownGpu, by_name, by_pci, integrated_gfx
from torchdoctor.probes.facts import Facts, Gpu

__all__ = ["infer"]

_APPLE_CHIP = "Apple M"


class _Added:
    """Facts on their way: which paths the matrix filled, and from what."""

    def __init__(self) -> None:
        self.sources: dict[str, str] = {}

    def note(self, path: str, text: str, confidence: str | None = None) -> None:
        """Record why a fact was added; the confidence is told where it is not the best."""
        tail = f" ({confidence})" if confidence and confidence != "primary" else ""
        self.sources[path] = f"matrix: {text}{tail}"


def infer(facts: Facts) -> Facts:
    """Facts with everything the matrix can add."""
    added = _Added()
    gpus = _gpus(facts, added)
    drivers = _drivers(facts, added)
    cpu = _cpu(facts, added)
    request = _request(facts, added)
    if not added.sources:
        return facts
    return facts.replace(
        gpus=gpus,
        drivers=drivers,
        cpu=cpu,
        request=request,
        sources={**facts.sources, **added.sources},
        unknown={path: why for path, why in facts.unknown.items() if path not in added.sources},
    )


def _gpus(facts: Facts, added: _Added) -> tuple[Gpu, ...] | None:
    if facts.gpus is None:
        return _apple_chip(facts, added)
    return tuple(_gpu(gpu, f"gpus[{i}]", added) for i, gpu in enumerate(facts.gpus))


def _apple_chip(facts: Facts, added: _Added) -> tuple[Gpu, ...] | None:
    """The GPU of Apple silicon is part of the chip; a virtual machine has another one."""
    model = facts.cpu.model or ""
    if facts.system.os != "macos" or not model.startswith(_APPLE_CHIP) or "virtual" in model.lower():
        return None
    added.note("gpus", f"the GPU is part of the {model}")
    return (Gpu(vendor="apple", name=model, integrated=True),)


def _gpu(gpu: Gpu, path: str, added: _Added) -> Gpu:
    changes: dict[str, Any] = {}

    def put(key: str, value: Any, why: str, confidence: str | None = None) -> None:
        if value is not None and getattr(gpu, key) is None and key not in changes:
            changes[key] = value
            added.note(f"{path}.{key}", why, confidence)

    vendor = gpu.vendor or guess_vendor(gpu.name, gpu.pci_id)
    put("vendor", vendor, f"vendor of {gpu.pci_id or gpu.name}")
    if vendor == "apple":
        put("integrated", True, "the GPU of Apple silicon is part of the chip")
    known, why = _look_up(gpu, vendor) if _may_learn(gpu, vendor) else (None, "")
    if known is not None:
        for key in ("compute_capability", "gfx", "integrated"):
            put(key, getattr(known, key), why, known.confidence)
        if why.startswith("PCI id"):
            put("name", known.name, why, known.confidence)
    if vendor == "amd" and (gpu.gfx or changes.get("gfx")):
        target = str(gpu.gfx or changes.get("gfx"))
        put("integrated", integrated_gfx(target.partition(":")[0]), f"gfx target {target}")
    return dataclasses.replace(gpu, **changes) if changes else gpu


def _may_learn(gpu: Gpu, vendor: str | None) -> bool:
    """Whether the tables can tell anything that is not known yet: they are not opened for nothing."""
    code = {"nvidia": gpu.compute_capability, "amd": gpu.gfx}.get(vendor or "", gpu.integrated)
    return code is None or (gpu.pci_id is not None and (gpu.name is None or gpu.integrated is None))


def _look_up(gpu: Gpu, vendor: str | None) -> tuple[KnownGpu | None, str]:
    """The row of a GPU and why it is that one. The PCI id decides, a name only where there is no id in the table."""
    if gpu.pci_id:
        known = by_pci(gpu.pci_id, vendor)
        if known is not None:
            how = "" if known.name else ", by the range of its chip"
            return known, f"PCI id {gpu.pci_id}{how}"
    if gpu.name and vendor:
        known = by_name(gpu.name.removesuffix(" ..."), vendor)  # nvidia-smi cuts suffixes off
        if known is not None:
            return known, f"name {gpu.name}"
    return None, ""


def _drivers(facts: Facts, added: _Added) -> Any:
    nvidia = facts.drivers.nvidia
    # libcuda's number counts where it is known: a compatibility libcuda raises the ceiling of an older kernel module.
    version = nvidia.library or nvidia.version
    # JetPack has driver numbers of its own.
    if nvidia.cuda is not None or not version or facts.system.jetson:
        return facts.drivers
    from torchdoctor.matrix.drivers import cuda_ceiling

    cuda = cuda_ceiling(version)
    if cuda is None:
        return facts.drivers
    added.note("drivers.nvidia.cuda", f"driver {version} speaks CUDA {cuda}")
    return dataclasses.replace(facts.drivers, nvidia=dataclasses.replace(nvidia, cuda=cuda))


def _cpu(facts: Facts, added: _Added) -> Any:
    cpu = facts.cpu
    if cpu.level is not None or cpu.features is not None or not cpu.model or not _may_be_arm(facts):
        return cpu
    from torchdoctor.matrix.tables import rows

    wanted = cpu.model.strip().lower().removeprefix("arm ").removeprefix("armv8 ")
    levels = {row["level"]: row["confidence"] for row in rows("cpus.json", "arm") if row["core"].lower() == wanted}
    if len(levels) != 1 or None in levels:
        return cpu
    level, confidence = levels.popitem()
    added.note("cpu.level", f"core {cpu.model}", confidence)
    return dataclasses.replace(cpu, level=level)


def _may_be_arm(facts: Facts) -> bool:
    machine = facts.system.machine or facts.python.machine
    return machine is None or machine in ("aarch64", "armv7l")


def _request(facts: Facts, added: _Added) -> Any:
    request = facts.request
    if not request.versions_offered or (request.python and request.platform):
        return request
    from torchdoctor.matrix.offers import read_offer

    offer = read_offer(facts)
    changes: dict[str, Any] = {}
    if offer.python and request.python is None and facts.python.version is None:
        changes["python"] = offer.python
        added.note(
            "request.python", "the versions pip offered begin and end as those of this interpreter do", "inferred"
        )
    if offer.platform and request.platform is None:
        changes["platform"] = f"{offer.platform} {offer.limit}" if offer.limit else offer.platform
        added.note(
            "request.platform", "the versions pip offered begin and end as those of this platform do", "inferred"
        )
    return dataclasses.replace(request, **changes) if changes else request
