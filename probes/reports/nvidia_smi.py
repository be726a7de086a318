"""``nvidia-smi``: the table of every driver, ``-q``, ``-L``, ``--query-gpu`` csv, ``-x`` and its error lines."""

from __future__ import annotations

import re

from torchdoctor.probes.patterns import regex
from torchdoctor.probes.reports import names
from torchdoctor.probes.reports.reading import CLAIMED, MEASURED, GpuList, Reading

__all__ = ["read_nvidia_smi"]

_HEADER = regex(
    r"NVIDIA-SMI\s{1,20}(?:\d\.)?(\d{3}(?:\.\d{1,4}){1,2})?\s{0,30}(?:Driver|KMD) Version\s?:?\s{0,8}(\d{2,3}(?:\.\d{1,4}){1,2})?"
    r"(?:\s{1,40}CUDA (?:UMD )?Version\s?:?\s{0,8}(\d{1,2}\.\d{1,2}|N/A|ERR!)?)?"
)
_ROW = regex(
    r"^\s{0,8}\|\s{0,5}(\d{1,3})\s{1,4}(\S.{0,60}?)\s{2,12}(?:(?:On|Off|N/A|ERR!|TCC|WDDM|MCDM|WDM)\s|\S{1,12}\s{0,3}\||\|\s)"
)
_BUS = regex(r"\b([0-9A-F]{4,8}:[0-9A-F]{2}:[0-9A-F]{2}\.[0-7])\b")
_MEMORY = regex(r"/\s{0,8}(\d{1,7})\s?MiB")
_LISTED = regex(r"^\s{0,8}GPU (\d{1,3}): (.{1,120}?) \(UUID: [^)]{0,60}\)")
_MIG = regex(r"^\s{1,12}MIG (\d{1,2}[gc][\w.+]{2,24})\s{1,8}Device\s{1,4}\d{1,3}:")
_MIG_MODE = regex(r"\|\s{1,30}(Enabled|Disabled|N/A)\*?\s{1,8}\|\s{0,8}$")
_VERSION = regex(r"(\d{2,3}(?:\.\d{1,4}){1,2})")
_CUDA = regex(r"(\d{1,2}\.\d{1,2})")
_COMPLAINT = regex(r"fail|error|unable|not found|no devices|could|cannot|driver|[.:]$", re.I)
_CSV_FIELDS = (
    "name",
    "gpu_name",
    "driver_version",
    "compute_cap",
    "memory.total",
    "pci.bus_id",
    "uuid",
    "index",
    "pstate",
    "vbios_version",
)
_XML = {"driver_version": "version", "cuda_version": "cuda"}
_Q = {
    "driver version": "version", "kmd version": "version", "cuda version": "cuda", "cuda umd version": "cuda",
    "nvidia-smi version": "", "nvml version": "", "product name": "name", "product architecture": "",
}  # fmt: skip


def read_nvidia_smi(reading: Reading) -> None:
    """Driver, newest CUDA the driver speaks, and the GPUs."""
    if not reading.has("nvidia", "driver_version", "compute_cap", "pci.bus_id"):
        return
    rows = GpuList(MEASURED + 1, True)
    if "NVIDIA-SMI" in reading.text:
        _table(reading, rows)
    if "UUID:" in reading.text:
        _listing(reading)
    if reading.has("product name", "umd version", "driver version  ", "attached gpus"):
        _query(reading)
    if "<nvidia_smi_log" in reading.text or "<driver_version>" in reading.text:
        _xml(reading)
    if reading.has("driver_version", "compute_cap", "memory.total", "mib,", " mib", "pci.bus_id", "--query-gpu="):
        _csv(reading)
    if rows.gpus:
        reading.gpu_lists.append(rows)


