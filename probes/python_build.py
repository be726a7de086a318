"""The examined interpreter: version, implementation, what it was built for, and the kind of its environment."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from torchdoctor.probes.draft import Draft
from torchdoctor.probes.host import Host
from torchdoctor.probes.interpreter import Interpreter, parse_venv_config

__all__ = ["Interpreter", "parse_build_details", "parse_said", "parse_version_text", "probe"]

_SOURCE = "the examined interpreter"
_VERSION = r"^(\d{1,3}\.\d{1,3}(?:\.\d{1,3})?(?:(?:a|b|rc)\d{1,3})?)(t?)\+?$"
_PRINTED = r"^Python (\d\S{0,30})[ \t]*(.{0,400})$"


def probe(host: Host, draft: Draft, deadline: float, *, interpreter: Interpreter | None = None) -> None:
    """Facts of the examined interpreter; from files beside it where it cannot run."""
    interpreter = interpreter or Interpreter(host)
    answer = interpreter.ask(deadline)
    if answer.value is not None:
        for name, value in parse_said(answer.value).items():
            draft.put(f"python.{name}", value, _SOURCE)
        return
    draft.miss("python.version", answer.detail)
    for program in interpreter.command()[:1]:
        draft.put("python.executable", program, "the path")
        _from_files(host, program, draft)
    for argv, completed in host.commands():
        if re.match(r"(?:python|pypy)[\d.]*t?$", argv[0]) and argv[1:] in (("-V",), ("-VV",), ("--version",)):
            # Python 2 prints it on standard error.
            text = (completed.stdout + b"\n" + (completed.stderr or b"")).decode("utf-8", "replace")
            for name, value in parse_version_text(text).items():
                draft.put(f"python.{name}", value, " ".join(argv))


def parse_said(said: Mapping[str, Any]) -> dict[str, Any]:
    """What the interpreter said → facts of ``python``; a value of another kind than expected is left out."""
    facts: dict[str, Any] = {}

    def take(name: str, kind: type, key: str | None = None) -> None:
        value = said.get(key or name)
        if isinstance(value, kind) and (kind is bool or not isinstance(value, bool)):
            facts[name] = value

    for name in ("implementation", "executable", "libc"):
        take(name, str)
    for name in ("free_threaded", "gil_enabled", "debug", "externally_managed"):
        take(name, bool)
    take("bits", int)
    match = re.match(_VERSION, str(said.get("version")))
    if match:
        facts["version"] = match[1]
        facts["abi"] = _abi(match[1], said)
    if isinstance(said.get("platform"), str):
        facts["platform_tag"] = re.sub(r"[-.]", "_", said["platform"])
    facts["machine"] = _machine(said)
    facts["environment"] = _environment(said)
    return {name: value for name, value in facts.items() if value is not None}


def _abi(version: str, said: Mapping[str, Any]) -> str | None:
    soabi, flags = said.get("soabi"), said.get("abiflags")
    if said.get("implementation") == "cpython":
        digits = "".join(version.split(".")[:2])
        if isinstance(flags, str):
            return f"cp{digits}{flags}"
        return f"cp{digits}{'t' if said.get('free_threaded') else ''}"
    if isinstance(soabi, str) and soabi.startswith("pypy"):
        return "_".join(soabi.split("-")[:2])
    return soabi.replace("-", "_") if isinstance(soabi, str) else None


def _machine(said: Mapping[str, Any]) -> str | None:
    """What it was *built* for: a 64-bit kernel says nothing about a 32-bit interpreter."""
    platform, kernel = said.get("platform"), said.get("machine")
    for triple in (said.get("multiarch"), said.get("soabi")):
        if isinstance(triple, str) and (
            found := re.search(r"(?:^|-)(x86_64|i[3-6]86|aarch64|arm|ppc64le|s390x|riscv64|loongarch64)-linux", triple)
        ):
            return {"arm": "armv7l"}.get(found[1], "i686" if re.fullmatch(r"i[3-6]86", found[1]) else found[1])
    if isinstance(platform, str):
        if platform.startswith("win"):
            return {"win-amd64": "x86_64", "win32": "i686", "win-arm64": "aarch64", "win-arm32": "armv7l"}.get(platform)
        tail = platform.rpartition("-")[2]
        if tail not in ("universal2", "universal", "intel", "fat", "") and platform != tail:
            kernel = tail
    if not isinstance(kernel, str) or not kernel:
        return None
    if said.get("bits") == 32:
        kernel = {"x86_64": "i686", "aarch64": "armv7l", "armv8l": "armv7l"}.get(kernel, kernel)
    return {"arm64": "aarch64", "amd64": "x86_64"}.get(kernel, kernel)


def _environment(said: Mapping[str, Any]) -> str | None:
    venv, prefix = said.get("venv"), said.get("prefix")
    if isinstance(venv, Mapping):
        return "uv" if "uv" in venv else "venv"
    if said.get("conda") is True:
        return "conda"
    if not isinstance(prefix, str):
        return None
    low = prefix.replace("\\", "/").lower()
    for part, kind in (("pyenv", "pyenv"), ("uv/python", "uv"), ("homebrew", "homebrew"), ("cellar", "homebrew")):
        if f"/{part}/" in low or f"/.{part}/" in low:
            return kind
    return "system"


def parse_version_text(text: str) -> dict[str, Any]:
    """What ``python -VV`` (or ``-V``) prints. That a short form shows no "free-threading" proves nothing."""
    match = re.search(_PRINTED, text, re.M)
    version = re.match(_VERSION, match[1]) if match else None
    if match is None or version is None:
        return {}
    facts: dict[str, Any] = {"version": version[1]}
    rest = text[match.end(1) :]
    if "free-threading build" in rest or version[2]:
        facts["free_threaded"] = True
    elif "[" in rest or tuple(
        map(int, version[1].split(".")[:2] if version[1].replace(".", "").isdecimal() else (3, 99))
    ) < (3, 13):
        facts["free_threaded"] = False
    if "[PyPy" in rest:
        facts["implementation"] = "pypy"
    elif re.search(r"\[(?:GCC|Clang|MSC)", rest):
        facts["implementation"] = "cpython"
    if bits := re.search(r"\b(32|64) bit \((Intel|AMD64|ARM64)\)", rest):
        facts["bits"] = int(bits[1])
        facts["machine"] = {"AMD64": "x86_64", "ARM64": "aarch64"}.get(bits[2], "i686")
    return facts


def parse_build_details(text: str) -> dict[str, Any]:
    """``build-details.json`` (PEP 739, Python 3.14 and newer)."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    if not isinstance(data, dict):
        return {}

    def part(name: str) -> Mapping[str, Any]:
        value = data.get(name)
        return value if isinstance(value, Mapping) else {}

    version = part("implementation").get("version")
    facts: dict[str, Any] = {}
    if isinstance(version, Mapping) and all(isinstance(version.get(k), int) for k in ("major", "minor", "micro")):
        facts["version"] = f"{version['major']}.{version['minor']}.{version['micro']}"
    if isinstance(name := part("implementation").get("name"), str):
        facts["implementation"] = name.lower()
    flags = part("abi").get("flags")
    if isinstance(flags, list):
        facts["free_threaded"], facts["debug"] = "t" in flags, "d" in flags
    if isinstance(platform := data.get("platform"), str):
        facts["platform_tag"] = re.sub(r"[-.]", "_", platform)
        facts["machine"] = _machine({"platform": platform})
    return {name: value for name, value in facts.items() if value is not None}


