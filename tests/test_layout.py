"""What is installed is one import package and one command, with its data."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from importlib.metadata import distributions
from importlib.resources import files
from pathlib import Path

import pytest
import torchdoctor
from torchdoctor.cli import COMMANDS
from torchdoctor.matrix.catalog import Catalog

REPOSITORY = Path(__file__).resolve().parent.parent


def test_the_data_is_there() -> None:
    root = files("torchdoctor")
    assert (root / "py.typed").is_file()
    assert (root / "schema" / "report.json").is_file()
    assert (root / "matrix" / "data" / "findings.toml").is_file()
    assert len(Catalog().lines) == len(list((REPOSITORY / "matrix" / "data" / "releases").glob("*.toml")))


def test_every_listed_command_has_its_file() -> None:
    listed = {path.stem for path in (REPOSITORY / "doctor" / "commands").glob("*.py")} - {"__init__"}
    assert listed == set(COMMANDS)


def test_every_source_file_is_installed() -> None:
    """After adding a file, install again: an editable install in strict mode links each file when it is made."""
    root = Path(str(files("torchdoctor")))
    for folder, place in (("doctor", root), ("probes", root / "probes"), ("matrix", root / "matrix")):
        for path in (REPOSITORY / folder).rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                assert (place / path.relative_to(REPOSITORY / folder)).is_file(), (
                    f"{path.name} is not installed: run pip install again"
                )


def test_the_packages_table_names_every_folder() -> None:
    if sys.version_info < (3, 11):
        pytest.skip("reads pyproject.toml with tomllib")
    import tomllib

    table = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]["packages"]
    found = set()
    for folder, name in (("doctor", "torchdoctor"), ("probes", "torchdoctor.probes"), ("matrix", "torchdoctor.matrix")):
        for init in (REPOSITORY / folder).rglob("__init__.py"):
            inner = init.parent.relative_to(REPOSITORY / folder).parts
            found.add(".".join((name, *inner)))
    assert set(table) == found


def test_nothing_is_imported_before_it_is_needed() -> None:
    assert "torchdoctor.api" in sys.modules or torchdoctor.__getattr__("Report") is not None
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        torchdoctor.__getattr__("nothing")


def test_the_repository_speaks_of_the_project_alone() -> None:
    """The default package index is never named by its host."""
    banned = ["pypi" + ".org"]
    for folder in ("doctor", "probes", "matrix", "tests", "docs", ".ci"):
        for path in (REPOSITORY / folder).rglob("*"):
            if path.suffix in (".py", ".md", ".toml", ".json", ".html", ".yml", ".txt") and path.is_file():
                text = path.read_text(encoding="utf-8", errors="replace")
                for word in banned:
                    if word == banned[0] and "tests/reports" in str(path):
                        continue
                    assert word not in text, f"{path.relative_to(REPOSITORY)} says {word}"


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel as it is built from a copy of the sources: a build in place leaves folders behind."""
    # Looked up, not imported: setuptools minds what was imported before it.
    if not any(
        d.version.split(".")[0].isdecimal() and int(d.version.split(".")[0]) >= 77
        for d in distributions(name="setuptools")
    ):
        pytest.skip("setuptools 77 or newer is not installed: it builds the wheel")
    source = tmp_path_factory.mktemp("source")
    for name in ("doctor", "probes", "matrix"):
        shutil.copytree(REPOSITORY / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    for path in REPOSITORY.iterdir():
        if path.is_file() and not path.name.startswith("."):
            shutil.copy2(path, source)
    line = ["wheel", "--quiet", "--no-deps", "--no-index", "--no-build-isolation", "--wheel-dir", str(source / "out")]
    subprocess.run([sys.executable, "-m", "pip", *line, str(source)], check=True, capture_output=True, timeout=300)
    (built,) = (source / "out").glob("*.whl")
    return built


def test_the_wheel_holds_every_source_and_data_file(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if ".dist-info/" not in name}
    places = {"doctor": "torchdoctor", "probes": "torchdoctor/probes", "matrix": "torchdoctor/matrix"}
    wanted = {
        f"{place}/{path.relative_to(REPOSITORY / folder).as_posix()}"
        for folder, place in places.items()
        for path in (REPOSITORY / folder).rglob("*")
        if path.suffix in (".py", ".toml", ".json", ".md", ".typed") and path.is_file()
    }
    wanted.discard("torchdoctor/matrix/data/build_tables.py")  # a step of the build
    assert sorted(wanted - held) == []
    assert {name.split("/")[0] for name in held} == {"torchdoctor"}


def test_next_to_other_packages_it_is_one_package_and_one_command(wheel: Path, tmp_path: Path) -> None:
    """A real environment, a real installer: generic names such as ``matrix`` must never reach the folder of packages."""
    env = tmp_path / "env"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(env)], check=True, timeout=120)
    programs = env / ("Scripts" if os.name == "nt" else "bin")
    (site,) = {path.resolve() for path in env.rglob("site-packages")}
    for name in ("matrix", "doctor", "probes"):  # others have these names
        (site / f"{name}.py").write_text("mine = True\n")

    def listed() -> tuple[set[str], set[str]]:
        return {p.name for p in site.iterdir()}, {p.name for p in programs.iterdir()}

    packages, commands = listed()
    python = str(programs / "python")
    line = ["--python", python, "install", "--quiet", "--no-deps", "--no-index", "--no-compile", str(wheel)]
    subprocess.run([sys.executable, "-m", "pip", *line], check=True, capture_output=True, timeout=120)
    now_packages, now_commands = listed()
    assert now_packages - packages == {"torchdoctor", f"torchdoctor-{torchdoctor.__version__}.dist-info"}
    assert {name.removesuffix(".exe") for name in now_commands - commands} == {"torchdoctor"}
    assert packages <= now_packages
    said = subprocess.run(
        [python, "-c", "import matrix, doctor, probes, torchdoctor; print(matrix.mine, torchdoctor.__file__)"],
        capture_output=True,
        text=True,
        timeout=60,
        cwd=tmp_path,
    )
    assert said.stdout.split() == ["True", str(site / "torchdoctor" / "__init__.py")], said.stderr
