"""Each installer, for real, against a static index on loopback: the right file lands and nothing replaces it."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from torchdoctor.installers import Target, render_command, render_project
from torchdoctor.matrix.catalog import INDEX_ROOT
from torchdoctor.matrix.verdict import Recommendation
from torchdoctor.probes.facts import Python, System

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or os.uname().machine != "x86_64", reason="the stand-in wheels are for Linux x86_64"
)

LINUX = System(os="linux", machine="x86_64")
WINDOWS = System(os="windows", machine="x86_64")
MAC = System(os="macos", machine="aarch64")
HERE = Python(version=f"{sys.version_info[0]}.{sys.version_info[1]}.0")


def chosen(torch: str, variant: str, *, default: bool = False, vision: str | None = None) -> Recommendation:
    packages = {"torch": torch} | ({"torchvision": vision} if vision else {})
    return Recommendation(
        torch=torch, variant=variant, index_url=None if default else f"{INDEX_ROOT}/{variant}", packages=packages
    )


CU126 = chosen("2.14.1", "cu126", vision="0.29.1")


def shell(command: str, path: Path, *, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run a printed command as a person would, with these programs first on the path."""
    environment = os.environ | {"PATH": f"{path}{os.pathsep}{os.environ['PATH']}", "VIRTUAL_ENV": str(path.parent)}
    return subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=120, env=environment, cwd=cwd)


def test_pip_takes_the_build_of_the_index(environment: Any, index: Any) -> None:
    command = render_command(CU126, "pip", system=LINUX, python=environment.python, index_base=index.root)
    first = shell(command, Path(environment.python).parent)
    assert first.returncode == 0, first.stderr
    assert environment.freeze() == {"torch": "2.14.1+cu126", "torchvision": "0.29.1+cu126", "leafpad": "1.0"}
    files = environment.files()
    again = shell(command, Path(environment.python).parent)
    assert again.returncode == 0
    assert environment.files() == files
    assert "Successfully installed" not in again.stdout


def test_pip_replaces_another_build_of_the_same_number(environment: Any, index: Any) -> None:
    environment.unpack(index, "torch-2.14.1+cpu", "leafpad-1.0")
    command = render_command(
        chosen("2.14.1", "cu126"),
        "pip",
        system=LINUX,
        python=environment.python,
        index_base=index.root,
        installed=environment.freeze(),
    )
    assert shell(command, Path(environment.python).parent).returncode == 0
    assert environment.freeze()["torch"] == "2.14.1+cu126"


