"""Macs."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from torchdoctor.probes import apple
from torchdoctor.probes.draft import Draft

PROFILER = "system_profiler -json -detailLevel mini SPDisplaysDataType"


def displays(*rows: Any) -> Any:
    return json.dumps({"SPDisplaysDataType": list(rows)})


def test_chip_and_memory(host: Any, probed: Any) -> None:
    (gpu,) = probed(apple.probe, host("mac-m4-pro")).gpus
    assert (gpu.vendor, gpu.name, gpu.memory, gpu.integrated) == ("apple", "Apple M4 Pro", 48 << 30, True)


def test_a_translated_process_still_finds_the_chip(host: Any, probed: Any) -> None:
    facts = probed(apple.probe, host("mac-rosetta-python"))
    assert (facts.gpus[0].name, facts.gpus[0].memory, facts.runtimes.metal) == ("Apple M1", 16 << 30, "apple7")


def test_a_virtual_machine_has_another_device(host: Any, probed: Any) -> None:
    assert [g.name for g in probed(apple.probe, host("mac-ci-vm")).gpus] == ["Apple Paravirtual device"]


def test_a_virtual_machine_without_the_profiler_says_nothing(recorded: Any, probed: Any) -> None:
    values = {"sysctl:machdep.cpu.brand_string": "Apple processor", "sysctl:kern.hv_vmm_present": 1}
    facts = probed(apple.probe, recorded(system="macos", values=values))
    assert facts.gpus is None
    assert "not recorded" in facts.unknown["gpus"]


def test_cards_of_an_intel_mac(recorded: Any, probed: Any) -> None:
    text = displays(
        {"_name": "Intel UHD Graphics 630", "sppci_model": "Intel UHD Graphics 630", "spdisplays_vendor": "Intel", "spdisplays_device-id": "0x3e9b"},
        {"sppci_model": "AMD Radeon Pro 5500M", "spdisplays_vendor": "sppci_vendor_amd", "spdisplays_device-id": "0x7340", "spdisplays_metal": "spdisplays_supported"},
        {"sppci_model": "Some virtual adapter"},
        "no object",
    )  # fmt: skip
    values = {"sysctl:machdep.cpu.brand_string": "Intel(R) Core(TM) i9-9880H"}
    facts = probed(apple.probe, recorded(commands={PROFILER: text}, system="macos", values=values))
    assert [(g.vendor, g.pci_id, g.integrated) for g in facts.gpus] == [
        ("intel", "8086:3e9b", True),
        ("amd", "1002:7340", None),
    ]
    assert facts.runtimes.metal == "supported"


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"SPDisplaysDataType": 3}', "[" * 100000])
def test_broken_json(text: str) -> None:
    assert apple.parse_displays(text) is None


def test_entries_that_name_nothing() -> None:
    assert apple.parse_displays('{"SPDisplaysDataType": [{}, {"_name": 3}, 4]}') == []


def test_a_virtual_machine_without_any_display_device_has_none(recorded: Any) -> None:
    values = {"sysctl:machdep.cpu.brand_string": "Apple processor", "sysctl:kern.hv_vmm_present": 1}
    draft = Draft()
    box = recorded(commands={PROFILER: displays()}, system="macos", values=values)
    apple.probe(box, draft, time.monotonic() + 5)
    assert draft.forget_no_gpus() == PROFILER


def test_elsewhere_there_is_none(recorded: Any) -> None:
    for system, source in (("linux", "macOS only"), (None, None)):
        draft = Draft()
        apple.probe(
            recorded(system=system) if system else recorded_without_system(recorded), draft, time.monotonic() + 5
        )
        assert draft.forget_no_gpus() == source


def recorded_without_system(recorded: Any) -> Any:
    box = recorded()
    box.system = None
    return box
