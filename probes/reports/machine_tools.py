"""Small commands about a machine: ``uname``, ``os-release``, ``sw_vers``, ``system_profiler``, ``ldd``, ``lspci``, ``modinfo``,
``lscpu``, ``/proc/cpuinfo``, ``getconf``, ``df``, kernel log lines.
"""

from __future__ import annotations

import re

from torchdoctor.probes.patterns import holds, regex
from torchdoctor.probes.profile import normal_machine
from torchdoctor.probes.reports import names
from torchdoctor.probes.reports.machine_words import put_system
from torchdoctor.probes.reports.reading import CLAIMED, MEASURED, PRINTED, GpuList, Reading
from torchdoctor.probes.reports.uv_output import put_platform_tag

__all__ = ["read_machine"]

_UNAME = regex(
    r"\bLinux \S{1,80} (\d{1,2}\.\d{1,3}\.\d{1,4}\S{0,60}) .{0,160}?\b(x86_64|aarch64|armv7l|i686|ppc64le|riscv64|s390x)\b"
)
_DARWIN = regex(r"\bDarwin \S{1,80} (\d{2}\.\d{1,2}\.\d{1,2}) .{0,200}\b(arm64|x86_64)\s*$")
_OS_RELEASE = regex(r"(?:^|[\s;])(NAME|VERSION|VERSION_ID|PRETTY_NAME|ID)=(\"[^\"]{0,80}\"|'[^']{0,80}'|[\w.-]{1,40})")
_SW_VERS = regex(r"^\s{0,4}(ProductName|ProductVersion|BuildVersion):\s{1,12}(\S.{0,60}?)\s*$")
_LDD = regex(
    r"\bldd \((?:GNU libc|[^)]{0,60}GLIBC[^)]{0,40})\) (\d\.\d{1,3})|\bGNU C Library .{0,80}version (\d\.\d{1,3})|\bglibc[ -]{0,2}(?:version )?(2\.\d{1,2})(?![\d.]*\d)|GLIBC version: (2\.\d{1,2})|^\s{0,4}ii\s{1,4}libc6(?::\w{2,8})?\s{1,60}(2\.\d{1,2})-",
    re.I,
)
_LSPCI = regex(
    r"^\s{0,4}(?:[A-Za-z][A-Za-z -]{0,24}: )?(?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7] (VGA compatible controller|3D controller|Display controller|Processing accelerators)(?: \[[0-9a-f]{4}\])?: (.{1,200})$"
)
_IN_USE = regex(r"^\s{0,12}Kernel driver in use: ([\w-]{2,20})")
_CHIP = regex(r"^\s{0,12}(?:Chipset Model|Chip):\s{1,4}(\S.{0,80}?)\s*$")

_CPU_MODEL = regex(
    r"\b(Cortex-[AX]\d{1,3}|Neoverse[ -][VNE]\d|Graviton ?\d|QEMU Virtual CPU[^,;]{0,40}|Ampere Altra|A64FX|Carmel)\b"
)
_RASPBERRY = regex(r"raspberry ?pi ?(\d(?:\.0)?(?: ?model)? ?[b+]{0,3}\+?|zero(?: 2)?(?: w)?)")
_DISK = regex(r"/dev/shm\b[^\n]{0,20}?[:=\s]\s?(\d{1,6}(?:\.\d{1,2})?)\s?(TB|GB|MB|G|M|GiB|MiB)\b")
_ARCHITECTURES = {
    "x86_64",
    "aarch64",
    "armv7l",
    "armv6l",
    "i686",
    "arm64",
    "ppc64le",
    "riscv64",
    "s390x",
    "loongarch64",
}

# A line that holds none of them says nothing here.
_WORDS = ("uname", "linux ", "darwin ", "cuda compilation tools", "compatible tags:", "mach-o", "elf ", "sw_vers", "product", "ldd", "libc",
          "gnu c", ".0 ", ".1 ", "version", "nvidia", "chip", "metal", "arch", "proc_translated", "/dev/", "page", "cortex", "neoverse",
          "graviton", "qemu", "altra", "raspberry", "getconf", "dpkg --print")  # fmt: skip


