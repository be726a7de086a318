"""Which interpreter is examined, and what it says of itself."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any

from torchdoctor.probes.host import FAILED, Answer, Completed, Host
from torchdoctor.probes.interpreter_script import SCRIPT

__all__ = ["Interpreter", "InterpreterNotFoundError", "parse_venv_config"]

# Without the current folder, the user's variables and code in .pth files; with the latter; Python 2, which has no -I.
_FLAGS = (("-I", "-S"), ("-I",), ("-E", "-s"))
_TIMEOUT = 8.0  # a cold interpreter on a network file system


class InterpreterNotFoundError(ValueError):
    """``--python`` names what is not there. The text says so in one line."""


class Interpreter:
    """The interpreter to examine, run at most once; probes that need what it says wait for each other.

    ``python`` is a program, the folder of an environment or a name on the path; without it the active environment
    is taken, else ``python3`` (``py`` on Windows) on the path, else the interpreter that runs us.
    """

    def __init__(self, host: Host, python: str | None = None) -> None:
        self._host, self._python = host, python
        self._lock = threading.Lock()
        self._answer: Answer[Mapping[str, Any]] | None = None
        self._chosen: tuple[str, ...] | None = None

    def check(self) -> None:
        """Raise :class:`InterpreterNotFoundError` where ``--python`` names nothing that could be run."""
        if self._python is not None and self._host.kind == "live" and not self._named(self._python):
            raise InterpreterNotFoundError(f"--python {self._python}: no such interpreter or environment")
        # A text file or a device cannot be run; what a program that is none answers is seen later.
        if self._python is not None and self._host.kind == "live" and not self._host.find(self.command()[0]):
            raise InterpreterNotFoundError(f"--python {self._python}: not a program that can be run")

    def command(self) -> tuple[str, ...]:
        """The program and the arguments in front of everything else; empty where there is none to run."""
        if self._chosen is None:
            self._chosen = tuple(self._choose())
        return self._chosen

    def ask(self, deadline: float) -> Answer[Mapping[str, Any]]:
        """What it said (keys of :mod:`torchdoctor.probes.interpreter_script`), by ``deadline`` (monotonic)."""
        if not self._lock.acquire(timeout=min(max(deadline - time.monotonic(), 0.001), 3600.0)):
            return Answer(status="timeout", detail="the interpreter did not answer in time")
        try:
            if self._answer is None:
                self._answer = self._ask(deadline)
            return self._answer
        finally:
            self._lock.release()

    def recorded(self) -> Mapping[str, Any] | None:
        """What a recording keeps: what it said, or which one failed and how; ``None`` where nothing was asked."""
        if self._answer is None:
            return None
        if self._answer.value is not None:
            return self._answer.value
        return {
            "executable": next(iter(self.command()), None),
            "error": self._answer.detail,
            "status": self._answer.status,
        }

    def folders(self, deadline: float) -> Answer[tuple[str, ...]]:
        """Where it imports packages from, in its own order: PYTHONPATH, then its path with the user's folder."""
        answer = self.ask(deadline)
        if answer.value is None:
            return Answer(status=answer.status, detail=answer.detail)
        said = answer.value
        variables = self._host.environ().value or {}
        separator = ";" if self._host.system == "windows" else ":"
        first = [p for p in variables.get("PYTHONPATH", "").split(separator) if _is_absolute(p)]
        path = said.get("path")
        own = [p for p in path if isinstance(p, str)] if isinstance(path, list) else []
        user = said.get("user_site")
        if isinstance(user, str) and user not in own and not variables.get("PYTHONNOUSERSITE"):
            sites = (said.get("purelib"), said.get("platlib"))
            at = next((i for i, p in enumerate(own) if p in sites), len(own))
            own.insert(at, user)
        return Answer(tuple(dict.fromkeys([*first, *own])))

    def _ask(self, deadline: float) -> Answer[Mapping[str, Any]]:
        if self._host.kind != "live":
            return self._replayed()
        command = self.command()
        if not command:
            return Answer(status=FAILED, detail="no Python interpreter was found")
        answer: Answer[Completed] = Answer(status="timeout", detail="no time was left to run the interpreter")
        for flags in _FLAGS:
            timeout = min(_TIMEOUT, deadline - time.monotonic())
            answer = self._host.run([*command, *flags, "-c", SCRIPT], timeout=timeout)
            if answer.value is None or answer.value.returncode not in (2, 3):
                break
        if answer.value is None:
            return Answer(status=answer.status, detail=answer.detail)
        return _said(answer.value, command[0])

    def _replayed(self) -> Answer[Mapping[str, Any]]:
        answer = self._host.value("python")
        said = answer.value
        if said is None:
            return answer
        if not isinstance(said, Mapping):
            return Answer(status=FAILED, detail="what the interpreter said is not an object")
        if isinstance(said.get("error"), str):
            return Answer(status=str(said.get("status") or FAILED), detail=said["error"])
        return answer

    def _choose(self) -> Sequence[str]:
        if self._host.kind != "live":
            said = self._host.value("python").value
            own = said.get("executable") if isinstance(said, Mapping) else None
            return [own] if isinstance(own, str) else []
        if self._python is not None:
            return self._named(self._python)
        variables = self._host.environ().value or {}
        for name in ("VIRTUAL_ENV", "CONDA_PREFIX"):
            folder = variables.get(name)
            if folder and (inside := self._inside(folder)):
                return [inside]
        for program in ("py", "python", "python3") if self._host.system == "windows" else ("python3", "python"):
            found = self._host.find(program)
            # Windows puts a stub there that opens the store instead of running anything.
            if found and "\\windowsapps\\" not in found.lower():
                return [self._behind_shim(found, variables)]
        ours = self._host.value("executable")
        return [ours.value] if isinstance(ours.value, str) else []

    def _named(self, name: str) -> Sequence[str]:
        if "/" not in name and "\\" not in name and (found := self._host.find(name)):
            return [found]
        path = self._host.value(f"absolute:{name}").value or name
        inside = self._inside(path)
        if inside:
            return [inside]
        return [path] if self._host.stat(path).ok and not self._host.listing(path).ok else []

    def _inside(self, folder: str) -> str | None:
        """The interpreter of the environment in ``folder``."""
        folder = folder.rstrip("/\\")
        names = (
            ("Scripts\\python.exe", "python.exe") if self._host.system == "windows" else ("bin/python", "bin/python3")
        )
        separator = "\\" if self._host.system == "windows" else "/"
        return next((p for n in names if self._host.stat(p := f"{folder}{separator}{n}").ok), None)

    def _behind_shim(self, program: str, variables: Mapping[str, str]) -> str:
        """pyenv's shims are shell scripts that look for ``.python-version`` where they run, which is not where we do."""
        root, shims, name = program.rpartition("/shims/")
        if not shims:
            return program
        wanted = variables.get("PYENV_VERSION")
        folder = self._host.value("cwd").value or ""
        while not wanted and folder:
            wanted = self._text(f"{folder}/.python-version")
            folder = folder.rpartition("/")[0]
        wanted = wanted or self._text(f"{root}/version") or ""
        for version in wanted.replace(":", " ").split():
            path = f"{root}/versions/{version}/bin/{name}"
            if self._host.stat(path).ok:
                return path
        return program

    def _text(self, path: str) -> str:
        return (self._host.read(path, 4096).value or b"").decode("utf-8", "replace").strip()


def _said(done: Completed, program: str) -> Answer[Mapping[str, Any]]:
    for line in reversed(done.stdout.splitlines()):  # a sitecustomize may print first
        try:
            said = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(said, dict) and isinstance(said.get("version"), str):
            return Answer(said)
    words = (done.stderr or b"").decode("utf-8", "replace").strip().splitlines()
    why = words[-1][:160] if words else f"exit status {done.returncode}"
    return Answer(status=FAILED, detail=f"{program} could not be run: {why}")


def parse_venv_config(text: str) -> dict[str, str]:
    """``pyvenv.cfg``: keys in lower case."""
    rows = (line.partition("=") for line in text.splitlines())
    return {key.strip().lower(): value.strip() for key, equals, value in rows if equals}


def _is_absolute(path: str) -> bool:
    return path.startswith("/") or path[1:3] in (":\\", ":/")
