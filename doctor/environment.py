"""The environment that is installed into: what it is, whether it may be changed, and a way back.

The way back are hard links to the files of the distributions about to be replaced: no second copy of gigabytes, and the
files outlive their removal.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Environment", "NotUsableError", "Snapshot", "changes", "free_in", "inspect", "refusal", "scan", "snapshot"]

# Runs on any Python 3 (and reports one that is too old instead of failing on it).
_SCRIPT = """
import json, os, sys, sysconfig
try:
    import pip
    version = pip.__version__
except Exception:
    version = None
paths = sysconfig.get_paths()
print(json.dumps({
    "executable": sys.executable, "version": list(sys.version_info[:2]),
    "prefix": sys.prefix, "base": getattr(sys, "base_prefix", sys.prefix),
    "purelib": paths["purelib"], "platlib": paths["platlib"], "scripts": paths["scripts"],
    "managed": os.path.exists(os.path.join(paths["stdlib"], "EXTERNALLY-MANAGED")), "pip": version}))
"""
_DIGITS = re.compile(r"\d{1,6}")
_RUNS = re.compile(r"[-_.]+")


class NotUsableError(RuntimeError):
    """The environment cannot be examined or put back; one line says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """One environment: ``folders`` hold its packages, ``scripts`` its programs, ``pip`` is pip's version."""

    python: str
    version: tuple[int, int]
    folders: tuple[str, ...]
    scripts: str
    pip: str | None
    managed: bool
    virtual: bool

    def pip_at_least(self, *numbers: int) -> bool:
        """Is its pip that new? ``pip_at_least(22, 2)``."""
        found = tuple(int(n) for n in _DIGITS.findall(self.pip or "")[: len(numbers)])
        return found >= numbers

    def free(self) -> int | None:
        """Bytes free where packages land, ``None`` where that cannot be told."""
        return free_in(self.folders[0])


def free_in(folder: str) -> int | None:
    """Bytes free in the file system of a folder, ``None`` where that cannot be told."""
    try:
        return shutil.disk_usage(folder).free
    except OSError:
        return None


def inspect(command: Sequence[str], timeout: float = 30.0) -> Environment:
    """Ask an interpreter (program and leading arguments). Raises :class:`NotUsableError`."""
    from torchdoctor.probes.live import LiveHost

    host = LiveHost()
    try:
        answer = host.run([*command, "-I", "-c", _SCRIPT], timeout=timeout)
    finally:
        host.close()  # also where the caller was interrupted
    try:
        said = json.loads(answer.value.stdout if answer.value else "")
        texts = [said[key] for key in ("executable", "prefix", "base", "purelib", "platlib", "scripts")]
        major, minor = map(int, said["version"])
        pip, managed = said["pip"], said["managed"] is True
    except (ValueError, KeyError, TypeError, RecursionError):
        texts = []
    if not texts or not all(isinstance(text, str) for text in texts) or not isinstance(pip, str | None):
        raise NotUsableError(f"{command[0]}: does not run as a Python 3 interpreter")
    executable, prefix, base, purelib, platlib, scripts = texts
    return Environment(
        python=executable,
        version=(major, minor),
        folders=tuple(dict.fromkeys((purelib, platlib))),
        scripts=scripts,
        pip=pip,
        managed=managed,
        virtual=prefix != base,
    )


def refusal(environment: Environment, installer: str) -> str | None:
    """Why this environment is not to be changed with ``pip`` or ``uv``, ``None`` where nothing speaks against it."""
    python = environment.python
    if (
        environment.managed
        and not environment.virtual
        and os.environ.get("PIP_BREAK_SYSTEM_PACKAGES") not in ("1", "true")
    ):
        return f"{python} belongs to the system (EXTERNALLY-MANAGED): make an environment with {python} -m venv .venv"
    if installer == "pip" and environment.pip is None:
        return f"{python} has no pip: run {python} -m ensurepip, or use --installer uv"
    if installer == "pip" and not environment.pip_at_least(21):
        return f"pip {environment.pip} of {python} is older than 21: run {python} -m pip install --upgrade pip"
    for folder in environment.folders:
        try:
            with tempfile.TemporaryFile(dir=folder):
                pass
        except OSError as error:
            return f"{folder} cannot be written ({error.strerror or error}): make an environment of your own"
    return None


def scan(folders: Iterable[str]) -> dict[str, str]:
    """Installed distributions, name → version, as the names of their metadata folders tell it."""
    return {name: version for name, (version, _) in _metadata(folders).items()}