def read_machine(reading: Reading) -> None:
    """System, processor, kernel, libc and devices from the commands that print them."""
    _os_release(reading)
    if "CPU:" in reading.text:
        _chip_below(reading)
    words = reading.words(*_WORDS)
    asked = reading.words("uname", "arch", "getconf", "dpkg --print")
    for index, line in enumerate(reading.lines):
        low = line.lower()
        if len(line) < 4 or not holds(low, words):
            continue
        if asked and holds(line, asked):
            for command, at in _one_liners(reading, index):
                _one_line(reading, command, at)
        if "Linux version " in line and (match := re.search(r"Linux version (\d\S{2,80})", line)):
            _kernel(reading, index, match[1])
        if "Cuda compilation tools" in line and (
            match := re.search(r"release (\d{1,2}\.\d{1,2})(?:, V(\d[\d.]{2,12}))?", line)
        ):
            reading.put("runtimes.cuda", match[2] or match[1], index, PRINTED)
        if "Compatible tags:" in line and index + 1 < len(reading.lines):
            _own_tag(reading, index + 1)
        if "Mach-O" in line or "ELF " in line:
            _binary(reading, index, line)
        if "Linux " in line and (match := _UNAME.search(line)):
            reading.put("system.os", "linux", index, MEASURED)
            reading.put("system.kernel", match[1], index, MEASURED)
            reading.put("system.machine", normal_machine(match[2]), index, MEASURED)
            reading.put("system.wsl", (2 if "WSL2" in line else 1) if "icrosoft" in line else 0, index, MEASURED)
        elif "Darwin " in line and (match := _DARWIN.search(line)):
            reading.put("system.os", "macos", index, MEASURED)
            reading.put("python.machine", normal_machine(match[2]), index, CLAIMED)
        if (("sw_vers -" in line and "roductVersion" in line) or "osproductversion" in line) and index + 1 < len(
            reading.lines
        ):
            _mac_version(reading, index + 1, reading.lines[index + 1].strip())
        if "sw_vers" in line and (inline := re.search(r"sw_vers\b.{0,40}?\b(\d{2}\.\d{1,2}(?:\.\d{1,2})?)\b", line)):
            reading.put("system.version", inline[1], index, PRINTED)
        if "Product" in line and (match := _SW_VERS.match(line)):
            reading.put("system.os", "macos", index, MEASURED)
            reading.put("system.name", "macOS", index, MEASURED)
            if match[1] == "ProductVersion":
                reading.put("system.version", match[2], index, MEASURED + 3)
            reading.saw("sw_vers", 5)
        if (
            ("ldd" in line or "libc" in low or "GNU C" in line)
            and (match := _LDD.search(line))
            and "not found" not in line
            and "required" not in line
        ):
            number = next(g for g in match.groups() if g)
            measured = match[1] is not None or match[2] is not None
            reading.put("system.libc", "glibc", index, MEASURED if measured else CLAIMED)
            reading.put("system.libc_version", number, index, MEASURED + 2 if measured else CLAIMED)
        if "musl libc" in line:
            reading.put("system.libc", "musl", index, MEASURED)
            reading.put("system.os", "linux", index, PRINTED)
        if ".0 " in line or ".1 " in line:
            _lspci(reading, index, line)
        if "Chip" in line and (match := _CHIP.match(line)):
            _chip(reading, index, match[1])
        if "Metal" in line and (
            match := re.match(r"^\s{0,12}Metal(?: Support| Family)?:\s{1,4}(\S.{0,80}?)\s*$", line)
        ):
            reading.put("runtimes.metal", match[1], index, MEASURED)
            reading.saw("system_profiler", 5)
        if (
            "arch" in line
            and "Apple M" not in line
            and (match := re.search(r"machdep\.cpu\.brand_string: (.{3,80})", line))
        ):
            reading.put("cpu.model", match[1].strip(), index, MEASURED)
        if "proc_translated" in line and re.search(r"proc_translated[:=] ?1", line):
            reading.put("system.translated", True, index, MEASURED)
        if "/dev/" in line:
            _devices(reading, index, line)
        if "page" in low and (
            match := re.search(
                r"\b(?:PAGE_?SIZE|getconf PAGESIZE|page size)\D{0,6}(\d{4,6})\b|\b(4|16|64) ?[kK](?:i?B)?[ -]pages?\b",
                line,
                re.I,
            )
        ):
            size = int(match[1]) if match[1] else int(match[2]) * 1024
            reading.put("system.page_size", size, index, PRINTED)
        if ("cortex" in low or "neoverse" in low or "graviton" in low or "qemu" in low or "altra" in low) and (
            match := _CPU_MODEL.search(line)
        ):
            reading.put("cpu.model", match[1].strip(), index, CLAIMED + 2)
            if not match[1].startswith(("QEMU", "Carmel")):
                reading.put("system.machine", "aarch64", index, CLAIMED - 1)
                reading.put("system.os", "linux", index, CLAIMED - 2)
        if "raspberry" in low and (match := _RASPBERRY.search(low)):
            reading.put("cpu.model", "Raspberry Pi " + match[1].strip().split(".")[0], index, CLAIMED)
            reading.put("system.os", "linux", index, CLAIMED - 1)


