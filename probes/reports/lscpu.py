"""``lscpu`` in whatever language: the labels are translated, what stands behind them is the kernel's and the processor's."""

from __future__ import annotations

from torchdoctor.probes.profile import normal_machine
from torchdoctor.probes.reports.labels import label_of
from torchdoctor.probes.reports.reading import CLAIMED, PRINTED, Reading

__all__ = ["read_lscpu"]

#: Never translated, and printed by every lscpu a few lines below the machine's name.
_BYTE_ORDER = "Little Endian"

_READ_AS_LABELS = frozenset(("architecture", "vendor id", "model name", "flags"))
_MACHINES = frozenset(("x86_64", "aarch64", "armv7l", "armv6l", "i686", "ppc64le", "riscv64"))
_VENDORS = frozenset(("GenuineIntel", "AuthenticAMD", "HygonGenuine", "CentaurHauls", "Shanghai", "ARM", "Apple", "Ampere"))  # fmt: skip
_MAKERS = ("Intel(R) ", "Intel ", "AMD ", "QEMU Virtual", "Common KVM", "Cortex-", "Neoverse-", "VIA ", "Hygon ", "ZHAOXIN ")  # fmt: skip
_FLAGS = ("fpu ", "fp asimd ")  # the first of the kernel's lists on x86 and on 64-bit Arm


def read_lscpu(reading: Reading) -> None:
    """Machine, vendor, model and instructions, told by their values where the labels are in no language that is read."""
    if _BYTE_ORDER not in reading.text:
        return
    done, alone = 0, not reading.has("pytorch version")
    for at in reading.find(_BYTE_ORDER):
        order = label_of(reading.lines[at])
        if order is None or order[1] != _BYTE_ORDER:
            continue
        if alone:
            reading.saw("lscpu", 12)
        reading.draft.put("system.os", "linux", "lscpu", rank=CLAIMED)
        start, done = max(done, at - 6), min(at + 60, len(reading.lines))
        for index in range(start, done):
            pair = label_of(reading.lines[index])
            if pair is not None and pair[0] not in _READ_AS_LABELS:
                _line(reading, index, pair[1], above=index < at)


def _line(reading: Reading, index: int, value: str, *, above: bool) -> None:
    if above:
        if value in _MACHINES:
            reading.put("system.machine", normal_machine(value), index, PRINTED)
    elif value in _VENDORS:
        reading.put("cpu.vendor", value, index, PRINTED)
    elif value.startswith(_FLAGS) and value.count(" ") > 4:
        reading.put("cpu.features", tuple(dict.fromkeys(value.split())), index, PRINTED)
    elif value.startswith(_MAKERS) and len(value) < 100:
        reading.put("cpu.model", value, index, PRINTED)
