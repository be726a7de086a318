"""The shipped tables hold together, and what would break them is found."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
from torchdoctor.matrix import lint as module
from torchdoctor.matrix.lint import lint_hardware
from torchdoctor.matrix.tables import rows, sources, table, weakest

FILES = (
    "nvidia_gpus.json",
    "amd_gpus.json",
    "intel_gpus.json",
    "cpus.json",
    "offers.json",
    "drivers.toml",
    "toolkits.toml",
    "systems.toml",
    "sources.json",
)


def with_faults(*edits: Callable[[dict[str, Any]], object]) -> list[str]:
    data = {name: copy.deepcopy(table(name)) for name in FILES}
    for edit in edits:
        edit(data)
    return lint_hardware(data.__getitem__)


def test_the_shipped_tables_are_clean() -> None:
    assert lint_hardware() == []


def test_lint_joins_the_checks_of_the_release_files() -> None:
    assert module.lint() == []


SHAPE_FAULTS: list[tuple[Callable[[dict[str, Any]], object], str]] = [
    (lambda d: d["nvidia_gpus.json"].update(extra={}), "nvidia_gpus.json: unknown key extra"),
    (lambda d: d["amd_gpus.json"].pop("names"), "amd_gpus.json: names is missing"),
    (lambda d: d["intel_gpus.json"]["pci"].pop("source"), "intel_gpus.json: pci: source is missing"),
    (
        lambda d: d["cpus.json"]["arm"].update(source=["nowhere"]),
        "cpus.json: arm: source nowhere is not in sources.json",
    ),
    (
        lambda d: d["offers.json"]["variants"].update(confidence="sure"),
        "offers.json: variants: confidence is missing or unknown",
    ),
    (lambda d: d["nvidia_gpus.json"]["names"].update(colour=1), "nvidia_gpus.json: names: unknown key colour"),
    (lambda d: d["amd_gpus.json"]["pci"]["rows"][0].append("x"), "amd_gpus.json: pci[0]: 6 values for 5 columns"),
    (
        lambda d: d["nvidia_gpus.json"]["names"]["rows"][0].__setitem__(2, "maybe"),
        "nvidia_gpus.json: names[0]: confidence 'maybe' is none of",
    ),
    (lambda d: d["drivers.toml"]["floor"][0].pop("windows"), "drivers.toml: floor[0]: windows is missing"),
    (lambda d: d["toolkits.toml"]["toolkit"][0].update(driver="1"), "toolkits.toml: toolkit[0]: unknown key driver"),
    (lambda d: d["sources.json"].update(orphan="text"), "sources.json: orphan is used by no table"),
]

CONTENT_FAULTS: list[tuple[Callable[[dict[str, Any]], object], str]] = [
    (lambda d: d["nvidia_gpus.json"]["pci"]["rows"].append(["2684", "AD102", "Twice"]), "nvidia_gpus.json: pci: 2684 stands twice"),
    (lambda d: d["nvidia_gpus.json"]["pci"]["rows"].append(["zzzz", "AD102", "Odd"]), "nvidia_gpus.json: pci: 'zzzz' is no device id"),
    (lambda d: d["nvidia_gpus.json"]["pci"]["rows"].append(["fff0", "XX999", "Odd"]), "nvidia_gpus.json: pci: fff0 is of the unknown chip XX999"),
    (lambda d: _set(d["nvidia_gpus.json"]["chips"], "AD102", 1, "9.9"), "nvidia_gpus.json: chips: AD102 has compute capability 9.9"),
    (lambda d: _set(d["nvidia_gpus.json"]["names"], "GeForce RTX 4090", 1, "8.6"), "nvidia_gpus.json: GeForce RTX 4090 is 8.6 by name and 8.9 by PCI id"),
    (lambda d: d["nvidia_gpus.json"]["names"]["rows"].append(["GeForce GT 730", "3.5"]), "nvidia_gpus.json: GeForce GT 730 has one compute capability in names and several"),
    (lambda d: d["nvidia_gpus.json"]["ranges"]["rows"].append(["AD102", "2b00", "2bff"]), "is GB202"),
    (lambda d: d["nvidia_gpus.json"]["boards"]["rows"].append(["Atlan", "XX100"]), "nvidia_gpus.json: boards: Atlan is of the unknown chip XX100"),
    (lambda d: d["nvidia_gpus.json"]["disputed"]["rows"].append(["Nobody", "5.0", ["5.2"]]), "nvidia_gpus.json: disputed: Nobody is not among the names"),
    (lambda d: d["amd_gpus.json"]["pci"]["rows"].append(["fff0", "gfx9999", "X", "Y"]), "amd_gpus.json: pci: fff0 is of the unknown target gfx9999"),
    (lambda d: _set(d["amd_gpus.json"]["names"], "Radeon VII", 1, "gfx900"), "amd_gpus.json: Radeon VII is gfx900 by name and gfx906 by PCI id"),
    (lambda d: d["intel_gpus.json"]["pci"]["rows"].append(["fff0", "Nowhere Lake", None]), "intel_gpus.json: pci: fff0 is of the unknown platform Nowhere Lake"),
    (lambda d: d["intel_gpus.json"]["platforms"]["rows"].append(["Empty Lake", "Xe9", "igpu", False]), "intel_gpus.json: platforms: Empty Lake has no device"),
    (lambda d: _set(d["cpus.json"]["arm"], "Cortex-A72", 3, "v8"), "cpus.json: arm: Cortex-A72 has the level 'v8'"),
    (lambda d: d["drivers.toml"]["cuda_by_branch"]["rows"].append(["600", "13.9"]), "drivers.toml: cuda_by_branch: 600 (13.9) does not follow 620 (13.5)"),
    (lambda d: d["drivers.toml"]["floor"][0].update(linux="new"), "drivers.toml: floor 11: 'new' is no driver version"),
    (lambda d: _set(d["drivers.toml"]["generations"], "8.9", 4, "515"), "drivers.toml: generations: 8.9 begins with branch 515, its toolkit 11.8 with 520"),
    (lambda d: _set(d["drivers.toml"]["generations"], "8.9", 5, "520.99"), "drivers.toml: generations: 8.9 begins with linux driver 520.99"),
    (lambda d: _set(d["drivers.toml"]["generations"], "8.9", 8, "closed"), "drivers.toml: generations: 8.9 runs on the unknown modules 'closed'"),
    (lambda d: d["toolkits.toml"]["toolkit"][0].update(cuda="14.0"), "toolkits.toml: 14.0 GA: no driver branch speaks it"),
    (lambda d: d["toolkits.toml"]["toolkit"][0].update(cc_max="99.0"), "cc_max 99.0 is unknown to drivers.toml"),
    (lambda d: d["systems.toml"]["macos"]["rows"].append(["12", "Again", "21"]), "systems.toml: macos: 12 does not follow 27"),
    (lambda d: d["offers.json"]["interpreters"]["rows"].append(["py3", "linux", "", "", ""]), "offers.json: interpreters: py3 linux: not an interpreter tag"),
    (lambda d: d["offers.json"]["variants"]["rows"].append(["cu999", "2.9.0", "2.1.0"]), "offers.json: cu999: '2.9.0' to '2.1.0' are no releases in order"),
]  # fmt: skip


def _set(group: dict[str, Any], first: str, column: int, value: str) -> None:
    row = next(row for row in group["rows"] if row[0] == first)
    row[column] = value


@pytest.mark.parametrize(
    ("edit", "fault"), SHAPE_FAULTS + CONTENT_FAULTS, ids=lambda v: v if isinstance(v, str) else ""
)
def test_a_planted_fault_is_found(edit: Callable[[dict[str, Any]], object], fault: str) -> None:
    found = with_faults(edit)
    assert any(fault in line for line in found), found


def test_all_faults_are_found_at_once() -> None:
    # Without the edits that hide another one: a group that is gone, a row of it, a chip or generation edited twice.
    hiding = ("names is missing", "names[0]", "AD102 has", "floor[0]", "toolkit[0]", "begins with branch", "cc_max")
    wanted = [row for row in SHAPE_FAULTS + CONTENT_FAULTS if not any(word in row[1] for word in hiding)]
    assert len(wanted) > 25
    found = with_faults(*(edit for edit, _ in wanted))
    assert [fault for _, fault in wanted if not any(fault in line for line in found)] == []


def test_a_check_that_fails_on_tables_in_shape_is_not_silenced(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(read: object) -> list[str]:
        raise KeyError("row")

    monkeypatch.setattr(module, "CHECKS", (broken,))
    with pytest.raises(KeyError):
        lint_hardware()


def test_rows_take_the_confidence_of_their_group() -> None:
    by_name = {row["name"]: row["confidence"] for row in rows("nvidia_gpus.json", "names")}
    assert by_name["GB200"] == "primary"
    assert by_name["Tesla T4"] == "secondary"


def test_sources_are_spelled_out() -> None:
    assert any("pci.ids" in text for text in sources("nvidia_gpus.json", "pci"))


def test_weakest() -> None:
    assert weakest("primary", "inferred", "secondary") == "inferred"
    assert weakest() == "primary"
