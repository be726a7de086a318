"""What an installer said of wheels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from torchdoctor.matrix.verdict import Finding

Examine = Callable[..., dict[str, Finding]]


def _seen(*ids: str, text: str = "the text", **groups: Any) -> dict[str, Any]:
    return {"symptoms": [{"id": id, "text": text, "line": 7} for id in ids], **groups}


@pytest.mark.parametrize(
    ("platform", "machine", "libc", "id"),
    [
        ("manylinux_2_28_x86_64", "x86_64", "2.17", "glibc-too-old"),
        ("manylinux_2_28_x86_64", "x86_64", "2.31", None),
        ("linux_aarch64", "x86_64", "2.31", "no-wheel-for-platform"),
        ("linux_aarch64", None, None, None),
    ],
)
def test_a_refused_wheel(
    examine: Examine, platform: str, machine: str | None, libc: str | None, id: str | None
) -> None:
    found = examine(
        _seen(
            "wheel-refused",
            system={"os": "linux", "machine": machine, "libc_version": libc},
            request={"platform": platform},
        )
    )
    assert {"glibc-too-old", "no-wheel-for-platform"} & set(found) == ({id} if id else set())


def test_free_threaded(examine: Examine) -> None:
    python = {"version": "3.13.8", "free_threaded": True}
    companion = {"python": python, "request": {"package": "torchao", "versions_offered": []}}
    assert examine(companion)["free-threaded-unsupported"].about == "request"
    assert "free-threaded-unsupported" in examine(_seen("torch-c-folder", python=python))
    assert "free-threaded-unsupported" not in examine(
        _seen("torch-c-folder", python={"version": "3.13.8", "free_threaded": False})
    )


def test_pip_left_torch_out_for_another_python(examine: Examine) -> None:
    found = examine(_seen("pip-other-python", text="torch requires Python >=3.11, this is 3.10.12"))
    assert (found["python-unsupported"].severity, found["python-unsupported"].about) == ("blocker", "request")
    assert "requires Python >=3.11" in found["python-unsupported"].detail


@pytest.mark.parametrize(
    ("python", "wheel", "os", "platform", "ids"),
    [
        ("3.12.2", "cp310", "windows", "win_amd64", {"python-unsupported"}),
        ("3.10.11", "cp310", "windows", "linux_x86_64", {"no-wheel-for-platform"}),
        ("3.10.11", "cp310", "windows", "win_amd64", set()),
        (None, "cp310", None, "linux_x86_64", set()),
        ("3.10", "cp310", "linux", "manylinux_2_28_x86_64", set()),
    ],
)
def test_a_wheel_of_another_python_or_system(
    examine: Examine, python: str | None, wheel: str, os: str | None, platform: str, ids: set[str]
) -> None:
    profile = _seen(
        "wheel-refused",
        python={"version": python},
        system={"os": os},
        request={"package": "torch", "python": wheel, "platform": platform},
    )
    assert {"python-unsupported", "no-wheel-for-platform"} & set(examine(profile)) == ids


@pytest.mark.parametrize(
    ("id", "text", "found"),
    [
        ("uv-no-tag", "Because all versions of torchcodec have no wheels with a matching Python ABI tag (e.g., `cp314t`)", True),
        ("uv-abi-hint", "hint: You're using CPython 3.14 (`cp314t`), but `torchcodec` (v0.9.1) only has wheels with the following Python ABI tags: `cp314`", True),
        ("uv-no-tag", "Because all versions of pyside6 have no wheels with a matching Python ABI tag (e.g., `cp314t`)", False),
    ],
)  # fmt: skip
def test_a_companion_without_a_free_threaded_wheel(examine: Examine, id: str, text: str, found: bool) -> None:
    profile = _seen(id, text=text, python={"version": "3.14.0", "free_threaded": True})
    assert ("free-threaded-unsupported" in examine(profile)) is found
    profile["python"]["free_threaded"] = False
    assert "free-threaded-unsupported" not in examine(profile)
