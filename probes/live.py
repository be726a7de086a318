"""The running machine as a :class:`~torchdoctor.probes.host.Host`."""

from __future__ import annotations

import os
import stat as modes
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from torchdoctor.probes.host import ABSENT, FAILED, Answer, Completed, Stat
from torchdoctor.probes.live_programs import Programs, failure
from torchdoctor.probes.variables import allowed_variables

if TYPE_CHECKING:
    from torchdoctor.probes.redaction import Identity

__all__ = ["LiveHost"]

_SYSTEMS = {"linux": "linux", "darwin": "macos", "win32": "windows", "cygwin": "windows"}
# Opening these says what mode bits cannot: a container's device rules. The numbered NVIDIA nodes stay closed,
# opening one wakes the card (seconds).
_OPENED = ("/dev/kfd", "/dev/dri/", "/dev/nvidiactl", "/dev/dxg", "/dev/accel/")


class LiveHost:
    """Reads this machine. :meth:`close` ends what it started and says what could not be ended."""

    kind = "live"

    def __init__(self, environ: Mapping[str, str] | None = None) -> None:
        self._environ: Mapping[str, str] = os.environ if environ is None else environ
        self._programs = Programs(self._environ)
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
            return failure(error, path)

    def listing(self, path: str) -> Answer[tuple[str, ...]]:
        """The names in a folder, sorted."""
        try:
            return Answer(tuple(sorted(os.listdir(path))))
        except (OSError, ValueError) as error:
            return failure(error, path)

    def link(self, path: str) -> Answer[str]:
        """Where a symbolic link points, unresolved."""
        try:
            return Answer(os.readlink(path))
        except (OSError, ValueError) as error:
            return failure(error, path)

    def stat(self, path: str) -> Answer[Stat]:
        """Mode, names of owner and group, and whether this process may open the node for reading and writing."""
        try:
            node = os.stat(path)
        except (OSError, ValueError) as error:
            return failure(error, path)
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
        return self._programs.run(argv, timeout)

    def find(self, program: str) -> str | None:
        """The full path of a program; relative entries of PATH (``.``) are passed over."""
        return self._programs.find(program)

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
            return failure(error, path)

    def commands(self) -> tuple[tuple[tuple[str, ...], Completed], ...]:
        """A live host has none ready."""
        return ()

    def close(self) -> tuple[str, ...]:
        """End every program that still runs, start no other; the names of those that the kernel does not let go."""
        return self._programs.close()

    def identity(self) -> Identity:
        """What this machine and its user are called, for the redaction of a recording; never recorded itself."""
        from torchdoctor.probes.live_identity import identity

        return identity(self._environ)


def _opens(path: str) -> bool:
    try:
        os.close(os.open(path, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC))
    except PermissionError:
        return False
    except OSError:
        return True  # busy or wedged is another fault than a missing permission
    return True


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
