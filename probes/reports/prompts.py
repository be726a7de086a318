"""Questions and where their answers stand in a session."""

from __future__ import annotations

import re

from torchdoctor.probes.reports.reading import Reading

__all__ = ["is_prompt", "next_text"]


def is_prompt(line: str) -> bool:
    """Whether a line is what somebody typed into an interpreter or a shell, rather than what was printed."""
    text = line.lstrip()
    return (
        text.startswith((">>>", "In [", "$", ">", "%", "#", "PS ", "print(", "python", "(", "torch."))
        or "python" in text[:160]
        or re.match(r"[\w.@~:/\\-]{1,60}[$#%>] ?", text) is not None
    )


def next_text(reading: Reading, index: int) -> int | None:
    """The line that answers the one at ``index``: the next with a text, unless another prompt or a traceback comes first."""
    for at in range(index + 1, min(index + 4, len(reading.lines))):
        text = reading.lines[at].strip()
        if text.startswith((">>>", "$ ", "In [", "Traceback")):
            return None
        if text and not re.search(r"Warning: |warnings\.warn|^\s*return ", text):
            return at
    return None
