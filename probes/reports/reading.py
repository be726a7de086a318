"""A pasted text being read: its lines, and what the parsers have found so far."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from torchdoctor.probes.draft import Draft
from torchdoctor.probes.patterns import holds, regex
from torchdoctor.probes.public import no_credentials

__all__ = ["CLAIMED", "MEASURED", "PRINTED", "GpuList", "Reading", "clean", "open_reading"]

#: Ranks of an answer: typed by a person, printed by a program in passing, measured by a program made to report it.
CLAIMED, PRINTED, MEASURED = 0, 10, 20

_MAX_LINE = 16 * 1024  # a longer line holds nothing that is read line by line; it is cut, not searched
# Of a longer text the first and the last so many lines or characters are read.
_MAX_LINES = 25_000
_MAX_CHARS = 4 * 1024 * 1024

# Terminal control: CSI, OSC (ended by BEL or ST) and the two-character escapes.
_ESCAPES = regex(
    r"\x1b\[[0-9;:<=>?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[ -/]?[0-~]|[\x9b\x9d\x90]|(?:\u2190|\^\[)\[[0-9;]{0,12}m"
)
_CONTROLS = {c: None for c in (*range(0x20), *range(0x7F, 0xA0)) if c not in (0x09, 0x0A)}
_CONTROLS |= dict.fromkeys(
    (0x200B, 0x200C, 0x200D, 0x200E, 0x200F, 0x2028, 0x2029, 0x2060, 0xFEFF, *range(0x202A, 0x202F))
)
_PLAIN = str.maketrans({
    "\u00a0": " ", "\u3000": " ", "\u2002": " ", "\u2003": " ", "\u2009": " ", "\u202f": " ",
    "\uff1a": ":", "\uff08": "(", "\uff09": ")", "\uff0c": ",", "\uff1d": "=",
    "\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"',
})  # fmt: skip

# What a log puts before each line: compose service, BuildKit step, CI time stamp, worker name, log level.
_PREFIX = regex(
    r"^(?:[a-z][\w.-]{0,60}-\d{1,3}\s{1,20}\|\s?"
    r"|#\d{1,4} \d{1,6}\.\d{1,4} "
    r"|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:?\d\d) (?:[\w.-]{1,60} kernel: )?"
    r"|\(\w[\w ]{0,30} (?:pid=\d{1,9}|rank=\d{1,5})[^)\n]{0,40}\) "
    r"|\[?\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?\]?(?: -|:| \|)? {1,4}\[?(?:DEBUG|INFO|WARNING|WARN|ERROR) {0,4}\]?(?: -|:| \|)? {1,4}"
    r"|\d\d:\d\d:\d\d[-.,]\d{3,6} {1,4}(?:DEBUG|INFO|WARNING|ERROR) {1,8}"
    r"|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [ \d]\d \d\d:\d\d:\d\d [\w.-]{1,60} [\w.@/-]{1,60}(?:\[\d{1,9}\])?: "
    r"|\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d[.,]\d{3} - (?:[\w.]{1,60} - ){1,3}"
    r"|\[\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:[.,]\d{1,6})?\] "
    r"|\d{1,2}[.)] (?=[A-Za-z])"
    r"|(?:DEBUG|INFO|WARNING|ERROR) \d\d-\d\d \d\d:\d\d:\d\d [^\]\n]{0,80}\] )"
)


@dataclass(slots=True)
class GpuList:
    """GPUs as one source lists them. ``complete``: that source names every device it can see."""

    rank: int
    complete: bool
    gpus: list[tuple[dict[str, Any], str]] = field(default_factory=list)
    last: int = -1  # index of the line that was added last


@dataclass(slots=True)
class Reading:
    """One text under examination. ``lines`` are cleaned; ``number(i)`` is the line number a person counts."""

    text: str
    lines: list[str]
    low: str
    draft: Draft = field(default_factory=Draft)
    kinds: dict[str, int] = field(default_factory=dict)
    gpu_lists: list[GpuList] = field(default_factory=list)
    cut_at: int | None = None
    cut_by: int = 0
    taken: set[int] = field(default_factory=set)  # lines that a stricter parser has understood
    asked: dict[tuple[str, ...], bool] = field(default_factory=dict)  # what the text was asked for

    def number(self, index: int) -> int:
        """The number of ``lines[index]`` in the text as it was sent, from 1."""
        return index + 1 + (self.cut_by if self.cut_at is not None and index >= self.cut_at else 0)

    def source(self, index: int, text: str | None = None) -> str:
        """``line 12: PyTorch version: 2.6.0+cu126``, short and without credentials."""
        shown = (self.lines[index] if text is None else text).strip()
        if len(shown) > 160:
            shown = shown[:157] + "..."
        return f"line {self.number(index)}: {no_credentials(shown)}"

    def put(self, path: str, value: Any, index: int, rank: int = PRINTED) -> None:
        """Record a fact that ``lines[index]`` shows."""
        if value is None or value == "":
            return
        held = self.draft.held(path)
        if path == "python.version":
            if held and held[1].startswith(f"{value}."):
                return  # 3.12 says nothing new beside 3.12.3
            if held and value.startswith(f"{held[1]}."):
                rank = max(rank, held[0] + 1)
        if held is None or rank > held[0]:
            self.draft.put(path, value, self.source(index), rank=rank)

    def saw(self, kind: str, weight: int = 1) -> None:
        """The text holds something of this kind; the heaviest kind names the report."""
        self.kinds[kind] = self.kinds.get(kind, 0) + weight

    def symptom(self, id: str, index: int, text: str | None = None) -> None:
        """An error text was seen at ``lines[index]``."""
        shown = no_credentials((self.lines[index] if text is None else text).strip())
        self.draft.symptom(id, shown if len(shown) <= 400 else shown[:397] + "...", self.number(index))

    def has(self, *needles: str) -> bool:
        """Whether one of these (lower-case) strings occurs anywhere: the cheap gate before a parser runs. Remembered: some
        parsers ask at every line, and the text does not change.
        """
        known = self.asked.get(needles)
        if known is None:
            known = self.asked[needles] = holds(self.low, needles)
        return known

    def words(self, *needles: str) -> tuple[str, ...]:
        """Those of the (lower-case) strings that occur anywhere: a line need be searched for no other."""
        low = self.low
        return tuple([n for n in needles if n in low])

    def find(self, needle: str) -> Iterator[int]:
        """Indexes of the lines that hold ``needle`` (case matters)."""
        if needle in self.text:
            yield from (i for i, line in enumerate(self.lines) if needle in line)


_ENTITIES = (("&gt;", ">"), ("&lt;", "<"), ("&quot;", '"'), ("&#39;", "'"), ("&#x27;", "'"), ("&nbsp;", " "), ("&amp;", "&"))  # fmt: skip


def clean(text: str) -> str:
    """``text`` without terminal escapes and control characters, with plain spaces, colons and quotes."""
    if "\x1b" in text or "^[[" in text or not text.isascii():
        text = _ESCAPES.sub("", text).translate(_PLAIN)
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if "&" in text and ";" in text:  # copied from the source of a page
        for entity, sign in _ENTITIES:
            text = text.replace(entity, sign)
    return text if text.isascii() and text.isprintable() else text.translate(_CONTROLS)


def open_reading(text: str) -> Reading:
    """Clean ``text`` and cut what is too long to be a report: of that, its beginning and its end are read."""
    head, tail, between = _ends(text)
    lines = [_line(line) for line in clean(head).split("\n")]
    cut_at = None
    if tail:
        cut_at = len(lines)
        lines += [_line(line) for line in clean(tail).split("\n")]
    if "> " in text:
        _unquote(lines)
    if "efore" in text:
        _forget(lines)
    text = "\n".join(lines)
    return Reading(text=text, lines=lines, low=text.lower(), cut_at=cut_at, cut_by=between)


_BEFORE = regex(r"^[\s*•+-]{0,8}[Bb]efore ?: {0,3}\S")
_AFTER = regex(r"^[\s*•+-]{0,8}(?:[Aa]fter|[Nn]ow)\b")


def _forget(lines: list[str]) -> None:
    """Empties the line of how things were, where a later one says how they are."""
    after = next((i for i in range(len(lines) - 1, -1, -1) if _AFTER.match(lines[i])), 0)
    for index in range(after):
        if "efore" in lines[index][:16] and _BEFORE.match(lines[index]):
            lines[index] = ""


def _unquote(lines: list[str]) -> None:
    """Takes the mark off a quoted block, so that its lines begin as they were printed. A few such lines are prompts."""
    start = 0
    while start < len(lines):
        end = start
        while end < len(lines) and (lines[end].startswith("> ") or lines[end] == ">"):
            end += 1
        if end - start >= 4:
            lines[start:end] = [line[2:] for line in lines[start:end]]
        start = max(end, start + 1)


def _ends(text: str) -> tuple[str, str, int]:
    """(beginning, end, number of lines left out between them); the end is empty where all of it is short enough."""
    if len(text) <= 2 * _MAX_CHARS and text.count("\n") <= 2 * _MAX_LINES:
        return text, "", 0
    head_end = _after_lines(text[:_MAX_CHARS])
    tail_start = len(text) - _before_lines(text[-_MAX_CHARS:])
    if text[tail_start - 1] != "\n":  # begin with a whole line
        tail_start = text.find("\n", tail_start) + 1 or len(text)
    return text[:head_end], text[tail_start:], text.count("\n", head_end, tail_start) - 1


def _after_lines(text: str) -> int:
    """Where the first :data:`_MAX_LINES` lines of ``text`` end."""
    at = -1
    for _ in range(_MAX_LINES):
        at = text.find("\n", at + 1)
        if at < 0:
            return len(text)
    return at


def _before_lines(text: str) -> int:
    """The length of the last :data:`_MAX_LINES` lines of ``text``."""
    at = len(text)
    for _ in range(_MAX_LINES):
        at = text.rfind("\n", 0, at)
        if at < 0:
            return len(text)
    return len(text) - at - 1


def _line(line: str) -> str:
    if len(line) > _MAX_LINE:
        line = line[:_MAX_LINE]
    if not line or line[0].isspace():
        return line
    if line[0] in "([#0123456789DIWEJFMASON" or " |" in line[:70]:
        return _PREFIX.sub("", line, count=1)
    return line
