from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from torchdoctor.matrix.case import Asked, Case
from torchdoctor.matrix.catalog import Catalog
from torchdoctor.matrix.fit import fit, installed_torch
from torchdoctor.matrix.infer import infer
from torchdoctor.matrix.judge import judge
from torchdoctor.matrix.request import wanted
from torchdoctor.matrix.select import choose
from torchdoctor.matrix.verdict import Finding, Verdict
from torchdoctor.probes.facts import Facts
from torchdoctor.probes.profile import facts_from_mapping, facts_to_mapping

Machine = Callable[..., Facts]


def _fit(catalog: Catalog, facts: Facts) -> dict[str, Finding]:
    known = infer(facts)
    case = Case(facts=known, catalog=catalog, asked=Asked(), installed=installed_torch(known, catalog))
    return {f.id: f for f in fit(case, choose(catalog, known, wanted(None)))}


@pytest.mark.parametrize(
    ("groups", "variant"),
    [
        ({"packages": {"torch": "2.5.1+cu124"}}, "cu124"),
        ({"packages": {"torch": "2.5.1+cu124.post1"}}, "cu124"),
        ({"packages": {"torch": "2.5.1"}}, "cu124"),  # what the default index serves for Linux
        ({"packages": {"torch": "2.5.1+abc"}}, None),
        ({"torch": {"version": "2.5.1", "cuda": "12.1", "hip": ""}}, "cu121"),
        ({"torch": {"version": "2.5.1", "cuda": "", "hip": "6.2.41133-dd7f95766"}}, "rocm6.2"),
        ({"torch": {"version": "2.5.1", "cuda": "", "hip": ""}}, "cpu"),
        ({"torch": {"version": "2.5.1", "variant": "cu118"}, "packages": {"torch": "2.5.1+cu124"}}, "cu118"),
    ],
)
def test_the_variant_of_what_is_installed(
    catalog: Catalog, machine: Machine, groups: dict[str, Any], variant: str | None
) -> None:
    found = installed_torch(machine(**groups), catalog)
    assert found is not None and found.variant == variant


def test_nothing_installed_is_nothing_to_judge(catalog: Catalog, machine: Machine) -> None:
    assert installed_torch(machine(), catalog) is None
    assert installed_torch(Facts(), catalog) is None
    assert _fit(catalog, machine("1080", driver="580.95.05")) == {}


def test_a_stock_wheel_brings_the_code_the_matrix_lists(catalog: Catalog, machine: Machine) -> None:
    found = installed_torch(machine(packages={"torch": "2.5.1+cu124"}), catalog)
    assert found is not None and found.stock
    assert found.kernels is not None and found.kernels[0] == "sm_50" and "sm_90" in found.kernels
    assert found.kernels_source == "matrix: cu124 wheel of torch 2.5.1"
    # What was read from the library itself counts more.
    read = machine(packages={"torch": "2.5.1+cu124"}, torch={"kernels": ["sm_89"]})
    found = installed_torch(read, catalog)
    assert found is not None and found.kernels == ("sm_89",)


@pytest.mark.parametrize(
    ("version", "origin"),
    [("2.9.0.dev20250801+cu128", None), ("2.5.1+cu124", "source"), ("2.5.0a0+872d972e41", "vendor")],
)
def test_a_number_that_names_no_stock_wheel(
    catalog: Catalog, machine: Machine, version: str, origin: str | None
) -> None:
    found = installed_torch(machine(torch={"version": version, "origin": origin}), catalog)
    assert found is not None
    assert (found.release, found.stock, found.kernels) == (None, False, None)


def test_an_arm_mac_has_metal_in_its_only_wheel(catalog: Catalog, machine: Machine) -> None:
    found = installed_torch(machine("m1", os="macos", arch="aarch64", packages={"torch": "2.15.0"}), catalog)
    assert found is not None and found.variant == "mps"


def test_a_cpu_build_beside_a_gpu_that_a_wheel_serves(catalog: Catalog, machine: Machine) -> None:
    facts = machine("4090", driver="580.95.05", packages={"torch": "2.14.1+cpu"})
    found = _fit(catalog, facts)
    assert list(found) == ["wrong-variant"]
    assert (found["wrong-variant"].severity, found["wrong-variant"].lies_in) == ("blocker", "packages")
    # The installed release comes first, then the newest.
    assert [line.split()[2] for line in found["wrong-variant"].fix] == ["2.14.1", "2.15.0"]


