"""GPUs that lines name or number: typed lists, ``GPU 0,1:`` and the blocks of ``collect_env``."""

from __future__ import annotations

import re

from torchdoctor.probes.patterns import regex
from torchdoctor.probes.reports import names
from torchdoctor.probes.reports.labels import label_of
from torchdoctor.probes.reports.reading import CLAIMED, GpuList, Reading
from torchdoctor.probes.reports.values import nothing

__all__ = ["put_gpu_blocks", "put_named_gpus", "put_numbered_gpus", "xpu_fields"]

_MOST = 64  # GPUs in one line, as many as the largest machines hold
_MIG = regex(r"^\s{1,12}MIG (\d{1,2}[gc][\w.+]{2,24})\s")


_XPU_PROPERTIES = regex(r"name='([^']{1,100})'")


_XPU_ID = regex(r"device_id=0x([0-9A-Fa-f]{3,4})")


_TOTAL_MEMORY = regex(r"total_memory=(\d{1,8})\s?MB")


def put_named_gpus(
    reading: Reading, index: int, value: str, rank: int, *, labelled: bool = True, complete: bool = False
) -> None:
    """The GPUs that a line names, with the gfx target, compute capability and PCI id beside them."""
    found = names.find_gpus(value, labelled=labelled)
    gfx = names.gfx_target(value)
    if not found:
        if gfx and labelled:
            targets = names.gfx_targets(value)
            cards = [
                {
                    "vendor": "amd",
                    "gfx": g,
                    "integrated": names.is_integrated(
                        reading.lines[index] if len(targets) == 1 else _near(value, g, targets)
                    ),
                }
                for g in targets
            ]
            reading.gpu_lists.append(GpuList(rank, complete, [(card, reading.source(index)) for card in cards]))
        return
    rows = GpuList(rank, complete)
    for named in found:
        fields = dict(named.fields)
        around = value[named.start : named.end + 90]
        if fields["vendor"] == "nvidia":
            fields["compute_capability"] = names.compute_capability(around)
            if match := re.search(r"\|\s?(\d{1,2}\.\d)\s*$", value):
                fields["compute_capability"] = fields["compute_capability"] or match[1]
        elif fields["vendor"] == "amd":
            fields["gfx"] = names.gfx_target(around) or (gfx if len(found) == 1 else None)
        fields["pci_id"] = names.pci_id(around) or (
            names.intel_device_id(around) if fields["vendor"] == "intel" else None
        )
        owner = {"10de": "nvidia", "1002": "amd", "8086": "intel"}.get((fields["pci_id"] or "")[:4])
        if owner != fields["vendor"]:
            fields["pci_id"] = None
        # an RX card is never the integrated one that the same line may speak of
        fields["integrated"] = None if "RX " in fields["name"] else names.is_integrated(around)
        fields = {k: v for k, v in fields.items() if v is not None}
        source = reading.source(index)
        rows.gpus.extend((dict(fields), source) for _ in range(min(named.count, _MOST - len(rows.gpus))))
    if gfx and len(found) == 1 and found[0].fields["vendor"] == "amd":
        _targets_beside(rows, value, gfx, reading.source(index))
    reading.gpu_lists.append(rows)


def _near(value: str, target: str, targets: list[str]) -> str:
    """The words round one of several targets, as far as the next ones."""
    at = max(value.find(target), 0)
    around = value[max(0, at - 24) : at], value[at + len(target) : at + len(target) + 24]
    others = [t for t in targets if t != target]
    before = max((around[0].rfind(t) + len(t) for t in others if t in around[0]), default=0)
    after = min((around[1].find(t) for t in others if t in around[1]), default=24)
    return f"{around[0][before:]} {around[1][:after]}"


def _targets_beside(rows: GpuList, value: str, first: str, source: str) -> None:
    """Beside a card that a line names, the target of an integrated GPU that it only calls so."""
    targets = names.gfx_targets(value)
    for target in targets:
        if target != first and names.is_integrated(_near(value, target, targets)):
            rows.gpus.append(({"vendor": "amd", "gfx": target, "integrated": True}, source))


