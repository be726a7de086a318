from __future__ import annotations

from typing import Any

import pytest
from torchdoctor.matrix.case import Asked, Case
from torchdoctor.matrix.catalog import Catalog
from torchdoctor.matrix.checks.questions import questions
from torchdoctor.probes.profile import facts_from_mapping

KNOWN: dict[str, Any] = {
    "system": {"os": "linux", "machine": "x86_64"},
    "python": {"version": "3.12.4"},
    "gpus": [{"vendor": "nvidia", "name": "NVIDIA L4", "compute_capability": "8.9"}],
    "drivers": {"nvidia": {"version": "580.95.05"}},
}


def _asked(*missing: str, **groups: Any) -> list[tuple[str, ...]]:
    case = Case(facts=facts_from_mapping({**KNOWN, **groups}), catalog=Catalog(), asked=Asked())
    return [f.fix for f in questions(case, missing)]


def test_a_machine_that_is_known_is_asked_nothing() -> None:
    assert _asked() == []


@pytest.mark.parametrize(
    ("missing", "groups", "command"),
    [
        ((), {"system": {"os": None}}, "collect_env"),
        ((), {"python": {"version": None}}, "python -VV"),
        ((), {"gpus": None}, "lspci"),
        ((), {"drivers": {}}, "nvidia-smi"),
        ((), {"gpus": [{"vendor": "nvidia", "name": "Graphics Device"}]}, "compute_cap"),
        (("gpus[0].gfx",), {}, "rocminfo"),
        (("gpus[1].pci_id",), {}, "lspci -nn"),
        (("system.libc_version",), {}, "ldd --version"),
        (("system.version",), {}, "sw_vers"),
        (("cpu.features",), {}, "lscpu"),
    ],
)
def test_each_gap_names_the_command_that_closes_it(
    missing: tuple[str, ...], groups: dict[str, Any], command: str
) -> None:
    ((line, *more),) = _asked(*missing, **groups)
    assert command in line
    assert more == []


def test_all_gaps_are_one_note_and_no_command_stands_twice() -> None:
    case = Case(facts=facts_from_mapping({}), catalog=Catalog(), asked=Asked())
    (note,) = questions(case)
    assert (note.id, note.severity) == ("insufficient-data", "note")
    assert note.detail == "not known: the system and processor, the Python version, the GPU"
    assert len(set(note.fix)) == len(note.fix) == 3


def test_no_gpu_list_is_needed_on_a_mac_and_no_version_of_a_driver_known_to_be_missing() -> None:
    assert _asked(system={"os": "macos", "machine": "aarch64"}, gpus=None) == []
    assert _asked(drivers={"nvidia": {"version": ""}}) == []
