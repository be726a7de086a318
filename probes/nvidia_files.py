"""What the NVIDIA driver leaves in files: versions, the kind of kernel module, names of cards, the place of libcuda."""

from __future__ import annotations

import re

from torchdoctor.probes.frozen import dataclass
from torchdoctor.probes.host import Host
from torchdoctor.probes.loader import candidates, version_behind
from torchdoctor.probes.patterns import regex

__all__ = [
    "GPUS", "PROC_VERSION", "Library", "find_library", "normal_address", "parse_information", "parse_proc_version",
    "traces", "version_in",
]  # fmt: skip

PROC_VERSION = "/proc/driver/nvidia/version"
GPUS = "/proc/driver/nvidia/gpus"
WSL_LIB = "/usr/lib/wsl/lib"

_VERSION = regex(r"\d{2,4}\.\d{1,4}(?:\.\d{1,4})?")
_LIBCUDA = regex(r"libcuda\.so\.(\d{3,4}\.\d{1,4}(?:\.\d{1,4})?)")
_MODULE_FILE = regex(r"(?m)^([^:\n]{0,200}/)?nvidia\.ko(?:\.\w{1,4})?:")
# Where distributions, NixOS, Kubernetes nodes and Apptainer put the driver's library.
_FOLDERS = (
    "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib", "/run/opengl-driver/lib",
    "/usr/local/nvidia/lib64", "/.singularity.d/libs", "/usr/lib/x86_64-linux-gnu/nvidia/current",
    "/usr/lib/aarch64-linux-gnu/nvidia", "/usr/lib/aarch64-linux-gnu/tegra",
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


def find_library(host: Host, *, wsl: bool = False) -> tuple[Library | None, bool]:
    """The libcuda that a program would load, and whether it is known that there is none at all.

    Under WSL one that is versioned stands first, wherever it is: it belongs to a driver that has no place there.
    """
    found: list[Library] = []
    none = True
    for path in candidates(host, "libcuda.so.1", (WSL_LIB, *_FOLDERS)):
        answer = host.stat(path)
        if answer.absent:
            continue
        folder = path.rpartition("/")[0]
        if answer.ok or host.link(path).ok:
            found.append(
                Library(path=path, version=version_behind(host, path, _LIBCUDA) or _only_version(host, folder))
            )
            if not wsl:
                break
        elif host.kind != "live" and (version := _only_version(host, folder)) is not None:
            # A recording may hold the versioned file and not the link to it.
            found.append(Library(path=f"{folder}/libcuda.so.{version}", version=version))
        else:
            none = False
    found.sort(key=lambda library: library.version is None if wsl else False)
    return (found[0], False) if found else (None, none)


def _only_version(host: Host, folder: str) -> str | None:
    found = {m.group(1) for name in host.listing(folder).value or () if (m := _LIBCUDA.fullmatch(name))}
    return found.pop() if len(found) == 1 else None


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
