from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torchdoctor.matrix.case import Asked
from torchdoctor.matrix.catalog import Catalog
from torchdoctor.matrix.judge import judge
from torchdoctor.matrix.verdict import Finding, Verdict
from torchdoctor.probes.facts import Facts

Machine = Callable[..., Facts]


def _verdict(catalog: Catalog, facts: Facts, **asked: Any) -> Verdict:
    return judge(facts, Asked(**asked), catalog=catalog).verdict


def _one(verdict: Verdict, id: str) -> Finding:
    return next(f for f in verdict.findings if f.id == id)


def test_a_build_that_never_was_names_the_one_of_that_release_which_fits(catalog: Catalog, machine: Machine) -> None:
    found = _one(
        _verdict(catalog, machine("1080", driver="580.95.05"), torch="2.5.1", variant="cu128"), "variant-not-published"
    )
    assert found.fix[0] == "install torch 2.5.1 (cu124) from the default package index"
    assert found.fix[-1] == "releases that have cu128: 2.11.0 … 2.7.0"
    found = _one(_verdict(catalog, machine("1080", driver="580.95.05"), variant="cu199"), "variant-not-published")
    assert found.fix[0] == "install torch 2.14.1 (cu126) from https://download.pytorch.org/whl/cu126"


def test_a_release_older_than_the_matrix_is_said_to_be_unknown(catalog: Catalog, machine: Machine) -> None:
    verdict = _verdict(catalog, machine("4090", driver="580.95.05", python="3.9.18"), torch="1.12.1")
    assert verdict.status == "unknown"
    assert "older than what the matrix holds" in _one(verdict, "insufficient-data").detail


def test_a_patch_that_never_was_names_the_last_of_its_line(catalog: Catalog, machine: Machine) -> None:
    found = _one(_verdict(catalog, machine(), torch="2.13.1"), "version-does-not-exist")
    assert found.fix == ("ask for torch 2.13.0",)
    found = _one(_verdict(catalog, machine(), torch="2.99"), "version-does-not-exist")
    assert found.fix == ("ask for torch 2.15.0",)


def test_a_release_after_the_last_for_intel_macs(catalog: Catalog, machine: Machine) -> None:
    verdict = _verdict(catalog, machine(os="macos", python="3.11.9"), torch="2.5.1")
    assert verdict.status == "blocked"
    assert "2.2.2 was the last" in _one(verdict, "macos-x86-dropped").detail


def test_another_variant_cures_what_a_system_does_not_get(catalog: Catalog, machine: Machine) -> None:
    verdict = _verdict(catalog, machine("7900", os="windows"), variant="rocm10.0")
    assert verdict.status == "mismatch"
    assert _one(verdict, "no-wheel-for-platform").fix == ("install torch 2.15.0 (cpu) from the default package index",)
