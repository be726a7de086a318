"""The one question that is put to ``nvidia-smi``, and its answer. Names in its table are cut, so the table is not read."""

from __future__ import annotations

import re

from torchdoctor.probes.frozen import dataclass
from torchdoctor.probes.nvidia_files import normal_address, version_in
from torchdoctor.probes.patterns import regex

__all__ = ["QUERIES", "Queried", "parse_query", "state_of"]

_COLUMNS = ("index", "name", "pci.device_id", "pci.bus_id", "compute_cap", "driver_version", "memory.total")
_OLD = tuple(column for column in _COLUMNS if column != "compute_cap")
# The second is for drivers that do not know ``compute_cap`` and then answer nothing at all.
QUERIES = tuple(
    (("nvidia-smi", f"--query-gpu={','.join(columns)}", "--format=csv,noheader,nounits"), columns)
    for columns in (_COLUMNS, _OLD)
)
_CAPABILITY = regex(r"\d{1,2}\.\d")
_NO_NAME = ("", "Graphics Device", "Unknown", "ERR!", "N/A")
_STATES = (
    ("couldn't communicate with the NVIDIA driver", "not-loaded"),
    ("Driver/library version mismatch", "mismatch"),
    ("No devices were found", "no-devices"),
    ("is not a valid field", "old"),
    ("Failed to initialize NVML", "nvml"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Queried:
    """One line of the answer; ``memory`` in bytes, ``None`` where the GPU shares the system's (``[N/A]``)."""

    name: str | None = None
    pci_id: str | None = None
    address: str | None = None
    compute_capability: str | None = None
    driver: str | None = None
    memory: int | None = None


def parse_query(text: str, columns: tuple[str, ...] = _COLUMNS) -> list[Queried]:
    """``csv,noheader,nounits`` lines. A cell in brackets or ``ERR!`` says nothing; a line of words is no GPU."""
    found: list[Queried] = []
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.split(",")]
        if len(cells) != len(columns):
            continue
        row = {c: "" if v.startswith("[") or v in ("N/A", "ERR!") else v for c, v in zip(columns, cells, strict=True)}
        device = re.fullmatch(r"0x([0-9a-f]{4})10de", row.get("pci.device_id", ""), re.I)
        name = row.get("name", "")
        gpu = Queried(
            name=None if name in _NO_NAME or name.endswith("...") else name,
            pci_id=f"10de:{device.group(1).lower()}" if device else None,
            address=normal_address(row["pci.bus_id"]) if row.get("pci.bus_id", "").count(":") == 2 else None,
            compute_capability=row["compute_cap"] if _CAPABILITY.fullmatch(row.get("compute_cap", "")) else None,
            driver=version_in(row.get("driver_version", "")),
            memory=int(row["memory.total"]) << 20 if row.get("memory.total", "").isdecimal() else None,
        )
        if gpu.name or gpu.pci_id:
            found.append(gpu)
    return found


def state_of(text: str) -> str | None:
    """What ``nvidia-smi`` complains of: ``not-loaded``, ``mismatch``, ``no-devices``, ``nvml`` or ``old``."""
    return next((state for words, state in _STATES if words in text), None)
