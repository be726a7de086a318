"""What was installed, asked in a child with a deadline: a torch that crashes or hangs is an answer."""

from __future__ import annotations

import time

__all__ = ["outcome"]

_DEADLINE = 120.0  # the first import from a cold disk reads gigabytes
_SAID = {
    "torch-import-failed": "does not import",
    "torch-hangs": "does not answer",
    "torch-crashed": "crashes",
    "illegal-instruction": "crashes",
    "torch-kernel-failed": "cannot compute",
    "torch-wrong-result": "computes wrongly",
}


def outcome(python: str, deadline: float = _DEADLINE) -> tuple[str | None, bool | None]:
    """(what is wrong with the installed torch, does it use a GPU); ``None`` for nothing, or not known."""
    from torchdoctor.probes.ask_torch import ask_torch
    from torchdoctor.probes.draft import Draft
    from torchdoctor.probes.live import LiveHost

    draft = Draft()
    ask_torch(LiveHost(), [python], draft, time.monotonic() + deadline)
    facts = draft.build()
    for symptom in facts.symptoms or ():
        if symptom.id in _SAID:
            return f"{_SAID[symptom.id]}: {symptom.text}", facts.torch.gpu_available
    return None, facts.torch.gpu_available
