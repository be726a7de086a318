"""What Windows' own tools print: ``dxdiag``, ``wmic``, ``Get-CimInstance``, ``systeminfo``, ``set PROC``."""

from __future__ import annotations

from torchdoctor.probes.patterns import regex
from torchdoctor.probes.reports.reading import MEASURED, PRINTED, Reading

__all__ = ["read_windows"]

_WDDM = regex(r"(?<![\d.])(?:2[1-9]|3\d)\.\d{1,2}\.(?:00)?1(\d)\.(\d{4})(?![\d.])")

#: How processors introduce themselves there, whatever the process is built for.
_IDENTIFIER = regex(r"\b(?:(ARMv[89]) \(64-bit\)|(Intel64)|(AMD64)) Family \d")
_OF_WINDOWS = regex(r"PROCESSOR_ARCHITEW6432\s{0,20}[=:]?\s{0,20}ARM64\b|^\s{0,8}(?:OSArchitecture\s{0,20}[=:]?\s{0,20})?ARM 64-bit Processor\b")  # fmt: skip


def read_windows(reading: Reading) -> None:
    """The machine under the process, and NVIDIA's driver under its Windows number."""
    if reading.has("nvidia"):
        _driver(reading)
    if reading.has(" family ", "processor_archite", "arm 64-bit"):
        _machine(reading)


def _machine(reading: Reading) -> None:
    for index, line in enumerate(reading.lines):
        if "amily" not in line and "ARM" not in line:
            continue
        if _OF_WINDOWS.search(line[:400]):
            machine = "aarch64"
        elif match := _IDENTIFIER.search(line[:400]):
            machine = "aarch64" if match[1] else "x86_64"
        else:
            continue
        reading.put("system.machine", machine, index, MEASURED)
        reading.put("system.os", "windows", index, PRINTED)


def _driver(reading: Reading) -> None:
    """``31.0.15.3623``: only NVIDIA's third number is 1x, and its last five digits are 536.23."""
    if not reading.has("driverversion", "driver version", "driver file version", "dxdiag"):
        return
    found: dict[str, tuple[int, str]] = {}
    for index, line in enumerate(reading.lines):
        if "." in line and (match := _WDDM.search(line[:2000])):
            found.setdefault(match[1] + match[2], (index, match[1] + match[2]))
    if len(found) == 1:
        ((index, digits),) = found.values()
        reading.put("drivers.nvidia.version", f"{digits[:3]}.{digits[3:]}", index, PRINTED)
        reading.put("system.os", "windows", index, PRINTED)
