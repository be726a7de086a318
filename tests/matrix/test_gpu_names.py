"""Names taken apart: vendors, brackets, board words, slices, hostile text."""

from __future__ import annotations

import pytest
from torchdoctor.matrix.gpu_names import NameIndex, guess_vendor, read_name


@pytest.mark.parametrize(
    ("name", "pci_id", "vendor"),
    [
        ("Quadro P2000", None, "nvidia"),
        ("AMD Radeon Graphics", None, "amd"),
        ("Intel(R) Arc(TM) A770", None, "intel"),
        ("Apple M2", None, "apple"),
        (None, "8086:e20b", "intel"),
        ("Microsoft Basic Display Adapter", None, None),
        ("llvmpipe (LLVM 15)", "1234:1111", None),
        (None, None, None),
    ],
)
def test_vendor(name: str | None, pci_id: str | None, vendor: str | None) -> None:
    assert guess_vendor(name, pci_id) == vendor


@pytest.mark.parametrize(
    ("text", "vendor", "spellings", "pci_id", "gfx"),
    [
        ("NVIDIA GeForce RTX 4090", "nvidia", ("nvidia geforce rtx 4090",), None, None),
        (
            "NVIDIA Corporation AD102 [GeForce RTX 4090] [10de:2684] (rev a1)",
            "nvidia",
            ("geforce rtx 4090", "nvidia corporation ad102"),
            "10de:2684",
            None,
        ),
        ("NVIDIA GeForce RTX 3080/PCIe/SSE2", "nvidia", ("nvidia geforce rtx 3080",), None, None),
        ("AMD Ryzen 7 7840U w/ Radeon 780M Graphics", "amd", ("radeon 780m graphics",), None, None),
        ("AMD Radeon RX 7900 XTX (radeonsi, gfx1100)", "amd", ("amd radeon rx 7900 xtx",), None, "gfx1100"),
        ("Intel(R) Graphics [0xe223]", "intel", ("intel  graphics",), "8086:e223", None),
        ("", "nvidia", (), None, None),
    ],
)
def test_a_printed_name_taken_apart(
    text: str, vendor: str, spellings: tuple[str, ...], pci_id: str | None, gfx: str | None
) -> None:
    printed = read_name(text, vendor)
    assert tuple(" ".join(s.split()) for s in printed.spellings) == tuple(" ".join(s.split()) for s in spellings)
    assert (printed.pci_id, printed.gfx, printed.cut) == (pci_id, gfx, False)


def test_a_cut_name_is_no_name() -> None:
    for text in ("NVIDIA GeForce RTX 40...", "AMD Radeon RX 79…"):
        printed = read_name(text, "nvidia")
        assert printed.cut and printed.spellings == ()


def test_a_slice_is_told_from_its_board() -> None:
    assert read_name("NVIDIA A40-48Q", "nvidia").vgpu
    assert not read_name("NVIDIA A40", "nvidia").vgpu
    assert read_name("NVIDIA A100-SXM4-80GB MIG 3g.40gb", "nvidia").spellings == ("nvidia a100-sxm4-80gb",)


def test_the_strictest_spelling_that_is_known_counts() -> None:
    index = NameIndex(
        "nvidia", ["GeForce RTX 4090", "GeForce RTX 4090 Laptop GPU", "RTX 6000 Ada Generation", "Quadro RTX 6000"]
    )
    assert index.find("GeForce RTX 4090") == (0,)
    assert index.find("GeForce RTX 4090 Laptop GPU") == (1,)
    assert index.find("rtx4090") == (0, 1)  # what the rows share is another's affair
    assert index.find("RTX 6000 Ada") == (2,)
    assert index.find("Palit GeForce RTX 4090") == (0, 1)
    assert index.find("GeForce RTX 4091") == ()
    assert index.find("") == ()


def test_a_hostile_name_is_read_in_bounds() -> None:
    printed = read_name("[(" * 100_000 + "gfx1100 10de:2684", "nvidia")
    assert (printed.pci_id, printed.gfx) == (None, None)
    assert len("".join(printed.spellings)) < 300
