"""The whole judgement of one machine: infer, choose, check, and say it in one verdict."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from torchdoctor.matrix import advice
from torchdoctor.matrix.case import Asked, Case
from torchdoctor.matrix.catalog import Catalog
from torchdoctor.matrix.checks import run_checks
from torchdoctor.matrix.fit import fit, installed_torch, unjudged
from torchdoctor.matrix.gpu_needs import assumed_vendors
from torchdoctor.matrix.grounds import OUTSIDE
from torchdoctor.matrix.infer import infer
from torchdoctor.matrix.offers import adopt_offer
from torchdoctor.matrix.request import RequestError, Wanted, in_family, normal_variant, wanted
from torchdoctor.matrix.rosetta import rosetta_findings
from torchdoctor.matrix.select import Choice, choose
from torchdoctor.matrix.shortfall import request_findings
from torchdoctor.matrix.suppress import suppress
from torchdoctor.matrix.verdict import Candidate, Finding, Recommendation, Require, Status, Verdict
from torchdoctor.probes.facts import Facts, dataclass

__all__ = ["Judgement", "judge"]

_VENDORS = {"cuda": "nvidia", "rocm": "amd", "xpu": "intel", "mps": "apple"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """The verdict together with the facts it was made from, completed by what the matrix could infer."""

    facts: Facts
    verdict: Verdict


def judge(
    facts: Facts,
    asked: Asked | None = None,
    *,
    catalog: Catalog | None = None,
    every: bool = False,
    report: bool = False,
) -> Judgement:
    """Judge one machine. ``asked`` is the caller's request; for a pasted ``report`` without one, what the report shows was
    tried counts. ``every`` examines all candidates. Raises :class:`~torchdoctor.matrix.request.RequestError` for a request
    of the caller's that cannot be understood.
    """
    catalog = catalog or Catalog()
    facts = adopt_offer(infer(facts))
    asked = asked or Asked()
    want, variant = wanted(asked.torch), normal_variant(asked.variant)
    if asked.torch is None and variant is None and report:
        asked, want, variant = _of_report(facts, asked)
    variant = variant or want.variant
    case = Case(facts=facts, catalog=catalog, asked=asked, installed=installed_torch(facts, catalog))
    today = choose(catalog, facts, wanted(None), _family(case, variant), every=every and asked.torch is None)
    requested = want.text is not None or variant is not None
    choice = choose(catalog, facts, want, variant, every=every) if requested else today
    own_request = requested and asked.by == "caller"
    over_installed = case.installed is not None and not own_request

    found: list[Finding] = list(rosetta_findings(case, want, choice, requested=requested or over_installed))
    if over_installed:
        found += fit(case, today)
    # A torch that was seen to use its GPU needs no other, though nothing else may be known of it.
    if requested or not (over_installed or facts.torch.gpu_available):
        found += request_findings(case, want, variant, choice, today)
    found += run_checks(case)
    found = [_idle_override(f, case, choice) for f in found if not _no_cure_here(f, today)]
    if asked.requires:
        found = [_required(f) for f in found]
    findings = tuple(suppress(found))
    if asked.ignore:
        findings = tuple(replace(f, severity="note") if f.id in asked.ignore else f for f in findings)
    recommended, alternative = _recommendations(case, choice, today, requested, findings)
    notes = tuple(advice.notes(case, choice, today, recommended, findings, requested=requested))
    findings = (*findings, *(n for n in notes if all(n.id != f.id for f in findings)))
    status = _status(findings, case, choice if requested or not over_installed else today, over_installed, report)
    if status == "unknown" or report:
        findings = (*findings, *_questions(case, findings, status, choice))
    requires = tuple(_require(what, case, choice, over_installed, findings) for what in asked.requires)
    return Judgement(
        facts=facts,
        verdict=Verdict(
            status=status,
            summary=advice.summary(status, case, findings, recommended, choice),
            findings=findings,
            requires=requires,
            recommendation=recommended,
            alternative=alternative,
            candidates=tuple(_candidate(j, choice) for j in choice.examined),
        ),
    )


def _family(case: Case, variant: str | None) -> str | None:
    """Where nobody said which GPU there is: the kind of build that was asked for or is installed tells what is wanted."""
    if case.facts.gpus is not None or assumed_vendors(case.facts):
        return None
    named = variant or (case.installed.variant if case.installed else None) or ""
    return next((family for family in ("cuda", "rocm") if in_family(named, family)), "xpu" if named == "xpu" else None)


def _of_report(facts: Facts, asked: Asked) -> tuple[Asked, Wanted, str | None]:
    """What the report shows was tried, as a request; an unreadable one is none."""
    try:
        want = wanted(facts.request.torch)
    except RequestError:
        want = wanted(None)
    try:
        variant = normal_variant(facts.request.variant)
    except RequestError:
        variant = None
    text = facts.request.torch if want.text else None
    return replace(asked, torch=text, variant=variant, by="report"), want, variant


def _required(finding: Finding) -> Finding:
    """With ``--require``, what keeps a GPU from being used is no longer only a warning."""
    from torchdoctor.matrix.shortfall import KEEPS_FROM_GPU

    return (
        replace(finding, severity="blocker")
        if finding.severity == "warning" and finding.id in KEEPS_FROM_GPU
        else finding
    )


def _idle_override(finding: Finding, case: Case, choice: Choice) -> Finding:
    """A wrong override harms ROCm builds only: where none is installed and none would be, it is but worth knowing."""
    if finding.id != "gfx-override-mismatch" or finding.about == "installed":
        return finding
    accepted = choice.accepted
    if accepted is None or accepted.build.vendor == "amd":
        return finding
    return replace(finding, severity="warning") if finding.severity == "blocker" else finding


def _no_cure_here(finding: Finding, today: Choice) -> bool:
    """That an installed release has no build for the GPU is no fault where no other release could use the GPU either."""
    if finding.id != "no-wheel-for-platform" or finding.about != "installed":
        return False
    return today.accepted is not None and not today.accepted.uses_gpu


def _status(findings: tuple[Finding, ...], case: Case, choice: Choice, over_installed: bool, report: bool) -> Status:
    blockers = [f for f in findings if f.severity == "blocker"]
    if any(f.lies_in in OUTSIDE for f in blockers):
        return "blocked"
    if blockers:
        return "mismatch"
    if case.symptom(*advice.TORCH_FAILED):
        return "unknown"  # torch was asked and failed, and nothing that is known explains it
    if over_installed:
        # A build that is there and that nothing speaks against is fine unless what it must meet is not known at all.
        if case.facts.torch.gpu_available:
            return "ok"
        if case.facts.torch.gpu_available is False:
            told = any(f.severity == "warning" for f in findings)
            return "unknown" if advice.unexplained(case) and not told else "ok"
        return "unknown" if case.facts.gpus is None or unjudged(case, choice) else "ok"
    if choice.accepted is None or choice.accepted.unknown:
        return "unknown"
    return "ok"


def _recommendations(
    case: Case, choice: Choice, today: Choice, requested: bool, findings: tuple[Finding, ...]
) -> tuple[Recommendation | None, Recommendation | None]:
    best = advice.recommendation(case, today, today)
    if not requested:
        return best, None
    mine = advice.recommendation(case, choice, today)
    blocked = any(f.severity == "blocker" and f.about == "request" for f in findings) or mine is None
    differs = best is not None and (mine is None or (mine.torch, mine.variant) != (best.torch, best.variant))
    if differs and (blocked or case.asked.by == "report"):
        return mine, best
    return mine, None


def _require(what: str, case: Case, choice: Choice, over_installed: bool, findings: tuple[Finding, ...]) -> Require:
    vendor = _VENDORS.get(what)
    why = tuple(dict.fromkeys(f.id for f in findings if f.severity == "blocker"))
    gpus = case.facts.gpus
    mine = [g for g in gpus or () if vendor is None or g.vendor == vendor]
    if why:
        return Require(what=what, met=False, why=why)
    if gpus is None and case.facts.system.os != "macos":
        return Require(what=what, met=None, why=("insufficient-data",))
    if over_installed:
        from torchdoctor.matrix.fit import _vendor

        built = _vendor(case.installed.variant) if case.installed else None
        if case.installed and case.installed.variant in ("cpu", "mps") and case.facts.system.os == "macos":
            built = "apple"
        met = built is not None and (vendor is None or built == vendor) and any(g.vendor == built for g in mine)
        return Require(what=what, met=met, why=() if met else ("wrong-variant",))
    accepted = choice.accepted
    met = accepted is not None and accepted.uses_gpu and (vendor is None or accepted.build.vendor == vendor)
    if met and accepted is not None and accepted.unknown:
        return Require(what=what, met=None, why=("insufficient-data",))
    return Require(what=what, met=met, why=() if met else ("gpu-not-found",) if not mine else ("wrong-variant",))


def _questions(case: Case, findings: tuple[Finding, ...], status: Status, choice: Choice) -> Iterator[Finding]:
    from torchdoctor.matrix.checks.questions import questions

    if status in ("ok", "unknown"):
        known = {f.id for f in findings}
        missing = choice.accepted.unknown if status == "unknown" and choice.accepted is not None else ()
        yield from (q for q in questions(case, missing, blind=status == "unknown") if q.id not in known)


def _candidate(judged: object, choice: Choice) -> Candidate:
    from torchdoctor.matrix.select import Judged

    assert isinstance(judged, Judged)
    return Candidate(
        torch=judged.build.torch,
        variant=judged.build.variant,
        accepted=judged is choice.accepted or judged.fits,
        reasons=judged.reasons,
        unknown=judged.unknown,
    )
