"""macOS: the chip, its GPU and memory, and the graphics cards of Intel Macs."""

from __future__ import annotations

import json
import re
import time
from typing import Any

from torchdoctor.probes.draft import Draft
from torchdoctor.probes.host import Host
from torchdoctor.probes.patterns import regex
from torchdoctor.probes.sysctl import Sysctl

__all__ = ["parse_displays", "probe"]

_PROFILER = ("system_profiler", "-json", "-detailLevel", "mini", "SPDisplaysDataType")
_PATIENCE = 6.0  # seconds; the profiler needs 0.2 to several
_CHIP = regex(r"Apple M\d{1,2}(?: (?:Pro|Max|Ultra))?")
_VENDORS = (
    ("apple", "apple"),
    ("amd", "amd"),
    ("ati", "amd"),
    ("1002", "amd"),
    ("intel", "intel"),
    ("8086", "intel"),
    ("nvidia", "nvidia"),
    ("10de", "nvidia"),
)


def probe(host: Host, draft: Draft, deadline: float) -> None:
    """Put the GPUs of a Mac and ``runtimes.metal`` where it was said. Elsewhere there is no Apple GPU to use."""
    if host.system != "macos":
        if host.system is not None:
            draft.no_gpus("macOS only")
        return
    sysctl = Sysctl(host)
    brand = sysctl.text("machdep.cpu.brand_string") or ""
    silicon = _silicon(sysctl, brand)
    virtual = sysctl.flag("kern.hv_vmm_present") or (sysctl.text("hw.model") or "").startswith("VirtualMac")
    memory = sysctl.text("hw.memsize") or ""
    if silicon and not virtual and _CHIP.fullmatch(brand):
        draft.gpu(
            "sysctl machdep.cpu.brand_string", vendor="apple", name=brand, integrated=True, memory=_number(memory)
        )
        return
    # An x86 process sees another brand, a virtual machine no chip, an Intel Mac has cards of several makers.
    displays = _asked(host, draft, deadline)
    if displays == [] and virtual:
        draft.no_gpus(" ".join(_PROFILER))
    for fields, metal in displays or ():
        if silicon and fields["vendor"] == "apple":
            fields = {**fields, "memory": _number(memory), "integrated": True}
        draft.gpu(" ".join(_PROFILER), **fields)
        draft.put("runtimes.metal", metal, " ".join(_PROFILER))
    if not displays and silicon and not virtual:
        draft.gpu("sysctl hw.optional.arm64", vendor="apple", integrated=True, memory=_number(memory))


def _silicon(sysctl: Sysctl, brand: str) -> bool:
    """Also for a translated process: Rosetta hides the chip, not this key."""
    return (
        brand.startswith(("Apple", "VirtualApple"))
        or bool(sysctl.flag("hw.optional.arm64"))
        or sysctl.flag("sysctl.proc_translated") is True
    )


def _asked(host: Host, draft: Draft, deadline: float) -> list[tuple[dict[str, Any], str | None]] | None:
    left = deadline - time.monotonic()
    answer = host.run(_PROFILER, timeout=min(_PATIENCE, max(left, 0.0)))
    if answer.value is None:
        recorded = "what system_profiler says was not recorded"
        draft.miss("gpus", answer.detail if host.kind == "live" and answer.detail else recorded)
        return None
    return parse_displays(answer.value.stdout.decode("utf-8", "replace"))


def parse_displays(text: str) -> list[tuple[dict[str, Any], str | None]] | None:
    """``system_profiler -json SPDisplaysDataType``: each GPU's fields and its Metal support; ``None`` for other text.

    ``_name`` is a key (``kHW_AppleM1Item``) on macOS 11; ``sppci_model`` is the name everywhere.
    """
    try:
        data = json.loads(text)
        rows = data["SPDisplaysDataType"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    if not isinstance(rows, list):
        return None
    found: list[tuple[dict[str, Any], str | None]] = []
    for row in rows:
        name = row.get("sppci_model") or row.get("_name") if isinstance(row, dict) else None
        if not isinstance(name, str) or not isinstance(row, dict):
            continue
        maker = f"{row.get('spdisplays_vendor', '')} {name}".lower()
        vendor = next((v for word, v in _VENDORS if word in maker), None)
        if vendor is None:
            continue
        device = str(row.get("spdisplays_device-id", ""))
        ids = {"amd": "1002", "intel": "8086", "nvidia": "10de"}
        pci_id = (
            f"{ids[vendor]}:{device[2:].lower()}"
            if vendor in ids and re.fullmatch(r"0x[0-9a-fA-F]{4}", device)
            else None
        )
        found.append(
            (
                {
                    "vendor": vendor,
                    "name": name,
                    "pci_id": pci_id,
                    "integrated": True if vendor in ("apple", "intel") else None,
                },
                _metal(row),
            )
        )
    return found


def _metal(row: dict[str, Any]) -> str | None:
    keys = ("spdisplays_mtlgpufamilysupport", "spdisplays_metalfamily", "spdisplays_metal")
    value = next((str(row[key]) for key in keys if row.get(key)), None)
    if value is None:
        return None
    return re.sub(r"^spdisplays_(?:mtlgpufamily)?", "", value) or None


def _number(text: str) -> int | None:
    return int(text) if text.isdecimal() and len(text) < 20 else None
