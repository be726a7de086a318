"""Errors that are named and that nobody has now."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from torchdoctor.probes.facts import Facts

_LIST = """- "Error 802: system not yet initialized" → started fabricmanager
* "Driver/library version mismatch" -> rebooted
1. `cudaErrorNoKernelImageForDevice` — moved to cu126
"""


def test_a_list_of_errors_and_their_remedies_is_nobodys_error(facts_of: Callable[[str], Facts]) -> None:
    assert not facts_of(_LIST).symptoms
    own = _LIST + "Error 802: system not yet initialized\n"
    assert [(s.id, s.line) for s in facts_of(own).symptoms or ()] == [("cuda-error-802", 4)]
    alone = '"Error 802: system not yet initialized" -> what now?\n'
    assert [s.id for s in facts_of(alone).symptoms or ()] == ["cuda-error-802"]


@pytest.mark.parametrize(
    "text",
    [
        "| Error | Fix |\n|---|---|\n| `OMP: Error #15: Initializing libiomp5md.dll` | set a variable |\n",
        "- fixed: ImportError: libcudart.so.12: cannot open shared object file\n",
        "* Resolved: CUDA driver is a stub library\n",
        "### Bug fixes\n- CUDA driver is a stub library: said so\n",
        'Q: "CUDA driver is a stub library"?\nA: Set the path.\nQ: Found no NVIDIA driver on your system\nA: Install it.\n',
        "docs/faq.md:12:CUDA driver is a stub library, if stubs come first\n",
        "CUDA driver is a stub library, rebooted → gone\n",
        "My colleague sees 'CUDA driver is a stub library', I can't reproduce it\n",
        "What does `Illegal instruction` usually mean?\n",
        'assert classify("CUDA driver is a stub library") == "stub"\n',
    ],
)
def test_errors_in_general_are_nobodys(facts_of: Callable[[str], Facts], text: str) -> None:
    assert not facts_of(text).symptoms


def test_a_table_of_answers_is_no_table_of_cures(facts_of: Callable[[str], Facts]) -> None:
    text = "| question | answer |\n|---|---|\n| what happens | CUDA driver is a stub library |\n"
    assert [s.id for s in facts_of(text).symptoms or ()] == ["cuda-error-34"]


@pytest.mark.parametrize(
    "text",
    [
        "[SOLVED] It was the path.\nCUDA driver is a stub library\n",
        "What does this mean: CUDA driver is a stub library\n",
        "Q: CUDA driver is a stub library\nA: ???\n",
        "Solved the first one, but now: CUDA driver is a stub library\n",
        "/a/torch/cuda/__init__.py:12: UserWarning: CUDA driver is a stub library\n",
        "CUDA driver is a stub library, rebooted and it works until the next day\n",
        "### Fixed\n- a thing\n### Open\n- CUDA driver is a stub library\n",
    ],
)
def test_somebodys_own(facts_of: Callable[[str], Facts], text: str) -> None:
    assert [s.id for s in facts_of(text).symptoms or ()][:1]
