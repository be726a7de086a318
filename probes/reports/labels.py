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
    for index, line in enumerate(reading.lines):
        if line.startswith(("#", "**")) and (label := _heading(line)):
            at = next(
                (i for i in range(index + 1, min(index + 4, len(reading.lines))) if reading.lines[i].strip()), None
            )
            if at is not None and not reading.lines[at].startswith(("#", "**", "```", ">")):
                yield at, label, reading.lines[at].strip(_STRIP)
            continue
        pair = label_of(line) or (_columns(line) if in_columns else None)
        if pair is not None:
            yield index, pair[0], pair[1]


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
