from __future__ import annotations

from typing import Any

import pytest
from torchdoctor.matrix.case import Asked, Case
from torchdoctor.matrix.catalog import Catalog
from torchdoctor.matrix.checks import _packages as packages
from torchdoctor.matrix.fit import installed_torch
from torchdoctor.probes.profile import facts_from_mapping

_CATALOG = Catalog()


def _case(**groups: Any) -> Case:
    facts = facts_from_mapping({"system": {"os": "linux", "machine": "x86_64"}, **groups})
    return Case(facts=facts, catalog=_CATALOG, asked=Asked(), installed=installed_torch(facts, _CATALOG))


def test_versions_taken_apart() -> None:
    assert (packages.public("2.5.1+cu124"), packages.local("2.5.1+cu124")) == ("2.5.1", "cu124")
    assert (packages.public(None), packages.local("2.5.1")) == ("", "")
    assert (packages.line("2.5.1+cu124"), packages.line("2"), packages.line(None)) == ((2, 5), (2,), ())


@pytest.mark.parametrize(
    ("variant", "pair"),
    [
        ("cu124", (12, 4)),
        ("cu12", (12, -1)),
        ("cu1", None),
        ("cpu", None),
        ("rocm6.2", None),
        ("xcu124", None),
        (None, None),
    ],
)
def test_the_toolkit_of_a_variant(variant: str | None, pair: tuple[int, int] | None) -> None:
    assert packages.toolkit(variant) == pair


def test_the_installed_torch_in_short() -> None:
    case = _case(packages={"torch": "2.5.1+cu124"})
    assert (packages.torch_line(case), packages.cuda_major(case), packages.stock_like(case)) == ((2, 5), 12, True)
    none = _case(packages={})
    assert (packages.torch_line(none), packages.cuda_major(none), packages.stock_like(none)) == (None, None, False)
    cpu = _case(packages={"torch": "2.5.1+cpu"})
    assert packages.cuda_major(cpu) is None


@pytest.mark.parametrize(
    "groups",
    [
        {"torch": {"version": "2.5.1", "origin": "source"}},
        {"packages": {"torch": "2.5.0a0+872d972e41.nv24.08"}},
        {"packages": {"torch": "2.9.0.dev20250801+cu128"}},
        {"packages": {"torch": "2.5.1", "pytorch-cuda": "12.4"}},
        {
            "packages": {"torch": "2.5.1"},
            "distributions": [{"name": "pytorch", "version": "2.5.1", "build": "py3.12_cuda"}],
        },
    ],
)
def test_builds_that_follow_rules_of_their_own(groups: dict[str, Any]) -> None:
    assert not packages.stock_like(_case(**groups))


def test_rows_of_conda_are_no_distributions_that_were_looked_into() -> None:
    rows = [
        {"name": "numpy", "version": "2.1.0", "build": "py312_0"},
        {"name": "torch", "version": "2.5.1"},
        {"name": "xformers", "version": "0.0.28"},
    ]
    case = _case(distributions=rows)
    assert [(i, d.name) for i, d in packages.distributions(case)] == [(1, "torch"), (2, "xformers")]
    assert [i for i, _ in packages.distributions(case, "xformers", "numpy")] == [2]


def test_cuda_majors_by_suffix_and_later_by_version() -> None:
    held = {
        "nvidia-cublas-cu12": "12.4.5.8",
        "nvidia-cuda-runtime": "13.0.48",
        "nvidia-cuda-nvcc": "12.9.1",  # without a suffix before CUDA 13: not torch's
        "nvidia-ml-py": "13.580.65",
        "numpy": "2.1.0",
    }
    assert packages.nvidia_majors(_case(packages=held)) == {12: ["nvidia-cublas-cu12"], 13: ["nvidia-cuda-runtime"]}
    assert packages.nvidia_majors(_case()) == {}


def test_the_line_that_puts_packages_right() -> None:
    assert packages.environment_fix(_case(), "torch==2.5.1") == "pip install torch==2.5.1"
    assert packages.environment_fix(_case(), "torch==2.5.1", "cu124").endswith("/whl/cu124")