def test_a_cpu_build_where_no_wheel_serves_the_gpu_is_right(catalog: Catalog, machine: Machine) -> None:
    assert _fit(catalog, machine("580", packages={"torch": "2.14.1+cpu"})) == {}


def test_a_build_for_another_vendors_gpu(catalog: Catalog, machine: Machine) -> None:
    found = _fit(catalog, machine("4090", driver="580.95.05", packages={"torch": "2.14.1+rocm7.2"}))
    assert list(found) == ["wrong-variant"]
    assert "built for amd GPUs" in found["wrong-variant"].detail


def test_torch_that_sees_the_gpu_refutes_a_driver_too_old(catalog: Catalog, machine: Machine) -> None:
    groups = {"packages": {"torch": "2.15.0+cu132"}}
    old = machine("4090", driver="550.54.14", **groups)
    assert _fit(catalog, old)["driver-too-old"].lies_in == "packages"  # an older variant is the cure
    seen = machine("4090", driver="550.54.14", torch={"gpu_available": True}, **groups)
    assert _fit(catalog, seen) == {}


def test_one_card_of_two_without_code(catalog: Catalog, machine: Machine) -> None:
    installed = {"packages": {"torch": "2.14.1+cu132"}}
    # Another wheel carries both: the build that is there is the fault.
    found = _fit(catalog, machine("4090", "1080", driver="580.95.05", **installed))
    assert {id: f.severity for id, f in found.items()} == {"gpu-below-minimum": "blocker"}
    # No wheel carries both: one is left out whatever is installed.
    found = _fit(catalog, machine("5090", "1080", driver="580.95.05", **installed))
    assert {id: f.severity for id, f in found.items()} == {
        "gpu-below-minimum": "warning",
        "mixed-gpu-generations": "warning",
    }


def test_a_system_older_than_the_wheel_that_got_copied_there(catalog: Catalog, machine: Machine) -> None:
    found = _fit(catalog, machine(system={"libc_version": "2.17"}, packages={"torch": "2.15.0+cpu"}))
    assert {id: (f.severity, f.lies_in) for id, f in found.items()} == {"glibc-too-old": ("blocker", "packages")}


UNHEARD_OF = {"vendor": "nvidia", "name": "NVIDIA Foo 9000", "integrated": False}
SOME_RADEON = {"vendor": "amd", "integrated": False}


def _verdict(catalog: Catalog, facts: Facts) -> Verdict:
    return judge(facts, Asked(), catalog=catalog).verdict


@pytest.mark.parametrize(
    ("gpu", "driver", "torch", "missing"),
    [
        (UNHEARD_OF, "580.95.05", "2.15.0+cu132", "gpus[0].compute_capability"),
        (UNHEARD_OF, "580.95.05", "2.15.0+cpu", "gpus[0].compute_capability"),
        (SOME_RADEON, None, "2.15.0+rocm10.0", "gpus[0].gfx"),
        ({**UNHEARD_OF, "compute_capability": "8.9"}, None, "2.15.0+cu132", "the NVIDIA driver's version"),
    ],
)
def test_an_installed_build_is_not_fine_for_want_of_facts(
    catalog: Catalog, machine: Machine, gpu: dict[str, Any], driver: str | None, torch: str, missing: str
) -> None:
    verdict = _verdict(catalog, machine(driver=driver, gpus=[gpu], packages={"torch": torch}))
    assert verdict.status == "unknown"
    assert verdict.summary.startswith("not enough is known to judge the installed torch")
    assert verdict.summary.endswith(f"({missing})")
    assert {f.id for f in verdict.findings if f.severity != "note"} == set()
    assert "insufficient-data" in {f.id for f in verdict.findings}


def test_what_torch_itself_reached_needs_no_more_facts(catalog: Catalog, machine: Machine) -> None:
    said = {"version": "2.15.0", "variant": "cu132", "gpu_available": True}
    verdict = _verdict(catalog, machine(gpus=[UNHEARD_OF], packages={"torch": "2.15.0+cu132"}, torch=said))
    assert verdict.status == "ok"


