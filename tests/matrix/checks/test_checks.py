"""Which checks are called, and when."""

from __future__ import annotations

from pathlib import Path

import pytest
import torchdoctor.probes
from torchdoctor.matrix import checks
from torchdoctor.matrix.case import Asked, Case
from torchdoctor.matrix.catalog import Catalog
from torchdoctor.probes.profile import facts_from_mapping


def _case(*symptoms: str) -> Case:
    facts = facts_from_mapping({"symptoms": [{"id": id, "text": "x"} for id in symptoms]} if symptoms else {})
    return Case(facts=facts, catalog=Catalog(), asked=Asked())


def test_a_check_that_needs_an_error_text_is_called_where_one_was_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    list(checks.run_checks(_case()))
    called: list[str] = []

    def noted(name: str) -> checks.CheckFunction:
        return lambda case: called.append(name) or ()  # type: ignore[func-returns-value]

    rows = [("a", frozenset(), noted("always")), ("b", frozenset({"p", "q"}), noted("with p or q"))]
    monkeypatch.setattr(checks, "_registered", rows)
    for symptoms, expected in (((), 1), (("q",), 2), (("r",), 1), (("r", "p"), 2)):
        called.clear()
        list(checks.run_checks(_case(*symptoms)))
        assert called == ["always", "with p or q"][:expected], symptoms


def test_what_a_check_needs_to_have_seen_is_a_symptom_that_readers_know() -> None:
    list(checks.run_checks(_case()))
    readers = "".join(p.read_text("utf-8") for p in Path(torchdoctor.probes.__path__[0]).rglob("*.py"))
    needed = {id for _, ids, _ in checks._registered for id in ids}
    assert len(needed) > 60
    # mps-available-false and its like are put together from the question and the answer
    assert {id for id in needed if f'"{id}"' not in readers and "-available-" not in id} == set()
