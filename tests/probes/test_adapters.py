"""Windows display adapters."""

from __future__ import annotations

from typing import Any

import pytest
from torchdoctor.probes import adapters
from torchdoctor.probes.draft import Draft

GUID = "{4d36e968-e325-11ce-bfc1-08002be10318}"
WMIC = (
    "\r\n\r\nAdapterCompatibility=Microsoft\r\nCaption=Microsoft Remote Display Adapter\r\nPNPDeviceID=SWD\\REMOTEDISPLAYENUM\r\n\r\n"
    "AdapterCompatibility=NVIDIA\r\nAdapterRAM=4293918720\r\nCaption=NVIDIA GeForce RTX 2060 SUPER\r\nDriverVersion=31.0.15.1694\r\n"
    "PNPDeviceID=PCI\\VEN_10DE&amp;DEV_1F06&amp;SUBSYS_1\r\n"
)


@pytest.mark.parametrize(
    ("wddm", "version"),
    [
        ("31.0.15.1694", "516.94"), ("32.0.15.5599", "555.99"), ("32.0.15.8088", "580.88"), ("27.21.14.5671", "456.71"),
        ("9.18.13.4192", "341.92"), ("30.0.15.802", "508.02"), ("580.88", None), ("", None), (None, None), ("a.b.c.d", None),
    ],
)  # fmt: skip
def test_the_version_stands_in_the_last_five_digits(wddm: Any, version: Any) -> None:
    assert adapters.nvidia_version(wddm) == version


def test_a_key_that_a_removed_card_left_is_passed_over(host: Any) -> None:
    answer: Any = adapters.scan(host("windows-rtx4080-stale-1060"))
    assert answer.ok
    assert [(a.vendor, a.pci_id, a.memory) for a in answer.value] == [
        ("nvidia", "10de:2702", 17171480576),
        (None, None, None),
    ]


def test_without_the_list_of_devices_every_key_counts(host: Any, recorded: Any) -> None:
    key = adapters.CLASS
    rows = {
        f"{key}\\0000": {"DriverDesc": "NVIDIA A", "MatchingDeviceId": "PCI\\VEN_10DE&DEV_1C03"},
        f"{key}\\0001": {"DriverDesc": "NVIDIA B", "MatchingDeviceId": "PCI\\VEN_10DE&DEV_2702"},
    }
    answer: Any = adapters.scan(recorded(system="windows", registry=rows))
    assert (answer.status, len(answer.value)) == ("unrecorded", 2)


def test_cards_on_the_systems_own_driver(host: Any) -> None:
    assert [(a.vendor, a.pci_id, a.basic) for a in adapters.scan(host("windows-basic-driver")).value or ()] == [
        ("nvidia", "10de:2c05", True)
    ]


def test_a_basic_adapter_of_unknown_make_leaves_the_question_open(recorded: Any) -> None:
    key = adapters.CLASS
    box = recorded(
        system="windows",
        registry={f"{key}\\0000": {"DriverDesc": "Microsoft Basic Display Adapter"}},
        subkeys={key: ["0000"]},
    )
    draft = Draft()
    assert adapters.put(box, draft, "nvidia") == []
    assert draft.forget_no_gpus() is None
    assert "basic driver" in draft.build().unknown["gpus"]


def test_a_complete_class_without_a_vendor_says_so(host: Any) -> None:
    draft = Draft()
    adapters.put(host("windows-rtx4080-stale-1060"), draft, "amd")
    assert draft.forget_no_gpus() == adapters.CLASS


def test_memory_in_bytes_or_as_a_number() -> None:
    binary = {
        "DriverDesc": "AMD Radeon RX 7900 XTX",
        "HardwareInformation.qwMemorySize": (24 << 30).to_bytes(8, "little"),
    }
    assert adapters.adapter_of_class(binary).memory == 24 << 30
    assert adapters.adapter_of_class({"DriverDesc": "x", "HardwareInformation.qwMemorySize": "junk"}).memory is None


@pytest.mark.parametrize(
    ("name", "maker", "vendor"),
    [
        ("NVIDIA GeForce RTX 4080", "NVIDIA", "nvidia"), ("AMD Radeon(TM) Graphics", "", "amd"), ("Radeon RX 580", "", "amd"),
        ("Intel(R) Arc(TM) A770 Graphics", "Intel Corporation", "intel"), ("Microsoft Remote Display Adapter", "Microsoft", None),
        ("Parsec Virtual Display Adapter", "Parsec", None), ("Microsoft Basic Display Adapter", "(Standard display types)", None),
    ],
)  # fmt: skip
def test_vendor_by_name_where_no_id_is_given(name: Any, maker: Any, vendor: Any) -> None:
    assert adapters.adapter_of_class({"DriverDesc": name, "ProviderName": maker}).vendor == vendor


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_what_wmic_printed_counts(recorded: Any, encoding: Any) -> None:
    box = recorded(commands={"wmic path win32_videocontroller get * /value": WMIC.encode(encoding)}, system="windows")
    answer: Any = adapters.scan(box)
    assert answer.status == "unrecorded"
    card = answer.value[1]
    assert (card.vendor, card.pci_id, card.version, card.memory) == ("nvidia", "10de:1f06", "31.0.15.1694", None)


def test_what_reg_printed_counts(recorded: Any) -> None:
    text = f"\nHKEY_LOCAL_MACHINE\\SYSTEM\\CurrentControlSet\\Control\\Class\\{GUID}\\0002\n    DriverDesc    REG_SZ    NVIDIA GeForce RTX 3060\n\nFin de la recherche : 1 correspondance(s).\n"
    box = recorded(commands={f"reg query HKLM\\Class\\{GUID} /s": text}, system="windows")
    assert [(a.vendor, a.name) for a in adapters.scan(box).value or ()] == [("nvidia", "NVIDIA GeForce RTX 3060")]


def test_nothing_is_nothing(recorded: Any) -> None:
    answer: Any = adapters.scan(recorded(system="windows"))
    assert (answer.ok, answer.value) == (False, ())
