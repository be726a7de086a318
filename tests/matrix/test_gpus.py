"""GPUs by PCI id and by name: what programs print, what people type, what must stay unknown."""

from __future__ import annotations

import pytest
from torchdoctor.matrix.gpu_names import read_name
from torchdoctor.matrix.gpus import (
    amd_by_name,
    by_name,
    by_pci,
    intel_by_name,
    intel_gpu,
    nvidia_by_name,
    nvidia_by_pci,
)
from torchdoctor.matrix.tables import rows

NVIDIA = {
    # as nvidia-smi prints
    "Tesla V100-SXM2-16GB": "7.0",
    "Tesla P100-PCIE-16GB": "6.0",
    "NVIDIA A100 80GB PCIe": "8.0",
    "NVIDIA A100-SXM4-80GB": "8.0",
    "Quadro RTX 6000": "7.5",
    "NVIDIA RTX 6000 Ada Generation": "8.9",
    "NVIDIA RTX A4000": "8.6",
    "NVIDIA H100 PCIe": "9.0",
    "NVIDIA H100 80GB HBM3": "9.0",
    "NVIDIA GH200 480GB": "9.0",
    "NVIDIA GB200": "10.0",
    "NVIDIA B300 SXM6 AC": "10.3",
    "NVIDIA GB10": "12.1",
    "NVIDIA Thor": "11.0",
    "Orin (nvgpu)": "8.7",
    "NVIDIA T4G": "7.5",
    "NVIDIA GeForce RTX 4090 D": "8.9",
    "NVIDIA GeForce RTX 5090 Laptop GPU": "12.0",
    "NVIDIA GeForce RTX 3050 6GB Laptop GPU": "8.6",
    "NVIDIA GeForce GTX 1650 with Max-Q Design": "7.5",
    "NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition": "12.0",
    "NVIDIA TITAN X (Pascal)": "6.1",
    "NVIDIA GeForce GTX TITAN X": "5.2",
    "GeForce RTX 4090 (UUID: GPU-0f3a)": "8.9",
    # virtual GPUs and slices are their board
    "GRID T4-4C": "7.5",
    "GRID V100D-8C": "7.0",
    "NVIDIA A40-48Q": "8.6",
    "NVIDIA A100-SXM4-80GB MIG 3g.40gb": "8.0",
    "GRID K520": "3.0",
    # as lspci prints
    "NVIDIA Corporation AD102 [GeForce RTX 4090] (rev a1)": "8.9",
    "NVIDIA Corporation GP107M [GeForce GTX 1050 Ti Mobile] (rev a1)": "6.1",
    "NVIDIA Corporation Device 2b85 (rev a1)": "12.0",
    "01:00.0 VGA compatible controller [0300]: NVIDIA Corporation GA102 [GeForce RTX 3090] [10de:2204] (rev a1)": "8.6",
    "NVIDIA Corporation GK208B [GeForce GT 710] (rev a1)": "3.5",  # the chip settles an ambiguous name
    # as OpenGL and people write
    "GeForce RTX 4090/PCIe/SSE2": "8.9",
    "4090": "8.9",
    "rtx 3060 ti": "8.6",
    "RTX3090": "8.6",
    "1080 Ti": "6.1",
    "a6000": "8.6",
    "Palit GeForce RTX 3080": "8.6",
    "2x RTX 3090": "8.6",
    "Tesla A100": "8.0",
    "NVIDIA Jetson AGX Orin Developer Kit": "8.7",
    "Jetson Nano": "5.3",
}
AMD = {
    "AMD Radeon RX 7900 XTX": "gfx1100",
    "RX 7900XTX": "gfx1100",
    "7900 xtx": "gfx1100",
    "AMD Radeon RX 6700 XT": "gfx1031",
    "Radeon RX 6800M": "gfx1031",
    "Radeon RX 6800S": "gfx1032",
    "Radeon 780M": "gfx1103",
    "AMD Radeon(TM) 8060S Graphics": "gfx1151",
    "AMD RYZEN AI MAX+ 395 w/ Radeon 8060S": "gfx1151",
    "MI300X": "gfx942",
    "AMD Instinct MI300X OAM": "gfx942",
    "AMD INSTINCT MI250 (MCM) OAM AC MBA": "gfx90a",
    "AMD Instinct MI250X / MI250": "gfx90a",
    "Radeon RX 580 Series": "gfx803",
    "AMD Radeon RX 6600 XT (navi23, LLVM 15.0.7, DRM 3.49, 6.2.0)": "gfx1032",
    "Advanced Micro Devices, Inc. [AMD/ATI] Navi 31 [Radeon RX 7900 XT/7900 XTX/7900 GRE/7900M] (rev c8)": "gfx1100",
    "Advanced Micro Devices, Inc. [AMD/ATI] Raphael (rev c1)": "gfx1036",
    "AMD Radeon RX 9070 XT": "gfx1201",
    "AMD Radeon Graphics (gfx1103)": "gfx1103",
    "AMD Radeon Graphics (RADV GFX1103_R1)": "gfx1103",
    "Sapphire Radeon RX 580": "gfx803",
}
UNKNOWN = [
    ("NVIDIA GeForce ...", "nvidia"),  # a cut name is no name
    ("NVIDIA RTX PRO 6000 Blac...", "nvidia"),
    ("GeForce GT 730", "nvidia"),  # sold on three chips
    ("NVIDIA GeForce GTX 860M", "nvidia"),
    ("RTX 6000", "nvidia"),  # Turing or Ada
    ("6000", "nvidia"),
    ("Graphics Device", "nvidia"),
    ("GeForce RTX 9090", "nvidia"),
    ("AMD Radeon Graphics", "amd"),
    ("AMD Radeon(TM) Graphics", "amd"),
    ("Radeon Pro Vega 20", "amd"),  # gfx904 or gfx906
    ("AMD Radeon(TM) RX Vega 10 Graphics", "amd"),  # a processor's graphics, not the chip called Vega 10
    ("AMD Radeon(TM) Vega 8 Graphics", "amd"),
    ("Radeon RX 6750 GRE", "amd"),
    ("GeForce RTX 3050 X", "nvidia"),  # a letter may mean another chip
    ("Intel(R) Graphics", "intel"),
    ("", "nvidia"),
    ("[[[[((((", "nvidia"),
]


