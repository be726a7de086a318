"""Room: numbers only where something was measured, and a refusal only where it is proved."""

from __future__ import annotations

from pathlib import Path

import pytest
from torchdoctor import room
from torchdoctor.environment import Environment
from torchdoctor.installers import Target
from torchdoctor.matrix.verdict import Recommendation
from torchdoctor.probes.facts import System

LINUX = System(os="linux", machine="x86_64")


def target(variant: str, system: System = LINUX, installed: dict[str, str] | None = None) -> Target:
    chosen = Recommendation(torch="2.15.0", variant=variant, index_url=None, packages={"torch": "2.15.0"})
    return Target(recommendation=chosen, system=system, installed=installed)


def here(folder: Path) -> Environment:
    return Environment(
        python="python",
        version=(3, 12),
        folders=(str(folder),),
        scripts=str(folder),
        pip="24.0",
        managed=False,
        virtual=True,
    )


@pytest.mark.parametrize(
    ("variant", "system", "disk", "wheel"),
    [
        ("cu132", LINUX, 6_000_000_000, 538_000_000),
        ("cpu", LINUX, 1_000_000_000, None),
        ("cu132", System(os="windows", machine="x86_64"), None, None),
        ("cpu", System(os="windows", machine="x86_64"), 1_000_000_000, 127_000_000),
        ("mps", System(os="macos", machine="aarch64"), 1_000_000_000, 139_000_000),
        ("rocm10.0", LINUX, None, None),
        ("xpu", LINUX, None, None),
    ],
)
def test_what_was_measured(variant: str, system: System, disk: int | None, wheel: int | None) -> None:
    assert room.disk_needed(target(variant, system)) == disk
    assert room.wheel_size(target(variant, system)) == wheel


def test_shortage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    free = {str(tmp_path): 5_000_000_000}
    monkeypatch.setattr("torchdoctor.environment.free_in", lambda folder: free.get(folder))
    monkeypatch.setattr("torchdoctor.room.free_in", lambda folder: free.get(folder))
    monkeypatch.setattr("tempfile.tempdir", "/elsewhere")
    assert room.shortage(target("cu132"), here(tmp_path)) == f"{tmp_path}: 5.0 GB free, about 6.0 GB needed"
    assert room.shortage(target("cpu"), here(tmp_path)) is None
    assert room.shortage(target("rocm10.0"), here(tmp_path)) is None
    assert room.shortage(target("cu132", installed={"torch": "2.4.1"}), here(tmp_path)) is None
    free |= {str(tmp_path): 9_000_000_000, "/elsewhere": 100_000_000}
    assert "/elsewhere: 0.1 GB free for the download" in (room.shortage(target("cu132"), here(tmp_path)) or "")
    free.clear()
    assert room.shortage(target("cu132"), here(tmp_path)) is None  # not known proves nothing
