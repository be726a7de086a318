"""The examined interpreter: which one it is and what it was built for."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

from torchdoctor.probes.draft import Draft
from torchdoctor.probes.host import Answer, Host

__all__ = ["Interpreter", "probe"]


class Interpreter:
    """The interpreter to examine, run at most once; several probes may wait for what it says."""

    def __init__(self, host: Host, python: str | None = None) -> None:
        self._host, self._python = host, python
        self._lock = threading.Lock()
        self._answer: Answer[Mapping[str, Any]] | None = None

    def ask(self, timeout: float) -> Answer[Mapping[str, Any]]:
        """What it said of itself; keys: ``version``, ``path`` (its sys.path, absolute folders) …"""
        with self._lock:
            if self._answer is None:
                self._answer = self._host.value("python")
            return self._answer


def probe(host: Host, draft: Draft, deadline: float, *, interpreter: Interpreter | None = None) -> None:
    """Facts of the examined interpreter."""
