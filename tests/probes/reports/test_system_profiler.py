from __future__ import annotations

from collections.abc import Callable

from torchdoctor.probes.facts import Facts
from torchdoctor.probes.reports.pasted import read_command, read_text

_JSON = '{"SPDisplaysDataType":[{"_name":"kHW_AppleM1MaxItem","spdisplays_vendor":"sppci_vendor_Apple","sppci_model":"Apple M1 Max"}]}'
_XML = """<plist version="1.0"><array><dict><key>_items</key><array><dict>
<key>_name</key><string>Apple M2</string>
<key>sppci_model</key>
\t<string>Apple M2</string></dict></array></dict></array></plist>
"""


def test_json(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(_JSON)
    assert facts.gpus is not None
    assert [(g.vendor, g.name) for g in facts.gpus] == [("apple", "Apple M1 Max")]
    assert (facts.system.os, facts.system.machine, facts.cpu.model) == ("macos", "aarch64", "Apple M1 Max")
    assert read_text(_JSON, "x").kind == "system_profiler"


def test_xml_names_a_gpu_once(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(_XML)
    assert facts.gpus is not None
    assert [g.name for g in facts.gpus] == ["Apple M2"]


def test_hardware_and_software(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(
        '{\n "SPHardwareDataType" : [ { "chip_type" : "Apple M3 Pro" } ],\n'
        ' "SPSoftwareDataType" : [ { "os_version" : "macOS 14.5 (23F79)" } ]\n}\n'
    )
    assert facts.gpus is not None
    assert [g.name for g in facts.gpus] == ["Apple M3 Pro"]
    assert facts.system.version == "14.5"


def test_an_intel_mac(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of('{"SPDisplaysDataType":[{"sppci_model":"Intel Iris Plus Graphics 655"}]}')
    assert facts.gpus is not None
    assert [(g.vendor, g.name) for g in facts.gpus] == [("intel", "Intel Iris Plus Graphics 655")]
    assert facts.system.machine is None


def test_recorded_command() -> None:
    draft = read_command(("system_profiler", "-json", "SPDisplaysDataType"), _JSON)
    assert draft is not None
    assert [fields["name"] for fields, _ in draft.gpus] == ["Apple M1 Max"]
