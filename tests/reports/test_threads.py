"""Reports as threads hold them: partial pastes, tools of every age, and as many in which torch is not at fault.

``threads.txt`` holds them: ``@@@ name | verdict | findings`` above each text, a dash for none.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from torchdoctor.api import diagnose_text


def _cases() -> dict[str, tuple[str, str, set[str]]]:
    cases = {}
    for block in Path(__file__).with_name("threads.txt").read_text(encoding="utf-8").split("@@@ ")[1:]:
        head, _, text = block.partition("\n")
        name, verdict, findings = (part.strip() for part in head.split("|"))
        cases[name] = (text, verdict, set(findings.split()) - {"-"})
    return cases


_CASES = _cases()


@pytest.mark.parametrize("name", _CASES)
def test_threads(name: str) -> None:
    text, verdict, findings = _CASES[name]
    found = diagnose_text(text, "report.txt").verdict
    assert {f.id for f in found.findings if f.severity != "note"} == findings
    assert found.status == verdict


def test_half_of_them_are_healthy() -> None:
    assert sum(not findings for _, _, findings in _CASES.values()) > len(_CASES) // 3
