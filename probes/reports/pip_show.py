"""Blocks of ``pip show``, whole or with one line of them let through."""

from __future__ import annotations

import re

from torchdoctor.probes.patterns import regex
from torchdoctor.probes.reports.package_list import put_installed
from torchdoctor.probes.reports.packages import canonical
from torchdoctor.probes.reports.python_session import put_path
from torchdoctor.probes.reports.reading import MEASURED, PRINTED, Reading

__all__ = ["read_pip_show"]

_FILTERED = regex(r"\bpip3?(?:\.exe)? show ([A-Za-z][\w.-]{0,80}) ?(?:2>\S{1,12} ?)?\| ?(?:\w?grep|findstr|select-string|sls|awk)\b.{0,60}(version|location)", re.I)  # fmt: skip
_SHOW = ("name", "version", "location", "requires", "summary")


def read_pip_show(reading: Reading) -> None:
    """Name, version and place of a distribution; of torch also what its requirements tell of the system."""
    filtered = reading.has("pip show", "pip3 show", "pip.exe show")
    if not filtered and not reading.has("name"):
        return
    name: str | None = None
    for index, line in enumerate(reading.lines):
        if filtered and "show " in line and (asked := _FILTERED.search(line[:400])):
            # of the block only one line is let through
            below = reading.lines[index + 1].lower() if index + 1 < len(reading.lines) else ""
            name = asked[1] if below.strip().startswith(f"{asked[2].lower()}:") else None
            continue
        label, colon, value = line.partition(":")
        label = label.strip().lower()
        if not colon or label not in _SHOW:
            continue
        value = value.strip()
        if label == "name" and re.fullmatch(r"[A-Za-z0-9][\w.-]{0,80}", value):
            below = reading.lines[index + 1].lower() if index + 1 < len(reading.lines) else ""
            name = value if below.strip().startswith("version:") else None
        elif label == "version" and name and value[:1].isdigit():
            put_installed(reading, index, name, value, MEASURED)
            reading.saw("pip_freeze", 8)
        elif label == "location" and name:
            if canonical(name) == "torch":
                reading.symptom("torch-location", index)
            put_path(reading, index, value.rstrip("/\\") + "/", MEASURED)
        elif label == "requires" and name and canonical(name) == "torch":
            _requires(reading, index, value)


def _requires(reading: Reading, index: int, value: str) -> None:
    """pip shows the requirements that hold on this system: CUDA packages are those of Linux. Wheels of the default index
    that ask for a ``-cu11`` or ``-cu12`` package are for x86-64; those of other indexes have a local version.
    """
    if "nvidia-" not in value:
        return
    reading.put("system.os", "linux", index, PRINTED - 15)
    if re.search(r"\bnvidia-[\w-]{3,40}-cu1[12]\b", value) and "+" not in (
        reading.draft.value("packages.torch") or "+"
    ):
        reading.put("system.machine", "x86_64", index, PRINTED - 15)