def _from_files(host: Host, program: str, draft: Draft) -> None:
    separator = "\\" if "\\" in program else "/"
    prefix = separator.join(program.split(separator)[:-2])
    config = host.read(f"{prefix}{separator}pyvenv.cfg")
    if config.value is not None:
        found = parse_venv_config(config.value.decode("utf-8", "replace"))
        draft.put("python.environment", "uv" if "uv" in found else "venv", f"{prefix}/pyvenv.cfg")
        version = re.match(_VERSION, ".".join((found.get("version_info") or found.get("version") or "").split(".")[:3]))
        if version:
            draft.put("python.version", version[1], f"{prefix}/pyvenv.cfg")
    for _ in range(8):
        target = host.link(program)
        if target.value is None:
            break
        program = target.value if target.value.startswith("/") else f"{program.rpartition('/')[0]}/{target.value}"
    base = program.rpartition("/")[0].rpartition("/")[0]
    for name in host.listing(f"{base}/lib").value or ():
        if re.fullmatch(r"(?:python|pypy)3\.\d{1,2}t?", name):
            details = host.read(f"{base}/lib/{name}/build-details.json")
            if details.value is not None:
                for fact, value in parse_build_details(details.value.decode("utf-8", "replace")).items():
                    draft.put(f"python.{fact}", value, f"{base}/lib/{name}/build-details.json")
