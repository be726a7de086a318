from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from torchdoctor.matrix.case import Asked
from torchdoctor.matrix.catalog import Catalog
from torchdoctor.matrix.project import judge_project, would_take
from torchdoctor.probes.facts import Facts

Machine = Callable[..., Facts]
WHL = "https://download.pytorch.org/whl"


def _settings(*rows: tuple[str, str]) -> list[dict[str, Any]]:
    return [{"file": "uv.lock", "line": n, "key": key, "value": value} for n, (key, value) in enumerate(rows, 1)]


@pytest.mark.parametrize(
    ("request_", "more", "taken"),
    [
        ({}, {}, ("==2.15.0", "cu132")),
        ({"torch": ">=2.0,<2.9"}, {}, ("==2.8.0", "cu128")),
        ({"torch": "==2.5.1"}, {}, ("==2.5.1", "cu124")),
        ({"torch": "==2.5.1", "variant": "cpu"}, {}, ("==2.5.1", "cpu")),
        ({"torch": "==2.5.1+cu118"}, {}, ("==2.5.1", "cu118")),
        (
            {"torch": ">=2.0", "installer": "pip"},
            {"settings": _settings(("index-url", f"{WHL}/cu126"))},
            ("==2.14.1", "cu126"),
        ),
        ({"torch": "==2.6.*", "installer": "conda"}, {}, ("==2.6.*", None)),
        ({"torch": "not a version"}, {}, (None, None)),
        ({"torch": "==9.9"}, {}, ("==9.9", None)),
    ],
)
def test_what_an_installer_takes(
    machine: Machine, request_: dict[str, Any], more: dict[str, Any], taken: tuple[str | None, str | None]
) -> None:
    asked = would_take(machine("4090", driver="580.95.05", request=request_, **more), Catalog())
    assert (asked.torch, asked.variant) == taken


def test_old_interpreters_get_the_last_release_they_can_have(machine: Machine) -> None:
    asked = would_take(machine("4090", driver="580.95.05", python="3.9.18", request={"torch": ">=2"}), Catalog())
    assert asked.torch == "==2.8.0"


def test_the_default_build_on_a_machine_without_gpu_is_nothing_to_insist_on(machine: Machine) -> None:
    facts = machine(request={"torch": "==2.15.0"})
    assert would_take(facts, Catalog()).variant is None
    assert judge_project(facts, Asked()).verdict.status == "ok"


def test_a_project_whose_default_build_the_driver_cannot_run(machine: Machine) -> None:
    verdict = judge_project(machine("4090", driver="550.54.14", request={"torch": ">=2.0"}), Asked()).verdict
    assert verdict.status == "blocked"
    assert {f.id for f in verdict.findings if f.severity == "blocker"} == {"driver-too-old"}
    assert verdict.alternative is not None and verdict.alternative.variant == "cu126"


def test_a_lock_that_fits(machine: Machine) -> None:
    rows = _settings(("locked", f"torch==2.8.0 @ {WHL}/cu126"), ("locked", "torchvision==0.23.0"))
    facts = machine("4090", driver="550.54.14", request={"torch": "==2.8.0", "variant": "cu126"}, settings=rows)
    facts = facts.replace(sources={"request.torch": "uv.lock:1"})
    verdict = judge_project(facts, Asked()).verdict
    assert verdict.status == "ok"
    assert [f.id for f in verdict.findings if f.severity != "note"] == []


def test_locked_companions_that_do_not_pair(machine: Machine) -> None:
    rows = _settings(("locked", "torch==2.8.0"), ("locked", "torchvision==0.22.0"))
    facts = machine("4090", driver="580.95.05", request={"torch": "==2.8.0"}, settings=rows)
    verdict = judge_project(facts.replace(sources={"request.torch": "uv.lock:1"}), Asked()).verdict
    assert verdict.status == "mismatch"
    found = next(f for f in verdict.findings if f.id == "companion-mismatch")
    assert found.about == "request"
    assert found.detail == "torchvision 0.22.0 was made for torch 2.7.0, 2.8.0 is asked for."
    assert [e.source for e in found.evidence] == ["uv.lock:1", "uv.lock:2"]


def test_the_cpu_build_beside_a_gpu_is_said(machine: Machine) -> None:
    facts = machine("4090", driver="580.95.05", request={"torch": "==2.15.0", "variant": "cpu"})
    verdict = judge_project(facts, Asked()).verdict
    assert verdict.status == "ok"
    found = next(f for f in verdict.findings if f.id == "index-configuration")
    assert (found.severity, found.about) == ("warning", "request")


def test_what_is_installed_does_not_count(machine: Machine) -> None:
    facts = machine("4090", driver="580.95.05", packages={"torch": "1.13.0+cpu"}, request={"torch": "==2.15.0"})
    assert judge_project(facts, Asked()).verdict.status == "ok"


def test_the_callers_own_request_wins(machine: Machine) -> None:
    facts = machine("4090", driver="580.95.05", request={"torch": "==2.5.1"})
    found = judge_project(facts, Asked(torch="2.8", variant="auto")).verdict
    assert found.recommendation is not None and found.recommendation.torch == "2.8.0"
