from __future__ import annotations

import pytest
from torchdoctor.probes.reports.prompts import is_prompt, next_text
from torchdoctor.probes.reports.reading import open_reading


@pytest.mark.parametrize(
    ("line", "typed"),
    [
        (">>> torch.__version__", True),
        ("In [3]: torch.cuda.is_available()", True),
        ("ann@box:~/x$ nvidia-smi", True),
        ("PS C:\\x> pip list", True),
        ("/usr/bin/python3 -c 'import torch'", True),
        ("True", False),
        ("'2.6.0+cu124'", False),
        ("I asked it what it sees", False),
    ],
)
def test_what_was_typed(line: str, typed: bool) -> None:
    assert is_prompt(line) is typed


@pytest.mark.parametrize(
    ("below", "at"),
    [
        ("True", 1),
        ("\nTrue", 2),
        ("x/y.py:3: UserWarning: a word\n  return torch._C.f()\nTrue", 3),
        (">>> torch.version.cuda\nTrue", None),
        ("Traceback (most recent call last):\nTrue", None),
        ("\n\n\n\nTrue", None),
    ],
)
def test_the_line_that_answers(below: str, at: int | None) -> None:
    assert next_text(open_reading(f">>> torch.cuda.is_available()\n{below}"), 0) == at