def _table(reading: Reading, rows: GpuList) -> None:
    last = -100
    split: list[int] = []  # the line of each GPU that is in MIG mode
    for index, line in enumerate(reading.lines):
        if "NVIDIA-SMI" in line and (match := _HEADER.search(line)) and (match[1] or match[2]):
            # two versions: under WSL the first is the Linux tool's, the second the Windows driver's
            driver = match[2] or (match[1] if "Version" not in line else None)
            reading.put("drivers.nvidia.version", driver, index, MEASURED + 2)
            if match[3] and match[3][0].isdigit():
                reading.put("drivers.nvidia.cuda", match[3], index, MEASURED + 2)
            elif match[3]:
                reading.draft.miss("drivers.nvidia.cuda", f"{reading.source(index)}: libcuda did not answer")
            if driver:
                reading.draft.put("drivers.nvidia.installed", True, reading.source(index), rank=MEASURED)
                reading.draft.put("drivers.nvidia.loaded", True, reading.source(index), rank=MEASURED)
            reading.saw("nvidia_smi", 30)
            reading.taken.add(index)
        elif line.startswith("|") or line.lstrip().startswith("|"):
            if match := _ROW.match(line):
                bus = _BUS.search(line)
                if bus is None and "MiB" in line:
                    continue
                if bus is None and not line.rstrip().endswith("|"):
                    continue
                if bus is None:
                    continue  # a process row
                fields = names.gpu_from_name(_cut_name(match[2]))
                fields["vendor"] = "nvidia"
                fields["driver"] = "nvidia"
                rows.gpus.append((fields, reading.source(index)))
                last = index
                reading.taken.add(index)
            elif 0 < index - last <= 2 and rows.gpus and (memory := _MEMORY.search(line)):
                rows.gpus[-1][0].setdefault("memory", int(memory[1]) * 1024**2)
            elif index - last == 2 and (mode := _MIG_MODE.search(line)) and mode[1] == "Enabled":
                split.append(index)
            if "No MIG devices found" in line and split and len(split) == len(rows.gpus):
                reading.symptom("mig-without-slices", index)
            if "TCC/WDDM" in line or "Driver-Model" in line:
                reading.put("system.os", "windows", index, MEASURED)
            elif "Persistence-M" in line:  # only the tool for Linux has that column
                reading.put("system.os", "linux", index, CLAIMED - 2)


def _cut_name(name: str) -> str:
    name = name.partition("|")[0].rstrip()
    return re.sub(r"\s{1,20}(?:On|Off|N/A|ERR!|TCC|WDDM|MCDM|WDM)$", "", name).strip()


def _listing(reading: Reading) -> None:
    rows = GpuList(MEASURED + 3, True)
    for index, line in enumerate(reading.lines):
        if match := _LISTED.match(line):
            fields = names.gpu_from_name(match[2])
            fields["vendor"] = "nvidia"
            rows.gpus.append((fields, reading.source(index, line.partition(" (UUID")[0])))
            reading.taken.add(index)
        elif _MIG.match(line):
            reading.symptom("mig-slice", index, line.partition("(UUID")[0])
    if rows.gpus:
        reading.saw("nvidia_smi", 25)
        reading.gpu_lists.append(rows)


def _query(reading: Reading) -> None:
    rows = GpuList(MEASURED + 3, True)
    split: list[int] = []  # a line of each GPU that is in MIG mode and has no instance
    for index, line in enumerate(reading.lines):
        if ":" not in line:
            continue
        label, _, value = line.partition(":")
        key = _Q.get(label.strip().lower())
        value = value.strip()
        if key == "name" and label.startswith(" "):
            fields = names.gpu_from_name(value)
            fields["vendor"] = "nvidia"
            rows.gpus.append((fields, reading.source(index)))
        elif (
            key == "version"
            and (match := _VERSION.match(value))
            and reading.has("attached gpus", "umd version", "nvml version")
        ):
            rank = MEASURED + (3 if "KMD" in label else 2)
            reading.put("drivers.nvidia.version", match[1], index, rank)
            reading.saw("nvidia_smi", 20)
        elif (
            key == "cuda"
            and (match := _CUDA.match(value))
            and reading.has("attached gpus", "umd version", "nvml version")
        ):
            reading.put("drivers.nvidia.cuda", match[1], index, MEASURED + (3 if "UMD" in label else 2))
        elif rows.gpus and label.strip() == "Total" and "memory" not in rows.gpus[-1][0] and "MiB" in value:
            if "FB Memory Usage" in reading.lines[index - 1] and (memory := names.memory_bytes(value)):
                rows.gpus[-1][0]["memory"] = memory
        elif rows.gpus and label.strip() == "Device Id" and (match := re.match(r"0x([0-9A-F]{4})10DE", value)):
            rows.gpus[-1][0]["pci_id"] = f"10de:{match[1].lower()}"
        elif rows.gpus and label.strip() == "MIG Devices" and value == "None":
            modes = (reading.lines[at].split(":") for at in range(max(0, index - 4), index))
            if any(mode[0].strip() == "Current" and mode[-1].strip() == "Enabled" for mode in modes):
                split.append(index)
    if rows.gpus:
        reading.saw("nvidia_smi", 25)
        reading.gpu_lists.append(rows)
    if split and len(split) == len(rows.gpus):
        reading.symptom("mig-without-slices", split[0])


