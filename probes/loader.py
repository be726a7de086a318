"""Where the dynamic loader would find a library: ``LD_LIBRARY_PATH``, its cache, then the usual folders."""

from __future__ import annotations

import re
from collections.abc import Sequence

from torchdoctor.probes.host import Host

__all__ = ["cached", "candidates", "version_behind"]

_CACHE = "/etc/ld.so.cache"


def candidates(host: Host, soname: str, usual: Sequence[str]) -> tuple[str, ...]:
    """Full paths at which ``soname`` may be, in the order in which the loader looks."""
    variables = host.environ().value or {}
    folders = [f.rstrip("/") for f in variables.get("LD_LIBRARY_PATH", "").split(":") if f.startswith("/")]
    cache = cached(host.read(_CACHE, 8 << 20).value or b"", soname)
    paths = [f"{f}/{soname}" for f in folders] + list(cache) + [f"{f}/{soname}" for f in usual]
    return tuple(dict.fromkeys(paths))


def cached(content: bytes, soname: str) -> tuple[str, ...]:
    """The paths that ``/etc/ld.so.cache`` holds for a library, 32-bit folders left out."""
    found = re.findall(rb"\0(/[^\0\n]{1,300}/" + re.escape(soname.encode()) + rb")(?=\0)", content)
    paths = (path.decode("utf-8", "replace") for path in found)
    return tuple(dict.fromkeys(p for p in paths if "/i386-" not in p and "/lib32/" not in p))


def version_behind(host: Host, path: str, pattern: re.Pattern[str]) -> str | None:
    """Follow links (an alternative, a store path) until a file name matches; its first group is the version."""
    for _ in range(8):
        match = pattern.fullmatch(path.rpartition("/")[2])
        if match:
            return match.group(1)
        target = host.link(path).value
        if not target:
            return None
        path = target if target.startswith("/") else f"{path.rpartition('/')[0]}/{target}"
    return None
