"""The running machine as a :class:`~torchdoctor.probes.host.Host`."""

from __future__ import annotations

import os
import signal
import stat as modes
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from torchdoctor.probes.host import ABSENT, DENIED, FAILED, TIMEOUT, Answer, Completed, Stat
from torchdoctor.probes.variables import allowed_variables

if TYPE_CHECKING:
    import subprocess

    from torchdoctor.probes.redaction import Identity

__all__ = ["LiveHost"]

_OUTPUT_LIMIT = 16 << 20  # bytes kept of what one program prints
_SYSTEMS = {"linux": "linux", "darwin": "macos", "win32": "windows", "cygwin": "windows"}
# Opening these says what mode bits cannot: a container's device rules. The numbered NVIDIA nodes stay closed,
# opening one wakes the card (seconds).
_OPENED = ("/dev/kfd", "/dev/dri/", "/dev/nvidiactl", "/dev/dxg", "/dev/accel/")


class LiveHost:
    """Reads this machine. Programs run in process groups of their own, so that :meth:`close` can end all of them."""

    kind = "live"

    def __init__(self, environ: Mapping[str, str] | None = None) -> None:
        self._environ: Mapping[str, str] = os.environ if environ is None else environ
        self._children: dict[subprocess.Popen[bytes], str] = {}
        self._lock = threading.Lock()
        self._closed = False
        self._leftovers: list[str] = []
        self.system: str | None = _SYSTEMS.get(sys.platform, sys.platform.rstrip("0123456789.").lower())

    def read(self, path: str, limit: int = 1 << 20) -> Answer[bytes]:
        """The first ``limit`` bytes of a regular file; a pipe or device is not opened."""
        return self.read_at(path, 0, limit)

    def read_at(self, path: str, offset: int, limit: int) -> Answer[bytes]:
        """``limit`` bytes from ``offset``: headers and sections of large files."""
        try:
            if not modes.S_ISREG(os.stat(path).st_mode):
                return Answer(status=FAILED, detail=f"{path} is not a regular file")
            with open(path, "rb", buffering=0) as file:
                if offset:
                    file.seek(offset)
                chunks, left = [], limit
                while left > 0 and (chunk := file.read(min(left, 1 << 20))):
                    chunks.append(chunk)
                    left -= len(chunk)
                return Answer(b"".join(chunks))
        except (OSError, ValueError) as error:
            return _failure(error, path)

    def listing(self, path: str) -> Answer[tuple[str, ...]]:
        """The names in a folder, sorted."""
        try:
            return Answer(tuple(sorted(os.listdir(path))))
        except (OSError, ValueError) as error:
            return _failure(error, path)

    def link(self, path: str) -> Answer[str]:
        """Where a symbolic link points, unresolved."""
        try:
            return Answer(os.readlink(path))
        except (OSError, ValueError) as error:
            return _failure(error, path)

    def stat(self, path: str) -> Answer[Stat]:
        """Mode, names of owner and group, and whether this process may open the node for reading and writing."""
        try:
            node = os.stat(path)
        except (OSError, ValueError) as error:
            return _failure(error, path)
        if modes.S_ISCHR(node.st_mode):
            openable = os.access(path, os.R_OK | os.W_OK)
            if openable and path.startswith(_OPENED):
                openable = _opens(path)
        else:
            openable = os.access(path, os.R_OK)
        return Answer(
            Stat(
                mode=f"{modes.S_IMODE(node.st_mode):04o}",
                owner=_user_name(node.st_uid),
                group=_group_name(node.st_gid),
                openable=openable,
            )
        )

    def groups(self) -> Answer[tuple[str, ...]]:
        """The groups of this process."""
        if not hasattr(os, "getgroups"):
            return Answer(status=ABSENT, detail="this system has no such groups")
        return Answer(tuple(_group_name(gid) for gid in sorted({*os.getgroups(), os.getegid()})))

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
                    cwd="/" if os.sep == "/" else None,
                    env=self._child_environ(),
                    start_new_session=os.sep == "/",
                )
            except (OSError, ValueError) as error:
                return _failure(error, program)
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
            return program if os.path.isfile(program) else None
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

    def environ(self) -> Answer[Mapping[str, str]]:
        """The environment, from the allow-list."""
        return Answer(allowed_variables(self._environ))

    def registry(self, key: str) -> Answer[Mapping[str, Any]]:
        """The values of one Windows registry key."""
        from torchdoctor.probes import live_values

        return live_values.registry(key)

    def subkeys(self, key: str) -> Answer[tuple[str, ...]]:
        """The names under one Windows registry key."""
        from torchdoctor.probes import live_values

        return live_values.subkeys(key)

    def value(self, name: str) -> Answer[Any]:
        """One single value by name, see :mod:`torchdoctor.probes.live_values`."""
        from torchdoctor.probes import live_values

        try:
            return live_values.value(name, self)
        except (OSError, ValueError, AttributeError, ImportError) as error:
            return Answer(status=FAILED, detail=f"{name}: {error}")

    def code(self, path: str, every: bool = False) -> Answer[Mapping[str, tuple[str, ...]]]:
        """The GPU code of a shared library. Only the pages that are looked at are read."""
        import mmap

        from torchdoctor.probes.kernels import describe

        try:
            if not modes.S_ISREG(os.stat(path).st_mode):
                return Answer(status=FAILED, detail=f"{path} is not a regular file")
            with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                if hasattr(mmap, "MADV_RANDOM"):
                    data.madvise(mmap.MADV_RANDOM)
                return Answer(describe(data, every=every))
        except (OSError, ValueError) as error:
            return _failure(error, path)

    def commands(self) -> tuple[tuple[tuple[str, ...], Completed], ...]:
        """A live host has none ready."""
        return ()

    def identity(self) -> Identity:
        """What this machine and its user are called, for the redaction of a recording; never recorded itself."""
        from torchdoctor.probes.live_identity import identity

        return identity(self._environ)

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
    try:
        if os.sep == "/":
            os.killpg(child.pid, signal.SIGKILL)
        else:
            child.kill()
    except OSError:
        pass


def _failure(error: Exception, path: str) -> Answer[Any]:
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return Answer(status=ABSENT, detail=f"{path} is not there")
    if isinstance(error, PermissionError):
        return Answer(status=DENIED, detail=f"{path} may not be read")
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return Answer(status=FAILED, detail=f"{path}: {reason}")


def _opens(path: str) -> bool:
    try:
        os.close(os.open(path, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC))
    except PermissionError:
        return False
    except OSError:
        return True  # busy or wedged is another fault than a missing permission
    return True


def _base(program: str) -> str:
    return program.replace("\\", "/").rpartition("/")[2]


def _user_name(uid: int) -> str:
    try:
        import pwd

        return pwd.getpwuid(uid).pw_name
    except (ImportError, KeyError):
        return str(uid)


def _group_name(gid: int) -> str:
    try:
        import grp

        return grp.getgrgid(gid).gr_name
    except (ImportError, KeyError):
        return str(gid)
