"""Names that systems go by: JetPack releases by their L4T number, macOS releases by their major version."""

from __future__ import annotations

from torchdoctor.matrix.drivers import driver_key
from torchdoctor.matrix.tables import rows
from torchdoctor.probes.facts import dataclass

__all__ = ["JetPack", "jetpack", "macos_name"]


@dataclass(frozen=True, slots=True, kw_only=True)
class JetPack:
    """``release`` is ``6.2.1``; ``cuda`` the CUDA it brings; ``boards`` the words of its boards (``Orin``)."""

    release: str
    cuda: str
    boards: tuple[str, ...]
    confidence: str


def jetpack(l4t: str) -> JetPack | None:
    """The JetPack of an L4T release (``36.4.3``, ``R36.4.3``): the newest row of its line that is not above it."""
    key = driver_key(l4t)
    found = None
    for row in rows("systems.toml", "jetson"):
        start = driver_key(row["l4t"])
        # One row may stand for a whole line: 35.4 is still JetPack 5, which began with 34.1.
        if start <= key and (start[0] == key[0] or (start[0] == 34 and key[0] == 35)):
            found = row
    if found is None:
        return None
    boards = tuple(found["boards"].split())
    return JetPack(release=found["jetpack"], cuda=found["cuda"], boards=boards, confidence=found["confidence"])


def macos_name(version: str) -> str | None:
    """``15.1`` → ``Sequoia``. Majors 10.16 and 16 to 25 are masks for another number and have no name."""
    major = version.partition(".")[0]
    return next((row["name"] for row in rows("systems.toml", "macos") if row["major"] == major), None)
