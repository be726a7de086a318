"""The files of a recording, from a folder or a zip, with every limit on what is accepted."""

from __future__ import annotations

import os
import re
import stat as modes
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["RecordingError", "Store", "open_store", "read_manifest"]

_DOCUMENT_LIMIT = 64 << 20
_UNPACKED_LIMIT = 256 << 20
_COUNT_LIMIT = 200_000
_MANIFEST = "recording.json"


class RecordingError(ValueError):
    """A recording that cannot be read. The text names the file, the key and what was expected."""


@dataclass(slots=True, kw_only=True)
class Store:
    """The members of a recording by name (``root/proc/cpuinfo``); ``links`` maps paths of the machine to targets."""

    name: str
    members: Mapping[str, Callable[[], bytes]]
    links: dict[str, str] = field(default_factory=dict)

    @property
    def paths(self) -> tuple[str, ...]:
        """The machine's paths of all files under ``root/``."""
        return tuple("/" + name[5:] for name in self.members if name.startswith("root/"))

    def root(self, path: str) -> bytes | None:
        """The content of a file of the machine."""
        return self.file("root" + path)

    def has_root(self, path: str) -> bool:
        """Whether that file of the machine was recorded."""
        return "root" + path in self.members

    def file(self, name: str) -> bytes | None:
        """The content of a member, or ``None`` where there is none."""
        read = self.members.get(name)
        return None if read is None else read()


def open_store(path: str, name: str) -> Store:
    """The members of the folder or zip at ``path``. Raises :class:`RecordingError`."""
    return _folder(path, name) if os.path.isdir(path) else _zip(path, name)


def _folder(path: str, name: str) -> Store:
    members: dict[str, Callable[[], bytes]] = {}
    links: dict[str, str] = {}
    total = 0
    # Asked before anything is walked: the folder may be somebody's whole disk.
    if os.path.islink(manifest := os.path.join(path, _MANIFEST)) or not os.path.isfile(manifest):
        raise RecordingError(f"{name}: holds no {_MANIFEST}")
    for folder, folders, files in os.walk(path, onerror=None, followlinks=False):
        inside = os.path.relpath(folder, path).replace(os.sep, "/")
        prefix = "" if inside == "." else inside + "/"
        for entry in (*folders, *files):
            full, member = os.path.join(folder, entry), prefix + entry
            try:
                node = os.lstat(full)
                if modes.S_ISLNK(node.st_mode):
                    # Followed inside the recording only, never by this machine.
                    if member.startswith("root/"):
                        links["/" + member[5:]] = os.readlink(full)
                elif modes.S_ISREG(node.st_mode):
                    total += node.st_size
                    members[member] = _reader(full, f"{name}: {member}")
            except OSError as error:
                raise RecordingError(f"{name}: {member}: cannot be read: {error.strerror}") from None
            if len(members) > _COUNT_LIMIT or total > _UNPACKED_LIMIT:
                raise RecordingError(f"{name}: larger than a recording may be ({_UNPACKED_LIMIT >> 20} MiB)")
    return Store(name=name, members=members, links=links)


def _reader(full: str, name: str) -> Callable[[], bytes]:
    def read() -> bytes:
        try:
            with open(full, "rb") as file:
                return file.read(_UNPACKED_LIMIT)
        except OSError as error:
            raise RecordingError(f"{name}: cannot be read: {error.strerror}") from None

    return read


def _zip(path: str, name: str) -> Store:
    import zipfile
    import zlib

    links: dict[str, str] = {}
    contents: dict[str, bytes] = {}
    try:
        with zipfile.ZipFile(path) as archive:
            entries = archive.infolist()
            if len(entries) > _COUNT_LIMIT or sum(e.file_size for e in entries) > _UNPACKED_LIMIT:
                raise RecordingError(
                    f"{name}: unpacks to more than {_UNPACKED_LIMIT >> 20} MiB, which a recording may not"
                )
            for entry in entries:
                member = _inside(entry.filename, name)
                if entry.is_dir():
                    continue
                if entry.flag_bits & 1:
                    raise RecordingError(f"{name}: {member}: is encrypted, which a recording may not be")
                if member in contents:
                    raise RecordingError(f"{name}: {member}: is in the archive twice")
                with archive.open(entry) as file:
                    content = file.read(entry.file_size + 1)
                if modes.S_ISLNK(entry.external_attr >> 16):
                    links[member] = content.decode("utf-8", "replace")
                else:
                    contents[member] = content
    except RecordingError:
        raise
    except OSError as error:
        raise RecordingError(f"{name}: cannot be read: {error.strerror or error}") from None
    except (
        zipfile.BadZipFile,
        zlib.error,
        EOFError,
        RuntimeError,
        NotImplementedError,
        ValueError,
        MemoryError,
    ) as error:
        raise RecordingError(f"{name}: not a zip that can be read: {str(error)[:120]}") from None
    top = _top(contents)
    members = {m[len(top) :]: _constant(c) for m, c in contents.items() if m.startswith(top)}
    inside = {"/" + m[len(top) + 5 :]: t for m, t in links.items() if m.startswith(top + "root/")}
    return Store(name=name, members=members, links=inside)


