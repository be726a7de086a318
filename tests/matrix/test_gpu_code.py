from __future__ import annotations

import pytest
from torchdoctor.matrix.gpu_code import capability, cuda_coverage, gfx_name, overridden_gfx, sm_number

CU126 = ("sm_50", "sm_60", "sm_70", "sm_75", "sm_80", "sm_86", "sm_90")
CU132 = ("sm_75", "sm_80", "sm_86", "sm_90", "sm_100", "sm_120")


@pytest.mark.parametrize(
    ("kernels", "device", "by"),
    [
        (CU132, "8.9", "sm_86"),  # the nearest of its major that is not newer
        (CU132, "10.3", "sm_100"),
        (CU132, "12.1", "sm_120"),
        (CU126, "6.1", "sm_60"),
        (CU126, "5.2", "sm_50"),
        (("sm_101",), "11.0", "sm_101"),  # Thor under its old number
    ],
)
def test_code_of_the_same_major_runs_on_newer_minors(kernels: tuple[str, ...], device: str, by: str) -> None:
    found = cuda_coverage(kernels, (), device)
    assert found is not None
    assert found.covered
    assert found.by == by


@pytest.mark.parametrize(
    ("kernels", "device"),
    [
        (("sm_80", "sm_86"), "8.7"),
        (("sm_70",), "7.2"),
        (("sm_100",), "10.1"),
        (("sm_60", "sm_61"), "6.2"),
        (("sm_86",), "8.0"),  # never downwards
        (("sm_90a",), "9.1"),  # architecture-specific code serves that very device
    ],
)
def test_exceptions_are_not_covered(kernels: tuple[str, ...], device: str) -> None:
    found = cuda_coverage(kernels, (), device)
    assert found is not None
    assert not found.covered


def test_architecture_specific_code_runs_on_its_own_device() -> None:
    found = cuda_coverage(("sm_90a",), (), "9.0")
    assert found is not None
    assert found.covered


def test_ptx_serves_newer_devices_but_not_older() -> None:
    newer = cuda_coverage(("sm_90",), ("compute_90",), "12.0")
    older = cuda_coverage(("sm_90",), ("compute_90",), "8.6")
    assert newer is not None
    assert newer.covered
    assert older is not None
    assert not older.covered


def test_where_a_device_lies_outside_the_list() -> None:
    below = cuda_coverage(CU132, (), "6.1")
    above = cuda_coverage(CU126, (), "12.0")
    between = cuda_coverage(("sm_80", "sm_120"), (), "9.0")
    assert below is not None
    assert (below.below, below.above) == (True, False)
    assert above is not None
    assert (above.below, above.above) == (False, True)
    assert between is not None
    assert (between.covered, between.below, between.above) == (False, False, False)


@pytest.mark.parametrize(("kernels", "device"), [((), "8.9"), (("gfx1100",), "8.9"), (CU132, "ada"), (CU132, "")])
def test_what_is_not_understood_is_not_known(kernels: tuple[str, ...], device: str) -> None:
    assert cuda_coverage(kernels, (), device) is None


def test_names() -> None:
    assert sm_number("sm_120") == (12, 0)
    assert sm_number("compute_90a") == (9, 0)
    assert sm_number("gfx1100") is None
    assert capability("8.9") == (8, 9)
    assert capability("8") is None
    assert gfx_name("gfx942:sramecc+:xnack-") == "gfx942"
    assert gfx_name("gfx11-generic") is None


@pytest.mark.parametrize(
    ("gfx", "override", "target"),
    [
        ("gfx1031", "10.3.0", "gfx1030"),
        ("gfx1103", "11.0.0", "gfx1100"),
        ("gfx1100", "10.3.0", "gfx1100"),  # another generation: the chip stays what it is
        ("gfx1010", "10.3.0", "gfx1010"),
        ("gfx1031", "", "gfx1031"),
        ("gfx1031", "nonsense", "gfx1031"),
        ("gfx90c", "9.0.0", "gfx900"),
    ],
)
def test_an_override_counts_within_a_generation(gfx: str, override: str, target: str) -> None:
    assert overridden_gfx(gfx, override) == target
    assert overridden_gfx(gfx, None) == gfx
