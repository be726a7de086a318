from __future__ import annotations

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


MAC = System(os="macos", machine="aarch64", version="15.5")


PY312 = Python(version="3.12.4")


def chosen(torch: str, variant: str, *, default: bool = False, **packages: str) -> Recommendation:
    url = None if default else f"{ROOT}/{variant}"
    return Recommendation(torch=torch, variant=variant, index_url=url, packages={"torch": torch, **packages})


CU126 = chosen("2.14.1", "cu126")


def test_pixi_by_platform() -> None:
    several = [
        Target(recommendation=CU126, system=LINUX, python=PY312),
        Target(recommendation=chosen("2.15.0", "mps", default=True), system=MAC, python=PY312),
    ]
    data = parse_toml(render_project(several, "pixi"))
    assert data["workspace"]["platforms"] == ["linux-64", "osx-arm64"]
    assert data["dependencies"] == {"python": "3.12.*"}
    assert data["target"] == {
        "linux-64": {"pypi-dependencies": {"torch": {"version": "==2.14.1", "index": f"{ROOT}/cu126"}}},
        "osx-arm64": {"pypi-dependencies": {"torch": {"version": "==2.15.0"}}},
    }


def test_pixi_says_what_it_cannot() -> None:
    two = [Target(recommendation=CU126, system=LINUX, python=Python(version=v)) for v in ("3.11.1", "3.12.1")]
    with pytest.raises(InstallerError, match="one Python"):
        render_project(two, "pixi")
    with pytest.raises(InstallerError, match="no platform"):
        render_command(CU126, "pixi", system=System(os="linux", machine="s390x"), interpreter=PY312)
