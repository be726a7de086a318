"""/dev/shm of containers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from torchdoctor.matrix.verdict import Finding

Examine = Callable[..., dict[str, Finding]]
Machine = Callable[..., dict[str, Any]]
BUS = [{"id": "bus-error-worker", "text": "Unexpected bus error", "line": 1}]


@pytest.mark.parametrize(
    ("container", "size", "symptoms", "severity"),
    [
        ("docker", 67108864, [], "note"),
        ("docker", 67108864, BUS, "blocker"),
        ("docker", 8 << 30, [], None),
        ("docker", None, [], None),
        ("docker", 8 << 30, BUS, None),
        ("", 67108864, [], None),
    ],
)
def test_shm(
    examine: Examine, machine: Machine, container: str, size: int | None, symptoms: list[Any], severity: str | None
) -> None:
    profile = machine(system={"container": container}, gpus=[], drivers={}, resources={"shm": size}, symptoms=symptoms)
    found = examine(profile).get("shm-too-small")
    assert (found.severity if found else None) == severity


def test_kubernetes_has_no_shm_option(examine: Examine, machine: Machine) -> None:
    found = examine(machine(system={"container": "kubernetes"}, gpus=[], drivers={}, resources={"shm": 67108864}))
    assert "emptyDir" in found["shm-too-small"].fix[0]
