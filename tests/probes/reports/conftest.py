"""Read a text and look at its facts."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from torchdoctor.probes.facts import Facts
from torchdoctor.probes.reports.pasted import read_text


@pytest.fixture
def facts_of() -> Callable[[str], Facts]:
    """The facts of a pasted text."""

    def read(text: str) -> Facts:
        return read_text(text, "paste").draft.build()

    return read
