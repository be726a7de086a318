"""Arrows point down only: doctor → matrix → probes, and only the host modules touch the operating system."""

from __future__ import annotations

import ast
import os
from functools import cache
from importlib.resources import files
from pathlib import Path

import pytest

ROOT = Path(str(files("torchdoctor")))
SYSTEM = {
    "os",
    "subprocess",
    "ctypes",
    "platform",
    "winreg",
    "psutil",
    "socket",
    "mmap",
    "shutil",
    "pwd",
    "grp",
    "cpuinfo",
}
HOSTS = {
    "live.py",
    "live_values.py",
    "live_programs.py",
    "recording.py",
    "recording_files.py",
    "host.py",
    "live_identity.py",
}
"""The modules behind the one door to a machine."""
NETWORK = {"socket", "ssl", "http", "urllib", "requests", "httpx", "ftplib"}


@cache
def _imports(path: Path) -> tuple[str, ...]:
    names: list[str] = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            names.append(node.module or "")
    return tuple(names)


def _modules(folder: str) -> list[Path]:
    return sorted(p for p in _files() if p.relative_to(ROOT).parts[0] == folder)


def _doctor() -> list[Path]:
    return sorted(p for p in _files() if p.relative_to(ROOT).parts[0] not in ("probes", "matrix"))


@cache
def _files() -> tuple[Path, ...]:
    walked = os.walk(ROOT, followlinks=True)
    return tuple(Path(folder, name) for folder, _, names in walked for name in names if name.endswith(".py"))


def test_the_folders_are_there() -> None:
    assert len(_modules("probes")) > 20
    assert len(_modules("matrix")) > 20
    assert len(_doctor()) > 20


def test_probes_import_nothing_above_them() -> None:
    for path in _modules("probes"):
        for name in _imports(path):
            assert not name.startswith("torchdoctor") or name.startswith("torchdoctor.probes"), f"{path.name}: {name}"


def test_the_matrix_imports_facts_and_itself() -> None:
    for path in _modules("matrix"):
        for name in _imports(path):
            if name.startswith("torchdoctor"):
                assert name == "torchdoctor.probes.facts" or name.startswith("torchdoctor.matrix"), (
                    f"{path.name}: {name}"
                )
            assert name.split(".")[0] not in SYSTEM | NETWORK | {"time", "datetime", "random"}, f"{path.name}: {name}"


def test_only_the_host_touches_the_system() -> None:
    for path in _modules("probes"):
        if path.name not in HOSTS:
            for name in _imports(path):
                assert name.split(".")[0] not in SYSTEM, f"{path.name}: {name}"


def test_renderers_see_the_report_only() -> None:
    for path in _modules("render"):
        for name in _imports(path):
            if name.startswith("torchdoctor"):
                assert name.startswith("torchdoctor.render") or name == "torchdoctor", f"{path.name}: {name}"


def test_only_the_api_brings_probes_and_matrix_together() -> None:
    judging = ("torchdoctor.matrix.judge", "torchdoctor.matrix.select")
    for path in _doctor():
        names = set(_imports(path))
        gathers = any(n.startswith("torchdoctor.probes.gather") for n in names)
        if gathers and names & set(judging):
            assert path.name == "api.py", path.name


@pytest.mark.parametrize("folder", ["probes", "matrix"])
def test_nobody_downloads(folder: str) -> None:
    for path in _modules(folder):
        for name in _imports(path):
            if path.name == "live_identity.py" and name == "socket":
                continue  # this host's own name, to keep it out of what is recorded
            assert name.split(".")[0] not in NETWORK, f"{path.name}: {name}"


def test_nobody_imports_torch() -> None:
    for path in [*_modules("probes"), *_modules("matrix"), *_doctor()]:
        for name in _imports(path):
            assert name.split(".")[0] != "torch", f"{path.name}: {name}"
