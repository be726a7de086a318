from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from torchdoctor.probes.live import LiveHost
from torchdoctor.probes.torch_folder import TorchFolder, local_variant, look_into, origin_of, read_version, variant_of

Sites = Callable[..., Any]


@pytest.mark.parametrize(
    ("version", "variant"),
    [
        ("2.5.1+cu124", "cu124"),
        ("2.5.1+rocm6.2.4", "rocm6.2.4"),
        ("2.5.1+cpu", "cpu"),
        ("2.5.1+xpu", "xpu"),
        ("2.5.1+cu124x", None),
        ("2.5.1+git1eba9b3", None),
        ("2.5.1", None),
        (None, None),
    ],
)
def test_the_local_part_that_is_a_variant(version: str | None, variant: str | None) -> None:
    assert local_variant(version) == variant


@pytest.mark.parametrize(
    ("version", "origin"),
    [
        ("2.5.1+cu124", "wheel"),
        ("2.5.1", "wheel"),
        ("2.5.1.post1", "wheel"),
        ("2.9.0.dev20250801+cu128", "nightly"),
        ("2.6.0a0+ecf3bae40a.nv25.01", "vendor"),
        ("2.6.0a0+git1eba9b3", "source"),
        ("2.5.1+gitabc", "source"),
        ("2.5.1+ecf3bae40a", "source"),
        ("2.5.1+mycompany", None),
        ("", None),
        (None, None),
    ],
)
def test_where_a_build_came_from(version: str | None, origin: str | None) -> None:
    assert origin_of(version) == origin


@pytest.mark.parametrize(
    ("folder", "os", "variant"),
    [
        ({"version": "2.5.1+cu124", "cuda": "12.1"}, "linux", "cu124"),
        ({"version": "2.5.1", "cuda": "12.1"}, "linux", "cu121"),
        ({"version": "2.5.1", "hip": "6.2.41134-65d174c3e"}, "linux", "rocm6.2"),
        ({"version": "2.8.0", "xpu": "20250101"}, "windows", "xpu"),
        ({"version": "2.5.1"}, "linux", "cpu"),
        ({"version": "2.5.1"}, "macos", None),  # its wheels name none
        ({}, "linux", None),
    ],
)
def test_the_variant_of_a_build(folder: dict[str, str], os: str, variant: str | None) -> None:
    assert variant_of(TorchFolder(path="/x", **folder), os) == variant  # type: ignore[arg-type]


def test_a_folder_looked_at_from_outside(site: Sites) -> None:
    place = site()
    place.torch("2.5.1+cu124", kernels=[["sm_80", "sm_90"]])
    path = f"{place.root}/torch"
    found = look_into(LiveHost({}), path)
    assert found is not None
    assert (found.version, found.cuda, found.hip, found.debug) == ("2.5.1+cu124", "12.4", None, False)
    assert (found.kernels, found.machines) == (("sm_80", "sm_90"), ("x86_64",))
    assert read_version(LiveHost({}), path) == "2.5.1+cu124"


def test_a_build_without_gpu_code_or_one_that_cannot_be_read(site: Sites) -> None:
    place = site()
    place.torch("2.5.1+cpu")
    found = look_into(LiveHost({}), f"{place.root}/torch")
    assert found is not None and (found.kernels, found.kernels_from) == (None, None)
    assert look_into(LiveHost({}), str(place.root)) is None
    assert read_version(LiveHost({}), str(place.root)) is None
