"""The processor of a machine, by whichever way its system has."""

from __future__ import annotations

from typing import Any

from torchdoctor.probes import cpu


def test_linux(host: Any, probed: Any) -> None:
    facts = probed(cpu.probe, host("linux-rtx4090-open-580"))
    assert (facts.cpu.level, facts.cpu.vendor) == ("x86-64-v3", "GenuineIntel")
    assert facts.sources["cpu.level"] == "/proc/cpuinfo"


def test_a_guest_reports_what_it_sees(host: Any, probed: Any) -> None:
    facts = probed(cpu.probe, host("linux-vm-no-gpu"))
    assert facts.cpu.level == "x86-64-v1"
    assert "avx" not in facts.cpu.features


def test_emulation_shows_the_hosts_file(recorded: Any, probed: Any) -> None:
    files = {"/proc/cpuinfo": "vendor_id : GenuineIntel\nflags : fpu cx8 cmov mmx fxsr sse sse2 lm\n"}
    facts = probed(cpu.probe, recorded(files, machine="aarch64"))
    assert facts.cpu.level is None
    assert "another processor" in facts.unknown["cpu.features"]
    vector = {"uname.machine": "aarch64", "auxv:16": 0b1_0000_0010}
    facts = probed(cpu.probe, recorded(files, machine="aarch64", values=vector))
    assert facts.cpu.features == ("asimd", "atomics")
    assert facts.sources["cpu.features"] == "auxiliary vector"


def test_registers_name_the_core_where_nothing_else_does(recorded: Any, probed: Any) -> None:
    path = "/sys/devices/system/cpu/cpu{}/regs/identification/midr_el1"
    files = {path.format(0): "0x00000000410fd871\n", path.format(1): "0x00000000410fd850\n"}
    facts = probed(cpu.probe, recorded(files))
    assert facts.cpu.model == "Cortex-A725 + Cortex-X925"
    assert facts.cpu.level is None


def test_a_recorded_command_counts(recorded: Any, probed: Any) -> None:
    facts = probed(
        cpu.probe, recorded(commands={"lscpu": "Architecture: x86_64\nFlags: fpu cx8 cmov mmx fxsr sse sse2 lm\n"})
    )
    assert facts.cpu.level == "x86-64-v1"
    assert facts.sources["cpu.level"] == "lscpu"


def test_nothing_recorded_is_nothing_known(recorded: Any, probed: Any) -> None:
    facts = probed(cpu.probe, recorded())
    assert facts.cpu == type(facts.cpu)()
    assert "/proc/cpuinfo" in facts.unknown["cpu.features"]


def test_apple_silicon(host: Any, probed: Any) -> None:
    facts = probed(cpu.probe, host("mac-m4-pro"))
    assert (facts.cpu.model, facts.cpu.level, facts.cpu.vendor) == ("Apple M4 Pro", "armv8.7-a", "Apple")
    assert {"bf16", "i8mm", "sme2"} <= set(facts.cpu.features)


def test_a_macos_that_does_not_know_a_feature_leaves_the_level_open(recorded: Any, probed: Any) -> None:
    keys = "LSE RDM CRC32 DPB FCMA JSCVT LRCPC DotProd FlagM LRCPC2 LSE2"  # DIT came later
    lines = [
        "machdep.cpu.brand_string: Apple M1",
        "hw.optional.AdvSIMD: 1",
        *(f"hw.optional.arm.FEAT_{k}: 1" for k in keys.split()),
    ]
    said = recorded(commands={"sysctl -a": "\n".join(lines)}, system="macos")
    assert probed(cpu.probe, said).cpu.level is None
    assert "atomics" in probed(cpu.probe, said).cpu.features
    complete = recorded(
        commands={"sysctl -a": "\n".join([*lines, "hw.optional.arm.FEAT_DIT: 1", "hw.optional.arm.FEAT_BTI: 0"])},
        system="macos",
    )
    assert probed(cpu.probe, complete).cpu.level == "armv8.4-a"


def test_a_translated_process_sees_the_flags_of_the_translation(host: Any, probed: Any) -> None:
    facts = probed(cpu.probe, host("mac-rosetta-python"))
    assert (facts.cpu.vendor, facts.cpu.level) == ("VirtualApple", "x86-64-v2")


def test_windows_says_some_features_and_no_level(host: Any, probed: Any) -> None:
    facts = probed(cpu.probe, host("windows-rtx4080-stale-1060"))
    assert facts.cpu.model == "Intel(R) Core(TM) i7-14700K"
    assert "avx2" in facts.cpu.features
    assert "avx512f" not in facts.cpu.features
    assert facts.cpu.level is None


def test_an_old_windows_that_knows_none_of_the_numbers_proves_nothing(recorded: Any, probed: Any) -> None:
    values = {f"processor_feature:{n}": n in (3, 6, 10, 13) for n in (3, 6, 10, 13, 14, 17, 36, 37, 38, 39, 40, 41)}
    facts = probed(cpu.probe, recorded(system="windows", values=values))
    assert facts.cpu.features is None


def test_windows_on_arm(recorded: Any, probed: Any) -> None:
    key = "HKLM\\HARDWARE\\DESCRIPTION\\System\\CentralProcessor\\0"
    values = {
        "Identifier": "ARMv8 (64-bit) Family 8 Model 1 Revision 201",
        "ProcessorNameString": "Snapdragon(R) X Elite",
    }
    facts = probed(
        cpu.probe,
        recorded(
            system="windows",
            registry={key: values},
            values={"processor_feature:34": True, "processor_feature:19": True},
        ),
    )
    assert facts.cpu.model == "Snapdragon(R) X Elite"
    assert facts.cpu.features == ("asimd", "atomics")


def test_an_exported_registry_counts(recorded: Any, probed: Any) -> None:
    text = (
        "\ufeffWindows Registry Editor Version 5.00\r\n\r\n"
        "[HKEY_LOCAL_MACHINE\\HARDWARE\\DESCRIPTION\\System\\CentralProcessor\\0]\r\n"
        '"ProcessorNameString"="AMD EPYC 7302 16-Core Processor"\r\n"VendorIdentifier"="AuthenticAMD"\r\n'
    ).encode("utf-16-le")
    facts = probed(cpu.probe, recorded(commands={"registry export": text}, system="windows"))
    assert (facts.cpu.model, facts.cpu.vendor) == ("AMD EPYC 7302 16-Core Processor", "AuthenticAMD")
    assert facts.cpu.features is None


def test_a_processor_object_counts(recorded: Any, probed: Any) -> None:
    text = "\r\nAddressWidth=64\r\nCaption=AMD64 Family 25\r\nManufacturer=AuthenticAMD\r\nName=AMD Ryzen 9 5950X\r\n"
    facts = probed(cpu.probe, recorded(commands={"wmic cpu get * /value": text.encode("utf-16")}, system="windows"))
    assert (facts.cpu.model, facts.cpu.vendor) == ("AMD Ryzen 9 5950X", "AuthenticAMD")
