"""The installed torch, however a text names it."""

from __future__ import annotations

import re

from torchdoctor.probes.reports import values
from torchdoctor.probes.reports.packages import put_package
from torchdoctor.probes.reports.reading import Reading

__all__ = ["put_torch"]


def put_torch(reading: Reading, index: int, parsed: values.TorchVersion, rank: int) -> None:
    """The installed torch and, where its local part names one, its variant."""
    reading.put("torch.version", parsed.full, index, rank)
    if parsed.variant:
        reading.put("torch.variant", parsed.variant, index, rank + 2)
    put_package(reading, "torch", parsed.full, index, rank)
    local = parsed.local or ""
    if re.search(r"(?:^|\.)nv\d\d\.\d\d", local):
        reading.put("torch.origin", "vendor", index, rank)
    elif "git" in local and not parsed.variant:
        reading.put("torch.origin", "source", index, rank)
    elif ".dev" in parsed.version:
        reading.put("torch.origin", "nightly", index, rank)
