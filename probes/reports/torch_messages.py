"""What torch itself prints about a GPU: the five generations of its capability warning, driver complaints, MPS and XPU texts."""

from __future__ import annotations

import re

from torchdoctor.probes.patterns import regex
from torchdoctor.probes.reports import names, values
from torchdoctor.probes.reports.reading import PRINTED, GpuList, Reading
from torchdoctor.probes.reports.torch_words import put_torch

__all__ = ["read_torch_messages"]

# 1.x-2.10: "NAME with CUDA capability sm_120 is not compatible with the current PyTorch installation."
_NOT_COMPATIBLE = regex(
    r"(?:^|[\s\"'`:]|The )((?:NVIDIA|GeForce|Tesla|Quadro|TITAN|RTX|GTX|GRID|A\d0|[A-Z])[^\n]{2,100}?)(?: GPU)?,? with (?:a )?CUDA capability (?:of )?sm_(\d{2,3})"
)
# The same, typed by hand.
_RETYPED = regex(r"\bcuda capabilit(?:y|ies) (?:of )?sm_?(\d{2,3}) is ?n[o']t compatible", re.I)
_SUPPORTS = regex(r"supports (?:the following )?CUDA capabilities:?((?:[\s,]{1,3}(?:sm|compute)_\d{2,3}[af]?){1,40})")
# "Found GPU0 NAME which is of cuda capability 6.1." and (2.11) "... which is of compute capability (CC) 7.0."
_FOUND = regex(
    r"Found GPU(\d{1,3}) (.{2,100}?) which is of (?:cuda capability|compute capability \(CC\)) (\d{1,2}\.\d)"
)
_RANGE = regex(r"\((\d{1,2}\.\d)\) - \((\d{1,2}\.\d)\)")
_BUILT_FOR = regex(r"^\s{0,12}- (\d{1,2})\.(\d{1,2}) which supports hardware CC")
_INSTALLED = regex(r"Your installed torch==(\S{3,60}?) does not include kernels")
_ADVICE = regex(
    r"(?:configurations?:|CUDA versions?:|supports one of these CUDA versions:)\s{0,4}((?:\d{1,2}\.\d{1,2}[,\s]{0,3}){1,8})"
)
_TOO_OLD = regex(r"driver on your system is too old \(found version (\d{4,5})\)")
_SM_LINE = regex(r"^\s{0,8}(?:[-*] )?((?:sm|compute)_\d{2,3}[af]?)\s*$")
_USING = regex(r"Using GPU \d{1,2} \((.{2,80})\) of compute capability (\d{1,2}\.\d) with (\d{1,3}\.\d)Gb total memory")
_YOU_HAVE = regex(r"PyTorch (\d[\w.+]{2,30}) (?:with CUDA \d{3,5} )?\(you have (\d[\w.+]{2,30})\)")
_NONE_SEEN = regex(r"\bNo (?:CUDA|HIP) GPUs are available|Error: Torch is not able to use GPU")
_HIGHEST = regex(r"[Hh]ighest [Cc]ompute [Cc]apability(?: among GPUs detected)?: \(?(\d{1,2})(?:\.|, ?)(\d)")
_COMPILED = regex(
    r"compiled with different CUDA (?:major )?versions\.? PyTorch has CUDA [Vv]ersion ?=? ?(\d{1,2}\.\d{1,2}) (?:and|whereas) (torchvision|TorchAudio|torchaudio) has CUDA [Vv]ersion ?=? ?(\d{1,2}\.\d{1,2})"
)


