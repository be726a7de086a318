from __future__ import annotations

from pathlib import Path

import pytest
from torchdoctor.api import InputError, Options
from torchdoctor.probes.profile import facts_from_mapping
from torchdoctor.project import check_project

FACTS = facts_from_mapping(
    {
        "system": {"os": "linux", "machine": "x86_64", "libc": "glibc", "libc_version": "2.39"},
        "python": {"implementation": "cpython", "version": "3.12.4", "bits": 64, "machine": "x86_64"},
        "gpus": [{"vendor": "nvidia", "name": "NVIDIA L4", "compute_capability": "8.9"}],
        "drivers": {"nvidia": {"version": "535.183.01"}},
        "packages": {"torch": "2.5.1+cu124"},
        "settings": [
            {"file": "/other/pyproject.toml", "line": 1, "key": "tool.uv.torch-backend", "value": "cpu"},
            {"file": "/etc/pip.conf", "line": 1, "key": "timeout", "value": "60"},
        ],
    }
)


def test_what_the_project_asks_for_is_judged_not_what_is_installed(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text("torch==2.15.0\n")
    report = check_project(str(tmp_path), FACTS, Options())
    assert report.source == ("project", str(tmp_path))
    assert report.facts.request.torch == "==2.15.0"
    assert report.verdict.status == "blocked"
    assert "driver-too-old" in {f.id for f in report.verdict.findings}


def test_settings_of_another_project_do_not_count(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text("torch\n")
    report = check_project(str(tmp_path), FACTS, Options())
    assert [s.file for s in report.facts.settings or ()] == ["/etc/pip.conf", str(tmp_path / "requirements.txt")]


def test_a_project_without_torch_is_said_unless_the_caller_names_one(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text("numpy\ntorch; sys_platform == 'win32'\n")
    with pytest.raises(InputError, match="expected a requirement on torch, found none that holds on this machine"):
        check_project(str(tmp_path), FACTS, Options())
    assert check_project(str(tmp_path), FACTS, Options(torch="2.14.1")).verdict.recommendation is not None


def test_a_path_with_no_project(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nowhere"):
        check_project(str(tmp_path / "nowhere"), FACTS, Options())
