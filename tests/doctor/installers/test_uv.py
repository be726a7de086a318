from __future__ import annotations

from collections.abc import Callable

import pytest
from torchdoctor.installers import Target, uv
from torchdoctor.installers.target import Style

Make = Callable[..., Target]


@pytest.mark.parametrize(
    ("torch", "variant", "base", "ends"),
    [
        ("2.14.1", "cu126", None, "--torch-backend=cu126"),
        ("2.15.0", "cu134", None, "--index-url https://download.pytorch.org/whl/cu134"),  # newer than uv's list
        ("2.14.1", "cu126", "https://mirror.invalid/whl", "--index-url https://mirror.invalid/whl/cu126"),
    ],
)
def test_the_backend_where_uv_knows_it_and_the_index_is_the_public_one(
    target: Make, torch: str, variant: str, base: str | None, ends: str
) -> None:
    line = uv.render((target(torch, variant),), Style(index_base=base))
    assert line == f"uv pip install torch=={torch} {ends}"


def test_the_environment_and_what_is_to_be_replaced(target: Make) -> None:
    one = target("2.15.0", "cu132", default=True, torchvision="0.29.2", installed={"torch": "2.15.0+cpu"})
    assert uv.words(one, Style(python="/env/bin/python")) == [
        "uv", "pip", "install", "--python", "/env/bin/python", "--reinstall-package", "torch",
        "--reinstall-package", "torchvision", "torch==2.15.0", "torchvision==0.29.2",
    ]  # fmt: skip


def test_what_is_left_out(target: Make) -> None:
    assert "uv sync" in uv.leaves_out(target("2.14.1", "cu126").recommendation)
