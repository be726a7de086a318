"""What an installer said: which index, wheel or requirement was at fault."""

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


def _uv(package: str, index: str = "https://download.pytorch.org/whl/cu124") -> str:
    return f"error: Distribution `{package} @ registry+{index}` can't be installed because it doesn't have a source distribution"


def test_uv_took_the_plain_one(examine: Examine) -> None:
    profile: dict[str, Any] = {
        "symptoms": [
            {"id": "uv-no-wheel", "text": _uv("torch==2.5.1"), "line": 1},
            {
                "id": "uv-platform-hint",
                "text": "hint: You're on Windows (`win_amd64`), but `torch` (v2.5.1) only has wheels for `linux_aarch64`",
                "line": 2,
            },
        ],
        "system": {"os": "windows", "machine": "x86_64"},
        "request": {"torch": "2.5.1", "variant": "cu124", "index": "https://download.pytorch.org/whl/cu124"},
    }
    assert examine(profile)["index-configuration"].lies_in == "environment"
    del profile["symptoms"][1]  # without the hint the reason is not known
    assert "index-configuration" not in examine(profile)


@pytest.mark.parametrize(
    ("package", "libc", "found"),
    [
        ("markupsafe==3.0.2", "glibc", True),
        ("nvidia-cublas-cu12==12.4.5.8", "glibc", False),
        ("markupsafe==3.0.2", "musl", False),
    ],
)
def test_everything_was_taken_from_the_index_of_torch(examine: Examine, package: str, libc: str, found: bool) -> None:
    profile = _seen("uv-no-wheel-other", text=_uv(package), system={"os": "linux", "libc": libc})
    assert ("index-configuration" in examine(profile)) is found


def _pip(
    os: str | None, index: str | None, offered: list[str], torch: str = "2.4.0", variant: str | None = "cu121"
) -> dict[str, Any]:
    return _seen(
        "pip-no-version",
        system={"os": os},
        request={"torch": torch, "variant": variant, "index": index, "versions_offered": offered, "package": "torch"},
    )


@pytest.mark.parametrize(
    ("profile", "ids"),
    [
        (_pip("linux", None, ["2.3.1", "2.4.0"]), {"index-configuration"}),
        (_pip(None, None, ["2.3.1", "2.4.0"]), {"index-configuration"}),
        (_pip("macos", None, ["2.3.1", "2.4.0"]), {"no-wheel-for-platform"}),
        (
            _pip("linux", "https://download.pytorch.org/whl/torch_stable.html", ["2.3.1", "2.4.0"]),
            {"no-wheel-for-platform"},
        ),
        (_pip("linux", None, ["2.3.1", "2.4.0", "2.4.0+cpu"]), set()),
        (_pip("linux", None, ["2.3.1"]), set()),
    ],
)
def test_a_local_version_that_was_not_offered(examine: Examine, profile: dict[str, Any], ids: set[str]) -> None:
    assert {"index-configuration", "no-wheel-for-platform"} & set(examine(profile)) == ids


def test_the_default_index_serves_no_windows_on_arm(examine: Examine) -> None:
    profile = _seen(
        "pip-no-version",
        system={"os": "windows", "machine": "aarch64"},
        request={"versions_offered": [], "package": "torch"},
    )
    assert "no-wheel-for-platform" in examine(profile)
    profile["system"]["machine"] = "x86_64"
    assert "no-wheel-for-platform" not in examine(profile)


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
    ("name", "url", "found"),
    [
        ("requests", "https://download.pytorch.org/whl/cu124", True),
        ("setuptools", "https://download.pytorch.org/whl/cpu", True),
        ("torch", "https://download.pytorch.org/whl/cu124", False),
        ("nvidia-cublas-cu12", "https://download.pytorch.org/whl/cu124", False),
        ("acme-utils", "https://mirror.example/simple", False),
    ],
)
def test_uv_stops_at_the_index_of_torch(examine: Examine, name: str, url: str, found: bool) -> None:
    text = f"hint: `{name}` was found on {url}, but not at the requested version ({name}>=2)."
    assert ("index-configuration" in examine(_seen("uv-first-index", text=text))) is found


def test_pip_left_torch_out_for_another_python(examine: Examine) -> None:
    found = examine(_seen("pip-other-python", text="torch requires Python >=3.11, this is 3.10.12"))
    assert (found["python-unsupported"].severity, found["python-unsupported"].about) == ("blocker", "request")
    assert "requires Python >=3.11" in found["python-unsupported"].detail


@pytest.mark.parametrize(
    ("os", "machine", "index", "said"),
    [
        ("linux", "s390x", None, "Linux on s390x"),
        ("windows", "aarch64", None, "Windows on Arm"),
        ("linux", "s390x", "https://download.pytorch.org/whl/cpu", None),
        ("linux", "x86_64", None, None),
    ],
)
def test_only_another_index_serves_the_platform(
    examine: Examine, os: str, machine: str, index: str | None, said: str | None
) -> None:
    profile = _seen(
        "pip-no-version",
        system={"os": os, "machine": machine},
        request={"package": "torch", "versions_offered": [], "index": index},
    )
    found = examine(profile).get("no-wheel-for-platform")
    assert (found is not None and f"for {said}." in found.detail) is (said is not None)


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


@pytest.mark.parametrize(
    ("id", "text", "os", "found"),
    [
        ("poetry-no-candidate", "Unable to find installation candidates for torch (2.5.1+cpu)", "macos", True),
        ("uv-no-wheel", _uv("torch==2.3.1+cpu"), "macos", True),
        ("uv-no-wheel", _uv("torch==2.3.1"), "macos", False),
        ("uv-no-wheel", _uv("torch==2.8.0+cu128"), "macos", False),
        ("poetry-no-candidate", "Unable to find installation candidates for torch (2.5.1+cpu)", "linux", False),
    ],
)
def test_wheels_for_macos_have_no_local_version(examine: Examine, id: str, text: str, os: str, found: bool) -> None:
    assert ("index-configuration" in examine(_seen(id, text=text, system={"os": os}))) is found


@pytest.mark.parametrize(
    ("torch", "variant", "index", "found"),
    [
        ("2.6.0", "cpu", "https://download.pytorch.org/whl/cu124", True),
        ("==2.6.0", "cu126", "https://download.pytorch.org/whl/cu124", True),
        ("2.6.0", "cu124", "https://download.pytorch.org/whl/cu124", False),
        ("2.6.0", "cu121", "https://download.pytorch.org/whl/cu124", False),  # that pair was never published
    ],
)
def test_the_index_of_another_variant(examine: Examine, torch: str, variant: str, index: str, found: bool) -> None:
    for id in ("pip-no-version", "poetry-no-version", "uv-no-local-version"):
        profile = _seen(id, request={"torch": torch, "variant": variant, "index": index}, system={"os": "linux"})
        assert ("index-configuration" in examine(profile)) is found
