"""The kernel's own list of AMD compute devices: ``/sys/class/kfd/kfd/topology/nodes``."""

from __future__ import annotations

from dataclasses import replace

from torchdoctor.probes.frozen import dataclass
from torchdoctor.probes.host import DENIED, Answer, Host

__all__ = ["NODES", "KfdGpu", "gfx_of", "gpu_of", "parse_properties", "scan"]

NODES = "/sys/class/kfd/kfd/topology/nodes"
_AMD = 0x1002
_FRAMEBUFFER_HEAPS = (1, 2)  # public and private; 0 is system memory


@dataclass(frozen=True, slots=True, kw_only=True)
class KfdGpu:
    """``card`` tells cards apart (partitions of one card share it), ``memory`` is in bytes."""

    card: tuple[int, int]
    address: str
    pci_id: str | None = None
    gfx: str | None = None
    integrated: bool | None = None
    memory: int | None = None
    render_minor: int | None = None


def scan(host: Host) -> Answer[tuple[KfdGpu, ...]]:
    """One entry per card, in the kernel's order. ``denied`` where nodes are there that may not be read."""
    names = host.listing(NODES)
    if not names.value:
        return Answer((), names.status, names.detail or f"{NODES}: {names.status}")
    cards: dict[tuple[int, int], KfdGpu] = {}
    denied = 0
    for name in sorted((n for n in names.value if n.isdecimal()), key=int):
        answer = host.read(f"{NODES}/{name}/properties", 65536)
        text = (answer.value or b"").decode("ascii", "replace")
        # Without the render node in the container's device rules the kernel refuses, or gives an empty file.
        denied += answer.status == DENIED or (answer.ok and not text.strip())
        gpu = gpu_of(parse_properties(text))
        if gpu is None:
            continue
        gpu = replace(gpu, memory=_memory(host, f"{NODES}/{name}/mem_banks"))
        first = cards.get(gpu.card)
        cards[gpu.card] = gpu if first is None else replace(first, memory=_sum(first.memory, gpu.memory))
    status = DENIED if denied else names.status
    return Answer(
        tuple(cards.values()),
        status,
        f"{denied} of the nodes under {NODES} may not be read" if denied else names.detail,
    )


def parse_properties(text: str) -> dict[str, int]:
    """``key value`` lines; every number is decimal."""
    found: dict[str, int] = {}
    for line in text.splitlines():
        key, _, value = line.strip().partition(" ")
        value = value.strip()
        if value.isdecimal() and len(value) <= 20:
            found[key] = int(value)
    return found


def gpu_of(properties: dict[str, int]) -> KfdGpu | None:
    """The GPU that a node describes; ``None`` for a CPU node and for what is no node at all."""
    target = properties.get("gfx_target_version")
    if not properties.get("simd_count") or target == 0 or properties.get("vendor_id", _AMD) != _AMD:
        return None
    location, domain = properties.get("location_id", 0), properties.get("domain", 0)
    device = properties.get("device_id")
    return KfdGpu(
        # The partition number of a card in several partitions stands in the function bits.
        card=(domain, location >> 3) if location else (-1, properties.get("drm_render_minor", 0)),
        address=f"{domain:04x}:{location >> 8 & 0xFF:02x}:{location >> 3 & 0x1F:02x}.{location & 7}"
        if location
        else "",
        pci_id=f"{_AMD:04x}:{device:04x}" if device else None,
        gfx=gfx_of(target) if target else None,
        integrated=True if properties.get("cpu_cores_count") else None,
        render_minor=properties.get("drm_render_minor"),
    )


def gfx_of(target: int) -> str | None:
    """110501 → ``gfx1151``, 90010 → ``gfx90a``: decimal fields, minor and step printed in hexadecimal."""
    major, minor, step = target // 10000, target // 100 % 100, target % 100
    if not 0 < major < 100 or minor > 15 or step > 15:
        return None
    return f"gfx{major}{minor:x}{step:x}"


def _memory(host: Host, folder: str) -> int | None:
    total: int | None = None
    for name in host.listing(folder).value or ():
        bank = parse_properties(
            (host.read(f"{folder}/{name}/properties", 4096).value or b"").decode("ascii", "replace")
        )
        if bank.get("heap_type") in _FRAMEBUFFER_HEAPS:
            total = _sum(total, bank.get("size_in_bytes"))
    return total or None


def _sum(one: int | None, other: int | None) -> int | None:
    return one if other is None else other if one is None else one + other
