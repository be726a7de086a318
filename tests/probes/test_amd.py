"""AMD cards as bus and compute driver describe them."""

from __future__ import annotations

import time
from typing import Any

from torchdoctor.probes import amd, kfd, pci
from torchdoctor.probes.draft import Draft


def test_a_card_beside_the_processors_own_graphics(host: Any, probed: Any) -> None:
    facts = probed(amd.probe, host("linux-rx7900-beside-raphael"))
    assert [(g.pci_id, g.gfx, g.memory, g.driver) for g in facts.gpus] == [
        ("1002:744c", "gfx1100", 25753026560, "amdgpu"),
        ("1002:164e", "gfx1036", None, "amdgpu"),
    ]
    kfd = facts.devices["/dev/kfd"]
    assert (kfd.present, kfd.openable, kfd.group) == (True, False, "render")
    assert set(facts.devices) == {"/dev/kfd", "/dev/dri/renderD128", "/dev/dri/renderD129"}
    assert facts.drivers.amdgpu.version is None
    assert "kernel itself" in facts.unknown["drivers.amdgpu.version"]


def test_partitions_of_one_card_are_counted_once(host: Any, probed: Any) -> None:
    facts = probed(amd.probe, host("linux-mi300x-two-cards-partitioned"))
    assert [g.gfx for g in facts.gpus] == ["gfx942", "gfx942"]
    assert facts.drivers.amdgpu.version == "6.16.6"


def test_the_bus_tells_what_a_container_may_not_read(host: Any, probed: Any) -> None:
    facts = probed(amd.probe, host("container-mi210-denied"))
    assert [(g.pci_id, g.gfx) for g in facts.gpus] == [("1002:740f", None)]
    assert facts.devices["/dev/kfd"].openable is False
    assert facts.devices["/dev/dri"].present is False


def test_a_complete_bus_without_amd_says_so(host: Any) -> None:
    box = host("linux-vm-no-gpu")
    draft = Draft()
    amd.probe(box, draft, time.monotonic() + 5)
    assert draft.forget_no_gpus() == "/sys/bus/pci/devices"
    assert draft.value("drivers.amdgpu.version") == ""


def test_an_unknown_bus_says_nothing(recorded: Any) -> None:
    draft = Draft()
    amd.probe(recorded(), draft, time.monotonic() + 5)
    assert draft.forget_no_gpus() is None
    assert draft.build().gpus is None
    assert "gpus" in draft.build().unknown


def test_wsl_has_no_bus_and_may_have_a_gpu(host: Any) -> None:
    draft = Draft()
    amd.probe(host("wsl2-rtx5070"), draft, time.monotonic() + 5)
    assert draft.forget_no_gpus() is None


def test_two_equal_cards_pair_with_their_nodes_whatever_the_order(recorded: Any, probed: Any) -> None:
    bus, nodes = "/sys/bus/pci/devices", "/sys/class/kfd/kfd/topology/nodes"
    node = "simd_count 304\ngfx_target_version {}\nvendor_id 4098\ndevice_id 29857\nlocation_id {}\n"
    box = recorded(
        {
            f"{bus}/0000:05:00.0/uevent": "PCI_CLASS=120000\nPCI_ID=1002:74A1\n",
            f"{bus}/0000:26:00.0/uevent": "PCI_CLASS=120000\nPCI_ID=1002:74A1\n",
            f"{nodes}/1/properties": node.format(90402, 0x26 << 8),
            f"{nodes}/2/properties": node.format(90500, 5 << 8),
        }
    )
    assert [(f["address"], f["gfx"]) for f in (c.fields for c in amd.cards_of(
        list(pci.scan(box).value or ()), list(kfd.scan(box).value or ())
    ))] == [("0000:05:00.0", "gfx950"), ("0000:26:00.0", "gfx942")]  # fmt: skip
    assert len(probed(amd.probe, box).gpus) == 2


def test_a_container_that_was_given_one_of_two_cards_has_one(recorded: Any, probed: Any) -> None:
    bus, nodes = "/sys/bus/pci/devices", "/sys/class/kfd/kfd/topology/nodes"
    card = "DRIVER=amdgpu\nPCI_CLASS=38000\nPCI_ID=1002:740F\n"
    files = {
        f"{bus}/0000:05:00.0/uevent": card,
        f"{bus}/0000:26:00.0/uevent": card,
        f"{nodes}/1/properties": "simd_count 416\ngfx_target_version 90010\nlocation_id 9728\ndevice_id 29711\n",
    }
    box = recorded(files, listings={nodes: ["0", "1", "2"]}, denied=[f"{nodes}/2/properties"])
    assert [g.gfx for g in probed(amd.probe, box).gpus] == ["gfx90a"]


def test_the_bus_of_a_wsl_guest_proves_nothing(host: Any) -> None:
    draft = Draft()
    amd.probe(host("wsl2-rtx2070-with-bus"), draft, time.monotonic() + 5)
    assert draft.forget_no_gpus() is None
    assert "/dev/dxg" in draft.build().unknown["gpus"]