@pytest.mark.parametrize(("name", "cc"), NVIDIA.items())
def test_nvidia_names(name: str, cc: str) -> None:
    known = nvidia_by_name(name)
    assert known is not None and known.compute_capability == cc


@pytest.mark.parametrize(("name", "gfx"), AMD.items())
def test_amd_names(name: str, gfx: str) -> None:
    known = amd_by_name(name)
    assert known is not None and known.gfx == gfx


@pytest.mark.parametrize(("name", "vendor"), UNKNOWN)
def test_a_name_that_settles_nothing_stays_unknown(name: str, vendor: str) -> None:
    assert by_name(name, vendor) is None


def test_every_name_of_the_tables_finds_itself() -> None:
    wrong = [
        (row["name"], known)
        for row in rows("nvidia_gpus.json", "names")
        if (known := nvidia_by_name(row["name"])) is None or known.compute_capability != row["compute_capability"]
    ]
    wrong += [
        (row["name"], known)
        for row in rows("amd_gpus.json", "names")
        if (known := amd_by_name(row["name"])) is None or known.gfx != row["gfx"]
    ]
    assert wrong == []


def test_every_ambiguous_name_stays_ambiguous() -> None:
    names = [row["name"] for row in rows("nvidia_gpus.json", "ambiguous")]
    assert [name for name in names if nvidia_by_name(f"NVIDIA {name}") is not None] == []


@pytest.mark.parametrize(
    ("name", "platform", "xpu", "integrated"),
    [
        ("Intel(R) Arc(TM) B580 Graphics", "Battlemage", True, False),
        ("Arc B580", "Battlemage", True, False),
        ("DG2 [Arc A770]", "Alchemist / Flex", True, False),
        ("Intel(R) Data Center GPU Max 1550", "Ponte Vecchio", True, False),
        ("Intel(R) Graphics [0xe223]", "Battlemage", True, False),
        ("Lunar Lake [Intel Arc Graphics 130V / 140V]", "Lunar Lake", True, True),
        ("Intel(R) UHD Graphics 770", "Alder/Raptor Lake S", False, True),
        ("Intel(R) UHD Graphics 620", None, False, True),  # older than the table
        ("Intel(R) Arc(TM) Graphics", None, True, True),  # several platforms: what they share
        ("Intel(R) Iris(R) Xe Graphics", None, False, None),
    ],
)
def test_intel_names(name: str, platform: str | None, xpu: bool, integrated: bool | None) -> None:
    known = intel_by_name(name)
    assert known is not None and (known.platform, known.xpu, known.integrated) == (platform, xpu, integrated)


def test_an_intel_id_outside_the_table_is_in_no_xpu_build() -> None:
    known = intel_gpu("8086:0102", "Sandy Bridge")
    assert known is not None and known.xpu is False and known.confidence == "inferred"
    assert intel_gpu(None, None) is None
    assert intel_gpu(None, "Intel(R) Graphics") is None


def test_a_long_hostile_name_is_read_in_bounds() -> None:
    printed = read_name("NVIDIA " + "[(" * 200_000 + "RTX 4090", "nvidia")
    assert len("".join(printed.spellings)) < 300
    assert nvidia_by_name("RTX 4090\x00\x1b[31m" + "/" * 100_000) is not None


def test_by_pci_needs_a_vendor_for_a_bare_id() -> None:
    assert by_pci("2684") is None
    assert by_pci("2684", "nvidia") == nvidia_by_pci("2684")
    assert by_pci("1234:5678") is None
