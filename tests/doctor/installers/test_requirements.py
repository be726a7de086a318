from __future__ import annotations

from torchdoctor.installers import (
    Target,
    render_command,
    render_project,
)
from torchdoctor.matrix.verdict import Recommendation
from torchdoctor.probes.facts import System

ROOT = "https://download.pytorch.org/whl"


LINUX = System(os="linux", machine="x86_64", libc="glibc", libc_version="2.39")


MAC = System(os="macos", machine="aarch64", version="15.5")


def chosen(torch: str, variant: str, *, default: bool = False, **packages: str) -> Recommendation:
    url = None if default else f"{ROOT}/{variant}"
    return Recommendation(torch=torch, variant=variant, index_url=url, packages={"torch": torch, **packages})


CU126 = chosen("2.14.1", "cu126")


def test_requirements_for_one_and_for_several() -> None:
    one = render_command(CU126, "requirements", system=LINUX)
    assert [line for line in one.splitlines() if not line.startswith("#")] == [
        f"--index-url {ROOT}/cu126",
        "torch==2.14.1",
    ]
    several = [
        Target(recommendation=CU126, system=LINUX),
        Target(recommendation=chosen("2.15.0", "mps", default=True), system=MAC),
    ]
    lines = [line for line in render_project(several, "requirements").splitlines() if not line.startswith("#")]
    assert lines == [
        f"--extra-index-url {ROOT}/cu126",
        "torch==2.14.1+cu126 ; sys_platform == 'linux' and platform_machine == 'x86_64'",
        "torch==2.15.0 ; sys_platform == 'darwin' and platform_machine == 'arm64'",
    ]
