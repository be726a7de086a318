from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torchdoctor.matrix.case import Asked
from torchdoctor.matrix.catalog import Catalog
from torchdoctor.matrix.judge import judge
from torchdoctor.matrix.verdict import Verdict
from torchdoctor.probes.facts import Facts
from torchdoctor.probes.profile import facts_from_mapping, facts_to_mapping

Machine = Callable[..., Facts]

_INTEL = {"implementation": "cpython", "version": "3.11.9", "bits": 64, "machine": "x86_64", "free_threaded": False}


def _verdict(catalog: Catalog, facts: Facts, **asked: Any) -> Verdict:
    return judge(facts, Asked(**asked), catalog=catalog).verdict


def test_translated_python_is_a_warning_until_something_is_out_of_its_reach(catalog: Catalog, machine: Machine) -> None:
    facts = machine("m1", os="macos", arch="x86_64", python="3.11.9")
    rosetta = facts_from_mapping({**facts_to_mapping(facts), "python": _INTEL})
    for asked, severity in (({}, "warning"), ({"torch": "2.2.2"}, "warning"), ({"torch": "2.5"}, "blocker")):
        verdict = _verdict(catalog, rosetta, **asked)
        assert [f.severity for f in verdict.findings if f.id == "rosetta-python"] == [severity]


def test_an_arm_python_is_not_translated(catalog: Catalog, machine: Machine) -> None:
    verdict = _verdict(catalog, machine("m1", os="macos", arch="aarch64"))
    assert verdict.findings == ()


def test_what_an_arm_python_installed_does_not_load(catalog: Catalog, machine: Machine) -> None:
    facts = facts_to_mapping(machine("m1", os="macos", arch="x86_64", python="3.11.9"))
    seen = [{"id": "mach-o-architecture", "text": "(have 'arm64', need 'x86_64')"}]
    verdict = _verdict(catalog, facts_from_mapping({**facts, "python": _INTEL, "symptoms": seen}))
    assert [(f.id, f.severity) for f in verdict.findings if f.severity != "note"] == [("rosetta-python", "blocker")]
