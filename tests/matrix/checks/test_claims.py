"""Names against ids, torch's own advice against the matrix."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from torchdoctor.matrix.verdict import Finding

Examine = Callable[..., dict[str, Finding]]
Machine = Callable[..., dict[str, Any]]


@pytest.mark.parametrize(
    ("gpu", "wrong"),
    [
        ({"vendor": "intel", "name": "Intel Arc B580", "pci_id": "8086:b080"}, True),
        ({"vendor": "intel", "name": "Intel Arc B580", "pci_id": "8086:e20b"}, False),
        ({"vendor": "nvidia", "name": "NVIDIA GeForce RTX 4090", "pci_id": "10de:1b06"}, True),
        ({"vendor": "nvidia", "name": "NVIDIA GeForce RTX 4090", "pci_id": "10de:2684"}, False),
        ({"vendor": "nvidia", "name": "NVIDIA GeForce RTX 4090", "pci_id": "10de:ffff"}, False),
        ({"vendor": "nvidia", "name": "some card", "pci_id": "10de:2684"}, False),
        ({"vendor": "nvidia", "name": "NVIDIA GeForce RTX 4090"}, False),
    ],
)
def test_name_against_id(examine: Examine, machine: Machine, gpu: dict[str, Any], wrong: bool) -> None:
    found = examine(machine(gpus=[gpu], drivers={}))
    assert ("claim-contradicts-report" in found) is wrong
    if wrong:
        assert found["claim-contradicts-report"].severity == "note"


@pytest.mark.parametrize(
    ("capability", "advice", "wrong"),
    [
        ("6.1", "12.6, 12.8", False),  # cu126 has Pascal
        ("6.1", "13.0, 13.2", True),
        ("12.0", "11.8", True),
        ("8.9", "12.6", False),
        (None, "13.0", False),
        ("6.1", "none", False),
    ],
)
def test_cuda_advice(examine: Examine, machine: Machine, capability: str | None, advice: str, wrong: bool) -> None:
    seen = [{"id": "torch-advice", "text": advice, "line": 4}]
    gpu = {"vendor": "nvidia", "name": "GPU", "compute_capability": capability}
    found = examine(machine(gpus=[gpu], packages={"torch": "2.11.0+cu128"}, symptoms=seen))
    assert ("torch-advice-wrong" in found) is wrong


@pytest.mark.parametrize(
    ("torch", "macos", "printed", "wrong"),
    [
        ("2.10.0", "26.3.1", "14.0", True),  # new enough: something else is wrong
        ("2.10.0", "13.6", "14.0", False),
        ("2.10.0", "13.6", "12.3", True),  # the release needs 14
        ("2.10.0", None, "14.0", False),
    ],
)
def test_macos_advice(examine: Examine, torch: str, macos: str | None, printed: str, wrong: bool) -> None:
    text = f"RuntimeError: The MPS backend is supported on macOS {printed}+."
    profile = {
        "system": {"os": "macos", "version": macos, "machine": "aarch64"},
        "packages": {"torch": torch},
        "symptoms": [{"id": "mps-backend-supported-on", "text": text, "line": 1}],
    }
    assert ("torch-advice-wrong" in examine(profile)) is wrong
