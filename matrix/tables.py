"""The shipped tables: opened on first use, kept, handed out as they stand. What they mean is said where they are used.

A build of the package also holds them as one ``compiled.json`` (written by ``data/build_tables.py``), since TOML is slow to parse; a
checkout has the TOML files only.
"""

from __future__ import annotations

import json
import sys
from functools import cache
from typing import Any

__all__ = ["COMPILED", "CONFIDENCES", "compiled", "parse_toml", "rows", "sources", "table", "weakest"]

CONFIDENCES = ("primary", "secondary", "inferred")
"""From best to worst: a vendor's document or source code; somebody else's table or report; our reasoning."""

COMPILED = "compiled.json"
"""Every TOML file of ``data/`` under its name there, as a build writes it."""


@cache
def table(name: str) -> dict[str, Any]:
    """A file of ``data/`` as plain data (``nvidia_gpus.json``, ``releases/2.15.toml``). Callers must not change it."""
    if name.endswith(".toml"):
        ready: dict[str, Any] | None = compiled().get(name)
        return parse_toml(_text(name)) if ready is None else ready
    loaded: dict[str, Any] = json.loads(_text(name))
    return loaded


@cache
def compiled() -> dict[str, Any]:
    """What a build compiled, by file name; empty in a checkout."""
    try:
        text = _text(COMPILED)
    except OSError:
        return {}
    loaded: dict[str, Any] = json.loads(text)
    return loaded


def _text(name: str) -> str:
    # The loader itself, for folders and zips alike: importlib.resources alone costs a fifth of a whole run.
    assert __spec__ is not None
    loader: Any = __spec__.loader
    folder = __file__[: max(__file__.rfind("/"), __file__.rfind("\\")) + 1]
    data: bytes = loader.get_data(f"{folder}data/{name}")
    return data.decode("utf-8")


def parse_toml(text: str) -> dict[str, Any]:
    """TOML text as plain data."""
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    return tomllib.loads(text)


@cache
def rows(name: str, group: str) -> tuple[dict[str, Any], ...]:
    """A group of rows with its column names; a row that says nothing of its confidence has that of the group."""
    held = table(name)[group]
    columns = held["columns"]
    return tuple([{"confidence": held["confidence"], **dict(zip(columns, row, strict=False))} for row in held["rows"]])


def sources(name: str, group: str) -> tuple[str, ...]:
    """The sources of a group, spelled out."""
    texts = table("sources.json")
    return tuple(texts[key] for key in table(name)[group]["source"])


def weakest(*confidences: str) -> str:
    """The worst of several confidences."""
    return max(confidences, key=CONFIDENCES.index, default="primary")
