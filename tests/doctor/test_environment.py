"""The environment installed into: what it is, why it is refused, and the way back."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from torchdoctor.environment import Environment, NotUsableError, changes, inspect, refusal, scan, snapshot


def _here(site: Path, **changed: Any) -> Environment:
    facts: dict[str, Any] = {
        "python": "/usr/bin/python3",
        "version": (3, 12),
        "folders": (str(site),),
        "scripts": str(site / "bin"),
        "pip": "24.0",
        "managed": False,
        "virtual": True,
    }
    return Environment(**{**facts, **changed})


def test_inspect_asks_the_interpreter(environment: Any) -> None:
    found = inspect([environment.python])
    assert found.python == environment.python
    assert found.version == sys.version_info[:2]
    assert found.folders == (str(environment.site),)
    assert found.virtual
    assert not found.managed
    assert found.pip_at_least(21)
    assert found.free() is not None


@pytest.mark.parametrize("program", ["/no/such/python", "/bin/echo"])
def test_inspect_refuses_what_is_no_python(program: str) -> None:
    with pytest.raises(NotUsableError, match="does not run as a Python 3 interpreter"):
        inspect([program])


def test_a_module_in_the_current_folder_is_not_run(
    environment: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "json.py").write_text("raise SystemExit('ran')\n")
    monkeypatch.chdir(tmp_path)
    assert inspect([environment.python]).virtual


@pytest.mark.parametrize(
    ("pip", "numbers", "answer"),
    [
        ("21.0", (21,), True),
        ("20.3.4", (21,), False),
        ("22.2.2", (22, 2), True),
        ("22.1", (22, 2), False),
        (None, (21,), False),
    ],
)
def test_pip_at_least(pip: str | None, numbers: tuple[int, ...], answer: bool, tmp_path: Path) -> None:
    assert _here(tmp_path, pip=pip).pip_at_least(*numbers) is answer


def test_refusals(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert refusal(_here(tmp_path), "pip") is None
    system = _here(tmp_path, managed=True, virtual=False)
    assert "EXTERNALLY-MANAGED" in (refusal(system, "pip") or "")
    assert refusal(_here(tmp_path, managed=True, virtual=True), "pip") is None
    monkeypatch.setenv("PIP_BREAK_SYSTEM_PACKAGES", "1")
    assert refusal(system, "pip") is None
    assert "has no pip" in (refusal(_here(tmp_path, pip=None), "pip") or "")
    assert refusal(_here(tmp_path, pip=None), "uv") is None
    assert "older than 21" in (refusal(_here(tmp_path, pip="20.1"), "pip") or "")
    assert "cannot be written" in (refusal(_here(tmp_path / "missing"), "uv") or "")


@pytest.mark.skipif(not hasattr(os, "seteuid"), reason="needs users")
def test_read_only_folder(tmp_path: Path) -> None:
    site = tmp_path / "site"
    site.mkdir()
    site.chmod(0o555)
    try:
        if os.geteuid() == 0:
            os.seteuid(65534)  # root may write anywhere
        said = refusal(_here(site), "pip")
    finally:
        if os.getuid() == 0:
            os.seteuid(0)
        site.chmod(0o755)
    assert said is not None
    assert "cannot be written" in said
    assert list(site.iterdir()) == []


def _install(site: Path, name: str, version: str, text: str) -> None:
    package, info = site / name, site / f"{name}-{version}.dist-info"
    package.mkdir()
    info.mkdir()
    (package / "__init__.py").write_text(text)
    (info / "METADATA").write_text(f"Name: {name}\nVersion: {version}\n")
    (info / "RECORD").write_text(f"{name}/__init__.py,,\n{info.name}/METADATA,,\n{info.name}/RECORD,,\n")


def _state(site: Path) -> dict[str, str]:
    return {str(p.relative_to(site)): p.read_text() for p in site.rglob("*") if p.is_file()}


def test_way_back_from_a_replaced_and_a_new_package(tmp_path: Path) -> None:
    site = tmp_path / "lib" / "site"
    site.mkdir(parents=True)
    _install(site, "torch", "2.4.1", "old")
    _install(site, "other", "1.0", "kept")
    before = _state(site)
    kept = snapshot(_here(site), ["torch"])
    for path in (*(site / "torch").iterdir(), *(site / "torch-2.4.1.dist-info").iterdir()):
        path.unlink()
    (site / "torch").rmdir()
    (site / "torch-2.4.1.dist-info").rmdir()
    _install(site, "torch", "2.15.0", "new")
    _install(site, "leaf", "1.0", "new")
    (site / "half").mkdir()  # what an installer that died leaves: no metadata yet
    (site / "half" / "__init__.py").write_text("")
    assert kept.restore() == []
    assert _state(site) == before
    kept.drop()
    assert list(site.parent.iterdir()) == [site]


def test_way_back_from_a_package_that_was_only_damaged(tmp_path: Path) -> None:
    site = tmp_path / "site"
    site.mkdir()
    _install(site, "torch", "2.4.1", "old")
    kept = snapshot(_here(site), None)
    (site / "torch" / "__init__.py").unlink()
    (site / "torch" / "__init__.py").write_text("half")
    assert kept.restore() == []
    assert (site / "torch" / "__init__.py").read_text() == "old"


def test_what_was_not_kept_and_is_gone_is_said(tmp_path: Path) -> None:
    import shutil

    site = tmp_path / "site"
    site.mkdir()
    _install(site, "other", "1.0", "x")
    kept = snapshot(_here(site), ["torch"])
    shutil.rmtree(site / "other")
    shutil.rmtree(site / "other-1.0.dist-info")
    assert kept.restore() == ["gone: other 1.0"]


def test_changes_and_scan(tmp_path: Path) -> None:
    (tmp_path / "My_Package.x-1.0+cu126.dist-info").mkdir()
    (tmp_path / "broken.dist-info").mkdir()
    assert scan([str(tmp_path)]) == {"my-package-x": "1.0+cu126"}
    assert changes({"a": "1", "b": "1", "c": "1"}, {"a": "2", "c": "1", "d": "3"}) == [
        "a 1 → 2",
        "gone: b 1",
        "new: d 3",
    ]


@pytest.mark.skipif(os.name == "nt", reason="a POSIX shell")
def test_an_interpreter_that_hangs_is_ended_with_what_it_started(tmp_path: Path) -> None:
    program, child = tmp_path / "python", tmp_path / "child"
    program.write_text(f"#!/bin/sh\nsleep 600 &\necho $! > {child}.new\nmv {child}.new {child}\nwait\n")
    program.chmod(0o755)
    with pytest.raises(NotUsableError, match="does not run as a Python 3 interpreter"):
        inspect([str(program)], timeout=1.0)
    process = int(child.read_text())
    for _ in range(50):
        try:
            state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            break
        if state == "Z":  # ended, and nobody has asked yet
            break
        time.sleep(0.05)
    else:
        pytest.fail("what it started still runs")


@pytest.mark.skipif(os.name == "nt", reason="a POSIX shell")
@pytest.mark.parametrize("said", ["[]", "5", "{}", '{"executable": 5, "version": [3, 12]}', "[" * 20_000])
def test_what_says_something_else_than_an_interpreter(tmp_path: Path, said: str) -> None:
    program = tmp_path / "python"
    program.write_text(f"#!/bin/sh\ncat <<'E'\n{said}\nE\n")
    program.chmod(0o755)
    with pytest.raises(NotUsableError, match="does not run as a Python 3 interpreter"):
        inspect([str(program)])
