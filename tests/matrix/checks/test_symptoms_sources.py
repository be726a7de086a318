"""Where an installer looked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from torchdoctor.matrix.verdict import Finding

Examine = Callable[..., dict[str, Finding]]
LINUX = {"os": "linux", "machine": "x86_64"}


def _seen(id: str, **groups: Any) -> dict[str, Any]:
    return {"symptoms": [{"id": id, "text": "the text"}], "system": LINUX, **groups}


def test_everything_was_looked_for_on_torchs_index(examine: Examine) -> None:
    found = examine(_seen("pip-other-on-torch-index"))["index-configuration"]
    assert (found.severity, found.about) == ("blocker", "request")
    assert "second command" in found.fix[0]


@pytest.mark.parametrize(
    ("request_", "found"),
    [
        ({"torch": "2.5.1", "variant": "cu124"}, True),
        ({"torch": "2.5.1", "variant": "cu124", "index": "https://download.pytorch.org/whl/cu124"}, False),
        ({"torch": "2.5.1", "variant": "cu199"}, False),  # that was never published
        ({"torch": "2.5.1"}, False),
        ({"torch": ">=2.5", "variant": "cu124"}, False),
    ],
)
def test_a_local_version_on_an_index_that_carries_none(examine: Examine, request_: dict[str, str], found: bool) -> None:
    findings = examine(_seen("uv-no-local-version", request=request_))
    ours = [f for f in findings.values() if f.id == "index-configuration" and "no local versions" in f.detail]
    assert bool(ours) == found
    if found:
        assert ours[0].fix[0] == "uv pip install torch==2.5.1 --torch-backend=cu124"
