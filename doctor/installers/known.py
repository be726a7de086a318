"""What the installers themselves know of torch's indexes: ``data/installers.toml`` of the matrix."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from torchdoctor.matrix.verdict import Recommendation

__all__ = ["known", "only_there", "second_host"]


@lru_cache(maxsize=1)
def known() -> Mapping[str, Any]:
    """The whole table, read once."""
    from importlib.resources import files

    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    return tomllib.loads((files("torchdoctor.matrix") / "data" / "installers.toml").read_text(encoding="utf-8"))


def only_there(recommendation: Recommendation) -> tuple[str, ...]:
    """Packages besides torch's own family that a build needs and only torch's index serves."""
    from torchdoctor.matrix.catalog import version_key

    release = version_key(recommendation.torch)
    for row in known()["triton"]:
        if recommendation.variant.startswith(row["variant"]) and (
            "before" not in row or release < version_key(row["before"])
        ):
            return (row["name"],)
    return ()


def second_host(recommendation: Recommendation) -> str | None:
    """The other host that a build's packages come from, linked by torch's index; ``None`` for most."""
    return next((r["host"] for r in known()["second_host"] if r["variant"] == recommendation.variant), None)
