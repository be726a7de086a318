from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from torchdoctor.commands.releases import command
from torchdoctor.matrix.catalog import Catalog
from torchdoctor.release_rows import release_document

PROFILES = Path(__file__).parents[2] / "hosts" / "profiles"


def _rows(*args: str) -> list[dict[str, Any]]:
    result = CliRunner().invoke(command, [*args, "--format", "json"])
    assert result.exit_code == 0, result.output
    document = json.loads(result.output)
    assert document["schema"] == "torchdoctor/releases/1"
    rows: list[dict[str, Any]] = document["rows"]
    return rows


def test_every_line_is_there_newest_first() -> None:
    rows = release_document()["rows"]
    lines = list(dict.fromkeys(r["torch"].rpartition(".")[0] for r in rows))
    assert lines == list(Catalog().lines)


def test_a_row_says_what_a_build_needs() -> None:
    row = next(r for r in _rows("--torch", "2.14.1", "--variant", "cu126") if r["platform"] == "windows_amd64")
    assert row["driver"] == "528.33"
    assert row["gpus"] == ["5.0", "6.0", "6.1", "7.0", "7.5", "8.0", "8.6", "9.0"]
    assert row["pythons"][0] == "3.10" and "3.14t" in row["pythons"]
    assert row["index_url"] == "https://download.pytorch.org/whl/cu126"
    assert row["source"] and all(" " in source for source in row["source"])  # sentences, not keys


def test_the_wheel_of_the_default_index_needs_no_other() -> None:
    rows = {(r["variant"], r["platform"]): r for r in _rows("--torch", "2.15")}
    assert rows["cu132", "linux_x86_64"]["index_url"] is None
    assert rows["cu132", "windows_amd64"]["index_url"].endswith("/cu132")
    assert rows["cpu + mps", "macos_arm64"]["metal"] == "macOS 15.0"


def test_patches() -> None:
    assert {r["torch"] for r in _rows("--torch", "2.5")} == {"2.5.1"}
    assert {r["torch"] for r in _rows("--torch", "2.5", "--patches")} == {"2.5.0", "2.5.1"}
    assert {r["torch"] for r in _rows("--torch", "2.5.0")} == {"2.5.0"}
    assert {r["torch"] for r in _rows("--torch", ">=2.9,<2.11")} == {"2.9.1", "2.10.0"}


def test_a_family_of_variants() -> None:
    assert {r["variant"][:4] for r in _rows("--variant", "rocm")} == {"rocm"}


def test_here_marks_what_runs_and_why_not_the_rest() -> None:
    rows = _rows("--torch", ">=2.14", "--machine", str(PROFILES / "driver-too-old.json"), "--here")
    here = {(r["torch"], r["variant"], r["platform"]): r["here"] for r in rows}
    assert here["2.14.1", "cu126", "linux_x86_64"]["accepted"] is True
    assert here["2.15.0", "cu132", "linux_x86_64"]["reasons"] == ["driver-too-old"]
    assert here["2.14.1", "rocm7.2", "linux_x86_64"]["reasons"] == ["no AMD GPU"]
    assert here["2.14.1", "cu126", "windows_amd64"]["reasons"] == ["another platform"]


def test_here_on_a_mac_counts_metal() -> None:
    rows = _rows("--torch", "2.15", "--machine", str(PROFILES / "macbook-m3.json"), "--here")
    here = {r["platform"]: r["here"] for r in rows}
    assert here["macos_arm64"]["accepted"] is True


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--torch", "9.9"], "--torch 9.9: nothing of that kind was published"),
        (["--torch", "2.15", "--variant", "cu118"], "nothing of that kind"),
    ],
)
def test_nothing_published_is_said_in_one_line(args: list[str], said: str) -> None:
    result = CliRunner().invoke(command, args)
    assert result.exit_code != 0 and said in result.output


@pytest.mark.parametrize(("form", "said"), [("text", "torch"), ("markdown", "| torch |"), ("html", "<!doctype html>")])
def test_formats(form: str, said: str) -> None:
    result = CliRunner().invoke(command, ["--torch", "2.14", "--format", form])
    assert result.exit_code == 0 and said in result.output
