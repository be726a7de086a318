"""The ptxas inside triton and the GPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from torchdoctor.matrix.checks.compile import bundled_ptxas
from torchdoctor.matrix.verdict import Finding

Examine = Callable[..., dict[str, Finding]]
Machine = Callable[..., dict[str, Any]]


@pytest.mark.parametrize(
    ("capability", "triton", "fault"),
    [
        ("12.1", "3.5.0", True),
        ("10.3", "3.4.0", True),
        ("11.0", "3.6.0", True),
        ("12.1", "3.6.0", False),
        ("12.0", "3.3.1", False),
        ("12.0", "3.2.0", True),
        ("11.0", "3.7.1", False),
        ("12.1", "3.9.0", False),
        ("9.0", "3.1.0", False),
        ("12.1", "rubbish", False),
    ],
)
def test_ptxas(examine: Examine, machine: Machine, capability: str, triton: str, fault: bool) -> None:
    gpu = {"vendor": "nvidia", "name": "GPU", "compute_capability": capability}
    found = examine(machine(gpus=[gpu], packages={"triton": triton}))
    assert ("triton-ptxas-too-old" in found) is fault
    if fault:
        assert found["triton-ptxas-too-old"].severity == "warning"


def test_a_failed_compilation_is_a_blocker(examine: Examine, machine: Machine) -> None:
    gpu = {"vendor": "nvidia", "compute_capability": "12.1"}
    failed = [{"id": "ptxas-unknown-arch", "text": "ptxas fatal : Value 'sm_121a' is not defined", "line": 3}]
    found = examine(machine(gpus=[gpu], packages={"triton": "3.5.0"}, symptoms=failed))
    assert found["triton-ptxas-too-old"].severity == "blocker"


def test_another_ptxas_is_named(examine: Examine, machine: Machine) -> None:
    gpu = {"vendor": "nvidia", "compute_capability": "12.1"}
    environment = {"TRITON_PTXAS_PATH": "/usr/local/cuda/bin/ptxas"}
    assert "triton-ptxas-too-old" not in examine(
        machine(gpus=[gpu], packages={"triton": "3.5.0"}, environment=environment)
    )
    assert "triton-ptxas-too-old" not in examine(machine(gpus=[gpu], packages={}))


@pytest.mark.parametrize(
    ("version", "cuda"),
    [("3.5.0+git7416ffcb", "12.8"), ("3.6.0", "12.9"), ("3.7.1", "13.0"), ("3.8.0", None), ("2.1.0", None), ("", None)],
)
def test_bundled(version: str, cuda: str | None) -> None:
    assert bundled_ptxas(version) == cuda
