"""Programs of the running machine: found by absolute folders, run with a deadline, ended with everything they started."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from torchdoctor.probes.host import ABSENT, DENIED, FAILED, TIMEOUT, Answer, Completed

if TYPE_CHECKING:
    import subprocess

__all__ = ["Programs", "failure"]

_OUTPUT_LIMIT = 16 << 20  # bytes kept of what one program prints


class Programs:
    """Each program runs in a process group of its own, so that :meth:`close` can end all of them."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ
        self._children: dict[subprocess.Popen[bytes], str] = {}
        self._lock = threading.Lock()
        self._closed = False
        self._leftovers: list[str] = []

    def run(self, argv: Sequence[str], timeout: float = 5.0) -> Answer[Completed]:
        """Run a program without a shell; after ``timeout`` its whole process group is ended."""
        import subprocess

        program = self.find(argv[0])
        if program is None:
            return Answer(status=ABSENT, detail=f"{argv[0]} is not on the path")
        if timeout <= 0:
            return Answer(status=TIMEOUT, detail=f"no time was left to run {_base(argv[0])}")
        with self._lock:
            if self._closed:
                return Answer(status=TIMEOUT, detail=f"no time was left to run {_base(argv[0])}")
            try:
                child = subprocess.Popen(
                    [program, *argv[1:]],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    # Not where the caller is: a program or module lying there must not be taken.
                    cwd="/" if os.sep == "/" else self._environ.get("SystemRoot", "C:\\"),
                    env=self._child_environ(),
                    start_new_session=os.sep == "/",
                )
            except (OSError, ValueError) as error:
                return failure(error, program)
            self._children[child] = _base(argv[0])
        out, err = _Pipe(child.stdout), _Pipe(child.stderr)
        end = time.monotonic() + timeout
        try:
            child.wait(timeout=timeout)
        except subprocess.TimeoutExpired:
            self._end(child)
            return Answer(status=TIMEOUT, detail=f"{_base(argv[0])} did not answer in {timeout:.3g} s")
        # A grandchild may hold the pipe open: what is there by the deadline is the answer.
        out.join(max(end - time.monotonic(), 0.05))
        err.join(max(end - time.monotonic(), 0.05))
        if out.is_alive() or err.is_alive():
            _signal_group(child)
        with self._lock:
            self._children.pop(child, None)
        return Answer(Completed(returncode=child.returncode, stdout=out.text(), stderr=err.text()))

    def _child_environ(self) -> dict[str, str]:
        return {**self._environ, "LC_ALL": "C.UTF-8" if os.sep == "/" else "C", "WSL_UTF8": "1"}

    def find(self, program: str) -> str | None:
        """The full path of a program; relative entries of PATH (``.``) are passed over."""
        if os.path.isabs(program):
            return program if os.path.isfile(program) and os.access(program, os.X_OK) else None
        if os.path.dirname(program):
            return None
        endings = [""]
        if os.name == "nt":
            endings = ["", *self._environ.get("PATHEXT", ".COM;.EXE;.BAT;.CMD").split(";")]
        for folder in self._environ.get("PATH", "").split(os.pathsep):
            if not os.path.isabs(folder):
                continue
            for ending in endings:
                full = os.path.join(folder, program + ending)
                if os.path.isfile(full) and os.access(full, os.X_OK):
                    return full
        return None

    def close(self) -> tuple[str, ...]:
        """End every program that still runs, start no other; the names of those that the kernel does not let go."""
        with self._lock:
            self._closed = True
            children = list(self._children)
        for child in children:
            self._end(child)
        return tuple(sorted(set(self._leftovers)))

    def _end(self, child: subprocess.Popen[bytes]) -> None:
        import subprocess

        _signal_group(child)
        try:
            child.wait(timeout=0.3)
        except subprocess.TimeoutExpired:
            with self._lock:
                if child in self._children:
                    self._leftovers.append(f"{self._children[child]} (process {child.pid})")
        with self._lock:
            self._children.pop(child, None)


class _Pipe(threading.Thread):
    """Reads one pipe to its end in the background, keeping the first part only."""

    def __init__(self, pipe: Any) -> None:
        super().__init__(daemon=True)
        self._pipe, self._parts, self._size = pipe, list[bytes](), 0
        self.start()

    def run(self) -> None:
        try:
            while chunk := self._pipe.read1(1 << 16):
                if self._size < _OUTPUT_LIMIT:
                    self._parts.append(chunk)
                    self._size += len(chunk)
        except (OSError, ValueError):
            pass
        self._pipe.close()

    def text(self) -> bytes:
        return b"".join(self._parts)[:_OUTPUT_LIMIT]


def _signal_group(child: subprocess.Popen[bytes]) -> None:
    import subprocess

    try:
        if os.sep == "/":
            os.killpg(child.pid, signal.SIGKILL)
        else:
            argv = ["taskkill", "/F", "/T", "/PID", str(child.pid)]
            subprocess.run(argv, capture_output=True, timeout=2, check=False)
            child.kill()
    except (OSError, subprocess.SubprocessError):
        pass


def failure(error: Exception, path: str) -> Answer[Any]:
    """Why the system refused, as an answer."""
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return Answer(status=ABSENT, detail=f"{path} is not there")
    if isinstance(error, PermissionError):
        return Answer(status=DENIED, detail=f"{path} may not be read")
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return Answer(status=FAILED, detail=f"{path}: {reason}")


def _base(program: str) -> str:
    return program.replace("\\", "/").rpartition("/")[2]
