"""The NVIDIA cards themselves: on the bus, in the driver's files, inside the processor of a Jetson board."""

from __future__ import annotations

import re
from typing import Any

from torchdoctor.probes import pci
from torchdoctor.probes.data import table
from torchdoctor.probes.draft import Draft
from torchdoctor.probes.host import Host
from torchdoctor.probes.nvidia_files import GPUS, normal_address, parse_information
from torchdoctor.probes.pci_device import PciDevice

__all__ = ["COMPATIBLE", "cards", "integrated", "nodes", "put_slices", "tegra"]

COMPATIBLE = "/proc/device-tree/compatible"
_MODEL = "/proc/device-tree/model"
_CAPABILITIES = "/proc/driver/nvidia/capabilities"
_NO_NAME = ("", "Unknown", "Graphics Device")


def cards(host: Host, devices: list[PciDevice]) -> list[tuple[str, dict[str, Any]]]:
    """Source and fields of each card that this process can reach."""
    listed = host.listing(GPUS)
    names = {normal_address(n): n for n in listed.value or ()}
    found: list[tuple[str, dict[str, Any]]] = []
    for device in devices:
        address = normal_address(device.address)
        if listed.ok and names and device.driver == "nvidia" and address not in names:
            continue  # bound on the host, but not given to this container
        name = _model(host, names.pop(address)) if address in names else None
        found.append(
            (
                device.source or pci.BUS,
                {
                    "vendor": "nvidia", "name": name or _full_name(device.name), "pci_id": device.pci_id,
                    "driver": device.driver, "address": address,
                },
            )
        )  # fmt: skip
    for address, folder in names.items():
        if not devices:
            found.append(
                (
                    f"{GPUS}/{folder}/information",
                    {"vendor": "nvidia", "name": _model(host, folder), "address": address, "driver": "nvidia"},
                )
            )
    return found


def _full_name(name: str | None) -> str | None:
    """pci.ids leaves the maker out of ``GeForce GTX 1080 Ti``."""
    return f"NVIDIA {name}" if name and name.startswith("GeForce") else name


def _model(host: Host, folder: str) -> str | None:
    text = (host.read(f"{GPUS}/{folder}/information", 4096).value or b"").decode("utf-8", "replace")
    name = parse_information(text).get("Model", "")
    return None if name in _NO_NAME else name


def tegra(host: Host) -> dict[str, str] | None:
    """The row of the processor whose GPU is part of it, from the device tree."""
    text = (host.read(COMPATIBLE, 4096).value or b"").decode("utf-8", "replace")
    rows: dict[str, dict[str, str]] = table("nvidia")["tegra"]["rows"] if "nvidia,tegra" in text else {}
    return next((rows[word] for word in text.split("\0") if word.strip() in rows), None)


def integrated(host: Host, chip: dict[str, str]) -> dict[str, Any]:
    """The fields of a Jetson board's GPU."""
    fields: dict[str, Any] = {"vendor": "nvidia", "compute_capability": chip["compute_capability"], "integrated": True}
    asked = any(argv and argv[0].rpartition("/")[2] == "nvidia-smi" for argv, _ in host.commands())
    board = (host.read(_MODEL, 4096).value or b"").decode("utf-8", "replace").strip("\0 \n")
    # The driver's own name for the chip is better than the board's, where a recording holds it.
    return fields if asked or not board else {**fields, "name": board}


def put_slices(host: Host, draft: Draft, count: int) -> None:
    """MIG instances, of which a process sees one: a folder ``gi…`` for each that was made."""
    for number in range(min(count, 16)):
        folder = f"{_CAPABILITIES}/gpu{number}/mig"
        made = [n for n in host.listing(folder).value or () if re.fullmatch(r"gi\d{1,3}", n)]
        if made:
            draft.symptom("mig-slice", f"{folder}: {len(made)} instances")
            return


def nodes(host: Host) -> tuple[str, ...]:
    """The nodes of the cards. A container that was given the fourth one has ``/dev/nvidia3`` alone."""
    names = [n for n in host.listing("/dev").value or () if re.fullmatch(r"nvidia\d{1,3}", n)]
    return tuple(f"/dev/{n}" for n in names[:32]) or ("/dev/nvidia0",)
