from __future__ import annotations

import pytest
from torchdoctor.render.table import text_table

ROWS = [["2.15.0", "a very long cell that has to be wrapped somewhere", "580"], ["", "short", ""]]


@pytest.mark.parametrize("width", [30, 50, 120])
def test_rows_fit_the_width(width: int) -> None:
    lines = text_table(["torch", "what", "driver"], ROWS, width)
    assert max(map(len, lines)) <= width
    assert lines[0].split() == ["torch", "what", "driver"]
    assert " ".join(" ".join(lines).split()).count("short") == 1


def test_columns_stay_in_line() -> None:
    lines = text_table(["a", "b"], [["1", "x"], ["22", "y"]], 80)
    assert lines == ["a   b", "1   x", "22  y"]


def test_words_are_not_cut_to_please_the_width() -> None:
    assert "driver-too-old" in "\n".join(text_table(["x", "y"], [["driver-too-old", "driver-too-old"]], 10))


def test_cells_are_cleaned_and_styled() -> None:
    lines = text_table(["h"], [["\x1b[31m"]], 80, style=lambda row, column, text: f"<{row}.{column} {text}>")
    assert lines == ["<-1.0 h>", "<0.0 \\x1b[31m>"]
