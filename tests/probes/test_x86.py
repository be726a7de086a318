"""Levels from flags."""

from __future__ import annotations

from typing import Any

import pytest
from torchdoctor.probes import x86

V1 = "fpu cx8 cmov mmx fxsr sse sse2 lm"
V2 = f"{V1} pni ssse3 cx16 sse4_1 sse4_2 popcnt lahf_lm"
V3 = f"{V2} fma movbe xsave avx f16c abm bmi1 avx2 bmi2"
V4 = f"{V3} avx512f avx512dq avx512cd avx512bw avx512vl"


@pytest.mark.parametrize(
    ("flags", "level"),
    [
        (V1, "x86-64-v1"), (V2, "x86-64-v2"), (V3, "x86-64-v3"), (V4, "x86-64-v4"),
        (V3 + " avx512f", "x86-64-v3"),
        (V4.replace("abm", ""), "x86-64-v2"),  # every level needs those below it
        (V2.replace("cx16", ""), "x86-64-v1"),
        (V1.replace("lm", ""), None),  # 32 bit
        ("", None),
    ],
)  # fmt: skip
def test_level(flags: Any, level: Any) -> None:
    assert x86.level(x86.normal_flags(flags.split())) == level


def test_other_systems_spell_them_differently() -> None:
    mac = "FPU CX8 CMOV MMX FXSR SSE SSE2 SSE3 SSSE3 CX16 SSE4.1 SSE4.2 POPCNT LAHF EM64T"
    assert x86.level(x86.normal_flags(mac.split())) == "x86-64-v2"


def test_features_are_sorted_and_leave_out_what_decides_nothing() -> None:
    flags = x86.normal_flags([*V3.split(), "amx_tile", "avx512_bf16", "hypervisor", "rdrand", "nx"])
    found = x86.features(flags)
    assert list(found) == sorted(found)
    assert {"amx_tile", "avx512_bf16", "hypervisor", "avx2", "sse2", "sse4_1"} <= set(found)
    assert not {"rdrand", "nx", "fpu", "cmov"} & set(found)
