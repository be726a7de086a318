"""The lines that fetch wheels; fetching for real is tested with the command."""

from __future__ import annotations

import platform
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from torchdoctor.download import download, same_markers
from torchdoctor.environment import Environment
from torchdoctor.install import Failed, Request
from torchdoctor.installers import Target
from torchdoctor.matrix.verdict import Recommendation
from torchdoctor.probes.facts import Python, System

LINUX = System(os="linux", machine="x86_64", libc="glibc", libc_version="2.35")
CU126 = Recommendation(
    torch="2.14.1",
    variant="cu126",
    index_url="https://download.pytorch.org/whl/cu126",
    packages={"torch": "2.14.1"},
)
Make = Callable[..., Request]


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> Make:
    """A request on a Linux machine with CPython 3.12."""
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(platform, "machine", lambda: "x86_64")

    def make(system: System = LINUX, python: str = "3.12.4", pip: str | None = "24.2", **how: Any) -> Request:
        fields = dict.fromkeys(Environment.__dataclass_fields__)
        here = Environment(**{**fields, "python": "/env/bin/python", "pip": pip, "version": (3, 12)})  # type: ignore[arg-type]
        target = Target(recommendation=CU126, system=system, python=Python(version=python))
        return Request(target=target, environment=here, **how)

    return make


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The lines that were run; pip leaves one wheel."""
    lines: list[list[str]] = []

    def run(line: list[str], **_: Any) -> subprocess.CompletedProcess[bytes]:
        lines.append(line)
        if "download" in line:
            Path(line[line.index("--dest") + 1], f"wheel-{len(lines)}.whl").touch()
        return subprocess.CompletedProcess(line, 0)

    monkeypatch.setattr(subprocess, "run", run)
    return lines


def test_torchs_family_first_then_the_rest_with_torch_held(made: Make, ran: list[list[str]], tmp_path: Path) -> None:
    (tmp_path / "old.whl").touch()
    found = download(made(others=("on-torch",)), str(tmp_path))
    assert found == ["wheel-1.whl", "wheel-2.whl"]  # new ones only
    first, second = ran
    assert "torch==2.14.1+cu126" in first and first[-2:] == ["--index-url", CU126.index_url]
    assert "on-torch" in second and "--index-url" not in second
    assert second[second.index("--find-links") + 1] == str(tmp_path)
    assert "--constraint" in second


def test_a_machine_with_other_markers_is_resolved_by_uv(made: Make, ran: list[list[str]], tmp_path: Path) -> None:
    windows = System(os="windows", machine="x86_64")
    assert same_markers(made()) and not same_markers(made(windows)) and not same_markers(made(python="3.11.1"))
    with pytest.raises(Failed, match="needs uv") as caught:
        download(made(windows), str(tmp_path))
    assert caught.value.status == 2
    download(made(windows, uv="/bin/uv"), str(tmp_path))
    compiled, fetched = ran
    assert compiled[:3] == ["/bin/uv", "pip", "compile"]
    assert compiled[compiled.index("--python-platform") + 1] == "x86_64-pc-windows-msvc"
    assert compiled[compiled.index("--default-index") + 1] == CU126.index_url
    assert "--no-deps" in fetched and fetched[fetched.index("--platform") + 1] == "win_amd64"


@pytest.mark.parametrize(
    ("libc", "named"),
    [("2.28", "x86_64-manylinux_2_28"), ("2.30", "x86_64-manylinux_2_28"), ("2.99", "x86_64-manylinux_2_40")],
)
def test_the_glibc_that_uv_can_name(made: Make, ran: list[list[str]], tmp_path: Path, libc: str, named: str) -> None:
    old = System(os="linux", machine="x86_64", libc="glibc", libc_version=libc)
    download(made(old, python="3.11.1", uv="/bin/uv"), str(tmp_path))
    assert ran[0][ran[0].index("--python-platform") + 1] == named


def test_failures_keep_the_status_of_the_program(made: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Failed, match="has no pip") as caught:
        download(made(pip=None), str(tmp_path))
    assert caught.value.status == 2
    for status, kept in ((1, 1), (-9, 137)):
        monkeypatch.setattr(
            subprocess, "run", lambda line, status=status, **_: subprocess.CompletedProcess(line, status)
        )
        with pytest.raises(Failed, match="pip failed with status") as caught:
            download(made(), str(tmp_path))
        assert caught.value.status == kept

    def missing(line: list[str], **_: Any) -> None:
        raise FileNotFoundError(2, "No such file or directory")

    monkeypatch.setattr(subprocess, "run", missing)
    with pytest.raises(Failed, match="cannot be run: No such file or directory"):
        download(made(), str(tmp_path))
