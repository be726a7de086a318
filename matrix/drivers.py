"""NVIDIA drivers: what a version speaks, what a CUDA needs, which driver first knew a GPU and which was the last.

A driver version is dotted numbers. A floor may be a branch (``580``): then any build of it will do.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Any

from torchdoctor.matrix.tables import rows, table
from torchdoctor.probes.facts import dataclass

__all__ = [
    "Floor",
    "Generation",
    "at_least",
    "cuda_ceiling",
    "driver_floor",
    "driver_key",
    "first_driver",
    "generation",
    "generations",
    "last_branch",
    "toolkit_driver",
    "toolkit_knows",
]

_NEWER = 10  # branches beyond the newest row that its CUDA still speaks for: Windows numbers drift up inside a branch


@dataclass(frozen=True, slots=True, kw_only=True)
class Floor:
    """The lowest driver that will do. ``version`` is what to compare with (a branch or a build), ``build`` the exact build
    that was published for the system where ``version`` is only the branch.
    """

    version: str
    build: str | None = None
    confidence: str = "primary"
    note: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Generation:
    """One compute capability. ``modules``: ``proprietary``, ``open`` or ``either`` kernel modules drive it;
    ``last_branch`` is ``None`` while drivers go on; ``first_*`` are ``None`` where no table tells.
    """

    compute_capability: str
    name: str
    modules: str
    first_toolkit: str | None
    last_toolkit: str | None
    first_branch: str | None
    first_linux: str | None
    first_windows: str | None
    last_branch: str | None
    confidence: str


@lru_cache(maxsize=1024)
def driver_key(version: str) -> tuple[int, ...]:
    """``550.54.14`` → (550, 54, 14). Text behind the numbers is ignored; empty where there are none."""
    parts: list[int] = []
    for piece in version.strip().removeprefix("R").removeprefix("r").split(".")[:6]:
        digits = piece[: len(piece) - len(piece.lstrip("0123456789"))]
        if not digits or len(digits) > 9:
            break
        parts.append(int(digits))
        if digits != piece:
            break
    return tuple(parts)


def at_least(version: str, floor: str) -> bool:
    """Whether a driver reaches a floor: ``580.00`` reaches ``580``, ``525.60.13`` reaches itself. A bare branch, as people
    write it (``525``), stands for its releases and reaches any floor within it.
    """
    key, wanted = driver_key(version), driver_key(floor)
    return key >= (wanted[:1] if len(key) == 1 else wanted)


@lru_cache(maxsize=1024)
def cuda_ceiling(version: str) -> str | None:
    """The newest CUDA that a driver speaks, by its branch; ``None`` for what is older or much newer than the table."""
    key = driver_key(version)
    found: tuple[str, int] | None = None
    for row in rows("drivers.toml", "cuda_by_branch"):
        branch = driver_key(row["branch"])
        if key >= branch:
            found = (row["cuda"], branch[0])
    if found is None or (found[0] == _newest_cuda() and key[0] >= found[1] + _NEWER):
        return None
    return found[0]


def _newest_cuda() -> str:
    cuda: str = rows("drivers.toml", "cuda_by_branch")[-1]["cuda"]
    return cuda


def _major(cuda: int | str) -> str:
    """``13``, ``13.2`` or ``cu132`` → ``13``."""
    text = str(cuda)
    if text.startswith("cu") and text[2:].isdigit() and len(text) > 4:
        return text[2:-1]
    return text.partition(".")[0]


@cache
def _floors() -> dict[tuple[str, str], Floor]:
    found = {}
    for row in table("drivers.toml")["floor"]:
        for os in ("linux", "windows"):
            found[row["cuda"], os] = Floor(version=row[os], confidence=row["confidence"], note=row.get("note"))
    return found


@lru_cache(maxsize=256)
def driver_floor(cuda: int | str, os: str) -> Floor:
    """The lowest driver that runs builds of a CUDA major (``13``, ``13.2`` or ``cu132``) on ``linux`` or ``windows``
    (under WSL the Windows driver counts). Raises :class:`KeyError` for a CUDA major without a row.
    """
    return _floors()[_major(cuda), os]


@cache
def generations() -> dict[str, Generation]:
    """Every compute capability, oldest first."""
    found = {}
    for row in rows("drivers.toml", "generations"):
        values: dict[str, Any] = {key: value or None for key, value in row.items()}
        found[row["compute_capability"]] = Generation(**values)
    return found


def generation(compute_capability: str) -> Generation | None:
    """What is known of a compute capability (``8.9``)."""
    return generations().get(compute_capability)


@lru_cache(maxsize=256)
def first_driver(compute_capability: str, os: str) -> Floor | None:
    """The first driver that knows a compute capability, ``None`` where no table tells (boards with a driver of their own,
    GPUs older than the tables). Derived from the toolkits, so the branch counts, not the build.
    """
    row = generations().get(compute_capability)
    if row is None or row.first_branch is None:
        return None
    build = row.first_windows if os == "windows" else row.first_linux
    return Floor(version=row.first_branch, build=build, confidence=row.confidence)


def last_branch(compute_capability: str) -> str | None:
    """The last driver branch for a compute capability, ``None`` while drivers go on (or nothing is known)."""
    row = generations().get(compute_capability)
    return row.last_branch if row else None


def toolkit_driver(cuda: str, os: str) -> str | None:
    """The driver that the first release of a CUDA toolkit (``12.6``) came with; ``None`` where none was published."""
    found: str | None = None
    for row in table("toolkits.toml")["toolkit"]:  # newest first: the last one seen is the first release
        if row["cuda"] == cuda:
            found = row.get(os)
    return found


def toolkit_knows(cuda: str, compute_capability: str) -> bool | None:
    """Whether the libraries of a CUDA toolkit (``11.8``) were made for a compute capability: without them, PTX that the
    driver could still compile does not make a build of torch work. ``None`` for a toolkit that is not in the table.
    """
    wanted = driver_key(compute_capability)
    found: bool | None = None
    for row in table("toolkits.toml")["toolkit"]:
        if row["cuda"] == cuda:
            inside = driver_key(row["cc_min"]) <= wanted <= driver_key(row["cc_max"])
            found = bool(found) or inside or compute_capability == row.get("cc_also")
    return found