def test_uv_takes_the_build_of_the_index(
    environment: Any, index: Any, tool: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("UV_DEFAULT_INDEX")  # it would win over an index named on the line
    command = render_command(CU126, "uv", system=LINUX, python=environment.python, index_base=index.root)
    first = shell(command, Path(tool("uv")).parent)
    assert first.returncode == 0, first.stderr
    assert environment.freeze() == {"torch": "2.14.1+cu126", "torchvision": "0.29.1+cu126", "leafpad": "1.0"}
    again = shell(command, Path(tool("uv")).parent)
    assert "Installed" not in again.stderr


def test_uv_replaces_another_build_of_the_same_number(
    environment: Any, index: Any, tool: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("UV_DEFAULT_INDEX")
    environment.unpack(index, "torch-2.14.1+cpu", "leafpad-1.0")
    command = render_command(
        chosen("2.14.1", "cu126"),
        "uv",
        system=LINUX,
        python=environment.python,
        index_base=index.root,
        installed=environment.freeze(),
    )
    assert shell(command, Path(tool("uv")).parent).returncode == 0
    assert environment.freeze()["torch"] == "2.14.1+cu126"


def test_uv_knows_every_backend_the_table_names(tool: Callable[[str], str]) -> None:
    from torchdoctor.installers.known import known

    said = subprocess.run([tool("uv"), "pip", "install", "--help"], capture_output=True, text=True, timeout=60).stdout
    said = " ".join(said.split())
    offered = (
        said[said.index("--torch-backend <") :].split("possible values:")[1].split("]")[0].replace(",", " ").split()
    )
    assert set(known()["uv"]["torch_backends"]) <= set(offered)


def test_requirements_file_is_read_by_pip(environment: Any, index: Any, tmp_path: Path) -> None:
    file = tmp_path / "torch.txt"
    several = [
        Target(recommendation=chosen("2.14.1", "cu126"), system=LINUX, python=HERE),
        Target(recommendation=chosen("2.15.0", "cpu", default=True), system=WINDOWS, python=HERE),
        Target(recommendation=chosen("2.15.0", "mps", default=True), system=MAC, python=HERE),
    ]
    file.write_text(render_project(several, "requirements", index_base=index.root))
    environment.pip("-r", str(file))
    assert environment.freeze()["torch"] == "2.14.1+cu126"


# The second build of each list needs a package that torch's index alone serves.
PROJECTS = [
    ("cu126", "2.14.1", {"torch": "2.14.1+cu126", "leafpad": "1.1"}),
    ("rocm7.2", "2.14.1", {"torch": "2.14.1+rocm7.2", "leafpad": "1.1", "triton-rocm": "3.8.0"}),
]


def _project(
    index: Any, installer: str, variant: str, torch: str, path: Path, extra: str = "", mac: bool = True
) -> None:
    several = [
        Target(recommendation=chosen(torch, variant), system=LINUX, python=HERE),
        Target(recommendation=chosen("2.15.0", "cpu", default=True), system=WINDOWS, python=HERE),
        Target(recommendation=chosen("2.15.0", "mps", default=True), system=MAC, python=HERE),
    ]
    path.mkdir()
    several = several if mac else several[:2]
    (path / "pyproject.toml").write_text(render_project(several, installer, index_base=index.root) + extra)


@pytest.mark.parametrize(("variant", "torch", "expected"), PROJECTS)
def test_uv_project_syncs(
    variant: str,
    torch: str,
    expected: dict[str, str],
    environment: Any,
    index: Any,
    tool: Callable[[str], str],
    tmp_path: Path,
) -> None:
    path = tmp_path / "project"
    _project(index, "uv-project", variant, torch, path)
    uv = [tool("uv"), "sync", "--active", "--inexact", "--quiet"]
    variables = os.environ | {"VIRTUAL_ENV": str(environment.path)}
    done = subprocess.run(uv, cwd=path, capture_output=True, text=True, timeout=120, env=variables)
    assert done.returncode == 0, done.stderr
    assert environment.freeze() == expected
    lock = (path / "uv.lock").read_text()
    assert "2.15.0" in lock
    assert f"{torch}+{variant}" in lock
    added = subprocess.run(
        [tool("uv"), "add", "--active", "-q", "on-torch"],
        cwd=path,
        capture_output=True,
        text=True,
        timeout=120,
        env=variables,
    )
    assert added.returncode == 0, added.stderr
    assert environment.freeze() == expected | {"on-torch": "1.0"}


@pytest.mark.installers
@pytest.mark.parametrize(("variant", "torch", "expected"), PROJECTS[1:])
def test_poetry_project_installs(
    variant: str,
    torch: str,
    expected: dict[str, str],
    environment: Any,
    index: Any,
    tool: Callable[[str], str],
    tmp_path: Path,
) -> None:
    path = tmp_path / "project"
    source = f'\n[[tool.poetry.source]]\nname = "stand-in"\nurl = "{index.default}/"\npriority = "primary"\n'
    _project(index, "poetry", variant, torch, path, source)
    variables = os.environ | {
        "VIRTUAL_ENV": str(environment.path),
        "PATH": f"{Path(environment.python).parent}{os.pathsep}{os.environ['PATH']}",
        "POETRY_CACHE_DIR": str(tmp_path / "poetry"),
        "POETRY_VIRTUALENVS_CREATE": "false",
        "PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring",
    }
    for command in (["add", "on-torch"],):
        done = subprocess.run(
            [tool("poetry"), "-n", *command], cwd=path, capture_output=True, text=True, timeout=120, env=variables
        )
        assert done.returncode == 0, done.stdout + done.stderr
    assert environment.freeze() == expected | {"on-torch": "1.0"}


def _pdm(index: Any, environment: Any, tmp_path: Path) -> dict[str, str]:
    return os.environ | {
        "VIRTUAL_ENV": str(environment.path),
        "PDM_PYPI_URL": index.default,
        "PDM_CACHE_DIR": str(tmp_path / "pdm"),
        "PDM_CHECK_UPDATE": "0",
        "PDM_IGNORE_SAVED_PYTHON": "1",
    }


@pytest.mark.installers
def test_pdm_project_installs(environment: Any, index: Any, tool: Callable[[str], str], tmp_path: Path) -> None:
    path = tmp_path / "project"
    path.mkdir()
    target = Target(recommendation=chosen("2.14.1", "rocm7.2"), system=LINUX, python=HERE)
    (path / "pyproject.toml").write_text(render_project([target], "pdm", index_base=index.root))
    for command in (["add", "on-torch"],):
        done = subprocess.run(
            [tool("pdm"), *command],
            cwd=path,
            capture_output=True,
            text=True,
            timeout=120,
            env=_pdm(index, environment, tmp_path),
        )
        assert done.returncode == 0, done.stdout + done.stderr
    assert environment.freeze() == {
        "torch": "2.14.1+rocm7.2",
        "leafpad": "1.1",
        "triton-rocm": "3.8.0",
        "on-torch": "1.0",
    }


@pytest.mark.installers
def test_pdm_project_for_several_platforms(
    environment: Any, index: Any, tool: Callable[[str], str], tmp_path: Path
) -> None:
    path = tmp_path / "project"
    _project(index, "pdm", "cu126", "2.14.1", path, mac=False)
    text = (path / "pyproject.toml").read_text()
    locks = [
        shlex.split(line.removeprefix("#   pdm ")) for line in text.splitlines() if line.startswith("#   pdm lock")
    ]
    assert [lock[2] for lock in locks] == ["manylinux_2_28_x86_64", "windows_amd64"]
    for command in (*locks, ["install"]):
        done = subprocess.run(
            [tool("pdm"), *command],
            cwd=path,
            capture_output=True,
            text=True,
            timeout=120,
            env=_pdm(index, environment, tmp_path),
        )
        assert done.returncode == 0, done.stdout + done.stderr
    assert environment.freeze() == {"torch": "2.14.1+cu126", "leafpad": "1.1"}
    lock = (path / "pdm.lock").read_text()
    assert "2.15.0+cpu" in lock