def put_numbered_gpus(reading: Reading, index: int, label: str, value: str, rank: int) -> None:
    """``GPU 0,1: NVIDIA H100 NVL`` and ``GPU 0,1 Compute Capability: 9.0``."""
    numbers = re.match(r"(?:gpu|device) #?((?:\d{1,3}[, ]{0,2}){1,64})(.{0,40})$", label)
    if numbers is None or nothing(value):
        return
    count = len(re.findall(r"\d+", numbers[1]))
    rest = numbers[2].strip()
    source = reading.source(index)
    if rest == "":
        card = re.sub(r" @ [\d.]{1,6} [MG]Hz\b", "", value.split("(UUID")[0].split("  ")[0])
        fields = names.gpu_from_name(re.sub(r" \[(?:Discrete|Integrated)\]", "", card).strip())
        if fields.get("vendor") is None and rank == CLAIMED:
            return
        fields.setdefault("vendor", "nvidia")
        if fields.get("vendor") == "nvidia":
            fields["compute_capability"] = names.compute_capability(value)
        fields = {k: v for k, v in fields.items() if v is not None}
        last = reading.gpu_lists[-1] if reading.gpu_lists else None
        if last is None or last.rank != rank + 1 or not last.complete or index - last.last > 3:
            last = GpuList(rank + 1, True)
            reading.gpu_lists.append(last)
        last.gpus.extend((dict(fields), source) for _ in range(count))
        last.last = index
    elif rest == "compute capability" and (match := re.match(r"(\d{1,2}\.\d)", value)):
        rows = GpuList(
            rank, False, [({"vendor": "nvidia", "compute_capability": match[1]}, source) for _ in range(count)]
        )
        reading.gpu_lists.append(rows)


def put_gpu_blocks(reading: Reading, rank: int) -> None:
    """The block below "GPU models and configuration" where its lines carry no number, MIG slices, and Intel's bullets."""
    lines = reading.lines
    for index, line in enumerate(lines):
        low = line.lower()
        if "gpu models and configuration" in low:
            first = line.partition(":")[2].strip()
            rows = GpuList(rank + 1, True)
            if first and not nothing(first) and not re.match(r"GPU \d", first):
                _bare_gpu(rows, first, reading.source(index))
            if not re.match(r"GPU \d", first):
                for at in range(index + 1, min(index + 65, len(lines))):
                    text = lines[at].strip()
                    if (
                        not text
                        or ":" in text.replace("sramecc", "").replace(":xnack", "")
                        or text.startswith(("MIG ", "|"))
                    ):
                        break
                    _bare_gpu(rows, text, reading.source(at))
            else:
                label = label_of(first)
                if label:
                    put_numbered_gpus(reading, index, label[0], label[1], rank)
            if rows.gpus:
                reading.gpu_lists.append(rows)
        elif low.startswith(("intel gpu models onboard", "intel gpu models detected")):
            # what the runtime detects is called by the name that drivers give it
            rows = GpuList(rank + (2 if "detected" in low else 1), True)
            for at in range(index + 1, min(index + 33, len(lines))):
                text = lines[at].strip()
                if not text.startswith("*"):
                    break
                rows.gpus.append((xpu_fields(text.lstrip("* ")), reading.source(at)))
            if rows.gpus:
                reading.gpu_lists.append(rows)
        elif _MIG.match(line):
            reading.symptom("mig-slice", index)


def xpu_fields(text: str) -> dict[str, object]:
    """A GPU from a device name or a ``_XpuDeviceProperties(…)`` text."""
    fields: dict[str, object] = {"vendor": "intel"}
    match = _XPU_PROPERTIES.search(text)
    name = match[1] if match else re.sub(r"^\[\d+\]:?\s?", "", text).strip()
    fields["name"] = name
    if match := _XPU_ID.search(text):
        fields["pci_id"] = f"8086:{match[1].lower():0>4}"
    elif pci := names.intel_device_id(text):
        fields["pci_id"] = pci
    if match := _TOTAL_MEMORY.search(text):
        fields["memory"] = int(match[1]) * 1024**2
    return fields


def _bare_gpu(rows: GpuList, text: str, source: str) -> None:
    fields = names.gpu_from_name(text)
    if fields.get("vendor"):
        rows.gpus.append((fields, source))
