"""Each check of one table by itself; all of them at once are tried in ``test_lint.py``."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from torchdoctor.matrix.lint_tables import CHECKS
from torchdoctor.matrix.tables import table

PLANTED: dict[str, tuple[str, str, list[Any], str]] = {
    "_nvidia": ("nvidia_gpus.json", "pci", ["2684", "AD102", "Twice"], "2684 stands twice"),
    "_amd": ("amd_gpus.json", "pci", ["fff0", "gfx9999", "X", "Y"], "fff0 is of the unknown target gfx9999"),
    "_intel": ("intel_gpus.json", "pci", ["fff0", "Nowhere Lake", None], "of the unknown platform Nowhere Lake"),
    "_cpus": ("cpus.json", "arm", ["Nobody", "0x41", "0xfff", None, None], "Nobody has neither a level nor a note why"),
    "_drivers": ("drivers.toml", "cuda_by_branch", ["1", "99.0"], "does not follow"),
    "_systems": ("systems.toml", "macos", ["12", "Again", "21"], "macos: 12 does not follow"),
    "_offers": ("offers.json", "variants", ["cu999", "2.9.0", "2.1.0"], "are no releases in order"),
}


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_the_shipped_table_is_clean(check: Any) -> None:
    assert list(check(table)) == []


@pytest.mark.parametrize("check", [c for c in CHECKS if c.__name__ in PLANTED], ids=lambda check: check.__name__)
def test_a_row_that_does_not_fit_is_named(check: Any) -> None:
    file, group, row, says = PLANTED[check.__name__]

    def read(name: str) -> dict[str, Any]:
        data: dict[str, Any] = table(name)
        if name == file:
            data = copy.deepcopy(data)
            data[group]["rows"].append(row)
        return data

    found = list(check(read))
    assert any(says in line for line in found), found
    assert all(line.startswith(file) for line in found)


def test_every_check_of_rows_is_tried_here() -> None:
    assert {check.__name__ for check in CHECKS} - set(PLANTED) == {"_toolkits"}  # a list of tables, not of rows
