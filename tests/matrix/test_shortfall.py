from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from torchdoctor.matrix.case import Asked
from torchdoctor.matrix.catalog import Catalog
from torchdoctor.matrix.judge import judge
from torchdoctor.matrix.verdict import Finding, Verdict
from torchdoctor.probes.facts import Facts

Machine = Callable[..., Facts]

FERMI = {"vendor": "nvidia", "name": "Tesla M2090", "compute_capability": "2.0", "integrated": False}


def _verdict(catalog: Catalog, facts: Facts, **asked: Any) -> Verdict:
    return judge(facts, Asked(**asked), catalog=catalog).verdict


def _one(verdict: Verdict, id: str) -> Finding:
    return next(f for f in verdict.findings if f.id == id)


@pytest.mark.parametrize(("os", "arch"), [("windows", "x86_64"), ("linux", "aarch64")])
def test_a_card_without_any_wheel_for_the_system_is_named(
    catalog: Catalog, machine: Machine, os: str, arch: str
) -> None:
    facts = machine("7900", os=os, arch=arch)
    verdict = _verdict(catalog, facts)
    assert verdict.status == "ok"
    assert _one(verdict, "no-wheel-for-platform").severity == "warning"
    verdict = _verdict(catalog, facts, requires=("rocm",))
    assert verdict.status == "blocked"
    assert [(r.met, r.why) for r in verdict.requires] == [(False, ("no-wheel-for-platform",))]


def test_an_integrated_chip_without_any_wheel_is_not_worth_a_word(catalog: Catalog, machine: Machine) -> None:
    assert _verdict(catalog, machine("renoir", os="windows")).findings == ()


def test_a_driver_too_old_for_one_card_is_no_lack_of_code(catalog: Catalog, machine: Machine) -> None:
    verdict = _verdict(catalog, machine("4090", "1080", os="windows", driver="471.41"))
    assert {f.id for f in verdict.findings if f.severity == "warning"} == {"driver-too-old"}


def test_no_driver_is_advised_that_the_gpu_cannot_have(catalog: Catalog, machine: Machine) -> None:
    facts = machine(driver="390.138", python="3.9.18", gpus=[FERMI])
    verdict = _verdict(catalog, facts)
    assert [f.id for f in verdict.findings if f.severity == "warning"] == ["gpu-below-minimum"]
    assert _one(verdict, "gpu-below-minimum").fix[0].startswith("take the CPU build")
    assert verdict.recommendation is not None
    assert verdict.recommendation.upgrade == "Python 3.11–3.15 would allow torch 2.15.0 (cpu)"
    installed = machine(driver="390.138", python="3.9.18", gpus=[FERMI], packages={"torch": "2.0.1+cu118"})
    verdict = _verdict(catalog, installed)
    assert [f.id for f in verdict.findings if f.severity == "blocker"] == ["gpu-below-minimum"]
    assert verdict.status == "blocked"


def test_the_system_is_changed_before_it_is_restarted(catalog: Catalog, machine: Machine) -> None:
    found = _one(_verdict(catalog, machine("4090", driver="550.54.14"), torch="2.15"), "driver-too-old")
    assert found.fix == (
        "sudo apt install nvidia-driver-580",
        "sudo reboot",
        "or install torch 2.14.1 (cu126) from https://download.pytorch.org/whl/cu126",
    )


def test_what_is_missing_is_asked_for(catalog: Catalog, machine: Machine) -> None:
    verdict = _verdict(catalog, machine(arch="aarch64", python="3.11.9"), torch="2.1.0")
    assert verdict.status == "unknown"
    assert _one(verdict, "insufficient-data").fix == ("send the output of: lscpu",)
    verdict = _verdict(catalog, machine(system={"libc_version": None}))
    assert "ldd --version" in _one(verdict, "insufficient-data").fix[0]


def test_a_card_of_another_vendor_can_be_the_cure(catalog: Catalog, machine: Machine) -> None:
    kepler = {"vendor": "nvidia", "name": "Quadro K4000", "compute_capability": "3.0", "integrated": False}
    radeon = {"vendor": "amd", "name": "AMD Radeon RX 7900 XTX", "gfx": "gfx1100", "integrated": False}
    facts = machine(driver="470.256.02", gpus=[kepler, radeon], packages={"torch": "2.7.1+cu118"})
    verdict = _verdict(catalog, facts)
    assert verdict.status == "mismatch"
    assert _one(verdict, "gpu-below-minimum").fix == (
        "install torch 2.15.0 (rocm10.0) from https://download.pytorch.org/whl/rocm10.0",
    )


def test_an_override_without_a_rocm_build_to_harm_is_a_warning(catalog: Catalog, machine: Machine) -> None:
    override = {"HSA_OVERRIDE_GFX_VERSION": "10.3.0"}
    verdict = _verdict(catalog, machine("580", environment=override))
    assert (verdict.status, _one(verdict, "gfx-override-mismatch").severity) == ("ok", "warning")
    verdict = _verdict(catalog, machine("7900", environment=override))
    assert (verdict.status, _one(verdict, "gfx-override-mismatch").severity) == ("mismatch", "blocker")


def test_what_the_request_needs_comes_before_the_way_round_it(catalog: Catalog, machine: Machine) -> None:
    verdict = _verdict(catalog, machine("m1", os="macos", arch="aarch64", system={"version": "14.6"}), torch="2.15")
    assert _one(verdict, "macos-too-old").fix == (
        "update to macOS 15 or newer",
        "or install torch 2.14.1 (mps) from the default package index",
    )
    verdict = _verdict(catalog, machine("1080", driver="580.95.05"), torch="2.15", variant="cu132")
    assert _one(verdict, "gpu-below-minimum").fix[0].startswith("install torch 2.14.1 (cu126)")
