from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner
from torchdoctor.installers import INSTALLERS
from torchdoctor.options import (
    FORMATS,
    INSTALLER_NAMES,
    format_options,
    gate_options,
    machine_options,
    request_options,
    to_options,
)


@click.command()
@request_options
@machine_options
@gate_options
@format_options
def _command(**values: Any) -> None:
    click.get_current_context().obj["values"] = values


def _parsed(*arguments: str) -> dict[str, Any]:
    held: dict[str, Any] = {}
    ran = CliRunner().invoke(_command, list(arguments), obj=held, standalone_mode=False)
    if ran.exception:
        raise ran.exception
    return dict(held["values"])


def test_what_nobody_asked_for() -> None:
    options = to_options(_parsed())
    assert (options.torch, options.requires, options.companions, options.ignore, options.timeout) == (
        None, (), (), (), 10.0,
    )  # fmt: skip
    assert options.every is False


def test_everything_that_may_be_asked() -> None:
    options = to_options(
        _parsed(
            "--torch", "2.14", "--variant", "cu126", "--with", "torchvision", "--with", "torchvision", "--installer", "uv",
            "--index-base", "https://mirror.invalid/whl", "--shell", "powershell", "--python", "/x/python",
            "--timeout", "3", "--require", "cuda", "--require", "gpu", "--require", "cuda", "--ignore", "driver-too-old", "--all",
        )
    )  # fmt: skip
    assert (options.torch, options.variant, options.installer, options.shell) == ("2.14", "cu126", "uv", "powershell")
    assert (options.companions, options.requires) == (("torchvision",), ("cuda", "gpu"))
    assert (options.index_base, options.python, options.timeout) == ("https://mirror.invalid/whl", "/x/python", 3.0)
    assert options.ignore == ("driver-too-old",)
    assert options.every is True


def test_the_mirror_may_stand_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TORCHDOCTOR_INDEX_BASE", "https://mirror.invalid/whl")
    assert _parsed()["index_base"] == "https://mirror.invalid/whl"
    assert _parsed("--index-base", "https://other.invalid")["index_base"] == "https://other.invalid"


@pytest.mark.parametrize(
    "arguments",
    [
        ["--with", "numpy"],
        ["--installer", "apt"],
        ["--shell", "fish"],
        ["--require", "tpu"],
        ["--fail-on", "note"],
        ["--format", "xml"],
        ["--timeout", "0"],
        ["--timeout", "soon"],
    ],
)
def test_values_nobody_knows_are_refused(arguments: list[str]) -> None:
    with pytest.raises(click.UsageError):
        _parsed(*arguments)


def test_an_id_nobody_knows_gets_the_nearest_one() -> None:
    with pytest.raises(
        click.ClickException, match=r"--ignore driver-to-old: no such finding \(nearest: driver-too-old\)"
    ):
        to_options(_parsed("--ignore", "driver-to-old"))


def test_ids_of_a_project_file_are_added(tmp_path: Path) -> None:
    file = tmp_path / "pyproject.toml"
    file.write_text('[tool.torchdoctor]\nignore = ["musl"]\n')
    options = to_options(_parsed("--config", str(file), "--ignore", "driver-too-old"))
    assert options.ignore == ("driver-too-old", "musl")
    file.write_text("[tool]\ntorchdoctor = 3\n")
    assert to_options(_parsed("--config", str(file))).ignore == ()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (None, "cannot be read: No such file"),
        ("a = [", "not valid TOML"),
        ("[tool.torchdoctor]\nignore = 'musl'\n", "tool.torchdoctor.ignore: expected a list of finding ids"),
        ("[tool.torchdoctor]\nignore = [1]\n", "tool.torchdoctor.ignore: expected a list of finding ids"),
        ("[tool.torchdoctor]\nignore = ['mussel']\n", "no such finding (nearest: musl)"),
    ],
)
def test_a_project_file_that_is_wrong_is_one_line(tmp_path: Path, text: str | None, says: str) -> None:
    file = tmp_path / "pyproject.toml"
    if text is not None:
        file.write_text(text)
    with pytest.raises(click.ClickException) as error:
        to_options(_parsed("--config", str(file)))
    assert says in error.value.message and "\n" not in error.value.message


def test_names_that_are_listed_twice_agree() -> None:
    assert INSTALLER_NAMES == INSTALLERS  # spelled out here so that --help imports no installer
    assert "text" in FORMATS and "json" in FORMATS


def test_an_unknown_finding_in_a_file_is_blamed_on_the_file(tmp_path: Path) -> None:
    file = tmp_path / "pyproject.toml"
    file.write_text('[tool.torchdoctor]\nignore = ["shm-to-small"]\n')
    with pytest.raises(click.ClickException, match=r"pyproject.toml: tool.torchdoctor.ignore: shm-to-small: no such"):
        to_options(_parsed("--config", str(file)))
