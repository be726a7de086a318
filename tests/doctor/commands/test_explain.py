from __future__ import annotations

import re
from importlib.resources import files

import click
import pytest
from click.testing import CliRunner
from torchdoctor.commands.explain import command
from torchdoctor.matrix.findings import finding_kinds

HEADINGS = ["What it means", "How it is established", "Fix", "Often confused with", "Sources"]
PAGES = {
    p.name.removesuffix(".md"): p.read_text(encoding="utf-8") for p in (files("torchdoctor") / "explain").iterdir()
}


def test_one_page_for_each_id_in_the_code() -> None:
    assert set(PAGES) == set(finding_kinds())


@pytest.mark.parametrize("id", sorted(PAGES))
def test_every_page_is_whole(id: str) -> None:
    page = PAGES[id]
    assert page.startswith(f"# {id}\n")
    assert re.findall(r"^## (.+)$", page, re.MULTILINE) == HEADINGS
    parts = re.split(r"^## .+$", page, flags=re.MULTILINE)[1:]
    assert all(part.strip() for part in parts)
    assert len(" ".join(parts[:4]).split()) >= 60
    assert all(line.startswith("- ") for line in parts[4].strip().splitlines())


@pytest.mark.parametrize("id", sorted(PAGES))
def test_findings_named_in_a_page_exist(id: str) -> None:
    confused = PAGES[id].split("## Often confused with")[1].split("## Sources")[0]
    kinds = finding_kinds()
    near = [name for name in re.findall(r"`([a-z]+(?:-[a-z0-9]+)+)`", confused) if name not in kinds]
    assert set(near) <= {"nvidia-smi"}
    assert id not in re.findall(r"`([\w-]+)`", confused)


def test_a_page_in_the_terminal() -> None:
    result = CliRunner().invoke(command, ["driver-too-old"])
    assert result.exit_code == 0
    assert result.output.startswith("driver-too-old\n==============\n")
    assert "580" in result.output and "Often confused with" in result.output


def test_a_page_as_it_is_written() -> None:
    result = CliRunner().invoke(command, ["musl", "--format", "markdown"])
    assert result.output == PAGES["musl"]


def test_alone_it_lists_them() -> None:
    result = CliRunner().invoke(command, [])
    assert result.exit_code == 0
    assert re.search(r"^musl +blocker ", result.output, re.MULTILINE)
    assert all(id in result.output for id in finding_kinds())


@pytest.mark.parametrize(
    ("typed", "near"),
    [("drivr-to-old", "driver-too-old"), ("GLIBC-TOO-OLD", "glibc-too-old"), ("jetson", "jetson-needs-vendor-wheel")],
)
def test_an_unknown_id_leads_to_the_nearest(typed: str, near: str) -> None:
    result = CliRunner().invoke(command, [typed])
    assert result.exit_code == 2
    assert near in result.output


def test_what_resembles_nothing_is_refused_in_one_line() -> None:
    result = CliRunner().invoke(command, ["§" * 5000])
    assert result.exit_code == 2
    assert "torchdoctor explain lists them" in result.output and len(result.output) < 400


@pytest.mark.parametrize("id", sorted(PAGES))
def test_commands_of_ours_named_in_a_page_exist(id: str) -> None:
    from torchdoctor.cli import COMMANDS, cli

    for name, rest in re.findall(r"`torchdoctor ([a-z]+)([^`]*)`", PAGES[id]):
        assert name in COMMANDS
        known = cli.get_command(click.Context(cli), name)
        assert known is not None
        options = {o for p in known.params for o in p.opts}
        assert set(re.findall(r"(?<!\S)(--?[a-z][a-z-]*)", rest)) <= options, f"{name}{rest}"
