from __future__ import annotations

import pytest
from torchdoctor.probes.reports import names


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("GPU: 3x NVIDIA RTX 4090 24 GB", [("nvidia", "NVIDIA RTX 4090", 3)]),
        ("ubuntu server with eight 3090 gpus", [("nvidia", "GeForce RTX 3090", 8)]),
        ("Tesla K80 and two Tesla K40c cards", [("nvidia", "Tesla K80", 1), ("nvidia", "Tesla K40c", 2)]),
        ("2x Intel Arc Pro B60 (24GB each)", [("intel", "Intel Arc Pro B60", 2)]),
        ("Radeon RX9070", [("amd", "Radeon RX9070", 1)]),
        ("T4:1 (gcp)", [("nvidia", "T4", 1)]),
        ("on 2 GPU NVIDIA-A100-SXM4-80GB-MIG-3g.40gb", [("nvidia", "NVIDIA-A100-SXM4-80GB-MIG-3g.40gb", 2)]),
        (
            "NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition",
            [("nvidia", "NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition", 1)],
        ),
        ("Ryzen 7700X / Intel Arc A770 (DG2)", [("intel", "Intel Arc A770", 1)]),
        ("AMD RYZEN AI MAX+ 395 w/ Radeon 8060S", [("amd", "Radeon 8060S", 1)]),
        ("Apple M2 Max", [("apple", "Apple M2 Max", 1)]),
        ("INTEL ARC A770 16GB", [("intel", "Intel Arc A770", 1)]),
        ("Intel ARC b580", [("intel", "Intel Arc B580", 1)]),
        ("Nvidia GEFORCE RTX 3060 TI", [("nvidia", "NVIDIA GeForce RTX 3060 Ti", 1)]),
        ("a Gtx 1660ti", [("nvidia", "GTX 1660Ti", 1)]),
        ("Rtx a4000", [("nvidia", "RTX A4000", 1)]),
        ("tesla v100", [("nvidia", "Tesla V100", 1)]),
        ("AMD RADEON RX 7900 XTX", [("amd", "AMD Radeon RX 7900 XTX", 1)]),
        ("geforce 940mx", [("nvidia", "GeForce 940MX", 1)]),
        ("an arc of 90 degrees, part b580", []),
        ("no GPU is named here", []),
    ],
)
def test_find_gpus(text: str, found: list[tuple[str, str, int]]) -> None:
    got = [(n.fields["vendor"], n.fields["name"], n.count) for n in names.find_gpus(text, labelled=True)]
    assert got == found


def test_short_names_need_a_label() -> None:
    assert names.find_gpus("section A10 of the manual") == []
    assert names.find_gpus("A10", labelled=True)[0].fields["name"] == "A10"
    assert names.find_gpus("8x V100 here")[0].count == 8
    assert names.find_gpus("a V100 32GB here")[0].fields["name"] == "V100"
    assert names.find_gpus("2x A2 and 4x 30 pages") == []


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("AMD Radeon RX 7900 XTX (gfx1100)", {"vendor": "amd", "gfx": "gfx1100", "name": "AMD Radeon RX 7900 XTX"}),
        (
            "AMD Instinct MI300X (gfx942:sramecc+:xnack-)",
            {"vendor": "amd", "gfx": "gfx942", "name": "AMD Instinct MI300X"},
        ),
        ("NVIDIA GeForce ...", {"vendor": "nvidia"}),
        ("NVIDIA H200 (...)", {"vendor": "nvidia", "name": "NVIDIA H200"}),
        ("NVIDIA L4 |", {"vendor": "nvidia", "name": "NVIDIA L4"}),
        ("Graphics Device", {}),
        ("gfx1030", {"vendor": "amd", "gfx": "gfx1030"}),
    ],
)
def test_gpu_from_name(name: str, fields: dict[str, str]) -> None:
    assert names.gpu_from_name(name) == fields


@pytest.mark.parametrize(
    ("text", "cc"),
    [
        ("compute capability 8.9", "8.9"),
        ("which is of compute capability (CC) 12.1", "12.1"),
        ("with CUDA capability sm_120 is", "12.0"),
        ("capability = (9, 0)", "9.0"),
        ("CC: 7.5", "7.5"),
        ("sm_61", "6.1"),
        ("nothing", None),
    ],
)
def test_compute_capability(text: str, cc: str | None) -> None:
    assert names.compute_capability(text) == cc


def test_gfx_targets() -> None:
    assert names.gfx_target("amdgcn-amd-amdhsa--gfx90a:sramecc+") == "gfx90a"
    assert names.gfx_target("gfx11-generic") is None
    assert names.gfx_target("GFX Version gfx9010") == "gfx90a"
    assert names.gfx_targets("several gfx908 and gfx1030, gfx908") == ["gfx908", "gfx1030"]


def test_ids_and_memory() -> None:
    assert names.pci_id("Intel Arc B580 [8086:B080] (rev 04)") == "8086:b080"
    assert names.pci_id("Subsystem: [1d72:2424]") is None
    assert names.intel_device_id("Intel(R) Graphics [0xe211]") == "8086:e211"
    assert names.memory_bytes("24576 MiB") == 24576 * 1024**2
    assert names.memory_bytes("20 GB") == 20 * 1024**3
    assert names.memory_bytes("none") is None
    assert names.is_integrated("an iGPU") is True
    assert names.is_integrated("a card") is None
