"""Names of cores, levels from features."""

from __future__ import annotations

from typing import Any

import pytest
from torchdoctor.probes import arm

A72 = "fp asimd evtstrm aes pmull sha1 sha2 crc32 cpuid"
N1 = f"{A72} atomics fphp asimdhp asimdrdm lrcpc dcpop asimddp ssbs"
V1 = f"{N1} jscvt fcma sha3 sm3 sm4 sha512 sve asimdfhm dit uscat ilrcpc flagm paca pacg dcpodp i8mm bf16 dgh rng"
GRACE = f"{V1} sb flagm2 frint sve2 sveaes bti"
M1 = f"{N1} jscvt fcma dit uscat ilrcpc flagm sb paca pacg dcpodp flagm2 frint"
AMPERE_ONE = f"{M1} bti i8mm bf16 rng ecv"


@pytest.mark.parametrize(
    ("features", "level"),
    [
        (A72, "armv8.0-a"), (f"{A72} atomics asimdrdm", "armv8.1-a"), (N1, "armv8.2-a"), (V1, "armv8.4-a"),
        (M1, "armv8.4-a"), (AMPERE_ONE, "armv8.6-a"), (f"{AMPERE_ONE} afp", "armv8.7-a"),
        (GRACE, "armv9.0-a"), (f"{GRACE} ecv", "armv9.1-a"), (f"{GRACE} ecv afp", "armv9.2-a"),
        (f"{A72} sve2", "armv9.0-a"),
        ("half thumb fastmult vfp edsp neon vfpv4 crc32", None), ("", None),
    ],
)  # fmt: skip
def test_level(features: Any, level: Any) -> None:
    assert arm.level(features.split()) == level


def test_a_kernel_hides_ssbs_on_cores_with_an_erratum() -> None:
    assert arm.level(GRACE.replace("ssbs", "").split()) == "armv9.0-a"


@pytest.mark.parametrize(
    ("core", "name"),
    [
        (("0x41", "0xd0c"), "Neoverse-N1"), (("0x41", "0xD4F"), "Neoverse-V2"), (("0xc0", "0xac4"), "Ampere-1a"),
        (("0x4e", "0x004"), "Carmel"), (("0x41", "0xfff"), "part 0x41/0xfff"), (("", "junk"), "part /junk"),
    ],
)  # fmt: skip
def test_names(core: Any, name: Any) -> None:
    assert arm.core_name(*core) == name


def test_kinds_of_cores_keep_their_order_and_come_once() -> None:
    cores = [("0x41", "0xd05")] * 4 + [("0x41", "0xd0b")] * 4
    assert arm.names(cores) == "Cortex-A55 + Cortex-A76"
    assert arm.names([]) is None


def test_midr() -> None:
    assert arm.core_of_midr("0x00000000410fd0c1\n") == ("0x41", "0xd0c")
    assert arm.core_of_midr("0x00000000c00fac40") == ("0xc0", "0xac4")
    assert arm.core_of_midr("zz") is arm.core_of_midr("0x0") is arm.core_of_midr("0x" + "f" * 20) is None


def test_auxiliary_vector() -> None:
    assert arm.features_of_hwcaps({16: 0b1_0000_0010, 26: 1 << 14}) == ("asimd", "atomics", "bf16")
