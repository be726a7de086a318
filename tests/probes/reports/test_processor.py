from __future__ import annotations

from collections.abc import Callable

import pytest
from torchdoctor.probes.facts import Facts
from torchdoctor.probes.reports.pasted import read_text

_FLAGS = "fpu vme de pse tsc msr pae sse sse2 ssse3 sse4_1 sse4_2 popcnt"


@pytest.mark.parametrize(
    "labels",
    [
        ("Architektur", "Byte-Reihenfolge", "Anbieterkennung", "Modellname", "Markierungen"),
        ("Architecture ", "Boutisme ", "Identifiant constructeur ", "  Nom de modèle ", "    Drapaux "),
        ("Arquitectura", "Orden de los bytes", "ID de fabricante", "Nombre del modelo", "Indicadores"),
        ("アーキテクチャ", "バイト順序", "ベンダー ID", "モデル名", "フラグ"),
        ("Архитектура", "Порядок байт", "ID прроизводителя", "Имя модели", "Флаги"),
        ("架構", "Byte Order", "供應商識別號", "型號名稱", "旗標"),
    ],
)
def test_translated_labels(facts_of: Callable[[str], Facts], labels: tuple[str, ...]) -> None:
    values = ("x86_64", "Little Endian", "GenuineIntel", "Intel(R) Pentium(R) CPU N4200 @ 1.10GHz", _FLAGS)
    text = "".join(f"{label}:      {value}\n" for label, value in zip(labels, values, strict=True))
    facts = facts_of(text)
    assert (facts.system.os, facts.system.machine, facts.cpu.vendor) == ("linux", "x86_64", "GenuineIntel")
    assert facts.cpu.model == values[3] and facts.cpu.features == tuple(_FLAGS.split())
    assert read_text(text, "x").kind == "lscpu"


def test_arm_core_in_another_language(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(
        "Architektur:  aarch64\nByte-Reihenfolge:  Little Endian\nAnbieterkennung:  ARM\nModellname:  Cortex-A72\n"
        "Markierungen:  fp asimd evtstrm crc32 cpuid extra more\n"
    )
    assert (facts.system.machine, facts.cpu.vendor, facts.cpu.model) == ("aarch64", "ARM", "Cortex-A72")
    assert facts.cpu.features is not None and facts.cpu.features[:2] == ("fp", "asimd")


def test_words_about_byte_order_are_no_dump(facts_of: Callable[[str], Facts]) -> None:
    text = "The order: it is Little Endian and that is fine\nowner: ARM\nmade by: AMD people\n"
    assert (facts_of(text).cpu.vendor, facts_of(text).cpu.model) == (None, None)
    assert read_text(text, "x").kind == "free_text"


def test_processor_dumps(facts_of: Callable[[str], Facts]) -> None:
    text = "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel name\t: Intel(R) Core(TM)2 Duo CPU\nflags\t\t: fpu vme de pse tsc msr sse2 ssse3\n"
    facts = facts_of(text)
    assert (facts.cpu.model, facts.system.os) == ("Intel(R) Core(TM)2 Duo CPU", "linux")
    assert facts.cpu.features == ("fpu", "vme", "de", "pse", "tsc", "msr", "sse2", "ssse3")
    assert read_text(text, "x").kind == "cpuinfo"


def test_arm_parts(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(
        "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd08\nFeatures\t: fp asimd evtstrm crc32 cpuid aes\n"
    )
    assert (facts.cpu.model, facts.system.machine) == ("Cortex-A72", "aarch64")


def test_instructions_in_a_sentence(facts_of: Callable[[str], Facts]) -> None:
    more = " ".join(f"x{n}" for n in range(20))
    facts = facts_of(f"What it can do, flags: fpu vme lm {more}\n")
    assert facts.cpu.features is not None and facts.cpu.features[:3] == ("fpu", "vme", "lm")
    assert (facts.system.os, facts.system.machine) == ("linux", "x86_64")
    assert facts_of("flags: fpu and so on\n").cpu.features is None


@pytest.mark.parametrize(("answer", "ids"), [("0", ["no-avx2-said"]), ("8", []), ("", [])])
def test_a_count_of_none_is_an_answer(facts_of: Callable[[str], Facts], answer: str, ids: list[str]) -> None:
    facts = facts_of(f"$ grep -c avx2 /proc/cpuinfo\n{answer}\n")
    assert [s.id for s in facts.symptoms or ()] == ids


def test_arm_parts_are_a_dump_of_the_processor() -> None:
    assert read_text("CPU implementer\t: 0x41\nCPU part\t: 0xd0c\n", "x").kind == "cpuinfo"
