"""AMD: what the bus shows, what the kernel offers for compute, which driver, and whether this user may use it."""

from __future__ import annotations

from typing import Any

from torchdoctor.probes import kfd, pci
from torchdoctor.probes.devices import put_node, put_render_nodes
from torchdoctor.probes.draft import Draft
from torchdoctor.probes.frozen import dataclass
from torchdoctor.probes.host import DENIED, Host

__all__ = ["Card", "cards_of", "probe"]

_VENDOR = "1002"
_MODULE = "/sys/module/amdgpu"


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """A GPU as bus and compute driver together describe it."""

    address: str
    fields: dict[str, Any]
    source: str


def probe(host: Host, draft: Draft, deadline: float) -> None:
    """Put the AMD GPUs, ``drivers.amdgpu.version`` and the device nodes that ROCm opens."""
    if host.system == "windows":
        from torchdoctor.probes import adapters

        adapters.put(host, draft, "amd")
        return
    if host.system not in ("linux", None):
        return
    bus, compute = pci.scan(host), kfd.scan(host)
    on_bus = [d for d in bus.value or () if d.vendor == _VENDOR and (d.display or d.class_code.startswith("12"))]
    if compute.status == DENIED and compute.value:
        # A container that was given some of the host's cards may read their nodes only, and sees the whole bus.
        given = {_short(gpu.address) for gpu in compute.value}
        on_bus = [d for d in on_bus if d.driver != "amdgpu" or _short(d.address) in given]
    cards = cards_of(on_bus, list(compute.value or ()))
    for card in cards:
        memory = _number(host, f"{pci.BUS}/{card.address}/mem_info_vram_total") or card.fields.get("memory")
        name = card.fields.get("name") or _line(host, f"{pci.BUS}/{card.address}/product_name")
        draft.gpu(card.source, **{**card.fields, "memory": memory, "name": name})
    if compute.status == DENIED:
        draft.miss("gpus", compute.detail)
    _put_driver(host, draft)
    if cards or compute.status in ("ok", DENIED):
        put_node(host, draft, "/dev/kfd")
        put_render_nodes(host, draft)
    elif _none(host, bus.ok, bus.absent):
        draft.no_gpus(pci.BUS)
    else:
        draft.miss("gpus", bus.detail or "/dev/dxg does not tell whose GPU stands behind it")


def _none(host: Host, listed: bool, no_bus: bool) -> bool:
    """Was the whole machine looked at? A GPU that comes through the WSL device is on no bus."""
    if not (listed or no_bus) or host.stat("/dev/dxg").ok:
        return False
    return listed or (host.stat("/dev/dxg").absent and host.stat("/dev/kfd").absent)


def cards_of(on_bus: list[pci.PciDevice], compute: list[kfd.KfdGpu]) -> list[Card]:
    """Both views joined by address, else by id in order. Cards the compute driver does not list keep their PCI id."""
    left = list(compute)
    cards: list[Card] = []
    by_address = {_short(gpu.address): gpu for gpu in compute}
    for device in on_bus:
        gpu = by_address.get(_short(device.address))
        if gpu is None:
            gpu = next(
                (
                    g
                    for g in left
                    if g.pci_id == device.pci_id and _short(g.address) not in map(_short, _addresses(on_bus))
                ),
                None,
            )
        if gpu in left:
            left.remove(gpu)
        else:
            gpu = None
        fields: dict[str, Any] = {
            "vendor": "amd",
            "pci_id": device.pci_id,
            "driver": device.driver,
            "address": device.address,
            "name": device.name,
        }
        if gpu is not None:
            fields |= {"gfx": gpu.gfx, "integrated": gpu.integrated, "memory": gpu.memory}
        cards.append(
            Card(
                address=device.address, fields=fields, source=kfd.NODES if gpu and gpu.gfx else device.source or pci.BUS
            )
        )
    for gpu in left:
        fields = {
            "vendor": "amd", "pci_id": gpu.pci_id, "gfx": gpu.gfx, "integrated": gpu.integrated, "memory": gpu.memory,
            "driver": "amdgpu", "address": gpu.address or None,
        }  # fmt: skip
        cards.append(Card(address=gpu.address, fields=fields, source=kfd.NODES))
    return cards


def _addresses(devices: list[pci.PciDevice]) -> list[str]:
    return [device.address for device in devices]


def _short(address: str) -> str:
    """Without the function: partitions of one card differ in it."""
    return address.partition(".")[0].lower()


def _put_driver(host: Host, draft: Draft) -> None:
    path = f"{_MODULE}/version"
    version = _line(host, path)
    if version:
        draft.put("drivers.amdgpu.version", version, path)
    elif host.stat(_MODULE).absent:
        draft.put("drivers.amdgpu.version", "", _MODULE)
    elif host.read(path).absent:
        draft.miss("drivers.amdgpu.version", "the amdgpu driver of the kernel itself carries no version")


def _line(host: Host, path: str) -> str | None:
    text = (host.read(path, 4096).value or b"").decode("utf-8", "replace").strip()
    return text.splitlines()[0].strip() if text else None


def _number(host: Host, path: str) -> int | None:
    text = _line(host, path) or ""
    return int(text) if text.isdecimal() and len(text) < 20 else None
