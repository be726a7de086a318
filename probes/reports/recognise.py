"""Which kind of text a paste mostly is."""

from __future__ import annotations

import re

from torchdoctor.probes.patterns import regex
from torchdoctor.probes.reports.reading import Reading

__all__ = ["recognise"]

_RAISED = regex(r"^\s{0,8}(?:[A-Za-z_][\w.]{2,80}(?:Error|Exception|Warning)|OSError|ERROR): ", re.M)


def recognise(reading: Reading) -> tuple[str, tuple[str, ...]]:
    """(dominant kind, every kind seen, heaviest first). What nothing recognises is ``free_text``."""
    if reading.has("traceback (most recent call last)") or _RAISED.search(reading.text[:200_000]):
        reading.saw("traceback", 2)
    if reading.has("dockerfile") or (
        "FROM " in reading.text and re.search(r"^FROM [\w./-]{2,80}(?::|\s|$)", reading.text, re.M)
    ):
        reading.saw("dockerfile", 2)
    kinds = sorted(reading.kinds, key=lambda kind: (-reading.kinds[kind], kind))
    solid = [k for k in kinds if k not in ("free_text", "traceback", "dockerfile") and reading.kinds[k] >= 8]
    dominant = solid[0] if solid else "free_text"
    rest = tuple(k for k in kinds if k != dominant)
    return dominant, (dominant, *rest)
