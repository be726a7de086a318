from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

GOLDEN = Path(__file__).parents[2] / "golden"


def _regenerate() -> ModuleType:
    spec = importlib.util.spec_from_file_location("golden_regenerate", GOLDEN / "regenerate.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


GOLD = _regenerate()


def test_there_are_enough_machines_of_every_verdict() -> None:
    assert len(GOLD.machines()) >= 15
    shown = {(GOLDEN / "txt" / f"{m}.txt").read_text(encoding="utf-8").split()[1] for m in GOLD.machines()}
    assert shown == {"OK", "MISMATCH", "BLOCKED", "UNKNOWN"}


@pytest.mark.parametrize("machine", GOLD.machines())
def test_nothing_changed_unseen(machine: str) -> None:
    for form, text in GOLD.outputs(machine):
        golden = (GOLDEN / form / f"{machine}.{form}").read_text(encoding="utf-8")
        assert text == golden, f"{machine}.{form}: run python tests/golden/regenerate.py and review the diff"


@pytest.mark.parametrize("machine", GOLD.machines())
def test_the_usual_case_fits_a_terminal(machine: str) -> None:
    lines = (GOLDEN / "txt" / f"{machine}.txt").read_text(encoding="utf-8").splitlines()
    report = GOLD.report_of(machine)
    commands = {
        c for key in ("recommendation", "alternative") for c in (report[key] or {"commands": {}})["commands"].values()
    }
    assert len(lines) <= 40
    assert [line for line in lines if len(line) > 80 and line not in commands] == []
