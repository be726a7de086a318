from __future__ import annotations

from typing import Any

from torchdoctor.probes.gpus import merge_gpus


def nvidia(**fields: Any) -> tuple[dict[str, Any], str]:
    source = fields.pop("source", "here")
    return {"vendor": "nvidia", **fields}, source


def merged(*readings: list[tuple[dict[str, Any], str]]) -> list[dict[str, Any]]:
    return [fields for fields, _ in merge_gpus(readings)]


def test_address_pairs_whatever_the_order() -> None:
    bus = [nvidia(address="0000:01:00.0", pci_id="10de:2684"), nvidia(address="0000:41:00.0", pci_id="10de:2204")]
    tool = [nvidia(address="0000:41:00.0", name="RTX 3090"), nvidia(address="0000:01:00.0", name="RTX 4090")]
    assert [(g["pci_id"], g["name"]) for g in merged(bus, tool)] == [
        ("10de:2684", "RTX 4090"),
        ("10de:2204", "RTX 3090"),
    ]


def test_two_alike_stay_two() -> None:
    bus = [nvidia(pci_id="10de:20b2"), nvidia(pci_id="10de:20b2")]
    tool = [nvidia(name="A100", compute_capability="8.0"), nvidia(name="A100", compute_capability="8.0")]
    assert [g["name"] for g in merged(bus, tool)] == ["A100", "A100"]
    assert len(merged(bus, tool, tool[:1])) == 2


def test_a_reading_with_more_devices_adds_the_rest() -> None:
    assert len(merged([nvidia(name="A")], [nvidia(name="B", compute_capability="8.6"), nvidia(name="A")])) == 2


def test_chips_that_differ_are_not_joined() -> None:
    one = [nvidia(compute_capability="8.9", pci_id="10de:2684")]
    assert len(merged(one, [nvidia(compute_capability="12.0")])) == 2
    assert len(merged(one, [nvidia(pci_id="10de:2204")])) == 2
    assert len(merged(one, [({"vendor": "amd", "name": "x"}, "there")])) == 2


def test_index_and_bus_address_say_nothing_of_each_other() -> None:
    assert (
        len(merged([nvidia(address="0000:01:00.0", pci_id="10de:2684")], [nvidia(address="0", name="RTX 4090")])) == 1
    )
    assert len(merged([nvidia(address="0000:01:00.0")], [nvidia(address="0000:02:00.0")])) == 2


def test_the_earlier_reading_wins_and_is_not_changed() -> None:
    first = [nvidia(name="NVIDIA A10", memory=None)]
    found = merge_gpus([first, [nvidia(name="NVIDIA A10", memory=24, compute_capability="8.6", source="there")]])
    assert found == [({"vendor": "nvidia", "name": "NVIDIA A10", "memory": 24, "compute_capability": "8.6"}, "here")]
    assert first[0][0] == {"vendor": "nvidia", "name": "NVIDIA A10", "memory": None}
    assert merge_gpus([]) == []