def _metadata(folders: Iterable[str]) -> dict[str, tuple[str, Path]]:
    found: dict[str, tuple[str, Path]] = {}
    for folder in folders:
        for info in sorted(Path(folder).glob("*.dist-info")):
            name, dash, version = info.name.removesuffix(".dist-info").partition("-")
            if dash and version:
                found.setdefault(_RUNS.sub("-", name).lower(), (version, info))
    return found


def changes(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    """What differs, one line a package: ``torch 2.4.1 → 2.15.0``, ``new: plain 1.0``, ``gone: x 1``."""
    rows = []
    for name in sorted({*before, *after}):
        old, new = before.get(name), after.get(name)
        if old == new:
            continue
        rows.append(
            f"new: {name} {new}" if old is None else f"gone: {name} {old}" if new is None else f"{name} {old} → {new}"
        )
    return rows


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """The state to go back to. ``saved`` maps each kept file to its hard link, ``names`` the top-level names there were."""

    environment: Environment
    before: Mapping[str, str]
    names: Mapping[str, frozenset[str]]
    saved: Mapping[str, str]
    store: str

    def restore(self) -> list[str]:
        """Go back; returns what could not be put right, one line each (none: everything is as it was)."""
        folders = self.environment.folders
        for name, (version, info) in _metadata(folders).items():
            if self.before.get(name) != version or str(info / "RECORD") in self.saved:
                _remove([f for f in _recorded(info) if f not in self.saved])
        for folder, names in self.names.items():
            _remove(str(p) for p in Path(folder).iterdir() if p.name not in names)
        failed = [f"{file}: {error}" for file, kept in self.saved.items() if (error := _put_back(file, kept))]
        return failed + changes(self.before, scan(folders))

    def drop(self) -> None:
        """Forget the way back."""
        shutil.rmtree(self.store, ignore_errors=True)


def snapshot(environment: Environment, names: Iterable[str] | None) -> Snapshot:
    """Keep the files of these distributions (``None``: of all). Raises :class:`NotUsableError` where it cannot."""
    found = _metadata(environment.folders)
    wanted = found if names is None else {_RUNS.sub("-", n).lower() for n in names} & set(found)
    try:
        # Beside the packages: on the same file system, and not where pip looks for distributions.
        store = tempfile.mkdtemp(prefix=".torchdoctor-", dir=os.path.dirname(environment.folders[0]))
    except OSError as error:
        raise NotUsableError(f"no way back can be kept beside {environment.folders[0]}: {error}") from None
    saved: dict[str, str] = {}
    try:
        for name in wanted:
            for file in _recorded(found[name][1]):
                if os.path.isfile(file) and not os.path.islink(file):
                    kept = os.path.join(store, str(len(saved)))
                    _link(file, kept)
                    saved[file] = kept
    except OSError as error:
        shutil.rmtree(store, ignore_errors=True)
        raise NotUsableError(f"no way back can be kept: {error}") from None
    tops = {f: frozenset(os.listdir(f)) for f in (*environment.folders, environment.scripts) if os.path.isdir(f)}
    before = {name: version for name, (version, _) in found.items()}
    return Snapshot(environment=environment, before=before, names=tops, saved=saved, store=store)


def _recorded(info: Path) -> list[str]:
    """The files of a distribution, absolute; its metadata folder counts even where it lists nothing."""
    import csv

    try:
        with (info / "RECORD").open(encoding="utf-8", errors="replace", newline="") as file:
            rows = [row[0] for row in csv.reader(file) if row and row[0]]
    except (OSError, csv.Error):
        rows = []
    listed = [os.path.normpath(os.path.join(info.parent, row)) for row in rows]
    inside = [str(p) for p in info.rglob("*") if p.is_file()]
    return list(dict.fromkeys([*listed, *inside]))


def _link(file: str, kept: str) -> None:
    try:
        os.link(file, kept)
    except OSError:
        shutil.copy2(file, kept)  # a file system without hard links


def _put_back(file: str, kept: str) -> str | None:
    try:
        if os.path.exists(file) and os.path.samefile(file, kept):
            return None
        os.makedirs(os.path.dirname(file), exist_ok=True)
        if os.path.lexists(file):
            os.unlink(file)
        _link(kept, file)
    except OSError as error:
        return error.strerror or str(error)
    return None


def _remove(paths: Iterable[str]) -> None:
    """Remove files and folders, and the folders that this empties."""
    for path in paths:
        if os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path, ignore_errors=True)
            continue
        try:
            os.unlink(path)
            os.removedirs(os.path.dirname(path))
        except OSError:
            continue  # not empty, or already gone: the comparison at the end tells
