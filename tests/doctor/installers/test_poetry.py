from __future__ import annotations

from typing import Any

from torchdoctor.installers import (
    Target,
    render_command,
    render_project,
)
from torchdoctor.matrix.tables import parse_toml
from torchdoctor.matrix.verdict import Recommendation
from torchdoctor.probes.facts import Python, System

ROOT = "https://download.pytorch.org/whl"


LINUX = System(os="linux", machine="x86_64", libc="glibc", libc_version="2.39")


PY312 = Python(version="3.12.4")


def chosen(torch: str, variant: str, *, default: bool = False, **packages: str) -> Recommendation:
    url = None if default else f"{ROOT}/{variant}"
    return Recommendation(torch=torch, variant=variant, index_url=url, packages={"torch": torch, **packages})


CU126 = chosen("2.14.1", "cu126")


def _one(recommendation: Recommendation, installer: str, system: System = LINUX) -> dict[str, Any]:
    return parse_toml(render_command(recommendation, installer, system=system, interpreter=PY312))


def test_poetry_source_is_explicit() -> None:
    data = _one(CU126, "poetry")["tool"]["poetry"]
    assert data["source"] == [{"name": "pytorch-cu126", "url": f"{ROOT}/cu126", "priority": "explicit"}]
    assert data["dependencies"]["torch"] == [
        {
            "version": "==2.14.1",
            "markers": "sys_platform == 'linux' and platform_machine == 'x86_64'",
            "source": "pytorch-cu126",
        }
    ]


def test_each_machine_has_a_row_of_its_own_and_the_default_index_no_source() -> None:
    several = [
        Target(recommendation=CU126, system=LINUX, python=PY312),
        Target(
            recommendation=chosen("2.15.0", "cpu", default=True),
            system=System(os="windows", machine="x86_64"),
            python=PY312,
        ),
    ]
    rows = parse_toml(render_project(several, "poetry"))["tool"]["poetry"]["dependencies"]["torch"]
    assert [(r["version"], r.get("source")) for r in rows] == [("==2.14.1", "pytorch-cu126"), ("==2.15.0", None)]
