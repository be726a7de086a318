"""Environment markers (``sys_platform == 'linux'``), answered for the machine that is judged rather than for this one."""

from __future__ import annotations

from typing import Any

from torchdoctor.probes.facts import Facts, regex

__all__ = ["holds"]

# One comparison of words, as nearly every source has it: the library that reads all of them takes longer to load than a
# machine takes to judge. Comparisons of versions are left to it.
_PLAIN = regex(
    r"\s*(sys_platform|platform_system|platform_machine|os_name)\s*(==|!=)\s*(['\"])((?!v\d)[A-Za-z_]\w*)\3\s*"
)
_NAMES = {
    "linux": ("linux", "Linux", "posix"),
    "windows": ("win32", "Windows", "nt"),
    "macos": ("darwin", "Darwin", "posix"),
}


def holds(marker: str, facts: Facts) -> bool:
    """Does the marker hold there? One that cannot be read or rests on what is not known does not."""
    version, system = facts.python.version, facts.system
    if system.os not in _NAMES:
        return False
    if ("python" in marker and not version) or ("machine" in marker and not system.machine):
        return False
    sys_platform, platform_system, os_name = _NAMES[system.os]
    machine = system.machine or ""
    if system.os == "windows":
        machine = {"x86_64": "AMD64", "aarch64": "ARM64"}.get(machine, machine)
    elif system.os == "macos" and machine == "aarch64":
        machine = "arm64"
    environment: dict[str, Any] = {
        "python_version": ".".join((version or "3").split(".")[:2]),
        "python_full_version": version or "3",
        "sys_platform": sys_platform,
        "platform_system": platform_system,
        "platform_machine": machine,
        "os_name": os_name,
        "implementation_name": facts.python.implementation or "cpython",
        "platform_python_implementation": "PyPy" if facts.python.implementation == "pypy" else "CPython",
        "extra": "",
    }
    if (plain := _PLAIN.fullmatch(marker)) and plain[1] in environment:
        same: bool = environment[plain[1]] == plain[4]
        return same == (plain[2] == "==")
    from packaging.markers import Marker

    try:
        return Marker(marker).evaluate(environment)
    except Exception:  # packaging raises several kinds for what it cannot read or compare
        return False
