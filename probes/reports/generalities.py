"""Lines that name errors without anybody having them now: questions and answers, tables of cures, changes, what is over."""

from __future__ import annotations

from collections.abc import Callable

from torchdoctor.probes.patterns import regex
from torchdoctor.probes.reports.reading import Reading

__all__ = ["general_lines"]

_QUOTES = ('"', "'", "`")
# An entry of a list of errors and what to do about each: the error in quotes, then an arrow or a dash and the remedy.
_ENTRY = regex(r"^[\s*•+-]{0,8}(?:\d{1,2}[.)] )?[\"'`][^\"'`]{8,200}[\"'`]\s{0,3}(?:→|->|=>|⇒|–|—) ?[a-z]")
# What a list of changes says was mended, and the head of a table of errors and cures.
_MENDED = regex(r"^[\s*•+-]{0,8}(?:fix(?:ed|es)?|resolved|solved|addressed) ?[:(–—]")
_CHANGES = regex(r"^#{1,6} .{0,40}\b(?:fixed|fixes|bug ?fixes|changelog|resolved)\b")
_CURES = regex(
    r"^\s{0,4}\|.{0,80}\b(?:error|message|symptom|problem)s?\b.{0,80}\|.{0,80}\b(?:fix|cure|solution|remedy|cause|action|what to do)\b"
)
_QUESTION = regex(r"^[\s*]{0,4}q\d{0,2}[:.)] ")
_ANSWER = regex(r"^[\s*]{0,4}a\d{0,2}[:.)] ")
_OF_A_DOCUMENT = regex(r"^\S{1,200}\.(?:md|rst|adoc|html):\d{1,6}[:-]")  # what grep found in a text about errors
_OVER = regex(
    r"\b(?:rebooted|restarted|after (?:a |the )?reboot(?:ing)?),?(?: (?:once|and|it|then|now|is|was|→|->|=>)){0,4} (?:gone|works|fixed|solved|ok|fine)\b(?!.{0,40}\b(?:until|for (?:some|a few)|sometimes|next)\b)"
)
_ANOTHERS = regex(r"\b(?:can't|cannot|can not|couldn't|could not|unable to|not able to) reproduce\b")
_MEANING = regex(r"\bwhat does\b.{0,200}\b(?:usually|generally|typically|normally) mean\b")
_IN_A_TEST = regex(r"\bassert .{0,120}[\"'].{8,300}[\"']\)? (?:==|!=|in|not in|is) ")


def general_lines(reading: Reading) -> set[int]:
    """The indexes of such lines. One entry of a list alone is somebody's own error and what they tried."""
    low = [line[:400].lower() for line in reading.lines]
    found = _documents(reading)
    for words, kind in _KINDS:
        if reading.has(*words):
            found |= kind(low)
    return found


def _entries(low: list[str]) -> set[int]:
    entries = {
        i for i, line in enumerate(low) if line.lstrip("*•+- 0123456789.)")[:1] in _QUOTES and _ENTRY.match(line)
    }
    return entries if len(entries) > 1 else set()


def _changes(low: list[str]) -> set[int]:
    """What was mended: a label of the line itself, or the heading above a list."""
    found: set[int] = set()
    below = False
    for index, line in enumerate(low):
        if line.startswith("#"):
            below = _CHANGES.match(line) is not None
        elif (below and line.lstrip().startswith(("-", "*", "•"))) or _MENDED.match(line[:60]):
            found.add(index)
    return found


def _tables(low: list[str]) -> set[int]:
    found: set[int] = set()
    table = False
    for index, line in enumerate(low):
        table = line.lstrip().startswith("|") and (table or _CURES.match(line) is not None)
        if table:
            found.add(index)
    return found


def _questions(low: list[str]) -> set[int]:
    questions = {i for i, line in enumerate(low) if _QUESTION.match(line)}
    return questions if len(questions) > 1 and sum(_ANSWER.match(line) is not None for line in low) > 1 else set()


def _documents(reading: Reading) -> set[int]:
    if not reading.has(".md:", ".rst:", ".adoc:", ".html:"):
        return set()
    return {i for i, line in enumerate(reading.lines) if ":" in line and _OF_A_DOCUMENT.match(line[:260])}


def _over(low: list[str]) -> set[int]:
    """What a restart has mended, who wrote it has not met, or a test compares. That a thread is called solved says nothing:
    what was wrong is still what its reader wants to know.
    """
    return {
        i
        for i, line in enumerate(low)
        if (("reboot" in line or "restarted" in line) and _OVER.search(line))
        or ("reproduce" in line and _ANOTHERS.search(line))
        or ("what does" in line and _MEANING.search(line))
        or ("assert " in line and _IN_A_TEST.search(line))
    }


# The words without which a text holds no line of the kind.
_KINDS: tuple[tuple[tuple[str, ...], Callable[[list[str]], set[int]]], ...] = (
    (("→", "->", "=>", "⇒", "–", "—"), _entries),
    (("fix", "solved", "addressed", "changelog"), _changes),
    (("|",), _tables),
    (("q:", "q.", "q)", "q1", "q2"), _questions),
    (("reboot", "restarted", "reproduce", "what does", "assert "), _over),
)
