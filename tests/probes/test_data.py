"""Every group of a table says where it is from and how sure it is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torchdoctor.probes.data
from torchdoctor.probes.data import table

FILES = sorted(path.stem for path in Path(torchdoctor.probes.data.__file__).parent.glob("*.json"))


def test_there_are_tables() -> None:
    assert {"cpu", "nvidia"} <= set(FILES)


@pytest.mark.parametrize("name", FILES)
def test_groups_have_a_source_and_a_confidence(name: Any) -> None:
    for group, content in table(name).items():
        assert content["source"], group
        assert content["confidence"] in ("primary", "secondary", "inferred"), group


def test_part_numbers_are_spelled_one_way() -> None:
    implementers = table("cpu")["arm_implementers"]["rows"]
    for key, name in table("cpu")["arm_parts"]["rows"].items():
        code, _, part = key.partition("/")
        assert code in implementers
        assert part == f"0x{int(part, 16):03x}"
        assert name
