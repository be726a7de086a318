from __future__ import annotations

import pytest
from torchdoctor.matrix.gpu_names import read_name
from torchdoctor.matrix.intel_gpus import intel_by_pci, platform_in, word_in


def test_intel_by_pci() -> None:
    arc, flex, old = intel_by_pci("8086:e20b"), intel_by_pci("8086:56c0"), intel_by_pci("8086:9a49")
    assert arc is not None and (arc.platform, arc.xpu, arc.integrated) == ("Battlemage", True, False)
    assert flex is not None and (flex.platform, flex.xpu) == ("Alchemist / Flex", False)
    assert old is not None and (old.platform, old.xpu, old.integrated) == ("Tiger Lake", False, True)
    assert intel_by_pci("8086:5912") is None


@pytest.mark.parametrize(
    ("text", "platform"),
    [
        ("Lunar Lake [Intel Arc Graphics 130V / 140V]", "Lunar Lake"),
        ("Battlemage G21 [Intel Graphics]", "Battlemage"),
        ("Intel UHD Graphics 620", None),
    ],
)
def test_the_platform_before_the_bracket(text: str, platform: str | None) -> None:
    found = platform_in(read_name(text, "intel"))
    assert (found.platform if found else None) == platform
    assert found is None or found.name is None  # the platform is known, the device is not


@pytest.mark.parametrize(
    ("text", "xpu", "integrated"), [("HD Graphics 530", False, True), ("Intel(R) UHD Graphics 620", False, True)]
)
def test_graphics_older_than_the_table(text: str, xpu: bool, integrated: bool) -> None:
    found = word_in(read_name(text, "intel"))
    assert found is not None and (found.xpu, found.integrated, found.pci_id) == (xpu, integrated, None)


def test_a_word_that_settles_nothing() -> None:
    assert word_in(read_name("Intel Graphics", "intel")) is None
    assert intel_by_pci("1002:e20b") is None
