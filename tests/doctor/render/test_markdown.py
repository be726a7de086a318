from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from torchdoctor.render.markdown import code, escape, fence, render_markdown, table

COMMONMARK = MarkdownIt("commonmark").enable("table")


def test_facts_and_candidates_are_folded(report: dict[str, Any]) -> None:
    text = render_markdown(report)
    assert "## ✗ torchdoctor: MISMATCH" in text
    assert "<details><summary>Candidates examined (4)</summary>" in text
    assert "<details><summary>Facts and where they were read</summary>" in text
    assert "\n```sh\npip install torch==2.14.1" in text
    assert text.count("<details>") == text.count("</details>") == 2


def test_evidence_and_fix_are_listed(report: dict[str, Any]) -> None:
    text = render_markdown(report)
    assert "- seen: `drivers.nvidia.version = 535.183.01` (read from `/sys/module/nvidia/version`)" in text
    assert "- fix: or update the driver" in text
    assert "[more about it](<https://docs.invalid/findings/driver-too-old/>)" in text


def test_hostile_text_does_no_harm(hostile: dict[str, Any]) -> None:
    html = COMMONMARK.render(render_markdown(hostile))
    assert "<script" not in html and "<img" not in html
    assert "\x1b" not in html and "\u202e" not in html
    # Every fence and fold that was opened is closed by us, so the last one still works.
    assert html.count("<details>") == html.count("</details>") == 2
    assert html.rstrip().endswith("</p>") and "<sub>torchdoctor" in html


@pytest.mark.parametrize("text", ["`", "``a`", "a`b``c", " x ", "`start", "end`", "a|b"])
def test_code_spans_hold_backticks(text: str) -> None:
    assert (
        COMMONMARK.renderInline(code(text)) == f"<code>{text if text.strip() == text else f' {text.strip()} '}</code>"
    )


@given(st.text(alphabet="ab<>&*_`[]()#|~@!\\-+=1. ", max_size=40))
def test_escaped_text_shows_itself(text: str) -> None:
    html = COMMONMARK.renderInline(escape(text))
    shown = html.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", '"').replace("&amp;", "&")
    assert " ".join(shown.split()) == " ".join(text.split())


def test_no_mention_reference_or_link_arises() -> None:
    escaped = escape("@team fixes #12, see https://example.invalid and www.example.invalid")
    assert "@" not in escaped and "#12" not in escaped.replace("&#64;", "").replace("&#35;12", "")
    assert "://" not in escaped and "www." not in escaped


def test_a_fence_is_longer_than_any_inside() -> None:
    assert fence("a\n`````\nb", "sh") == ["``````sh", "a", "`````", "b", "``````"]


def test_a_bar_in_a_cell_stays_in_its_cell() -> None:
    lines = table(["a", "b"], [[code("x|y"), escape("p|q")]])
    html = COMMONMARK.render("\n".join(lines))
    assert html.count("<td>") == 2 and "x|y" in html and "p|q" in html


def test_a_candidate_that_could_not_be_judged_is_not_refused(report: dict[str, Any]) -> None:
    row = {"torch": "2.15.0", "variant": "cpu", "accepted": False, "reasons": [], "unknown": ["python.version"]}
    report["candidates"] = [row]
    assert "| 2.15.0 | cpu | ? not known | `python.version` ? |" in render_markdown(report)
