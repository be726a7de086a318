"""What NVIDIA's kernel module says of itself and of the cards: ``dmesg`` and ``journalctl -k`` lines, ``/sys/module/nvidia``,
``/proc/driver/nvidia/version``, ``modinfo``.
"""

from __future__ import annotations

import re

from torchdoctor.probes.patterns import regex
from torchdoctor.probes.reports.reading import CLAIMED, MEASURED, PRINTED, GpuList, Reading
from torchdoctor.probes.reports.values import NVIDIA_DRIVER

__all__ = ["read_kernel_log"]

_LOADING = regex(
    rf"NVRM: loading NVIDIA UNIX (?:(Open) )?.{{0,40}}?Kernel Module(?: for \S{{1,12}})?\s{{1,4}}{NVIDIA_DRIVER}"
)
_RUNNING = regex(
    rf"NVRM version: NVIDIA UNIX (?:(Open) )?.{{0,40}}?Kernel Module(?: for \S{{1,12}})?\s{{1,4}}{NVIDIA_DRIVER}"
)
_MODINFO = regex(rf"^\s{{0,4}}version:\s{{1,12}}{NVIDIA_DRIVER}\s*$")
_CARD = regex(r"NVRM: The NVIDIA GPU \S{4,24} \(PCI ID: (10de:[0-9a-f]{4})\)")
_RELEASE = regex(rf"NVRM: (?:installed in this system is not supported by the )?NVIDIA {NVIDIA_DRIVER} driver release")
_MODULE_FILE = "/sys/module/nvidia/version"


def read_kernel_log(reading: Reading) -> None:
    """The version and kind of the module that runs or is installed, and the cards that it names."""
    for index in reading.find("NVRM version: "):
        if match := _RUNNING.search(reading.lines[index][:600]):
            _loaded(reading, index, match[2])
            reading.put("drivers.nvidia.module", "open" if match[1] else "proprietary", index, MEASURED)
    if reading.has("modinfo", "/nvidia.ko"):
        _modinfo(reading)
    if "NVRM: " in reading.text:
        cards = GpuList(MEASURED, False)
        for index in reading.find("NVRM: "):
            _message(reading, index, reading.lines[index][:600], cards)
        if cards.gpus:
            reading.saw("kernel_log", 10)
            reading.gpu_lists.append(cards)
            reading.put("system.os", "linux", index, CLAIMED)
    if _MODULE_FILE in reading.text:
        for index in reading.find(_MODULE_FILE):
            below = reading.lines[index + 1].strip() if index + 1 < len(reading.lines) else ""
            if re.fullmatch(NVIDIA_DRIVER, below):
                _loaded(reading, index + 1, below)


def _loaded(reading: Reading, index: int, version: str) -> None:
    reading.put("drivers.nvidia.version", version, index, MEASURED + 3)
    reading.draft.put("drivers.nvidia.loaded", True, reading.source(index), rank=MEASURED)


def _modinfo(reading: Reading) -> None:
    for index in reading.find("nvidia"):
        line = reading.lines[index]
        if "modinfo" not in line and "/nvidia.ko" not in line:
            continue
        # new drivers name their firmware, a line each, before their version
        for at in range(index + 1, min(index + 40, len(reading.lines))):
            text = reading.lines[at].strip()
            found = _MODINFO.match(text)
            if found is None and at < index + 8:
                found = re.fullmatch(NVIDIA_DRIVER, text)
            if found:
                reading.put("drivers.nvidia.version", found[1], at, PRINTED)
                reading.put("drivers.nvidia.installed", True, at, MEASURED)
                break


def _message(reading: Reading, index: int, line: str, cards: GpuList) -> None:
    if match := _LOADING.search(line):
        _loaded(reading, index, match[2])
        reading.put("drivers.nvidia.module", "open" if match[1] else "proprietary", index, MEASURED)
    elif match := _CARD.search(line):
        if all(fields["pci_id"] != match[1] for fields, _ in cards.gpus):
            cards.gpus.append(({"vendor": "nvidia", "pci_id": match[1]}, reading.source(index)))
    elif match := _RELEASE.search(line):
        reading.put("drivers.nvidia.version", match[1], index, PRINTED)
    elif "requires use of the NVIDIA open kernel modules" in line:
        reading.put("drivers.nvidia.module", "proprietary", index, MEASURED)
    elif "not supported by open" in line:
        reading.put("drivers.nvidia.module", "open", index, MEASURED)
