"""The wheel tags of a declared machine, as the options by which pip resolves for a machine it does not run on."""

from __future__ import annotations

from torchdoctor.installers.target import InstallerError, minor
from torchdoctor.probes.facts import Python, System

__all__ = ["abi", "foreign_options", "platforms"]

_LEGACY = ((17, "manylinux2014"), (12, "manylinux2010"), (5, "manylinux1"))  # glibc 2.x → the tag's older name
_OLDEST_GLIBC = 5
_MACOS_MACHINE = {"aarch64": "arm64"}
_WINDOWS = {"x86_64": "win_amd64", "aarch64": "win_arm64", "i686": "win32"}


def platforms(system: System) -> list[str]:
    """Platform tags, best first. Raises :class:`InstallerError` where a fact is missing that decides them."""
    machine = system.machine
    if system.os == "windows" and machine in _WINDOWS:
        return [_WINDOWS[machine]]
    if system.os == "macos" and machine and system.version:
        major, _, rest = system.version.partition(".")
        release = f"{major}_{rest.partition('.')[0] or '0'}" if major == "10" else f"{major}_0"
        return [f"macosx_{release}_{_MACOS_MACHINE.get(machine, machine)}"]
    if system.os == "linux" and machine and system.libc == "glibc" and system.libc_version:
        parts = system.libc_version.split(".")
        if len(parts) >= 2 and parts[0] == "2" and parts[1].isdecimal() and parts[1].isascii():
            newest = min(int(parts[1]), 99)
            found = []
            for number in range(newest, _OLDEST_GLIBC - 1, -1):
                found.append(f"manylinux_2_{number}_{machine}")
                found += [f"{name}_{machine}" for at, name in _LEGACY if at == number]
            return [*found, f"linux_{machine}"]
    raise InstallerError(
        "the machine's wheel tags need its system, processor and glibc or macOS version: not all are known"
    )


def abi(python: Python) -> str:
    """``cp312`` or ``cp313t``. Raises :class:`InstallerError`."""
    short = minor(python)
    if short is None:
        raise InstallerError("the machine's wheel tags need python.version: it is not known")
    return f"cp{short.replace('.', '')}{'t' if python.free_threaded else ''}"


def foreign_options(system: System, python: Python) -> list[str]:
    """Options for ``pip download`` or ``pip install --target``."""
    line = [word for tag in platforms(system) for word in ("--platform", tag)]
    short = minor(python) or ""
    return [*line, "--python-version", short, "--implementation", "cp", "--abi", abi(python), "--only-binary=:all:"]
