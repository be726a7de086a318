from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from torchdoctor.matrix.case import Asked, Case
from torchdoctor.matrix.catalog import Catalog
from torchdoctor.matrix.grounds import install_hint, telling, to_findings
from torchdoctor.matrix.infer import infer
from torchdoctor.matrix.outcome import Outcome, failed
from torchdoctor.matrix.request import wanted
from torchdoctor.matrix.select import Judged, choose
from torchdoctor.matrix.verdict import Finding
from torchdoctor.probes.facts import Facts

Machine = Callable[..., Facts]

DRIVER = failed("driver-too-old", ("drivers.nvidia.version",), "too old", "driver 580 or newer", value="580")


def _case(catalog: Catalog, facts: Facts) -> Case:
    return Case(facts=infer(facts), catalog=catalog, asked=Asked())


def _cure(catalog: Catalog, facts: Facts) -> Judged:
    found = choose(catalog, infer(facts), wanted(None)).accepted
    assert found is not None
    return found


def _one(case: Case, *outcomes: Outcome, **how: Any) -> Finding:
    how = {"about": "request", "severity": "blocker", "cure": None, **how}
    (found,) = to_findings(case, outcomes, **how)
    return found


def test_the_way_to_a_candidate_names_its_index(catalog: Catalog, machine: Machine) -> None:
    assert install_hint(None) == ()
    here = _cure(catalog, machine("4090", driver="535.183.01"))
    assert install_hint(here) == ("install torch 2.14.1 (cu126) from https://download.pytorch.org/whl/cu126",)
    here = _cure(catalog, machine("4090", driver="580.95.05"))
    assert install_hint(here) == ("install torch 2.15.0 (cu132) from the default package index",)


def test_a_cure_among_the_builds_moves_the_cause_into_the_packages(catalog: Catalog, machine: Machine) -> None:
    facts = machine("4090", driver="535.183.01")
    case, cure = _case(catalog, facts), _cure(catalog, facts)
    cured, open_ = _one(case, DRIVER, cure=cure), _one(case, DRIVER)
    assert (cured.lies_in, open_.lies_in) == ("packages", "system")
    assert cured.fix[0].startswith("install torch 2.14.1 (cu126)")
    assert not any("install torch" in line for line in open_.fix)
    # Another release is a way out, named after what would make the request work.
    way_out = _one(case, DRIVER, other_release=cure)
    assert way_out.lies_in == "system"
    assert way_out.fix[-1].startswith("or install torch 2.14.1 (cu126)")


def test_outcomes_of_one_id_are_one_finding(catalog: Catalog, machine: Machine) -> None:
    case = _case(catalog, machine("1080", "k80", driver="580.95.05"))
    rows = [
        failed("gpu-below-minimum", (f"gpus[{i}].compute_capability",), f"card {i}", "a GPU", gpu=i) for i in (0, 1)
    ]
    found = _one(case, *rows, Outcome(status="met"), Outcome(status="unknown"))
    assert found.detail == "card 0; card 1"
    assert [(e.fact, e.value) for e in found.evidence] == [
        ("gpus[0].compute_capability", "6.1"),
        ("gpus[1].compute_capability", "3.7"),
    ]
    assert found.fix == (
        "take the CPU build, or use another GPU: no build that runs on this machine has code for this one",
    )


def test_a_card_beside_others_may_be_left_out(catalog: Catalog, machine: Machine) -> None:
    case = _case(catalog, machine("5090", "k80", driver="580.95.05"))
    found = _one(case, failed("gpu-below-minimum", ("gpus[1].compute_capability",), "old", "a GPU", gpu=1))
    assert found.fix == (
        "leave this GPU out, or serve it from an environment of its own with a build that has code for it",
    )


def test_what_is_met_is_no_finding(catalog: Catalog, machine: Machine) -> None:
    case = _case(catalog, machine())
    assert list(to_findings(case, [Outcome(status="met")], about="request", severity="blocker", cure=None)) == []


@pytest.mark.parametrize(
    ("gpu", "told"),
    [
        ("k80", ["gpu-below-minimum"]),  # no driver 580 ever knew it
        ("1080", ["driver-too-old", "gpu-below-minimum"]),
    ],
)
def test_a_generation_whose_drivers_ended_is_not_told_to_update(
    catalog: Catalog, machine: Machine, gpu: str, told: list[str]
) -> None:
    case = _case(catalog, machine(gpu, driver="470.256.02"))
    code = failed("gpu-below-minimum", ("gpus[0].compute_capability",), "no code", "a GPU", gpu=0)
    assert [o.id for o in telling(case, [DRIVER, code])] == told
    assert [o.id for o in telling(case, [DRIVER])] == ["driver-too-old"]


@pytest.mark.parametrize(("gpu", "way"), [("k80", "R470 was its last branch"), ("1080", "nvidia-driver-580")])
def test_no_driver_is_promised_to_a_generation_whose_drivers_ended(
    catalog: Catalog, machine: Machine, gpu: str, way: str
) -> None:
    case = _case(catalog, machine(gpu, driver="470.256.02"))
    (told,) = to_findings(case, [DRIVER], about="installed", severity="blocker", cure=None)
    assert way in told.fix[0]


@pytest.mark.parametrize(
    ("environment", "lies_in"), [({}, "environment"), ({"HSA_OVERRIDE_GFX_VERSION": "10.3.0"}, "hardware")]
)
def test_a_variable_may_let_code_of_the_generation_run(
    catalog: Catalog, machine: Machine, environment: dict[str, str], lies_in: str
) -> None:
    card = {"vendor": "amd", "name": "AMD Radeon RX 6600", "gfx": "gfx1032", "integrated": False}
    case = _case(catalog, machine(gpus=[card], environment=environment))
    code = failed("gfx-unsupported", ("gpus[0].gfx",), "no code", "a GPU", gpu=0)
    found = _one(case, code, about="installed")
    assert found.lies_in == lies_in
    assert any("HSA_OVERRIDE_GFX_VERSION=10.3.0" in line for line in found.fix) == (not environment)


@pytest.mark.parametrize(("container", "words"), [("docker", "python:3.12-slim"), ("", "container or chroot")])
def test_a_way_out_of_musl(catalog: Catalog, machine: Machine, container: str, words: str) -> None:
    case = _case(catalog, machine(system={"libc": "musl", "container": container}))
    found = _one(case, failed("musl", ("system.libc",), "musl", "a system with glibc"))
    assert words in found.fix[0]
