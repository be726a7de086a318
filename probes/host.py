"""The one door to a machine: everything a probe learns comes through a :class:`Host`.

A probe never opens a file or starts a program itself, so that the same probe reads a live machine and a recording.
*Absent* (it is not there), *denied* (it is there, we may not) and *unrecorded* (nobody looked) are different answers:
only the first proves that something is missing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Generic, Protocol, TypeVar

from torchdoctor.probes.frozen import dataclass

__all__ = ["ABSENT", "DENIED", "FAILED", "TIMEOUT", "UNRECORDED", "Answer", "Completed", "Host", "Stat"]

T = TypeVar("T")

ABSENT = "absent"
DENIED = "denied"
UNRECORDED = "unrecorded"
TIMEOUT = "timeout"
FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Answer(Generic[T]):
    """A value, or why there is none: ``status`` is ``ok`` or one of the constants above, ``detail`` the words for it."""

    value: T | None = None
    status: str = "ok"
    detail: str = ""

    @property
    def ok(self) -> bool:
        return self.status == "ok"

    @property
    def absent(self) -> bool:
        """True only where it is *known* not to be there."""
        return self.status == ABSENT


@dataclass(frozen=True, slots=True, kw_only=True)
class Completed:
    """A program that ended. Outputs are bytes as printed; ``stderr`` is ``None`` where it was not kept."""

    returncode: int | None = None
    stdout: bytes = b""
    stderr: bytes | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Stat:
    """A node: mode bits as text (``0660``), owner and group (name, else number), may this process open it."""

    mode: str | None = None
    owner: str | None = None
    group: str | None = None
    openable: bool | None = None


class Host(Protocol):
    """What a probe may ask. Nothing here raises; every answer says why it is empty."""

    @property
    def kind(self) -> str:
        """``live`` or ``recording``."""

    @property
    def system(self) -> str | None:
        """``linux``, ``windows``, ``macos`` or another lower-case name."""

    def read(self, path: str, limit: int = 1 << 20) -> Answer[bytes]:
        """The first ``limit`` bytes of a file."""

    def read_at(self, path: str, offset: int, limit: int) -> Answer[bytes]:
        """``limit`` bytes from ``offset``: headers and sections of files too large to read whole."""

    def listing(self, path: str) -> Answer[tuple[str, ...]]:
        """The names in a folder, sorted. A recording that holds only part of a folder answers ``unrecorded``
        with the names it knows as value: they are there, others may be.
        """

    def link(self, path: str) -> Answer[str]:
        """Where a symbolic link points, unresolved."""

    def stat(self, path: str) -> Answer[Stat]:
        """Mode, group and openable; ``absent`` where there is no such node."""

    def groups(self) -> Answer[tuple[str, ...]]:
        """The groups of this process, names where they have one."""

    def run(self, argv: Sequence[str], timeout: float = 5.0) -> Answer[Completed]:
        """Run a program found in an absolute entry of PATH, without a shell, with an empty standard input."""

    def find(self, program: str) -> str | None:
        """The full path of a program, looked up in absolute entries of PATH only."""

    def environ(self) -> Answer[Mapping[str, str]]:
        """The environment, from an allow-list of names."""

    def registry(self, key: str) -> Answer[Mapping[str, Any]]:
        """The values of one Windows registry key (``HKLM\\\\SOFTWARE\\\\…``)."""

    def subkeys(self, key: str) -> Answer[tuple[str, ...]]:
        """The names under one Windows registry key."""

    def value(self, name: str) -> Answer[Any]:
        """One single value by name: ``page_size``, ``disk_free``, ``tmp_free``, ``sysctl:hw.memsize``, ``auxv:16``,
        ``glibc``, ``uname.release``, ``uname.machine`` … (live: :mod:`torchdoctor.probes.live_values`). A recording also
        has ``python`` (what the interpreter said) and ``kernels`` (library → architectures).
        """

    def code(self, path: str, every: bool = False) -> Answer[Mapping[str, tuple[str, ...]]]:
        """What a shared library holds for GPUs, read through a memory map: ``built_for`` (the architectures of the whole
        library), ``needs`` (the libraries it asks the loader for) and, when ``every`` part is to be looked into, ``any``
        (each architecture that occurs at all); what cannot be told is left out.
        """

    def commands(self) -> tuple[tuple[tuple[str, ...], Completed], ...]:
        """Every command a recording holds, also those no live probe runs; empty on a live host."""