def test_a_build_for_no_gpu_of_this_machine_needs_no_driver(catalog: Catalog, machine: Machine) -> None:
    assert _verdict(catalog, machine("renoir", packages={"torch": "2.15.0+cu132"})).status == "ok"
    assert _verdict(catalog, machine(packages={"torch": "2.15.0+cpu"})).status == "ok"


@pytest.mark.parametrize(
    ("python", "id"),
    [
        ({"implementation": "pypy", "version": "3.11.13", "bits": 64, "machine": "x86_64"}, "python-implementation"),
        ({"implementation": "cpython", "version": "3.12.4", "bits": 32, "machine": "x86_64"}, "python-32bit"),
        ({"implementation": "cpython", "version": "3.6.9", "bits": 64, "machine": "x86_64"}, "python-unsupported"),
    ],
)
def test_a_stock_build_in_an_interpreter_that_has_none(
    catalog: Catalog, machine: Machine, python: dict[str, Any], id: str
) -> None:
    facts = facts_from_mapping({**facts_to_mapping(machine(packages={"torch": "2.14.1+cpu"})), "python": python})
    verdict = _verdict(catalog, facts)
    assert (verdict.status, verdict.recommendation) == ("blocked", None)
    assert [f.id for f in verdict.findings if f.severity == "blocker"] == [id]


def test_a_release_before_the_matrix_runs_where_it_runs(catalog: Catalog, machine: Machine) -> None:
    verdict = _verdict(catalog, machine(python="3.6.9", packages={"torch": "1.8.1"}))
    assert (verdict.status, verdict.findings) == ("ok", ())


def test_a_driver_too_old_for_any_build_is_worth_a_warning(catalog: Catalog, machine: Machine) -> None:
    verdict = _verdict(catalog, machine("4090", driver="495.46", packages={"torch": "2.15.0+cpu"}))
    assert verdict.status == "ok"
    assert [(f.id, f.severity) for f in verdict.findings] == [("driver-too-old", "warning")]
    assert verdict.summary.startswith("torch 2.15.0 (cpu) fits this machine; cu132 builds need driver 580")


def test_no_other_release_is_asked_for_where_none_would_help(catalog: Catalog, machine: Machine) -> None:
    rubin = {"vendor": "nvidia", "name": "Rubin", "compute_capability": "10.7", "integrated": False}
    verdict = _verdict(catalog, machine(driver="595.71.05", arch="aarch64", gpus=[rubin], packages={"torch": "2.2.2"}))
    assert verdict.status == "ok"
    assert "no-wheel-for-platform" not in {f.id for f in verdict.findings}


def test_a_card_that_no_wheel_serves_beside_a_build_for_another_vendor(catalog: Catalog, machine: Machine) -> None:
    facts = machine("7900", os="windows", packages={"torch": "2.9.1+cu128"})
    found = {f.id: f for f in judge(facts, catalog=catalog).verdict.findings}
    assert found["wrong-variant"].severity == "warning"
    assert "which no wheel of the torch indexes serves here" in found["wrong-variant"].detail
    # an integrated chip is no accelerator: the default build is simply what pip gives
    facts = machine("renoir", packages={"torch": "2.9.1"})
    assert "wrong-variant" not in {f.id for f in judge(facts, catalog=catalog).verdict.findings}


def test_a_build_of_which_only_the_family_is_known(catalog: Catalog, machine: Machine) -> None:
    """No CUDA build of 2.4.0 carries Blackwell, so any of them fails; of 2.8.0 some do, so which one it is must be known."""
    old = judge(machine("5090", driver="580.95.05", packages={"torch": "2.4.0+cuda"}), catalog=catalog).verdict
    assert {f.id for f in old.findings if f.severity == "blocker"} == {"gpu-newer-than-wheel"}
    new = judge(machine("5090", driver="580.95.05", packages={"torch": "2.8.0+cuda"}), catalog=catalog).verdict
    assert new.status == "unknown"
    assert not [f for f in new.findings if f.severity != "note"]