def _xml(reading: Reading) -> None:
    rows = GpuList(MEASURED + 3, True)
    for index, line in enumerate(reading.lines):
        match = re.match(
            r"\s{0,12}<(driver_version|cuda_version|product_name|pci_device_id|total)>([^<]{1,100})</", line
        )
        if match is None:
            continue
        tag, value = match[1], match[2].strip()
        if tag in _XML:
            number = (_VERSION if tag == "driver_version" else _CUDA).match(value)
            if number:
                reading.put(f"drivers.nvidia.{_XML[tag]}", number[1], index, MEASURED + 3)
        elif tag == "product_name":
            rows.gpus.append(({**names.gpu_from_name(value), "vendor": "nvidia"}, reading.source(index)))
        elif rows.gpus and tag == "pci_device_id" and re.fullmatch(r"[0-9A-F]{4}10DE", value):
            rows.gpus[-1][0]["pci_id"] = f"10de:{value[:4].lower()}"
        elif rows.gpus and tag == "total" and value.endswith("MiB") and "fb_memory" in reading.lines[index - 1]:
            rows.gpus[-1][0]["memory"] = names.memory_bytes(value)
    reading.saw("nvidia_smi", 25)
    if rows.gpus:
        reading.gpu_lists.append(rows)


def _csv(reading: Reading) -> None:
    """csv with its header, or rows below a ``--query-gpu=…`` that was typed."""
    columns: list[str] | None = None
    rows = GpuList(MEASURED + 4, True)
    for index, line in enumerate(reading.lines):
        if match := re.search(r"--query-gpu=([\w.,]{3,300})", line):
            columns = match[1].split(",")
            continue
        cells = [c.strip() for c in line.split(",")]
        heads = [re.sub(r" \[\w{1,8}\]$", "", c) for c in cells]
        if len(cells) >= 2 and sum(h in _CSV_FIELDS for h in heads) >= 2:
            columns = heads
            continue
        if columns is None or len(cells) != len(columns) or not line.strip():
            if columns is not None and rows.gpus and not line.strip():
                columns = None
            continue
        if len(columns) == 1:
            if heads[0] in _CSV_FIELDS:
                continue
            if not _answers(columns[0], cells[0]):
                columns = None  # a line of words: what was asked for is not below
                continue
        row = dict(zip(columns, cells, strict=True))
        if (driver := row.get("driver_version")) and _VERSION.fullmatch(driver):
            reading.put("drivers.nvidia.version", driver, index, MEASURED + 3)
            reading.saw("nvidia_smi", 5)
        name = row.get("name") or row.get("gpu_name")
        if name is None and "compute_cap" not in row:
            continue
        fields = {**names.gpu_from_name(name or ""), "vendor": "nvidia"}
        if (cc := row.get("compute_cap")) and re.fullmatch(r"\d{1,2}\.\d", cc):
            fields["compute_capability"] = cc
        if (memory := row.get("memory.total")) and (match := re.match(r"(\d{1,7})(?: MiB)?$", memory)):
            fields["memory"] = int(match[1]) * 1024**2
        if len(fields) > 1:
            rows.gpus.append((fields, reading.source(index)))
    if rows.gpus:
        reading.saw("nvidia_smi", 25)
        reading.gpu_lists.append(rows)


def _answers(column: str, cell: str) -> bool:
    """Whether ``cell`` can be the whole answer to a query for one column: an error would stand there as well."""
    if column in ("name", "gpu_name"):
        return len(cell) <= 64 and names.vendor_of(cell) == "nvidia" and not _COMPLAINT.search(cell)
    return bool((_VERSION if column == "driver_version" else _CUDA).fullmatch(cell))
