"""``rocminfo``, ``rocm-smi``, ``amd-smi``, ``rocm_agent_enumerator`` and the messages of the ROCm runtime."""

from __future__ import annotations

import re
from typing import Any

from torchdoctor.probes.patterns import regex
from torchdoctor.probes.reports import names
from torchdoctor.probes.reports.reading import MEASURED, PRINTED, GpuList, Reading

__all__ = ["read_amd"]

_FIELD = regex(
    r"^\s{0,10}(Name|Marketing Name|Device Type|Vendor Name|Uuid|Runtime Version|Node):\s{1,60}(\S.{0,120}?)\s*$"
)
_STEPPING = regex(r"Gfx Major/Minor/Stepping: (\d{1,2})/(\d{1,2})/(\d{1,2})")
_SMI = regex(
    r"^GPU\[(\d{1,2})\]\s{0,8}:\s{0,4}(Card [Ss]eries|Card [Mm]odel|GFX Version|Device Name|Card SKU|Device ID|GPU ID|VRAM Total Memory \(B\)):\s{1,12}(\S.{0,100}?)\s*$"
)
# The id of the device in the tables of rocm-smi: by itself and with --showhw.
_HARDWARE = regex(r"^(\d{1,2})\s{1,8}\d{1,2}\s{1,8}(0x[0-9a-fA-F]{4}),?\s")
_SMI_JSON = regex(r'"(Card [Ss]eries|GFX Version)": "([^"]{1,100})"')
_TENSILE = regex(r"TensileLibrary_(?:lazy_|Type_\w{1,60}_|fallback_)?(gfx[0-9a-f]{3,4})")
_HIP_VERSION = regex(r"HIP [Vv]ersion: ?(\d{1,2}\.\d{1,2}\.\d{3,6})|HIP version: (\d{1,2}\.\d{1,2}\.\d{3,6})")
_ROCM_VERSION = regex(r"\bROCm[ -]?(?:version)?[: ]{0,2}v?(\d{1,2}\.\d{1,2}(?:\.\d{1,2})?)\b(?! ?->)")


def read_amd(reading: Reading) -> None:
    """AMD GPUs with their gfx targets, ROCm version, what the rocBLAS of the wheel holds."""
    if not reading.has("gfx", "rocm", "radeon", "hip", "amdgcn", "tensile", "kfd"):
        return
    _agents(reading)
    _smi(reading)
    available: list[str] = []
    at = -1
    if "rocm_agent_enumerator" in reading.text:
        _enumerated(reading)
    targets = _sdk_targets(reading)
    for index, line in enumerate(reading.lines):
        if "TensileLibrary" in line:
            if match := re.search(r"for GPU arch : (gfx[0-9a-f]{3,4})", line):
                reading.gpu_lists.append(
                    GpuList(PRINTED + 4, False, [({"vendor": "amd", "gfx": match[1]}, reading.source(index))])
                )
            elif match := _TENSILE.search(line):
                available.append(match[1])
                at = index
        elif "module version" in line and (
            match := re.search(r"ROCk module version (\d{1,2}(?:\.\d{1,8}){1,3}) is loaded", line)
        ):
            reading.put("drivers.amdgpu.version", match[1], index, MEASURED)
            reading.put("devices./dev/kfd.present", True, index, PRINTED)
        elif match := _STEPPING.search(line):
            gfx = f"gfx{match[1]}{int(match[2]):x}{int(match[3]):x}"
            reading.gpu_lists.append(
                GpuList(PRINTED + 5, False, [({"vendor": "amd", "gfx": gfx}, reading.source(index))])
            )
        elif match := _HIP_VERSION.search(line):
            reading.put("runtimes.rocm", ".".join((match[1] or match[2]).split(".")[:2]), index, PRINTED - 5)
        elif "ROCm" in line and (match := _ROCM_VERSION.search(line)) and "+rocm" not in line:
            reading.put("runtimes.rocm", match[1], index, PRINTED - 8)
        elif (
            "gfx" in line
            and index not in targets
            and (match := re.match(r"^\s{0,4}(?:--->\s{0,4})?(gfx(?!000)\d{1,2}[0-9a-f]{2})\s*$", line))
        ):
            row = ({"vendor": "amd", "gfx": match[1]}, reading.source(index))
            reading.gpu_lists.append(GpuList(PRINTED + 3, False, [row]))
    if available:
        reading.draft.put("torch.kernels", tuple(dict.fromkeys(available)), reading.source(at), rank=PRINTED + 4)


def _enumerated(reading: Reading) -> None:
    """``rocm_agent_enumerator``: a line for each GPU, and ``gfx000`` for the processor."""
    rows = GpuList(PRINTED + 4, True)
    for index in reading.find("rocm_agent_enumerator"):
        for at in range(index + 1, min(index + 34, len(reading.lines))):
            word = reading.lines[at].strip()
            if not re.fullmatch(r"gfx\d{1,2}[0-9a-f]{2}", word):
                break
            if word != "gfx000":
                rows.gpus.append(({"vendor": "amd", "gfx": word}, reading.source(at)))
        if rows.gpus:
            reading.gpu_lists.append(rows)
            return


