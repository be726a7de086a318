"""Blocks of pip show."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from torchdoctor.probes.facts import Facts


def test_pip_show(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(
        "Name: torch\nVersion: 2.9.0+cu130\nLocation: /root/e/lib/python3.13t/site-packages\nRequires: filelock\n"
    )
    assert (facts.torch.version, facts.python.version, facts.python.free_threaded) == ("2.9.0+cu130", "3.13", True)


@pytest.mark.parametrize(
    "command",
    [
        "$ pip show torch | grep Version",
        "$ python -m pip show torch 2>/dev/null | grep -i version",
        "PS C:\\> .venv\\Scripts\\python -m pip show torch | Select-String Version",
        "C:\\> pip show torch | findstr /i version",
    ],
)
def test_the_version_alone_of_pip_show(facts_of: Callable[[str], Facts], command: str) -> None:
    facts = facts_of(f"{command}\nVersion: 2.5.1+cpu\n$ tool\nVersion: 9.9\n")
    assert facts.packages == {"torch": "2.5.1+cpu"}
    assert facts.torch.variant == "cpu"


def test_a_version_below_another_command_is_not_torchs(facts_of: Callable[[str], Facts]) -> None:
    assert facts_of("$ pip show torch | grep Version\n$ ldd\nVersion: 1.2.5\n").packages is None


@pytest.mark.parametrize(
    ("version", "requires", "machine"),
    [
        ("2.3.0", "filelock, nvidia-cublas-cu12, triton", "x86_64"),
        ("1.13.1", "nvidia-cublas-cu11, nvidia-cudnn-cu11, typing-extensions", "x86_64"),
        ("2.9.1+cu128", "filelock, nvidia-cublas-cu12, triton", None),
        ("2.12.0", "filelock, cuda-toolkit, nvidia-cudnn-cu13, triton", None),
    ],
)
def test_what_pip_show_requires_tells_the_system(
    facts_of: Callable[[str], Facts], version: str, requires: str, machine: str | None
) -> None:
    facts = facts_of(
        f"Name: torch\nVersion: {version}\nLocation: /x/site-packages\nRequires: {requires}\nRequired-by:\n"
    )
    assert (facts.system.os, facts.system.machine) == ("linux", machine)


def test_requirements_without_cuda_tell_nothing(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of("Name: torch\nVersion: 2.3.0\nRequires: filelock, jinja2, sympy\n")
    assert (facts.system.os, facts.system.machine) == (None, None)


def test_the_location_alone_of_pip_show(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of("$ pip show torch | grep -i location\nLocation: /home/u/.local/lib/python3.10/site-packages\n")
    assert [s.id for s in facts.symptoms or ()] == ["torch-location"] and facts.python.version == "3.10"
