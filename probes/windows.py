"""Windows: version, runtime library, long paths, the machine behind an emulated process."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from torchdoctor.probes.draft import Draft
from torchdoctor.probes.host import Host
from torchdoctor.probes.patterns import regex

__all__ = ["parse_wmic_list", "probe_system", "windows_name", "windows_version"]

_CURRENT = "HKLM\\SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion"
_FILE_SYSTEM = "HKLM\\SYSTEM\\CurrentControlSet\\Control\\FileSystem"
_RUNTIME = "HKLM\\SOFTWARE\\Microsoft\\VisualStudio\\14.0\\VC\\Runtimes\\"
_MACHINES = {"AMD64": "x86_64", "ARM64": "aarch64", "x86": "i686", "X86": "i686", "ARM": "armv7l"}
_BUILD_11 = 22000  # the first build that is Windows 11; the registry calls it Windows 10 still
_VERSION = regex(r"\b((?:10\.0|6\.[0-3]|5\.[12])\.\d{3,5})(?:\.\d{1,5})?\b")


def probe_system(host: Host, draft: Draft) -> None:
    """Facts of ``system`` on Windows."""
    current = host.registry(_CURRENT)
    version = host.value("windows.version").value
    product = None
    if current.value is not None:
        version = windows_version(current.value) or version
        product = _string(current.value, "ProductName")
    if isinstance(version, str):
        draft.put("system.version", version, _CURRENT if current.ok else "windows.version")
        draft.put("system.name", windows_name(version, product), _CURRENT if current.ok else "windows.version")
    _commands(host, draft)
    variables = host.environ().value or {}
    # The first is the machine's where the process is emulated, the second the process's own.
    for name in ("PROCESSOR_ARCHITEW6432", "PROCESSOR_ARCHITECTURE"):
        if variables.get(name) in _MACHINES:
            draft.put("system.machine", _MACHINES[variables[name]], name)
            break
    identifier = variables.get("PROCESSOR_IDENTIFIER", "")
    if identifier.startswith("ARM"):  # x64 emulation hides the machine everywhere but here
        draft.put("system.translated", variables.get("PROCESSOR_ARCHITECTURE") != "ARM64", "PROCESSOR_IDENTIFIER")
        draft.put("system.machine", "aarch64", "PROCESSOR_IDENTIFIER", rank=1)
    elif identifier:
        draft.put("system.translated", False, "PROCESSOR_IDENTIFIER")
    paths = host.registry(_FILE_SYSTEM)
    if paths.value is not None and isinstance(paths.value.get("LongPathsEnabled"), int):
        draft.put("system.long_paths", paths.value["LongPathsEnabled"] == 1, _FILE_SYSTEM)
    _runtime(host, draft)


def _runtime(host: Host, draft: Draft) -> None:
    absent = 0
    for arch in ("X64", "ARM64"):
        key = host.registry(_RUNTIME + arch)
        if key.value is not None and key.value.get("Installed") == 1:
            version = _string(key.value, "Version")
            draft.put("system.vc_runtime", version.lstrip("v") if version else "14", _RUNTIME + arch)
            return
        absent += key.absent
    if absent == 2:
        dll = host.stat("C:\\Windows\\System32\\vcruntime140_1.dll")
        if dll.absent:
            draft.put("system.vc_runtime", "", _RUNTIME + "X64")
        elif dll.ok:
            draft.put("system.vc_runtime", "14", "vcruntime140_1.dll")


def windows_version(current: Mapping[str, Any]) -> str | None:
    """``10.0.26100`` from the values of the CurrentVersion key."""
    build = _string(current, "CurrentBuildNumber") or _string(current, "CurrentBuild")
    major, minor = current.get("CurrentMajorVersionNumber"), current.get("CurrentMinorVersionNumber")
    if not build or not build.isdigit():
        return None
    if isinstance(major, int) and isinstance(minor, int):
        return f"{major}.{minor}.{build}"
    old = _string(current, "CurrentVersion")
    return f"{old}.{build}" if old and re.fullmatch(r"\d{1,2}\.\d", old) else None


def windows_name(version: str, product: str | None = None) -> str | None:
    """``Windows 11`` from the version; a server keeps its product's name."""
    if product and "server" in product.lower():
        match = re.search(r"Windows Server \d{4}(?: R2)?", product)
        return match[0] if match else "Windows Server"
    parts = version.split(".")
    if len(parts) < 3 or not all(p.isdecimal() and len(p) < 10 for p in parts[:3]):
        return None
    if parts[:2] == ["10", "0"]:
        return "Windows 11" if int(parts[2]) >= _BUILD_11 else "Windows 10"
    return {"6.3": "Windows 8.1", "6.2": "Windows 8", "6.1": "Windows 7", "5.1": "Windows XP"}.get(".".join(parts[:2]))


def _commands(host: Host, draft: Draft) -> None:
    from torchdoctor.probes.gather import decode

    for argv, completed in host.commands():
        text = decode(completed.stdout)
        source = argv[0]
        if argv[0] == "systeminfo":
            # Labels are localised, the shape of the version is not.
            version = _VERSION.search(text)
        elif argv[0] == "wmic" and "BuildNumber" in text:
            rows = parse_wmic_list(text)
            version = _VERSION.fullmatch(rows.get("Version", ""))
        elif argv[0] in ("ver", "cmd"):
            version = _VERSION.search(text)
        else:
            continue
        if version:
            caption = next((line for line in text.splitlines() if "Windows" in line), "")
            draft.put("system.version", version[1], source)
            draft.put("system.name", windows_name(version[1], caption), source)


def parse_wmic_list(text: str) -> dict[str, str]:
    """``Key=value`` lines of ``wmic … /format:list``, its HTML escapes resolved."""
    rows = (line.strip().partition("=") for line in text.splitlines())
    return {key: value.strip().replace("&amp;", "&") for key, equals, value in rows if equals}


def _string(values: Mapping[str, Any], name: str) -> str | None:
    value = values.get(name)
    return value.strip() if isinstance(value, str) else None
