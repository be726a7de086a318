from __future__ import annotations

import copy
import importlib
import pkgutil
import re
from typing import Any

import pytest
import torchdoctor.matrix
import torchdoctor.probes
from torchdoctor.probes.patterns import regex


def test_it_is_used_like_a_compiled_one() -> None:
    word = regex(r"(\w+)-(?P<number>\d+)", re.I)
    found = word.search("see GPU-7")
    assert found is not None and found["number"] == "7"
    assert word.match("GPU-7") and word.fullmatch("GPU-7x") is None
    assert word.sub(r"\1", "a-1 b-2") == "a b"
    assert word.findall("a-1 b-2") == [("a", "1"), ("b", "2")]
    assert [m[0] for m in word.finditer("a-1 b-2")] == ["a-1", "b-2"]
    assert word.groups == 2 and word.pattern == r"(\w+)-(?P<number>\d+)"


def test_nothing_is_compiled_before_it_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    compile = re.compile

    def noted(source: str, flags: int = 0) -> re.Pattern[str]:
        asked.append(source)
        return compile(source, flags)

    monkeypatch.setattr(re, "compile", noted)
    word = regex("a+")
    copied = copy.copy(word)
    assert asked == []
    assert word.search("aa") and word.search("ba") and word.match("a")
    assert asked == ["a+"]
    assert copied.search("aa")


def test_a_wrong_one_says_so_at_first_use() -> None:
    word = regex("(")
    with pytest.raises(re.error):
        word.search("x")


def test_every_pattern_that_was_put_off_compiles() -> None:
    """What is put off until the first use must not fail there."""
    found = 0
    for module in _modules():
        for value in vars(module).values():
            for one in _patterns(value):
                assert re.compile(one.pattern, one.flags).groups == one.groups
                found += 1
    assert found > 350


def _modules() -> list[Any]:
    packages = (torchdoctor.probes, torchdoctor.matrix)
    names = [m.name for p in packages for m in pkgutil.walk_packages(p.__path__, f"{p.__name__}.")]
    return [importlib.import_module(name) for name in names]


def _patterns(value: Any) -> list[re.Pattern[str]]:
    if type(value) in (regex, re.Pattern):
        return [value]
    if isinstance(value, tuple | list):
        return [p for item in value for p in _patterns(item)]
    if isinstance(value, dict):
        return [p for item in value.values() for p in _patterns(item)]
    if hasattr(value, "pattern") and not isinstance(value, type):
        return _patterns(value.pattern)
    return []
