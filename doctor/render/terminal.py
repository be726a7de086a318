"""What a stream can show, decided from what is known of it: colour, signs beyond ASCII."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["ascii_wanted", "color_wanted"]


def color_wanted(is_terminal: bool, environ: Mapping[str, str]) -> bool:
    """Colour on a terminal only; ``NO_COLOR`` beats ``FORCE_COLOR``, which beats ``TERM=dumb`` and pipes.

    Either variable counts when it is set and not empty (``FORCE_COLOR=0`` asks for none).
    """
    if environ.get("NO_COLOR"):
        return False
    force = environ.get("FORCE_COLOR")
    if force:
        return force != "0"
    return is_terminal and environ.get("TERM") != "dumb"


def ascii_wanted(encoding: str | None) -> bool:
    """Whether a stream of this encoding can show ASCII only, as far as we rely on it: anything but UTF-8, -16, -32."""
    return not (encoding or "ascii").lower().replace("-", "").replace("_", "").startswith("utf")
