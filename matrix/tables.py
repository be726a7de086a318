"""The shipped tables: opened on first use, kept, handed out as they stand. What they mean is said where they are used."""

from __future__ import annotations

import json
import sys
from functools import cache
from importlib.resources import files
from typing import Any

__all__ = ["CONFIDENCES", "parse_toml", "rows", "sources", "table", "weakest"]

CONFIDENCES = ("primary", "secondary", "inferred")
"""From best to worst: a vendor's document or source code; somebody else's table or report; our reasoning."""


@cache
def table(name: str) -> dict[str, Any]:
    """A file of ``data/`` as plain data (``nvidia_gpus.json``, ``drivers.toml``). Callers must not change it."""
    text = (files("torchdoctor.matrix") / "data" / name).read_text("utf-8")
    if name.endswith(".json"):
        loaded: dict[str, Any] = json.loads(text)
        return loaded
    return parse_toml(text)


def parse_toml(text: str) -> dict[str, Any]:
    """TOML text as plain data."""
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    return tomllib.loads(text)


def rows(name: str, group: str) -> list[dict[str, Any]]:
    """A group of rows with its column names; a row that says nothing of its confidence has that of the group."""
    held = table(name)[group]
    columns = held["columns"]
    return [{"confidence": held["confidence"], **dict(zip(columns, row, strict=False))} for row in held["rows"]]


def sources(name: str, group: str) -> tuple[str, ...]:
    """The sources of a group, spelled out."""
    texts = table("sources.json")
    return tuple(texts[key] for key in table(name)[group]["source"])


def weakest(*confidences: str) -> str:
    """The worst of several confidences."""
    return max(confidences, key=CONFIDENCES.index, default="primary")