def _constant(content: bytes) -> Callable[[], bytes]:
    return lambda: content


def _inside(member: str, name: str) -> str:
    member = member.replace("\\", "/")
    if member.startswith("/") or re.match(r"[A-Za-z]:", member) or ".." in member.split("/") or "\0" in member:
        raise RecordingError(f"{name}: {member[:200]!r}: a path that leads out of the archive")
    return "/".join(part for part in member.split("/") if part not in ("", "."))


def _top(contents: Mapping[str, bytes]) -> str:
    """A zip of the folder itself has everything one level down."""
    if _MANIFEST in contents:
        return ""
    tops = {m.rpartition("/")[0] + "/" for m in contents if m.endswith("/" + _MANIFEST) and m.count("/") == 1}
    return tops.pop() if len(tops) == 1 else ""


def read_manifest(store: Store, schema: str) -> Mapping[str, Any]:
    """``recording.json``, its shape checked. Raises :class:`RecordingError`."""
    from torchdoctor.probes.profile import read_json

    name = f"{store.name}: {_MANIFEST}"
    content = store.file(_MANIFEST)
    if content is None:
        raise RecordingError(f"{store.name}: holds no {_MANIFEST}")
    if len(content) > _DOCUMENT_LIMIT:
        raise RecordingError(f"{name}: larger than {_DOCUMENT_LIMIT >> 20} MiB")
    text = content.decode("utf-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig", "replace")
    try:
        data = read_json(text)
    except ValueError as error:
        raise RecordingError(f"{name}: not valid JSON: {error}") from None
    if not isinstance(data, dict):
        raise RecordingError(f"{name}: expected an object")
    if data.get("schema") != schema:
        raise RecordingError(f'{name}: schema: expected "{schema}", found {str(data.get("schema"))[:60]!r}')
    data = {key: value for key, value in data.items() if value is not None}
    for key, (accepts, expected) in _SHAPES.items():
        if key in data and not accepts(data[key]):
            raise RecordingError(f"{name}: {key}: expected {expected}")
    for index, row in enumerate(data.get("commands", ())):
        _check_command(row, f"{name}: commands[{index}]")
    return data


def _check_command(row: Any, name: str) -> None:
    if not isinstance(row, dict):
        raise RecordingError(f"{name}: expected an object")
    argv = row.get("argv")
    if not (_is_texts(argv) and argv and argv[0]):
        raise RecordingError(f"{name}.argv: expected a list of strings that starts with a program")
    code = row.get("returncode")
    if code is not None and (isinstance(code, bool) or not isinstance(code, int)):
        raise RecordingError(f"{name}.returncode: expected a whole number")
    for key in ("stdout", "stderr"):
        if row.get(key) is not None and not isinstance(row[key], str):
            raise RecordingError(f"{name}.{key}: expected the name of a file in the recording")


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(v, str) for v in value)


def _is_map(of: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, dict) and all(of(v) for v in value.values())


def _is_stat(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    texts = all(value.get(key) is None or isinstance(value[key], str) for key in ("mode", "owner", "group"))
    return texts and (value.get("openable") is None or isinstance(value["openable"], bool))


_SHAPES: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "system": (_is_text, "a string"),
    "machine": (_is_text, "a string"),
    "python": (lambda v: isinstance(v, dict), "an object"),
    "environment": (_is_map(_is_text), "an object of strings"),
    "commands": (lambda v: isinstance(v, list), "a list of commands"),
    "listings": (_is_map(_is_texts), "an object of lists of names"),
    "links": (_is_map(_is_text), "an object of strings"),
    "stat": (_is_map(_is_stat), 'an object like {"/dev/kfd": {"mode": "0660", "group": "render", "openable": false}}'),
    "groups": (_is_texts, "a list of strings"),
    "values": (lambda v: isinstance(v, dict), "an object"),
    "registry": (_is_map(lambda v: v is None or isinstance(v, dict)), "an object of objects"),
    "subkeys": (_is_map(lambda v: v is None or _is_texts(v)), "an object of lists of names"),
    "kernels": (_is_map(lambda v: _is_texts(v) or _is_map(_is_texts)(v)), "an object of lists of architectures"),
    "absent": (_is_texts, "a list of paths"),
    "denied": (_is_texts, "a list of paths"),
    "failed": (_is_map(_is_text), "an object of strings"),
    "programs": (_is_map(_is_text), "an object of paths"),
    "programs_absent": (_is_texts, "a list of programs"),
}
