"""What the installers themselves know of torch's indexes: ``data/installers.toml`` of the matrix."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torchdoctor.matrix.verdict import Recommendation

__all__ = ["known", "only_there", "second_host"]


def known() -> Mapping[str, Any]:
    """The whole table, read once."""
    from torchdoctor.matrix.tables import table

    return table("installers.toml")


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
