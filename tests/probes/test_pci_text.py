"""Layouts of lspci and its like."""

from __future__ import annotations

from typing import Any

import pytest
from torchdoctor.probes.pci_text import parse_lspci, parse_lstopo, parse_udevadm

NN = """00:00.0 Host bridge [0600]: Intel Corporation Device [8086:a700] (rev 01)
01:00.0 VGA compatible controller [0300]: NVIDIA Corporation GP102 [GeForce GTX 1080 Ti] [10de:1b06] (rev a1)
\tSubsystem: ASUSTeK Computer Inc. Device [1043:85e4]
\tKernel driver in use: nouveau
"""
PLAIN = """00:02.0 VGA compatible controller: Cirrus Logic GD 5446
03:00.0 Display controller: Advanced Micro Devices, Inc. [AMD/ATI] Aldebaran [Instinct MI210] (rev 02)
04:00.0 Ethernet controller: Intel Corporation 82598EB (rev 01)
"""
BLOCKS = """Slot:\t0000:01:00.0
Class:\t3D controller [0302]
Vendor:\tNVIDIA Corporation [10de]
Device:\tGA100 [A100 PCIe 80GB] [20b5]
Driver:\tnvidia

Slot:\t0000:02:00.0
Class:\t0300
Vendor:\t1a03
Device:\t2000
"""


def test_numbers_beside_names_and_the_driver_line() -> None:
    card = parse_lspci(NN)[1]
    assert (card.address, card.pci_id, card.class_code, card.driver, card.name) == (
        "01:00.0", "10de:1b06", "0300", "nouveau", "GeForce GTX 1080 Ti",
    )  # fmt: skip


def test_numbers_alone() -> None:
    (card,) = parse_lspci("0000:01:00.0 0302: 10de:20b0 (rev a1)\n")
    assert (card.pci_id, card.class_code, card.name) == ("10de:20b0", "0302", None)


def test_names_alone_give_a_vendor_and_no_id() -> None:
    (card,) = parse_lspci(PLAIN)
    assert (card.vendor, card.pci_id, card.class_code, card.name) == ("1002", None, "0380", "Instinct MI210")


@pytest.mark.parametrize("text", [BLOCKS, BLOCKS.replace("\n", "\r\n")])
def test_blocks(text: Any) -> None:
    cards = parse_lspci(text)
    assert [(c.address, c.pci_id, c.class_code, c.driver) for c in cards] == [
        ("0000:01:00.0", "10de:20b5", "0302", "nvidia"),
        ("0000:02:00.0", "1a03:2000", "0300", None),
    ]


def test_blocks_with_names_alone_give_nothing() -> None:
    assert parse_lspci("Slot:\t00:01.0\nClass:\tVGA compatible controller\nVendor:\tVMware\nDevice:\tSVGA II\n") == []


def test_udev_records() -> None:
    text = "P: /devices/pci0000:00/x\nE: PCI_CLASS=38000\nE: PCI_ID=1002:740C\nE: SUBSYSTEM=pci\nE: DRIVER=amdgpu\n\nP: /y\nE: SUBSYSTEM=drm\n"
    (card,) = parse_udevadm(text)
    assert (card.pci_id, card.class_code, card.driver) == ("1002:740c", "0380", "amdgpu")


def test_lstopo() -> None:
    text = '<object type="PCIDev" pci_busid="0000:0a:00.0" pci_type="0380 [1002:66a1] [1002:0834] 02" name="x"/>'
    assert [(d.address, d.pci_id, d.class_code) for d in parse_lstopo(text)] == [("0000:0a:00.0", "1002:66a1", "0380")]


@pytest.mark.parametrize("text", ["", "\0\0", "lspci: command not found", "01:00.0", "01:00.0 :", "Slot:\n\nSlot:"])
def test_other_text_gives_nothing(text: Any) -> None:
    assert parse_lspci(text) == parse_udevadm(text) == parse_lstopo(text) == []


@pytest.mark.parametrize(
    "line",
    [
        '01:00.0 "3D controller [0302]" "NVIDIA Corporation [10de]" "GA100 [A100 PCIe 80GB] [20b5]" -ra1 "NVIDIA [10de]" "Device [1533]"',
        '01:00.0 "0302" "10de" "20b5" -ra1 "10de" "1533"',
    ],
)
def test_quoted(line: str) -> None:
    (card,) = parse_lspci(line)
    assert (card.address, card.pci_id, card.class_code) == ("01:00.0", "10de:20b5", "0302")


def test_quoted_names_alone() -> None:
    assert parse_lspci('00:02.0 "VGA compatible controller" "VMware" "SVGA II Adapter" ""') == []
