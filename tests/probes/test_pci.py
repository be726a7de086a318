"""The bus, read from sysfs in each of its shapes, and what an incomplete view may not prove."""

from __future__ import annotations

from typing import Any

from torchdoctor.probes import pci

BUS = "/sys/bus/pci/devices"
CARD = "DRIVER=nvidia\nPCI_CLASS=30000\nPCI_ID=10DE:2684\nPCI_SLOT_NAME=0000:01:00.0\n"
BRIDGE = "PCI_CLASS=60000\nPCI_ID=8086:A700\n"


def test_a_complete_listing_proves_what_is_there_and_what_is_not(recorded: Any) -> None:
    box = recorded({f"{BUS}/a/uevent": BRIDGE, f"{BUS}/b/uevent": CARD}, listings={BUS: ["a", "b"]})
    answer: Any = pci.scan(box)
    assert answer.ok
    assert [(d.address, d.pci_id, d.class_code, d.driver) for d in answer.value] == [
        ("b", "10de:2684", "0300", "nvidia")
    ]
    assert pci.scan(recorded({f"{BUS}/a/uevent": BRIDGE}, listings={BUS: ["a"]})).value == ()


def test_a_partial_listing_proves_nothing(recorded: Any) -> None:
    answer: Any = pci.scan(recorded({f"{BUS}/a/uevent": BRIDGE}))
    assert (answer.status, answer.value) == ("unrecorded", ())


def test_a_device_that_cannot_be_read_makes_the_listing_incomplete(recorded: Any) -> None:
    answer: Any = pci.scan(recorded({f"{BUS}/b/uevent": CARD}, listings={BUS: ["a", "b"]}, denied=[f"{BUS}/a"]))
    assert answer.status == "unrecorded"
    assert [d.pci_id for d in answer.value] == ["10de:2684"]


def test_separate_files_and_the_driver_link(recorded: Any) -> None:
    files = {f"{BUS}/x/class": "0x038000\n", f"{BUS}/x/vendor": "0x1002\n", f"{BUS}/x/device": "0x740f\n"}
    box = recorded(files, listings={BUS: ["x"]}, links={f"{BUS}/x/driver": "../../../bus/pci/drivers/amdgpu"})
    (device,) = pci.scan(box).value or ()
    assert (device.pci_id, device.class_code, device.driver) == ("1002:740f", "0380", "amdgpu")


def test_an_unbound_device_is_known_to_have_no_driver(recorded: Any) -> None:
    box = recorded({f"{BUS}/x/uevent": "PCI_CLASS=30200\nPCI_ID=10DE:20B2\n"}, listings={BUS: ["x"]})
    assert [d.driver for d in pci.scan(box).value or ()] == [""]


def test_modalias_alone_is_enough(recorded: Any) -> None:
    line = "pci:v000010DEd000015F8sv000010DEsd0000118Fbc03sc02i00\n"
    (device,) = pci.scan(recorded({f"{BUS}/x/modalias": line}, listings={BUS: ["x"]})).value or ()
    assert (device.pci_id, device.class_code) == ("10de:15f8", "0302")


def test_no_bus_is_another_answer_than_no_device(recorded: Any) -> None:
    assert pci.scan(recorded(absent=[BUS, "/sys/class/drm"])).status == "absent"
    assert pci.scan(recorded(listings={BUS: []})).status == "absent"
    assert pci.scan(recorded()).status == "unrecorded"


def test_cards_of_the_graphics_folder_where_the_bus_was_not_recorded(recorded: Any) -> None:
    folder = "/sys/class/drm/card1/device"
    box = recorded(
        {f"{folder}/class": "0x030000", f"{folder}/vendor": "0x8086", f"{folder}/device": "0x56a0"},
        links={"/sys/class/drm/renderD128": "x"},
    )
    answer: Any = pci.scan(box)
    assert answer.status == "unrecorded"
    assert [d.pci_id for d in answer.value] == ["8086:56a0"]


def test_what_lspci_printed_counts_in_a_recording(recorded: Any) -> None:
    box = recorded(
        commands={"lspci -nn": "01:00.0 3D controller [0302]: NVIDIA Corporation GA100 [A100] [10de:20b2] (rev a1)"}
    )
    answer: Any = pci.scan(box)
    assert answer.status == "unrecorded"
    assert [(d.pci_id, d.source) for d in answer.value] == [("10de:20b2", "lspci -nn")]


def test_a_cards_own_link_leads_to_its_device(recorded: Any) -> None:
    place = "pci0000:00/0000:00:01.0/0000:01:00.0"
    box = recorded(
        {f"/sys/devices/{place}/uevent": CARD}, links={"/sys/class/drm/card0": f"../../devices/{place}/drm/card0"}
    )
    assert [(d.address, d.pci_id) for d in pci.scan(box).value or ()] == [("0000:01:00.0", "10de:2684")]


def test_the_tree_of_devices_alone(recorded: Any) -> None:
    tree = "/sys/devices/pci0000:00"
    files = {
        f"{tree}/0000:00:02.0/uevent": "PCI_CLASS=30000\nPCI_ID=8086:A780\n",
        f"{tree}/0000:00:01.0/0000:01:00.0/uevent": CARD,
    }
    answer = pci.scan(recorded(files))
    assert answer.status == "unrecorded"
    assert [d.pci_id for d in answer.value or ()] == ["8086:a780", "10de:2684"]
