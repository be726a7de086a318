from __future__ import annotations

import json
from typing import Any

import pytest
from torchdoctor.probes.facts import Facts
from torchdoctor.probes.profile import (
    ProfileError,
    facts_from_mapping,
    facts_from_text,
    facts_to_mapping,
    normal_machine,
    read_json,
    read_toml,
)

PROFILE: dict[str, Any] = {
    "system": {"os": "linux", "machine": "x86_64"},
    "gpus": [{"vendor": "nvidia", "name": "NVIDIA L4", "memory": 24e9}],
    "packages": {"torch": "2.5.1"},
    "devices": {"/dev/kfd": {"present": True, "openable": False, "group": "render"}},
    "torch": {"kernels": ["sm_80"]},
}


@pytest.mark.parametrize(
    ("name", "normal"),
    [("amd64", "x86_64"), (" ARM64 ", "aarch64"), ("i386", "i686"), ("armv8l", "armv7l"), ("s390x", "s390x")],
)
def test_names_of_machines(name: str, normal: str) -> None:
    assert normal_machine(name) == normal


def test_facts_go_to_plain_data_and_back() -> None:
    facts = facts_from_mapping(PROFILE)
    assert facts.get("devices./dev/kfd.openable") is False
    assert facts.gpus is not None and facts.gpus[0].memory == 24_000_000_000
    plain = facts_to_mapping(facts)
    assert facts_from_mapping(json.loads(json.dumps(plain))) == facts
    assert plain["cpu"] == {"vendor": None, "model": None, "level": None, "features": None}
    assert "sources" not in plain and "unknown" not in plain
    assert plain["torch"]["kernels"] == ["sm_80"]


def test_null_is_not_known_and_empty_is_none() -> None:
    facts = facts_from_mapping({"gpus": [], "packages": None, "system": None, "settings": None})
    assert (facts.gpus, facts.packages, facts.settings) == ((), None, None)
    assert facts == Facts(gpus=())


def test_spellings_are_put_right() -> None:
    facts = facts_from_mapping({"system": {"os": "Darwin", "machine": "arm64"}, "python": {"version": "3.15.0t"}})
    assert (facts.system.os, facts.system.machine) == ("macos", "aarch64")
    assert (facts.python.version, facts.python.free_threaded) == ("3.15.0", True)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ([], "expected an object of facts, found a list"),
        ({"system": []}, "system: expected an object, found a list"),
        ({"system": {"os": 7}}, "system.os: expected a string, found a number (7)"),
        ({"python": {"bits": "64"}}, "python.bits: expected a whole number, found a string ('64')"),
        ({"python": {"bits": True}}, "python.bits: expected a whole number, found true or false"),
        ({"gpus": {}}, "gpus: expected a list, found an object"),
        ({"gpus": [1]}, "gpus[0]: expected an object, found a number (1)"),
        ({"gpus": [{}, {"integrated": 1}]}, "gpus[1].integrated: expected true or false, found a number (1)"),
        ({"torch": {"kernels": ["sm_80", 9]}}, "torch.kernels[1]: expected a string, found a number (9)"),
        ({"packages": {"torch": 2.5}}, "packages.torch: expected a string, found a number (2.5)"),
        ({"devices": {"/dev/kfd": 1}}, "devices./dev/kfd: expected an object, found a number (1)"),
    ],
)
def test_a_wrong_type_is_one_line_with_the_key_and_what_was_expected(data: Any, says: str) -> None:
    with pytest.raises(ProfileError) as error:
        facts_from_mapping(data)
    assert str(error.value) == says


def test_unknown_keys_are_warnings_with_the_nearest_known_one() -> None:
    warnings: list[str] = []
    facts = facts_from_mapping({"gpu": [], "system": {"oss": "linux", "zzz": 1}, "sources": {}}, warnings=warnings)
    assert facts == Facts()
    assert warnings == [
        "unknown key gpu (nearest known: gpus)",
        "unknown key system.oss (nearest known: system.os)",
        "unknown key system.zzz",
    ]


@pytest.mark.parametrize(
    ("text", "toml", "says"),
    [
        ("{", False, "m: not valid JSON: line 1 column 2"),
        ('{"system": {}, "system": {}}', False, "m: not valid JSON: 'system' is given twice"),
        ("[" * 100_000, False, "m: not valid JSON: nested too deeply"),
        ('{"resources": {"memory": ' + "9" * 5000 + "}}", False, "m: not valid JSON: a number has too many digits"),
        ("[system\n", True, "m: not valid TOML: "),
        ("a = 1\na = 2\n", True, "m: not valid TOML: "),
        ("[system]\nos = 3\n", True, "m: system.os: expected a string"),
    ],
)
def test_a_file_that_is_none_is_one_line_with_its_name(text: str, toml: bool, says: str) -> None:
    with pytest.raises(ProfileError) as error:
        facts_from_text(text, "m", toml=toml)
    assert str(error.value).startswith(says)
    assert "\n" not in str(error.value)


def test_warnings_of_a_file_carry_its_name() -> None:
    _, warnings = facts_from_text("[system]\nmaschine = 'x'\n", "here.toml", toml=True)
    assert warnings == ["here.toml: unknown key system.maschine (nearest known: system.machine)"]


def test_plain_documents() -> None:
    assert read_json('{"a": [1, null]}') == {"a": [1, None]}
    assert read_toml('a = [1]\n[b]\nc = "d"\n') == {"a": [1], "b": {"c": "d"}}
    with pytest.raises(ValueError, match="column"):
        read_toml("a =\n")
