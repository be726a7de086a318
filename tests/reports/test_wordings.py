"""Reports that say the same in other words than the re-typed ones: old and new tools, forms, other languages, healthy machines.

``wordings.txt`` holds them: ``=== name | verdict | findings`` above each text, a dash for none (or any verdict).
"""

from __future__ import annotations

from pathlib import Path

import pytest
from torchdoctor.api import diagnose_text


def _cases() -> dict[str, tuple[str, str, set[str]]]:
    cases = {}
    for block in Path(__file__).with_name("wordings.txt").read_text(encoding="utf-8").split("=== ")[1:]:
        head, _, text = block.partition("\n")
        name, verdict, findings = (part.strip() for part in head.split("|"))
        cases[name] = (text, verdict, set(findings.split()) - {"-"})
    return cases


_CASES = _cases()


@pytest.mark.parametrize("name", _CASES)
def test_wordings(name: str) -> None:
    text, verdict, findings = _CASES[name]
    found = diagnose_text(text, "report.txt").verdict
    assert {f.id for f in found.findings if f.severity != "note"} == findings
    assert verdict in ("-", found.status)


def test_there_are_enough_healthy_ones() -> None:
    assert sum(not findings for _, _, findings in _CASES.values()) >= 20
