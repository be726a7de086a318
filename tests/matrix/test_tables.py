from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from torchdoctor.matrix import tables
from torchdoctor.matrix.catalog import Catalog
from torchdoctor.matrix.tables import COMPILED, compiled, parse_toml, table, weakest

REPOSITORY = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def built() -> dict[str, Any]:
    """What a build writes, as it is read back."""
    # A process of its own, as a build has: setuptools minds what was imported before it.
    step = "import runpy; print(runpy.run_path('matrix/data/build_tables.py')['compiled']())"
    run = subprocess.run([sys.executable, "-c", step], cwd=REPOSITORY, capture_output=True, text=True, check=True)
    loaded: dict[str, Any] = json.loads(run.stdout)
    return loaded


def test_a_build_holds_every_toml_table_as_it_stands(built: dict[str, Any]) -> None:
    data = REPOSITORY / "matrix" / "data"
    named = {p.relative_to(data).as_posix(): p for p in data.rglob("*.toml")}
    assert set(built) == set(named)
    for name, path in named.items():
        assert built[name] == parse_toml(path.read_text("utf-8")), name


def test_the_step_of_the_build_is_where_pyproject_says() -> None:
    written = (REPOSITORY / "pyproject.toml").read_text("utf-8")
    assert 'build_py = "matrix.data.build_tables.BuildTables"' in written
    assert "class BuildTables(build_py)" in (REPOSITORY / "matrix" / "data" / "build_tables.py").read_text("utf-8")


def test_what_is_compiled_is_what_the_shipped_toml_says() -> None:
    data = files("torchdoctor.matrix") / "data"
    for name, held in compiled().items():
        assert held == parse_toml(data.joinpath(*name.split("/")).read_text("utf-8")), name


def test_the_catalog_is_the_same_from_a_build(built: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    plain = Catalog(files("torchdoctor.matrix") / "data" / "releases")
    table.cache_clear()
    monkeypatch.setattr(tables, "compiled", lambda: built)
    monkeypatch.setattr("torchdoctor.matrix.catalog.compiled", lambda: built)
    ready = Catalog()
    assert ready.lines == plain.lines
    assert list(ready.releases()) == list(plain.releases())
    table.cache_clear()


def test_tables_are_read_from_a_zip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = tmp_path / "lib.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("inside/__init__.py", "")
        file.write(str(tables.__file__), "inside/tables.py")
        file.writestr(f"inside/data/{COMPILED}", '{"a.toml": {"x": 1}}')
        file.writestr("inside/data/b.toml", "y = 2")
        file.writestr("inside/data/c.json", '{"z": 3}')
    monkeypatch.syspath_prepend(str(archive))
    from inside.tables import table  # type: ignore[import-not-found]

    assert [table(name) for name in ("a.toml", "b.toml", "c.json")] == [{"x": 1}, {"y": 2}, {"z": 3}]


def test_the_worst_confidence_counts() -> None:
    assert weakest("primary", "inferred", "secondary") == "inferred"
    assert weakest() == "primary"
