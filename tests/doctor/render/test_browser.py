"""The HTML pages in a real headless Chromium: looks, keyboard, copying, the console, accessibility.

CI installs the browser and fails without it; elsewhere these tests are skipped with the reason.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from torchdoctor.render.html import render_html
from torchdoctor.render.releases import render_releases_html

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def _missing(what: str) -> None:
    if os.environ.get("CI"):
        pytest.fail(f"{what} is missing, and CI has to run it")
    pytest.skip(f"{what} is not installed")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    program = os.environ.get("CHROMIUM") or next(
        filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
    )
    if program is None:
        _missing("Chromium")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        _missing("playwright")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=program, args=FLAGS)
        yield started
        started.close()


class _Opened:
    """A page with everything it said on its console."""

    def __init__(self, browser: Any, path: Path, html: str, **how: Any) -> None:
        path.write_text(html, encoding="utf-8")
        self.context = browser.new_context(**how)
        self.context.set_default_timeout(5000)
        self.page = self.context.new_page()
        self.said: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", lambda m: self.said.append(m.text))
        self.page.on("pageerror", lambda e: self.said.append(str(e)))
        self.page.on("request", lambda r: self.asked.append(r.url))
        self.page.goto(path.as_uri())


@pytest.fixture
def opened(browser: Any, tmp_path: Path) -> Iterator[Any]:
    pages: list[_Opened] = []

    def make(html: str, **how: Any) -> _Opened:
        pages.append(_Opened(browser, tmp_path / f"{len(pages)}.html", html, **how))
        return pages[-1]

    yield make
    for one in pages:
        one.context.close()


@pytest.fixture
def axe() -> str:
    try:
        return files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
    except ImportError:
        _missing("axe-playwright-python")
        raise


def _faults(page: Any, axe: str, *rules: str) -> list[str]:
    page.evaluate(axe)  # not as a script tag: the page's own policy would refuse it
    only = f", runOnly: {list(rules)}" if rules else ""
    found = page.evaluate(f"axe.run(document, {{resultTypes: ['violations']{only}}})")
    return [
        f"{v['id']}: {v['nodes'][0]['html'][:200]}"
        for v in found["violations"]
        if v["impact"] in ("serious", "critical", "moderate")
    ]


def _matrix() -> str:
    row = {
        "torch": "2.15.0", "variant": "cu132", "platform": "linux_x86_64", "pythons": ["3.11", "3.12"],
        "gpus": ["7.5", "12.0"], "driver": "580", "system": "glibc 2.28", "metal": None,
        "here": {"accepted": False, "reasons": ["driver-too-old"], "unknown": []},
    }  # fmt: skip
    return render_releases_html({"matrix": "2026-11-30", "rows": [row]})


def test_nothing_is_loaded_and_the_console_stays_silent(opened: Any, crowded: dict[str, Any]) -> None:
    one = opened(render_html(crowded))
    assert one.said == []
    assert [url for url in one.asked if not url.startswith(("file:", "data:"))] == []


def test_hostile_text_runs_nothing(opened: Any, hostile: dict[str, Any]) -> None:
    one = opened(render_html(hostile))
    one.page.on("dialog", lambda d: one.said.append(d.message))
    one.page.wait_for_timeout(100)
    assert one.said == []
    assert one.page.evaluate("document.scripts.length") == 1


@pytest.mark.parametrize(("scheme", "rules"), [("light", ()), ("dark", ("color-contrast",))])
def test_axe_finds_no_serious_fault(
    opened: Any, report: dict[str, Any], axe: str, scheme: str, rules: tuple[str, ...]
) -> None:
    for html in (render_html(report), _matrix()):
        one = opened(html, color_scheme=scheme)
        one.page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
        assert _faults(one.page, axe, *rules) == []


@pytest.mark.parametrize("width", [320, 1100])
def test_no_page_is_wider_than_its_window(opened: Any, crowded: dict[str, Any], width: int) -> None:
    for html in (render_html(crowded), _matrix()):
        one = opened(html, viewport={"width": width, "height": 800})
        assert one.page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_copy_button_copies_the_command(opened: Any, report: dict[str, Any]) -> None:
    one = opened(render_html(report))
    one.context.grant_permissions(["clipboard-read", "clipboard-write"])
    button = one.page.get_by_role("button", name="Copy the command (pip)")
    button.click()
    one.page.get_by_text("Copied", exact=True).first.wait_for()
    assert one.page.evaluate("navigator.clipboard.readText()") == report["recommendation"]["commands"]["pip"]
    one.page.wait_for_function("document.getElementById('said').textContent === 'Copied'")


def test_a_finding_is_copied_as_a_sentence(opened: Any, report: dict[str, Any]) -> None:
    one = opened(render_html(report))
    one.context.grant_permissions(["clipboard-read", "clipboard-write"])
    one.page.get_by_role("button", name="Copy the finding driver-too-old").click()
    one.page.get_by_text("Copied", exact=True).first.wait_for()
    copied = one.page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith("driver-too-old: The NVIDIA driver is too old") and "or update the driver" in copied


def test_the_keyboard_reaches_everything_in_order(opened: Any, report: dict[str, Any]) -> None:
    one = opened(render_html(report))
    reached = []
    for _ in range(30):
        one.page.keyboard.press("Tab")
        what = "document.activeElement.getAttribute('aria-label') || document.activeElement.textContent.slice(0, 40) || document.activeElement.tagName"
        reached.append(one.page.evaluate(f"document.activeElement === document.body ? '' : {what}"))
        if not reached[-1]:
            break
    wanted = ["pip", "Copy the command (pip)", "uv", "Copy the command (uv)", "Copy the finding driver-too-old"]
    places = [reached.index(w) for w in wanted]
    assert places == sorted(places)
    assert "Candidates" in reached and "All facts and where they were read" in reached
    outline = one.page.evaluate(
        "(document.querySelector('button').focus(), getComputedStyle(document.activeElement).outlineStyle)"
    )
    assert outline != "none"


def test_the_filter_narrows_the_candidates(opened: Any, crowded: dict[str, Any]) -> None:
    one = opened(render_html(crowded))
    shown = one.page.locator("#candidates tbody tr:visible")
    assert shown.count() == 40
    one.page.get_by_label("Filter").fill("CU126 2.14")
    assert shown.count() == 1 and one.page.locator("[data-count]").inner_text() == "1 of 40"
    one.page.get_by_label("Filter").fill("")
    one.page.get_by_label("Show").select_option("accepted")
    assert shown.count() == 1


def test_without_script_everything_can_be_read(opened: Any, report: dict[str, Any]) -> None:
    one = opened(render_html(report), java_script_enabled=False)
    assert one.page.locator("button:visible").count() == 0
    assert one.page.locator(".filter:visible").count() == 0
    assert one.page.locator("#candidates tbody tr:visible").count() == 4
    assert one.page.locator("pre").first.inner_text() == report["recommendation"]["commands"]["pip"]


def test_print_shows_all_and_no_buttons(opened: Any, report: dict[str, Any], tmp_path: Path) -> None:
    one = opened(render_html(report))
    one.page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    one.page.emulate_media(media="print")
    assert one.page.locator("button:visible").count() == 0
    assert one.page.locator("details td:visible").count() > 10
    assert len(one.page.pdf()) > 10_000


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_picture_is_really_drawn(opened: Any, report: dict[str, Any], scheme: str) -> None:
    one = opened(render_html(report), color_scheme=scheme, viewport={"width": 1100, "height": 900})
    box = one.page.locator("svg.stack").bounding_box()
    assert box["width"] > 350 and box["height"] > 400
    broken = one.page.evaluate("getComputedStyle(document.querySelector('.joint.bad')).strokeDasharray")
    assert broken not in ("none", "")
    # Every text lies inside the drawing.
    outside = one.page.evaluate(
        "(() => {const s = document.querySelector('svg.stack').getBoundingClientRect();"
        "return [...document.querySelectorAll('svg.stack text')].filter(t => {const r = t.getBoundingClientRect();"
        "return r.right > s.right + 1 || r.left < s.left - 1 || r.bottom > s.bottom + 1}).map(t => t.textContent)})()"
    )
    assert outside == []
    assert len(one.page.screenshot(full_page=True)) > 20_000
