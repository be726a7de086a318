"""What graphics and survey tools print of a card and its driver: ``vulkaninfo``, ``glxinfo``, ``clinfo``, ``inxi``, ``lshw``,
``gpustat``, ``deviceQuery``, TensorFlow's log, the driver's own ``/proc`` file.
"""

from __future__ import annotations

import re

from torchdoctor.probes.patterns import regex
from torchdoctor.probes.reports import names, values
from torchdoctor.probes.reports.reading import MEASURED, PRINTED, GpuList, Reading

__all__ = ["read_graphics"]

_VULKAN = regex(rf"^\s{{0,24}}driverInfo\s{{1,20}}=\s{{1,4}}{values.NVIDIA_DRIVER}\s*$")
_OPENGL = regex(rf"\bversion string: .{{1,40}} NVIDIA {values.NVIDIA_DRIVER}\b")
_RENDERER = regex(r"\bOpenGL renderer string: (.{2,80}?)(?:/PCIe|/SSE|/integrated|\s*$)")
_OPENCL = regex(rf"^\s{{0,8}}Driver Version\s{{2,60}}{values.NVIDIA_DRIVER}\s*$")
_INXI = regex(r"^\s{0,8}(?:Device-\d{1,2}|Card(?:-\d{1,2})?): (.{3,200})$")
_INXI_DRIVER = regex(r"\bdriver: (nvidia|nouveau|amdgpu|radeon|i915|xe)\b(?: v: (\d{3}\.\d[\d.]{0,12}))?")
_PRODUCT = regex(r"^\s{2,12}product: (.{2,160}?)\s*$")
_GPUSTAT = regex(r"^\[(\d{1,3})\] (\S.{2,60}?)\s{0,8}\|\s{0,4}\d{1,3}\s?(?:°C|'C|C)\b")
_NVITOP = regex(rf"\bNVITOP \S{{1,16}}\s{{1,24}}Driver Version: {values.NVIDIA_DRIVER}")
_GPUSTAT_HEAD = regex(rf"\d{{4}}\s{{2,4}}{values.NVIDIA_DRIVER}\s*$")
_TENSORFLOW = regex(r"\bname: (.{3,60}?), pci bus id: \S{4,20}, compute capability: (\d{1,2}\.\d)")
_CUDA_OF_DRIVER = regex(r"^\s{0,8}CUDA Driver Version(?: / Runtime Version)?\s{0,60}:?\s{1,60}(\d{1,2}\.\d)(?: /|\s*$)")
_MODEL = regex(r"^Model:\s{1,12}(\S.{2,80}?)\s*$")
_FIRMWARE = regex(rf"^GPU Firmware:\s{{1,12}}{values.NVIDIA_DRIVER}\s*$")


def read_graphics(reading: Reading) -> None:
    """Cards and drivers as tools show them that were not made for torch."""
    for index, line in enumerate(reading.lines):
        if not 8 < len(line) < 1000 or index in reading.taken:
            continue
        if "driver" in line or "Driver" in line:
            _driver(reading, index, line)
        if "version string" in line and (match := _OPENGL.search(line)):
            _put_driver(reading, index, match[1])
        elif "renderer string" in line and (match := _RENDERER.search(line)):
            _card(reading, index, match[1], complete=False)
        elif ("evice-" in line or "Card" in line) and (match := _INXI.match(line)):
            _inxi(reading, index, match[1])
        elif "product: " in line and (match := _PRODUCT.match(line)):
            _lshw(reading, index, match[1])
        elif line.startswith("[") and (match := _GPUSTAT.match(line)):
            _card(reading, index, match[2], complete=True)
            if index and (head := _GPUSTAT_HEAD.search(reading.lines[index - 1])):
                _put_driver(reading, index - 1, head[1])
        elif "pci bus id" in line and (match := _TENSORFLOW.search(line)):
            _card(reading, index, match[1], complete=False, compute_capability=match[2])
        elif line.startswith("Model:") and (match := _MODEL.match(line)) and _of_proc(reading, index):
            _card(reading, index, match[1], complete=True, reach=16)
        elif line.startswith("GPU Firmware:") and (match := _FIRMWARE.match(line)):
            _put_driver(reading, index, match[1])


