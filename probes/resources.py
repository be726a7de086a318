"""Disk, memory and shared memory, as far as the process may use them."""

from __future__ import annotations

import re

from torchdoctor.probes.draft import Draft
from torchdoctor.probes.host import Host
from torchdoctor.probes.interpreter import Interpreter

__all__ = ["cgroup_folders", "parse_limit", "parse_meminfo", "probe"]

_UNLIMITED = 1 << 60  # version 1 writes a number near 2**63 for "no limit"


def probe(host: Host, draft: Draft, deadline: float, *, interpreter: Interpreter | None = None) -> None:
    """Facts of ``resources``, in bytes."""
    _memory(host, draft)
    _shm(host, draft)
    for name in ("tmp_free", "disk_free"):
        value = host.value(name)
        draft.put(f"resources.{name}", _size(value.value), "statvfs")
        if value.value is None:
            draft.miss(f"resources.{name}", value.detail)
    if interpreter is None:
        return
    # Where packages would be written; another disk than the home folder's more often than not.
    said = interpreter.ask(deadline).value or {}
    folder = said.get("purelib") or said.get("prefix")
    if isinstance(folder, str):
        draft.put("resources.disk_free", _size(host.value(f"disk_free:{folder}").value), "statvfs", rank=1)


def _size(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _memory(host: Host, draft: Draft) -> None:
    sizes: list[tuple[int, str]] = []
    meminfo = host.read("/proc/meminfo", 1 << 16) if host.system == "linux" else None
    if (
        meminfo is not None
        and meminfo.value is not None
        and (total := parse_meminfo(meminfo.value.decode("utf-8", "replace")))
    ):
        sizes.append((total, "/proc/meminfo"))
    else:
        for name, source in (("sysctl:hw.memsize", "sysctl hw.memsize"), ("memory", "psutil")):
            if total := _size(host.value(name).value):
                sizes.append((total, source))
                break
    cgroup = host.read("/proc/self/cgroup", 1 << 16)
    for path in cgroup_folders((cgroup.value or b"").decode("utf-8", "replace")):
        limit = parse_limit((host.read(path, 64).value or b"").decode("ascii", "replace"))
        if limit is not None:
            sizes.append((limit, path))
    if sizes:
        draft.put("resources.memory", *min(sizes))
    else:
        draft.miss("resources.memory", "nothing names the size of the memory")


def parse_meminfo(text: str) -> int | None:
    """Bytes of ``MemTotal``."""
    match = re.search(r"^MemTotal:\s{0,40}(\d{1,15}) kB", text, re.M)
    return int(match[1]) * 1024 if match else None


def cgroup_folders(text: str) -> list[str]:
    """The files that may limit the memory of a process with this ``/proc/self/cgroup``, its own group's first."""
    paths: list[str] = []
    for line in text.splitlines()[:64]:
        _, _, rest = line.partition(":")
        controllers, _, folder = rest.partition(":")
        if not folder.startswith("/") or ".." in folder:
            continue
        if not controllers:
            roots, name = [f"/sys/fs/cgroup{folder.rstrip('/')}", "/sys/fs/cgroup"], "memory.max"
        elif "memory" in controllers.split(","):
            roots, name = (
                [f"/sys/fs/cgroup/memory{folder.rstrip('/')}", "/sys/fs/cgroup/memory"],
                "memory.limit_in_bytes",
            )
        else:
            continue
        paths += [f"{root}/{name}" for root in roots]
    return list(dict.fromkeys(paths))


def parse_limit(text: str) -> int | None:
    """``memory.max`` or ``memory.limit_in_bytes``; ``None`` for "no limit" and for what is no number."""
    text = text.strip()
    if not text.isascii() or not text.isdigit() or len(text) > 20:
        return None
    return int(text) if 0 < int(text) < _UNLIMITED else None


def _shm(host: Host, draft: Draft) -> None:
    shm = host.value("shm")
    if shm.value is not None:
        draft.put("resources.shm", _size(shm.value), "/dev/shm")
    elif host.system == "linux":
        draft.miss("resources.shm", shm.detail)
