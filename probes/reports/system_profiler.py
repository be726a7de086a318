"""``system_profiler -json`` and ``-xml``: the chip, the GPUs and the system. Its text is read as labels."""

from __future__ import annotations

from itertools import islice
from typing import Any

from torchdoctor.probes.patterns import regex
from torchdoctor.probes.reports import names
from torchdoctor.probes.reports.machine_words import put_system
from torchdoctor.probes.reports.reading import MEASURED, GpuList, Reading

__all__ = ["read_system_profiler"]

_PAIR = regex(
    r"\"(sppci_model|chip_type|os_version)\"\s{0,4}:\s{0,4}\"([^\"\n]{1,80})\""
    r"|<key>(sppci_model|chip_type|os_version)</key>\s{0,40}<string>([^<\n]{1,80})</string>"
)


def read_system_profiler(reading: Reading) -> None:
    """GPUs with the names that every macOS gives them, and what runs on them."""
    if not reading.has("sppci_model", "chip_type", "spsoftwaredatatype"):
        return
    gpus: list[tuple[dict[str, Any], str]] = []
    chips: list[tuple[dict[str, Any], str]] = []
    for match in islice(_PAIR.finditer(reading.text), 64):
        key, value = (match[1], match[2]) if match[1] else (match[3], match[4])
        index = reading.text.count("\n", 0, match.start())
        reading.saw("system_profiler", 10)
        reading.put("system.os", "macos", index, MEASURED)
        if key == "os_version":
            put_system(reading, index, value, MEASURED + 1)
            continue
        fields = {**names.gpu_from_name(value), "integrated": True if value.startswith("Apple M") else None}
        if value.startswith("Apple M"):
            reading.put("cpu.model", value, index, MEASURED)
            reading.put("system.machine", "aarch64", index, MEASURED + 2)
        if "vendor" in fields:
            (gpus if key == "sppci_model" else chips).append((fields, f"line {reading.number(index)}: {key}: {value}"))
    if gpus or chips:
        reading.gpu_lists.append(GpuList(MEASURED + 1, True, gpus or chips[:1]))
