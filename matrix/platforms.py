"""Which published platforms a machine may be: ``linux_x86_64``, ``windows_amd64``, ``macos_arm64`` …"""

from __future__ import annotations

from torchdoctor.matrix.remember import once_a_machine
from torchdoctor.probes.facts import Facts, dataclass

__all__ = ["PLATFORMS", "Platforms", "platforms_of"]

PLATFORMS = (
    "linux_x86_64",
    "linux_aarch64",
    "linux_s390x",
    "windows_amd64",
    "windows_arm64",
    "macos_arm64",
    "macos_x86_64",
)
"""Every platform the matrix has builds for, the commonest first within a system."""

_NAMES = {
    ("windows", "x86_64"): "windows_amd64",
    ("windows", "aarch64"): "windows_arm64",
    ("macos", "aarch64"): "macos_arm64",
}


@dataclass(frozen=True, slots=True)
class Platforms:
    """``possible`` are the platforms the machine may be (one where everything is known, none where no build was ever
    published for it); ``unknown`` are the facts that would settle it; ``machine`` is what the interpreter was built for.
    """

    possible: tuple[str, ...]
    unknown: tuple[str, ...] = ()
    machine: str | None = None


@once_a_machine
def platforms_of(facts: Facts) -> Platforms:
    """The platforms this machine may be. The interpreter's architecture decides, not the processor's."""
    os, machine = facts.system.os, interpreter_machine(facts)
    if os and machine:
        name = _NAMES.get((os, machine), f"{os}_{machine}")
        return Platforms((name,) if name in PLATFORMS else (), machine=machine)
    unknown = tuple(path for path, value in (("system.os", os), ("system.machine", machine)) if not value)
    if os and os not in ("linux", "windows", "macos"):
        return Platforms((), machine=machine)
    possible = tuple(p for p in PLATFORMS if (not os or p.startswith(os)) and (not machine or _is(p, machine)))
    return Platforms(possible, unknown, machine)


def interpreter_machine(facts: Facts) -> str | None:
    """What the examined interpreter was built for; the system's architecture where nothing says otherwise."""
    return facts.python.machine or facts.system.machine


def _is(platform: str, machine: str) -> bool:
    return any(_NAMES.get((os, machine), f"{os}_{machine}") == platform for os in ("linux", "windows", "macos"))