# Commands that answer with one line each: typed in a chain, their answers follow one another.
_ONE_LINE = regex(
    r"(?:uname(?: -[a-z]{1,4}){0,3}|arch|getconf \w{1,24}|dpkg --print-architecture|python\d?(?:\.\d{1,2})? (?:-V|--version)|lsb_release -\w{1,3}|nproc|hostname|whoami|date)"
)
_LAST = regex(r"\b(uname -[mpir]|getconf PAGE_?SIZE)[`'\": ]{0,4}$", re.I)
_SEPARATOR = regex(r"\s{0,3}(?:;|&&)\s{0,3}")
_PROMPT = regex(r"^.{0,120}?(?:[$#%>❯] |[$#%>❯](?=uname|arch))")


def _one_liners(reading: Reading, index: int) -> list[tuple[str, int]]:
    """(command, index of its answer) for a line that holds such commands only, after a prompt or bare, or begins with them."""
    text = reading.lines[index][:400].strip()
    if match := _PROMPT.match(text):
        text = text[match.end() :]
    found: list[tuple[str, int]] = []
    for command in _SEPARATOR.split(text.strip("`' \"")):
        at = index + 1 + len(found)
        if not _ONE_LINE.fullmatch(command) or at >= len(reading.lines):
            break
        found.append((command, at))
    if not found and index + 1 < len(reading.lines) and (last := _LAST.search(text)):
        found.append((last[1], index + 1))  # at the end of a sentence, or after another command
    return found


def _one_line(reading: Reading, command: str, at: int) -> None:
    answer = reading.lines[at].strip()
    program, _, options = command.partition(" ")
    if program in ("uname", "arch") and options in ("", "-m", "-p", "-i"):
        if answer in _ARCHITECTURES:
            reading.put("system.machine", normal_machine(answer), at, MEASURED)
    elif command == "uname -r":
        _kernel(reading, at, answer)
    elif command in ("uname -sm", "uname -s -m") and (match := re.fullmatch(r"(Linux|Darwin) (\w{4,10})", answer)):
        if match[2] in _ARCHITECTURES:
            reading.put("system.os", "linux" if match[1] == "Linux" else "macos", at, MEASURED)
            reading.put("system.machine", normal_machine(match[2]), at, MEASURED)
    elif program == "getconf" and "LONG_BIT" in options and answer == "32":
        reading.put("python.bits", 32, at, CLAIMED)  # of the user land, which the interpreter is taken from
    elif program == "getconf" and "PAGE" in options and re.fullmatch(r"\d{4,6}", answer):
        reading.put("system.page_size", int(answer), at, MEASURED)
    elif program == "dpkg" and answer in _DEBIAN:
        reading.put("python.machine", _DEBIAN[answer], at, CLAIMED)
        reading.put("system.os", "linux", at, PRINTED)


_DEBIAN = {"amd64": "x86_64", "arm64": "aarch64", "armhf": "armv7l", "armel": "armv7l", "i386": "i686", "riscv64": "riscv64", "ppc64el": "ppc64le", "s390x": "s390x"}  # fmt: skip


def _mac_version(reading: Reading, index: int, answer: str) -> None:
    if re.fullmatch(r"1\d\.\d{1,2}(?:\.\d{1,2})?|2\d\.\d{1,2}(?:\.\d{1,2})?", answer):
        reading.put("system.os", "macos", index, MEASURED)
        reading.put("system.name", "macOS", index, MEASURED)
        reading.put("system.version", answer, index, MEASURED + 3)


def _kernel(reading: Reading, index: int, release: str) -> None:
    if not re.match(r"\d{1,2}\.\d{1,3}[\w.+~-]{0,80}$", release):
        return
    reading.put("system.kernel", release, index, MEASURED)
    reading.put("system.os", "linux", index, PRINTED)
    if "microsoft" in release.lower():
        reading.put("system.wsl", 2 if "WSL2" in release or "standard" in release else 1, index, MEASURED)


def _own_tag(reading: Reading, index: int) -> None:
    """The first line of ``pip debug``'s tags: the interpreter's own, the best match first."""
    match = re.match(r"\s{0,8}(cp|pp)(\d)(\d{1,2})-(\w{2,20}?)(t?)-([\w.]{3,60})\s*$", reading.lines[index])
    if match is None:
        return
    reading.put("python.version", f"{match[2]}.{match[3]}", index, PRINTED)
    reading.put("python.implementation", "cpython" if match[1] == "cp" else "pypy", index, PRINTED)
    reading.put("python.free_threaded", match[5] == "t", index, PRINTED)
    put_platform_tag(reading, index, match[6], MEASURED)


