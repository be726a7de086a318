from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from torchdoctor.matrix.case import Asked
from torchdoctor.matrix.catalog import Catalog
from torchdoctor.matrix.judge import judge
from torchdoctor.matrix.request import RequestError
from torchdoctor.matrix.verdict import Finding, Verdict
from torchdoctor.probes.facts import Facts

Machine = Callable[..., Facts]


def _verdict(catalog: Catalog, facts: Facts, **asked: Any) -> Verdict:
    return judge(facts, Asked(**asked), catalog=catalog).verdict


def _loud(verdict: Verdict) -> dict[str, str]:
    return {f.id: f.severity for f in verdict.findings if f.severity != "note"}


def _notes(verdict: Verdict) -> set[str]:
    return {f.id for f in verdict.findings if f.severity == "note"}


def _one(verdict: Verdict, id: str) -> Finding:
    return next(f for f in verdict.findings if f.id == id)


def test_a_healthy_machine_is_silent(catalog: Catalog, machine: Machine) -> None:
    verdict = _verdict(catalog, machine("4090", driver="580.95.05"))
    assert verdict.status == "ok"
    assert verdict.findings == ()
    assert verdict.summary == "install torch 2.15.0 (cu132)"


def test_an_unused_gpu_warns_until_something_is_asked_for(catalog: Catalog, machine: Machine) -> None:
    facts = machine("580")
    verdict = _verdict(catalog, facts)
    assert (verdict.status, _loud(verdict)) == ("ok", {"gfx-unsupported": "warning"})
    verdict = _verdict(catalog, facts, torch="2.15")
    assert (verdict.status, _loud(verdict)) == ("blocked", {"gfx-unsupported": "blocker"})
    verdict = _verdict(catalog, facts, requires=("rocm",))
    assert (verdict.status, _loud(verdict)) == ("blocked", {"gfx-unsupported": "blocker"})
    assert [(r.what, r.met, r.why) for r in verdict.requires] == [("rocm", False, ("gfx-unsupported",))]


def test_an_integrated_chip_without_code_is_no_accelerator(catalog: Catalog, machine: Machine) -> None:
    for chip in ("renoir", "uhd"):
        verdict = _verdict(catalog, machine(chip))
        assert (verdict.status, _loud(verdict)) == ("ok", {})


@pytest.mark.parametrize(
    ("gpus", "kwargs", "torch", "status", "findings", "alternative"),
    [
        (["1080"], {"driver": "580.95.05"}, "2.15", "blocked", {"gpu-below-minimum"}, ("2.14.1", "cu126")),
        (["4090"], {"driver": "550.54.14"}, "2.15", "blocked", {"driver-too-old"}, ("2.14.1", "cu126")),
        ([], {"python": "3.10.12"}, "2.15", "blocked", {"python-unsupported"}, ("2.14.1", "cpu")),
        (
            [],
            {"python": "3.14.0", "free_threaded": True},
            "2.8",
            "blocked",
            {"free-threaded-unsupported"},
            ("2.15.0", "cpu"),
        ),
        ([], {"system": {"libc_version": "2.17"}}, "2.7", "blocked", {"glibc-too-old"}, ("2.6.0", "cpu")),
        (
            ["m1"],
            {"os": "macos", "system": {"version": "14.6"}},
            "2.15",
            "blocked",
            {"macos-too-old"},
            ("2.14.1", "mps"),
        ),
        ([], {"os": "macos", "arch": "x86_64"}, "2.5", "blocked", {"macos-x86-dropped"}, ("2.2.2", "cpu")),
        ([], {}, "2.13.1", "mismatch", {"version-does-not-exist"}, ("2.15.0", "cpu")),
        ([], {}, "2.16", "mismatch", {"version-does-not-exist"}, ("2.15.0", "cpu")),
        (["t4g"], {"driver": "580.95.05", "arch": "aarch64"}, "2.15", "blocked", {"gpu-arch-missing"}, None),
        (
            ["orin"],
            {"driver": "540.4.0", "arch": "aarch64", "system": {"jetson": "36.4.3"}},
            "2.14",
            "mismatch",
            {"jetson-needs-vendor-wheel"},
            ("2.15.0", "cpu"),
        ),
    ],
)
def test_requests_that_cannot_be_met(
    catalog: Catalog,
    machine: Machine,
    gpus: list[str],
    kwargs: dict[str, Any],
    torch: str,
    status: str,
    findings: set[str],
    alternative: Any,
) -> None:
    verdict = _verdict(catalog, machine(*gpus, **kwargs), torch=torch)
    assert verdict.status == status
    assert set(_loud(verdict)) == findings
    got = verdict.alternative
    assert (got and (got.torch, got.variant)) == alternative


