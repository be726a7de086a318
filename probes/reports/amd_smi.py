"""``amd-smi``: its blocks (``static``, ``list``), their JSON, its table and its version line."""

from __future__ import annotations

import re
from typing import Any

from torchdoctor.probes.patterns import regex
from torchdoctor.probes.reports import names
from torchdoctor.probes.reports.reading import MEASURED, GpuList, Reading

__all__ = ["read_amd_smi"]

_GPU = regex(r"^\s{0,8}(?:GPU:|\"gpu\":)\s{1,8}(\d{1,3}),?\s*$")
_FIELD = regex(
    r"^\s{0,24}\"?(market[_ ]name|device_id|target_graphics_version)\"?\s{0,8}:\s{0,8}\"?([^\",\n]{1,100}?)\"?,?\s*$",
    re.I,
)
_INLINE = regex(r"\"(market_name|device_id|target_graphics_version)\":\s?\"([^\",\n]{1,100})\"")
_ROW = regex(r"^\|\s{1,2}([0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])\s{1,4}(\S.{0,50}?)\s{1,30}\|", re.I)
# The driver of the kernel itself shows the kernel's version (6.17.0-7) there.
_VERSIONS = regex(
    r"\bamdgpu version:\s{1,4}(\d{1,2}\.\d{1,2}\.\d{1,3})(?![\d.-])|\bROCm version:\s{1,4}(\d{1,2}(?:\.\d{1,2}){1,2})\b"
)


def read_amd_smi(reading: Reading) -> None:
    """The GPUs that ``amd-smi`` lists with name, device and gfx target, the amdgpu driver and ROCm it counts with."""
    if not reading.has("market_name", "market name", "target_graphics_version", "amd-smi", "amdsmi"):
        return
    _inline(reading)
    blocks: list[tuple[dict[str, Any], str]] = []
    table: list[tuple[dict[str, Any], str]] = []
    for index, line in enumerate(reading.lines):
        if "version:" in line and ("AMD-SMI" in line or "AMDSMI" in line):
            reading.saw("amd_smi", 10)
            for amdgpu, rocm in _VERSIONS.findall(line):
                reading.put("drivers.amdgpu.version", amdgpu, index, MEASURED)
                reading.put("runtimes.rocm", rocm, index, MEASURED)
        elif _GPU.match(line):
            blocks.append(({"vendor": "amd"}, reading.source(index)))
        elif ":" in line and (match := _FIELD.match(line)):
            if match[1].lower() != "device_id" and not blocks:
                blocks.append(({"vendor": "amd"}, reading.source(index)))
            if blocks:
                _put(blocks[-1][0], match[1].lower().replace(" ", "_"), match[2].strip())
        elif line.startswith("| ") and (match := _ROW.match(line)) and (name := _name(match[2])):
            table.append(({"vendor": "amd", "name": name}, reading.source(index)))
    for rows in (blocks, table):
        told = [row for row in rows if len(row[0]) > 1]
        if told:
            reading.saw("amd_smi", 20)
            reading.gpu_lists.append(GpuList(MEASURED + 2, True, told))


def _inline(reading: Reading) -> None:
    """JSON without line breaks."""
    rows = GpuList(MEASURED + 2, True)
    for index in reading.find('"asic"'):
        for part in reading.lines[index].split('"asic"')[1:65]:
            fields: dict[str, Any] = {"vendor": "amd"}
            for label, value in _INLINE.findall(part[:1000]):
                _put(fields, label, value)
            if len(fields) > 1:
                rows.gpus.append((fields, reading.source(index)))
    if rows.gpus:
        reading.saw("amd_smi", 20)
        reading.gpu_lists.append(rows)


def _put(fields: dict[str, Any], label: str, value: str) -> None:
    if label == "market_name":
        if name := _name(value):
            fields["name"] = name
    elif label == "device_id":
        if match := re.fullmatch(r"0x([0-9a-fA-F]{4})", value):
            fields["pci_id"] = f"1002:{match[1].lower()}"
    elif gfx := names.gfx_target(value):
        fields["gfx"] = gfx


def _name(value: str) -> str | None:
    value = value.strip()
    return None if value in ("", "N/A", "...") or value.startswith("0x") else value
