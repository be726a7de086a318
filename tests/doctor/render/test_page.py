from __future__ import annotations

from html.parser import HTMLParser

import pytest
from torchdoctor.render.page import command_block, esc, filtered_table, page


class _Text(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.seen.append(data)


def _parsed(html: str) -> _Text:
    parser = _Text()
    parser.feed(html)
    return parser


def test_text_and_attributes_are_escaped_and_cleaned() -> None:
    assert esc("<b> & \"q\" 'a'") == "&lt;b&gt; &amp; &quot;q&quot; &#x27;a&#x27;"
    assert "\x1b" not in esc("a\x1b[31mb") and "\u202e" not in esc("\u202ex")


def test_a_page_is_one_file_that_loads_nothing() -> None:
    html = page("<Title>", "<main>body</main>", footer="a & b")
    parsed = _parsed(html)
    assert html.startswith("<!doctype html>") and html.endswith("</html>\n")
    assert html.count("<main>body</main>") == 1
    assert "&lt;Title&gt;" in html and "a &amp; b" in html
    assert all("src" not in attrs for _, attrs in parsed.tags)
    assert "default-src 'none'" in html
    assert html.index("Content-Security-Policy") < html.index("<style>") < html.index("<script>")


@pytest.mark.parametrize("command", ["pip install torch", "line 1\nline 2", "echo '<&>'"])
def test_a_command_can_be_read_and_copied_as_it_is(command: str) -> None:
    html = command_block(command, "pip")
    parsed = _parsed(html)
    assert "".join(parsed.seen) == "pip" + command
    assert ("figure", {"class": "command", "data-copy": None}) in parsed.tags


def test_a_table_with_states_to_choose_from() -> None:
    html = filtered_table(
        "Builds", ["torch", "<x>"], [("yes", ["2.15", "a"]), ("no", ["2.14", "b"])], states=[("yes", "works")]
    )
    parsed = _parsed(html)
    assert [attrs["data-state"] for tag, attrs in parsed.tags if tag == "tr" and attrs] == ["yes", "no"]
    assert [attrs["value"] for tag, attrs in parsed.tags if tag == "option"] == ["", "yes"]
    assert "&lt;x&gt;" in html
    assert "<select" not in filtered_table("Builds", ["torch"], [])
