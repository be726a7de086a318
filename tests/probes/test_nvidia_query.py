"""What nvidia-smi answers to the one question."""

from __future__ import annotations

from typing import Any

import pytest
from torchdoctor.probes.nvidia_query import QUERIES, Queried, parse_query, state_of

LINE = "0, NVIDIA GeForce RTX 4090, 0x268410DE, 00000000:01:00.0, 8.9, 580.95.05, 24564"


def test_a_line() -> None:
    assert parse_query(LINE) == [
        Queried(
            name="NVIDIA GeForce RTX 4090", pci_id="10de:2684", address="0000:01:00.0", compute_capability="8.9",
            driver="580.95.05", memory=24564 << 20,
        )
    ]  # fmt: skip


def test_the_old_question_has_no_capability() -> None:
    (gpu,) = parse_query("0, Tesla K80, 0x102D10DE, 00000000:05:00.0, 390.46, 11441\n", QUERIES[1][1])
    assert (gpu.name, gpu.compute_capability, gpu.driver) == ("Tesla K80", None, "390.46")


def test_cells_that_say_nothing() -> None:
    text = "0, NVIDIA GB10, 0x2E1210DE, 0000000F:01:00.0, 12.1, 580.126.09, [N/A]\n1, ERR!, 0x20B010DE, 0000:9:0, [Unknown Error], [N/A], ERR!\n"
    spark, dead = parse_query(text)
    assert (spark.address, spark.memory) == ("000f:01:00.0", None)
    assert dead == Queried(pci_id="10de:20b0", address="0000:9:0")


def test_a_cut_or_missing_name_is_no_name() -> None:
    assert parse_query(LINE.replace("RTX 4090", "RTX ..."))[0].name is None
    assert parse_query(LINE.replace("NVIDIA GeForce RTX 4090", "Graphics Device"))[0].name is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "No devices were found",
        'Field "compute_cap" is not a valid field to query.',
        "a, b, c",
        ", , , , , , ",
        LINE + ", more",
    ],
)
def test_words_are_no_gpu(text: Any) -> None:
    assert parse_query(text) == []


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure", "not-loaded"),
        ("Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 570.124", "mismatch"),
        ("No devices were found", "no-devices"),
        ("Failed to initialize NVML: Unknown Error", "nvml"),
        ('Field "compute_cap" is not a valid field to query.', "old"),
        (LINE, None),
    ],
)  # fmt: skip
def test_complaints(text: Any, state: Any) -> None:
    assert state_of(text) == state
