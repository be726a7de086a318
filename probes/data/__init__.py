"""Tables that a probe needs to read what a machine says (names of cores and features), each with its source.

What a piece of hardware is *compatible* with is not here: that is the matrix's.
"""

from __future__ import annotations

import json
import pkgutil
from functools import cache
from typing import Any

__all__ = ["table"]


@cache
def table(name: str) -> dict[str, Any]:
    """The groups of one file of this folder (``cpu`` → ``cpu.json``), read once."""
    text = pkgutil.get_data("torchdoctor.probes.data", f"{name}.json")
    assert text is not None
    data: dict[str, Any] = json.loads(text)
    return data
