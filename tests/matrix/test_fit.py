from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from torchdoctor.matrix.case import Asked
from torchdoctor.matrix.catalog import Catalog
from torchdoctor.matrix.judge import judge
from torchdoctor.matrix.verdict import Verdict
from torchdoctor.probes.facts import Facts

Machine = Callable[..., Facts]

UNHEARD_OF = {"vendor": "nvidia", "name": "NVIDIA Foo 9000", "integrated": False}
SOME_RADEON = {"vendor": "amd", "integrated": False}


def _verdict(catalog: Catalog, facts: Facts) -> Verdict:
    return judge(facts, Asked(), catalog=catalog).verdict


@pytest.mark.parametrize(
    ("gpu", "driver", "torch", "missing"),
    [
        (UNHEARD_OF, "580.95.05", "2.15.0+cu132", "gpus[0].compute_capability"),
        (UNHEARD_OF, "580.95.05", "2.15.0+cpu", "gpus[0].compute_capability"),
        (SOME_RADEON, None, "2.15.0+rocm10.0", "gpus[0].gfx"),
        ({**UNHEARD_OF, "compute_capability": "8.9"}, None, "2.15.0+cu132", "drivers.nvidia.version"),
    ],
)
def test_an_installed_build_is_not_fine_for_want_of_facts(
    catalog: Catalog, machine: Machine, gpu: dict[str, Any], driver: str | None, torch: str, missing: str
) -> None:
    verdict = _verdict(catalog, machine(driver=driver, gpus=[gpu], packages={"torch": torch}))
    assert verdict.status == "unknown"
    assert verdict.summary.startswith("not enough is known to judge the installed torch")
    assert verdict.summary.endswith(f"({missing})")
    assert {f.id for f in verdict.findings if f.severity != "note"} == set()
    assert "insufficient-data" in {f.id for f in verdict.findings}


def test_what_torch_itself_reached_needs_no_more_facts(catalog: Catalog, machine: Machine) -> None:
    said = {"version": "2.15.0", "variant": "cu132", "gpu_available": True}
    verdict = _verdict(catalog, machine(gpus=[UNHEARD_OF], packages={"torch": "2.15.0+cu132"}, torch=said))
    assert verdict.status == "ok"


def test_a_build_for_no_gpu_of_this_machine_needs_no_driver(catalog: Catalog, machine: Machine) -> None:
    assert _verdict(catalog, machine("renoir", packages={"torch": "2.15.0+cu132"})).status == "ok"
    assert _verdict(catalog, machine(packages={"torch": "2.15.0+cpu"})).status == "ok"
