from __future__ import annotations

from collections.abc import Callable

import pytest
from torchdoctor.matrix.case import Asked, Case
from torchdoctor.matrix.catalog import Catalog
from torchdoctor.matrix.mixed import mixed_finding
from torchdoctor.probes.facts import Facts

Machine = Callable[..., Facts]


@pytest.mark.parametrize(
    ("gpus", "left_out", "fix"),
    [
        # Places count within the vendor: the variable knows that vendor's cards only.
        (("7900", "4090", "1080"), (2,), "hide the card left out: CUDA_VISIBLE_DEVICES=0"),
        (("4090", "7900", "580", "mi250"), (2,), "hide the card left out: HIP_VISIBLE_DEVICES=0,2"),
        (("b580", "uhd"), (1,), "hide the card left out: ONEAPI_DEVICE_SELECTOR=level_zero:0"),
    ],
)
def test_the_card_left_out_is_hidden_by_its_vendors_variable(
    catalog: Catalog, machine: Machine, gpus: tuple[str, ...], left_out: tuple[int, ...], fix: str
) -> None:
    case = Case(facts=machine(*gpus), catalog=catalog, asked=Asked())
    found = mixed_finding(case, left_out, about="machine")
    assert (found.id, found.severity, found.lies_in) == ("mixed-gpu-generations", "warning", "hardware")
    assert found.fix == (fix,)
    assert (case.facts.gpus or ())[left_out[0]].name in found.detail  # type: ignore[operator]


def test_equal_cards_are_named_once_and_the_others_are_the_evidence(catalog: Catalog, machine: Machine) -> None:
    case = Case(facts=machine("4090", "k80", "k80"), catalog=catalog, asked=Asked())
    found = mixed_finding(case, (1, 2), about="installed")
    assert found.detail.count("Tesla K80") == 1
    assert [(e.fact, e.value) for e in found.evidence] == [
        ("gpus[0].compute_capability", "8.9"),
        ("gpus[1].compute_capability", "3.7"),
        ("gpus[2].compute_capability", "3.7"),
    ]
