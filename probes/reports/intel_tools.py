"""``sycl-ls``, ``xpu-smi discovery``, ``clinfo`` and what the Level Zero loader says."""

from __future__ import annotations

import re
from typing import Any

from torchdoctor.probes.patterns import regex
from torchdoctor.probes.reports import names
from torchdoctor.probes.reports.gpu_words import xpu_fields
from torchdoctor.probes.reports.reading import MEASURED, PRINTED, GpuList, Reading

__all__ = ["read_intel"]

_SYCL = regex(
    r"^\s{0,8}\[(?:ext_oneapi_)?(level_zero|opencl|cuda):(gpu|cpu|acc|npu)(?::(\d{1,2})\]|\]\[(?:level_zero|opencl|cuda):(\d{1,2})\])\s{1,4}(.{1,300})$"
)

_CUDA_DEVICE = regex(r"CUDA BACKEND, (\S.{2,80}?) (\d{1,2}\.\d)(?: \[CUDA (\d{1,2}\.\d{1,2})\])?\s*$")

_XPUSMI = regex(
    r"^\|\s{0,4}\d{0,3}\s{0,16}\|\s{0,4}(Device Name|PCI Device ID|Vendor Name|UUID|DRM Device):\s{1,8}(\S.{0,80}?)\s{0,60}\|"
)
_XPUSMI_JSON = regex(r'"(device_name|pci_device_id|memory_physical_size_byte)": "?([^",]{1,80})"?')
_COUNT = regex(r"(?:XPU |xpu )?[Dd]evice[_ ]count:?\s{1,3}(\d{1,2})\b")


def read_intel(reading: Reading) -> None:
    """Intel GPUs as their tools list them."""
    if not reading.has("level_zero", "opencl", "xpu", "intel", "clinfo", "zeinit", "cuda backend"):
        return
    _sycl_ls(reading)
    _xpu_smi(reading)
    zero = False
    for index, line in enumerate(reading.lines):
        if "evice" in line and (match := _COUNT.search(line)) and reading.has("xpu", "ipex"):
            reading.symptom(f"xpu-devices-{match[1]}", index)
            if match[1] == "0":
                zero = True
        if "Number of platforms" in line and re.search(r"Number of platforms\s{1,80}0\s*$", line):
            reading.symptom("opencl-no-platform", index)
    if zero:
        reading.draft.miss("gpus", "the XPU runtime lists no device")


def _sycl_ls(reading: Reading) -> None:
    rows = GpuList(MEASURED + 2, False)
    for index, line in enumerate(reading.lines):
        if "level_zero" not in line and "opencl" not in line and "cuda" not in line:
            continue
        match = _SYCL.match(line)
        if match is None or match[2] != "gpu":
            continue
        reading.saw("sycl_ls", 12)
        text = match[5]
        if text.rstrip().endswith(",") and index + 1 < len(reading.lines):
            text = f"{text.rstrip()} {reading.lines[index + 1].strip()[:200]}"  # a narrow page breaks before the name
        if match[1] == "cuda":
            _cuda_device(reading, index, text)
            continue
        if match[1] == "level_zero" and (found := re.search(r"\[(\d\.\d{1,2}\.\d{4,6})(?:\+\d{1,3})?\]\s*$", text)):
            reading.put("runtimes.level_zero", found[1], index, PRINTED - 4)
        if match[1] == "opencl" and (found := re.search(r"\[(\d{2}\.\d{2}\.\d{4,6}(?:\.\d{1,3})?)\]\s*$", text)):
            reading.put("drivers.intel.compute_runtime", found[1], index, MEASURED)
        if match[1] != "level_zero" or "Intel" not in text:
            continue
        name = text[text.rindex("Intel(R)") if "Intel(R)" in text and "Level-Zero" in text else text.index("Intel") :]
        name = re.split(r",? V\d\b| OpenCL |\s{2,}|\s\[\d{1,2}\.| \d{1,2}\.\d{1,3}(?:\.\d{1,3})? \[", name)[0].strip(
            " ."
        )
        reading.taken.add(index)
        if "Runtime" in name or "Level-Zero" in name:
            continue  # the line breaks off before the device
        rows.gpus.append((xpu_fields(name), reading.source(index)))
    if rows.gpus:
        reading.gpu_lists.append(rows)


def _cuda_device(reading: Reading, index: int, text: str) -> None:
    """``NVIDIA CUDA BACKEND, NVIDIA A100-PCIE-40GB 8.0 [CUDA 12.2]``; old plugins print 0.0 for the capability."""
    match = _CUDA_DEVICE.search(text)
    if match is None:
        return
    fields = {"vendor": "nvidia", "name": match[1]}
    if match[2] and match[2] != "0.0":
        fields["compute_capability"] = match[2]
    reading.put("drivers.nvidia.cuda", match[3], index, MEASURED)
    reading.gpu_lists.append(GpuList(MEASURED + 2, False, [(dict(fields), reading.source(index))]))


def _xpu_smi(reading: Reading) -> None:
    rows = GpuList(MEASURED + 2, True)
    current: dict[str, Any] | None = None
    for index, line in enumerate(reading.lines):
        match = _XPUSMI.match(line)
        pair = (match[1], match[2]) if match else None
        if pair is None and '"' in line and (found := _XPUSMI_JSON.search(line)):
            pair = (found[1], found[2])
        if pair is None:
            continue
        label, value = pair
        if label in ("Device Name", "device_name") and "Intel" in value:
            current = {"vendor": "intel", "name": value}
            if pci := names.intel_device_id(value):
                current["pci_id"] = pci
            rows.gpus.append((current, reading.source(index)))
        elif (
            label in ("PCI Device ID", "pci_device_id")
            and current is not None
            and re.fullmatch(r"0x[0-9a-fA-F]{1,4}", value)
        ):
            current["pci_id"] = f"8086:{int(value, 16):04x}"
    if rows.gpus:
        reading.saw("xpu_smi", 20)
        reading.gpu_lists.append(rows)
