"""A libcuda newer than the driver: whose, and what it is good for."""

from __future__ import annotations

from typing import Any

import pytest
from torchdoctor.matrix.case import Asked
from torchdoctor.matrix.forward_compat import compat_allowed, spoken_major
from torchdoctor.matrix.judge import judge
from torchdoctor.probes.facts import Facts, Gpu
from torchdoctor.probes.profile import facts_from_mapping

A100 = {"vendor": "nvidia", "name": "NVIDIA A100-SXM4-80GB", "compute_capability": "8.0", "integrated": False}
GEFORCE = {"vendor": "nvidia", "name": "NVIDIA GeForce RTX 4090", "compute_capability": "8.9", "integrated": False}


def made(gpus: list[dict[str, Any]], container: str = "docker", wsl: int = 0, **driver: str) -> Facts:
    return facts_from_mapping(
        {
            "system": {
                "os": "linux",
                "name": "Ubuntu",
                "version": "24.04",
                "machine": "x86_64",
                "libc": "glibc",
                "libc_version": "2.39",
                "container": container,
                "wsl": wsl,
            },
            "python": {"implementation": "cpython", "version": "3.12.4", "bits": 64, "machine": "x86_64"},
            "gpus": gpus,
            "drivers": {"nvidia": driver},
            "packages": {"torch": "2.9.1+cu130"},
            "environment": {},
        }
    )


@pytest.mark.parametrize(
    ("name", "allowed"),
    [
        ("NVIDIA A100-SXM4-80GB", True),
        ("Tesla V100-PCIE-16GB", True),
        ("NVIDIA H100 80GB HBM3", True),
        ("NVIDIA L4", True),
        ("NVIDIA GeForce RTX 3090", False),
        ("NVIDIA TITAN RTX", False),
        ("NVIDIA RTX A6000", None),
        (None, None),
    ],
)
def test_who_may_use_it(name: str | None, allowed: bool | None) -> None:
    assert compat_allowed(Gpu(vendor="nvidia", name=name)) is allowed


@pytest.mark.parametrize(
    ("facts", "major"),
    [
        (made([A100], version="535.161.08", library="580.65.06"), 13),
        (made([A100], version="535.161.08", cuda="13.0"), 13),
        (made([A100], version="535.161.08", cuda="12.2"), None),
        (made([A100], version="580.65.06", cuda="13.0"), None),
        (made([GEFORCE], version="535.161.08", cuda="13.0"), None),
        (made([A100, GEFORCE], version="535.161.08", cuda="13.0"), None),
        (made([A100], container="", version="535.161.08", library="580.65.06"), None),  # no hint of compat: a mismatch
        (made([A100], wsl=2, version="535.161.08", cuda="13.0"), None),
        (made([], version="535.161.08", cuda="13.0"), None),
        (made([A100], cuda="13.0"), None),
    ],
)
def test_what_it_speaks(facts: Facts, major: int | None) -> None:
    assert spoken_major(facts) == major


def test_a_build_of_the_spoken_major_fits() -> None:
    verdict = judge(made([A100], version="535.161.08", library="580.65.06"), Asked()).verdict
    assert verdict.status == "ok"
    assert {f.id for f in verdict.findings if f.severity != "note"} == set()
    assert "cuda-compat-in-use" in {f.id for f in verdict.findings}


def test_without_it_the_driver_is_too_old() -> None:
    verdict = judge(made([A100], version="535.161.08", library="535.161.08"), Asked()).verdict
    assert "driver-too-old" in {f.id for f in verdict.findings if f.severity == "blocker"}


def test_it_teaches_the_driver_no_new_chip() -> None:
    b200 = {"vendor": "nvidia", "name": "NVIDIA B200", "compute_capability": "10.0", "integrated": False}
    verdict = judge(made([b200], version="535.161.08", library="580.65.06"), Asked()).verdict
    assert "driver-too-old" in {f.id for f in verdict.findings if f.severity == "blocker"}
