"""The report on a terminal: the verdict, the machine, what to do first, the command alone on its line.

Laid out here and coloured with the sixteen colours every terminal has. rich would cost more at import than the whole
answer; it is used where a page of Markdown is shown (``explain``) and to draw the picture in the documentation.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from torchdoctor.render.clean import ascii_text, cells, clean, fit, wrap
from torchdoctor.render.machine import fact_rows, machine_rows
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

__all__ = ["STYLES", "render_text", "text_spans"]

Span = tuple[str, str]  # (text, name of a style)
Line = Sequence[Span]

#: Name of a style → (SGR codes, the same for rich).
STYLES: Mapping[str, tuple[str, str]] = {
    "": ("", ""),
    "ok": ("1;32", "bold green"),
    "mismatch": ("1;31", "bold red"),
    "blocked": ("1;31", "bold red"),
    "unknown": ("1;33", "bold yellow"),
    "blocker": ("1;31", "bold red"),
    "warning": ("1;33", "bold yellow"),
    "note": ("36", "cyan"),
    "id": ("1", "bold"),
    "label": ("2", "dim"),
    "dim": ("2", "dim"),
    "command": ("1;36", "bold cyan"),
}
_LINE = re.compile(r"^(line \d{1,9}):.*")
_SIGNS = {"blocker": "✗", "warning": "!", "note": "·"}
_LABEL = 9  # columns of the label at the left
_EVIDENCE = 3  # rows of evidence shown for each finding without -v
_NEWER = 3  # releases out of reach shown without -v
_UNKNOWN = 4  # missing facts shown without -v


def render_text(
    report: Mapping[str, Any],
    *,
    width: int = 80,
    color: bool = False,
    ascii: bool = False,
    verbose: bool = False,
    quiet: bool = False,
    installer: str | None = None,
    timings: Mapping[str, float] | None = None,
) -> str:
    """The report as text of at most ``width`` columns (commands are never broken), ending with a line break.

    ``installer`` names the command to show; ``timings`` are the seconds each probe took, shown with ``verbose``.
    """
    lines = text_spans(report, width=max(width, 40), verbose=verbose, quiet=quiet, installer=installer)
    if verbose and timings and not quiet:
        lines += _probes(timings)
    return "".join(_line(spans, color, ascii) + "\n" for spans in lines)


def _line(spans: Line, color: bool, ascii: bool) -> str:
    parts = []
    for text, style in spans:
        shown = ascii_text(text) if ascii else text
        code = STYLES[style][0] if color else ""
        parts.append(f"\x1b[{code}m{shown}\x1b[0m" if code and shown.strip() else shown)
    return "".join(parts).rstrip()


def text_spans(
    report: Mapping[str, Any],
    *,
    width: int = 80,
    verbose: bool = False,
    quiet: bool = False,
    installer: str | None = None,
) -> list[Line]:
    """The lines as spans of (text, style): what :func:`render_text` prints and the documentation's picture draws."""
    lines = _verdict(report, width)
    if quiet:
        # One line whatever its length: it is meant for logs and scripts.
        return [[lines[0][0], (f" {clean(report.get('summary') or '')}".rstrip(), "")]]
    machine = _machine(report, width)
    lines += [[], *machine] if machine else []
    for finding in _of(report, "blocker", "warning"):
        lines += [[], *_finding(finding, width, verbose)]
    notes = _of(report, "note")
    if group(report, "recommendation").get("upgrade") and not verbose:
        # The last section says the same with its reasons.
        notes = [n for n in notes if n.get("id") != "newest-out-of-reach"]
    if notes:
        lines.append([])
    if report.get("verdict") == "ok" and notes and not verbose:
        # Nothing is wrong: what may reassure somebody is named, not told.
        ids = ", ".join(clean(n.get("id")) for n in notes)
        lines += _hang([("· notes", "note"), ("  ", "")], f"{ids} (-v)", width)
        notes = []
    for finding in notes:
        lines += _finding(finding, width, verbose) if verbose else _note(finding, width)
        if finding.get("id") == "insufficient-data" and not verbose:
            lines += _ask(finding, report, width)
    lines += _requires(report, width)
    lines += _not_known(report, width, verbose)
    lines += _recommended(report, width, installer)
    lines += _why_not_newest(report, width, verbose)
    if verbose:
        lines += _facts(report, width)
    lines += _further(report, width)
    return lines


