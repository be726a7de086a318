"""Distributions as reports list them: ``name==version``, ``pip list`` columns, ``conda list``, ``pip show``, ``pip inspect``."""

from __future__ import annotations

from torchdoctor.probes.patterns import regex
from torchdoctor.probes.reports.reading import Reading

__all__ = ["canonical", "interesting", "pip_name", "put_package"]

_SEPARATORS = regex(r"[-_.]{1,8}")
_CONDA_NAMES = {"pytorch": "torch", "pytorch-cpu": "torch", "pytorch-gpu": "torch", "py-torch": "torch"}


def canonical(name: str) -> str:
    """The distribution's name in its normal form; conda's ``pytorch`` is ``torch``."""
    name = _SEPARATORS.sub("-", name).lower()
    return _CONDA_NAMES.get(name, name)


def pip_name(name: str) -> str:
    """The name as the package index knows it: ``pytorch`` is another project there."""
    return _SEPARATORS.sub("-", name).lower()


def interesting(name: str) -> bool:
    """Whether a check may use that distribution: everything that has an ordinary name."""
    return 1 < len(name) <= 80 and name[0].isalpha()


def put_package(reading: Reading, name: str, version: str, index: int, rank: int) -> None:
    """One installed distribution."""
    name = canonical(name)
    if interesting(name) and version:
        reading.put(f"packages.{name}", version, index, rank)