def _binary(reading: Reading, index: int, line: str) -> None:
    """What ``file`` says of an interpreter."""
    if "python" not in line.lower():
        return
    match = re.search(
        r"Mach-O (?:64-bit )?executable (x86_64|arm64)|ELF (32|64)-bit .{0,40}?(x86-64|aarch64|ARM|Intel 80386)", line
    )
    if match is None:
        return
    if match[1]:
        reading.put("system.os", "macos", index, PRINTED)
        reading.put("python.machine", normal_machine(match[1]), index, PRINTED + 3)
        return
    reading.put("system.os", "linux", index, PRINTED)
    reading.put("python.bits", int(match[2]), index, PRINTED)
    machine = {"x86-64": "x86_64", "aarch64": "aarch64", "ARM": "armv7l", "Intel 80386": "i686"}[match[3]]
    reading.put("python.machine", machine, index, PRINTED + 3)


def _os_release(reading: Reading) -> None:
    if "NAME=" not in reading.text:
        return
    found: dict[str, tuple[int, str]] = {}
    for index in reading.find("="):
        line = reading.lines[index]
        if len(line) < 400:
            for match in _OS_RELEASE.finditer(line):
                found.setdefault(match[1], (index, match[2].strip("\"'")))
    if "NAME" not in found and "PRETTY_NAME" not in found:
        return
    index, name = found.get("NAME") or found["PRETTY_NAME"]
    if not put_system(reading, index, name, MEASURED - 2):
        return
    if "VERSION_ID" in found:
        reading.put("system.version", found["VERSION_ID"][1], found["VERSION_ID"][0], MEASURED - 1)
    elif "VERSION" in found and (number := re.match(r"\d{1,3}(?:\.\d{1,3}){0,2}", found["VERSION"][1])):
        reading.put("system.version", number[0], found["VERSION"][0], MEASURED - 2)


def _lspci(reading: Reading, index: int, line: str) -> None:
    match = _LSPCI.match(line)
    if match is None:
        return
    text = match[2]
    pci = names.pci_id(text)
    vendor = {"10de": "nvidia", "1002": "amd", "8086": "intel"}.get(pci[:4] if pci else "") or names.vendor_of(text)
    if vendor is None or vendor == "apple":
        return
    fields = {"vendor": vendor}
    if name := names.bracketed(text):
        fields["name"] = name
    if pci:
        fields["pci_id"] = pci
    for at in range(index + 1, min(index + 5, len(reading.lines))):
        if used := _IN_USE.match(reading.lines[at]):
            fields["driver"] = used[1]
            if vendor == "intel":
                reading.put("drivers.intel.kernel_driver", used[1], at, MEASURED)
            break
        if not reading.lines[at].startswith(("\t", " ")):
            if at > index + 1 and _shows_drivers(reading, index):
                fields["driver"] = ""  # the block is whole, and it names none
            break
    reading.gpu_lists.append(GpuList(MEASURED, False, [(dict(fields), reading.source(index))]))
    reading.put("system.os", "linux", index, CLAIMED)


_WITH_DRIVERS = regex(r"\blspci (?:-\w{1,12} (?:[\w:.]{1,12} )?){0,3}?-\w{0,3}k\w{0,3}\b(?!.{0,80}\bgrep\b)")


def _shows_drivers(reading: Reading, index: int) -> bool:
    """Whether the command above prints what drives each device; of what grep lets through nothing follows."""
    for at in range(index - 1, max(index - 200, -1), -1):
        if "lspci" in reading.lines[at]:
            return _WITH_DRIVERS.search(reading.lines[at][:300]) is not None
    return False


def _chip_below(reading: Reading) -> None:
    """collect_env's label of the processor, which stands alone above what a Mac answers."""
    for index in reading.find("CPU:"):
        if reading.lines[index].strip() == "CPU:" and index + 1 < len(reading.lines):
            below = reading.lines[index + 1].strip()
            if below.startswith("Apple M"):
                _chip(reading, index + 1, below)


def _chip(reading: Reading, index: int, text: str) -> None:
    if text.startswith("Apple"):
        reading.put("cpu.model", text, index, MEASURED)
        reading.put("system.machine", "aarch64", index, MEASURED + 2)
        reading.put("system.os", "macos", index, MEASURED)
        reading.gpu_lists.append(
            GpuList(MEASURED, True, [({"vendor": "apple", "name": text, "integrated": True}, reading.source(index))])
        )
        reading.saw("system_profiler", 10)
    elif (fields := names.gpu_from_name(text)) and "vendor" in fields:
        reading.gpu_lists.append(GpuList(MEASURED, False, [(fields, reading.source(index))]))


def _devices(reading: Reading, index: int, line: str) -> None:
    if "/dev/shm" in line and (match := _DISK.search(line)):
        unit = {"T": 1024**4, "G": 1024**3, "M": 1024**2}[match[2][0]]
        reading.put("resources.shm", int(float(match[1]) * unit), index, PRINTED)
    if ("cannot access" in line or "No such file" in line) and (match := re.search(r"/dev/(kfd|dri|dxg)\b", line)):
        reading.put(f"devices./dev/{match[1]}.present", False, index, PRINTED)
