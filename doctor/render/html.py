"""The report as one self-contained HTML page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torchdoctor.render.clean import clean
from torchdoctor.render.machine import fact_rows, machine_rows
from torchdoctor.render.page import command_block, esc, filtered_table, page
from torchdoctor.render.picture import draw_stack
from torchdoctor.render.words import (
    LABELS,
    accepted_line,
    alternative_title,
    evidence_text,
    group,
    install_title,
    newer_rejected,
    newer_title,
    reasons_text,
)

__all__ = ["render_html"]

_SIGNS = {"blocker": "✗", "warning": "!", "note": "·"}


def render_html(report: Mapping[str, Any]) -> str:
    """The whole page, ending with a line break."""
    verdict = str(report.get("verdict") or "unknown")
    style = verdict if verdict in LABELS else "unknown"
    sign, word = LABELS[style]
    tool, source = group(report, "tool"), group(report, "source")
    body = [
        f'<header class="verdict {style}"><span class="tag {style}">{sign} {word}</span>'
        f"<h1>{esc(report.get('summary') or '')}</h1></header>\n<main>",
        _recommendation(report),
        _machine(report),
        _findings(report),
        _candidates(report),
        _facts(report),
        "</main>",
    ]
    footer = (
        f"torchdoctor {tool.get('version')}, compatibility matrix of {tool.get('matrix')}. "
        f"Examined: {source.get('name') or source.get('kind')}."
    )
    return page(f"torchdoctor: {word}", "\n".join(part for part in body if part), footer=footer)


def _recommendation(report: Mapping[str, Any]) -> str:
    best, other = group(report, "recommendation"), group(report, "alternative")
    parts: list[str] = []
    if best:
        parts.append(
            f'<section id="install"><h2>{install_title(report)} {esc(accepted_line(best))}</h2>{_commands(best)}'
        )
        if best.get("confidence") == "inferred":
            parts.append("<p>This rests on a fact that is not yet confirmed.</p>")
        if best.get("upgrade"):
            parts.append(f"<p>To go further: {esc(best['upgrade'])}</p>")
        parts.append("</section>")
    if other:
        parts.append(f"<section><h2>{alternative_title()} {esc(accepted_line(other))}</h2>{_commands(other)}</section>")
    return "".join(parts)


def _commands(recommendation: Mapping[str, Any]) -> str:
    return "".join(command_block(str(c), str(name)) for name, c in group(recommendation, "commands").items())


def _machine(report: Mapping[str, Any]) -> str:
    rows = "".join(f"<dt>{esc(label)}</dt><dd>{esc(text)}</dd>" for label, text in machine_rows(report))
    return (
        f'<section><h2>The machine</h2><div class="two"><div>{draw_stack(report)}'
        '<ul class="legend" aria-label="Signs in the picture"><li>✓ meets</li><li>✗ breaks here</li><li>! works badly</li>'
        f'<li>? not known</li></ul></div><div><dl class="machine card">{rows}</dl>{_requires(report)}{_newer(report)}</div></div></section>'
    )


def _findings(report: Mapping[str, Any]) -> str:
    findings = report.get("findings") or ()
    cards = "".join(_finding(f) for f in findings if f.get("severity") != "note")
    notes = [_finding(f) for f in findings if f.get("severity") == "note"]
    if notes:
        open_ = " open" if not cards and report.get("verdict") != "ok" else ""
        cards += f"<details{open_}><summary>Notes ({len(notes)})</summary>{''.join(notes)}</details>"
    if not cards and report.get("verdict") == "ok":
        cards = "<p>Nothing is in the way.</p>"
    return f'<section id="findings"><h2>Findings</h2>{cards}</section>' if cards else ""


def _finding(finding: Mapping[str, Any]) -> str:
    severity, id = str(finding.get("severity")), clean(finding.get("id"))
    seen = "".join(
        f"<li>seen: <code>{esc(evidence_text(row))}</code>"
        + (f' <span class="source">read from {esc(row["source"])}</span>' if row.get("source") else "")
        + "</li>"
        for row in finding.get("evidence") or ()
    )
    fixes = [clean(f) for f in finding.get("fix") or ()]
    fix = "".join(f"<li>{esc(f)}</li>" for f in fixes)
    docs = str(finding.get("docs") or "")
    more = f'<p><a href="{esc(docs)}">More about {esc(id)}</a></p>' if docs.startswith("https://") else ""
    plain = " ".join([f"{id}: {clean(finding.get('title') or '')}.", clean(finding.get("detail") or ""), *fixes])
    return (
        f'<article class="card" data-finding="{esc(id)}" data-text="{esc(plain)}">'
        f'<div class="head"><span class="tag {esc(severity)}">{_SIGNS.get(severity, "·")} {esc(severity)}</span>'
        f"<h3>{esc(finding.get('title') or id)}</h3> <code>{esc(id)}</code></div>"
        + (f"<p>{esc(finding['detail'])}</p>" if finding.get("detail") else "")
        + (f"<ul>{seen}</ul>" if seen else "")
        + (f"<p><strong>Fix</strong></p><ul>{fix}</ul>" if fix else "")
        + more
        + "</article>\n"
    )


def _requires(report: Mapping[str, Any]) -> str:
    items = []
    for require in report.get("requires") or ():
        style, word = {True: ("yes", "✓ met"), False: ("no", "✗ not met")}.get(
            require.get("met"), ("maybe", "? not known")
        )
        why = ", ".join(esc(w) for w in require.get("why") or ())
        items.append(
            f'<li>{esc(require.get("what"))}: <span class="{style}">{word}</span>{f" ({why})" if why else ""}</li>'
        )
    return f'<div class="card"><h3>Required</h3><ul>{"".join(items)}</ul></div>' if items else ""


def _newer(report: Mapping[str, Any]) -> str:
    newer = "".join(
        f"<li><strong>{esc(release)}</strong> {esc(reasons_text(reasons))}</li>"
        for release, reasons in newer_rejected(report)[:6]
    )
    return f'<div class="card"><h3>{newer_title(report)}</h3><ul>{newer}</ul></div>' if newer else ""


def _candidates(report: Mapping[str, Any]) -> str:
    rows = []
    best = group(report, "recommendation")
    for one in report.get("candidates") or ():
        unknown = one.get("unknown") or ()
        state = "accepted" if one.get("accepted") else "rejected" if one.get("reasons") else "open"
        word = {
            "accepted": '<span class="yes">✓ yes</span>',
            "rejected": '<span class="no">✗ no</span>',
            "open": '<span class="maybe">? open</span>',
        }[state]
        if best and (one.get("torch"), one.get("variant")) == (best.get("torch"), best.get("variant")):
            word += " <strong>recommended</strong>"
        reasons = ", ".join([*(esc(r) for r in one.get("reasons") or ()), *(f"{esc(u)} not known" for u in unknown)])
        rows.append((state, (esc(one.get("torch")), esc(one.get("variant")), word, reasons)))
    if not rows:
        return ""
    states = (("accepted", "what works"), ("rejected", "what does not"), ("open", "what is not known"))
    table = filtered_table("Candidates", ("torch", "variant", "works here", "reasons"), rows, states=states)
    return f'<section id="candidates"><h2>Candidates examined</h2>{table}</section>'


def _facts(report: Mapping[str, Any]) -> str:
    rows = "".join(
        f"<tr><td class=mono>{esc(path)}</td><td>{esc(value)}</td><td>{esc(source or '')}</td></tr>\n"
        for path, value, source in fact_rows(report)
    )
    missing = "".join(
        f"<tr><td class=mono>{esc(path)}</td><td>not known</td><td>{esc(why)}</td></tr>\n"
        for path, why in group(report, "unknown").items()
    )
    return (
        '<details><summary>All facts and where they were read</summary><div class="scroll" tabindex="0" role="region" '
        'aria-label="Facts"><table><thead><tr><th scope="col">fact</th><th scope="col">value</th>'
        f'<th scope="col">source</th></tr></thead><tbody>\n{rows}{missing}</tbody></table></div></details>'
    )
