"""Lines that people type: a GPU, a system, a driver named in a sentence. The weakest source; every other one outranks it."""

from __future__ import annotations

import re

from torchdoctor.probes.patterns import holds, regex
from torchdoctor.probes.reports import names, values
from torchdoctor.probes.reports.gpu_words import put_named_gpus
from torchdoctor.probes.reports.machine_words import hardware_words, put_system
from torchdoctor.probes.reports.reading import CLAIMED, GpuList, Reading

__all__ = ["read_free_text"]

_GPU_WORDS = regex(r"\b(?:GPUs?|gpus?|card|graphics|laptop|machine|system|hardware|Hardware|nvidia-smi)\b")
_DRIVER = regex(
    r"\b(?:[Dd]river|NVIDIA driver|nvidia-driver)[ -]{1,2}(?:[Vv]ersion)?[:= ]{0,2}(\d{3}(?:\.\d{1,4}){0,2})\b|\bR(\d{3})\b driver"
)
_ROCM_GFX = regex(r"\bgfx\d{1,2}[0-9a-f]{2}\b")
_WSL = regex(r"\bWSL ?2\b|\bWSL2\b|microsoft-standard-WSL2|on WSL\b", re.I)
_SYSTEM = regex(r"\b(?:Ubuntu|Debian|CentOS|Fedora|RHEL|Red Hat|Rocky|AlmaLinux|Arch Linux|NixOS|Alpine|Linux Mint|openSUSE|Amazon Linux|Raspbian|Raspberry Pi OS|Windows|macOS|Mac OS|OS X|L4T|JetPack|Manjaro|Gentoo|FreeBSD|OpenBSD|Android)\b|\bDocker for Windows|\bwin ?(?:7|8|10|11)\b|(?<![\w/.-])(?:ubuntu|windows|centos|debian|fedora|rhel|macos|rocky)\d", re.I)  # fmt: skip
_SYSTEM_WORDS = ("ubuntu", "debian", "centos", "fedora", "rhel", "red hat", "rocky", "almalinux", "arch linux", "nixos", "alpine", "linux mint",
                 "opensuse", "amazon linux", "raspbian", "raspberry pi os", "windows", "macos", "mac os", "os x", "l4t", "jetpack", "manjaro", "gentoo", "freebsd", "openbsd", "android", "win1", "win 1", "win7", "win 7")  # fmt: skip
_TRACE = regex(
    r"\s{0,12}(?:File \"|at |from |\d{1,2}:\d\d)|\s{0,8}(?:Downloading|Collecting|Installing|Requirement)|#\d"
)
_TRACE_BEGINS = frozenset("Faf#DCIR0123456789")
_INTEL_IGPU = regex(r"[Ii]ntel (?:Core )?((?:i[3579]-)?\d{4,5}(?:HX|HK|H|P|U|G\d)) iGPU")
_MACHINE = regex(r"\b(?:x86_64|aarch64|amd64|arm64|armv7l|i686|ppc64le|riscv64|s390x)\b")
_SYSTEM_X64 = regex(r"\b(?:windows|ubuntu|linux|debian)\b.{0,30}\bx64\b")
_CHIP_WITH_TARGET = regex(r"\b(?:Radeon|Ryzen|Vega|APU|iGPU|Steam Deck)\b[^()]{0,40}\((gfx\d{1,2}[0-9a-f]{2})\)")
_LINUX_MACHINE = regex(r"\blinux[ (/,-]{1,3}(?:x86_64|aarch64|amd64|arm64)\b")
_PCI = regex(r"\b(?:10de|1002|8086):[0-9a-f]{4}\b", re.I)
_OWN = (
    "laptop",
    "notebook",
    "pc",
    "desktop",
    "workstation",
    "server",
    "setup",
    "specs",
    "node",
    "gpu node",
    "box",
    "hardware",
    "rig",
    "config",
    "hw",
    "test rig",
)
_CARD = r"(?:(?:an?|my|the|our) )?(?:old |previous )?[\w -]{3,30}?"
_INSTEAD = regex(
    rf"\bfrom {_CARD} to (?=(?:an?|my|the|new)\b)|\b(?:replaced|swapped|exchanged|changed) {_CARD} (?:with|for|to|by) (?=(?:an?|my|the|new)\b)",
    re.I,
)
_EXCHANGED = ("from ", "replaced ", "swapped ", "exchanged ", "changed ")
_ARC = regex(r"(?<![\w-])[AB](?:310|380|570|580|750|770)(?![\w-])")  # what owners call an Arc card
_WHOSE = ("my ", "our ", "the ", "this ", "his ", "her ", "their ")
_CAPABILITY = regex(r"\bcompute capability\b|\bCC \d|\bsm_\d{2,3}\b")


