"""What names a machine: systems, platform strings, interpreters, boards and chips whose name settles more than it says."""

from __future__ import annotations

import re

from torchdoctor.probes.patterns import regex
from torchdoctor.probes.reports import values
from torchdoctor.probes.reports.reading import CLAIMED, MEASURED, GpuList, Reading

__all__ = ["hardware_words", "l4t_of_kernel", "put_jetson", "put_platform", "put_python", "put_system"]


def put_system(reading: Reading, index: int, value: str, rank: int) -> bool:
    """An operating system by name. Returns whether one was named."""
    found = values.parse_system(value)
    if found is None:
        return False
    for path in ("os", "name", "version", "machine", "wsl"):
        reading.put(f"system.{path}", getattr(found, path), index, rank)
    low = value.lower()
    if found.name == "Alpine Linux":
        reading.put("system.libc", "musl", index, rank)
    if "64-bit" in low and found.os == "linux" and found.machine is None:
        reading.draft.miss("system.machine", f"{reading.source(index)}: 64-bit, of no named architecture")
    return True


def put_platform(reading: Reading, index: int, value: str, rank: int) -> None:
    """A ``platform.platform()`` string."""
    found = values.parse_platform(value)
    if found is None:
        return
    reading.put("system.os", found.os, index, rank)
    reading.put("system.kernel", found.kernel, index, rank)
    reading.put("system.wsl", found.wsl, index, rank)
    reading.put("system.page_size", found.page_size, index, rank)
    reading.put("system.libc", found.libc if found.libc != "libc" else None, index, rank - 1)
    if found.os == "macos":
        reading.put("python.machine", found.machine, index, rank)
        # 10.16 is what an interpreter linked with an old SDK is told on every later macOS
        if found.version and found.version != "10.16":
            reading.put("system.version", found.version, index, rank - 1)
    reading.put("system.machine", found.machine, index, rank - 1)
    if found.libc == "glibc" and _reads_confstr(reading):
        reading.put("system.libc_version", found.libc_version, index, rank - 1)
    if found.tegra and found.kernel:
        reading.put("system.jetson", l4t_of_kernel(found.kernel), index, rank - 1)


def _reads_confstr(reading: Reading) -> bool:
    # Up to Python 3.8 platform.platform() searched the interpreter's binary for the newest symbol version instead.
    version = reading.draft.value("python.version")
    match = re.match(r"3\.(\d{1,2})", version or "")
    return match is not None and int(match[1]) >= 9


def l4t_of_kernel(kernel: str) -> str | None:
    """The L4T major that ships this kernel line: 4.9 with JetPack 4, 5.10 with 5, 5.15 with 6, 6.8 with 7."""
    return {"4.9": "32", "5.10": "35", "5.15": "36", "6.8": "38"}.get(".".join(kernel.split(".")[:2]))


def put_python(reading: Reading, index: int, value: str, rank: int) -> None:
    """An interpreter by its banner or bare version."""
    found = values.parse_python(value)
    if found is None:
        return
    for path in ("version", "free_threaded", "bits", "implementation", "machine", "environment"):
        fact = getattr(found, path)
        if path == "version" and fact and fact.count(".") == 1:
            reading.put("python.version", fact, index, rank - 1)  # a fuller version is the better answer
        else:
            reading.put(f"python.{path}", fact, index, rank)
    reading.put("system.os", found.os, index, rank - 1)
    low = value.lower()
    if "amd64" in low or "x64" in low:
        reading.put("python.machine", "x86_64", index, rank)
    if "emulat" in low or "rosetta" in low:
        reading.put("python.machine", "x86_64", index, rank)
    if "aarch64" in low or "arm64" in low:
        reading.put("python.machine", "aarch64", index, rank)


_CHIP_FIRST = regex(r"(?:[-*] |on |my |CPU: |chip: )?M[1-9] (?:Pro|Max|Ultra)\b")
_APPLE = regex(r"\b(?:Apple |Mac(?:Book)?[\w ]{0,24}?\(?)?\b(M[1-9](?: (?:Pro|Max|Ultra))?)\b")


# A Mac and its chip in a sentence, in any order and case.
_MAC = regex(r"\b(?:macbook|mac ?mini|mac studio|mac pro|imac|mac|macos|apple silicon)\b")
_CHIP = regex(r"(?<![\w.])([Mm][1-9](?:[ -](?:[Pp]ro|[Mm]ax|[Uu]ltra)(?! ?[Bb]ook))?)(?![\w.])")


_DISK = regex(r"[ -](?:SSD|NVMe|slot|disk|drive)\b", re.I)


def _chip_name(text: str) -> str:
    return text.replace("-", " ").title()


def hardware_words(reading: Reading, index: int, value: str, rank: int) -> None:
    """Machines whose name settles more than it says: Apple silicon, Raspberry Pi, Jetson, DGX Spark."""
    low = value.lower()
    mac = _MAC.search(low) is not None
    named = mac or "apple" in low or "Mac" in value or "backends.mps" in low or _CHIP_FIRST.match(value)
    match = (_APPLE.search(value) or (_CHIP.search(value) if mac else None)) if named else None
    if match and not _DISK.match(value, match.end()):
        chip = _chip_name(match[1])
        reading.put("cpu.model", f"Apple {chip}", index, rank)
        reading.put("system.machine", "aarch64", index, MEASURED + 2)
        reading.put("system.os", "macos", index, CLAIMED - 1)
        reading.gpu_lists.append(
            GpuList(
                rank - 1,
                False,
                [({"vendor": "apple", "name": f"Apple {chip}", "integrated": True}, reading.source(index))],
            )
        )
    if "raspberry pi" in low:
        if match := re.search(r"raspberry pi \d[\w+. ]{0,8}", low):
            reading.put("cpu.model", "Raspberry Pi" + value[match.start() + 12 : match.end()].rstrip(), index, rank - 1)
        reading.put("system.os", "linux", index, CLAIMED - 1)
    if "jetpack" in low or "l4t" in low or "tegra" in low:
        put_jetson(reading, index, value, rank)


def put_jetson(reading: Reading, index: int, value: str, rank: int) -> None:
    """The L4T release, or the JetPack that gives its major away."""
    match = re.search(
        r"(?:L4T|Release)?[ :]{0,3}\bR(\d{2})\.(\d{1,2}(?:\.\d{1,2})?)|\bL4T[ :]{0,3}(\d{2})\.(\d{1,2}(?:\.\d{1,2})?)",
        value,
    )
    match = match or re.search(r"R(\d{2}) \(release\), REVISION: (\d{1,2}(?:\.\d{1,2})?)", value)
    if match:
        major, minor = (match[1], match[2]) if match[1] else (match[3], match[4])
        reading.put("system.jetson", f"{major}.{minor}", index, rank + 1)
    elif match := re.search(r"JetPack(?: Version)?[ :]{0,3}(\d)", value, re.I):
        release = {"4": "32", "5": "35", "6": "36", "7": "38"}.get(match[1])
        reading.put("system.jetson", release, index, rank - 1)
    if match:
        reading.put("system.os", "linux", index, rank - 1)
        reading.put("system.machine", "aarch64", index, rank - 1)
