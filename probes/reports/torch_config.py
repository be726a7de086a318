"""``torch.__config__.show()``: the build settings, as people and other projects' dumps print them."""

from __future__ import annotations

from torchdoctor.probes.patterns import regex
from torchdoctor.probes.reports import values
from torchdoctor.probes.reports.reading import PRINTED, Reading
from torchdoctor.probes.reports.torch_words import put_torch

__all__ = ["read_torch_config"]

_VERSION = regex(r"\bTORCH_VERSION=(\d[\w.+]{2,40})")
_CUDA = regex(r"\bCUDA_VERSION=(\d{1,2}\.\d{1,2})")
_USES = regex(r"\bUSE_(CUDA|ROCM|XPU)=(ON|OFF|1|0)\b")
_CODE = regex(r"\bcode=((?:sm|compute)_\d{2,3}[af]?)\b")


def read_torch_config(reading: Reading) -> None:
    """Version, variant and code of the torch that printed its settings."""
    if not reading.has("torch_version=", "nvcc architecture flags"):
        return
    for index in reading.find("TORCH_VERSION="):
        line = reading.lines[index][:8000]
        match = _VERSION.search(line)
        parsed = values.parse_torch(match[1]) if match else None
        if parsed is None:
            continue
        put_torch(reading, index, parsed, PRINTED + 2)
        uses = {m[1]: m[2] in ("ON", "1") for m in _USES.finditer(line)}
        cuda = _CUDA.search(line)
        if uses.get("CUDA") and cuda:
            reading.put("torch.variant", values.cuda_variant(cuda[1]), index, PRINTED)
        elif uses.get("CUDA") is False and not uses.get("ROCM") and not uses.get("XPU"):
            reading.draft.put("torch.cuda", "", reading.source(index), rank=PRINTED)
    for index in reading.find("NVCC architecture flags"):
        code = tuple(dict.fromkeys(_CODE.findall(reading.lines[index][:8000])))
        if code:
            reading.draft.put("torch.kernels", code, reading.source(index), rank=PRINTED + 4)
