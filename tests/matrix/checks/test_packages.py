from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Examine = Callable[..., Any]
Machine = Callable[..., dict[str, Any]]


@pytest.mark.parametrize(
    ("torch", "os", "available", "found"),
    [
        ("2.6.0+cpu", "windows", None, True),
        ("2.7.1+cpu", "windows", None, False),
        ("2.6.0+cpu", "windows", False, False),  # it was loaded, so it is of this interpreter
    ],
)
def test_a_torch_that_was_never_published_for_free_threading(
    examine: Examine, machine: Machine, torch: str, os: str, available: bool | None, found: bool
) -> None:
    profile = machine(
        system={"os": os, "machine": "x86_64"},
        python={"implementation": "cpython", "version": "3.13.0", "free_threaded": True, "machine": "x86_64"},
        gpus=[],
        torch={"version": torch, "variant": "cpu", "gpu_available": available},
    )
    assert ("free-threaded-unsupported" in examine(profile)) is found
