from __future__ import annotations

from collections.abc import Callable

from torchdoctor.probes.facts import Facts
from torchdoctor.probes.reports.pasted import read_text

_BLOCKS = """CPU: 0
    SMU:
        FW_VERSION: 85.90.0
GPU: 0
    ASIC:
        MARKET_NAME: AMD Instinct MI300A
        VENDOR_ID: 0x1002
        DEVICE_ID: 0x74A0
        TARGET_GRAPHICS_VERSION: gfx942
    BUS:
        BDF: 0000:01:00.0
GPU: 1
    ASIC:
        MARKET_NAME: N/A
        TARGET_GRAPHICS_VERSION: gfx1100
"""
_TABLE = """+------------------------------------------------------------------------------+
| AMD-SMI 26.1.0+5df6c765      amdgpu version: {}  ROCm version: 7.1.0    |
|-------------------------------------+----------------------------------------|
| BDF                        GPU-Name | Mem-Uti   Temp   UEC       Power-Usage |
| GPU  HIP-ID  OAM-ID  Partition-Mode | GFX-Uti    Fan               Mem-Usage |
|=====================================+========================================|
| 0000:83:00.0 AMD Instinct MI300X VF | 0 %      37 C    0           160/750 W |
|   0       0       3        SPX/NPS1 | 0 %        N/A           285/196288 MB |
"""


def test_blocks(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(_BLOCKS)
    assert facts.gpus is not None
    assert [(g.name, g.gfx, g.pci_id) for g in facts.gpus] == [
        ("AMD Instinct MI300A", "gfx942", "1002:74a0"),
        (None, "gfx1100", None),
    ]
    assert read_text(_BLOCKS, "x").kind == "amd_smi"


def test_json(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(
        '[\n {\n  "gpu": 0,\n  "asic": {\n   "market_name": "AMD Radeon AI PRO R9700",\n   "device_id": "0x7551",\n'
        '   "target_graphics_version": "gfx1201"\n  }\n }\n]\n'
    )
    assert facts.gpus is not None
    assert [(g.name, g.gfx, g.pci_id) for g in facts.gpus] == [("AMD Radeon AI PRO R9700", "gfx1201", "1002:7551")]


def test_table(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(_TABLE.format("6.16.13"))
    assert facts.gpus is not None
    assert [g.name for g in facts.gpus] == ["AMD Instinct MI300X VF"]
    assert (facts.drivers.amdgpu.version, facts.runtimes.rocm) == ("6.16.13", "7.1.0")


def test_the_kernels_own_driver_has_no_version_of_its_own(facts_of: Callable[[str], Facts]) -> None:
    assert facts_of(_TABLE.format("6.17.0-7")).drivers.amdgpu.version is None


def test_blocks_without_a_device_are_no_gpu(facts_of: Callable[[str], Facts]) -> None:
    assert facts_of("amd-smi monitor\nGPU: 0\n    POWER: 12 W\n").gpus is None


def test_json_in_one_line(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(
        '{"gpu_data": [{"gpu": 0, "asic": {"market_name": "AMD Instinct MI210", "device_id": "0x740f"}}]}\n'
    )
    assert facts.gpus is not None
    assert [(g.name, g.pci_id) for g in facts.gpus] == [("AMD Instinct MI210", "1002:740f")]
