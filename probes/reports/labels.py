"""Lines of the form *label: value*: the grammar that environment dumps and typed lists share."""

from __future__ import annotations

from collections.abc import Iterator

from torchdoctor.probes.patterns import regex
from torchdoctor.probes.reports.reading import Reading

__all__ = ["label_of", "labelled_lines"]

_STRIP = " \t-*•|`>#\"'✔✓—–"
_LONGEST = 64
_SEPARATOR = regex(r"[:=|]")


def label_of(line: str) -> tuple[str, str] | None:
    """(label in lower case, value) of one line, or ``None``. Bullets, table bars and emphasis are dropped."""
    if ":" not in line and "=" not in line and "|" not in line and "\t" not in line:
        return None
    text = line[:4096].strip(_STRIP)
    if len(text) < 3 or not text[0].isalpha():
        return None
    head = text[:_LONGEST]
    found = _SEPARATOR.search(head, 1)
    at = found.start() if found else head.find("\t")
    if at < 2:
        return None
    if text[at : at + 3] == "://" or (text[at] == "=" and text[at - 1] in "<>!~^="):
        return None
    value = text[at + 1 :]
    if text[at] == "=" and value.startswith("="):
        value = value[1:]
    label = " ".join(text[:at].strip(_STRIP + "()?").replace("_", " ").lower().split())
    return (label, value.strip(_STRIP + ",")) if label else None


def labelled_lines(reading: Reading) -> Iterator[tuple[int, str, str]]:
    """(index, label, value) of every line that has a label."""
    in_columns = reading.has("ultralytics", "detectron2", "sys.platform  ")
    in_leaders = reading.has(" ....")
    in_objects = reading.has("torch", "gpu") and "{" in reading.text
    for index, line in enumerate(reading.lines):
        if line.startswith(("#", "**")) and (label := _heading(line)):
            at = next(
                (i for i in range(index + 1, min(index + 4, len(reading.lines))) if reading.lines[i].strip()), None
            )
            if at is not None and not reading.lines[at].startswith(("#", "**", "```", ">")):
                yield at, label, reading.lines[at].strip(_STRIP)
            continue
        if in_objects and "{" in line[:200] and (pairs := _object(line)):
            for label, value in pairs:
                yield index, label, value
            continue
        pair = (_leaders(line) if in_leaders else None) or label_of(line) or (_columns(line) if in_columns else None)
        if pair is not None:
            yield index, pair[0], pair[1]


_MEMBER = regex(
    r"[\"']([A-Za-z][\w .-]{1,40})[\"'] ?: ?(?:\"([^\"\n]{0,300})\"|'([^'\n]{0,300})'|(\[[\d, ]{1,20}\]|\w[\w.]{0,20}))"
)


def _object(line: str) -> list[tuple[str, str]]:
    """The members of an object on one line, ``{"torch_version": "2.6.0", "cuda": true}``; a row of a package list is none."""
    found = [(m[1], m[2] or m[3] or m[4] or "") for m in _MEMBER.finditer(line[:8000])]
    keys = {key.lower() for key, _ in found}
    if len(found) < 2 or {"name", "version"} <= keys:
        return []
    return [(" ".join(key.replace("_", " ").lower().split()), value) for key, value in found]


def _leaders(line: str) -> tuple[str, str] | None:
    """``torch version ......... 2.4.0+cu121``: DeepSpeed's report, and lists in its manner."""
    label, dots, value = line[:400].strip().partition(" ....")
    value = value.lstrip(".").strip()
    return (" ".join(label.replace("_", " ").lower().split()), value) if dots and value else None


def _columns(line: str) -> tuple[str, str] | None:
    """``OS                  Linux-6.1…``: a label and its value in two columns."""
    label, gap, value = line[:400].strip().partition("  ")
    return (" ".join(label.replace("_", " ").lower().split()), value.strip()) if gap and value.strip() else None


def _heading(line: str) -> str | None:
    """``### GPU`` or ``**GPU**`` alone on its line: a form's question, answered below."""
    text = line.strip()
    if len(text) > _LONGEST or not (text.startswith("#") or text.endswith(("**", "**:", ":**"))):
        return None
    label = " ".join(text.strip(_STRIP + ":?").replace("_", " ").lower().split())
    return label if label and ":" not in label and "=" not in label else None
