from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

from torchdoctor.render.html import render_html
from torchdoctor.render.page import command_block, esc, filtered_table

VOID = {"meta", "link", "input", "br", "circle", "rect", "path"}


class _Tree(HTMLParser):
    """Collects tags and attributes, and checks that every element is closed in order."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] not in ("script", "style"):
            self.text.append(data)


def _parsed(html: str) -> _Tree:
    tree = _Tree()
    tree.feed(html)
    assert tree.open == []
    return tree


def test_one_page_that_needs_nothing_else(report: dict[str, Any]) -> None:
    html = render_html(report)
    tree = _parsed(html)
    assert [t for t, a in tree.tags if a.get("src")] == []
    assert {a["href"] for t, a in tree.tags if a.get("href")} == {
        "data:,",
        "https://docs.invalid/findings/driver-too-old/",
        "https://docs.invalid/findings/same-major-compat/",
    }
    assert "default-src 'none'" in html
    assert "@import" not in html and "url(" not in html


def test_it_says_what_the_report_says(report: dict[str, Any]) -> None:
    text = " ".join(" ".join(_parsed(render_html(report)).text).split())
    for said in (
        "✗ MISMATCH",
        report["summary"],
        "drivers.nvidia.version = 535.183.01",
        "read from /sys/module/nvidia/version",
        report["recommendation"]["commands"]["uv"],
        "✗ not met",
        "Why not a newer release",
    ):
        assert said in text


def test_hostile_text_stays_text(hostile: dict[str, Any], hostile_text: str) -> None:
    html = render_html(hostile)
    tree = _parsed(html)
    assert sum(t == "script" for t, _ in tree.tags) == 1  # ours
    assert not any(name.startswith("on") for _, attrs in tree.tags for name in attrs)
    assert "\x1b" not in html and "\u202e" not in html
    assert any("<script>alert(1)</script>" in text for text in tree.text)


def test_a_link_is_only_made_of_https(report: dict[str, Any]) -> None:
    report["findings"][0]["docs"] = "javascript:alert(1)"
    assert "javascript:" not in render_html(report)


def test_eight_gpus_and_forty_candidates_stay_under_200_kb(crowded: dict[str, Any]) -> None:
    html = render_html(crowded)
    assert len(html.encode()) < 200_000
    assert html.count('<tr data-state="rejected">') == 39 and html.count('<tr data-state="accepted">') == 1


def test_a_candidate_that_could_not_be_judged_is_open(report: dict[str, Any]) -> None:
    report["candidates"] = [
        {"torch": "2.15.0", "variant": "xpu", "accepted": False, "reasons": [], "unknown": ["gpus"]}
    ]
    html = render_html(report)
    assert '<tr data-state="open">' in html and "gpus not known" in html


def test_nothing_known_is_still_a_page(report: dict[str, Any]) -> None:
    report |= {
        "verdict": "unknown",
        "findings": [],
        "candidates": [],
        "recommendation": None,
        "facts": {},
        "requires": [],
    }
    text = " ".join(_parsed(render_html(report)).text)
    assert "? UNKNOWN" in text and "Nothing is in the way" not in text


def test_controls_of_the_frame_escape_what_they_hold(hostile_text: str) -> None:
    made = command_block(hostile_text, hostile_text) + filtered_table(
        hostile_text, [hostile_text], [(hostile_text, [esc(hostile_text)])], states=[(hostile_text, hostile_text)]
    )
    assert "<script" not in made and "\x1b" not in made
    _parsed(made)


def test_notes_are_folded_and_the_chosen_candidate_is_named(report: dict[str, Any]) -> None:
    html = render_html(report)
    assert "<details><summary>Notes (1)</summary>" in html
    assert html.count("<strong>recommended</strong>") == 1
    report["findings"] = []
    report["verdict"] = "ok"
    assert "Nothing is in the way." in render_html(report)
