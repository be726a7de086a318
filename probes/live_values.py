"""Single values of the running machine by name: what no file tells and no program needs to be run for.

``page_size``, ``disk_free`` or ``disk_free:PATH``, ``tmp_free``, ``shm`` (size of /dev/shm), ``memory``, ``home``,
``executable`` (the interpreter that runs us), ``cwd``, ``absolute:PATH``, ``glibc``, ``uname.release`` / ``.machine`` / ``.version``, ``bits`` (of
this process), ``auxv:N``, ``sysctl:NAME``, ``windows.version``, ``processor_feature:N``, ``cpu.brand``,
``compilers`` (families of the C++ compilers on the path).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from torchdoctor.probes.host import ABSENT, DENIED, FAILED, Answer

if TYPE_CHECKING:
    from torchdoctor.probes.live import LiveHost

__all__ = ["registry", "subkeys", "value"]

_HIVES = {"HKLM": "HKEY_LOCAL_MACHINE", "HKCU": "HKEY_CURRENT_USER", "HKEY_LOCAL_MACHINE": "HKEY_LOCAL_MACHINE"}


def value(name: str, host: LiveHost) -> Answer[Any]:
    """The value called ``name``; ``absent`` where this system has no such thing."""
    head, _, rest = name.partition(":")
    read = _READERS.get(head)
    if read is None:
        return Answer(status=ABSENT, detail=f"no value is called {name}")
    return read(rest, host)


def _known(found: Any, what: str) -> Answer[Any]:
    return Answer(found) if found not in (None, "") else Answer(status=ABSENT, detail=f"this system has no {what}")


def _page_size(_: str, host: LiveHost) -> Answer[Any]:
    if hasattr(os, "sysconf"):
        return Answer(os.sysconf("SC_PAGE_SIZE"))
    import mmap

    return Answer(mmap.PAGESIZE)


def _disk_free(path: str, host: LiveHost) -> Answer[Any]:
    try:
        if hasattr(os, "statvfs"):  # shutil would import every compression there is
            node = os.statvfs(path or os.path.expanduser("~"))
            return Answer(node.f_bavail * node.f_frsize)
        import shutil

        return Answer(shutil.disk_usage(path or os.path.expanduser("~")).free)
    except FileNotFoundError:
        return Answer(status=ABSENT, detail=f"{path} is not there")


def _tmp_free(_: str, host: LiveHost) -> Answer[Any]:
    variables = host.environ().value or {}
    for folder in (variables.get("TMPDIR"), variables.get("TEMP"), variables.get("TMP"), "/tmp"):
        if folder and os.path.isdir(folder):
            return _disk_free(folder, host)
    return Answer(status=ABSENT, detail="no folder for temporary files")


def _shm(_: str, host: LiveHost) -> Answer[Any]:
    if not os.path.isdir("/dev/shm"):
        return Answer(status=ABSENT, detail="/dev/shm is not there")
    node = os.statvfs("/dev/shm")
    return Answer(node.f_blocks * node.f_frsize)


def _memory(_: str, host: LiveHost) -> Answer[Any]:
    if sys.platform.startswith("linux"):
        return Answer(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    import psutil

    return Answer(int(psutil.virtual_memory().total))


def _glibc(_: str, host: LiveHost) -> Answer[Any]:
    try:
        text = os.confstr("CS_GNU_LIBC_VERSION")
    except (AttributeError, ValueError, OSError):
        text = None
    return _known(text.split()[-1] if text and text.startswith("glibc") else None, "glibc")


def _auxv(number: str, host: LiveHost) -> Answer[Any]:
    if not sys.platform.startswith("linux"):
        return Answer(status=ABSENT, detail="this system has no auxiliary vector")
    import ctypes

    getauxval = ctypes.CDLL(None).getauxval
    getauxval.restype, getauxval.argtypes = ctypes.c_ulong, [ctypes.c_ulong]
    return Answer(int(getauxval(int(number))))


def _sysctl(name: str, host: LiveHost) -> Answer[Any]:
    if sys.platform != "darwin":
        return Answer(status=ABSENT, detail="this system has no such sysctl")
    import ctypes

    libc = ctypes.CDLL(None)
    size = ctypes.c_size_t(0)
    if libc.sysctlbyname(name.encode(), None, ctypes.byref(size), None, 0) != 0 or size.value > 65536:
        return Answer(status=ABSENT, detail=f"there is no sysctl {name}")
    buffer = ctypes.create_string_buffer(size.value)
    if libc.sysctlbyname(name.encode(), buffer, ctypes.byref(size), None, 0) != 0:
        return Answer(status=FAILED, detail=f"sysctl {name} could not be read")
    raw = buffer.raw[: size.value]
    text = raw[:-1]
    if raw.endswith(b"\0") and text and b"\0" not in text and text.isascii():
        return Answer(text.decode("ascii"))
    return Answer(int.from_bytes(raw, "little"))


def _windows_version(_: str, host: LiveHost) -> Answer[Any]:
    if sys.platform != "win32":
        return Answer(status=ABSENT, detail="not Windows")
    version = sys.getwindowsversion()  # type: ignore[attr-defined,unused-ignore]
    return Answer(".".join(map(str, version.platform_version)))


def _processor_feature(number: str, host: LiveHost) -> Answer[Any]:
    if sys.platform != "win32":
        return Answer(status=ABSENT, detail="not Windows")
    import ctypes

    return Answer(bool(ctypes.windll.kernel32.IsProcessorFeaturePresent(int(number))))  # type: ignore[attr-defined,unused-ignore]


# The C++ compilers that torch's own compiler looks for → the name of their family.
_COMPILERS = (("g++", "gcc"), ("clang++", "clang"), ("icpx", "intel"), ("cl", "msvc"))


def _compilers(_: str, host: LiveHost) -> Answer[Any]:
    return Answer([family for program, family in _COMPILERS if host.find(program)])


def _cpu_brand(_: str, host: LiveHost) -> Answer[Any]:
    # Slow and costly: asked only where nothing cheaper answers. ``get_cpu_info`` would sleep to measure the clock.
    import cpuinfo

    for source in ("_get_cpu_info_from_wmic", "_get_cpu_info_from_registry", "_get_cpu_info_from_sysctl"):
        found: dict[str, Any] = getattr(cpuinfo.cpuinfo, source, dict)() or {}
        if found.get("brand_raw"):
            return Answer(str(found["brand_raw"]))
    return Answer(status=ABSENT, detail="no source names the processor")


def _uname(field: int) -> Callable[[str, LiveHost], Answer[Any]]:
    def read(_: str, host: LiveHost) -> Answer[Any]:
        if hasattr(os, "uname"):
            return _known(os.uname()[field], "uname")
        import platform

        return _known(platform.uname()[field], "uname")

    return read


_READERS: Mapping[str, Callable[[str, LiveHost], Answer[Any]]] = {
    "page_size": _page_size,
    "disk_free": _disk_free,
    "tmp_free": _tmp_free,
    "shm": _shm,
    "memory": _memory,
    "home": lambda _, host: _known(os.path.expanduser("~"), "home"),
    "executable": lambda _, host: _known(sys.executable, "interpreter"),
    "cwd": lambda _, host: Answer(os.getcwd()),
    "absolute": lambda path, host: Answer(os.path.abspath(os.path.expanduser(path))),
    "bits": lambda _, host: Answer(64 if sys.maxsize > 2**32 else 32),
    "glibc": _glibc,
    "uname.release": _uname(2),
    "uname.version": _uname(3),
    "uname.machine": _uname(4),
    "auxv": _auxv,
    "sysctl": _sysctl,
    "windows.version": _windows_version,
    "processor_feature": _processor_feature,
    "compilers": _compilers,
    "cpu.brand": _cpu_brand,
}


def registry(key: str) -> Answer[Mapping[str, Any]]:
    """Name → value of one registry key; integers, text, lists of text and bytes as they are."""
    return _walk(key, lambda winreg, handle: {n: v for n, v, _ in _each(winreg.EnumValue, handle)})


def subkeys(key: str) -> Answer[tuple[str, ...]]:
    """The names under one registry key, sorted."""
    return _walk(key, lambda winreg, handle: tuple(sorted(_each(winreg.EnumKey, handle))))


def _walk(key: str, read: Callable[[Any, Any], Any]) -> Answer[Any]:
    if sys.platform != "win32":
        return Answer(status=ABSENT, detail="this system has no registry")
    import winreg

    hive, _, rest = key.partition("\\")
    try:
        access = winreg.KEY_READ | winreg.KEY_WOW64_64KEY  # type: ignore[attr-defined,unused-ignore]
        with winreg.OpenKey(getattr(winreg, _HIVES[hive]), rest, 0, access) as handle:  # type: ignore[attr-defined,unused-ignore]
            return Answer(read(winreg, handle))
    except FileNotFoundError:
        return Answer(status=ABSENT, detail=f"{key} is not there")
    except PermissionError:
        return Answer(status=DENIED, detail=f"{key} may not be read")
    except (OSError, KeyError) as error:
        return Answer(status=FAILED, detail=f"{key}: {error}")


def _each(enumerate_one: Callable[[Any, int], Any], handle: Any) -> list[Any]:
    found = list[Any]()
    while len(found) < 4096:
        try:
            found.append(enumerate_one(handle, len(found)))
        except OSError:
            break
    return found
