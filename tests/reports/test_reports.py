"""Real reports, re-typed: the causes are found, healthy machines stay silent, nothing else is claimed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from torchdoctor.api import diagnose_text

_REPORTS: list[dict[str, Any]] = json.loads(Path(__file__).with_name("reports.json").read_text(encoding="utf-8"))

# Where the layer that has to change can be argued: another release of torch would do (or would have to be a CPU build).
_VERDICT_ARGUED = {"nvidia-018", "nvidia-079", "other-020", "other-110", "other-119"}


@pytest.mark.parametrize("report", _REPORTS, ids=lambda r: r["id"])
def test_causes_are_found_and_nothing_else_is_claimed(report: dict[str, Any]) -> None:
    found = diagnose_text(report["text"], "report.txt")
    loud = {f.id for f in found.verdict.findings if f.severity != "note"}
    assert set(report["findings"]) <= loud
    if report["verdict"] == "ok":
        assert loud == set()
    if report["id"] not in _VERDICT_ARGUED:
        same = {found.verdict.status, report["verdict"]}
        assert len(same) == 1 or same == {"ok", "unknown"}


def test_few_findings_beyond_the_causes() -> None:
    more = 0
    for report in _REPORTS:
        loud = {f.id for f in diagnose_text(report["text"], "report.txt").verdict.findings if f.severity != "note"}
        more += len(loud - set(report["findings"]) - set(report["also"]))
    assert more / len(_REPORTS) < 0.1


def test_every_finding_rests_on_something_in_the_report() -> None:
    for report in _REPORTS:
        for finding in diagnose_text(report["text"], "report.txt").verdict.findings:
            if finding.severity != "note":
                assert finding.evidence, (report["id"], finding.id)
