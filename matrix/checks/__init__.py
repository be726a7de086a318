"""What can be wrong with what is installed, set or seen. One family a file, one small function a finding.

To add a check: write a function in the family's file, decorate it with ``@check("the-id")``, and describe the id in
``data/findings.toml`` and ``explain/``. A check yields findings and never raises on a missing fact: what is not known
proves nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from importlib import import_module

from torchdoctor.matrix.case import Case
from torchdoctor.matrix.verdict import Finding

__all__ = ["FAMILIES", "check", "run_checks"]

CheckFunction = Callable[[Case], Iterable[Finding]]

FAMILIES: tuple[str, ...] = (
    "nvidia",
    "libcuda",
    "containers",
    "visibility",
    "compile",
    "amd",
    "intel",
    "apple",
    "cpu",
    "windows",
    "system",
    "packages",
    "companions",
    "cuda_packages",
    "downstream",
    "conda",
    "libraries",
    "index_settings",
    "sources",
    "disk",
    "symptoms",
    "symptoms_gpu",
    "symptoms_install",
    "symptoms_wheels",
    "symptoms_devices",
    "symptoms_packages",
    "symptoms_sources",
    "symptoms_access",
    "claims",
    "notes",
)

_registered: list[tuple[str, frozenset[str], CheckFunction]] = []
_loaded = False


def check(*ids: str, seen: tuple[str, ...] = ()) -> Callable[[CheckFunction], CheckFunction]:
    """Register a check under the finding ids it may yield. One that rests on an error text names the symptoms of which one
    must have been ``seen``: it is not called without.
    """

    def register(function: CheckFunction) -> CheckFunction:
        _registered.append((" ".join(ids), frozenset(seen), function))
        return function

    return register


def run_checks(case: Case) -> Iterator[Finding]:
    """Every finding of every family, in the order of :data:`FAMILIES`."""
    global _loaded
    if not _loaded:
        for family in FAMILIES:
            import_module(f"torchdoctor.matrix.checks.{family}")
        _loaded = True
    present = {symptom.id for symptom in case.facts.symptoms or ()}
    for _, needed, function in _registered:
        if not needed or not needed.isdisjoint(present):
            yield from function(case)
