from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from torchdoctor.probes.facts import Facts
from torchdoctor.probes.reports.pasted import read_text


@pytest.mark.parametrize(
    "text",
    [
        '[{"name": "numpy", "version": "1.26.4"}, {"name": "torch", "version": "2.6.0+cu124"}]\n',
        '[{"name":"numpy","version":"1.26.4"},{"name":"torch","version":"2.6.0+cu124","editable_project_location":"/src"}]\n',
        '[\n  {\n    "name": "numpy",\n    "version": "1.26.4"\n  },\n  {\n    "name": "torch",\n    "version": "2.6.0+cu124"\n  }\n',
    ],
)
def test_pip_list_as_json(facts_of: Callable[[str], Facts], text: str) -> None:
    facts = facts_of(text)
    assert facts.packages == {"numpy": "1.26.4", "torch": "2.6.0+cu124"}
    assert facts.torch.variant == "cu124" and read_text(text, "x").kind == "pip_freeze"


def test_the_line_of_a_row(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(
        '$ x\n[\n {"name": "numpy", "version": "1.26.4"},\n {\n  "version": "2.6.0",\n  "name": "torch"\n }]\n'
    )
    assert facts.sources["packages.numpy"].startswith("line 3:")
    assert facts.sources["packages.torch"].startswith("line 6:")


@pytest.mark.parametrize(
    "text",
    [
        '{"build_string": "py3.11_cuda12.1_cudnn8.9.2_0", "channel": "pytorch", "name": "pytorch", "version": "2.3.1"}\n',
        '{"name":"pytorch","version":"2.3.1","build":"cuda121_py311h1_300","kind":"conda"}\n',
        '["pytorch","2.3.1","cuda121_py311h1_300"]\n',
    ],
)
def test_conda_list_as_json(facts_of: Callable[[str], Facts], text: str) -> None:
    facts = facts_of(text)
    assert (facts.torch.version, facts.torch.variant, facts.torch.origin) == ("2.3.1", "cu121", "conda")
    assert read_text(text, "x").kind == "conda_list"


def test_objects_of_other_things_are_no_packages(facts_of: Callable[[str], Facts]) -> None:
    assert facts_of('{"name": "my-app", "version": "1.0.0", "private": true}\n').packages is None


def test_pip_inspect_whole_and_cut(facts_of: Callable[[str], Facts]) -> None:
    environment = {
        "implementation_name": "cpython",
        "platform_machine": "ARM64",
        "platform_release": "11",
        "python_full_version": "3.12.5",
        "sys_platform": "win32",
    }
    whole = json.dumps(
        {"installed": [{"metadata": {"name": "torch", "version": "2.9.0"}}], "environment": environment}, indent=2
    )
    for text in (whole, whole[whole.index('"environment"') :]):
        facts = facts_of(text)
        assert (facts.system.os, facts.python.machine, facts.python.version, facts.system.version) == (
            "windows",
            "aarch64",
            "3.12.5",
            "11",
        )
    assert facts_of(whole).packages == {"torch": "2.9.0"}
