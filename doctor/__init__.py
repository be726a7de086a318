"""torchdoctor: which torch fits this machine, what is in the way, and how to install it."""

from __future__ import annotations

from typing import Any

__all__ = ["Report", "__version__", "diagnose"]

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    # Imported on first use: ``torchdoctor --version`` must not pay for the matrix.
    if name in ("diagnose", "Report"):
        from torchdoctor import api

        return getattr(api, name)
    raise AttributeError(f"module 'torchdoctor' has no attribute {name!r}")
