"""The report as GitHub-flavoured Markdown, for a ticket or a job summary: facts folded, everything embedded escaped."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from torchdoctor.render.clean import clean
from torchdoctor.render.machine import machine_rows
from torchdoctor.render.words import (
    LABELS,
    accepted_line,
    alternative_title,
    chosen_command,
    evidence_text,
    group,
    install_title,
    newer_rejected,
    newer_title,
    reasons_text,
)

__all__ = ["code", "escape", "fence", "render_markdown", "table"]

_MARKS = re.compile(r"[\\`*_{}\[\]#|<>~&@$]|^[-+=]|(?<=\d)[.)](?= )")
_TICKS = re.compile("`+")


def escape(value: object) -> str:
    """``value`` as Markdown that shows these very characters: no markup, HTML, link, mention or reference arises."""
    return _MARKS.sub(_entity, clean(value)).replace("://", "&#58;//").replace("www.", "www&#46;")


def _entity(match: re.Match[str]) -> str:
    char = match.group()
    # Entities where a backslash is not enough: HTML, mentions, issue numbers, formulas.
    return f"&#{ord(char)};" if char in "<>&@#$~" else f"\\{char}"


def code(value: object) -> str:
    """``value`` as a code span whose fence no run of backticks inside can close."""
    text = clean(value)
    if not text:
        return "(empty)"
    ticks = "`" * (_longest(text) + 1)
    pad = " " if text.startswith(("`", " ")) or text.endswith(("`", " ")) else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def fence(text: str, language: str = "") -> list[str]:
    """``text`` as a fenced block, line breaks kept, longer fence than any inside."""
    ticks = "`" * max(3, _longest(text) + 1)
    return [f"{ticks}{language}", *(clean(line) for line in text.splitlines()), ticks]


def _longest(text: str) -> int:
    return max((len(run) for run in _TICKS.findall(text)), default=0)


def table(header: list[str], rows: list[list[str]]) -> list[str]:
    """A table of cells that are already Markdown; a ``|`` in a code span is escaped as tables want it."""
    lines = [header, ["---"] * len(header), *rows]
    return ["| " + " | ".join(_cell(c) for c in line) + " |" for line in lines]


def _cell(text: str) -> str:
    return re.sub(r"(?<!\\)\|", r"\\|", text)


def render_markdown(report: Mapping[str, Any]) -> str:
    """The report as one Markdown document, ending with a line break."""
    verdict = str(report.get("verdict") or "unknown")
    sign, word = LABELS.get(verdict, LABELS["unknown"])
    lines = [f"## {sign} torchdoctor: {word}", "", escape(report.get("summary") or "")]
    rows = machine_rows(report)
    if rows:
        lines += ["", *table(["", "Machine"], [[f"**{label}**" if label else "", code(text)] for label, text in rows])]
    findings = report.get("findings") or ()
    if findings:
        lines += ["", "### Findings"]
        for finding in findings:
            lines += _finding(finding)
    lines += _requires(report) + _recommendation(report) + _candidates(report) + _facts(report)
    tool = group(report, "tool")
    lines += ["", f"<sub>torchdoctor {escape(tool.get('version'))}, matrix of {escape(tool.get('matrix'))}</sub>"]
    return "\n".join(lines) + "\n"


def _finding(finding: Mapping[str, Any]) -> list[str]:
    title = escape(finding.get("title") or "")
    lines = ["", f"**{escape(finding.get('severity'))}** {code(finding.get('id'))} {title}"]
    if finding.get("detail"):
        lines += ["", escape(finding["detail"])]
    items = []
    for row in finding.get("evidence") or ():
        source = f" (read from {code(row['source'])})" if row.get("source") else ""
        items.append(f"- seen: {code(evidence_text(row))}{source}")
    items += [f"- fix: {escape(fix)}" for fix in finding.get("fix") or ()]
    docs = str(finding.get("docs") or "")
    if docs.startswith("https://"):
        items.append(f"- [more about it](<{re.sub(r'[^!-;=?-~]', '', docs)}>)")
    return [*lines, "", *items] if items else lines


def _requires(report: Mapping[str, Any]) -> list[str]:
    lines = []
    for require in report.get("requires") or ():
        word = {True: "✓ met", False: "✗ not met"}.get(require.get("met"), "? not known")
        why = ", ".join(code(w) for w in require.get("why") or ())
        lines.append(f"- required {code(require.get('what'))}: {word}" + (f" ({why})" if why else ""))
    return ["", "### Required", "", *lines] if lines else []


def _recommendation(report: Mapping[str, Any]) -> list[str]:
    lines: list[str] = []
    best, other = group(report, "recommendation"), group(report, "alternative")
    if best:
        lines += [
            "",
            f"### {install_title(report)} {escape(accepted_line(best))}",
            "",
            *fence(chosen_command(best), "sh"),
        ]
        if best.get("confidence") == "inferred":
            lines += ["", "This rests on a fact that is not yet confirmed."]
        if best.get("upgrade"):
            lines += ["", f"To go further: {escape(best['upgrade'])}"]
    if other:
        lines += ["", f"### {alternative_title()} {escape(accepted_line(other))}", ""]
        lines += fence(chosen_command(other), "sh")
    newer = newer_rejected(report)
    if newer:
        lines += ["", f"### {newer_title(report)}", ""]
        for release, reasons in newer:
            lines.append(f"- **{escape(release)}** {escape(reasons_text(reasons))}")
    return lines


def _candidates(report: Mapping[str, Any]) -> list[str]:
    rows = []
    for one in report.get("candidates") or ():
        why = ", ".join(
            [*(code(r) for r in one.get("reasons") or ()), *(f"{code(u)} ?" for u in one.get("unknown") or ())]
        )
        works = "✓ yes" if one.get("accepted") else "✗ no" if one.get("reasons") else "? not known"
        rows.append([escape(one.get("torch")), escape(one.get("variant")), works, why])
    return (
        _folded(f"Candidates examined ({len(rows)})", table(["torch", "variant", "works", "reasons"], rows))
        if rows
        else []
    )


def _facts(report: Mapping[str, Any]) -> list[str]:
    told = {key: report.get(key) for key in ("facts", "sources", "unknown") if report.get(key)}
    return _folded("Facts and where they were read", fence(json.dumps(told, indent=1, ensure_ascii=False), "json"))


def _folded(title: str, body: list[str]) -> list[str]:
    return ["", f"<details><summary>{title}</summary>", "", *body, "", "</details>"]
