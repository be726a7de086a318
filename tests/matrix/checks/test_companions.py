from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from torchdoctor.matrix.verdict import Finding

Examine = Callable[..., dict[str, Finding]]
Machine = Callable[..., dict[str, Any]]


@pytest.mark.parametrize(
    ("packages", "severity"),
    [
        ({"torch": "2.5.1+cu124", "torchvision": "0.20.1+cu124"}, None),
        ({"torch": "2.5.1+cu124", "torchvision": "0.19.0+cu124"}, "blocker"),
        ({"torch": "2.5.0+cu124", "torchvision": "0.20.1+cu124"}, "warning"),  # a patch of the same line
        ({"torch": "2.5.1+cu124", "torchvision": "0.20.1+cpu"}, "blocker"),
        ({"torch": "2.5.1+cu124", "torchvision": "0.20.1+cu121"}, None),  # majors count since 0.16
        ({"torch": "1.13.1+cu117", "torchvision": "0.14.1+cu116"}, "blocker"),
        ({"torch": "2.5.1+cu124", "torchvision": "0.20.1+cu118"}, "blocker"),
        ({"torch": "2.5.1+rocm6.2", "torchaudio": "2.5.1+rocm6.1"}, "warning"),
        ({"torch": "2.14.1+cpu", "torchaudio": "2.11.1"}, None),
        ({"torch": "2.10.0+cpu", "torchaudio": "2.11.1"}, "blocker"),  # open upwards only
        ({"torch": "2.5.1+cu124", "torchvision": "99.0"}, None),  # nothing is known of it
        ({"torch": "1.9.0", "torchvision": "0.10.0"}, None),  # both older than the matrix
    ],
)
def test_what_pairs_with_torch(
    examine: Examine, machine: Machine, packages: dict[str, str], severity: str | None
) -> None:
    found = examine(machine(packages=packages)).get("companion-mismatch")
    assert (found.severity if found else None) == severity


def test_a_cpu_companion_without_a_gpu_works_but_for_the_gpu(examine: Examine, machine: Machine) -> None:
    packages = {"torch": "2.5.1+cu124", "torchvision": "0.20.1+cpu"}
    assert examine(machine(packages=packages, gpus=[]))["companion-mismatch"].severity == "warning"


def test_one_command_puts_all_right(examine: Examine, machine: Machine) -> None:
    packages = {"torch": "2.5.1+cu121", "torchvision": "0.19.0", "torchaudio": "2.4.0"}
    assert examine(machine(packages=packages))["companion-mismatch"].fix == (
        "pip install torch==2.5.1 torchvision==0.20.1 torchaudio==2.5.1 --index-url https://download.pytorch.org/whl/cu121",
    )


@pytest.mark.parametrize("origin", ["vendor", "source", "conda", "editable"])
def test_a_build_with_companions_of_its_own_is_left_alone(examine: Examine, machine: Machine, origin: str) -> None:
    groups = {"torch": {"version": "2.5.1", "origin": origin}, "packages": {"torch": "2.5.1", "torchvision": "0.19.0"}}
    assert "companion-mismatch" not in examine(machine(**groups))


@pytest.mark.parametrize(
    ("triton", "found"), [("3.1.0", False), ("3.2.0", True), ("3.1.0+git1234", False), ("3.2.0a1", False)]
)
def test_triton_is_pinned_by_torch(examine: Examine, machine: Machine, triton: str, found: bool) -> None:
    packages = {"torch": "2.5.1+cu124", "triton": triton}
    assert ("companion-mismatch" in examine(machine(packages=packages))) == found
    # torch for the CPU brings none: whatever is there is somebody else's.
    assert "companion-mismatch" not in examine(machine(packages={**packages, "torch": "2.5.1+cpu"}))


@pytest.mark.parametrize(
    ("torch", "version", "severity"),
    [("2.6.0+cpu", "0.2.1", None), ("2.6.0+cpu", "0.5.0", "warning"), ("2.15.0+cpu", "0.1.0", None)],
)
def test_torchcodec_follows_the_line(
    examine: Examine, machine: Machine, torch: str, version: str, severity: str | None
) -> None:
    found = examine(machine(packages={"torch": torch, "torchcodec": version})).get("companion-mismatch")
    assert (found.severity if found else None) == severity


@pytest.mark.parametrize(("version", "found"), [("2.5.10+xpu", False), ("2.4.0", True), ("unknown", False)])
def test_intels_extension_follows_the_line(examine: Examine, machine: Machine, version: str, found: bool) -> None:
    packages = {"torch": "2.5.1+xpu", "intel-extension-for-pytorch": version}
    assert ("ipex-version-mismatch" in examine(machine(packages=packages))) == found
