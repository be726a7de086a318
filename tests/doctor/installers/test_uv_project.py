from __future__ import annotations

from typing import Any

import pytest
from torchdoctor.installers import (
    InstallerError,
    Target,
    render_command,
    render_project,
)
from torchdoctor.matrix.tables import parse_toml
from torchdoctor.matrix.verdict import Recommendation
from torchdoctor.probes.facts import Python, System

ROOT = "https://download.pytorch.org/whl"


LINUX = System(os="linux", machine="x86_64", libc="glibc", libc_version="2.39")


WINDOWS = System(os="windows", machine="x86_64")


PY312 = Python(version="3.12.4")


def chosen(torch: str, variant: str, *, default: bool = False, **packages: str) -> Recommendation:
    url = None if default else f"{ROOT}/{variant}"
    return Recommendation(torch=torch, variant=variant, index_url=url, packages={"torch": torch, **packages})


CU126 = chosen("2.14.1", "cu126")


DEFAULT = chosen("2.15.0", "cu132", default=True, torchvision="0.29.2")


def _one(recommendation: Recommendation, installer: str, system: System = LINUX) -> dict[str, Any]:
    return parse_toml(render_command(recommendation, installer, system=system, interpreter=PY312))


def test_uv_project_for_one_machine() -> None:
    data = _one(CU126, "uv-project", WINDOWS)
    marker = "sys_platform == 'win32' and platform_machine == 'AMD64'"
    assert data["project"]["dependencies"] == ["torch==2.14.1"]
    assert data["project"]["requires-python"] == ">=3.12,<3.13"
    assert data["tool"]["uv"] == {
        "environments": [marker],
        "index": [{"name": "pytorch-cu126", "url": f"{ROOT}/cu126", "explicit": True}],
        "sources": {"torch": [{"index": "pytorch-cu126", "marker": marker}]},
    }


@pytest.mark.parametrize(
    ("torch", "name"), [("2.9.1", "pytorch-triton-rocm"), ("2.10.0", "triton-rocm"), ("2.14.1", "triton-rocm")]
)
def test_uv_project_names_the_triton_of_torchs_index(torch: str, name: str) -> None:
    data = _one(chosen(torch, "rocm7.0"), "uv-project")
    assert name in data["project"]["dependencies"]
    assert list(data["tool"]["uv"]["sources"]) == ["torch", name]


def test_machines_of_one_platform_are_told_apart_by_interpreter() -> None:
    several = [
        Target(recommendation=CU126, system=LINUX, python=Python(version="3.10.2")),
        Target(recommendation=DEFAULT, system=LINUX, python=PY312),
    ]
    data = parse_toml(render_project(several, "uv-project"))
    assert data["project"]["requires-python"] == ">=3.10,<3.13"
    assert [m[-len("python_version == '3.10'") :] for m in data["tool"]["uv"]["environments"]] == [
        "python_version == '3.10'",
        "python_version == '3.12'",
    ]


def test_a_system_that_is_not_known_has_no_marker() -> None:
    with pytest.raises(InstallerError, match=r"system\.machine is not known"):
        render_command(CU126, "uv-project", system=System(os="linux"))


def test_a_hostile_python_version_is_not_printed() -> None:
    text = render_command(CU126, "uv-project", system=LINUX, interpreter=Python(version='3.12"]\nx = "'))
    assert "requires-python" not in text