def _sdk_targets(reading: Reading) -> set[int]:
    """Lines that answer ``rocm-sdk targets``: what the packages hold, not what the machine has."""
    found: set[int] = set()
    for index in reading.find("rocm-sdk targets"):
        at = index + 1
        while at < min(index + 12, len(reading.lines)) and reading.lines[at].strip().startswith("gfx"):
            found.add(at)
            at += 1
    return found


def _agents(reading: Reading) -> None:
    """Agents of ``rocminfo``. An agent is a GPU by its gfx name: an APU's CPU agent has Radeon in its name too."""
    if "Marketing Name" not in reading.text and "amdgcn-amd-amdhsa" not in reading.text and "  gfx" not in reading.text:
        return
    rows = GpuList(MEASURED + 3, True)
    agent: dict[str, Any] | None = None
    source = ""
    for index, line in enumerate(reading.lines):
        match = _FIELD.match(line)
        if match is None:
            if (
                agent
                and "amdgcn-amd-amdhsa--gfx" in line
                and (gfx := re.search(r"--(gfx\d{1,2}[0-9a-f]{2})(?![\w-])", line))
            ):
                agent["gfx"] = gfx[1]
            continue
        label, value = match.groups()
        if label == "Name":
            reading.taken.add(index)
            if re.fullmatch(r"gfx\d{1,2}[0-9a-f]{2}", value):
                agent, source = {"vendor": "amd", "gfx": value}, reading.source(index)
                rows.gpus.append((agent, source))
            elif value.startswith("amdgcn-"):
                continue
            else:
                agent = None
        elif label == "Marketing Name":
            reading.taken.add(index)
            if agent is not None and value not in ("", "N/A"):
                agent["name"] = value
            elif agent is None and re.search(r"Radeon|Intel|EPYC|Ryzen|Xeon|RYZEN", value):
                reading.put("cpu.model", value, index, MEASURED)
        elif label == "Device Type" and value == "CPU":
            agent = None
    if rows.gpus:
        reading.saw("rocminfo", 20)
        reading.gpu_lists.append(rows)
        reading.put("system.os", "linux", 0, PRINTED - 8)


def _smi(reading: Reading) -> None:
    cards: dict[str, tuple[dict[str, Any], str]] = {}
    hardware = "Concise" in reading.text and "DID" in reading.text
    for index, line in enumerate(reading.lines):
        if line.startswith("GPU[") and (match := _SMI.match(line)):
            fields, _ = cards.setdefault(match[1], ({"vendor": "amd"}, reading.source(index)))
            _card(fields, match[2], match[3])
        elif '"' in line and '"card' in line:
            for at, card in enumerate(re.findall(r'"card\d{1,3}": ?\{([^}]{1,4000})\}', line)):
                fields, _ = cards.setdefault(f"json{at}", ({"vendor": "amd"}, reading.source(index)))
                for label, value in _SMI_JSON.findall(card):
                    _card(fields, label, value)
        elif hardware and (match := _HARDWARE.match(line)):
            fields, _ = cards.setdefault(match[1], ({"vendor": "amd"}, reading.source(index)))
            _card(fields, "device id", match[2])
            if gfx := names.gfx_target(line):
                fields["gfx"] = gfx
        elif "gcnArchName" in line and (gfx := names.gfx_target(line)):
            fields = {"vendor": "amd", "gfx": gfx}
            if (above := _hip_name(reading, index)) is not None:
                fields["name"] = above
            cards[f"hip{index}"] = (fields, reading.source(index))
    known = ("name", "gfx", "pci_id") if hardware else ("name", "gfx")
    rows = GpuList(MEASURED + 2, True, [c for c in cards.values() if any(k in c[0] for k in known)])
    if rows.gpus:
        reading.saw("rocm_smi", 20)
        reading.gpu_lists.append(rows)


def _hip_name(reading: Reading, index: int) -> str | None:
    """The name in hipInfo's block of a device, which ends with the target."""
    for at in range(index - 1, max(-1, index - 90), -1):
        line = reading.lines[at]
        if line.startswith("device#"):
            return None
        if line.startswith("Name:"):
            return line[5:].strip() or None
    return None


def _card(fields: dict[str, Any], label: str, value: str) -> None:
    label = label.lower()
    if label in ("card series", "device name") and not value.startswith("0x") and value != "N/A":
        fields["name"] = value
    elif label == "card model" and not value.startswith("0x"):
        fields.setdefault("name", value)
    elif label == "gfx version" and (gfx := names.gfx_target(value)):
        fields["gfx"] = gfx
    elif label.startswith("vram total") and value.isdecimal() and len(value) < 20:
        fields["memory"] = int(value)
    elif label in ("device id", "gpu id", "card model") and (
        match := re.fullmatch(r"0x(?!1002)([0-9a-fA-F]{4})", value)
    ):
        fields.setdefault("pci_id", f"1002:{match[1].lower()}")
