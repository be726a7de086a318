"""The installed torch is asked in a child; a crash is an answer."""

from __future__ import annotations

from typing import Any

import pytest
from torchdoctor.outcome import outcome


def test_a_torch_that_works(environment: Any, index: Any) -> None:
    environment.unpack(index, "torch-2.14.1+cpu")
    assert outcome(environment.python) == (None, False)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("raise ImportError('libcudart.so.12: cannot open')", "does not import: ImportError: libcudart.so.12"),
        ("import os; os.kill(os.getpid(), 11)", "crashes: "),
        ("import time; time.sleep(60)", "does not answer: "),
    ],
)
def test_a_torch_that_does_not(body: str, said: str, environment: Any) -> None:
    package = environment.site / "torch"
    package.mkdir()
    (package / "__init__.py").write_text(body)
    problem, seen = outcome(environment.python, deadline=2.0 if "sleep" in body else 30.0)
    assert problem is not None
    assert problem.startswith(said)
    assert seen is None
