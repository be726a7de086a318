from __future__ import annotations

from collections.abc import Callable

import pytest
from torchdoctor.installers import Target, conda
from torchdoctor.installers.target import Style

Make = Callable[..., Target]


@pytest.mark.parametrize(
    ("variant", "system", "specs"),
    [
        ("cu126", "linux", "pytorch-gpu=2.14.1 torchvision=0.29.1 cuda-version=12"),
        ("cpu", "linux", "pytorch-cpu=2.14.1 torchvision=0.29.1"),
        ("cpu", "mac", "pytorch=2.14.1 torchvision=0.29.1"),
        ("mps", "mac", "pytorch=2.14.1 torchvision=0.29.1"),
    ],
)
def test_the_channel_that_still_builds_torch(target: Make, variant: str, system: str, specs: str) -> None:
    line = conda.render((target("2.14.1", variant, system=system, torchvision="0.29.1"),), Style())
    assert line == f"conda install --channel conda-forge --override-channels {specs}"


@pytest.mark.parametrize("variant", ["rocm7.2", "xpu"])
def test_pip_in_the_environment_where_the_channel_makes_no_such_build(target: Make, variant: str) -> None:
    line = conda.render((target("2.14.1", variant),), Style())
    assert line.startswith("conda run python -m pip install torch==2.14.1 --index-url ")
    assert f"makes no {variant} build" in conda.leaves_out(target("2.14.1", variant).recommendation)


def test_the_end_of_the_old_channel_is_said(target: Make) -> None:
    assert conda.leaves_out(target("2.14.1", "cpu").recommendation).startswith(
        "The pytorch channel ended after torch 2.5.1"
    )
