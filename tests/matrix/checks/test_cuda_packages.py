from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from torchdoctor.matrix.checks.cuda_packages import loaded_majors, required_majors
from torchdoctor.matrix.verdict import Finding

Examine = Callable[..., dict[str, Finding]]
Machine = Callable[..., dict[str, Any]]

TORCH = {"torch": "2.8.0+cu128"}
CUDNN = {"nvidia-cudnn-cu12": "9.10.2.21"}


def test_the_majors_a_distribution_requires() -> None:
    required = ("nvidia-cublas-cu11 ; platform_system == 'Linux'", "cupy-cuda12x>=13", "numpy", "nvidia-cudnn-cu1x")
    assert required_majors(required) == {11, 12}
    assert required_majors(("nvidia-cublas-cu13 ; platform_machine == 'aarch64'",)) == set()  # perhaps not this machine
    assert required_majors(None) == set()


def test_the_majors_whose_libraries_are_loaded() -> None:
    assert loaded_majors(("libcudart.so.12", "libcublasLt.so.11", "libcudnn.so.9", "libc.so.6")) == {11, 12}
    assert loaded_majors(("libcudart.so.110", "libcudart.so")) == set()
    assert loaded_majors(None) == set()


@pytest.mark.parametrize(
    ("packages", "found"),
    [
        ({**TORCH, **CUDNN, "nvidia-cudnn-cu11": "8.9"}, True),
        ({**TORCH, **CUDNN, "nvidia-cublas-cu11": "11.10"}, False),  # nothing of one folder
        ({**TORCH, **CUDNN}, False),
        ({"torch": "2.8.0+cpu", **CUDNN, "nvidia-cudnn-cu11": "8.9"}, False),
    ],
)
def test_two_packages_that_unpack_into_one_folder(
    examine: Examine, machine: Machine, packages: dict[str, str], found: bool
) -> None:
    finding = examine(machine(packages=packages)).get("mixed-cuda-major")
    assert (finding is not None and finding.severity == "warning") == found
    if found:
        assert finding is not None
        assert finding.fix == (
            "pip uninstall -y nvidia-cudnn-cu11",
            "pip install --force-reinstall --no-deps nvidia-cudnn-cu12==9.10.2.21",
        )


@pytest.mark.parametrize(
    ("row", "severity"),
    [
        ({"needs": ["libcudart.so.11"]}, "blocker"),  # and nothing there brings it
        ({"needs": ["libcudart.so.11", "libcudart.so.12"]}, None),
        ({"needs": ["libcudart.so.12"]}, None),
        ({"requires": ["nvidia-cublas-cu11"]}, None),  # required, and not installed
    ],
)
def test_what_an_extension_asks_for(
    examine: Examine, machine: Machine, row: dict[str, Any], severity: str | None
) -> None:
    rows = [{"name": "thing", "version": "1.0", **row}]
    found = examine(machine(packages=TORCH, distributions=rows)).get("mixed-cuda-major")
    assert (found.severity if found else None) == severity


@pytest.mark.parametrize(
    ("name", "found"),
    [("cupy-cuda11x", True), ("cupy-cuda12x", False), ("nvidia-cublas-cu11", False), ("thing-cu", False)],
)
def test_a_name_of_another_major_is_a_note(examine: Examine, machine: Machine, name: str, found: bool) -> None:
    finding = examine(machine(packages={**TORCH, name: "13.0"})).get("mixed-cuda-major")
    assert (finding.severity if finding else None) == ("note" if found else None)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("ImportError: libcudart.so.11.0: cannot open shared object file", True),
        ("ImportError: libcudart.so.12: cannot open shared object file", False),
        ("ImportError: libGL.so.1: cannot open shared object file", False),
    ],
)
def test_the_run_time_of_another_major_that_is_missing(
    examine: Examine, machine: Machine, text: str, found: bool
) -> None:
    findings = examine(machine(packages=TORCH, symptoms=[{"id": "library-missing", "text": text}]))
    ours = {id for id in ("mixed-cuda-major", "downstream-abi-mismatch") if id in findings}
    assert ours == ({"mixed-cuda-major", "downstream-abi-mismatch"} if found else set())


def test_a_build_that_is_known_by_its_cuda_alone(examine: Examine) -> None:
    text = "ImportError: libcudart.so.12: cannot open shared object file: No such file or directory"
    profile = {"torch": {"variant": "cu130"}, "symptoms": [{"id": "missing-library", "text": text}]}
    assert {"mixed-cuda-major", "downstream-abi-mismatch"} <= set(examine(profile))
    assert "mixed-cuda-major" not in examine({**profile, "torch": {"variant": "cu128"}})
