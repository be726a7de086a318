from __future__ import annotations

import dataclasses
from dataclasses import replace
from typing import get_args

import pytest
from torchdoctor.matrix import verdict as module
from torchdoctor.matrix.findings import finding_kinds
from torchdoctor.matrix.verdict import Finding, Recommendation, Verdict

OK = Verdict(status="ok", summary="install torch")


def test_an_answer_cannot_be_changed_and_equal_ones_are_equal() -> None:
    assert Verdict(status="ok", summary="install torch") == OK
    assert replace(OK, status="unknown") != OK
    with pytest.raises((AttributeError, dataclasses.FrozenInstanceError)):
        OK.status = "blocked"  # type: ignore[misc]


def test_nothing_is_claimed_until_it_is_said() -> None:
    assert (OK.findings, OK.requires, OK.candidates, OK.recommendation, OK.alternative) == ((), (), (), None, None)
    best = Recommendation(torch="2.15.0", variant="cpu", index_url=None, packages={"torch": "2.15.0"})
    assert (best.confidence, best.upgrade, best.extra_index_urls) == ("primary", None, ())
    bare = Finding(id="musl", severity="note", about="machine", title="A title")
    assert (bare.detail, bare.evidence, bare.fix, bare.lies_in) == ("", (), (), "")


def test_the_table_of_findings_speaks_these_severities() -> None:
    assert {kind.severity for kind in finding_kinds().values()} <= set(get_args(module.Severity))
