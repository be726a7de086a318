from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from torchdoctor.installers import InstallerError, Target, pdm
from torchdoctor.installers.target import Style

Make = Callable[..., Target]
Toml = Callable[[str], dict[str, Any]]
ROOT = "https://download.pytorch.org/whl"


def test_a_source_that_alone_serves_torchs_family(target: Make, toml: Toml) -> None:
    data = toml(pdm.render((target("2.14.1", "rocm7.2", torchvision="0.29.1"),), Style()))
    (source,) = data["tool"]["pdm"]["source"]
    assert (source["name"], source["url"]) == ("pytorch-rocm7-2", f"{ROOT}/rocm7.2")
    assert {"torch", "torchvision", "triton-rocm"} <= set(source["include_packages"])
    assert data["project"]["dependencies"][:2] == ["torch==2.14.1", "torchvision==0.29.1"]
    assert data["project"]["requires-python"] == ">=3.12,<3.13"


def test_several_platforms_are_locked_one_after_the_other(target: Make, toml: Toml) -> None:
    text = pdm.render((target("2.14.1", "cu126"), target("2.15.0", "cpu", system="windows", default=True)), Style())
    locks = [line for line in text.splitlines() if line.startswith("#   pdm lock")]
    assert [line.endswith("--append") for line in locks] == [False, True]
    pins = [row.partition(" ;")[0] for row in toml(text)["project"]["dependencies"]]
    assert pins == ["torch==2.14.1+cu126", "torch==2.15.0+cpu"]  # each held to the index of its label


def test_builds_that_one_search_would_mix_up_are_refused(target: Make) -> None:
    with pytest.raises(InstallerError, match="PDM cannot keep torch"):
        pdm.render((target("2.14.1", "cu126"), target("2.14.1", "cpu", system="arm")), Style())
