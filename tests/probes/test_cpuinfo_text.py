"""Texts that describe a processor."""

from __future__ import annotations

import json
from typing import Any

import pytest
from torchdoctor.probes.cpuinfo_text import parse_bsd_boot, parse_cpuid, parse_cpuinfo, parse_isainfo, parse_lscpu

FLAGS = "fpu cx8 cmov mmx fxsr sse sse2 syscall lm pni ssse3 cx16 sse4_1 sse4_2 popcnt lahf_lm hypervisor"
X86 = f"processor\t: 0\nvendor_id\t: GenuineIntel\nmodel name\t: Intel(R)   Xeon(R)  CPU\nflags\t\t: {FLAGS}\n\n"


def arm_core(number: Any, part: Any, features: Any) -> Any:
    return f"processor\t: {number}\nFeatures\t: {features}\nCPU implementer\t: 0x41\nCPU architecture: 8\nCPU part\t: {part}\n\n"


def test_x86() -> None:
    reading: Any = parse_cpuinfo(X86 * 2)
    assert (reading.family, reading.vendor, reading.model, reading.level) == (
        "x86",
        "GenuineIntel",
        "Intel(R) Xeon(R) CPU",
        "x86-64-v2",
    )
    assert "hypervisor" in reading.features
    assert "avx" not in reading.features


