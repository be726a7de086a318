"""macOS: the real version behind the masks, and the machine behind Rosetta."""

from __future__ import annotations

import re

from torchdoctor.probes.draft import Draft
from torchdoctor.probes.host import Host

__all__ = ["parse_system_version", "probe_system"]


def parse_system_version(text: str) -> str | None:
    """``ProductVersion`` of ``SystemVersion.plist`` or of what ``sw_vers`` prints."""
    match = re.search(r"<key>ProductVersion</key>\s{0,40}<string>([\d.]{1,20})</string>", text)
    match = match or re.search(r"^ProductVersion:\s{1,20}([\d.]{1,20})\s*$", text, re.M)
    match = match or re.match(r"\s*(\d{1,3}(?:\.\d{1,3}){0,2})\s*$", text)
    return match[1] if match else None


def _masked(version: str) -> bool:
    """10.16 and 16 to 25 are what macOS tells a program that was built with an older SDK, not a version."""
    parts = [int(p) for p in version.split(".")[:2] if p.isdecimal() and len(p) < 6]
    return parts[:2] == [10, 16] or (bool(parts) and 16 <= parts[0] <= 25)


def probe_system(host: Host, draft: Draft) -> None:
    """Facts of ``system`` on a Mac."""
    draft.put("system.name", "macOS", "the host")
    plist = "/System/Library/CoreServices/SystemVersion.plist"
    readings = [(host.value("sysctl:kern.osproductversion").value, "sysctl kern.osproductversion")]
    readings.append((parse_system_version((host.read(plist, 1 << 16).value or b"").decode("utf-8", "replace")), plist))
    for version, source in readings:
        if isinstance(version, str) and version and not _masked(version):
            draft.put("system.version", version, source)
            break
    else:
        for argv in (["sw_vers", "-productVersion"], ["sw_vers"]):
            answer = host.run(argv, timeout=2.0)
            shown = parse_system_version(answer.value.stdout.decode("utf-8", "replace")) if answer.value else None
            if shown and not _masked(shown):
                draft.put("system.version", shown, " ".join(argv))
        draft.miss("system.version", "macOS told only the version it shows to old programs")
    translated = host.value("sysctl:sysctl.proc_translated")
    if translated.value in (0, 1):
        draft.put("system.translated", translated.value == 1, "sysctl sysctl.proc_translated")
        if translated.value == 1:  # the kernel shows x86_64 to a translated process
            draft.put("system.machine", "aarch64", "sysctl sysctl.proc_translated", rank=1)
    elif translated.absent and host.kind == "live":
        draft.put("system.translated", False, "sysctl sysctl.proc_translated")