def _of(report: Mapping[str, Any], *severities: str) -> list[Mapping[str, Any]]:
    return [f for f in report.get("findings") or () if f.get("severity") in severities]


def _hang(first: Line, text: str, width: int, *, style: str = "", indent: int | None = None) -> list[Line]:
    """``text`` after ``first``, continued below at ``indent`` (default: where it began)."""
    start = sum(cells(t) for t, _ in first)
    indent = start if indent is None else indent
    head, *rest = wrap(text, max(width - start, 16))
    if rest and indent != start:
        rest = wrap(text[len(head) :], width - indent)
    return [[*first, (head, style)], *([(" " * indent, ""), (line, style)] for line in rest)]


def _verdict(report: Mapping[str, Any], width: int) -> list[Line]:
    verdict = str(report.get("verdict") or "unknown")
    sign, word = LABELS.get(verdict, LABELS["unknown"])
    style = verdict if verdict in LABELS else "unknown"
    return _hang([(f"{sign} {word}", style), ("  ", "")], clean(report.get("summary") or ""), width)


def _machine(report: Mapping[str, Any], width: int) -> list[Line]:
    lines: list[Line] = []
    for label, text in machine_rows(report):
        lines += _hang([(label.ljust(_LABEL), "label")], text, width)
    return lines


def _finding(finding: Mapping[str, Any], width: int, verbose: bool) -> list[Line]:
    severity = str(finding.get("severity"))
    sign = _SIGNS.get(severity, "·")
    first = [(f"{sign} {severity}", severity), ("  ", ""), (clean(finding.get("id")), "id"), ("  ", "")]
    title = clean(finding.get("title") or "")
    if sum(cells(t) for t, _ in first) + cells(title) <= width:
        lines: list[Line] = [[*first, (title, "")]]
    else:
        lines = [first, *_hang([("  ", "")], title, width)]
    if finding.get("detail"):
        lines += _hang([("  ", "")], clean(finding["detail"]), width)
    rows = finding.get("evidence") or ()
    for n, row in enumerate(rows if verbose else rows[:_EVIDENCE]):
        lines += _evidence(row, "seen" if n == 0 else "", width, verbose)
    if len(rows) > _EVIDENCE and not verbose:
        lines.append([("       ", ""), (f"and {len(rows) - _EVIDENCE} more (-v)", "dim")])
    fixes = finding.get("fix") or ()
    for n, fix in enumerate(fixes):
        bullet = "- " if len(fixes) > 1 else ""
        lines += _hang([(f"  {'fix' if n == 0 else '':<5}{bullet}", "label")], clean(fix), width)
    return lines


def _evidence(row: Mapping[str, Any], label: str, width: int, verbose: bool) -> list[Line]:
    text, source = evidence_text(row), clean(row.get("source") or "")
    if not verbose:
        # A quoted line of a report is mostly the value again: its number will do.
        source = _LINE.sub(r"\1", source)
        text = fit(text, 2 * (width - 7))
    origin = f"  ← {source}" if source else ""
    if 7 + cells(text) + cells(origin) <= width:
        return [[(f"  {label:<5}", "label"), (text, ""), (origin, "dim")]]
    lines = _hang([(f"  {label:<5}", "label")], text, width)
    if not source:
        return lines
    below = origin.strip() if verbose else fit(origin.strip(), width - 9)
    return lines + _hang([("         ", "")], below, width, style="dim")


def _note(finding: Mapping[str, Any], width: int) -> list[Line]:
    first = [("· note", "note"), ("  ", ""), (clean(finding.get("id")), "id"), ("  ", "")]
    return _hang(first, clean(finding.get("detail") or finding.get("title") or ""), width, indent=8)


def _ask(finding: Mapping[str, Any], report: Mapping[str, Any], width: int) -> list[Line]:
    """How what is missing can be had: said by who declared the machine, else asked of who sent the report."""
    source = group(report, "source")
    if source.get("kind") == "machine":
        named = source.get("name") != "flags"
        rows = [
            "add it to the file, or add --overlay to take it from this machine"
            if named
            else "say more with --os, --arch, --driver or --python, or add --overlay to take it from this machine"
        ]
    else:
        rows = [clean(fix) for fix in finding.get("fix") or ()]
    bullet = "- " if len(rows) > 1 else ""
    lines: list[Line] = []
    for n, row in enumerate(rows):
        lines += _hang([(f"  {'ask' if n == 0 else '':<5}{bullet}", "label")], row, width)
    return lines