def read_free_text(reading: Reading) -> None:
    """GPUs, system, driver named in lines that no other parser has taken."""
    systems = reading.words(*_SYSTEM_WORDS)
    machines = reading.words(
        "x86",
        "aarch64",
        "arm",
        "snapdragon",
        "amd64",
        "x64",
        "intel",
        "32-bit",
        "32 bit",
        "ppc64le",
        "riscv64",
        "s390x",
    )
    wsl = "wsl" in reading.low
    apple = reading.has("mps", "macos", "darwin")
    shown = 0
    for index, line in enumerate(reading.lines):
        if len(line) < 4 or len(line) > 1000 or index in reading.taken:
            continue
        if "://" in line:
            line = _without_links(line)
        text = line.strip()
        if _of_a_program(line, text):
            if "WSL2" in line:
                reading.put("system.wsl", 2, index, CLAIMED - 1)
            continue
        shown += 1
        low = text.lower()
        if wsl and "wsl" in low and _WSL.search(text):
            reading.put("system.wsl", 1 if "WSL1" in text or "WSL 1" in text else 2, index, CLAIMED)
            reading.put("system.os", "linux", index, CLAIMED + 1)
        elif wsl and text.startswith("Microsoft Windows [Version"):
            continue  # the host of a WSL session
        if (
            systems
            and holds(low, systems)
            and _SYSTEM.search(text)
            and not text.startswith((">>>", "import "))
            and not ("gcc" in low and ("gcc version" in low or "linux version" in low))  # the compiler's own version
        ):
            _system(reading, index, text)
        if "mac" in low or "apple" in low or (apple and " " in text[:6] and text[0] in "M-*oCcm"):
            hardware_words(reading, index, text, CLAIMED)
        _gpus(reading, index, text, low)
        if machines and holds(low, machines):
            _architecture(reading, index, low)
    if shown:
        reading.saw("free_text", 1)


_LINK = regex(r"\S{0,40}://\S{0,600}")
_SENTENCE = 8  # words beside the links from which on a person wrote the line


def _without_links(line: str) -> str:
    """A sentence without its links; any other line with one as it is: a program's."""
    if line.count("://") > 1 or line.lstrip().startswith(("* [", "- [", "[")):
        return line  # a list of links, such as a list of changes
    rest = _LINK.sub(" ", line)
    return rest if len(rest.split()) >= _SENTENCE else line


def _of_a_program(line: str, text: str) -> bool:
    """Lines of tracebacks, downloads and links: what they name is not what the person has."""
    if "site-packages" in line or "://" in line:
        return True
    return text[:1] in _TRACE_BEGINS and _TRACE.match(line) is not None


_SPEAKER = ("i", "i'm", "i've", "we", "we're", "my", "our", "so", "but", "and", "it", "hi", "hello", "hey", "just", "now", "after")  # fmt: skip


def _has_label(text: str) -> bool:
    """Whether the line begins with a label; the colon of a PCI id makes none."""
    if ":" not in text[:40]:
        return False
    before, _, after = text[:40].partition(":")
    if after[:1] in ("(", ")", "/", "D"):  # a face makes none
        return False
    words = before.split()
    if holds(before, ("→", "->", "=>")):  # an answer behind what was asked
        return False
    if len(words) > 1 and words[-1][:1] in "\"'`":  # a sentence that quotes an error
        return False
    if len(words) > 5 or (len(words) > 3 and words[0].lower() in _SPEAKER):
        return False
    if "(" in before or (", " in before and not text.startswith(("GPU", "Device"))):
        return False
    begin = text[:44]
    if "10de:" not in begin and "1002:" not in begin and "8086:" not in begin and "10DE:" not in begin:
        return True
    return ":" in _PCI.sub("", begin)[:40] if _PCI.search(begin) else True


def _owned(low: str) -> str:
    """A label without the word that says whose it is."""
    label = low.partition(":")[0].lstrip()
    if label.startswith(_WHOSE):
        label = label.partition(" ")[2]
    return label.strip(" -*")


