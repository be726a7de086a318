"""Which settings lead an installer to one variant of torch."""

from __future__ import annotations

import re
from collections.abc import Iterator

from torchdoctor.matrix.markers import holds
from torchdoctor.matrix.request import RequestError, normal_variant
from torchdoctor.probes.facts import Facts, Setting, dataclass, regex

__all__ = ["Lead", "index_variant", "indexes_of", "leads", "shut_out", "source_index", "where"]

_INDEX = regex(
    r"/(?:whl|nightly|test)/(?:nightly/|test/)?(cpu|cu\d{2,3}|rocm\d{1,2}(?:\.\d{1,2}){1,2}|xpu)(?=[/\s\"'`)]|\Z)"
)
_MARKED = regex(r"\{([^{}]{0,400})\}")
_INDEX_NAME = regex(r"index\s{0,4}=\s{0,4}[\"']([^\"']{1,80})[\"']")
_MARKER = regex(r"marker\s{0,4}=\s{0,4}(?:\"([^\"]{1,300})\"|'([^']{1,300})')")
_BACKENDS = ("tool.uv.torch-backend", "tool.uv.pip.torch-backend", "UV_TORCH_BACKEND")
_MAIN = ("index-url", "PIP_INDEX_URL", "UV_INDEX_URL", "UV_DEFAULT_INDEX", "default-index")
_MORE = ("extra-index-url", "PIP_EXTRA_INDEX_URL", "UV_EXTRA_INDEX_URL", "UV_INDEX", "find-links", "PIP_FIND_LINKS")


@dataclass(frozen=True, slots=True)
class Lead:
    """A setting that leads to a variant. ``main`` tells that it stands in for the default index, not beside it."""

    place: int
    setting: Setting
    variant: str
    tool: str
    main: bool


def index_variant(url: str | None) -> str | None:
    """``https://download.pytorch.org/whl/cu124`` → ``cu124``; ``None`` for another address."""
    match = _INDEX.search(url or "")
    return match[1] if match else None


def where(setting: Setting) -> str:
    """A setting as people look for it: file, line and key, or the variable."""
    if setting.file in (None, "environment"):
        return f"the variable {setting.key}"
    return f"{setting.file}" + (f", line {setting.line}" if setting.line else "") + f" ({setting.key})"


def leads(facts: Facts) -> Iterator[Lead]:
    """Every setting that names an index or backend of one variant, in the order they were read."""
    rows = facts.settings or ()
    indexes = {
        (r.key or "").rpartition(".")[2]: r.value
        for r in rows
        if re.match(r"tool\.uv\.index\.[^.]{1,80}\Z", r.key or "")
    }
    for place, row in enumerate(rows):
        key, value = row.key or "", row.value or ""
        if key in _BACKENDS:
            if backend := _named(value):
                yield Lead(place, row, backend, "uv", True)
        elif key.endswith("sources.torch"):
            named = index_variant(indexes.get(source_index(value, facts) or ""))
            if named:
                yield Lead(place, row, named, "uv", True)
        elif _is_one_of(key, (*_MAIN, *_MORE)) and (variant := index_variant(value)):
            tool = "uv" if key.startswith(("UV_", "tool.uv")) else "pip"
            yield Lead(place, row, variant, tool, _is_one_of(key, _MAIN))


def indexes_of(rows: tuple[Setting, ...]) -> Iterator[tuple[str, str]]:
    """Name → address of the project's indexes; a pasted report names both in one value."""
    for row in rows:
        key, value = row.key or "", row.value or ""
        if key == "tool.uv.index.url" and " " in value:
            name, _, url = value.partition(" ")
            yield name, url
        elif re.match(r"tool\.uv\.index\.[^.]{1,80}\Z", key):
            yield key.rpartition(".")[2], value


def source_index(value: str, facts: Facts) -> str | None:
    """The index that a ``tool.uv.sources`` entry names for this machine; ``None`` where it names none."""
    for part in _MARKED.findall(value):
        index, marker = _INDEX_NAME.search(part), _MARKER.search(part)
        if index and (marker is None or holds(marker[1] or marker[2], facts)):
            return index[1]
    return None


def shut_out(value: str, facts: Facts) -> bool:
    """Do the markers of an entry leave this machine without an index, though the system is known?"""
    marked = _MARKER.search(value)
    return marked is not None and facts.system.os is not None and source_index(value, facts) is None


def _named(value: str) -> str | None:
    try:
        return normal_variant(value) if value != "auto" else None
    except RequestError:
        return None


def _is_one_of(key: str, names: tuple[str, ...]) -> bool:
    return key in names or key.rpartition(".")[2] in names
