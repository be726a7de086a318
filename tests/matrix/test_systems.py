from __future__ import annotations

import pytest
from torchdoctor.matrix.systems import jetpack, macos_name


@pytest.mark.parametrize(
    ("l4t", "release", "cuda"),
    [("36.4.3", "6.2", "12.6"), ("R36.4.3", "6.2", "12.6"), ("32.7.1", "4.4-4.6", "10.2"), ("35.4.1", "5", "11.4")],
)
def test_the_jetpack_of_an_l4t_release(l4t: str, release: str, cuda: str) -> None:
    found = jetpack(l4t)
    assert found is not None
    assert found.release.startswith(release)
    assert found.cuda == cuda
    assert found.boards


@pytest.mark.parametrize("l4t", ["21.5", "99.1", "", "unknown"])
def test_a_line_nobody_lists_is_not_known(l4t: str) -> None:
    assert jetpack(l4t) is None


@pytest.mark.parametrize(
    ("version", "name"),
    [("15.1", "Sequoia"), ("14", "Sonoma"), ("26.0", "Tahoe"), ("10.16", None), ("16.0", None), ("", None)],
)
def test_the_name_of_a_macos(version: str, name: str | None) -> None:
    assert macos_name(version) == name
