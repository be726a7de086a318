"""The report as GitHub Actions annotations, and the text of a job summary."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from torchdoctor.render.clean import clean
from torchdoctor.render.markdown import render_markdown
from torchdoctor.render.words import LABELS, accepted_line, chosen_command, evidence_text, group, pick

__all__ = ["render_github", "summary"]

_LEVELS = {"blocker": "error", "warning": "warning", "note": "notice"}
_MOST = 10  # annotations of one level that GitHub shows for a step


def render_github(report: Mapping[str, Any]) -> str:
    """One workflow command a line: each finding, then always one notice that holds the verdict."""
    by_level: dict[str, list[str]] = {"error": [], "warning": [], "notice": []}
    for finding in report.get("findings") or ():
        level = _LEVELS.get(str(finding.get("severity")), "notice")
        title = f"torchdoctor: {clean(finding.get('id'))}"
        by_level[level].append(_command(level, title, _message(finding), _place(finding, report)))
    lines: list[str] = []
    for level, commands in by_level.items():
        lines += commands[: _MOST - 1 if level == "notice" else _MOST]
    return "\n".join([*lines, _verdict(report)]) + "\n"


def summary(report: Mapping[str, Any]) -> str:
    """What belongs into the file that ``GITHUB_STEP_SUMMARY`` names."""
    return render_markdown(report)


def _message(finding: Mapping[str, Any]) -> str:
    lines = [clean(finding.get("title") or ""), clean(finding.get("detail") or "")]
    for row in finding.get("evidence") or ():
        source = f" ({clean(row['source'])})" if row.get("source") else ""
        lines.append(f"seen: {evidence_text(row)}{source}")
    lines += [f"fix: {clean(fix)}" for fix in finding.get("fix") or ()]
    return "\n".join(line for line in lines if line)


def _verdict(report: Mapping[str, Any]) -> str:
    word = LABELS.get(str(report.get("verdict")), LABELS["unknown"])[1]
    lines = [f"{word}: {clean(report.get('summary') or '')}"]
    best = group(report, "recommendation")
    if best:
        lines += [f"install {accepted_line(best)}:", *chosen_command(best).splitlines()]
    return _command("notice", "torchdoctor", "\n".join(clean(line) for line in lines))


def _place(finding: Mapping[str, Any], report: Mapping[str, Any]) -> str:
    """``file=…,line=…,`` of the setting that a finding rests on, where it is a file of the repository."""
    settings = pick(report, "facts.settings") or ()
    for row in finding.get("evidence") or ():
        found = re.match(r"settings\[(\d{1,6})\]", str(row.get("fact")))
        if found and int(found[1]) < len(settings):
            setting = settings[int(found[1])]
            file, line = clean(setting.get("file") or ""), setting.get("line")
            if file and not file.startswith(("/", "~", "\\")) and ":" not in file:
                return f"file={_property(file)}," + (f"line={line}," if isinstance(line, int) else "")
    if finding.get("about") == "request" and pick(report, "source.kind") == "project":
        # What cannot be met is blamed on the line that asks for it.
        asked = clean(group(report, "sources").get("request.torch") or "").removeprefix("./")
        file, _, number = asked.rpartition(":")
        if file and number.isdecimal() and not file.startswith(("/", "~", "\\")) and ":" not in file:
            return f"file={_property(file)},line={number},"
    return ""


def _command(level: str, title: str, message: str, place: str = "") -> str:
    return f"::{level} {place}title={_property(title)}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
