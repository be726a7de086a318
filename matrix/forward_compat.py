"""Forward compatibility: a libcuda newer than the driver, from the package ``cuda-compat``, which some GPUs may use."""

from __future__ import annotations

from torchdoctor.matrix import drivers
from torchdoctor.matrix.catalog import version_key
from torchdoctor.matrix.tables import table
from torchdoctor.probes.facts import Facts, Gpu

__all__ = ["compat_allowed", "compat_in_use", "halves_differ", "spoken_major"]

_LIBRARY = "drivers.nvidia.library"


def halves_differ(facts: Facts) -> bool:
    """libcuda and the loaded kernel module are of two versions. Where the driver is not Linux's own (WSL, Jetson) or one
    of the versions is not whole, nothing is known to differ.
    """
    driver, system = facts.drivers.nvidia, facts.system
    module, library = _full(driver.version), _full(driver.library)
    if system.os not in (None, "linux") or system.wsl or system.jetson or module is None or library is None:
        return False
    return module != library


def compat_in_use(facts: Facts) -> bool:
    """Is the libcuda in use, of another version than the module, one from a ``compat`` folder?"""
    source = facts.source(_LIBRARY) or ""
    if "/compat" in source:
        return True
    if source.startswith("/"):
        return False
    if "/compat" in (facts.environment or {}).get("LD_LIBRARY_PATH", ""):
        return True
    # A container has the host's libcuda, of the very version of its module, or one that the image brings: of a newer
    # branch that is the compat package.
    library, module = _full(facts.drivers.nvidia.library), _full(facts.drivers.nvidia.version)
    return bool(facts.system.container and library and module and library[0] > module[0])


def compat_allowed(gpu: Gpu) -> bool | None:
    """May this GPU use a forward-compatibility libcuda? ``None`` for boards where it depends on the model."""
    words = set((gpu.name or "").lower().replace("-", " ").split())
    rows = table("checks.toml")["cuda_compat"]
    if words & set(rows["refused"]):
        return False
    return True if words & set(rows["allowed"]) else None


def spoken_major(facts: Facts) -> int | None:
    """The CUDA major that a forward-compatibility libcuda speaks here, ``None`` where none is known to be in use by GPUs
    that all may use it. What it speaks counts for the floor of a build, not for whether the driver knows the GPU.
    """
    driver, system = facts.drivers.nvidia, facts.system
    gpus = [g for g in facts.gpus or () if g.vendor == "nvidia"]
    if not driver.version or not gpus or system.os not in (None, "linux") or system.wsl or system.jetson:
        return None
    ceiling = version_key(drivers.cuda_ceiling(driver.version) or "")
    if halves_differ(facts) and compat_in_use(facts) and driver.library:
        speaks = version_key(drivers.cuda_ceiling(driver.library) or "")
    else:
        # The number a driver prints is that of the libcuda in use: one above the branch's own is a newer library's.
        speaks = version_key(driver.cuda or "")
    if not ceiling or speaks[:2] <= ceiling[:2] or not all(compat_allowed(g) for g in gpus):
        return None
    return speaks[0]


def _full(version: str | None) -> tuple[int, ...] | None:
    """A driver version with its build, ``None`` for a bare branch or a soname."""
    key = version_key(version or "")
    return key if len(key) >= 2 and key[0] >= 300 else None
