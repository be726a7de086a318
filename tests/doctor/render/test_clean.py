from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from torchdoctor.render.clean import ascii_text, cells, clean, fit, wrap


@pytest.mark.parametrize(
    ("given_", "shown"),
    [
        ("plain ü 漢", "plain ü 漢"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("a\nb\tc\r", "a b c "),
        ("\x9b2J", "\\x9b2J"),
        ("\u202egnp.exe", "\\u202egnp.exe"),
        ("a\u2028b", "a b"),
        ("zero\u200bwidth", "zero\\u200bwidth"),
        ("\ud800", "\\ud800"),
        (None, "None"),
        (12, "12"),
    ],
)
def test_controls_become_visible(given_: object, shown: str) -> None:
    assert clean(given_) == shown


@given(st.text())
def test_nothing_unprintable_is_left(text: str) -> None:
    shown = clean(text)
    assert "\x1b" not in shown and "\n" not in shown and "\u202e" not in shown
    shown.encode("utf-8")  # no lone surrogate either
    assert clean(shown) == shown


def test_ascii_has_a_likeness_for_our_signs_and_escapes_the_rest() -> None:
    assert ascii_text("✗ a → b … ≥ 1 × ü") == "x a -> b ... >= 1 x \\xfc"


def test_width_counts_columns_not_characters() -> None:
    assert cells("漢字") == 4
    assert cells("e\u0301") == 1
    assert fit("漢字漢字", 5) == "漢字…"
    assert fit("short", 5) == "short"


@given(st.text(alphabet="ab 漢/", max_size=200), st.integers(4, 40))
def test_wrapping_keeps_every_word_and_the_width(text: str, width: int) -> None:
    lines = wrap(text, width)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    assert all(cells(line) <= width for line in lines)


def test_a_word_longer_than_the_line_is_broken() -> None:
    assert wrap("a " + "x" * 10, 4) == ["a", "xxxx", "xxxx", "xx"]
