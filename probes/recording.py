"""A recorded machine, replayed: the same questions get the answers that were recorded, nothing of this machine's.

What nobody recorded is *unrecorded*; only what is listed in ``absent``, or missing from a complete listing, is absent.
The layout is that of a folder or zip with ``recording.json``, ``root/`` and ``commands/``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from torchdoctor.probes.host import ABSENT, DENIED, FAILED, TIMEOUT, UNRECORDED, Answer, Completed, Stat
from torchdoctor.probes.patterns import regex
from torchdoctor.probes.recording_files import RecordingError, Store, open_store

__all__ = ["SCHEMA", "RecordedHost", "RecordingError", "load_recording"]

SCHEMA = "torchdoctor/recording/1"
_HOPS = 40  # as many links as Linux follows
_PATH_LIMIT = 4096  # its longest path
_ASSIGNMENT = regex(r"[A-Za-z_][A-Za-z0-9_]*=")


def load_recording(path: str, name: str | None = None) -> RecordedHost:
    """Open the folder or zip at ``path``. Raises :class:`RecordingError` with one line that names what is wrong."""
    from torchdoctor.probes.recording_files import read_manifest

    store = open_store(path, name or path)
    return RecordedHost(store, read_manifest(store, SCHEMA))


class RecordedHost:
    """Replays one recording. Built by :func:`load_recording`, which has checked the shape of ``manifest``."""

    kind = "recording"

    def __init__(self, store: Store, manifest: Mapping[str, Any]) -> None:
        self._store = store
        self._manifest = manifest
        self.system: str | None = manifest.get("system")
        self._absent = frozenset(map(_tidy, manifest.get("absent", ())))
        self._denied = frozenset(map(_tidy, manifest.get("denied", ())))
        self._links = {**store.links, **{_tidy(k): v for k, v in manifest.get("links", {}).items()}}
        self._listings = {_tidy(k): tuple(sorted(v)) for k, v in manifest.get("listings", {}).items()}
        self._stat = {_tidy(k): v for k, v in manifest.get("stat", {}).items()}
        self._failed = {_tidy(k): v for k, v in manifest.get("failed", {}).items()}
        self._commands = [(_argv(c["argv"]), c) for c in manifest.get("commands", ())]
        self._children: dict[str, set[str]] | None = None

    def read(self, path: str, limit: int = 1 << 20) -> Answer[bytes]:
        """The first ``limit`` bytes of a recorded file."""
        return self.read_at(path, 0, limit)

    def read_at(self, path: str, offset: int, limit: int) -> Answer[bytes]:
        """``limit`` bytes from ``offset`` of a recorded file."""
        place = self._resolve(path)
        content = self._store.root(place)
        if content is not None:
            return Answer(content[offset : offset + limit])
        return self._missing(path, place)

    def listing(self, path: str) -> Answer[tuple[str, ...]]:
        """A complete listing, or ``unrecorded`` with the names that are known to be there."""
        place = self._resolve(path)
        for key in (_tidy(path), place):
            if key in self._listings:
                return Answer(self._listings[key])
        known = self._tree().get(place, set()) | self._tree().get(_tidy(path), set())
        if known:
            return Answer(tuple(sorted(known)), status=UNRECORDED, detail=f"{path} was recorded in part")
        return self._missing(path, place)

    def link(self, path: str) -> Answer[str]:
        """Where a recorded link points."""
        place = self._resolve(path, last=False)
        for key in (_tidy(path), place):
            if key in self._links:
                return Answer(self._links[key])
        answer: Answer[str] = self._missing(path, place)
        if answer.status == UNRECORDED and self._store.root(place) is not None:
            return Answer(status=FAILED, detail=f"{path} is no link")
        return answer

    def stat(self, path: str) -> Answer[Stat]:
        """What was recorded of a node; that a file was recorded proves that it is there and could be read."""
        place = self._resolve(path)
        for key in (_tidy(path), place):
            if (row := self._stat.get(key)) is not None:
                return Answer(Stat(**{k: row.get(k) for k in ("mode", "owner", "group", "openable")}))
        if self._store.root(place) is not None:
            return Answer(Stat(openable=True))
        if place in self._denied:
            return Answer(Stat(openable=False))
        if place in self._listings or place in self._tree():
            return Answer(Stat())
        parent, _, name = place.rpartition("/")
        if name in self._listings.get(parent or "/", ()):
            return Answer(Stat())
        return self._missing(path, place)

    def groups(self) -> Answer[tuple[str, ...]]:
        """The groups of the recorded process."""
        groups = self._manifest.get("groups")
        return _unrecorded("the groups") if groups is None else Answer(tuple(groups))

    def run(self, argv: Sequence[str], timeout: float = 5.0) -> Answer[Completed]:
        """What the program printed when it was recorded with these arguments."""
        wanted = _argv(argv)
        for recorded, row in self._commands:
            if recorded == wanted:
                return self._completed(row)
        if wanted[0] in self._manifest.get("programs_absent", ()):
            return Answer(status=ABSENT, detail=f"{wanted[0]} is not on the path")
        return _unrecorded(" ".join(wanted)[:200])

    def _completed(self, row: Mapping[str, Any]) -> Answer[Completed]:
        status = row.get("status")
        if status in (ABSENT, DENIED, TIMEOUT, FAILED):
            return Answer(status=status, detail=str(row.get("detail") or f"{row['argv'][0]}: {status}"))
        out, err = row.get("stdout"), row.get("stderr")
        stdout = self._store.file(out) if out else b""
        if stdout is None:
            return _unrecorded(f"the output of {row['argv'][0]}")
        stderr = self._store.file(err) if err else None
        return Answer(Completed(returncode=row.get("returncode"), stdout=stdout, stderr=stderr))

    def find(self, program: str) -> str | None:
        """Where a program was found on the recorded machine, if that was recorded."""
        found = self._manifest.get("programs", {}).get(_base(program))
        return found if isinstance(found, str) else None

    def environ(self) -> Answer[Mapping[str, str]]:
        """The recorded variables."""
        environment = self._manifest.get("environment")
        return _unrecorded("the environment") if environment is None else Answer(dict(environment))

    def registry(self, key: str) -> Answer[Mapping[str, Any]]:
        """The recorded values of one registry key."""
        for name, values in self._manifest.get("registry", {}).items():
            if name.lower() == key.lower():
                if values is None:
                    return Answer(status=ABSENT, detail=f"{key} is not there")
                return Answer({n: _from_json(v) for n, v in values.items()})
        return _unrecorded(key)

    def subkeys(self, key: str) -> Answer[tuple[str, ...]]:
        """The recorded names under one registry key."""
        for name, names in self._manifest.get("subkeys", {}).items():
            if name.lower() == key.lower():
                return (
                    Answer(status=ABSENT, detail=f"{key} is not there")
                    if names is None
                    else Answer(tuple(sorted(names)))
                )
        prefix = key.lower() + "\\"
        inside = {
            n[len(prefix) :].split("\\")[0] for n in self._manifest.get("registry", {}) if n.lower().startswith(prefix)
        }
        if inside:
            return Answer(tuple(sorted(inside)), status=UNRECORDED, detail=f"{key} was recorded in part")
        return _unrecorded(key)

    def value(self, name: str) -> Answer[Any]:
        """A recorded value. ``python`` and ``kernels`` are those of the recording, ``uname.machine`` its machine."""
        values = self._manifest.get("values", {})
        if name in values:
            value = values[name]
            if isinstance(value, Mapping) and "status" in value:
                return Answer(status=str(value["status"]), detail=str(value.get("detail") or f"{name} is not known"))
            return Answer(_from_json(value))
        if name in ("python", "kernels") and self._manifest.get(name) is not None:
            return Answer(self._manifest[name])
        if name == "uname.machine" and self._manifest.get("machine"):
            return Answer(self._manifest["machine"])
        return _unrecorded(name)

    def code(self, path: str, every: bool = False) -> Answer[Mapping[str, tuple[str, ...]]]:
        """The recorded architectures of a library, by its base name."""
        rows = self._manifest.get("kernels") or {}
        found = rows.get(path, rows.get(_base(path)))
        if isinstance(found, Mapping):
            return Answer({str(k): tuple(map(str, v)) for k, v in found.items()})
        if isinstance(found, list | tuple):
            return Answer({"built_for": tuple(map(str, found))})
        return _unrecorded(f"the GPU code of {path}")

    def commands(self) -> tuple[tuple[tuple[str, ...], Completed], ...]:
        """Every recorded command that printed something."""
        found = []
        for argv, row in self._commands:
            answer = self._completed(row)
            if answer.value is not None:
                found.append((argv, answer.value))
        return tuple(found)

    def _resolve(self, path: str, *, last: bool = True) -> str:
        """Follow the recorded links, inside the recording only; a loop ends where it started."""
        parts, done, hops = _tidy(path).split("/")[1:], "", 0
        if len(parts) > _PATH_LIMIT:
            return _tidy(path)
        while parts:
            part = parts.pop(0)
            if part in ("", "."):
                continue
            if part == "..":
                done = done.rpartition("/")[0]
                continue
            here = f"{done}/{part}"
            target = self._links.get(here)
            if (
                target is None
                or (not parts and not last)
                or hops >= _HOPS
                or len(target) + len(parts) > _PATH_LIMIT
                or self._store.has_root(here)
            ):
                done = here
                continue
            hops += 1
            if target.startswith("/") or re.match(r"[A-Za-z]:[\\/]", target):
                done = ""
            parts = [*_tidy(target if not done else "/" + target).split("/")[1:], *parts]
        return done or "/"

    def _missing(self, path: str, place: str) -> Answer[Any]:
        for start in {_tidy(path), place}:
            here = start
            while here:
                if here in self._absent:
                    return Answer(status=ABSENT, detail=f"{path} is not there")
                if here in self._denied:
                    return Answer(status=DENIED, detail=f"{path} may not be read")
                if here in self._failed and here == start:
                    return Answer(status=FAILED, detail=str(self._failed[here]))
                parent, _, name = here.rpartition("/")
                if here != "/" and name not in self._listings.get(parent or "/", (name,)):
                    return Answer(status=ABSENT, detail=f"{path} is not there")
                here = parent
        return _unrecorded(path)

    def _tree(self) -> Mapping[str, set[str]]:
        # Folder → names known to be in it, from files, links, stat and listings.
        if self._children is None:
            self._children = {}
            for path in (*self._store.paths, *self._links, *self._stat, *self._listings, *self._denied):
                here = path
                while here not in ("", "/"):
                    parent, _, name = here.rpartition("/")
                    names = self._children.setdefault(parent or "/", set())
                    if name in names:
                        break
                    names.add(name)
                    here = parent
        return self._children


def _unrecorded(what: str) -> Answer[Any]:
    return Answer(status=UNRECORDED, detail=f"not recorded: {what}")


def _tidy(path: str) -> str:
    """``C:\\Windows`` → ``/C/Windows``, one slash between parts, none at the end."""
    path = path.replace("\\", "/")
    if re.match(r"[A-Za-z]:(/|$)", path):
        path = f"/{path[0].upper()}{path[2:]}"
    return "/" + "/".join(part for part in path.split("/") if part)


def _base(program: str) -> str:
    base = program.replace("\\", "/").rpartition("/")[2]
    return base[:-4].lower() if base.lower().endswith(".exe") else base


def _argv(argv: Sequence[str]) -> tuple[str, ...]:
    """The base name of the program and its arguments, without ``sudo``, ``env`` and variables in front."""
    words = list(argv)
    while len(words) > 1 and (words[0] in ("sudo", "env") or _ASSIGNMENT.match(words[0])):
        words.pop(0)
    return (_base(words[0]), *words[1:])


def _from_json(value: Any) -> Any:
    if isinstance(value, Mapping) and set(value) == {"hex"}:
        try:
            return bytes.fromhex(value["hex"])
        except (ValueError, TypeError):
            return None
    return value
