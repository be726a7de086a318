"""Which checks are called, and when."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator
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


def test_the_error_texts_a_check_asks_for_first_are_those_it_is_registered_with() -> None:
    """Else one that was added to its body alone would never be looked at."""
    list(checks.run_checks(_case()))
    compared = 0
    for _, registered, function in checks._registered:
        asked = _asked_first(function)
        if asked and registered:
            assert asked == registered, function.__qualname__
            compared += 1
    assert compared > 30


def _asked_first(function: checks.CheckFunction) -> frozenset[str]:
    """The symptoms without which a check returns at once, or over which all of its body runs; empty where it is neither."""
    (tree,) = ast.parse(textwrap.dedent(inspect.getsource(function))).body
    assert isinstance(tree, ast.FunctionDef)
    names = inspect.unwrap(function).__globals__
    body = tree.body[1:]
    rows: dict[str, frozenset[str]] = {}
    if all(isinstance(s, ast.For) and _ids(s.iter, names) for s in body):
        return frozenset().union(*(_ids(s.iter, names) for s in body if isinstance(s, ast.For)))
    for statement in body:
        if isinstance(statement, ast.Assign):
            if isinstance(statement.targets[0], ast.Name):
                rows[statement.targets[0].id] = _ids(statement.value, names)
        elif isinstance(statement, ast.If) and isinstance(statement.body[0], ast.Return):
            for test in _parts(statement.test, ast.Or):
                if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
                    found = rows.get(getattr(test.operand, "id", "")) or _ids(test.operand, names)
                    if found:
                        return found
        else:
            break
    return frozenset()


def _parts(test: ast.expr, operator: type[ast.boolop]) -> Iterator[ast.expr]:
    yield from test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, operator) else (test,)


def _ids(call: ast.expr, names: dict[str, object]) -> frozenset[str]:
    """The ids in ``seen(case, "a", *_B)`` or ``case.symptom("a")``."""
    if not isinstance(call, ast.Call):
        return frozenset()
    if getattr(call.func, "id", "") == "seen":
        given = call.args[1:]
    elif getattr(call.func, "attr", "") == "symptom":
        given = call.args
    else:
        return frozenset()
    found: set[str] = set()
    for argument in given:
        if isinstance(argument, ast.Constant):
            found.add(str(argument.value))
        elif isinstance(argument, ast.Starred) and isinstance(argument.value, ast.Name):
            shared = names[argument.value.id]
            assert isinstance(shared, tuple)
            found.update(shared)
    return frozenset(found)
