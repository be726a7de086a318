from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from torchdoctor.probes.facts import Facts
from torchdoctor.probes.profile import ProfileError, facts_to_mapping
from torchdoctor.probes.reports.pasted import read_text


def test_our_own_report_keeps_its_facts_and_sources(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(
        "PyTorch version: 2.6.0+cu126\nGPU: NVIDIA GeForce RTX 4090\nexport CUDA_VISIBLE_DEVICES=0\nErrno 28\n"
    )
    report = json.dumps(
        {
            "schema": "torchdoctor/report/1",
            "facts": facts_to_mapping(facts),
            "sources": dict(facts.sources),
            "unknown": {"cpu.model": "no"},
        }
    )
    pasted = read_text(report, "r.json")
    again = pasted.draft.build()
    assert pasted.kind == "report"
    assert facts_to_mapping(again) == facts_to_mapping(facts)
    assert again.sources["torch.version"] == facts.sources["torch.version"]
    assert again.unknown == {"cpu.model": "no"}


def test_a_malformed_document_of_ours_is_named() -> None:
    with pytest.raises(ProfileError, match=r"^bad\.json: system\.wsl: expected a whole number"):
        read_text('{"system": {"wsl": "two"}}', "bad.json")


@pytest.mark.parametrize("text", ['{"other": 1}', "[1, 2]", "{not json", '{"facts": 3}', "{" * 100_000])
def test_other_json_is_read_as_text(text: str) -> None:
    assert read_text(text, "x").kind == "free_text"
