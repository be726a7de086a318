from __future__ import annotations

import pytest
from torchdoctor.probes.pci_device import PciDevice, is_accelerated, parse_uevent, pci_class


def test_numbers() -> None:
    assert pci_class("0x030200") == pci_class("30200") == "0302"
    assert pci_class("") == pci_class("0x03zz00") == pci_class("0x0302000000") == ""
    assert parse_uevent("A=1\nnonsense\nB=x=y\r\n") == {"A": "1", "B": "x=y"}


@pytest.mark.parametrize(
    ("code", "accelerated", "display"),
    [
        ("0300", True, True),
        ("0302", True, True),
        ("1200", True, False),
        ("0b40", True, False),
        ("0604", False, False),
        ("", False, False),
    ],
)
def test_what_computes(code: str, accelerated: bool, display: bool) -> None:
    device = PciDevice(class_code=code)
    assert (is_accelerated(code), device.accelerated, device.display) == (accelerated, accelerated, display)


def test_an_id_needs_both_halves() -> None:
    assert PciDevice(vendor="10de", device="2684").pci_id == "10de:2684"
    assert PciDevice(vendor="10de").pci_id is None
