"""PCI devices as ``lspci``, ``udevadm`` and ``lstopo`` print them: for recordings and pasted text."""

from __future__ import annotations

import re
from dataclasses import replace

from torchdoctor.probes.patterns import regex
from torchdoctor.probes.pci_device import PciDevice, parse_uevent, pci_class

__all__ = ["parse_lspci", "parse_lstopo", "parse_udevadm"]

_ADDRESS = regex(r"(?:[0-9a-f]{4,8}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]", re.I)
_BRACKETED = regex(r"\[([0-9a-f]{4})\]", re.I)
_PAIR = regex(r"\[([0-9a-f]{4}):([0-9a-f]{4})\]", re.I)
_QUOTED = regex(r'"([^"]{0,300})"')
_NAME = regex(r"\[([^\[\]]{3,80})\]")
_VENDOR_WORDS = {
    "NVIDIA Corporation": "10de", "nVidia Corporation": "10de", "Advanced Micro Devices": "1002", "ATI Technologies": "1002",
    "AMD/ATI": "1002", "Intel Corporation": "8086",
}  # fmt: skip
_NUMERIC = regex(r"([0-9a-f]{4}): ([0-9a-f]{4}):([0-9a-f]{4})\b", re.I)
_CLASS_WORDS = {
    "vga compatible controller": "0300", "xga compatible controller": "0301", "3d controller": "0302",
    "display controller": "0380", "processing accelerators": "1200", "processing accelerator": "1200",
    "co-processor": "0b40",
}  # fmt: skip


def parse_lspci(text: str) -> list[PciDevice]:
    """Devices of any ``lspci`` layout (``-n``, ``-nn``, ``-vmmn`` …).

    The plain layout shows names only: there ``device`` stays empty, and only the three GPU vendors are returned.
    """
    if re.search(r"(?m)^(?:Slot|Device):[ \t]", text):
        return [d for d in map(_lspci_block, re.split(r"\n[ \t]*\n", text.replace("\r", ""))) if d is not None]
    devices: list[PciDevice] = []
    for line in text.splitlines():
        address, _, rest = line.strip().partition(" ")
        if _ADDRESS.fullmatch(address) and not line[:1].isspace():
            devices.extend(_lspci_line(address, rest[:1000]))
        elif devices and "Kernel driver in use:" in line:
            devices[-1] = replace(devices[-1], driver=line.partition("in use:")[2].strip())
    return devices


def _lspci_line(address: str, rest: str) -> list[PciDevice]:
    quoted = _QUOTED.findall(rest)
    if len(quoted) >= 3:
        # The machine-readable layout of ``-mm``: class, vendor and device, each with or without its number.
        block = f"Slot: {address}\nClass: {quoted[0]}\nVendor: {quoted[1]}\nDevice: {quoted[2]}"
        parsed = _lspci_block(block)
        return [parsed] if parsed is not None else []
    pair = _PAIR.findall(rest)
    bare = _NUMERIC.search(rest) or _NUMERIC.search(rest.replace("Class ", "").replace('"', ""))
    label, _, words = rest.partition(":")
    code = _BRACKETED.search(label)
    class_code = code.group(1).lower() if code else _CLASS_WORDS.get(label.strip().lower(), "")
    if pair:
        vendor, device = pair[0]
        return [
            PciDevice(
                address=address.lower(), vendor=vendor.lower(), device=device.lower(),
                class_code=class_code, name=_marketing_name(words),
            )
        ]  # fmt: skip
    if bare:
        code_text, vendor, device = (part.lower() for part in bare.groups())
        return [PciDevice(address=address.lower(), vendor=vendor, device=device, class_code=code_text)]
    for beginning, vendor in _VENDOR_WORDS.items():
        if class_code and words.strip().startswith(beginning):
            name = _marketing_name(words)
            return [PciDevice(address=address.lower(), vendor=vendor, class_code=class_code, name=name)]
    return []


def _marketing_name(words: str) -> str | None:
    """``NVIDIA Corporation GP102 [GeForce GTX 1080 Ti] [10de:1b06] (rev a1)`` → ``GeForce GTX 1080 Ti``."""
    found = [n for n in _NAME.findall(words) if n not in ("AMD/ATI", "AMD") and not _PAIR.fullmatch(f"[{n}]")]
    return str(found[-1]) if found else None


def _lspci_block(block: str) -> PciDevice | None:
    fields: dict[str, str] = {}
    for line in block.splitlines():
        key, colon, value = line.partition(":")
        # ``Device:`` stands twice in the old ``-vm`` layout: first the slot, then the device.
        if colon and (key == "Device" and _ADDRESS.fullmatch(value.strip())):
            fields.setdefault("Slot", value.strip())
        elif colon:
            fields.setdefault(key.strip(), value.strip())
    numbers = {key: _last_id(fields.get(key, "")) for key in ("Class", "Vendor", "Device")}
    if not (numbers["Class"] and numbers["Vendor"] and numbers["Device"]):
        return None
    return PciDevice(
        address=fields.get("Slot", "").lower(), vendor=numbers["Vendor"], device=numbers["Device"],
        class_code=numbers["Class"], driver=fields.get("Driver"),
    )  # fmt: skip


def _last_id(value: str) -> str:
    """``GP102 [GeForce GTX 1080 Ti] [1b06]`` or ``1b06`` → ``1b06``."""
    bracketed = _BRACKETED.findall(value[-12:])
    if bracketed:
        return str(bracketed[-1]).lower()
    return value.lower() if re.fullmatch(r"[0-9a-f]{4}", value, re.I) else ""


def parse_udevadm(text: str) -> list[PciDevice]:
    """PCI devices of ``udevadm info --export-db``: records of ``P:`` and ``E:`` lines."""
    devices: list[PciDevice] = []
    for record in re.split(r"\n[ \t]*\n", text.replace("\r", "")):
        fields = parse_uevent("\n".join(line[3:] for line in record.splitlines() if line.startswith("E: ")))
        vendor, colon, device = fields.get("PCI_ID", "").lower().partition(":")
        if colon and fields.get("SUBSYSTEM", "pci") == "pci":
            devices.append(
                PciDevice(
                    address=fields.get("PCI_SLOT_NAME", ""), vendor=vendor, device=device,
                    class_code=pci_class(fields.get("PCI_CLASS", "")), driver=fields.get("DRIVER", ""),
                )
            )  # fmt: skip
    return devices


def parse_lstopo(text: str) -> list[PciDevice]:
    """PCI objects of hwloc's ``lstopo --of xml``: ``pci_busid`` and ``pci_type`` (``0302 [10de:20b0] [10de:134f] a1``)."""
    pattern = r'pci_busid="([0-9a-f:.]{7,16})" pci_type="([0-9a-f]{4}) \[([0-9a-f]{4}):([0-9a-f]{4})\]'
    return [PciDevice(address=a, class_code=c, vendor=v, device=d) for a, c, v, d in re.findall(pattern, text)]