def _near(reading: Reading, index: int, words: str, reach: int) -> bool:
    return any(words in line for line in reading.lines[max(0, index - reach) : index + reach + 1])


def _put_driver(reading: Reading, index: int, version: str) -> None:
    reading.put("drivers.nvidia.version", version, index, MEASURED)
    reading.draft.put("drivers.nvidia.loaded", True, reading.source(index), rank=PRINTED)


def _driver(reading: Reading, index: int, line: str) -> None:
    for pattern, reach in ((_NVITOP, 0), (_VULKAN, 4), (_OPENCL, 40)):
        # a driver's number alone is anybody's: its maker stands near it
        match = pattern.search(line)
        if match and (not reach or _near(reading, index, "NVIDIA", reach)):
            _put_driver(reading, index, match[1])
            return
    if match := _CUDA_OF_DRIVER.match(line):
        reading.put("drivers.nvidia.cuda", match[1], index, MEASURED)


def _of_proc(reading: Reading, index: int) -> bool:
    return _near(reading, index, "GPU UUID:", 6) or _near(reading, index, "Bus Location:", 8)


def _card(reading: Reading, index: int, text: str, *, complete: bool, reach: int = 1, **more: str) -> None:
    fields = {**names.gpu_from_name(text.strip()), **more}
    if not fields.get("vendor"):
        return
    last = reading.gpu_lists[-1] if reading.gpu_lists else None
    if complete and last is not None and last.complete and 0 < index - last.last <= reach:
        last.gpus.append((fields, reading.source(index)))
        last.last = index
        return
    reading.gpu_lists.append(GpuList(MEASURED, complete, [(fields, reading.source(index))], index))


def _marketing(text: str) -> dict[str, object]:
    """``NVIDIA GA106 [GeForce RTX 3060]``: the name in the brackets, and its vendor."""
    vendor = names.vendor_of(text)
    if vendor is None or vendor == "apple":
        return {}
    fields: dict[str, object] = {"vendor": vendor}
    if name := names.bracketed(text):
        fields["name"] = name
    elif named := names.find_gpus(text):
        fields["name"] = named[0].fields["name"]
    return fields


def _inxi(reading: Reading, index: int, text: str) -> None:
    below = reading.lines[index + 1] if index + 1 < len(reading.lines) else ""
    used = _INXI_DRIVER.search(text) or (_INXI_DRIVER.search(below) if not _INXI.match(below) else None)
    fields = _marketing(text.partition(" driver:")[0].partition(" vendor:")[0])
    if not fields or used is None:
        return
    reading.put("system.os", "linux", index, PRINTED)
    fields["driver"] = used[1]
    if used[1] == "nvidia" and used[2]:
        _put_driver(reading, index, used[2])
    reading.gpu_lists.append(GpuList(MEASURED, False, [(fields, reading.source(index))]))


def _lshw(reading: Reading, index: int, text: str) -> None:
    block = reading.lines[index - 3 if index > 3 else 0 : index + 16]
    if not any("*-display" in line or "VGA compatible" in line or "3D controller" in line for line in block[:4]):
        return
    vendor = next((line.partition("vendor:")[2] for line in block[3:6] if "vendor:" in line), "")
    fields = _marketing(f"{vendor} {text}")
    if not fields:
        return
    for line in block[4:]:
        if "*-" in line:
            break
        if "configuration:" in line:  # an unclaimed device has none
            used = re.search(r"\bdriver=(\w{2,12})", line)
            fields["driver"] = used[1] if used else ""
    reading.put("system.os", "linux", index, PRINTED)
    reading.gpu_lists.append(GpuList(MEASURED, False, [(fields, reading.source(index))]))
