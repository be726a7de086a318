from __future__ import annotations

import pytest
from torchdoctor.matrix.gpu_names import read_name
from torchdoctor.matrix.nvidia_gpus import architecture_of, board_in, chip_in, names, nvidia_by_pci, row_of


def test_nvidia_by_pci() -> None:
    known = nvidia_by_pci("10DE:2684")
    assert known is not None
    assert (known.name, known.chip, known.compute_capability, known.architecture, known.integrated) == (
        "GeForce RTX 4090",
        "AD102",
        "8.9",
        "Ada",
        False,
    )
    assert nvidia_by_pci("2684") == known
    assert known.confidence == "secondary"


def test_an_id_newer_than_the_table_is_placed_by_the_range_of_its_chip() -> None:
    known = nvidia_by_pci("10de:2b99")
    assert known is not None
    assert (known.name, known.chip, known.compute_capability, known.confidence) == (None, "GB202", "12.0", "inferred")


@pytest.mark.parametrize("pci_id", ["10de:ffff", "1002:2684", "10de:", "10de:zz", "", "10de:13cc"])
def test_unknown_nvidia_ids(pci_id: str) -> None:
    # 13cc lies where the ranges of two chips overlap: no range decides there.
    assert nvidia_by_pci(pci_id) is None


def test_a_chip_of_unknown_capability_is_named_and_no_more() -> None:
    known = nvidia_by_pci("10de:3340")
    assert known is not None and known.chip == "GB120" and known.compute_capability is None


def test_a_compute_capability_names_its_architecture() -> None:
    assert (architecture_of("8.9"), architecture_of("6.1"), architecture_of("99.9")) == ("Ada", "Pascal", None)


@pytest.mark.parametrize(
    ("text", "chip"),
    [("GP107M [GeForce GTX 1050 Ti Mobile]", "GP107"), ("AD102", "AD102"), ("GeForce RTX 4090", None), ("", None)],
)
def test_the_chip_before_the_bracket(text: str, chip: str | None) -> None:
    found = chip_in(read_name(text, "nvidia"))
    assert (found.chip if found else None) == chip


@pytest.mark.parametrize(
    ("text", "capability"),
    [
        ("Orin (nvgpu)", "8.7"),
        ("NVIDIA Jetson AGX Xavier Developer Kit", "7.2"),
        ("NVIDIA Jetson Nano", "5.3"),
        ("Nano", None),  # many things are
        ("GeForce RTX 4090", None),
    ],
)
def test_boards_by_the_words_of_their_name(text: str, capability: str | None) -> None:
    found = board_in(read_name(text, "nvidia"))
    assert (found.compute_capability if found else None) == capability
    # Whether the GPU of a board counts as integrated is not the table's to say.
    assert found is None or found.integrated is None


def test_a_name_on_several_chips_has_no_capability() -> None:
    index, held = names()
    (row,) = index.find("GeForce RTX 4090")
    assert row_of(held[row]).compute_capability == "8.9"
    ambiguous = [row_of(row) for row in held if row["compute_capability"] is None]
    assert ambiguous and all(gpu.architecture is None for gpu in ambiguous)
