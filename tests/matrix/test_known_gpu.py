from __future__ import annotations

from dataclasses import replace

import pytest
from torchdoctor.matrix.known_gpu import KnownGpu, device_of, shared

ADA = KnownGpu(vendor="nvidia", name="RTX 4000", pci_id="10de:27b2", chip="AD104", compute_capability="8.9")


@pytest.mark.parametrize(
    ("pci_id", "vendor", "device"),
    [
        ("10de:2684", "10de", "2684"),
        (" 10DE:2684 ", "10de", "2684"),
        ("0x10de:0x2684", "10de", "2684"),
        ("2684", "10de", "2684"),
        ("1002:2684", "10de", None),
    ],
)
def test_the_device_half_of_an_id(pci_id: str, vendor: str, device: str | None) -> None:
    assert device_of(pci_id, vendor) == device


def test_what_rows_have_in_common() -> None:
    other = replace(ADA, pci_id="10de:27b0", confidence="secondary")
    found = shared([ADA, other])
    assert found is not None
    assert (found.name, found.chip, found.compute_capability) == ("RTX 4000", "AD104", "8.9")
    assert found.pci_id is None  # several devices are meant
    assert shared([ADA]) == ADA


def test_rows_that_disagree_on_the_code_settle_nothing() -> None:
    assert shared([ADA, replace(ADA, compute_capability="7.5")]) is None
    assert shared([KnownGpu(vendor="amd", name="Radeon Graphics")]) is None
    assert shared([]) is None


def test_only_intel_has_platforms() -> None:
    assert KnownGpu(vendor="intel", chip="Battlemage").platform == "Battlemage"
    assert ADA.platform is None