def read_torch_messages(reading: Reading) -> None:
    """GPUs with their compute capability, the architectures in the wheel, what the driver speaks."""
    if not reading.has(
        "capabilit",
        "driver on your system",
        "kernels for this gpu",
        "different cuda ",
        "you have ",
        "no longer supports this gpu",
        "gpus are available",
        "not able to use gpu",
        "total memory",
    ):
        return
    rows = GpuList(PRINTED + 8, False)
    seen: set[tuple[str, str]] = set()
    built: list[str] = []
    built_at = -1
    listing_until = -1
    listed: list[str] = []
    for index, line in enumerate(reading.lines):
        if "apabilit" in line or "CCs" in line:
            if match := _FOUND.search(line):
                key = (match[1], match[2])
                if key not in seen:
                    seen.add(key)
                    rows.gpus.append(
                        (
                            {**names.gpu_from_name(match[2]), "vendor": "nvidia", "compute_capability": match[3]},
                            reading.source(index),
                        )
                    )
                if "no longer supports" not in line:
                    reading.symptom("torch-gpu-warning", index)
            elif match := _NOT_COMPATIBLE.search(line):
                name, number = match[1].strip(" ,"), match[2]
                cc = f"{number[:-1]}.{number[-1]}"
                fields = {
                    **names.gpu_from_name(name.removeprefix("The ")),
                    "vendor": "nvidia",
                    "compute_capability": cc,
                }
                if not any(r[0].get("name") == fields.get("name") for r in rows.gpus):
                    rows.gpus.append((fields, reading.source(index)))
                reading.symptom("torch-gpu-incompatible", index)
            elif match := _RETYPED.search(line):
                found = names.find_gpus(line[: match.start()])
                if found and found[-1].fields["vendor"] == "nvidia":
                    cc = f"{match[1][:-1]}.{match[1][-1]}"
                    rows.gpus.append(({**found[-1].fields, "compute_capability": cc}, reading.source(index)))
                reading.symptom("torch-gpu-incompatible", index)
            if "apabilities" in line:
                if match := _SUPPORTS.search(line):
                    archs = tuple(re.findall(r"(?:sm|compute)_\d{2,3}[af]?", match[1]))
                    reading.draft.put("torch.kernels", archs, reading.source(index), rank=PRINTED + 8)
                elif "upports" in line and line.rstrip().endswith(":"):
                    listing_until = index + 60
            if match := _RANGE.search(line):
                reading.symptom("torch-capability-range", index)
            if match := _USING.search(line):
                fields = {**names.gpu_from_name(match[1]), "vendor": "nvidia", "compute_capability": match[2]}
                if not any(row.get("name") == fields.get("name") for row, _ in rows.gpus):
                    rows.gpus.append((fields, reading.source(index)))
            elif not rows.gpus and (match := _HIGHEST.search(line)):
                fields = {"vendor": "nvidia", "compute_capability": f"{match[1]}.{match[2]}"}
                rows.gpus.append((fields, reading.source(index)))
        elif "(" in line and (match := _RANGE.search(line)) and index and "apability" in reading.lines[index - 1]:
            reading.symptom("torch-capability-range", index)
        if "which supports hardware CC" in line and (match := _BUILT_FOR.match(line)):
            name = f"sm_{match[1]}{match[2]}"
            if name not in built:
                built.append(name)
            built_at = index
        if index <= listing_until and (match := _SM_LINE.match(line)):
            listed.append(match[1])
            built_at = index
        if "does not include kernels" in line and (match := _INSTALLED.search(line)):
            reading.symptom("torch-no-kernels-for-gpu", index)
            if parsed := values.parse_torch(match[1]):
                put_torch(reading, index, parsed, PRINTED + 8)
        if "too old" in line:
            if match := _TOO_OLD.search(line):
                number = int(match[1])
                reading.put("drivers.nvidia.cuda", f"{number // 1000}.{number % 1000 // 10}", index, PRINTED + 5)
                reading.symptom("driver-too-old-text", index)
            elif "no longer supports this GPU" in line:
                reading.symptom("gpu-too-old-text", index)
        if _NONE_SEEN.search(line):
            reading.put("torch.gpu_available", False, index, PRINTED - 1)
        if "CUDA" in line and (match := _ADVICE.search(line)):
            reading.symptom("torch-advice", index, match[1].strip())
        if "you have" in line and (match := _YOU_HAVE.search(line)):
            if parsed := values.parse_torch(match[2]):
                put_torch(reading, index, parsed, PRINTED)
            if match[1] != match[2]:
                reading.symptom("built-for-another-torch", index)
        if "different CUDA " in line and (match := _COMPILED.search(line)):
            reading.put("torch.cuda", match[1], index, PRINTED)
            reading.put("torch.variant", values.cuda_variant(match[1]), index, PRINTED)
            reading.symptom("companion-cuda-differs", index)
    kernels = built or listed
    if kernels:
        reading.draft.put("torch.kernels", tuple(kernels), reading.source(built_at), rank=PRINTED + 8)
    if rows.gpus:
        reading.gpu_lists.append(rows)