@pytest.mark.parametrize(
    "change", [lambda t: t.replace("\n", "\r\n"), lambda t: t[: len(t) * 2 // 3], lambda t: "\0" + t]
)
def test_x86_survives_what_happens_to_texts(change: Any) -> None:
    reading: Any = parse_cpuinfo(change(X86 * 2))
    assert reading.level == "x86-64-v2"


def test_cores_that_differ_have_what_all_of_them_have() -> None:
    little = arm_core(0, "0xd05", "fp asimd aes crc32 atomics fphp asimdhp asimdrdm lrcpc dcpop asimddp")
    big = arm_core(4, "0xd46", "fp asimd aes crc32 atomics fphp asimdhp asimdrdm lrcpc dcpop asimddp sve sve2")
    reading: Any = parse_cpuinfo(little + big)
    assert reading.model == "Cortex-A55 + Cortex-A510"
    assert reading.vendor == "Arm"
    assert reading.level == "armv8.2-a"
    assert "sve2" not in reading.features
    turned: Any = parse_cpuinfo(big + little)
    assert (turned.level, set(turned.features)) == (reading.level, set(reading.features))


def test_a_32_bit_process_on_a_64_bit_core_has_no_64_bit_level() -> None:
    reading: Any = parse_cpuinfo(arm_core(0, "0xd08", "half thumb fastmult vfp edsp neon vfpv3 tls vfpv4 crc32"))
    assert (reading.family, reading.level, reading.model) == ("arm32", None, "Cortex-A72")
    assert "neon" in reading.features


def test_old_kernels_print_one_block_for_all() -> None:
    text = "Processor\t: ARMv7 Processor rev 3 (v7l)\nprocessor\t: 0\nprocessor\t: 1\n\nFeatures\t: swp half thumb neon\nHardware\t: X\n"
    reading: Any = parse_cpuinfo(text)
    assert (reading.family, reading.model) == ("arm32", "ARMv7 Processor rev 3 (v7l)")


@pytest.mark.parametrize(
    ("text", "family", "model", "features"),
    [
        ("processor : 0\ncpu : POWER9, altivec supported\nclock : 3800MHz\n", "ppc", "POWER9", ("altivec",)),
        ("vendor_id : IBM/S390\nfeatures : esan3 zarch vx\nprocessor 0: version = FF,  identification = 1,  machine = 8561\n", "s390", "machine 8561", ("esan3", "zarch", "vx")),
        ("hart : 1\nisa : rv64imafdcv_zicsr\nuarch : sifive,u74-mc\n", "riscv", "sifive,u74-mc", ("rv64", "i", "m", "a", "f", "d", "c", "v", "zicsr")),
        ("CPU Family : Loongson-64bit\nModel Name : Loongson-3A5000\nFeatures : cpucfg lam ual fpu lsx lasx\n", "loongarch", "Loongson-3A5000", ("cpucfg", "lam", "ual", "fpu", "lsx", "lasx")),
    ],
)  # fmt: skip
def test_other_architectures(text: Any, family: Any, model: Any, features: Any) -> None:
    reading: Any = parse_cpuinfo(text)
    assert (reading.family, reading.model, reading.features, reading.level) == (family, model, features, None)


@pytest.mark.parametrize("text", ["", "\0\0\0", "flags :", "Features", "CPU part: 0xd0c", ":::", "isa : mips"])
def test_what_is_no_processor(text: Any) -> None:
    assert parse_cpuinfo(text) is None


def test_lscpu_in_another_language() -> None:
    text = f"Architektur:   x86_64\nVendor ID:  GenuineIntel\nModellname:  X\nMarkierungen:   {FLAGS}\n"
    reading: Any = parse_lscpu(text)
    assert (reading.level, reading.vendor) == ("x86-64-v2", "GenuineIntel")


def test_lscpu_as_json() -> None:
    rows = [{"field": "Architecture:", "data": "aarch64"}, {"field": "Vendor ID:", "data": "ARM", "children": [
        {"field": "Model name:", "data": "Neoverse-N1"}, {"field": "Flags:", "data": "fp asimd aes crc32 atomics asimdrdm dcpop"}]}]  # fmt: skip
    reading: Any = parse_lscpu(json.dumps({"lscpu": rows}))
    assert (reading.model, reading.level, reading.vendor) == ("Neoverse-N1", "armv8.2-a", "Arm")


def test_lscpu_of_two_kinds_of_cores() -> None:
    text = "Architecture: aarch64\nVendor ID: ARM\nModel name: Cortex-A55\nModel name: Cortex-A76\nFlags: fp asimd crc32 atomics asimdrdm dcpop\n"
    reading: Any = parse_lscpu(text)
    assert reading.model == "Cortex-A55 + Cortex-A76"


def test_a_damaged_vendor_is_none() -> None:
    reading: Any = parse_cpuinfo(X86.replace("GenuineIntel", "Genu\0neIntel"))
    assert (reading.vendor, reading.level) == (None, "x86-64-v2")


def test_lscpu_without_flags_names_at_least_the_core() -> None:
    reading: Any = parse_lscpu("Architecture: aarch64\nVendor ID: ARM\nModel name: Cortex-A53\n")
    assert (reading.model, reading.vendor, reading.features, reading.level) == ("Cortex-A53", "Arm", None, None)
    assert parse_lscpu("lscpu: failed\n") is parse_lscpu("{") is parse_lscpu('{"lscpu": 3}') is None


def test_freebsd() -> None:
    text = (
        "CPU: Intel(R) Core(TM) i5-4690 CPU @ 3.50GHz (3492.15-MHz K8-class CPU)\n"
        '  Origin="GenuineIntel"  Id=0x306c3\n  Features=0xbfebfbff<FPU,CX8,CMOV,MMX,FXSR,SSE,SSE2>\n'
        "  Features2=0x7ffafbbf<SSE3,SSSE3,FMA,CX16,SSE4.1,SSE4.2,MOVBE,POPCNT,XSAVE,OSXSAVE,AVX,F16C>\n"
        "  AMD Features=0x2c100800<SYSCALL,NX,LM>\n  AMD Features2=0x21<LAHF,ABM>\n"
        "  Structured Extended Features=0x2fbb<BMI1,AVX2,BMI2>\n"
    )
    reading: Any = parse_bsd_boot(text)
    assert (reading.level, reading.vendor, reading.model) == (
        "x86-64-v3",
        "GenuineIntel",
        "Intel(R) Core(TM) i5-4690 CPU @ 3.50GHz",
    )
    assert parse_bsd_boot("nothing") is None


def test_illumos() -> None:
    text = (
        "64-bit amd64 applications\n\tavx2 fma bmi2 bmi1 f16c avx xsave movbe sse4.2 sse4.1 ssse3 amd_lzcnt popcnt ahf cx16 sse3\n"
        "\tsse2 sse fxsr mmx cmov amd_sysc cx8 tsc fpu\n32-bit i386 applications\n\tsse2\n"
    )
    reading: Any = parse_isainfo(text)
    assert reading.level == "x86-64-v3"
    assert parse_isainfo("32-bit i386 applications\n\tsse2") is None


CPUID = (
    "CPU 0:\n   0x00000000 0x00: eax=0x0000000d ebx=0x756e6547 ecx=0x6c65746e edx=0x49656e69\n"
    "   0x00000001 0x00: eax=0x000306c3 ebx=0x00100800 ecx={ecx} edx=0xbfebfbff\n"
    "   0x00000007 0x00: eax=0x00000000 ebx=0x000027ab ecx=0x00000000 edx=0x00000000\n"
    "   0x80000001 0x00: eax=0x00000000 ebx=0x00000000 ecx=0x00000021 edx=0x2c100800\n"
)


def test_raw_cpuid_of_the_tool() -> None:
    reading: Any = parse_cpuid(CPUID.format(ecx="0x7ffafbbf"))
    assert (reading.vendor, reading.level, reading.model) == ("GenuineIntel", "x86-64-v3", None)


def test_wide_registers_that_the_system_does_not_enable_are_not_there() -> None:
    reading: Any = parse_cpuid(CPUID.format(ecx="0x77fafbbf"))
    assert reading.level == "x86-64-v2"
    assert not {"avx", "avx2", "fma"} & set(reading.features)


def test_raw_cpuid_as_rows() -> None:
    rows = "0, 0, 13, 1970169159, 1818588270, 1231384169\n1, 0, 198339, 0, 0, 3219913727\n2147483650, 0, 1752445233, 99999999999, 0, 0\n"
    reading: Any = parse_cpuid(rows)
    assert (reading.vendor, reading.level) == ("GenuineIntel", None)
    assert parse_cpuid("1, 2, 3") is parse_cpuid("") is None
