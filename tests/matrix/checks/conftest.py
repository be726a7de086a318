"""Run the registered checks over a machine written down as a profile."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from torchdoctor.matrix.case import Asked, Case
from torchdoctor.matrix.catalog import Catalog
from torchdoctor.matrix.checks import run_checks
from torchdoctor.matrix.fit import installed_torch
from torchdoctor.matrix.verdict import Finding
from torchdoctor.probes.profile import facts_from_mapping

Examine = Callable[..., dict[str, Finding]]

_CATALOG = Catalog()


@pytest.fixture
def examine() -> Examine:
    """``examine(profile, requires=(), variant=None, sources=None)`` → the findings of all checks by id."""

    def run(
        profile: Mapping[str, Any],
        *,
        requires: tuple[str, ...] = (),
        variant: str | None = None,
        sources: Mapping[str, str] | None = None,
    ) -> dict[str, Finding]:
        facts = facts_from_mapping(profile).replace(sources=sources or {})
        case = Case(
            facts=facts,
            catalog=_CATALOG,
            asked=Asked(requires=requires, variant=variant),
            installed=installed_torch(facts, _CATALOG),
        )
        found: dict[str, Finding] = {}
        for finding in run_checks(case):
            # A fact and a text may prove the same: the graver word counts, as in suppress().
            if finding.id not in found or found[finding.id].severity != "blocker":
                found[finding.id] = finding
        return found

    return run


@pytest.fixture
def machine() -> Callable[..., dict[str, Any]]:
    """``machine(system={…}, gpus=[…])``: a healthy Ubuntu with one RTX 4090 and the groups that differ exchanged."""

    def build(**groups: Any) -> dict[str, Any]:
        profile: dict[str, Any] = {
            "system": {
                "os": "linux",
                "name": "Ubuntu",
                "version": "24.04",
                "machine": "x86_64",
                "container": "",
                "wsl": 0,
            },
            "python": {"implementation": "cpython", "version": "3.12.4", "bits": 64, "machine": "x86_64"},
            "gpus": [
                {
                    "vendor": "nvidia",
                    "name": "NVIDIA GeForce RTX 4090",
                    "compute_capability": "8.9",
                    "integrated": False,
                }
            ],
            "drivers": {"nvidia": {"version": "580.95.05", "cuda": "13.0"}},
            "packages": {},
            "environment": {},
        }
        for name, value in groups.items():
            if name == "system":
                profile["system"] = {**profile["system"], **value}
            else:
                profile[name] = value
        return profile

    return build
