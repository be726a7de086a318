from __future__ import annotations

import subprocess
import sys

import pytest
from packaging.specifiers import SpecifierSet
from torchdoctor.matrix.catalog import Catalog
from torchdoctor.matrix.request import RequestError, exists, in_family, normal_variant, wanted


@pytest.mark.parametrize(
    ("text", "fits", "fits_not"),
    [
        ("2.15", ["2.15.0"], ["2.1.0", "2.14.1"]),
        ("2.14.1", ["2.14.1"], ["2.14.0"]),
        ("==2.5.1+cu124", ["2.5.1"], ["2.5.0"]),
        ("torch==2.5", ["2.5.0"], ["2.5.1"]),
        ("v2.8", ["2.8.0"], ["2.9.0"]),
        (">=2.8,<2.12", ["2.8.0", "2.11.0"], ["2.12.0", "2.7.1"]),
        ("==2.9.*", ["2.9.0", "2.9.1"], ["2.10.0"]),
        ("~=2.6", ["2.6.0", "2.15.0"], ["2.5.1"]),
        (None, ["1.13.0", "2.15.0"], []),
        ("latest", ["2.15.0"], []),
    ],
)
def test_releases(text: str | None, fits: list[str], fits_not: list[str]) -> None:
    want = wanted(text)
    assert [v for v in fits if want.matches(v)] == fits
    assert [v for v in fits_not if want.matches(v)] == []


def test_a_local_version_names_the_variant() -> None:
    assert wanted("2.5.1+cu124").variant == "cu124"
    assert wanted("2.5.1+rocm6.2").variant == "rocm6.2"
    assert wanted("2.5.1+gitabc").variant is None


@pytest.mark.parametrize("text", ["two", ">=", "2.5;rm", "=2.5="])
def test_no_release(text: str) -> None:
    with pytest.raises(RequestError, match="not a torch release or range"):
        wanted(text)


@pytest.mark.parametrize(
    ("text", "variant"),
    [
        ("auto", None),
        (None, None),
        ("CU126", "cu126"),
        ("cuda 12.6", "cu126"),
        ("cu12.8", "cu128"),
        ("cuda", "cuda"),
        ("ROCm7.2", "rocm7.2"),
        ("metal", "mps"),
    ],
)
def test_variants(text: str | None, variant: str | None) -> None:
    assert normal_variant(text) == variant


@pytest.mark.parametrize("text", ["tpu", "cu", "cu12x", "rocm7", "cpu2"])
def test_no_variant(text: str) -> None:
    with pytest.raises(RequestError, match="not a variant name"):
        normal_variant(text)


def test_families() -> None:
    assert in_family("cu126", "cuda")
    assert not in_family("cpu", "cuda")
    assert in_family("rocm6.2.4", "rocm")
    assert not in_family("cu126", "cu128")


@pytest.mark.parametrize(
    ("text", "there"),
    [
        ("2.14", True),
        ("2.13.1", False),
        ("2.16", False),
        ("1.12.1", None),
        ("2.16.0.dev20261101", None),
        (">=3", False),
    ],
)
def test_what_exists(catalog: Catalog, text: str, there: bool | None) -> None:
    assert exists(catalog, wanted(text)) is there


@pytest.mark.parametrize("operator", [">=", "<=", ">", "<", "!="])
@pytest.mark.parametrize("bound", ["2", "2.5", "2.5.0", "2.5.1", "2.10", "2.5.1.0", "1.13.1"])
def test_plain_bounds_are_read_like_the_library_does(operator: str, bound: str) -> None:
    specifier = SpecifierSet(f"{operator}{bound}")
    for version in ("1.13.1", "2.0.0", "2.4.1", "2.5.0", "2.5.1", "2.10.0", "3.0.0"):
        for text in (f"{operator}{bound}", f" {operator} {bound} ", f"torch{operator}{bound},{operator}{bound}"):
            assert wanted(text).matches(version) == specifier.contains(version), (text, version)


@pytest.mark.parametrize("text", ["~=2.5", ">=2.5,==2.6.*", ">=2.6.0rc1", "===2.5.1", ">=2.5,"])
def test_other_ranges_are_left_to_the_library(text: str) -> None:
    specifier = SpecifierSet(text)
    for version in ("2.4.1", "2.5.1", "2.6.0", "3.0.0"):
        assert wanted(text).matches(version) == specifier.contains(version)


def test_a_plain_range_loads_no_library() -> None:
    code = (
        "import sys; from torchdoctor.matrix.request import wanted; assert wanted('>=2.8,<2.12').matches('2.11.0'); "
        "sys.exit(any(m.startswith('packaging') for m in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], timeout=60).returncode == 0
