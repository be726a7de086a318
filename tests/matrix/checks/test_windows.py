"""The Visual C++ runtime."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from torchdoctor.matrix.verdict import Finding

Examine = Callable[..., dict[str, Finding]]
Machine = Callable[..., dict[str, Any]]
BARE = {"os": "windows", "name": "Windows 11", "vc_runtime": ""}


def test_missing(examine: Examine, machine: Machine) -> None:
    found = examine(machine(system=BARE))["windows-runtime-missing"]
    assert (found.severity, found.lies_in) == ("warning", "system")
    assert found.fix[0] == "winget install Microsoft.VCRedist.2015+.x64"
    failed = [{"id": "winerror-126", "text": "OSError: [WinError 126]", "line": 1}]
    assert examine(machine(system=BARE, symptoms=failed))["windows-runtime-missing"].severity == "blocker"


@pytest.mark.parametrize(
    "groups",
    [
        {"system": {**BARE, "vc_runtime": "14.40.33810"}},
        {"system": {**BARE, "vc_runtime": None}},
        {"system": {**BARE, "os": "linux"}},
        {"system": BARE, "python": {"environment": "conda"}},
        {"system": BARE, "packages": {"msvc-runtime": "14.40"}},
        {"system": BARE, "torch": {"gpu_available": False}},
    ],
)
def test_there_or_not_known(examine: Examine, machine: Machine, groups: dict[str, Any]) -> None:
    assert "windows-runtime-missing" not in examine(machine(**groups))
