from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from torchdoctor.probes.kernels import Code, describe, machine_of, needed, read_code
from torchdoctor.probes.live import LiveHost

Binaries = dict[str, Callable[..., Any]]


def _library(binaries: Binaries, containers: list[list[str]], **more: Any) -> bytes:
    data: bytes = binaries["elf"]({".text": b"x" * 40, ".nv_fatbin": binaries["fat_binary"](containers, **more)})
    return data


def test_architectures_of_every_container_are_what_it_was_built_for(binaries: Binaries) -> None:
    data = _library(binaries, [["sm_75", "sm_80", "sm_90"]] * 9 + [["sm_75", "sm_80", "sm_90", "sm_90a", "sm_103"]])
    code = read_code(data)
    assert code is not None
    assert (code.containers, code.looked) == (10, 10)
    assert code.built_for == ("sm_75", "sm_80", "sm_90")
    assert code.any == ("sm_75", "sm_80", "sm_90", "sm_90a", "sm_103")
    assert code.names["sm_90a"] == 1


def test_ptx_is_named_apart_from_machine_code(binaries: Binaries) -> None:
    code = read_code(_library(binaries, [["sm_90", "compute_120"]]))
    assert code is not None
    assert code.built_for == ("compute_120", "sm_90")


def test_zero_padding_between_containers_is_stepped_over(binaries: Binaries) -> None:
    code = read_code(_library(binaries, [["sm_80"], ["sm_80"], ["sm_80"]], padding=24))
    assert code is not None
    assert code.names == {"sm_80": 3}


def test_a_large_library_is_sampled_unless_every_part_counts(binaries: Binaries) -> None:
    data = _library(binaries, [["sm_80"]] * 499 + [["sm_80", "sm_121a"]])
    sampled, whole = read_code(data), read_code(data, sample=None)
    assert sampled is not None and whole is not None
    assert sampled.containers == 500 and sampled.looked < 130
    assert sampled.built_for == whole.built_for == ("sm_80",)
    assert whole.any == ("sm_80", "sm_121a")
    assert "any" not in describe(data)
    assert describe(data, every=True)["any"] == ("sm_80", "sm_121a")


def test_a_library_without_gpu_code_has_none(binaries: Binaries) -> None:
    assert read_code(binaries["elf"]({".text": b"abc"})) == Code()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"not a library",
        b"\x7fELF\x02\x01\x01",
        b"\x7fELF\x01\x01\x01" + bytes(80),
        b"MZ" + bytes(62),
        b"MZ" + bytes(58) + struct.pack("<I", 1 << 30),
    ],
)
def test_what_is_no_whole_library_is_unknown(data: bytes) -> None:
    assert read_code(data) is None
    assert needed(data) is None


def test_a_section_that_holds_something_else_is_unknown(binaries: Binaries) -> None:
    assert read_code(binaries["elf"]({".nv_fatbin": b"\1" * 64})) is None


def test_an_entry_of_no_size_does_not_hang(binaries: Binaries) -> None:
    entry = bytearray(64)
    struct.pack_into("<HHIQ", entry, 0, 2, 1, 0, 0)
    section = struct.pack("<IHHQ", 0xBA55ED50, 1, 16, 64) + bytes(entry)
    assert read_code(binaries["elf"]({".nv_fatbin": section})) is None


def test_a_cut_library_gives_what_is_there(binaries: Binaries) -> None:
    whole = _library(binaries, [["sm_80"]] * 4)
    code = read_code(whole[: len(whole) // 2])
    assert code is None or code.containers <= 4


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=400), st.integers(0, 200))
def test_hostile_bytes_never_raise(noise: bytes, at: int) -> None:
    section = struct.pack("<IHHQ", 0xBA55ED50, 1, 16, 96) + noise
    head = b"\x7fELF\x02\x01\x01" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", 3, 62, 1, 0, 0, at, 0, 64, 0, 0, 64, 3, 2)
    for data in (noise, head + section, b"MZ" + noise):
        read_code(data)
        needed(data)
        machine_of(data)


def test_targets_of_an_offload_bundle(binaries: Binaries) -> None:
    data = binaries["elf"](
        {".pad": b"\0" * (4096 - 64), ".hip_fatbin": binaries["hip_bundle"](["gfx1100", "gfx90a:xnack-"])}
    )
    code = read_code(data)
    assert code is not None
    assert code.built_for == ("gfx1100", "gfx90a")


def test_compressed_bundles_hide_their_targets(binaries: Binaries) -> None:
    assert read_code(binaries["elf"]({".hip_fatbin": b"CCOB" + bytes(60)})) is None


def test_libraries_asked_of_the_loader(binaries: Binaries) -> None:
    data = binaries["elf"]({".text": b"x"}, needs=["libcudart.so.13", "libc.so.6"])
    assert needed(data) == ("libcudart.so.13", "libc.so.6")


@pytest.mark.parametrize(
    ("head", "machines"),
    [
        (b"\xcf\xfa\xed\xfe" + struct.pack("<I", 0x0100000C), ("aarch64",)),
        (
            b"\xca\xfe\xba\xbe"
            + struct.pack(">I", 2)
            + struct.pack(">I", 0x01000007)
            + bytes(16)
            + struct.pack(">I", 0x0100000C),
            ("x86_64", "aarch64"),
        ),
        (b"\xca\xfe\xba\xbe" + struct.pack(">I", 61) + bytes(40), None),
        (b"MZ" + bytes(58) + struct.pack("<I", 64) + b"PE\0\0" + struct.pack("<H", 0xAA64), ("aarch64",)),
        (b"MZ" + bytes(58) + struct.pack("<I", 64) + b"XX\0\0" + struct.pack("<H", 0xAA64), None),
        (b"\x7fELF\x02\x01" + bytes(12) + struct.pack("<H", 183), ("aarch64",)),
        (b"\x7fELF\x02\x01" + bytes(12) + struct.pack("<H", 9999), None),
        (b"#!/bin/sh", None),
        (b"", None),
    ],
)
def test_machine_of_a_binary(head: bytes, machines: tuple[str, ...] | None) -> None:
    assert machine_of(head) == machines


def test_the_live_host_maps_the_file(binaries: Binaries, tmp_path: Any) -> None:
    path = tmp_path / "libtorch_cuda.so"
    path.write_bytes(_library(binaries, [["sm_75", "compute_75"]]))
    assert LiveHost().code(str(path)).value == {"built_for": ("compute_75", "sm_75"), "any": ("compute_75", "sm_75")}
    (tmp_path / "empty").write_bytes(b"")
    assert LiveHost().code(str(tmp_path / "empty")).value is None
    assert LiveHost().code(str(tmp_path / "gone")).absent
    assert LiveHost().code(str(tmp_path)).status == "failed"