def _gpus(reading: Reading, index: int, text: str, low: str) -> None:
    if not _has_label(text) or text[0] in "(#-" or "machine" in low or low.startswith("system"):
        found = names.find_gpus(text)
        if found and holds(low, _EXCHANGED):
            text = _INSTEAD.sub(" ", text)  # the card that was there before
            low, found = text.lower(), names.find_gpus(text)
        # a long sentence that names several models compares them: it lists no machine
        compares = len(text) > 80 and text[0] not in "(#-" and len({n.fields["name"] for n in found}) > 1
        if not compares and ("which is of" not in text or not _CAPABILITY.search(text)):
            labelled = not found and len(text) < 160 and _GPU_WORDS.search(text) is not None
            if not found and reading.has("xpu") and (arc := _ARC.search(text)):
                card = {"vendor": "intel", "name": f"Intel Arc {arc[0]}"}
                reading.gpu_lists.append(GpuList(CLAIMED - 1, False, [(card, reading.source(index))]))
            elif not found and "(gfx" in text and (target := _CHIP_WITH_TARGET.search(text)):
                row = ({"vendor": "amd", "gfx": target[1]}, reading.source(index))
                reading.gpu_lists.append(GpuList(CLAIMED - 1, False, [row]))
            elif found or labelled:
                put_named_gpus(reading, index, text, CLAIMED - 1, labelled=labelled)
    elif _owned(low) in _OWN or ("gfx" in text and _ROCM_GFX.search(text) and "gfx" in text.split(":", 1)[1]):
        put_named_gpus(reading, index, text.split(":", 1)[1], CLAIMED - 1)
    if "driver" in low and (match := _DRIVER.search(text)):
        reading.put("drivers.nvidia.version", match[1] or match[2], index, CLAIMED - 1)
    if "iGPU" in text and (match := _INTEL_IGPU.search(text)):
        model = f"Intel {match[1]}"
        reading.put("cpu.model", model, index, CLAIMED - 1)
        row = ({"vendor": "intel", "name": f"{model} iGPU", "integrated": True}, reading.source(index))
        reading.gpu_lists.append(GpuList(CLAIMED - 1, False, [row]))


_MOVED = regex(
    r"\b(?:migrated|moved|switched|changed|went|upgraded) (?:\w{1,12} ){0,3}?from (?:an? )?[\w.]{2,20}(?: [\w.]{1,12}){0,2} (?=to\b)",
    re.I,
)
_GLUED = regex(r"(?<![\w/.-])(ubuntu|windows|win|centos|debian|fedora|rhel|macos|rocky) ?(?=\d)", re.I)


def _apart(match: re.Match[str]) -> str:
    """``Win10``, ``ubuntu22.04``, ``CentOS7``: name and number apart."""
    return "Windows " if match[1].lower() == "win" else f"{match[1]} "


def _system(reading: Reading, index: int, text: str) -> None:
    low = text.lower()
    if ("docker" in low and "windows" in low) or "supported on macos" in low:
        return  # what torch says that Metal needs is no system's version
    if re.search(
        r"\b(?:linux|windows|macos) (?:is|was|wheels?|only|support)|wheels? for (?:linux|windows|macos)|win_amd64|sys_platform|platform tag",
        low,
    ):
        return
    if "from " in low and " to " in low:
        text = _MOVED.sub(" ", text)  # the system that was there before
    if low.startswith(("from ", "image", "docker ", "mkdir", "cd ", "base")):
        return
    put_system(reading, index, _GLUED.sub(_apart, text), CLAIMED)


def _architecture(reading: Reading, index: int, low: str) -> None:
    low = low.replace("(r)", "").replace("(tm)", "")
    if holds(low, ("windows", "snapdragon", "arm-based")) and re.search(
        r"\bwindows\b.{0,16}\b(?:arm64|on arm|arm)\b|\barm64 windows\b|snapdragon x|\barm-based (?:processor|pc)\b", low
    ):
        reading.put("system.os", "windows", index, CLAIMED + 2)
        reading.put("system.machine", "aarch64", index, CLAIMED + 2)
    elif ("raspbian" in low or "raspberry pi os" in low) and re.search(r"\b32[- ]?bit\b", low):
        reading.put("system.machine", "armv7l", index, CLAIMED)
    elif "intel" in low and re.search(
        r"\b(?:macos|mac|imac|macbook)\b.{0,72}\bintel (?:core|chip|mac|xeon|i\d)|\b(?:macos|mac|imac|macbook)\b.{0,24}\bintel\b|\bintel (?:chip|mac|imac|macbook)\b",
        low,
    ):
        reading.put("system.os", "macos", index, CLAIMED + 1)
        reading.put("system.machine", "x86_64", index, CLAIMED + 1)
    elif (
        (machine := values.machine_in(low))
        and not holds(low, ("wheel", "pip", "nvcc"))
        and ((_MACHINE.search(low) and "/" not in low[:60]) or _SYSTEM_X64.search(low))
    ):
        reading.put("system.machine", machine, index, CLAIMED - 1)
        if _LINUX_MACHINE.search(low):
            reading.put("system.os", "linux", index, CLAIMED - 1)
    if "x86_64 architecture" in low:
        reading.put("system.machine", "x86_64", index, CLAIMED)
    if ("under emulation" in low or "emulated" in low) and ("x64" in low or "x86" in low or "amd64" in low):
        reading.put("python.machine", "x86_64", index, CLAIMED + 2)
