"""Windows display adapters: the registry's display class, or what a recorded command said of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from torchdoctor.probes.draft import Draft
from torchdoctor.probes.frozen import dataclass
from torchdoctor.probes.host import UNRECORDED, Answer, Host
from torchdoctor.probes.patterns import regex
from torchdoctor.probes.registry_text import parse_blocks, parse_reg

__all__ = ["CLASS", "Adapter", "adapter_of_class", "adapter_of_wmi", "nvidia_version", "put", "scan"]

CLASS = "HKLM\\SYSTEM\\CurrentControlSet\\Control\\Class\\{4d36e968-e325-11ce-bfc1-08002be10318}"
_ENUM = "HKLM\\SYSTEM\\CurrentControlSet\\Enum\\PCI"
_GUID = "{4d36e968-e325-11ce-bfc1-08002be10318}"
_VENDORS = {"10de": "nvidia", "1002": "amd", "8086": "intel"}
_WORDS = (("nvidia", "nvidia"), ("amd ", "amd"), ("radeon", "amd"), ("ati ", "amd"), ("intel", "intel"))
_IDS = regex(r"VEN_([0-9A-F]{4})&DEV_([0-9A-F]{4})", re.I)
_WDDM = regex(r"(\d{1,3})\.(\d{1,3})\.(\d{1,6})\.(\d{1,5})")
_BASIC = ("basicdisplay", "pci\\cc_0300", "root\\basicrender")


@dataclass(frozen=True, slots=True, kw_only=True)
class Adapter:
    """``vendor`` is ``nvidia``, ``amd`` or ``intel``; ``None`` for adapters of the system itself (Basic, Remote)."""

    vendor: str | None = None
    name: str | None = None
    pci_id: str | None = None
    version: str | None = None
    memory: int | None = None
    basic: bool = False
    key: str = ""
    source: str = CLASS


def put(host: Host, draft: Draft, vendor: str) -> list[Adapter]:
    """Put the GPUs of one vendor, or that there is none of it; returns them."""
    answer = scan(host)
    found = [a for a in answer.value or () if a.vendor == vendor]
    for adapter in found:
        draft.gpu(
            adapter.source,
            vendor=vendor,
            name=adapter.name,
            pci_id=adapter.pci_id,
            memory=adapter.memory,
            driver="BasicDisplay" if adapter.basic else None,
        )
    if not found:
        if answer.ok and not any(a.basic and a.vendor is None for a in answer.value or ()):
            draft.no_gpus(CLASS)
        else:
            draft.miss("gpus", answer.detail or "a display adapter runs on the system's basic driver")
    return found


def scan(host: Host) -> Answer[tuple[Adapter, ...]]:
    """Every adapter of the display class. ``ok`` where the class was listed completely."""
    names = host.subkeys(CLASS)
    found: list[Adapter] = []
    for name in names.value or ():
        if re.fullmatch(r"\d{4}", name):
            values = host.registry(f"{CLASS}\\{name}").value or {}
            if values.get("DriverDesc") or values.get("MatchingDeviceId"):
                found.append(adapter_of_class(values, name))
    if found:
        found = _present(host, found)
        if any(a.basic for a in found):
            found = [a for a in found if not a.basic] + (_without_driver(host) or [a for a in found if a.basic])
        return Answer(tuple(found), names.status, names.detail)
    printed = _from_commands(host)
    if printed:
        return Answer(tuple(printed), UNRECORDED, "only a command's output is known")
    return Answer((), names.status, names.detail or "the display class of the registry could not be listed")


def adapter_of_class(values: Mapping[str, Any], key: str = "") -> Adapter:
    """One ``0000`` subkey. ``qwMemorySize`` is a number or eight little-endian bytes."""
    ids, name = str(values.get("MatchingDeviceId") or ""), str(values.get("DriverDesc") or "") or None
    memory = values.get("HardwareInformation.qwMemorySize")
    if isinstance(memory, bytes):
        memory = int.from_bytes(memory[:8], "little")
    vendor, pci_id = _identity(ids, f"{values.get('ProviderName') or ''} {name or ''}", name)
    return Adapter(
        vendor=vendor, name=name, pci_id=pci_id, version=str(values.get("DriverVersion") or "") or None,
        memory=memory if isinstance(memory, int) and memory > 0 else None,
        basic=_basic(ids, name), key=key, source=f"{CLASS}\\{key}" if key else CLASS,
    )  # fmt: skip


def adapter_of_wmi(values: Mapping[str, str]) -> Adapter | None:
    """One ``Win32_VideoController``. Its ``AdapterRAM`` has 32 bits and says nothing of 4 GiB and more."""
    name = values.get("Name") or values.get("Caption") or values.get("Description") or None
    ids = values.get("PNPDeviceID", "")
    if not (name or ids):
        return None
    vendor, pci_id = _identity(ids, values.get("AdapterCompatibility", ""), name)
    return Adapter(
        vendor=vendor, name=name, pci_id=pci_id, version=values.get("DriverVersion") or None, basic=_basic(ids, name)
    )


def nvidia_version(wddm: str | None) -> str | None:
    """``31.0.15.1694`` → ``516.94``: the last five digits."""
    match = _WDDM.fullmatch(wddm.strip()) if wddm else None
    if match is None:
        return None
    digits = match.group(3)[-1] + match.group(4).zfill(4)[-4:]
    return f"{digits[:-2]}.{digits[-2:]}"


def _identity(ids: str, maker: str, name: str | None) -> tuple[str | None, str | None]:
    match = _IDS.search(ids)
    if match:
        vendor = _VENDORS.get(match.group(1).lower())
        return vendor, f"{match.group(1)}:{match.group(2)}".lower() if vendor else None
    if _basic(ids, name) or (name or "").lower().startswith("microsoft"):
        return None, None
    text = f"{name or ''} {maker}".lower()
    return next((vendor for word, vendor in _WORDS if word in text), None), None


def _basic(ids: str, name: str | None) -> bool:
    return (
        ids.lower().startswith(_BASIC)
        or "basicdisplay" in ids.lower()
        or (name or "").lower().startswith("microsoft basic display")
    )


def _present(host: Host, found: list[Adapter]) -> list[Adapter]:
    """Without the keys that removed cards left behind. Asked only where one vendor has several."""
    vendors = [a.vendor for a in found if a.vendor and a.pci_id]
    if len(vendors) == len(set(vendors)):
        return found
    seen: dict[str, bool] = {}
    for device in host.subkeys(_ENUM).value or ():
        if (match := _IDS.search(device)) and match.group(1).lower() in _VENDORS:
            for instance in host.subkeys(f"{_ENUM}\\{device}").value or ():
                key = f"{_ENUM}\\{device}\\{instance}"
                driver = str((host.registry(key).value or {}).get("Driver") or "").lower()
                parts = host.subkeys(key)
                if driver.startswith(_GUID) and parts.ok:
                    # Windows makes ``Control`` anew at each start, and only for devices that are there.
                    seen[driver.rpartition("\\")[2]] = "Control" in (parts.value or ())
    kept = [a for a in found if seen.get(a.key, True)]
    return kept if any(a.vendor for a in kept) else found


def _without_driver(host: Host) -> list[Adapter]:
    """Cards of the three vendors that run on the system's basic driver."""
    cards: list[Adapter] = []
    for device in host.subkeys(_ENUM).value or ():
        match = _IDS.search(device)
        vendor = _VENDORS.get(match.group(1).lower()) if match else None
        if match is None or vendor is None:
            continue
        for instance in host.subkeys(f"{_ENUM}\\{device}").value or ():
            key = f"{_ENUM}\\{device}\\{instance}"
            if str((host.registry(key).value or {}).get("Service") or "").lower() == "basicdisplay":
                cards.append(
                    Adapter(vendor=vendor, pci_id=f"{match.group(1)}:{match.group(2)}".lower(), basic=True, source=key)
                )
    return cards


def _from_commands(host: Host) -> list[Adapter]:
    from torchdoctor.probes.adapter_text import adapter_rows
    from torchdoctor.probes.gather import decode

    for argv, done in host.commands():
        text = decode(done.stdout)
        found = list(_of_reg(text)) if _GUID in text.lower() else list(_of_wmi(text)) if "Adapter" in text else []
        if not found:
            found = [a for row in adapter_rows(argv, text) if (a := adapter_of_wmi(row)) is not None]
        if found:
            source = " ".join(argv)[:200]
            return [replace(a, source=source) for a in found]
    return []


def _of_reg(text: str) -> Iterable[Adapter]:
    for key, values in parse_reg(text).items():
        if _GUID in key.lower() and re.fullmatch(r"\d{4}", key.rpartition("\\")[2]) and values.get("DriverDesc"):
            yield adapter_of_class(values, key.rpartition("\\")[2])


def _of_wmi(text: str) -> Iterable[Adapter]:
    for block in parse_blocks(text):
        if (
            "AdapterCompatibility" in block
            or "VideoProcessor" in block
            or "AdapterRAM" in block
            or "VEN_" in block.get("PNPDeviceID", "")
        ):
            adapter = adapter_of_wmi(block)
            if adapter is not None:
                yield adapter
