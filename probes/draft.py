"""Facts under construction: probes and parsers add what they find, each with its source; the best-ranked answer wins."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from torchdoctor.probes.facts import Facts
from torchdoctor.probes.profile import facts_from_mapping

__all__ = ["Draft"]

_GPU_KEYS = ("vendor", "name", "pci_id", "compute_capability", "gfx", "memory", "integrated", "driver", "address")


class Draft:
    """Collects facts by path (``system.os``, ``packages.torch``, ``environment.PATH``), then builds :class:`Facts`.

    ``put`` keeps the first answer among those of the highest ``rank``. Lists (``gpus``, ``symptoms``, ``settings``)
    have their own methods. Nothing that was not put becomes a default: it stays unknown.
    """

    def __init__(self) -> None:
        self._values: dict[str, tuple[int, Any, str]] = {}
        self._unknown: dict[str, str] = {}
        self._gpus: list[tuple[dict[str, Any], str]] = []
        self._no_gpus: str | None = None
        self._symptoms: list[dict[str, Any]] = []
        self._settings: list[dict[str, Any]] | None = None

    def put(self, path: str, value: Any, source: str, *, rank: int = 0) -> None:
        """Record one fact. ``None`` is not an answer and is dropped; a higher ``rank`` replaces a lower one."""
        if value is None:
            return
        old = self._values.get(path)
        if old is None or rank > old[0]:
            self._values[path] = (rank, value, source)

    def value(self, path: str) -> Any:
        """What is known so far at ``path``."""
        held = self._values.get(path)
        return None if held is None else held[1]

    def held(self, path: str) -> tuple[int, Any, str] | None:
        """(rank, value, source) of what is known so far at ``path``."""
        return self._values.get(path)

    def miss(self, path: str, reason: str) -> None:
        """Say why a fact is not known; dropped if it becomes known after all."""
        self._unknown.setdefault(path, reason)

    def mapping(self, path: str, source: str) -> None:
        """``packages``, ``environment`` or ``devices`` was looked at completely: known, even if empty."""
        self.put(path, {}, source)

    def gpu(self, source: str, **fields: Any) -> None:
        """Add one GPU; ``fields`` are those of :class:`~torchdoctor.probes.facts.Gpu`, and ``address`` (``0000:01:00.0``
        or a table's index): it tells readings of one device apart from several devices and is no fact itself.
        """
        unknown = set(fields) - set(_GPU_KEYS)
        if unknown:
            raise TypeError(f"no such GPU field: {sorted(unknown)}")
        self._gpus.append((fields, source))

    @property
    def gpus(self) -> list[tuple[dict[str, Any], str]]:
        """The GPUs so far, with their sources; may be edited in place by the code that merges several readings."""
        return self._gpus

    def no_gpus(self, source: str) -> None:
        """The whole machine was looked at: an empty list means there is none."""
        self._no_gpus = self._no_gpus or source

    def forget_no_gpus(self) -> str | None:
        """Take the statement of :meth:`no_gpus` back and return its source: one vendor's probe speaks of its own only."""
        source, self._no_gpus = self._no_gpus, None
        return source

    def symptom(self, id: str, text: str, line: int | None = None) -> None:
        """An error text was seen. The same id twice is kept once."""
        if all(s["id"] != id for s in self._symptoms):
            self._symptoms.append({"id": id, "text": text, "line": line})

    def setting(self, file: str, line: int | None, key: str, value: str) -> None:
        if self._settings is None:
            self._settings = []
        self._settings.append({"file": file, "line": line, "key": key, "value": value})

    def settings_read(self) -> None:
        """The settings were looked for: an empty list means there are none."""
        if self._settings is None:
            self._settings = []

    def merge(self, other: Draft, *, rank: int = 0) -> None:
        """Take over what ``other`` found; ``rank`` is added to its ranks. GPUs are appended, not merged."""
        for path, (r, value, source) in other._values.items():
            self.put(path, value, source, rank=r + rank)
        for path, reason in other._unknown.items():
            self.miss(path, reason)
        self._gpus.extend(other._gpus)
        self._no_gpus = self._no_gpus or other._no_gpus
        for symptom in other._symptoms:
            self.symptom(**symptom)
        if other._settings is not None:
            self.settings_read()
            assert self._settings is not None
            self._settings.extend(other._settings)

    def drop(self, path: str, reason: str) -> bool:
        """Take a fact back, also a GPU's field or one item of a list, because what was found is of no use."""
        whole = path if path in self._values else path.rpartition("[")[0]
        gpu = path.removeprefix("gpus[").split("].", 1)
        if self._values.pop(whole, None) is not None:
            path = whole
        elif len(gpu) == 2 and gpu[0].isdecimal() and int(gpu[0]) < len(self._gpus):
            if self._gpus[int(gpu[0])][0].pop(gpu[1], None) is None:
                return False
        else:
            return False
        self._unknown[path] = reason
        return True

    def build(self) -> Facts:
        """The facts. Every path in ``sources`` exists in them; ``unknown`` holds no path that is known."""
        tree: dict[str, Any] = {}
        sources: dict[str, str] = {}
        for _, path, parts in sorted(map(_place, self._values)):
            _, value, source = self._values[path]
            node = tree
            for part in parts[:-1]:
                node = node.setdefault(part, {})
            if isinstance(value, Mapping):
                node.setdefault(parts[-1], {}).update(value)
                if value or path in ("packages", "environment", "devices"):
                    sources[path] = source
            else:
                node[parts[-1]] = list(value) if isinstance(value, tuple) else value
                sources[path] = source
        if self._gpus or self._no_gpus is not None:
            tree["gpus"] = [{k: v for k, v in fields.items() if k != "address"} for fields, _ in self._gpus]
            if not self._gpus and self._no_gpus is not None:
                sources["gpus"] = self._no_gpus
            for index, (_, source) in enumerate(self._gpus):
                sources[f"gpus[{index}]"] = source
        if self._symptoms:
            tree["symptoms"] = self._symptoms
        if self._settings is not None:
            tree["settings"] = self._settings
        facts = facts_from_mapping(tree)
        unknown = {p: r for p, r in sorted(self._unknown.items()) if facts.get(p) is None}
        return facts.replace(sources=sources, unknown=unknown)


@lru_cache(maxsize=1024)
def _place(path: str) -> tuple[int, str, tuple[str, ...]]:
    """How deep a path is, the path, and its steps."""
    return path.count("."), path, tuple(_split(path))


def _split(path: str) -> list[str]:
    # Package and variable names may hold dots: only the first step of these mappings is a separator.
    head, _, rest = path.partition(".")
    if head in ("packages", "environment") and rest:
        return [head, rest]
    if head == "devices" and rest:
        name, _, leaf = rest.rpartition(".")
        return [head, name, leaf] if name and leaf in ("present", "openable", "group") else [head, rest]
    return path.split(".")
