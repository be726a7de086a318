"""What is installed is one import package and one command, with its data."""

from __future__ import annotations

import sys
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


def test_one_import_package_and_one_command() -> None:
    site = Path(torchdoctor.__file__).resolve().parent.parent
    found = [d for d in distributions(path=[str(site)]) if d.metadata["Name"] == "torchdoctor"]
    if not found:
        pytest.skip("not installed as a distribution here")
    installed = found[0]
    assert [e.name for e in installed.entry_points] == ["torchdoctor"]
    tops = {p.parts[0] for p in installed.files or ()}
    ours = {t for t in tops if not t.endswith(".dist-info") and t not in ("..", "__pycache__")}
    assert ours == {"torchdoctor"} or all(t.startswith("__editable__") for t in ours)
    assert torchdoctor.__version__ == installed.version


def test_nothing_is_imported_before_it_is_needed() -> None:
    assert "torchdoctor.api" in sys.modules or torchdoctor.__getattr__("Report") is not None
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        torchdoctor.__getattr__("nothing")


def test_the_repository_speaks_of_the_project_alone() -> None:
    """No host name of the default package index, no path of a machine."""
    banned = ["pypi" + ".org", "/work/" + "main", "/tmp/" + "td"]
    for folder in ("doctor", "probes", "matrix", "tests", "docs", ".ci"):
        for path in (REPOSITORY / folder).rglob("*"):
            if path.suffix in (".py", ".md", ".toml", ".json", ".html", ".yml", ".txt") and path.is_file():
                text = path.read_text(encoding="utf-8", errors="replace")
                for word in banned:
                    if word == banned[0] and "tests/reports" in str(path):
                        continue
                    assert word not in text, f"{path.relative_to(REPOSITORY)} says {word}"
