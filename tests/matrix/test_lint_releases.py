from __future__ import annotations

import copy
from importlib.resources import files
from typing import Any

import pytest
from torchdoctor.matrix.lint_releases import lint_releases
from torchdoctor.matrix.tables import parse_toml


@pytest.fixture
def newest() -> dict[str, Any]:
    text = (files("torchdoctor.matrix") / "data" / "releases" / "2.15.toml").read_text(encoding="utf-8")
    return copy.deepcopy(parse_toml(text))


def test_the_shipped_files_are_clean() -> None:
    assert lint_releases() == []


def test_every_fault_is_found_at_once(newest: dict[str, Any]) -> None:
    newest["colour"] = {}
    newest["build"][0]["speed"] = 3
    newest["build"][1]["kernels"].append("sm_75x")
    newest["build"][2].pop("source")
    newest["build"][3]["unconfirmed"].append("gfx1100")
    newest["build"].append(dict(newest["build"][0]))
    newest["default_index"]["windows_amd64"] = "cu130"
    newest["interpreters"][0].pop("macos")
    newest["interpreters"][1]["tags"].append("python3.12")
    newest["metal"]["confidence"] = "sure"
    newest["patch"][0]["source"] = ["nowhere"]
    found = "\n".join(lint_releases({"2.15.toml": newest}))
    for fault in (
        "2.15.toml: unknown group colour",
        "build[0]: unknown key speed",
        "build[1]: 'sm_75x' is no architecture of cu132",
        "build[2]: no source",
        "build[3]: gfx1100 both counts and does not",
        "has cpu for linux_x86_64 twice",
        "serves cu130 for windows_amd64, but no such build is listed",
        "interpreters[0]: macos belongs to macOS wheels",
        "interpreters[1]: 'python3.12' is no interpreter tag",
        "metal: confidence 'sure' is none of primary, secondary, inferred",
        "patch[0]: source 'nowhere' is neither a key",
    ):
        assert fault in found


def test_a_file_under_the_wrong_name_or_without_its_groups(newest: dict[str, Any]) -> None:
    del newest["glibc"]
    found = lint_releases({"2.16.toml": newest})
    assert "2.16.toml: line is '2.15', the file is 2.16.toml" in found
    assert "2.16.toml: no group glibc" in found
