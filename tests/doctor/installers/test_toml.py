from __future__ import annotations

import pytest
from torchdoctor.installers.toml import array, inline, string
from torchdoctor.matrix.tables import parse_toml

WORDS = ["plain", 'a"b', "a\\b", "a\nb", "a\x7fb", "é\U0001f525", "'''", '"]\nx = "1', "\x00"]


@pytest.mark.parametrize("word", WORDS)
def test_any_word_comes_back_as_it_was(word: str) -> None:
    assert parse_toml(f"x = {string(word)}\n") == {"x": word}
    assert parse_toml(f"x = {inline({'a': word})}\n") == {"x": {"a": word}}


def test_half_a_character_is_none() -> None:
    assert parse_toml(f"x = {string(chr(0xD83D))}\n") == {"x": "\ufffd"}
    assert string("\u202e").isascii()


def test_an_array_one_row_a_line() -> None:
    assert array([string("a"), string("b")]) == '[\n    "a",\n    "b",\n]'
    assert parse_toml(f"x = {array([])}\n") == {"x": []}
