from __future__ import annotations

import time

import pytest
from torchdoctor.probes.toml_lines import inline_value, strings, toml_entries

FILE = """\
top = 1  # a remark
[project]
name = "x # no remark"
dependencies = [
    "torch>=2.5",  # another
    "numpy",
]
[[tool.uv.index]]
name = "first"
[[tool.uv.index]]
name = "second"
[tool.uv.sources]
torch = { index = "second", marker = "sys_platform == 'linux'" }
"quoted.key" = true
"""


def test_each_key_with_its_line_table_and_place() -> None:
    found = [(e.line, e.table, e.number, e.key) for e in toml_entries(FILE)]
    assert found == [
        (1, "", 0, "top"),
        (3, "project", 0, "name"),
        (4, "project", 0, "dependencies"),
        (9, "tool.uv.index", 0, "name"),
        (11, "tool.uv.index", 1, "name"),
        (13, "tool.uv.sources", 0, "torch"),
        (14, "tool.uv.sources", 0, "quoted.key"),
    ]


def test_values_stay_text_over_all_their_lines_without_remarks() -> None:
    values = {e.key: e.value for e in toml_entries(FILE) if e.table == "project"}
    assert values["name"] == '"x # no remark"'
    assert strings(values["dependencies"]) == ["torch>=2.5", "numpy"]
    assert "another" not in values["dependencies"]


@pytest.mark.parametrize(
    ("value", "key", "found"),
    [
        ('{ index = "cpu", marker = "x" }', "index", "cpu"),
        ("[{ index = 'a' }, { index = 'b' }]", "index", "a"),
        ("{ workspace = true }", "workspace", "true"),
        ('{ my-index = "cpu" }', "index", None),
        ('"index"', "index", None),
        ("", "index", None),
    ],
)
def test_a_value_of_an_inline_table(value: str, key: str, found: str | None) -> None:
    assert inline_value(value, key) == found


def test_strings_in_either_quotes() -> None:
    assert strings("""["a", 'b', "c'd"]""") == ["a", "b", "c'd"]
    assert strings("[1, true]") == []


@pytest.mark.parametrize("text", ["", "= 1", "[", "[[[", "a = [\n" * 50, 'a = "unclosed', "\0\x1b", "a" * 10_000])
def test_what_is_no_toml_never_raises(text: str) -> None:
    assert all(entry.line >= 1 for entry in toml_entries(text))


def test_a_long_hostile_value_costs_little() -> None:
    start = time.process_time()
    list(toml_entries("a = [" + '"' * 200_000 + "\n" + "b = " + "{" * 100_000))
    inline_value("{" * 100_000, "index")
    assert time.process_time() - start < 2
