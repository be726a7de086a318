"""Where an installer looked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from torchdoctor.matrix.verdict import Finding

Examine = Callable[..., dict[str, Finding]]
LINUX = {"os": "linux", "machine": "x86_64"}


def _seen(*ids: str, text: str = "the text", **groups: Any) -> dict[str, Any]:
    return {"symptoms": [{"id": id, "text": text, "line": 7} for id in ids], **groups}


def test_everything_was_looked_for_on_torchs_index(examine: Examine) -> None:
    found = examine(_seen("pip-other-on-torch-index", system=LINUX))["index-configuration"]
    assert (found.severity, found.about) == ("blocker", "request")
    assert "second command" in found.fix[0]


@pytest.mark.parametrize(
    ("request_", "found"),
    [
        ({"torch": "2.5.1", "variant": "cu124"}, True),
        ({"torch": "2.5.1", "variant": "cu124", "index": "https://download.pytorch.org/whl/cu124"}, False),
        ({"torch": "2.5.1", "variant": "cu199"}, False),  # that was never published
        ({"torch": "2.5.1"}, False),
        ({"torch": ">=2.5", "variant": "cu124"}, False),
    ],
)
def test_a_local_version_on_an_index_that_carries_none(examine: Examine, request_: dict[str, str], found: bool) -> None:
    findings = examine(_seen("uv-no-local-version", system=LINUX, request=request_))
    ours = [f for f in findings.values() if f.id == "index-configuration" and "no local versions" in f.detail]
    assert bool(ours) == found
    if found:
        assert ours[0].fix[0] == "uv pip install torch==2.5.1 --torch-backend=cu124"


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


@pytest.mark.parametrize(
    "request_",
    [{"package": "torch"}, {"package": "torchvision", "versions_offered": []}],  # not known, of another project
)
def test_what_the_index_lacks_is_said_of_torch_only(examine: Examine, request_: dict[str, Any]) -> None:
    profile = _seen("pip-no-version", system={"os": "windows", "machine": "aarch64"}, request=request_)
    assert "no-wheel-for-platform" not in examine(profile)


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
