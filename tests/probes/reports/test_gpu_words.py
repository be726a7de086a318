from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from torchdoctor.probes.facts import Facts
from torchdoctor.probes.reports.gpu_words import put_gpu_blocks, put_named_gpus, put_numbered_gpus, xpu_fields
from torchdoctor.probes.reports.reading import PRINTED, Reading, open_reading


def _gpus(reading: Reading) -> list[dict[str, Any]]:
    return [fields for rows in reading.gpu_lists for fields, _ in rows.gpus]


def test_a_line_that_names_gpus_with_what_stands_beside_them() -> None:
    reading = open_reading("x")
    put_named_gpus(reading, 0, "2x NVIDIA GeForce RTX 4090 (compute capability 8.9)", PRINTED)
    assert [(g["vendor"], g["compute_capability"]) for g in _gpus(reading)] == [("nvidia", "8.9")] * 2
    reading = open_reading("x")
    put_named_gpus(reading, 0, "AMD Radeon RX 7900 XTX (gfx1100)", PRINTED)
    assert [g["gfx"] for g in _gpus(reading)] == ["gfx1100"]
    reading = open_reading("x")
    put_named_gpus(reading, 0, "nothing of the kind", PRINTED)
    assert _gpus(reading) == []


def test_numbers_count_the_cards() -> None:
    reading = open_reading("x\ny")
    put_numbered_gpus(reading, 0, "gpu 0,1", "NVIDIA H100 NVL", PRINTED)
    put_numbered_gpus(reading, 1, "gpu 0,1 compute capability", "9.0", PRINTED)
    names, capabilities = (rows for rows in reading.gpu_lists)
    assert [g["name"] for g, _ in names.gpus] == ["NVIDIA H100 NVL"] * 2 and names.complete
    assert [g["compute_capability"] for g, _ in capabilities.gpus] == ["9.0"] * 2
    put_numbered_gpus(reading, 0, "gpu memory", "24 GB", PRINTED)
    put_numbered_gpus(reading, 0, "gpu 0", "None", PRINTED)
    assert len(reading.gpu_lists) == 2


def test_the_block_whose_lines_carry_no_number() -> None:
    reading = open_reading(
        "GPU models and configuration: \nNVIDIA A100-SXM4-80GB\nNVIDIA A100-SXM4-80GB\n\nNvidia driver: 1\n"
    )
    put_gpu_blocks(reading, PRINTED)
    assert [g["name"] for g in _gpus(reading)] == ["NVIDIA A100-SXM4-80GB"] * 2
    reading = open_reading("GPU models and configuration: Could not collect\n")
    put_gpu_blocks(reading, PRINTED)
    assert _gpus(reading) == []


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        (
            "Intel(R) Graphics [0xe211]",
            {"vendor": "intel", "name": "Intel(R) Graphics [0xe211]", "pci_id": "8086:e211"},
        ),
        (
            "_XpuDeviceProperties(name='Intel(R) Arc(TM) A770', total_memory=15473 MB, device_id=0x56A0)",
            {"vendor": "intel", "name": "Intel(R) Arc(TM) A770", "pci_id": "8086:56a0", "memory": 15473 << 20},
        ),
        ("[0]: Intel(R) Arc(TM) A770", {"vendor": "intel", "name": "Intel(R) Arc(TM) A770"}),
    ],
)
def test_a_device_of_intel(text: str, fields: dict[str, object]) -> None:
    assert xpu_fields(text) == fields


def test_a_survey_adds_clock_and_place_to_the_name(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(
        "GPU 1: Intel UHD Graphics 770 @ 1.50 GHz [Integrated]\nGPU 2: NVIDIA GeForce RTX 4070 [Discrete]\n"
    )
    assert facts.gpus is not None
    assert {g.name for g in facts.gpus} == {"Intel UHD Graphics 770", "NVIDIA GeForce RTX 4070"}


def test_what_the_runtime_detects_names_an_intel_gpu(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(
        "Intel GPU models onboard:\n* Intel Corporation DG2 [Arc A770] (rev 08)\nIntel GPU models detected:\n"
        "* [0] _XpuDeviceProperties(name='Intel(R) Arc(TM) A770 Graphics', total_memory=15473MB)\n"
    )
    assert facts.gpus is not None and [g.name for g in facts.gpus] == ["Intel(R) Arc(TM) A770 Graphics"]


def test_the_target_of_an_integrated_gpu_beside_a_card(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of("RX 7800 XT in rocminfo: Agent 2 gfx1101, Agent 3 gfx1036 (the iGPU)\n")
    assert facts.gpus is not None
    assert [(g.gfx, g.integrated) for g in facts.gpus] == [("gfx1101", None), ("gfx1036", True)]
    facts = facts_of("RX 6700 XT is gfx1031, I run it as gfx1030\n")
    assert facts.gpus is not None and [g.gfx for g in facts.gpus] == ["gfx1031"]


def test_the_rows_of_a_table_below_are_no_gpus(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of("| GPU models and configuration | GPU 0: NVIDIA L40S |\n| Nvidia driver version | 580.95.05 |\n")
    assert facts.gpus is not None and [g.name for g in facts.gpus] == ["NVIDIA L40S"]
    assert facts.drivers.nvidia.version == "580.95.05"
