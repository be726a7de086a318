"""The compute driver's list of nodes."""

from __future__ import annotations

from typing import Any

import pytest
from torchdoctor.probes import kfd


@pytest.mark.parametrize(
    ("number", "gfx"),
    [
        (90010, "gfx90a"), (90012, "gfx90c"), (90402, "gfx942"), (90500, "gfx950"), (100306, "gfx1036"),
        (110501, "gfx1151"), (110502, "gfx1152"), (120001, "gfx1201"), (120500, "gfx1250"), (80003, "gfx803"),
        (0, None), (42, None), (99999999, None), (119900, None),
    ],
)  # fmt: skip
def test_the_number_is_decimal_the_name_hexadecimal(number: Any, gfx: Any) -> None:
    assert kfd.gfx_of(number) == gfx


def test_a_processor_is_no_gpu() -> None:
    assert kfd.gpu_of({"cpu_cores_count": 32, "simd_count": 0, "gfx_target_version": 0, "vendor_id": 4130}) is None
    assert kfd.gpu_of({}) is None


def test_old_kernels_do_not_tell_the_target() -> None:
    gpu: Any = kfd.gpu_of({"simd_count": 256, "vendor_id": 4098, "device_id": 0x6860, "location_id": 768})
    assert (gpu.pci_id, gpu.gfx, gpu.address) == ("1002:6860", None, "0000:03:00.0")


def test_graphics_inside_the_processor_share_its_node() -> None:
    gpu: Any = kfd.gpu_of({"cpu_cores_count": 8, "simd_count": 40, "gfx_target_version": 90002})
    assert gpu.integrated is True


def test_partitions_are_one_card(host: Any) -> None:
    answer: Any = kfd.scan(host("linux-mi300x-two-cards-partitioned"))
    assert answer.ok
    assert [(g.gfx, g.address) for g in answer.value] == [("gfx942", "0000:05:00.0"), ("gfx942", "0000:26:00.0")]


def test_nodes_that_may_not_be_read_are_said(host: Any, recorded: Any) -> None:
    answer: Any = kfd.scan(host("container-mi210-denied"))
    assert (answer.status, answer.value) == ("denied", ())
    assert "1 of the nodes" in answer.detail
    assert kfd.scan(recorded({f"{kfd.NODES}/0/properties": ""}, listings={kfd.NODES: ["0"]})).status == "denied"


def test_memory_is_the_frame_buffer_alone(recorded: Any) -> None:
    node = f"{kfd.NODES}/1"
    box = recorded({
        f"{node}/properties": "simd_count 96\ngfx_target_version 110000\nlocation_id 768\n",
        f"{node}/mem_banks/0/properties": "heap_type 1\nsize_in_bytes 25753026560\n",
        f"{node}/mem_banks/1/properties": "heap_type 0\nsize_in_bytes 99\n",
    })  # fmt: skip
    assert [g.memory for g in kfd.scan(box).value or ()] == [25753026560]


def test_lines_that_are_no_numbers() -> None:
    assert kfd.parse_properties("simd_count x\nvendor_id 4098\n\nname\nbig " + "9" * 40) == {"vendor_id": 4098}
