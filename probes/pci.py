"""The display and compute devices on the PCI bus, read once for every vendor.

Three ways, best first: ``/sys/bus/pci/devices``, ``/sys/class/drm`` and, in a recording only, what ``lspci`` or
``udevadm`` printed. The first one is the only one that can prove that a device is *not* there.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from torchdoctor.probes.host import ABSENT, UNRECORDED, Answer, Host

__all__ = ["BUS", "PciDevice", "parse_lspci", "parse_lstopo", "parse_udevadm", "parse_uevent", "scan"]

BUS = "/sys/bus/pci/devices"
_DRM = "/sys/class/drm"

# Base class 03 is a display controller (0300 VGA, 0302 3D, 0380 other), 12 a processing accelerator (AMD Instinct,
# but also every NPU), 0b40 a co-processor.
_ACCELERATED = ("03", "12", "0b40")

_ADDRESS = re.compile(r"(?:[0-9a-f]{4,8}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]", re.I)
_HEX4 = re.compile(r"(?:0x)?0{0,4}([0-9a-f]{1,4})", re.I)
_MODALIAS = re.compile(
    r"pci:v0000([0-9a-f]{4})d0000([0-9a-f]{4})sv[0-9a-f]{8}sd[0-9a-f]{8}bc([0-9a-f]{2})sc([0-9a-f]{2})", re.I
)
_BRACKETED = re.compile(r"\[([0-9a-f]{4})\]", re.I)
_PAIR = re.compile(r"\[([0-9a-f]{4}):([0-9a-f]{4})\]", re.I)
_NAME = re.compile(r"\[([^\[\]]{3,80})\]")
_VENDOR_WORDS = {
    "NVIDIA Corporation": "10de", "nVidia Corporation": "10de", "Advanced Micro Devices": "1002", "ATI Technologies": "1002",
    "AMD/ATI": "1002", "Intel Corporation": "8086",
}  # fmt: skip
_NUMERIC = re.compile(r"([0-9a-f]{4}): ([0-9a-f]{4}):([0-9a-f]{4})\b", re.I)
_CLASS_WORDS = {
    "vga compatible controller": "0300", "xga compatible controller": "0301", "3d controller": "0302",
    "display controller": "0380", "processing accelerators": "1200", "processing accelerator": "1200",
    "co-processor": "0b40",
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class PciDevice:
    """``vendor`` and ``device`` are four lower-case hex digits, ``class_code`` the base class and subclass (``0302``);
    ``driver`` is the bound kernel driver, empty where it is known that none is.
    """

    address: str = ""
    vendor: str = ""
    device: str = ""
    class_code: str = ""
    driver: str | None = None
    name: str | None = None
    source: str = ""

    @property
    def pci_id(self) -> str | None:
        return f"{self.vendor}:{self.device}" if self.vendor and self.device else None

    @property
    def display(self) -> bool:
        return self.class_code.startswith("03")

    @property
    def accelerated(self) -> bool:
        return self.class_code.startswith(_ACCELERATED)


def scan(host: Host) -> Answer[tuple[PciDevice, ...]]:
    """Every display, accelerator and co-processor device.

    ``ok`` means that the whole bus was seen: an empty answer is then a machine without any. ``unrecorded`` carries
    those that are known, others may be there. ``absent`` is a machine without a PCI bus (WSL, many small boards).
    """
    names = host.listing(BUS)
    if names.value:
        return _from_bus(host, names)
    cards = _from_drm(host)
    if not cards:
        cards = _from_commands(host)
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
            device = _read(host, f"{_DRM}/{name}/device", address)
            if device is not None and device.accelerated:
                devices.setdefault(address, device)
    return list(devices.values())


def _read(host: Host, folder: str, address: str) -> PciDevice | None:
    """One device; ``None`` where neither its class nor its ids can be read."""
    fields = parse_uevent(_text(host, f"{folder}/uevent"))
    found = PciDevice(address=address, source=folder)
    if "PCI_CLASS" in fields and ":" in fields.get("PCI_ID", ""):
        vendor, _, device = fields["PCI_ID"].lower().partition(":")
        found = replace(
            found, vendor=vendor, device=device, class_code=_class(fields["PCI_CLASS"]), driver=fields.get("DRIVER", "")
        )
    else:
        code = _class(_text(host, f"{folder}/class"))
        if not code:
            return _from_modalias(host, folder, found)
        if not code.startswith(_ACCELERATED):
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


def _class(text: str) -> str:
    """``0x030200`` or ``30200`` → ``0302``."""
    digits = text.strip().lower().removeprefix("0x")
    if not digits or len(digits) > 8 or any(c not in "0123456789abcdef" for c in digits):
        return ""
    return digits.rjust(6, "0")[-6:-2]


def parse_uevent(text: str) -> dict[str, str]:
    """``KEY=value`` lines of a ``uevent`` file."""
    return dict(line.strip().split("=", 1) for line in text.splitlines() if "=" in line)


def _from_commands(host: Host) -> list[PciDevice]:
    for argv, done in host.commands():
        name = argv[0].replace("\\", "/").rpartition("/")[2] if argv else ""
        parse = {"lspci": parse_lspci, "udevadm": parse_udevadm, "lstopo": parse_lstopo}.get(name)
        if parse is not None:
            devices = [d for d in parse(done.stdout.decode("utf-8", "replace")) if d.accelerated]
            if devices:
                return [replace(d, source=" ".join(argv)) for d in devices]
    return []


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
                    class_code=_class(fields.get("PCI_CLASS", "")), driver=fields.get("DRIVER", ""),
                )
            )  # fmt: skip
    return devices


def parse_lstopo(text: str) -> list[PciDevice]:
    """PCI objects of hwloc's ``lstopo --of xml``: ``pci_busid`` and ``pci_type`` (``0302 [10de:20b0] [10de:134f] a1``)."""
    pattern = r'pci_busid="([0-9a-f:.]{7,16})" pci_type="([0-9a-f]{4}) \[([0-9a-f]{4}):([0-9a-f]{4})\]'
    return [PciDevice(address=a, class_code=c, vendor=v, device=d) for a, c, v, d in re.findall(pattern, text)]
