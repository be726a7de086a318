from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from torchdoctor.matrix.verdict import Finding

Examine = Callable[..., dict[str, Finding]]
Machine = Callable[..., dict[str, Any]]


def _channels(*names: str) -> list[dict[str, str]]:
    return [{"file": "environment.yml", "key": "channel", "value": name} for name in names]


@pytest.mark.parametrize(
    ("request_", "settings", "found"),
    [
        ({"torch": "2.6.0"}, _channels("pytorch"), True),
        ({"torch": "2.6.0"}, _channels("pytorch", "nvidia"), True),
        ({"torch": "2.6.0", "index": "https://conda.anaconda.org/pytorch/linux-64"}, [], True),
        ({"torch": "2.5.1"}, _channels("pytorch"), False),  # the last one there
        ({"torch": "2.5"}, _channels("pytorch"), False),
        ({"torch": "<2.7"}, _channels("pytorch"), False),  # an older one will do
        ({"torch": "2.6.0"}, _channels("pytorch", "conda-forge"), False),  # the other may have it
        ({"torch": "2.6.0"}, [], False),
        ({"torch": "2.6.0", "installer": "pip"}, _channels("pytorch"), False),
        ({}, _channels("pytorch"), False),
    ],
)
def test_a_release_after_the_end_of_the_channel(
    examine: Examine, machine: Machine, request_: dict[str, str], settings: list[dict[str, str]], found: bool
) -> None:
    profile = machine(request={"installer": "conda", **request_}, settings=settings)
    assert ("conda-channel-ended" in examine(profile)) == found


@pytest.mark.parametrize(
    ("mkl", "torch", "channel", "found"),
    [
        ("2024.1.0", "2.2.2", "pytorch", True),
        ("2025.0.0", "2.0.1", "pytorch", True),
        ("2024.0.0", "2.2.2", "pytorch", False),
        ("2024.1.0", "2.3.0", "pytorch", False),
        ("2024.1.0", "2.2.2", "conda-forge", False),
        (None, "2.2.2", "pytorch", False),
    ],
)
def test_an_mkl_the_builds_of_the_channel_cannot_load(
    examine: Examine, machine: Machine, mkl: str | None, torch: str, channel: str, found: bool
) -> None:
    rows = [{"name": "pytorch", "version": torch, "build": "py3.11_cpu_0", "channel": channel}]
    packages = {"mkl": mkl, "torch": torch} if mkl else {"torch": torch}
    findings = examine(machine(packages=packages, distributions=rows))
    assert ("conda-mkl-conflict" in findings) == found
    if found:
        assert findings["conda-mkl-conflict"].fix[0] == 'conda install "mkl<2024.1"'
