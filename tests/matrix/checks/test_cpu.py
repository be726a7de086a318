"""Instructions that are missing, emulation, page sizes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from torchdoctor.matrix.verdict import Finding

Examine = Callable[..., dict[str, Finding]]
Machine = Callable[..., dict[str, Any]]
FULL = ["sse2", "sse4_1", "sse4_2", "lahf_lm", "avx", "avx2", "fma"]
IVY = ["sse2", "sse4_1", "sse4_2", "lahf_lm", "avx"]
NEHALEM = ["sse2", "sse4_1", "sse4_2", "lahf_lm"]
QEMU64 = ["sse2", "cx16", "lahf_lm", "hypervisor"]
SIGILL = [{"id": "illegal-instruction", "text": "Illegal instruction (core dumped)", "line": 3}]


@pytest.mark.parametrize(
    ("features", "symptoms", "expected"),
    [
        (FULL, [], {}),
        (FULL, SIGILL, {}),
        (IVY, [], {"cpu-lacks-avx2": "note"}),
        (IVY, SIGILL, {"cpu-lacks-avx2": "blocker"}),
        (NEHALEM, [], {"cpu-lacks-avx": "warning"}),
        (NEHALEM, SIGILL, {"cpu-lacks-avx": "blocker"}),
        (None, SIGILL, {}),
        ([], SIGILL, {}),
        (["fp", "asimd"], SIGILL, {}),
    ],
)
def test_avx(
    examine: Examine, machine: Machine, features: list[str] | None, symptoms: list[Any], expected: dict[str, str]
) -> None:
    found = examine(machine(gpus=[], cpu={"features": features}, symptoms=symptoms))
    assert {f.id: f.severity for f in found.values() if f.id.startswith("cpu-")} == expected


def test_a_virtual_machine_needs_another_cpu_model(examine: Examine, machine: Machine) -> None:
    found = examine(machine(gpus=[], cpu={"features": QEMU64, "model": "QEMU Virtual CPU"}))["cpu-lacks-avx"]
    assert found.lies_in == "system"
    assert "host-passthrough" in found.fix[0]
    bare = examine(machine(gpus=[], cpu={"features": NEHALEM}))["cpu-lacks-avx"]
    assert bare.lies_in == "hardware"


def test_a_release_known_to_crash(examine: Examine, machine: Machine) -> None:
    old = {"features": ["sse2", "lahf_lm"]}
    assert examine(machine(gpus=[], cpu=old, packages={"torch": "2.1.2+cpu"}))["cpu-lacks-avx"].severity == "blocker"
    assert examine(machine(gpus=[], cpu=old, packages={"torch": "2.2.0+cpu"}))["cpu-lacks-avx"].severity == "warning"


def test_a_cut_line_proves_nothing(examine: Examine, machine: Machine) -> None:
    profile = machine(gpus=[], cpu={"features": ["sse2", "sse4_1"]})
    assert "cpu-lacks-avx" in examine(profile)
    assert examine(profile, sources={"cpu.features": "line 40: Flags: fpu vme"}) == {}
    assert examine(profile, sources={"cpu.features": "lscpu"}) == {}
    whole = machine(gpus=[], cpu={"features": NEHALEM})
    assert "cpu-lacks-avx" in examine(whole, sources={"cpu.features": "/proc/cpuinfo"})


@pytest.mark.parametrize(
    ("system", "python", "gpus", "severity"),
    [
        ({"os": "windows", "machine": "aarch64"}, "x86_64", [], "warning"),
        ({"os": "windows", "machine": "aarch64"}, "x86_64", [{"vendor": "nvidia", "name": "GB10"}], "blocker"),
        ({"os": "windows", "machine": "aarch64"}, "aarch64", [], None),
        ({"os": "windows", "machine": "x86_64"}, "x86_64", [], None),
        ({"os": "windows", "machine": "aarch64"}, None, [], None),
        ({"os": "linux", "translated": True, "container": "docker"}, "x86_64", [], "warning"),
        ({"os": "linux", "translated": False}, "x86_64", [], None),
        ({"os": "macos", "machine": "aarch64", "translated": True}, "x86_64", [], None),  # rosetta-python has it
    ],
)
def test_emulated(
    examine: Examine,
    machine: Machine,
    system: dict[str, Any],
    python: str | None,
    gpus: list[Any],
    severity: str | None,
) -> None:
    found = examine(machine(system=system, python={"machine": python}, gpus=gpus, drivers={})).get("emulated-python")
    assert (found.severity if found else None) == severity


def test_page_size(examine: Examine, machine: Machine) -> None:
    seen = [{"id": "jemalloc-page", "text": "<jemalloc>: Unsupported system page size", "line": 1}]
    big = {"machine": "aarch64", "page_size": 65536}
    assert examine(machine(system=big, gpus=[], symptoms=seen))["page-size-unsupported"].severity == "blocker"
    # torch itself runs on such kernels: the size alone is no fault.
    assert "page-size-unsupported" not in examine(machine(system=big, gpus=[]))
    assert "page-size-unsupported" not in examine(machine(system={**big, "page_size": 4096}, gpus=[], symptoms=seen))
