from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from torchdoctor.probes.facts import Facts
from torchdoctor.probes.reports.merge import merge_gpus
from torchdoctor.probes.reports.reading import CLAIMED, MEASURED, PRINTED, GpuList, open_reading

Card = dict[str, Any]


def _merged(*lists: tuple[int, bool, list[Card]]) -> list[Card]:
    reading = open_reading("")
    for rank, complete, cards in lists:
        reading.gpu_lists.append(GpuList(rank, complete, [(card, "a source") for card in cards]))
    merge_gpus(reading)
    return [fields for fields, _ in reading.draft.gpus]


def _nvidia(**fields: Any) -> Card:
    return {"vendor": "nvidia", **fields}


SMI = [_nvidia(name="NVIDIA GeForce RTX 4090"), _nvidia(name="NVIDIA GeForce GTX 1080")]


def test_the_best_list_is_the_base_and_the_others_add_to_its_cards() -> None:
    found = _merged(
        (MEASURED, True, SMI),
        (PRINTED, False, [_nvidia(name="GeForce RTX 4090", pci_id="10de:2684")]),
        (CLAIMED, False, [_nvidia(name="RTX 4090", memory=24)]),
    )
    assert found == [{**SMI[0], "pci_id": "10de:2684", "memory": 24}, SMI[1]]


def test_a_complete_list_takes_no_further_card() -> None:
    more = (PRINTED, False, [_nvidia(name="Tesla K80")])
    assert len(_merged((MEASURED, True, SMI), more)) == 2
    assert len(_merged((MEASURED, False, SMI), more)) == 3


def test_what_contradicts_a_card_is_not_laid_over_it() -> None:
    card = _nvidia(name="NVIDIA GeForce RTX 4090", compute_capability="8.9")
    found = _merged((MEASURED, True, [card]), (PRINTED, False, [_nvidia(name="RTX 4090", compute_capability="8.6")]))
    assert found == [card]


def test_a_nameless_reading_belongs_to_the_only_model() -> None:
    twins = [_nvidia(name="NVIDIA L4"), _nvidia(name="NVIDIA L4")]
    found = _merged((MEASURED, True, twins), (PRINTED, False, [_nvidia(compute_capability="8.9")]))
    assert [g["compute_capability"] for g in found] == ["8.9", "8.9"]
    found = _merged((MEASURED, True, SMI), (PRINTED, False, [_nvidia(compute_capability="8.9")]))
    assert [g.get("compute_capability") for g in found] == [None, None]  # of which, nobody said


def test_vendors_do_not_mix() -> None:
    amd = {"vendor": "amd", "gfx": "gfx1100"}
    assert _merged((MEASURED, True, SMI[:1]), (CLAIMED, False, [amd])) == [SMI[0], amd]
    assert _merged() == []


@pytest.mark.parametrize("count", [1, 8])
def test_equal_cards_stay_as_many_as_they_are(count: int) -> None:
    assert len(_merged((MEASURED, True, SMI[:1] * count))) == count


def test_no_list_is_longer_than_a_machine_can_be(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of("name, driver_version\n" + "Tesla T4, 550.54.15\n" * 5000)
    assert facts.gpus is not None
    assert len(facts.gpus) == 200
