"""What was installed, asked in a child with a deadline: a torch that crashes or hangs is an answer."""

from __future__ import annotations

import json
import os
import subprocess

__all__ = ["ask_torch"]

_SCRIPT = """
import json, torch
seen = None
try:
    accelerators = [getattr(torch, "cuda", None), getattr(torch, "xpu", None), getattr(torch.backends, "mps", None)]
    seen = any(a.is_available() for a in accelerators if a is not None)
except AttributeError:
    pass
print(json.dumps({"seen": seen}))
"""
_DEADLINE = 120.0  # the first import from a cold disk reads gigabytes


def ask_torch(python: str, deadline: float = _DEADLINE) -> tuple[str | None, bool | None]:
    """(what is wrong with importing torch, does it see a GPU); ``None`` for nothing, or not known."""
    line = [python, "-I", "-c", _SCRIPT]
    try:
        ran = subprocess.run(line, capture_output=True, timeout=deadline, cwd=os.path.abspath(os.sep), check=False)
    except subprocess.TimeoutExpired:
        return f"does not import within {deadline:.0f} seconds", None
    except OSError as error:
        return f"cannot be asked: {error.strerror}", None
    if ran.returncode < 0:
        return f"crashes on import (signal {-ran.returncode})", None
    if ran.returncode:
        lines = ran.stderr.decode("utf-8", "replace").strip().splitlines()
        return f"does not import: {lines[-1] if lines else f'status {ran.returncode}'}", None
    try:
        return None, json.loads(ran.stdout.splitlines()[-1])["seen"]
    except (ValueError, IndexError, KeyError):
        return None, None
