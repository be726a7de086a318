"""What the NVIDIA driver leaves in files: versions, the kind of kernel module, names of cards, the place of libcuda."""

from __future__ import annotations

import re
from dataclasses import dataclass

from torchdoctor.probes.host import Host

__all__ = [
    "GPUS", "PROC_VERSION", "Library", "find_library", "normal_address", "parse_information", "parse_proc_version",
    "traces", "version_in",
]  # fmt: skip

PROC_VERSION = "/proc/driver/nvidia/version"
GPUS = "/proc/driver/nvidia/gpus"
WSL_LIB = "/usr/lib/wsl/lib"

_VERSION = re.compile(r"\d{2,4}\.\d{1,4}(?:\.\d{1,4})?")
_LIBCUDA = re.compile(r"libcuda\.so\.(\d{3,4}\.\d{1,4}(?:\.\d{1,4})?)")
_MODULE_FILE = re.compile(r"(?m)^([^:\n]{0,200}/)?nvidia\.ko(?:\.\w{1,4})?:")
# Where distributions, NixOS, Kubernetes nodes and Apptainer put the driver's library.
_FOLDERS = (
    "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib", "/run/opengl-driver/lib",
    "/usr/local/nvidia/lib64", "/.singularity.d/libs", "/usr/lib/x86_64-linux-gnu/nvidia/current",
    "/usr/lib/aarch64-linux-gnu/nvidia", "/usr/lib/aarch64-linux-gnu/tegra", "/usr/lib/i386-linux-gnu/nvidia/current",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Library:
    """The libcuda that a program would load: its path and, where the file name tells, its version."""

    path: str
    version: str | None = None


def parse_proc_version(text: str) -> tuple[str | None, str | None]:
    """``/proc/driver/nvidia/version`` → version and ``open`` or ``proprietary``.

    The two shapes put the architecture on different sides of ``Kernel Module``, and the builder may hold blanks.
    """
    line = next((line for line in text.splitlines() if "NVRM version" in line), "")
    _, found, rest = line.partition("Kernel Module")
    if not found:
        return None, None
    version = next((word for word in rest.split() if _VERSION.fullmatch(word)), None)
    return version, "open" if "Open Kernel Module" in line else "proprietary"


def parse_information(text: str) -> dict[str, str]:
    """``gpus/<address>/information``: keys and values, tabs and blanks mixed."""
    rows = (line.partition(":") for line in text.splitlines())
    return {key.strip(): value.strip() for key, colon, value in rows if colon}


def version_in(text: str) -> str | None:
    """The text if it is nothing but a driver version (``/sys/module/nvidia/version``)."""
    text = text.strip()
    return text if _VERSION.fullmatch(text) else None


def normal_address(text: str) -> str:
    """``0000000F:01:00.0`` and ``000f:01:00.0`` are one place; sysfs spells it with four digits."""
    domain, colon, rest = text.strip().lower().partition(":")
    if rest.count(":") != 1 or not colon:
        return text.strip().lower()
    try:
        return f"{int(domain, 16):04x}:{rest}"
    except ValueError:
        return text.strip().lower()


def find_library(host: Host) -> tuple[Library | None, bool]:
    """The first libcuda on the loader's path, and whether it is known that there is none at all."""
    path = (host.environ().value or {}).get("LD_LIBRARY_PATH", "")
    folders = [*(f.rstrip("/") for f in path.split(":") if f.startswith("/")), WSL_LIB, *_FOLDERS]
    none = True
    for folder in dict.fromkeys(folders):
        name = f"{folder}/libcuda.so.1"
        answer = host.stat(name)
        if answer.absent:
            continue
        if answer.value is None and not host.link(name).ok:
            named = _named_in(host, folder) if host.kind != "live" else None
            if named is not None:
                return named, False
            none = False
            continue
        return Library(path=name, version=_version_behind(host, name) or _only_version(host, folder)), False
    return None, none


def _version_behind(host: Host, path: str) -> str | None:
    """Follow links (an alternative, a store path) until a file name holds the version."""
    for _ in range(8):
        match = _LIBCUDA.fullmatch(path.rpartition("/")[2])
        if match:
            return match.group(1)
        target = host.link(path).value
        if not target:
            return None
        path = target if target.startswith("/") else f"{path.rpartition('/')[0]}/{target}"
    return None


def _only_version(host: Host, folder: str) -> str | None:
    found = {m.group(1) for name in host.listing(folder).value or () if (m := _LIBCUDA.fullmatch(name))}
    return found.pop() if len(found) == 1 else None


def _named_in(host: Host, folder: str) -> Library | None:
    """A recording may hold the versioned file and not the link to it."""
    version = _only_version(host, folder)
    return Library(path=f"{folder}/libcuda.so.{version}", version=version) if version else None


def traces(host: Host) -> tuple[tuple[str, str | None] | None, bool]:
    """What an installed driver that is not loaded leaves: a path and the version it tells; and whether it is known
    that there is none. Asked only where a card is there and its module is not.
    """
    known = True
    for folder, pattern in (
        ("/usr/src", r"nvidia-(?:open-|srv-)?(\d{3}[\d.]{1,12})"),
        ("/var/lib/dkms/nvidia", r"(\d{3}[\d.]{1,12})"),
    ):
        names = host.listing(folder)
        known = known and (names.ok or names.absent)
        for name in names.value or ():
            if match := re.fullmatch(pattern, name):
                return (f"{folder}/{name}", version_in(match.group(1))), False
    release = host.value("uname.release").value
    if isinstance(release, str) and release:
        path = f"/lib/modules/{release}/modules.dep"
        answer = host.read(path, 8 << 20)
        match = _MODULE_FILE.search((answer.value or b"").decode("utf-8", "replace"))
        if match:
            return (f"/lib/modules/{release}/{match.group(0).rstrip(':')}", None), False
        known = known and (answer.ok or answer.absent)
    else:
        known = False
    smi = host.stat("/usr/bin/nvidia-smi")
    if smi.ok:
        return ("/usr/bin/nvidia-smi", None), False
    return None, known and smi.absent
