"""Writes a recording: a host that remembers every answer it passes on, and the zip made of them."""

from __future__ import annotations

import io
import json
import threading
from collections.abc import Mapping, Sequence
from typing import Any

from torchdoctor.probes.bare import bare
from torchdoctor.probes.host import ABSENT, DENIED, FAILED, Answer, Completed, Stat
from torchdoctor.probes.interpreter_script import SCRIPT
from torchdoctor.probes.live import LiveHost
from torchdoctor.probes.recording import SCHEMA
from torchdoctor.probes.redaction import Redactor

__all__ = ["Recorder"]

_TIME = (1980, 1, 1, 0, 0, 0)  # of every member: the same machine gives the same bytes
_DOCUMENT_LIMIT = 48 << 20
_VERSIONS = ("/site-packages/", "/dist-packages/", ".dist-info/", "/conda-meta/", "version")


class Recorder:
    """A live host that keeps what it was asked. Give it to ``gather``, then take :meth:`to_zip`."""

    kind = "live"

    def __init__(self, host: LiveHost) -> None:
        self._host = host
        self.system = host.system
        self._lock = threading.Lock()
        self._files: dict[str, bytes] = {}
        self._rows: dict[str, dict[str, Any]] = {
            name: {}
            for name in ("listings", "links", "stat", "failed", "values", "registry", "subkeys", "kernels", "programs")
        }
        self._absent: set[str] = set()
        self._denied: set[str] = set()
        self._programs_absent: set[str] = set()
        self._commands: dict[tuple[str, ...], Answer[Completed]] = {}
        self._groups: tuple[str, ...] | None = None
        self._environ: Mapping[str, str] | None = None

    def read(self, path: str, limit: int = 1 << 20) -> Answer[bytes]:
        """See :class:`~torchdoctor.probes.host.Host`; so are all of these."""
        answer = self._host.read(path, limit)
        with self._lock:
            if answer.value is not None and len(answer.value) >= len(self._files.get(path, b"")):
                self._files[path] = bare(path, answer.value)
        return self._note(path, answer, failed=True)

    def read_at(self, path: str, offset: int, limit: int) -> Answer[bytes]:
        answer = self._host.read_at(path, offset, limit)
        with self._lock:
            if answer.value is not None and offset <= len(self._files.get(path, b"")):
                known = self._files.get(path, b"")
                self._files[path] = known[:offset] + answer.value + known[offset + len(answer.value) :]
        return self._note(path, answer, failed=True)

    def listing(self, path: str) -> Answer[tuple[str, ...]]:
        answer = self._host.listing(path)
        return self._keep("listings", path, answer, list(answer.value) if answer.value is not None else None)

    def link(self, path: str) -> Answer[str]:
        answer = self._host.link(path)
        return self._keep("links", path, answer, answer.value)

    def stat(self, path: str) -> Answer[Stat]:
        answer = self._host.stat(path)
        node = answer.value
        row = None if node is None else {k: getattr(node, k) for k in ("mode", "owner", "group", "openable")}
        return self._keep("stat", path, answer, row)

    def groups(self) -> Answer[tuple[str, ...]]:
        answer = self._host.groups()
        self._groups = answer.value
        return answer

    def run(self, argv: Sequence[str], timeout: float = 5.0) -> Answer[Completed]:
        answer = self._host.run(argv, timeout)
        with self._lock:
            if SCRIPT not in argv:  # what the interpreter said is kept as such
                self._commands[tuple(argv)] = answer
        return answer

    def find(self, program: str) -> str | None:
        found = self._host.find(program)
        with self._lock:
            if found is None:
                self._programs_absent.add(program)
            else:
                self._rows["programs"][program] = found
        return found

    def environ(self) -> Answer[Mapping[str, str]]:
        answer = self._host.environ()
        self._environ = answer.value
        return answer

    def registry(self, key: str) -> Answer[Mapping[str, Any]]:
        answer = self._host.registry(key)
        value = {n: _to_json(v) for n, v in answer.value.items()} if answer.value is not None else None
        return self._windows("registry", key, answer, value)

    def subkeys(self, key: str) -> Answer[tuple[str, ...]]:
        answer = self._host.subkeys(key)
        return self._windows("subkeys", key, answer, list(answer.value) if answer.value is not None else None)

    def value(self, name: str) -> Answer[Any]:
        answer = self._host.value(name)
        row = _to_json(answer.value) if answer.ok else {"status": answer.status, "detail": answer.detail}
        with self._lock:
            self._rows["values"][name] = row
        return answer

    def code(self, path: str, every: bool = False) -> Answer[Mapping[str, tuple[str, ...]]]:
        answer = self._host.code(path, every)
        if answer.value is not None:
            with self._lock:
                known = self._rows["kernels"].setdefault(path, {})
                known.update({k: list(v) for k, v in answer.value.items()})
        return self._note(path, answer)

    def commands(self) -> tuple[tuple[tuple[str, ...], Completed], ...]:
        return ()

    def close(self) -> tuple[str, ...]:
        return self._host.close()

    def _keep(self, rows: str, path: str, answer: Answer[Any], value: Any) -> Answer[Any]:
        if value is not None:
            with self._lock:
                self._rows[rows][path] = value
        return self._note(path, answer)

    def _note(self, path: str, answer: Answer[Any], *, failed: bool = False) -> Answer[Any]:
        with self._lock:
            if answer.status == ABSENT:
                self._absent.add(path)
            elif answer.status == DENIED:
                self._denied.add(path)
            elif answer.status == FAILED and failed:
                self._rows["failed"][path] = answer.detail
        return answer

    def _windows(self, rows: str, key: str, answer: Answer[Any], value: Any) -> Answer[Any]:
        # On other systems every key is absent, which is no news.
        if value is not None or (answer.status == ABSENT and self.system == "windows"):
            with self._lock:
                self._rows[rows][key] = value
        return answer

    def to_zip(self, python: Mapping[str, Any] | None, tool: str) -> bytes:
        """The recording with personal data removed. ``python`` is what the interpreter said, ``tool`` who recorded.

        Raises ``ValueError`` where it would be too large to be read again.
        """
        with self._lock:  # a probe that hangs may still come back
            return self._to_zip(python, tool)

    def _to_zip(self, python: Mapping[str, Any] | None, tool: str) -> bytes:
        redactor = Redactor(self._host.identity())
        members: dict[str, bytes] = {}
        # In a fixed order, since the redactor numbers what it meets.
        for path in sorted(self._files):
            clean = redactor.text(path, addresses=False)
            content = redactor.bytes(self._files[path], addresses=not any(v in path for v in _VERSIONS))
            members["root" + _member(clean)] = content
        commands = []
        for index, argv in enumerate(sorted(self._commands)):
            answer = self._commands[argv]
            row: dict[str, Any] = {"argv": [redactor.text(word, addresses=False) for word in argv]}
            if answer.value is None:
                row |= {
                    "status": answer.status if answer.status != ABSENT else ABSENT,
                    "detail": redactor.text(answer.detail),
                }
            else:
                lists_packages = any(word in ("list", "freeze") for word in argv)
                row["returncode"] = answer.value.returncode
                for stream, ending in (("stdout", "txt"), ("stderr", "err")):
                    printed = getattr(answer.value, stream)
                    if printed:
                        row[stream] = f"commands/{index}.{ending}"
                        members[row[stream]] = redactor.bytes(printed, addresses=not lists_packages)
            commands.append(row)
        manifest: dict[str, Any] = {
            "schema": SCHEMA,
            "tool": tool,
            "system": self.system,
            "machine": self._host.value("uname.machine").value,
            "python": redactor.plain(dict(python)) if python is not None else None,
            "environment": redactor.plain(dict(self._environ)) if self._environ is not None else None,
            "groups": [redactor.name(g) for g in self._groups] if self._groups is not None else None,
            "commands": commands,
            "absent": redactor.plain(sorted(self._absent)),
            "denied": redactor.plain(sorted(self._denied)),
            "programs_absent": sorted(self._programs_absent),
        }
        for name, rows in self._rows.items():
            if name == "stat":
                rows = {
                    p: {**row, "owner": redactor.name(row["owner"] or ""), "group": redactor.name(row["group"] or "")}
                    for p, row in rows.items()
                }
            manifest[name] = redactor.plain(dict(sorted(rows.items())))
        document = json.dumps(
            {k: v for k, v in manifest.items() if v is not None}, indent=1, sort_keys=True, ensure_ascii=True
        )
        if len(document) > _DOCUMENT_LIMIT:
            raise ValueError(f"the recording is larger than {_DOCUMENT_LIMIT >> 20} MiB")
        members["recording.json"] = (document + "\n").encode("ascii")
        return _zipped(members)


def _zipped(members: Mapping[str, bytes]) -> bytes:
    import zipfile

    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(members):
            entry = zipfile.ZipInfo(name, date_time=_TIME)
            entry.compress_type, entry.external_attr, entry.create_system = zipfile.ZIP_DEFLATED, 0o644 << 16, 3
            archive.writestr(entry, members[name])
    return out.getvalue()


def _member(path: str) -> str:
    path = path.replace("\\", "/")
    return f"/{path[0].upper()}{path[2:]}" if path[1:2] == ":" else path


def _to_json(value: Any) -> Any:
    if isinstance(value, bytes):
        return {"hex": value.hex()}
    if isinstance(value, str | int | float | bool) or value is None:
        return value
    if isinstance(value, Mapping):
        return {str(k): _to_json(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_to_json(v) for v in value]
    return str(value)
