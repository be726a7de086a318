"""What was asked of an installer, and what came of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from torchdoctor.matrix.verdict import Finding

Examine = Callable[..., dict[str, Finding]]


def _seen(*ids: str, text: str = "the text", **groups: Any) -> dict[str, Any]:
    return {"symptoms": [{"id": id, "text": text, "line": 7} for id in ids], **groups}


def _gpu(cc: str, name: str = "a card") -> dict[str, Any]:
    return {"vendor": "nvidia", "name": name, "compute_capability": cc}


@pytest.mark.parametrize(("asked", "found"), [("2.6", True), ("2.5.1", False), ("2.4", False)])
def test_the_ended_channel(examine: Examine, asked: str, found: bool) -> None:
    assert (
        "conda-channel-ended" in examine(_seen("conda-not-found", "conda-pytorch-channel", request={"torch": asked}))
    ) is found


@pytest.mark.parametrize(
    ("line", "id"),
    [
        (
            "torch 2.6.0+xpu requires intel-sycl-rt==2025.0.2, but you have intel-sycl-rt 2025.0.4",
            "xpu-oneapi-conflict",
        ),
        ("torch 2.6.0 requires triton==3.2.0, but you have triton 3.3.0", "companion-mismatch"),
        ("torch 2.6.0 requires sympy==1.13.1, but you have sympy 1.12", None),
    ],
)
def test_what_torch_itself_requires(examine: Examine, line: str, id: str | None) -> None:
    assert {"xpu-oneapi-conflict", "companion-mismatch"} & set(examine(_seen("conflict-of-torch", text=line))) == (
        {id} if id else set()
    )


def test_a_cpu_build_where_a_gpu_build_was_asked_for(examine: Examine) -> None:
    profile = {
        "torch": {"version": "1.10.0", "variant": "cpu"},
        "request": {"variant": "cu101"},
        "system": {"os": "windows"},
    }
    assert "wrong-variant" in examine(profile)
    assert "wrong-variant" not in examine({**profile, "request": {"variant": "cpu"}})
    assert "wrong-variant" not in examine({**profile, "system": {"os": "macos"}})
    grace = _seen("no-cuda-packages", gpus=[_gpu("10.0", "NVIDIA GB200")], system={"os": "linux", "machine": "aarch64"})
    assert "wrong-variant" in examine(grace)


@pytest.mark.parametrize(
    ("library", "id"),
    [
        ("libtorch_cuda.so", "downstream-abi-mismatch"),
        ("libmkl_sycl.so.3", "xpu-oneapi-missing"),
        ("libgomp.so.1", None),
    ],
)
def test_missing_libraries(examine: Examine, library: str, id: str | None) -> None:
    found = examine(_seen("missing-library", text=f"ImportError: {library}: cannot open shared object file"))
    assert {"downstream-abi-mismatch", "xpu-oneapi-missing"} & set(found) == ({id} if id else set())


@pytest.mark.parametrize(
    ("variant", "sees", "driver", "found"),
    [("cpu", False, "550.54.15", True), ("cpu", None, "550.54.15", False), ("cpu", False, None, False), ("cu124", False, "550.54.15", False)],
)  # fmt: skip
def test_the_index_of_cpu_builds_was_asked(
    examine: Examine, variant: str, sees: bool | None, driver: str | None, found: bool
) -> None:
    profile = {
        "gpus": [_gpu("8.9", "NVIDIA L4")],
        "drivers": {"nvidia": {"version": driver}},
        "torch": {"gpu_available": sees},
        "request": {"package": "torch", "torch": "2.6.0", "variant": variant},
    }
    assert ("wrong-variant" in examine(profile)) is found
