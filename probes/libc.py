"""The C library of the running system, which need not be the one an interpreter was built for."""

from __future__ import annotations

import re
import time

from torchdoctor.probes.draft import Draft
from torchdoctor.probes.host import Host

__all__ = ["parse_ldd", "parse_loader", "probe_libc"]

_GLIBC = r"^(?:ldd\b[^\n]{0,120}\)|ldd \(GNU libc\)|glibc|GNU C Library[^\n]{0,120} version) (\d{1,2}\.\d{1,3}(?:\.\d{1,3})?)\.?"
_MUSL = r"^musl libc\b[^\n]{0,60}\r?\nVersion (\d{1,2}(?:\.\d{1,3}){1,3})"
_LOADER = rb"\0(/[\w./-]{0,80}/(ld-musl-[\w.-]{1,40}|ld-linux[\w.-]{0,40}|ld64?\.so\.\d|ld-[\w.-]{1,40}))\0"
_PROGRAM = "/bin/sh"


def probe_libc(host: Host, draft: Draft, deadline: float) -> None:
    """``system.libc`` and ``system.libc_version``."""
    for argv, completed in host.commands():
        text = (completed.stdout + b"\n" + (completed.stderr or b"")).decode("utf-8", "replace")
        if argv[0] in ("ldd", "getconf") or argv[0].startswith(("ld-musl", "libc.")):
            _put(draft, *parse_ldd(text), " ".join(argv))
    # What the system's own shell is loaded by; gcompat and cross packages put the other loader beside it.
    loader = parse_loader(host.read(_PROGRAM, 4096).value or b"")
    if loader is not None and loader.rpartition("/")[2].startswith("ld-musl"):
        draft.put("system.libc", "musl", _PROGRAM)
        _ask_musl(host, draft, loader, deadline)
        return
    own = host.value("glibc")
    if isinstance(own.value, str):
        _put(draft, "glibc", own.value, "confstr")
        return
    if loader is None:
        for folder in ("/lib", "/usr/lib"):
            present = host.listing(folder).value or ()
            names = [n for n in present if n.startswith("ld-musl-")]
            # Beside glibc's loader it proves nothing.
            if names and not any(n.startswith(("ld-linux", "libc.so.6")) for n in present):
                draft.put("system.libc", "musl", f"{folder}/{names[0]}")
                _ask_musl(host, draft, f"{folder}/{names[0]}", deadline)
                return
    elif "ld-linux" in loader or "/ld64.so" in loader:
        draft.put("system.libc", "glibc", _PROGRAM)
    if draft.value("system.libc_version") is None:
        for question in (["getconf", "GNU_LIBC_VERSION"], ["ldd", "--version"]):
            answer = host.run(question, timeout=min(2.0, deadline - time.monotonic()))
            if answer.value is not None:
                text = (answer.value.stdout + b"\n" + (answer.value.stderr or b"")).decode("utf-8", "replace")
                _put(draft, *parse_ldd(text), " ".join(question))
    if draft.value("system.libc_version") is None:
        draft.miss("system.libc_version", own.detail or "nothing names the version of the C library")


def _ask_musl(host: Host, draft: Draft, loader: str, deadline: float) -> None:
    answer = host.run([loader], timeout=min(2.0, deadline - time.monotonic()))
    if answer.value is not None:
        text = (answer.value.stdout + b"\n" + (answer.value.stderr or b"")).decode("utf-8", "replace")
        _put(draft, *parse_ldd(text), loader)
    draft.miss("system.libc_version", answer.detail or "the loader names no version")


def _put(draft: Draft, name: str | None, version: str | None, source: str) -> None:
    draft.put("system.libc", name, source)
    draft.put("system.libc_version", version, source)


def parse_ldd(text: str) -> tuple[str | None, str | None]:
    """Name and version from ``ldd --version``, ``getconf GNU_LIBC_VERSION`` or musl's loader (on standard error)."""
    text = text[:8192]
    if match := re.search(_MUSL, text, re.M):
        return "musl", match[1]
    if match := re.search(_GLIBC, text, re.M):
        return "glibc", match[1]
    return None, None


def parse_loader(head: bytes) -> str | None:
    """The program interpreter that an ELF file names, from its first bytes."""
    if head[:4] != b"\x7fELF":
        return None
    match = re.search(_LOADER, head)
    return match[1].decode("ascii") if match else None
