from __future__ import annotations

import re

from torchdoctor.render.manual import render_list, render_page

PAGE = """# some-id

## What it means

A **bold** claim about *one* `--option` that goes on and on until it is longer than the line is wide, and further.

## Sources

- a page: <https://example.invalid/a>
- **Linux**: another point that is long enough to be wrapped into a second line of the list
"""


def test_a_page_is_wrapped_with_its_marks_left_out() -> None:
    text = render_page(PAGE, width=60)
    assert text.startswith("some-id\n=======\n\nWhat it means\n\n  A bold claim about one `--option`")
    assert "  - a page: https://example.invalid/a\n" in text
    assert "**" not in text and max(map(len, text.splitlines())) <= 60
    assert re.search(r"\n  - Linux: another .*\n    \w", text)


def test_colour_is_drawn_by_rich_with_the_same_words() -> None:
    coloured = render_page(PAGE, width=60, color=True)
    assert "\x1b[" in coloured
    plain = re.sub(r"\x1b\[[\d;]*m", "", coloured)
    assert "some-id" in plain and "https://example.invalid/a" in plain and "--option" in plain


def test_ascii() -> None:
    assert render_page("# a\n\nx → y …\n", ascii=True) == "a\n=\n\n  x -> y ...\n"


def test_the_list_names_each_id_with_its_severity() -> None:
    rows = [("driver-too-old", "blocker", "The driver is too old"), ("musl", "note", "x|y")]
    text = render_list(rows)
    assert text.startswith("driver-too-old  blocker   The driver is too old\nmusl            note      x|y\n")
    assert "| `musl` | note | x\\|y |" in render_list(rows, markdown=True)
    assert "\x1b[1;31mblocker \x1b[0m" in render_list(rows, color=True)
