from __future__ import annotations

import importlib.util
import re
import xml.etree.ElementTree as ET
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "docs").rglob("*.md"))


def _tool(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"docs_{name}", ROOT / "docs" / "tools" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_examples_of_the_api_run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(ROOT)
    text = (ROOT / "docs" / "reference" / "api.md").read_text(encoding="utf-8")
    examples = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(examples) >= 4
    scope: dict[str, object] = {}
    for example in examples:
        exec(example, scope)
    assert "driver-too-old" in capsys.readouterr().out


def test_the_profile_of_the_page_can_be_read() -> None:
    from torchdoctor.api import read_machine_text

    text = (ROOT / "docs" / "reference" / "profile.md").read_text(encoding="utf-8")
    profile = re.search(r"```toml\n(.*?)```", text, re.DOTALL)
    assert profile is not None
    facts, warnings = read_machine_text(profile[1], "page.toml")
    assert warnings == [] and facts.drivers.nvidia.version == "550.54.14"


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT / "docs")))
def test_commands_and_options_shown_exist(page: Path) -> None:
    import click
    from torchdoctor.cli import COMMANDS, cli

    text = page.read_text(encoding="utf-8")
    for block in re.findall(r"```(?:sh|bash|yaml|dockerfile)\n(.*?)```", text, re.DOTALL):
        for words in re.findall(r"\btorchdoctor ([a-z]+)([^\n|#);&]*)", block):
            name, rest = words
            if name not in COMMANDS:
                continue  # a package of that name, a file, a user
            command = cli.get_command(click.Context(cli), name)
            assert command is not None
            known = {o for p in command.params for o in (*p.opts, *p.secondary_opts)}
            used = set(re.findall(r"(?<!\S)(--?[a-z][a-z-]*)", rest))
            assert used <= known | {"-h", "--help"}, f"torchdoctor {name}{rest}"


def test_every_command_is_in_the_reference() -> None:
    from torchdoctor.cli import COMMANDS

    text = _tool("pages").command_reference()
    assert re.findall(r"^## (\w+)$", text, re.MULTILINE) == list(COMMANDS)
    assert "`--fail-on " in text and "--help" not in text


def test_findings_link_to_each_other() -> None:
    from torchdoctor.matrix.findings import finding_kinds

    pages = dict(_tool("pages").finding_pages())
    assert set(pages) == {f"findings/{id}.md" for id in (*finding_kinds(), "index")}
    assert "[`driver-missing`](driver-missing.md)" in pages["findings/driver-too-old.md"]
    for path, text in pages.items():
        links = re.findall(r"\]\(([a-z0-9-]+\.md)\)", text)
        assert all(f"findings/{link}" in pages for link in links), path


def test_the_matrix_page_shows_pictures_and_every_build() -> None:
    text = _tool("pages").matrix_page()
    assert text.count("<svg") == 2 and "| 2.15.0 | `cu132` |" in text


def test_the_picture_is_well_formed_and_fetches_nothing() -> None:
    svg = _tool("picture").picture()
    ET.fromstring(svg)
    assert "MISMATCH" in svg and "@font-face" not in svg and "url(http" not in svg
    assert (ROOT / "docs" / "images" / "run.svg").exists()


def test_the_manual_page_names_every_command() -> None:
    from torchdoctor.cli import COMMANDS

    page = _tool("man").manual()
    assert page.startswith(".TH TORCHDOCTOR 1 ")
    assert all(re.search(rf"^\.SS {name} ", page, re.MULTILINE) for name in COMMANDS)
    assert not re.search(r"^[.'](?!TH|SH|SS|PP|TP|B )", page, re.MULTILINE)
