"""What a package said when it was loaded beside torch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from torchdoctor.matrix.verdict import Finding

Examine = Callable[..., dict[str, Finding]]


def _seen(id: str, text: str = "the text", **groups: Any) -> dict[str, Any]:
    return {"symptoms": [{"id": id, "text": text, "line": 7}], **groups}


@pytest.mark.parametrize(("sees", "found"), [(None, True), (False, True), (True, False)])
def test_a_loader_older_than_the_adapter(examine: Examine, sees: bool | None, found: bool) -> None:
    profile = _seen("undefined-symbol-level-zero", torch={"version": "2.9.0+xpu", "gpu_available": sees})
    assert ("xpu-driver-mismatch" in examine(profile)) == found


def test_a_library_of_an_installed_oneapi(examine: Examine) -> None:
    found = examine(_seen("oneapi-library-version"))["xpu-oneapi-conflict"]
    assert (found.severity, found.lies_in) == ("blocker", "environment")
    assert "setvars.sh" in found.fix[0]


@pytest.mark.parametrize(
    ("groups", "found"),
    [
        ({"torch": {"version": "2.5.1+cu124"}}, True),
        ({}, True),
        # They pair: the cause is another one.
        ({"torch": {"version": "2.5.1+cu124"}, "packages": {"torchvision": "0.20.1+cu124"}}, False),
        ({"torch": {"version": "2.5.1", "origin": "vendor"}}, False),
    ],
)
def test_operators_that_did_not_register(examine: Examine, groups: dict[str, Any], found: bool) -> None:
    assert ("companion-mismatch" in examine(_seen("torchvision-operator", **groups))) == found


def test_xformers_without_an_operator_blames_the_gpu_only_where_it_is_named(examine: Examine) -> None:
    alone = examine(_seen("xformers-gpu-too-new"))
    assert "downstream-arch-missing" not in alone
    both = {
        "symptoms": [
            {"id": "xformers-no-operator", "text": "no operator"},
            {"id": "xformers-gpu-too-new", "text": "requires device with capability <= (9, 0)"},
        ]
    }
    assert examine(both)["downstream-arch-missing"].evidence[0].fact == "symptoms[1]"


def test_a_build_in_isolation_is_no_second_interpreter(examine: Examine) -> None:
    rows = [
        {"id": "no-module-torch", "text": "No module named 'torch'"},
        {"id": "torch-location", "text": "Location: /x"},
    ]
    assert "wrong-interpreter" in examine({"symptoms": rows})
    assert "wrong-interpreter" not in examine({"symptoms": rows[:1]})
    elsewhere = {"id": "torch-of-another-interpreter", "text": "No module named 'torch'"}
    assert "wrong-interpreter" in examine({"symptoms": [rows[0], elsewhere]})
    assert "wrong-interpreter" not in examine({"symptoms": [*rows, {"id": "build-isolation", "text": "overlay"}]})


@pytest.mark.parametrize(("wsl", "sees", "found"), [(2, False, True), (2, None, False), (0, False, False)])
def test_a_linux_driver_inside_wsl(examine: Examine, wsl: int, sees: bool | None, found: bool) -> None:
    profile = _seen("libcuda-of-linux-driver", system={"os": "linux", "wsl": wsl}, torch={"gpu_available": sees})
    assert ("wsl-driver-not-visible" in examine(profile)) == found


@pytest.mark.parametrize(
    ("ids", "wsl", "found"),
    [
        (("linux-driver-package", "nvidia-smi-failed"), 2, True),
        (("libcuda-of-linux-driver", "nvidia-smi-failed"), 2, True),
        (("linux-driver-package",), 2, False),
        (("linux-driver-package", "nvidia-smi-failed"), 0, False),
    ],
)
def test_a_linux_driver_installed_inside_wsl(examine: Examine, ids: tuple[str, ...], wsl: int, found: bool) -> None:
    profile = {"symptoms": [{"id": id, "text": id, "line": 7} for id in ids], "system": {"os": "linux", "wsl": wsl}}
    assert ("wsl-driver-not-visible" in examine(profile)) is found