def _requires(report: Mapping[str, Any], width: int) -> list[Line]:
    lines: list[Line] = []
    for require in report.get("requires") or ():
        met, what = require.get("met"), clean(require.get("what"))
        sign, word, style = {
            True: ("✓", "met", "ok"),
            False: ("✗", "not met", "blocker"),
        }.get(met, ("?", "not known", "unknown"))
        why = ", ".join(clean(w) for w in require.get("why") or ())
        text = f"{word}: {why}" if why else word
        lines += _hang([(f"{sign} required {what}", style), ("  ", "")], text, width)
    return [[], *lines] if lines else []


def _not_known(report: Mapping[str, Any], width: int, verbose: bool) -> list[Line]:
    missing = group(report, "unknown")
    if not missing or not (verbose or report.get("verdict") == "unknown"):
        return []
    lines: list[Line] = [[], [("Not known", "label")]]
    shown = list(missing.items()) if verbose else list(missing.items())[:_UNKNOWN]
    for path, reason in shown:
        lines += _hang([("  ? ", "unknown")], f"{clean(path)}: {clean(reason)}", width)
    if len(missing) > len(shown):
        lines.append([(f"    and {len(missing) - len(shown)} more (-v)", "dim")])
    return lines


def _recommended(report: Mapping[str, Any], width: int, installer: str | None) -> list[Line]:
    lines: list[Line] = []
    best, other = group(report, "recommendation"), group(report, "alternative")
    if best:
        what = f"{accepted_line(best)}{_weak(best)}"
        lines += [[], *_hang([], f"{install_title(report)} {what}:", width)]
        lines += _command(best, installer)
    if other:
        lines += [[], *_hang([], f"{alternative_title()} {accepted_line(other)}{_weak(other)}", width)]
        lines += _command(other, installer)
    return lines


def _weak(recommendation: Mapping[str, Any]) -> str:
    return ", resting on an unconfirmed fact" if recommendation.get("confidence") == "inferred" else ""


def _command(recommendation: Mapping[str, Any], installer: str | None) -> list[Line]:
    # At the left edge and alone, so that a triple click copies the command and nothing else.
    command = chosen_command(recommendation, installer)
    return [[], *([(clean(line), "command")] for line in command.splitlines())] if command else []


def _why_not_newest(report: Mapping[str, Any], width: int, verbose: bool) -> list[Line]:
    newer, upgrade = newer_rejected(report), group(report, "recommendation").get("upgrade")
    lines: list[Line] = []
    shown = newer if verbose else newer[:_NEWER]
    wide = max((len(release) for release, _ in shown), default=0)
    for release, reasons in shown:
        lines += _hang([(f"  {release:<{wide}}  ", "id")], reasons_text(reasons), width)
    if len(newer) > _NEWER and not verbose:
        lines.append([(f"  and {len(newer) - _NEWER} more (-v)", "dim")])
    if lines:
        lines.insert(0, [(newer_title(report), "label")])
    if upgrade:
        lines += _hang([("To go further  ", "label")], clean(upgrade), width)
    return [[], *lines] if lines else []


def _facts(report: Mapping[str, Any], width: int) -> list[Line]:
    lines: list[Line] = [[], [("Facts and where they were read", "label")]]
    for path, value, source in fact_rows(report):
        text = f"{path} = {value}"
        origin = f"  ← {source}" if source else ""
        if 2 + cells(text) + cells(origin) <= width:
            lines.append([("  ", ""), (text, ""), (origin, "dim")])
        else:
            lines += _hang([("  ", "")], text, width, indent=6)
            lines += _hang([("      ", "")], origin.strip(), width, style="dim") if origin else []
    return lines


def _probes(timings: Mapping[str, float]) -> list[Line]:
    lines: list[Line] = [[], [("Probes", "label")]]
    for name, seconds in timings.items():
        lines.append([(f"  {clean(name):<16}", ""), (f"{seconds * 1000:>8.0f} ms", "dim")])
    return lines


def _further(report: Mapping[str, Any], width: int) -> list[Line]:
    serious = _of(report, "blocker", "warning")
    if not serious:
        return []
    return [[], *_hang([("More: ", "dim")], f"torchdoctor explain {clean(serious[0].get('id'))}", width, style="dim")]
