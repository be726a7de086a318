from __future__ import annotations

from collections.abc import Callable

import pytest
from torchdoctor.installers import Target
from torchdoctor.installers.known import known, only_there, second_host


@pytest.mark.parametrize(
    ("torch", "variant", "names"),
    [
        ("2.9.1", "rocm7.0", ("pytorch-triton-rocm",)),
        ("2.10.0", "rocm7.0", ("triton-rocm",)),
        ("2.14.1", "cu126", ()),
        ("2.14.1", "cpu", ()),
    ],
)
def test_packages_that_only_torchs_index_serves(
    target: Callable[..., Target], torch: str, variant: str, names: tuple[str, ...]
) -> None:
    assert only_there(target(torch, variant).recommendation) == names


def test_builds_whose_packages_lie_on_another_host(target: Callable[..., Target]) -> None:
    assert second_host(target("2.15.0", "rocm10.0").recommendation)
    assert second_host(target("2.14.1", "rocm7.2").recommendation) is None


def test_the_table_is_whole() -> None:
    assert {"uv", "conda", "triton", "second_host"} <= set(known())
    assert "cu126" in known()["uv"]["torch_backends"]
