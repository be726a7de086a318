"""Values that reports print, taken apart: version strings, interpreter banners, system names, platform strings."""

from __future__ import annotations

import re

from torchdoctor.probes.frozen import dataclass
from torchdoctor.probes.patterns import regex
from torchdoctor.probes.profile import normal_machine

__all__ = [
    "DISTRIBUTIONS",
    "NVIDIA_DRIVER",
    "PythonBanner",
    "SystemName",
    "TorchVersion",
    "cuda_variant",
    "machine_in",
    "nothing",
    "parse_platform",
    "parse_python",
    "parse_system",
    "parse_torch",
    "variant_of_local",
    "variant_of_url",
    "yes_no",
]

_NOTHING = frozenset({"", "n/a", "na", "none", "could not collect", "no cuda", "unknown", "not available", "null", "not found", "-", "not installed", "nil", "(none)"})  # fmt: skip

_TORCH = regex(r"(?<![\w.])v?(\d{1,2}\.\d{1,3}(?:\.\d{1,3})?(?:(?:a|b|rc)\d{1,3})?(?:\.post\d{1,3})?(?:\.dev\d{1,8})?)((?:\+|%2B)[A-Za-z0-9][\w.]{0,60})?(?![\w])")  # fmt: skip
_SPELLED = regex(r"\+ ?[Cc][Uu][Dd][Aa] ?(\d{2})\.?(\d)\b")
_VARIANT = regex(r"(cpu|cu\d{2,3}|rocm\d{1,2}(?:\.\d{1,2}){0,2}|xpu)(?:$|[^\w.]|\.|a\d|rc\d)")
_URL_VARIANT = regex(r"/(cpu|cu\d{2,3}|rocm\d{1,2}(?:\.\d{1,2}){1,2}|xpu)(?:/|$|[\"'\s?#)\],}])")
_PYTHON = regex(r"(?<![\w.])v?([23]\.\d{1,2}(?:\.\d{1,2})?(?:(?:a|b|rc)\d{1,2})?)(t)?\+?(?![\d.]*\d)")
_LINUX = regex(r"Linux-(\d[\w.+~-]{0,100}?)-(x86_64|aarch64|arm64|armv[678]l|i[3-6]86|ppc64le|s390x|riscv64|loongarch64)(?:-with-([a-z]{3,6}|musl)-?(\d[\d.]{0,8})?)?")  # fmt: skip
_MACOS = regex(r"(?:macOS|Darwin)-(\d{1,2}(?:\.\d{1,2}){0,2})-(arm64|x86_64)")
_WINDOWS = regex(r"Windows-(\w{1,12})-(\d{1,2}\.\d\.\d{3,6})")
_MACHINE = regex(r"\b(x86_64|x86-64|amd64|aarch64|arm64|armv7l|armv6l|i[3-6]86|ppc64le|s390x|riscv64|x64|x86)\b", re.I)
_VERSION = regex(r"\b(\d{1,4}(?:\.\d{1,5}){0,3})\b")

#: The number of an NVIDIA driver, part of a pattern: ``580.95.05``, ``570.86``.
NVIDIA_DRIVER = r"(\d{3}\.\d{1,4}(?:\.\d{1,4})?)"

#: How distributions call themselves; the words in lower case, the name as os-release has it.
DISTRIBUTIONS: tuple[tuple[str, str], ...] = (
    ("red hat enterprise linux", "Red Hat Enterprise Linux"), ("rhel", "Red Hat Enterprise Linux"), ("ubuntu", "Ubuntu"),
    ("debian", "Debian GNU/Linux"), ("centos stream", "CentOS Stream"), ("centos", "CentOS Linux"), ("rocky linux", "Rocky Linux"),
    ("rocky", "Rocky Linux"), ("almalinux", "AlmaLinux"), ("alma linux", "AlmaLinux"), ("fedora", "Fedora Linux"),
    ("amazon linux", "Amazon Linux"), ("oracle linux", "Oracle Linux"), ("opensuse", "openSUSE"), ("sles", "SLES"),
    ("suse linux enterprise", "SLES"), ("arch linux", "Arch Linux"), ("archlinux", "Arch Linux"), ("manjaro", "Manjaro Linux"),
    ("endeavouros", "EndeavourOS"), ("cachyos", "CachyOS"), ("gentoo", "Gentoo"), ("nixos", "NixOS"), ("alpine", "Alpine Linux"),
    ("linux mint", "Linux Mint"), ("pop!_os", "Pop!_OS"), ("kali", "Kali GNU/Linux"), ("raspbian", "Raspbian"),
    ("raspberry pi os", "Raspberry Pi OS"), ("void linux", "Void Linux"), ("openeuler", "openEuler"), ("anolis", "Anolis OS"),
    ("kylin", "Kylin"), ("uos", "UOS"), ("deepin", "Deepin"), ("zorin", "Zorin OS"), ("elementary", "elementary OS"),
    ("scientific linux", "Scientific Linux"), ("azure linux", "Azure Linux"), ("cbl-mariner", "CBL-Mariner"), ("photon", "Photon"),
    ("bottlerocket", "Bottlerocket"), ("flatcar", "Flatcar"), ("clear linux", "Clear Linux"), ("proxmox", "Proxmox VE"),
)  # fmt: skip
_DISTRO_WORDS = regex(
    r"\b(" + "|".join(re.escape(w) for w, _ in DISTRIBUTIONS) + r")\b(?! ridge)"
)  # Alpine Ridge is a controller
_OTHER_THING = regex(r"torch|python|cuda|rocm|driver|gcc|pip\b|kernel|conda")  # what the number is then of
_MAC_NAMES = {
    "high sierra": "10.13", "mojave": "10.14", "catalina": "10.15", "big sur": "11", "monterey": "12", "ventura": "13", "sonoma": "14",
    "sequoia": "15", "tahoe": "26",
}  # fmt: skip


