"""Decisions as the installers are given them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from torchdoctor.installers import Target
from torchdoctor.matrix.catalog import INDEX_ROOT
from torchdoctor.matrix.tables import parse_toml
from torchdoctor.matrix.verdict import Recommendation
from torchdoctor.probes.facts import Python, System

SYSTEMS = {
    "linux": System(os="linux", machine="x86_64", libc="glibc", libc_version="2.39"),
    "arm": System(os="linux", machine="aarch64", libc="glibc", libc_version="2.39"),
    "windows": System(os="windows", machine="x86_64"),
    "mac": System(os="macos", machine="aarch64", version="15.5"),
}


@pytest.fixture
def target() -> Callable[..., Target]:
    """``target("2.14.1", "cu126", system="linux", python="3.12.4", default=False, torchvision="0.29.1")``."""

    def make(
        torch: str,
        variant: str,
        *,
        system: str | System = "linux",
        python: str | None = "3.12.4",
        default: bool = False,
        installed: dict[str, str] | None = None,
        **packages: str,
    ) -> Target:
        url = None if default else f"{INDEX_ROOT}/{variant}"
        chosen = Recommendation(torch=torch, variant=variant, index_url=url, packages={"torch": torch, **packages})
        machine = SYSTEMS[system] if isinstance(system, str) else system
        return Target(recommendation=chosen, system=machine, python=Python(version=python), installed=installed)

    return make


@pytest.fixture
def toml() -> Callable[[str], dict[str, Any]]:
    """A project file as data."""
    return lambda text: dict(parse_toml(text))
