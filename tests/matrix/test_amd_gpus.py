from __future__ import annotations

from torchdoctor.matrix.amd_gpus import amd_by_pci, integrated_gfx, names, of_gfx, row_of


def test_amd_by_pci() -> None:
    card, processor = amd_by_pci("1002:744c"), amd_by_pci("164e")
    assert card is not None and (card.gfx, card.integrated, card.chip) == ("gfx1100", False, "Navi 31")
    assert processor is not None and (processor.gfx, processor.integrated) == ("gfx1036", True)
    assert amd_by_pci("1002:0000") is None
    assert (integrated_gfx("gfx1151"), integrated_gfx("gfx942"), integrated_gfx("gfx9999")) == (True, False, None)


def test_a_target_without_a_name() -> None:
    gpu = of_gfx("gfx1100", "primary")
    assert (gpu.vendor, gpu.gfx, gpu.architecture, gpu.integrated, gpu.name) == (
        "amd",
        "gfx1100",
        "RDNA 3",
        False,
        None,
    )
    unknown = of_gfx("gfx9999", "inferred")
    assert (unknown.architecture, unknown.integrated, unknown.confidence) == (None, None, "inferred")


def test_names_lead_to_targets_and_ambiguous_ones_to_none() -> None:
    index, held = names()
    (row,) = index.find("Radeon RX 7900 XTX")
    assert row_of(held[row]).gfx == "gfx1100"
    several = [row_of(row) for row in held if row["gfx"] is None]
    assert several and all(gpu.gfx is None and gpu.name for gpu in several)
    assert index.find("Radeon RX 99999") == ()


def test_an_id_of_another_vendor_is_none_of_amds() -> None:
    assert amd_by_pci("10de:744c") is None
    assert amd_by_pci("") is None