def nothing(value: str) -> bool:
    """Whether a printed value says that there is no value."""
    return value.strip().lower() in _NOTHING


def yes_no(value: str) -> bool | None:
    """``True``/``Yes`` …, ``False``/``No`` …; ``None`` for anything else."""
    word = value.strip().strip("()").lower().split(" ")[0].rstrip(".,")
    if word in ("true", "yes", "1", "available", "enabled"):
        return True
    if word in ("false", "no", "0", "unavailable", "disabled"):
        return False
    return None


@dataclass(frozen=True, slots=True)
class TorchVersion:
    """``version`` without the local part, ``local`` as printed, ``variant`` where the local part names one."""

    version: str
    local: str | None
    variant: str | None

    @property
    def full(self) -> str:
        """As a package list would print it."""
        return f"{self.version}+{self.local}" if self.local else self.version


def parse_torch(value: str) -> TorchVersion | None:
    """The first torch-like version in ``value``."""
    value = value[:200]
    match = _TORCH.search(_SPELLED.sub(r"+cu\1\2", value) if "+" in value else value)
    if match is None:
        return None
    local = match[2].replace("%2B", "+").lstrip("+").rstrip(".") if match[2] else None
    return TorchVersion(match[1], local, variant_of_local(local) if local else None)


def variant_of_local(local: str) -> str | None:
    """``cu124`` → ``cu124``, ``rocm6.2.4`` …, ``cpu.cxx11.abi`` → ``cpu``; ``None`` for a vendor's or source build."""
    match = _VARIANT.match(local)
    return match[1] if match else None


def variant_of_url(url: str) -> str | None:
    """The variant that an index address names (``…/whl/cu126``, ``…/whl/nightly/rocm7.2/``)."""
    match = _URL_VARIANT.search(url)
    return match[1] if match else None


def cuda_variant(cuda: str) -> str | None:
    """``12.6`` (or 10.1.243) → ``cu126``."""
    match = re.match(r"(\d{1,2})\.(\d)", cuda)
    return f"cu{match[1]}{match[2]}" if match else None


@dataclass(frozen=True, slots=True)
class PythonBanner:
    """What an interpreter says of itself; ``None`` = not said."""

    version: str
    free_threaded: bool | None = None
    bits: int | None = None
    implementation: str | None = None
    machine: str | None = None
    os: str | None = None
    environment: str | None = None


def parse_python(value: str) -> PythonBanner | None:
    """From ``3.12.3 (main, …) [GCC 13.3.0] (64-bit runtime)``, ``Python 3.13.0 experimental free-threading build …``,
    ``3.10 (venv)``, ``3.13t`` or a plain version.
    """
    match = _PYTHON.search(value[:300])
    if match is None:
        return None
    low = value.lower()
    bits: int | None = None
    machine = os = None
    if "32-bit" in low or "32 bit" in low:
        bits = 32
    elif "64-bit" in low or "64 bit" in low:
        bits = 64
    if "msc v." in low:
        os = "windows"
        machine = (
            "x86_64" if "(amd64)" in low else "aarch64" if "(arm64)" in low else "i686" if "(intel)" in low else None
        )
    elif " on linux" in low:
        os = "linux"
    elif " on darwin" in low:
        os = "macos"
    elif " on win32" in low:
        os = "windows"
    free: bool | None = None
    if match[2] or "free-threading build" in low or "free-threaded" in low or "freethreaded" in low or "cp313t" in low:
        free = True
    elif "[gcc" in low or "[clang" in low or "[msc" in low:
        free = False  # a full banner names a free-threaded build
    implementation = None
    for name in ("pypy", "graalpy", "jython", "ironpython"):
        if name in low:
            implementation = name
    if implementation is None and ("[gcc" in low or "[clang" in low or "[msc" in low or "cpython" in low):
        implementation = "cpython"
    environment = None
    if "anaconda" in low or "conda-forge" in low or "(conda" in low or "miniconda" in low or "miniforge" in low:
        environment = "conda"
    elif "(venv)" in low or "virtualenv" in low:
        environment = "venv"
    elif "uv-managed" in low or "(uv)" in low:
        environment = "uv"
    return PythonBanner(match[1], free, bits, implementation, machine, os, environment)


