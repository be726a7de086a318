"""The processor as ``/proc/cpuinfo`` and ``lscpu`` show it. English labels are read with those of every dump; lscpu's may be
in any language, and what stands behind them is the kernel's and the processor's.
"""

from __future__ import annotations

import re

from torchdoctor.probes.patterns import regex
from torchdoctor.probes.profile import normal_machine
from torchdoctor.probes.reports.labels import label_of
from torchdoctor.probes.reports.reading import CLAIMED, MEASURED, PRINTED, Reading

__all__ = ["read_processor"]

_COUNT = regex(r"grep -\w{0,3}[co]\w{0,3} ['\"]?(avx2?)['\"]? /proc/cpuinfo(?: ?\| ?wc -l)?\s{0,4}$", re.I)

#: Never translated, and printed by every lscpu a few lines below the machine's name.
_BYTE_ORDER = "Little Endian"

_READ_AS_LABELS = frozenset(("architecture", "vendor id", "model name", "flags"))
_MACHINES = frozenset(("x86_64", "aarch64", "armv7l", "armv6l", "i686", "ppc64le", "riscv64"))
_VENDORS = frozenset(("GenuineIntel", "AuthenticAMD", "HygonGenuine", "CentaurHauls", "Shanghai", "ARM", "Apple", "Ampere"))  # fmt: skip
_MAKERS = ("Intel(R) ", "Intel ", "AMD ", "QEMU Virtual", "Common KVM", "Cortex-", "Neoverse-", "VIA ", "Hygon ", "ZHAOXIN ")  # fmt: skip
_FLAGS = ("fpu ", "fp asimd ")  # the first of the kernel's lists on x86 and on 64-bit Arm


def read_processor(reading: Reading) -> None:
    """The kind of dump, and what its labels do not tell: instructions in a sentence, a count of none, Arm's part numbers."""
    if "model name" in reading.text and reading.has("processor\t", "vendor_id", "cpu family"):
        reading.saw("cpuinfo", 12)
        reading.draft.put("system.os", "linux", "/proc/cpuinfo", rank=CLAIMED)
    orders = [i for i in reading.find(_BYTE_ORDER) if (label_of(reading.lines[i]) or ("", ""))[1] == _BYTE_ORDER]
    _lscpu(reading, orders)
    if "flags: fpu " in reading.text:
        for index in reading.find("flags: fpu "):
            flags = reading.lines[index].partition("flags: ")[2].split()
            if len(flags) > 20:  # in a sentence too: no other text begins so
                reading.put("cpu.features", tuple(dict.fromkeys(flags)), index, PRINTED)
                reading.put("system.os", "linux", index, CLAIMED)
                reading.put("system.machine", "x86_64" if "lm" in flags else None, index, CLAIMED)
    if "avx" in reading.low and reading.has("grep"):
        _counted(reading)
    if reading.has("cpu part", "cpu implementer"):
        _arm_parts(reading)


def _lscpu(reading: Reading, orders: list[int]) -> None:
    """Machine, vendor, model and instructions, told by their values where the labels are in no language that is read.
    ``orders`` are the lines of the byte order.
    """
    alone = not reading.has("pytorch version")
    english = alone and reading.has("cpu op-mode", "on-line cpu", "thread(s) per core")
    if english or orders:
        reading.draft.put("system.os", "linux", "lscpu", rank=CLAIMED)
    if english or (orders and alone):
        reading.saw("lscpu", 12)
    done = 0
    for at in orders:
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


def _counted(reading: Reading) -> None:
    """``grep -c avx2 /proc/cpuinfo`` that printed 0: a count is an answer, an empty output may be a cut paste."""
    for index in reading.find("avx"):
        match = _COUNT.search(reading.lines[index][:400])
        if match and index + 1 < len(reading.lines) and reading.lines[index + 1].strip() == "0":
            reading.symptom(f"no-{match[1].lower()}-said", index + 1)


def _arm_parts(reading: Reading) -> None:
    implementers = {m[1].lower() for m in re.finditer(r"CPU implementer\s{0,4}: (0x[0-9a-fA-F]{2})", reading.text)}
    parts = {m[1].lower() for m in re.finditer(r"CPU part\s{0,4}: (0x[0-9a-fA-F]{3})", reading.text)}
    # Arm's numbers of the cores that matter here: Armv8.0 without LSE atomics
    old = {"0xd03": "Cortex-A53", "0xd07": "Cortex-A57", "0xd08": "Cortex-A72"}
    if implementers == {"0x41"}:
        for index in reading.find("CPU part"):
            part = reading.lines[index].partition(":")[2].strip().lower()
            if part in old:
                reading.put("cpu.model", old[part], index, MEASURED)
            break
    if parts:
        reading.saw("cpuinfo", 12)
        reading.draft.put("system.machine", "aarch64", "CPU part", rank=CLAIMED)