def test_another_variant_of_the_release_is_a_mismatch_not_a_block(catalog: Catalog, machine: Machine) -> None:
    verdict = _verdict(catalog, machine("1080", driver="580.95.05"), torch="2.14", variant="cu130")
    assert (verdict.status, _loud(verdict)) == ("mismatch", {"gpu-below-minimum": "blocker"})
    assert (
        _one(verdict, "gpu-below-minimum").fix[0]
        == "install torch 2.14.1 (cu126) from https://download.pytorch.org/whl/cu126"
    )
    assert verdict.recommendation is None
    verdict = _verdict(catalog, machine("4090", driver="550.54.14"), torch="2.6.0", variant="cu121")
    assert (verdict.status, _loud(verdict)) == ("mismatch", {"variant-not-published": "blocker"})
    assert "2.5.1" in " ".join(_one(verdict, "variant-not-published").fix)
    verdict = _verdict(catalog, machine(arch="aarch64"), variant="cu121")
    assert (verdict.status, _loud(verdict)) == ("mismatch", {"no-wheel-for-platform": "blocker"})


@pytest.mark.parametrize(
    ("kwargs", "finding"),
    [
        ({"system": {"libc": "musl", "libc_version": "1.2.5"}}, "musl"),
        ({"arch": "ppc64le"}, "no-wheel-for-platform"),
        ({"arch": "armv7l"}, "arm32"),
        ({"arch": "i686"}, "python-32bit"),
        ({"python": "3.16.0"}, "python-unsupported"),
    ],
)
def test_machines_that_no_build_fits(catalog: Catalog, machine: Machine, kwargs: dict[str, Any], finding: str) -> None:
    verdict = _verdict(catalog, machine(**kwargs))
    assert (verdict.status, _loud(verdict)) == ("blocked", {finding: "blocker"})
    assert verdict.recommendation is None


def test_rosetta_is_the_cause_of_what_follows_from_it(catalog: Catalog, machine: Machine) -> None:
    facts = machine("m1", os="macos", python="3.12.4")
    facts = facts.replace(
        python=facts.python.__class__(implementation="cpython", version="3.12.4", bits=64, machine="x86_64")
    )
    verdict = _verdict(catalog, facts)
    assert (verdict.status, _loud(verdict)) == ("ok", {"rosetta-python": "warning"})
    verdict = _verdict(catalog, facts, torch="2.15")
    assert (verdict.status, _loud(verdict)) == ("blocked", {"rosetta-python": "blocker"})


def test_newer_releases_are_named_with_the_one_change_they_need(catalog: Catalog, machine: Machine) -> None:
    verdict = _verdict(catalog, machine("4090", driver="535.183.01"))
    assert _notes(verdict) == {"newest-out-of-reach"}
    assert verdict.recommendation is not None
    assert verdict.recommendation.upgrade == "driver 580 or newer would allow torch 2.15.0 (cu132)"
    verdict = _verdict(catalog, machine("1080", driver="580.95.05"))
    assert _notes(verdict) == {"support-ends"}
    assert verdict.recommendation is not None
    assert verdict.recommendation.upgrade is None
    # Pascal on an old driver: the release after a driver update, not the end of support
    verdict = _verdict(catalog, machine("1080", driver="470.42.01"))
    assert "support-ends" not in _notes(verdict)
    assert verdict.recommendation is not None
    assert verdict.recommendation.upgrade == "driver 525.60.13 or newer would allow torch 2.14.1 (cu126)"


def test_an_inferred_fact_is_said(catalog: Catalog, machine: Machine) -> None:
    verdict = _verdict(catalog, machine("7900"))
    assert verdict.recommendation is not None
    assert verdict.recommendation.confidence == "inferred"
    assert "inferred-fact" in _notes(verdict)


@pytest.mark.parametrize(
    ("gpus", "kwargs", "packages", "status", "findings"),
    [
        (["1080"], {"driver": "580.95.05"}, {"torch": "2.14.1+cu126"}, "ok", set()),
        (
            ["1080"],
            {"driver": "580.95.05"},
            {"torch": "2.14.1"},
            "mismatch",
            {"gpu-below-minimum"},
        ),  # the default: cu130
        (["4090"], {"driver": "560.94", "os": "windows"}, {"torch": "2.5.1"}, "mismatch", {"wrong-variant"}),
        (["4090"], {"driver": "580.95.05"}, {"torch": "2.15.0+cpu"}, "mismatch", {"wrong-variant"}),
        (["7900"], {}, {"torch": "2.9.1+cu128"}, "mismatch", {"wrong-variant"}),
        (["4090"], {"driver": "550.54.14"}, {"torch": "2.15.0+cu132"}, "mismatch", {"driver-too-old"}),
        (["4090"], {"driver": "535.183.01"}, {"torch": "2.8.0+cu128"}, "ok", set()),  # minor-version compatibility
        (["5090"], {"driver": "570.124.06"}, {"torch": "2.6.0+cu124"}, "mismatch", {"gpu-newer-than-wheel"}),
        (["580"], {}, {"torch": "2.9.1+rocm6.4"}, "blocked", {"gfx-unsupported"}),
        (["580"], {}, {"torch": "2.9.1+cpu"}, "ok", set()),  # no wheel would use it
        (["m1"], {"os": "macos"}, {"torch": "2.15.0"}, "ok", set()),
        ([], {}, {"torch": "2.15.0+cu132"}, "ok", set()),
        (
            ["5090", "1080"],
            {"driver": "580.95.05"},
            {"torch": "2.15.0+cu132"},
            "ok",
            {"gpu-below-minimum", "mixed-gpu-generations"},
        ),
        (["4090", "1080"], {"driver": "580.95.05"}, {"torch": "2.15.0+cu132"}, "mismatch", {"gpu-below-minimum"}),
    ],
)
def test_the_installed_build(
    catalog: Catalog,
    machine: Machine,
    gpus: list[str],
    kwargs: dict[str, Any],
    packages: dict[str, str],
    status: str,
    findings: set[str],
) -> None:
    verdict = _verdict(catalog, machine(*gpus, packages=packages, **kwargs))
    assert verdict.status == status
    assert set(_loud(verdict)) == findings
    assert all(f.about == "installed" for f in verdict.findings if f.severity == "blocker")