@dataclass(frozen=True, slots=True)
class SystemName:
    """An operating system as named in a report; ``None`` = not said."""

    os: str | None = None
    name: str | None = None
    version: str | None = None
    machine: str | None = None
    wsl: int | None = None


def parse_system(value: str) -> SystemName | None:
    """``Ubuntu 22.04.4 LTS (x86_64)``, ``Microsoft Windows 11 Pro (10.0.26100 64-bit)``, ``macOS 15.3 (arm64)`` …"""
    value = value[:300]
    low = value.lower()
    machine = _MACHINE.search(value)
    arch = normal_machine(machine[1]) if machine else None
    wsl = (2 if "wsl2" in low or "wsl 2" in low else 1 if "wsl1" in low else None) if "wsl" in low else None
    distro = _DISTRO_WORDS.search(low)
    if distro and not (low.startswith("microsoft windows") or (low.startswith("windows") and wsl is None)):
        name = dict(DISTRIBUTIONS)[distro[1]]
        version = _VERSION.search(value, distro.end())
        near = version is not None and version.start() - distro.end() < 24
        near = near and not (version and _OTHER_THING.search(low[distro.end() : version.start()]))
        number = version[1] if version and near else None
        if number and name == "Ubuntu" and re.fullmatch(r"\d{4}", number):  # image names drop the dot
            number = f"{number[:2]}.{number[2:]}"
        return SystemName("linux", name, number, arch, wsl)
    if "windows" in low:
        position = low.index("windows")
        version = re.search(r"\b(XP|Vista|7|8\.1|8|10|11|2012|2016|2019|2022|2025)\b", value[position : position + 40])
        if "wsl" in low:
            return SystemName("linux", None, None, arch, wsl or 2)
        return SystemName("windows", "Windows", version[1] if version else None, arch)
    if "macos" in low or "mac os" in low or "os x" in low or "darwin" in low:
        version = re.search(r"(?:macos|mac os x|os x|mac os)[ -]{0,2}(?:version )?(\d{1,2}(?:\.\d{1,2}){0,2})", low)
        number = version[1] if version else None
        if number is None:
            number = next((v for word, v in _MAC_NAMES.items() if word in low), None)
        return SystemName("macos", "macOS", number, arch)
    if bsd := re.search(r"\b(freebsd|openbsd|netbsd|solaris|android)\b", low):
        return SystemName(bsd[1], None, None, arch)
    if "linux" in low or "jetpack" in low or "l4t" in low:
        return SystemName("linux", None, None, arch, wsl)
    return None


@dataclass(frozen=True, slots=True)
class PlatformString:
    """What ``platform.platform()`` printed."""

    os: str
    kernel: str | None = None
    machine: str | None = None
    libc: str | None = None
    libc_version: str | None = None
    version: str | None = None
    wsl: int | None = None
    page_size: int | None = None
    tegra: bool = False


def parse_platform(value: str) -> PlatformString | None:
    """``Linux-6.8.0-…-x86_64-with-glibc2.35``, ``macOS-15.1.1-arm64-arm-64bit``, ``Windows-10-10.0.22631-SP0``."""
    value = value[:300]
    if match := _LINUX.search(value):
        kernel = match[1]
        low = kernel.lower()
        wsl = 0 if low else None
        if "microsoft" in low:
            wsl = 2 if "wsl2" in low or "standard" in low else 1
        # distributions that build one kernel a page size say so in its name
        page = (
            65536 if re.search(r"[-+.]64k\b", low) else 16384 if re.search(r"[-+.]16k\b|_16k|rpi-2712", low) else None
        )
        libc = match[3] if match[3] in ("glibc", "musl", "libc") else None
        return PlatformString(
            "linux", kernel, normal_machine(match[2]), libc, match[4] if libc else None, None, wsl, page, "tegra" in low
        )
    if match := _MACOS.search(value):
        return PlatformString(
            "macos", None, normal_machine(match[2]), version=match[1] if value.startswith("macOS") else None
        )
    if match := _WINDOWS.search(value):
        return PlatformString("windows", match[2], None, version=match[1])
    return None


def machine_in(text: str) -> str | None:
    """The architecture that ``text`` names (``aarch64``, ``x64``, ``ARM64`` …), in the spelling of facts."""
    text = text[:300]
    if (
        "64" not in text
        and "86" not in text
        and "v7l" not in text.lower()
        and "v6l" not in text.lower()
        and "390" not in text
    ):
        return None  # every one of them holds one of these
    match = _MACHINE.search(text)
    return normal_machine(match[1]) if match else None
