"""Findings that an error text proves: each rule fires on its text, names it, and keeps still where something speaks against it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from torchdoctor.matrix.checks.symptoms import PROOFS
from torchdoctor.matrix.verdict import Finding

Examine = Callable[..., dict[str, Finding]]
Machine = Callable[..., dict[str, Any]]


def _seen(*ids: str, text: str = "the text", **groups: Any) -> dict[str, Any]:
    return {"symptoms": [{"id": id, "text": text, "line": 7} for id in ids], **groups}


_NEEDS: dict[str, dict[str, Any]] = {
    "windows-runtime-missing": _seen("winerror-126", text=r"Error loading C:\x\torch\lib\fbgemm.dll"),
    "downstream-arch-missing": _seen("bnb-library-missing", text="libbitsandbytes_cuda121_nocublaslt.so"),
    "wsl-libraries-missing": _seen("wsl-libraries-missing", system={"os": "linux", "wsl": 2}),
    "libcuda-not-found": _seen("libcuda-not-found", system={"os": "linux", "wsl": 2}),
    "mps-not-built": _seen("mps-not-built", system={"os": "macos", "machine": "aarch64"}, cpu={"model": "Apple M1"}),
    "nvidia-smi-not-found": _seen(
        "nvidia-smi-not-found",
        system={"os": "linux"},
        torch={"version": "2.6.0+cu124", "gpu_available": False},
        gpus=[{"vendor": "nvidia", "name": "GeForce RTX 3060", "pci_id": "10de:2503"}],
    ),
}


@pytest.mark.parametrize("proof", PROOFS, ids=lambda p: f"{p.finding} {p.symptoms[0]}")
def test_each_rule_fires_and_names_the_line(examine: Examine, proof: Any) -> None:
    profile = _NEEDS.get(proof.finding) or _NEEDS.get(proof.symptoms[0]) or _seen(proof.symptoms[0])
    if proof.symptoms == ("found-no-nvidia-driver",):
        profile = _seen("found-no-nvidia-driver", "docker-run-without-gpu")
    found = examine(profile)[proof.finding]
    assert found.severity == "blocker"
    assert any(e.fact.startswith("symptoms[") for e in found.evidence)
    assert found.fix and found.detail


@pytest.mark.parametrize(
    ("profile", "id"),
    [
        (_seen("cuda-error-802", torch={"version": "2.9.0+cu130", "gpu_available": True}), "fabric-manager-not-ready"),
        (_seen("driver-too-old-text", torch={"version": "2.9.0+cu130", "gpu_available": True}), "driver-too-old"),
        (_seen("nvidia-smi-failed", system={"os": "linux", "container": "docker"}), "driver-not-loaded"),
        (_seen("nvidia-smi-failed", system={"os": "linux", "wsl": 2}), "driver-not-loaded"),
        (_seen("bus-error-worker", resources={"shm": 254 * 2**30}), "shm-too-small"),
        (_seen("found-no-nvidia-driver"), "container-no-gpu"),
        (_seen("winerror-1114", text="Error loading torch\\lib\\cublas64_11.dll"), "windows-runtime-missing"),
        (_seen("bnb-library-missing", text="libbitsandbytes_cuda121.so"), "downstream-arch-missing"),
    ],
)
def test_what_speaks_against_a_rule(examine: Examine, profile: dict[str, Any], id: str) -> None:
    assert id not in examine(profile)


def test_a_driver_before_cuda_11_has_no_wheel_as_its_cure(examine: Examine) -> None:
    old = examine(_seen("driver-too-old-text", drivers={"nvidia": {"cuda": "10.2"}}))["driver-too-old"]
    new = examine(_seen("driver-too-old-text", drivers={"nvidia": {"cuda": "12.2"}}))["driver-too-old"]
    assert (old.lies_in, new.lies_in) == ("system", "packages")


def test_missing_code_outweighs_missing_atomics(examine: Examine) -> None:
    amd: dict[str, Any] = {"gpus": [{"vendor": "amd", "name": "Radeon VII", "gfx": "gfx906"}]}
    assert examine(_seen("pcie-atomics", **amd))["pcie-atomics-missing"].severity == "blocker"
    assert examine(_seen("pcie-atomics", "hip-invalid-function", **amd))["pcie-atomics-missing"].severity == "warning"


def test_nothing_seen_is_nothing_found(examine: Examine, machine: Machine) -> None:
    ids = {p.finding for p in PROOFS}
    assert not ids & {id for id, f in examine(machine()).items() if f.severity != "note"}
