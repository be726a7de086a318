"""A judged machine as a versioned document: the report that every format is rendered from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from torchdoctor import __version__
from torchdoctor.matrix.catalog import MATRIX_DATE
from torchdoctor.matrix.verdict import Finding, Recommendation, Verdict
from torchdoctor.probes.facts import Facts
from torchdoctor.probes.frozen import dataclass
from torchdoctor.probes.patterns import regex
from torchdoctor.probes.profile import facts_to_mapping
from torchdoctor.probes.public import no_credentials, public
from torchdoctor.probes.variables import allowed_variables

__all__ = ["DOCS", "SCHEMA", "Report", "error_report", "failed", "schema"]

SCHEMA = "torchdoctor/report/1"
DOCS = "https://torchdoctor.readthedocs.io/findings/"

# pip prints Windows' paths in lower case, Python those of objects with doubled backslashes; a name may have blanks there.
_HOME = regex(
    r"(?:/home/|(?:\b[A-Za-z]:)?[\\/]\\?(?:[Uu]sers|USERS)[\\/]\\?)"
    r"[^/\\\s:;'\"]{1,64}(?:(?: [^/\\\s:;'\"]{1,64}){1,3}(?=\\))?|/root(?=[/:\s]|$)"
)
_LEVELS = ("note", "warning", "blocker")


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """One judged machine. ``source`` is (kind, name); ``commands`` the recommendation's command by installer name;
    ``leftovers`` names programs that could not be ended. Made by :mod:`torchdoctor.api`.
    """

    source: tuple[str, str]
    facts: Facts
    verdict: Verdict
    commands: Mapping[str, str] = field(default_factory=dict)
    alternative_commands: Mapping[str, str] = field(default_factory=dict)
    timings: Mapping[str, float] = field(default_factory=dict)
    leftovers: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The document of schema ``torchdoctor/report/1``: keys in a fixed order, nothing personal in it."""
        verdict, facts = self.verdict, self.facts
        profile = facts_to_mapping(facts, _no_names)
        if profile["environment"] is not None:
            profile["environment"] = dict(sorted(allowed_variables(profile["environment"]).items()))
        # What the machine, the report or the caller said is cleaned; every other word is the matrix's own.
        return {
            "schema": SCHEMA,
            "tool": {"version": __version__, "matrix": MATRIX_DATE},
            "source": {"kind": self.source[0], "name": _no_names(self.source[1])},
            "verdict": verdict.status,
            "summary": _no_names(verdict.summary),
            "facts": profile,
            "sources": {path: _no_names(source) for path, source in sorted(facts.sources.items())},
            "unknown": {path: _no_names(reason) for path, reason in sorted(facts.unknown.items())},
            "findings": [_finding(f) for f in verdict.findings],
            "requires": [{"what": r.what, "met": r.met is True, "why": list(r.why)} for r in verdict.requires],
            "alternative": _recommendation(verdict.alternative, self.alternative_commands),
            "recommendation": _recommendation(verdict.recommendation, self.commands),
            "candidates": [
                {
                    "torch": c.torch,
                    "variant": c.variant,
                    "accepted": c.accepted,
                    "reasons": list(c.reasons),
                    "unknown": list(c.unknown),
                }
                for c in verdict.candidates
            ],
        }

    def to_json(self, *, indent: int | None = 2, ascii: bool = False) -> str:
        """The document as JSON text; one line with ``indent=None``."""
        import json

        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=ascii)


def failed(report: Report, fail_on: str) -> bool:
    """Whether a gate at ``fail_on`` (``blocker``, ``warning`` or ``never``) stops this machine. A requirement that is not
    met always does.
    """
    if any(r.met is not True for r in report.verdict.requires):
        return True
    if fail_on == "never":
        return False
    floor = _LEVELS.index(fail_on)
    return any(_LEVELS.index(f.severity) >= floor for f in report.verdict.findings)


def error_report(kind: str, name: str, error: str) -> dict[str, Any]:
    """What stands in a stream of reports in place of an input that could not be read."""
    return {"schema": SCHEMA, "source": {"kind": kind, "name": _no_names(name)}, "error": _no_names(error)}


def schema() -> dict[str, Any]:
    """The JSON Schema every report validates against."""
    import json
    from importlib.resources import files

    text = (files("torchdoctor") / "schema" / "report.json").read_text(encoding="utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "id": finding.id,
        "severity": finding.severity,
        "about": finding.about,
        "title": _no_names(finding.title),
        "detail": _no_names(finding.detail),
        "evidence": [
            {"fact": e.fact, "value": e.value and _no_names(e.value), "source": e.source and _no_names(e.source)}
            for e in finding.evidence
        ],
        "fix": [_no_names(f) for f in finding.fix],
        "docs": f"{DOCS}{finding.id}/",
    }


def _recommendation(recommendation: Recommendation | None, commands: Mapping[str, str]) -> dict[str, Any] | None:
    if recommendation is None:
        return None
    return {
        "torch": recommendation.torch,
        "variant": recommendation.variant,
        "index_url": recommendation.index_url and _no_homes(recommendation.index_url),
        "packages": dict(recommendation.packages),
        # A command stays one that works: the mirror in it is the one that was named.
        "commands": {installer: _no_homes(command) for installer, command in commands.items()},
        "confidence": recommendation.confidence,
        "upgrade": recommendation.upgrade,
    }


def _no_names(text: str) -> str:
    """A text that may be pasted in public."""
    if len(text) < 5:  # not even /root
        return text
    return public(_no_homes(text))


def _no_homes(text: str) -> str:
    """Home folders become ``~``, and credentials in URLs go."""
    text = no_credentials(text)
    if ("/" in text or "\\" in text) and ("/home/" in text or "sers" in text or "/root" in text or "SERS" in text):
        text = _HOME.sub("~", text)
    return text
