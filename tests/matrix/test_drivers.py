"""Driver versions, floors and ceilings."""

from __future__ import annotations

import pytest
from torchdoctor.matrix.drivers import (
    at_least,
    cuda_ceiling,
    driver_floor,
    driver_key,
    first_driver,
    generation,
    generations,
    last_branch,
    toolkit_driver,
)
from torchdoctor.matrix.systems import jetpack, macos_name


@pytest.mark.parametrize(
    ("version", "cuda"),
    [
        ("450.80.02", "11.0"),
        ("470.256.02", "11.4"),
        ("535.183.01", "12.2"),
        ("550.54.14", "12.4"),
        ("576.57", "12.9"),  # Windows numbers drift up inside a branch
        ("581.29", "13.0"),
        ("580.00", "13.0"),
        ("616.92", "13.4"),
        ("390.138", "9.1"),
        ("620.70.06", "13.5"),
        ("640.10", None),  # much newer than the table: it may speak more
        ("177.80", None),  # older than the table
        ("", None),
        ("N/A", None),
    ],
)
def test_cuda_ceiling(version: str, cuda: str | None) -> None:
    assert cuda_ceiling(version) == cuda


@pytest.mark.parametrize(
    ("version", "floor", "reached"),
    [
        ("580.00", "580", True),  # Jetson Thor reports this: the branch counts
        ("580.65.06", "580", True),
        ("579.99", "580", False),
        ("525.60.13", "525.60.13", True),
        ("525.60.11", "525.60.13", False),
        ("525.147.05", "525.60.13", True),
        ("1000.1", "580", True),
        ("", "580", False),
        ("525", "525.60.13", True),
        ("524", "525.60.13", False),
    ],
)
def test_at_least(version: str, floor: str, reached: bool) -> None:
    assert at_least(version, floor) is reached


def test_driver_key_reads_what_is_there() -> None:
    assert driver_key("550.54.14-0ubuntu1") == (550, 54, 14)
    assert driver_key("R580") == (580,)
    assert driver_key("nonsense") == ()
    assert driver_key("9" * 5000) == ()


@pytest.mark.parametrize(
    ("cuda", "os", "version"),
    [
        (13, "linux", "580"),
        (13, "windows", "580"),
        ("cu132", "windows", "580"),
        (12, "linux", "525.60.13"),
        ("12.6", "windows", "528.33"),
        ("cu118", "linux", "450.80.02"),
        (11, "windows", "452.39"),
    ],
)
def test_driver_floor(cuda: int | str, os: str, version: str) -> None:
    assert driver_floor(cuda, os).version == version


def test_driver_floor_of_a_cuda_without_a_row() -> None:
    with pytest.raises(KeyError):
        driver_floor(7, "linux")


def test_first_driver_is_a_branch_with_its_build() -> None:
    linux, windows = first_driver("12.0", "linux"), first_driver("12.0", "windows")
    assert linux is not None and (linux.version, linux.build, linux.confidence) == ("570", "570.26", "inferred")
    assert windows is not None and (windows.version, windows.build) == ("570", "570.65")
    ada = first_driver("8.9", "linux")
    # The card was sold with 520.56.06: the branch knows it, whatever the toolkit came with.
    assert ada is not None and at_least("520.56.06", ada.version)


@pytest.mark.parametrize("cc", ["8.7", "7.2", "3.7", "99.9", ""])
def test_no_first_driver(cc: str) -> None:
    assert first_driver(cc, "linux") is None


def test_last_branch() -> None:
    assert [last_branch(cc) for cc in ("2.1", "3.7", "5.0", "6.1", "7.0", "7.5", "12.0", "99.9")] == [
        "390",
        "470",
        "580",
        "580",
        "580",
        None,
        None,
        None,
    ]


def test_generations() -> None:
    assert (list(generations())[:2], list(generations())[-1]) == (["2.0", "2.1"], "12.1")
    pascal, blackwell, turing = generation("6.1"), generation("12.0"), generation("7.5")
    assert pascal is not None and (pascal.name, pascal.modules, pascal.last_toolkit) == (
        "Pascal",
        "proprietary",
        "12.9",
    )
    assert blackwell is not None and (blackwell.modules, blackwell.first_toolkit) == ("open", "12.8")
    assert turing is not None and turing.modules == "either"
    assert generation("0.0") is None


def test_toolkit_driver_is_that_of_its_first_release() -> None:
    assert toolkit_driver("12.6", "linux") == "560.28.03"
    assert toolkit_driver("12.6", "windows") == "560.76"
    assert toolkit_driver("13.4", "linux") is None  # none was published
    assert toolkit_driver("12.7", "linux") is None  # there was no such toolkit


def test_jetpack() -> None:
    board = jetpack("36.4.7")
    assert board is not None and (board.release, board.cuda, board.boards) == ("6.2.1", "12.6", ("Orin",))
    older = jetpack("R35.4.1")
    assert older is not None and older.release == "5.0-5.1"
    assert jetpack("37.1") is None
    assert jetpack("") is None


def test_macos_name() -> None:
    assert (macos_name("15.1"), macos_name("26"), macos_name("27.0")) == ("Sequoia", "Tahoe", "Golden Gate")
    assert macos_name("16.0") is None  # a mask for 26 or newer
    assert macos_name("10.16") is None
