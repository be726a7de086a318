"""Room: what a build takes to download and to hold, as far as that was measured."""

from __future__ import annotations

import tempfile

from torchdoctor.environment import Environment, free_in
from torchdoctor.installers.known import known
from torchdoctor.installers.target import Target

__all__ = ["disk_needed", "gigabytes", "shortage", "wheel_size"]


def disk_needed(target: Target) -> int | None:
    """Bytes a new installation takes where it lands, ``None`` where no number is known for that kind of build."""
    kind = _kind(target)
    if kind is None or (kind == "cuda" and target.system.os != "linux"):
        return None
    return int(known()["disk"][kind]) * 10**6


def wheel_size(target: Target) -> int | None:
    """Bytes of torch's own wheel, about; ``None`` where none like it was measured."""
    platform = f"{target.system.os}_{target.system.machine}"
    rows = (r for r in known()["wheel"] if r["kind"] == _kind(target) and r["platform"] == platform)
    return next((int(r["size"]) * 10**6 for r in rows), None)


def _kind(target: Target) -> str | None:
    variant = target.recommendation.variant
    return "cuda" if variant.startswith("cu") else "cpu" if variant in ("cpu", "mps") else None


def shortage(target: Target, environment: Environment) -> str | None:
    """Why the build will not fit, ``None`` where it does or nothing proves otherwise."""
    if "torch" in (target.installed or {}):
        return None  # what is replaced makes room
    needed, free = disk_needed(target), environment.free()
    if needed is not None and free is not None and free < needed:
        return f"{environment.folders[0]}: {gigabytes(free)} free, about {gigabytes(needed)} needed"
    size, scratch = wheel_size(target), tempfile.gettempdir()
    room = free_in(scratch)
    if size is not None and room is not None and room < size:
        return f"{scratch}: {gigabytes(room)} free for the download, torch's wheel alone is about {gigabytes(size)}"
    return None


def gigabytes(size: int | None) -> str:
    """``1.5 GB``, or that it is not known."""
    return "size not known" if size is None else f"{size / 10**9:.1f} GB"
