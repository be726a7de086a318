"""The display and compute devices on the PCI bus, read once for every vendor.

Three ways, best first: ``/sys/bus/pci/devices``, ``/sys/class/drm`` and, in a recording only, what ``lspci`` or
``udevadm`` printed. The first one is the only one that can prove that a device is *not* there.
"""

from __future__ import annotations

import re
from dataclasses import replace

from torchdoctor.probes.host import ABSENT, UNRECORDED, Answer, Host
from torchdoctor.probes.patterns import regex
from torchdoctor.probes.pci_device import PciDevice, is_accelerated, parse_uevent, pci_class

__all__ = ["BUS", "PciDevice", "scan"]

BUS = "/sys/bus/pci/devices"
_DRM = "/sys/class/drm"
_TREE = "/sys/devices"


_HEX4 = regex(r"(?:0x)?0{0,4}([0-9a-f]{1,4})", re.I)
_MODALIAS = regex(
    r"pci:v0000([0-9a-f]{4})d0000([0-9a-f]{4})sv[0-9a-f]{8}sd[0-9a-f]{8}bc([0-9a-f]{2})sc([0-9a-f]{2})", re.I
)


def scan(host: Host) -> Answer[tuple[PciDevice, ...]]:
    """Every display, accelerator and co-processor device.

    ``ok`` means that the whole bus was seen: an empty answer is then a machine without any. ``unrecorded`` carries
    those that are known, others may be there. ``absent`` is a machine without a PCI bus (WSL, many small boards).
    """
    names = host.listing(BUS)
    if names.value:
        return _from_bus(host, names)
    cards = _from_drm(host)
    if not cards and host.kind != "live":
        cards = _from_tree(host) or _from_commands(host)
    if cards:
        return Answer(tuple(cards), UNRECORDED, f"{BUS} could not be listed")
    if names.ok and names.value is not None:
        # The kernel gives an empty folder to a machine whose PCI support found no bus at all.
        return Answer((), ABSENT, f"{BUS} is empty")
    return Answer((), names.status, names.detail or f"{BUS}: {names.status}")


def _from_bus(host: Host, names: Answer[tuple[str, ...]]) -> Answer[tuple[PciDevice, ...]]:
    devices: list[PciDevice] = []
    complete = names.ok
    for name in names.value or ():
        device = _read(host, f"{BUS}/{name}", name)
        if device is None:
            complete = False
        elif device.accelerated:
            devices.append(device)
    status = "ok" if complete else UNRECORDED
    return Answer(tuple(devices), status, "" if complete else f"{BUS} was only partly readable")


def _from_drm(host: Host) -> list[PciDevice]:
    devices: dict[str, PciDevice] = {}
    for name in host.listing(_DRM).value or ():
        if re.fullmatch(r"card\d{1,3}", name):
            link = host.link(f"{_DRM}/{name}/device").value or ""
            address = link.rpartition("/")[2] or name
            device = _read(host, f"{_DRM}/{name}/device", address) or _behind(host, name)
            if device is not None and device.accelerated:
                devices.setdefault(address, device)
    return list(devices.values())


def _behind(host: Host, card: str) -> PciDevice | None:
    """The card's own link ends in its place in the tree of devices: ``…/0000:01:00.0/drm/card0``."""
    target = (host.link(f"{_DRM}/{card}").value or "").rpartition("/drm/")[0]
    place = target.rpartition("/sys/devices/")[2] if "/sys/devices/" in target else target.rpartition("../devices/")[2]
    return _read(host, f"{_TREE}/{place}", place.rpartition("/")[2]) if place else None


def _from_tree(host: Host) -> list[PciDevice]:
    """A recording may hold the tree of devices without the links of the bus into it."""
    found: list[PciDevice] = []
    left = [f"{_TREE}/{name}" for name in host.listing(_TREE).value or () if name.startswith("pci")]
    for _ in range(4096):
        if not left:
            break
        folder = left.pop()
        children = [
            n
            for n in host.listing(folder).value or ()
            if re.fullmatch(r"[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]", n)
        ]
        left += [f"{folder}/{name}" for name in children]
        devices = (_read(host, f"{folder}/{name}", name) for name in children)
        found += [d for d in devices if d is not None and d.accelerated]
    return sorted(found, key=lambda d: d.address)


def _read(host: Host, folder: str, address: str) -> PciDevice | None:
    """One device; ``None`` where neither its class nor its ids can be read."""
    fields = parse_uevent(_text(host, f"{folder}/uevent"))
    found = PciDevice(address=address, source=folder)
    if "PCI_CLASS" in fields and ":" in fields.get("PCI_ID", ""):
        vendor, _, device = fields["PCI_ID"].lower().partition(":")
        found = replace(
            found,
            vendor=vendor,
            device=device,
            class_code=pci_class(fields["PCI_CLASS"]),
            driver=fields.get("DRIVER", ""),
        )
    else:
        code = pci_class(_text(host, f"{folder}/class"))
        if not code:
            return _from_modalias(host, folder, found)
        if not is_accelerated(code):
            return replace(found, class_code=code)
        found = replace(
            found,
            class_code=code,
            vendor=_hex4(_text(host, f"{folder}/vendor")),
            device=_hex4(_text(host, f"{folder}/device")),
        )
        if not (found.vendor and found.device):
            return _from_modalias(host, folder, found)
    return _with_driver(host, folder, found)


def _from_modalias(host: Host, folder: str, found: PciDevice) -> PciDevice | None:
    match = _MODALIAS.match(_text(host, f"{folder}/modalias"))
    if not match:
        return None
    vendor, device, base, sub = (part.lower() for part in match.groups())
    return _with_driver(host, folder, replace(found, vendor=vendor, device=device, class_code=base + sub))


def _with_driver(host: Host, folder: str, device: PciDevice) -> PciDevice:
    if device.driver or not device.accelerated:
        return device
    link = host.link(f"{folder}/driver")
    if link.ok and link.value:
        return replace(device, driver=link.value.rstrip("/").rpartition("/")[2])
    return replace(device, driver="") if link.absent else device


def _text(host: Host, path: str) -> str:
    return (host.read(path, 4096).value or b"").decode("utf-8", "replace").strip()


def _hex4(text: str) -> str:
    match = _HEX4.fullmatch(text.strip())
    return match.group(1).lower().rjust(4, "0") if match else ""


def _from_commands(host: Host) -> list[PciDevice]:
    from torchdoctor.probes.gather import decode
    from torchdoctor.probes.pci_text import parse_lspci, parse_lstopo, parse_udevadm

    for argv, done in host.commands():
        name = argv[0].replace("\\", "/").rpartition("/")[2] if argv else ""
        parse = {"lspci": parse_lspci, "udevadm": parse_udevadm, "lstopo": parse_lstopo}.get(name)
        if parse is not None:
            devices = [d for d in parse(decode(done.stdout)) if d.accelerated]
            if devices:
                return [replace(d, source=" ".join(argv)) for d in devices]
    return []
