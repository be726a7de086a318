"""A machine in a few words: ``--gpu "RTX 4090" --driver 535 --python 3.12 --os "ubuntu 24.04"`` as facts.

What is not said stays unknown, except for the system: without ``--os`` it is the one at hand, or macOS for an Apple GPU.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING

from torchdoctor.probes.facts import (
    AmdgpuDriver,
    Drivers,
    Facts,
    Gpu,
    IntelDriver,
    NvidiaDriver,
    Python,
    System,
)
from torchdoctor.probes.profile import normal_machine

if TYPE_CHECKING:
    from torchdoctor.matrix.gpus import KnownGpu

__all__ = ["FlagError", "facts_from_flags", "is_python_version"]

_PYTHON = re.compile(r"(?:(cpython|pypy)[- ]?)?(\d{1,2}\.\d{1,3}(?:\.\d{1,3})?)(t?)", re.IGNORECASE)
_DRIVER = re.compile(r"\d{1,6}(?:\.\d{1,6}){0,4}")
_OS = re.compile(r"([A-Za-z][A-Za-z ./_-]{0,60}?)[ :-]?(\d[\d.]{0,20})?", re.ASCII)
_NONE = ("none", "no", "-")
_WINDOWS = ("windows", "win")
_MACOS = ("macos", "mac os", "mac", "darwin", "osx", "os x")
_MUSL = ("alpine", "alpine linux", "void-musl", "postmarketos")


class FlagError(ValueError):
    """A flag that cannot be read; one line names it and what was expected."""


def is_python_version(text: str) -> bool:
    """Is ``--python`` a version (``3.12``, ``3.13t``) rather than a path?"""
    return _PYTHON.fullmatch(text) is not None


def facts_from_flags(
    *,
    gpus: Iterable[str] = (),
    driver: str | None = None,
    python: str | None = None,
    os: str | None = None,
    machine: str | None = None,
    here: System | None = None,
) -> Facts:
    """Facts declared by flags. ``here`` is the system at hand, taken where ``os`` is not given; a GPU called ``none``
    says that there is none. Raises :class:`FlagError`.
    """
    cards = _gpus(tuple(gpus))
    source = "--os" if os else "this machine"
    if os is None and cards and all(card.vendor == "apple" for card in cards):
        os, source = "macos", "--gpu"  # they are found nowhere else
    system = _system(os, machine, here)
    sources = {"system": source}
    if cards is not None:
        sources["gpus"] = "--gpu"
    drivers = Drivers()
    if driver is not None:
        drivers = _drivers(driver, cards)
        sources["drivers"] = "--driver"
    if python is not None:
        sources["python"] = "--python"
    return Facts(system=system, python=_python(python, system), gpus=cards, drivers=drivers, sources=sources)


def _gpus(names: tuple[str, ...]) -> tuple[Gpu, ...] | None:
    if not names:
        return None
    if any(name.strip().lower() in _NONE for name in names):
        if len(names) > 1:
            raise FlagError("--gpu none: cannot stand beside another --gpu")
        return ()
    return tuple(_gpu(name) for name in names)


def _gpu(name: str) -> Gpu:
    from torchdoctor.matrix.gpu_search import nearest, search

    text = " ".join(name.split())
    if re.match(r"(?:apple )?m\d{1,2}\b", text, re.IGNORECASE):
        return Gpu(vendor="apple", name=text if text.lower().startswith("apple") else f"Apple {text}", integrated=True)
    found = _agreeing(search(text), text)
    if found is None:
        near = nearest(text)
        hint = f"; nearest known: {', '.join(near)}" if near else ""
        raise FlagError(f"--gpu {text[:80]!a}: no GPU is known by that name{hint}")
    known_name = found.name or text
    return Gpu(
        vendor=found.vendor,
        name=known_name,
        pci_id=found.pci_id,
        compute_capability=found.compute_capability,
        gfx=found.gfx,
        integrated=found.integrated,
    )


def _agreeing(found: tuple[KnownGpu, ...], text: str) -> KnownGpu | None:
    """One GPU if those found run the same code. A short name may stand for several that do not."""
    if not found:
        return None
    kinds = {(g.vendor, g.compute_capability, g.gfx, g.chip if g.vendor == "intel" else None) for g in found}
    if len(kinds) > 1:
        names = ", ".join(dict.fromkeys(g.name or g.chip or "?" for g in found[:6]))
        raise FlagError(f"--gpu {text[:80]!a}: stands for several that differ: {names}")
    return found[0]


def _drivers(text: str, cards: tuple[Gpu, ...] | None) -> Drivers:
    version = text.strip()
    if version.lower() in _NONE:
        version = ""
    elif not _DRIVER.fullmatch(version):
        raise FlagError(f"--driver {text[:40]!a}: expected a version such as 535 or 550.54.14, or none")
    vendors = {gpu.vendor for gpu in cards or ()}
    if vendors & {"apple"}:
        raise FlagError("--driver: the driver of an Apple GPU is part of macOS; use --os 'macos 15'")
    if len(vendors) > 1:
        raise FlagError("--driver: with GPUs of several vendors, write the drivers into a profile instead")
    if vendors == {"amd"}:
        return Drivers(amdgpu=AmdgpuDriver(version=version))
    if vendors == {"intel"}:
        return Drivers(intel=IntelDriver(compute_runtime=version))
    return Drivers(nvidia=NvidiaDriver(version=version, installed=bool(version), loaded=bool(version)))


def _python(text: str | None, system: System) -> Python:
    if text is None:
        return Python()
    match = _PYTHON.fullmatch(text.strip())
    if match is None:
        raise FlagError(f"--python {text[:40]!a}: expected a version such as 3.12 or 3.13t")
    return Python(
        implementation=(match[1] or "cpython").lower(),
        version=match[2],
        free_threaded=bool(match[3]),
        bits=64,
        machine=system.machine,
    )


def _system(text: str | None, machine: str | None, here: System | None) -> System:
    arch = normal_machine(machine) if machine else None
    if text is None:
        base = here or System()
        return System(
            os=base.os,
            name=base.name,
            version=base.version,
            machine=arch or base.machine,
            libc=base.libc,
            libc_version=base.libc_version,
        )
    match = _OS.fullmatch(" ".join(text.split()))
    if match is None:
        raise FlagError(f"--os {text[:60]!a}: expected a name and perhaps a version, such as 'ubuntu 24.04'")
    name, version = match[1].strip().lower(), match[2]
    if name in _WINDOWS:
        return System(os="windows", name=f"Windows {version or ''}".strip(), version=version, machine=arch or "x86_64")
    if name in _MACOS:
        return System(os="macos", name="macOS", version=version, machine=arch or "aarch64")
    libc, glibc = ("musl", None) if name in _MUSL else ("glibc", _glibc(name, version))
    known = name == "linux" or libc == "musl" or name in _distributions()
    if not known:
        raise FlagError(
            f"--os {text[:60]!a}: expected windows, macos, linux or one of {', '.join(sorted(_distributions()))}"
        )
    shown = "Linux" if name == "linux" else match[1].strip()
    return System(
        os="linux",
        name=shown,
        version=version,
        machine=arch or "x86_64",
        libc=None if name == "linux" else libc,
        libc_version=glibc,
    )


def _glibc(name: str, version: str | None) -> str | None:
    table = _distributions().get(name, {})
    if version is None:
        return None
    return table.get(version) or table.get(version.split(".")[0])


@lru_cache(maxsize=1)
def _distributions() -> dict[str, dict[str, str]]:
    from torchdoctor.matrix.tables import table

    return {name: row["glibc"] for row in table("distributions.toml")["distribution"] for name in row["names"]}