def test_kernels_that_were_read_beat_the_name(catalog: Catalog, machine: Machine) -> None:
    """A build no table knows is judged by the code that is in it."""
    custom = {"version": "2.15.0a0+git1234", "variant": "cu130", "origin": "source", "kernels": ["sm_61"]}
    verdict = _verdict(
        catalog, machine("1080", driver="580.95.05", packages={"torch": "2.15.0a0+git1234"}, torch=custom)
    )
    assert (verdict.status, _loud(verdict)) == ("ok", {})
    custom["kernels"] = ["sm_90"]
    verdict = _verdict(
        catalog, machine("1080", driver="580.95.05", packages={"torch": "2.15.0a0+git1234"}, torch=custom)
    )
    assert _loud(verdict) == {"gpu-below-minimum": "blocker"}


def test_torch_itself_reached_the_driver(catalog: Catalog, machine: Machine) -> None:
    facts = machine("4090", driver="550.54.14", packages={"torch": "2.15.0+cu132"}, torch={"gpu_available": True})
    assert _loud(_verdict(catalog, facts)) == {}


def test_ignored_findings_become_notes(catalog: Catalog, machine: Machine) -> None:
    facts = machine("4090", driver="550.54.14", packages={"torch": "2.15.0+cu132"})
    verdict = _verdict(catalog, facts, ignore=("driver-too-old",))
    assert verdict.status == "ok"
    assert "driver-too-old" in _notes(verdict)


def test_requirements_on_the_machine(catalog: Catalog, machine: Machine) -> None:
    verdict = _verdict(catalog, machine("4090", driver="580.95.05"), requires=("cuda", "gpu"))
    assert [(r.what, r.met) for r in verdict.requires] == [("cuda", True), ("gpu", True)]
    verdict = _verdict(catalog, machine(), requires=("cuda",))
    assert [(r.what, r.met, r.why) for r in verdict.requires] == [("cuda", False, ("gpu-not-found",))]
    verdict = _verdict(catalog, machine(gpus=None), requires=("cuda",))
    assert [(r.what, r.met) for r in verdict.requires] == [("cuda", None)]
    verdict = _verdict(catalog, machine("m1", os="macos"), requires=("mps",))
    assert [(r.what, r.met) for r in verdict.requires] == [("mps", True)]


def test_the_request_of_a_report_counts_where_the_caller_has_none(catalog: Catalog, machine: Machine) -> None:
    facts = machine(python="3.13.1", os="windows", packages=None, request={"torch": "2.5.1", "variant": "cu124"})
    found = judge(facts, catalog=catalog, report=True).verdict
    assert found.status == "blocked"
    assert set(_loud(found)) == {"python-unsupported"}
    assert found.alternative is not None
    assert found.alternative.torch == "2.15.0"
    assert judge(facts, Asked(torch="2.15"), catalog=catalog, report=True).verdict.status == "ok"


def test_a_request_nobody_can_read(catalog: Catalog, machine: Machine) -> None:
    with pytest.raises(RequestError, match="not a torch release"):
        judge(machine(), Asked(torch="newest please"), catalog=catalog)
    # the same in a pasted report is no reason to refuse the report
    assert judge(machine(request={"torch": "@ main"}), catalog=catalog, report=True).verdict.status in ("ok", "unknown")


def test_twice_the_same(catalog: Catalog, machine: Machine) -> None:
    facts = machine("1080", "5090", driver="580.95.05")
    assert judge(facts, catalog=catalog) == judge(facts, catalog=Catalog())


@pytest.mark.parametrize(
    ("gpus", "torch", "status"),
    [
        (None, "2.14.1+cu126", "unknown"),
        (None, "2.14.1+cpu", "mismatch"),
        ([], "2.14.1+cu126", "ok"),
    ],
)
def test_a_gpu_that_torch_does_not_see_needs_a_reason(
    catalog: Catalog, machine: Machine, gpus: list[Any] | None, torch: str, status: str
) -> None:
    told = {"packages": {"torch": torch}, "torch": {"gpu_available": False}} | ({} if gpus is None else {"gpus": gpus})
    verdict = _verdict(catalog, machine("4090", driver="580.95.05", **told))
    assert verdict.status == status
    if status == "unknown":
        assert verdict.summary == "torch 2.14.1 (cu126) sees no GPU, and nothing that is known here explains it"
        assert "why torch sees no GPU" in _one(verdict, "insufficient-data").detail
