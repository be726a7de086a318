from __future__ import annotations

from typing import Any

import pytest
from torchdoctor.matrix.case import Asked, Case
from torchdoctor.matrix.catalog import Catalog
from torchdoctor.matrix.checks._aim import (
    about,
    aims_at,
    build_facts,
    installed_vendor,
    never_carried,
    severity,
    unusable,
    vendor_of,
)
from torchdoctor.matrix.fit import installed_torch
from torchdoctor.probes.facts import Gpu
from torchdoctor.probes.profile import facts_from_mapping

_CATALOG = Catalog()


def _case(source: str | None = None, asked: Asked | None = None, **groups: Any) -> Case:
    facts = facts_from_mapping({"system": {"os": "linux", "machine": "x86_64"}, **groups})
    facts = facts.replace(sources={"torch.gpu_available": source} if source else {})
    return Case(facts=facts, catalog=_CATALOG, asked=asked or Asked(), installed=installed_torch(facts, _CATALOG))


@pytest.mark.parametrize(
    ("variant", "vendor"),
    [
        ("cu124", "nvidia"),
        ("rocm6.4", "amd"),
        ("xpu", "intel"),
        ("mps", "apple"),
        ("cpu", None),
        ("", None),
        (None, None),
    ],
)
def test_vendor_of_a_variant(variant: str | None, vendor: str | None) -> None:
    assert vendor_of(variant) == vendor


def test_what_is_meant_is_installed_asked_for_or_required() -> None:
    assert installed_vendor(_case(packages={"torch": "2.5.1+cu124"})) == "nvidia"
    assert installed_vendor(_case(packages={})) is None
    assert aims_at(_case(packages={"torch": "2.5.1+cu124"}), "nvidia")
    assert aims_at(_case(asked=Asked(variant="rocm6.4")), "amd")
    assert aims_at(_case(asked=Asked(requires=("gpu", "xpu"))), "intel")
    assert not aims_at(_case(asked=Asked(requires=("gpu",))), "nvidia")


@pytest.mark.parametrize(
    ("available", "source", "vendor", "found"),
    [
        (False, None, "nvidia", True),
        (None, None, "nvidia", False),
        (True, None, "nvidia", False),
        # "CUDA available: False" is no word about Intel's GPUs.
        (False, "line 3: Is CUDA available: False", "intel", False),
        (False, "line 3: Is CUDA available: False", "amd", True),
        (False, "line 9: XPU available: False", "intel", True),
    ],
)
def test_torch_was_seen_to_find_no_gpu(available: bool | None, source: str | None, vendor: str, found: bool) -> None:
    case = _case(source, torch={"version": "2.9.0+cpu", "gpu_available": available})
    assert unusable(case, vendor) == found
    assert severity(case, vendor) == ("blocker" if found else "warning")


def test_what_a_finding_is_about() -> None:
    case = _case(packages={"torch": "2.5.1+cu124"})
    assert (about(case, "nvidia"), about(case, "amd")) == ("installed", "machine")
    assert severity(case, "nvidia") == "blocker"


def test_the_paths_that_name_the_build() -> None:
    assert build_facts(_case(packages={"torch": "2.5.1"}))[0] == "packages.torch"
    assert build_facts(_case(torch={"version": "2.5.1"}))[0] == "torch.version"


@pytest.mark.parametrize(
    ("capability", "never"), [("3.0", True), ("2.1", True), ("3.7", False), ("12.0", False), (None, False)]
)
def test_a_gpu_no_release_ever_carried(capability: str | None, never: bool) -> None:
    assert never_carried(_case(), Gpu(vendor="nvidia", compute_capability=capability)) == never
