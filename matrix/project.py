"""A project that is not installed yet: which torch would its installer take on this machine, and does that fit?"""

from __future__ import annotations

from dataclasses import replace

from torchdoctor.matrix.case import Asked, Case
from torchdoctor.matrix.catalog import Catalog
from torchdoctor.matrix.checks._leads import leads
from torchdoctor.matrix.checks.companions import companion_mismatch
from torchdoctor.matrix.findings import finding
from torchdoctor.matrix.fit import installed_torch
from torchdoctor.matrix.judge import Judgement, judge
from torchdoctor.matrix.platforms import platforms_of
from torchdoctor.matrix.request import RequestError, normal_variant, wanted
from torchdoctor.matrix.requirements import interpreter_tag
from torchdoctor.matrix.suppress import suppress
from torchdoctor.matrix.verdict import Evidence, Finding, Verdict
from torchdoctor.probes.facts import Facts, Torch

__all__ = ["judge_project", "would_take"]


_PINS = ("locked", "requirement", "project.dependencies")


def would_take(facts: Facts, catalog: Catalog) -> Asked:
    """The release and variant that ``facts.request`` and ``facts.settings`` lead to: the newest release that fits and has
    a wheel for this interpreter, in the variant of the index it comes from. What cannot be told is left open.
    """
    text, variant = facts.request.torch, _request_variant(facts)
    try:
        want = wanted(text)
    except RequestError:
        return Asked(torch=None, variant=variant, by="report")
    possible, tag = platforms_of(facts).possible, interpreter_tag(facts)
    variant = variant or want.variant
    if len(possible) != 1 or tag is None or facts.request.installer == "conda":
        return Asked(torch=text, variant=variant, by="report")
    platform = possible[0]
    for release in catalog.releases():
        taken = variant or release.default_index.get(platform)
        if not want.matches(release.version) or taken is None or release.build(_plain(taken), platform) is None:
            continue
        if tag in release.tags(platform, "own" if variant else "default"):
            return Asked(torch=f"=={release.version}", variant=_open(facts, taken), by="report")
    return Asked(torch=text, variant=variant, by="report")


def _request_variant(facts: Facts) -> str | None:
    try:
        named = normal_variant(facts.request.variant)
    except RequestError:
        named = None
    if named:
        return named
    tool = "uv" if facts.request.installer in ("uv", None) else "pip"
    found = [lead for lead in leads(facts) if lead.tool == tool or tool == "uv"]
    return found[0].variant if found else None


def _plain(variant: str) -> str:
    return "cpu" if variant == "mps" else variant


def _open(facts: Facts, variant: str) -> str | None:
    """The variant to judge. A GPU build on a machine without GPU works, as a CPU build does: nothing to insist on."""
    vendor = {"cu": "nvidia", "rocm": "amd", "xpu": "intel"}.get(variant.rstrip("0123456789."))
    present = {g.vendor for g in facts.gpus or ()}
    if variant == "cpu":
        return "cpu" if facts.system.os != "macos" else None
    return variant if vendor in present else None


def judge_project(facts: Facts, asked: Asked, *, catalog: Catalog | None = None, every: bool = False) -> Judgement:
    """Judge what a project (in ``facts.request`` and ``facts.settings``) would install; nothing installed counts."""
    catalog = catalog or Catalog()
    plain = facts.replace(torch=Torch(), packages=None, distributions=None)
    if asked.torch is None and normal_variant(asked.variant) is None:
        plan = would_take(plain, catalog)
        asked = replace(asked, torch=plan.torch, variant=plan.variant, by="report")
    found = judge(plain, asked, catalog=catalog, every=every)
    extra = (*_companions(found.facts, asked, catalog), *_cpu_build(found, asked, catalog))
    more = tuple(f for f in extra if all(f.id != k.id for k in found.verdict.findings))
    return replace(found, verdict=_with(found.verdict, more)) if more else found


def _companions(facts: Facts, asked: Asked, catalog: Catalog) -> list[Finding]:
    """Do the locked or pinned companions pair with the torch beside them?"""
    pinned: dict[str, str] = {}
    file = (facts.source("request.torch") or "").rpartition(":")[0]
    for row in facts.settings or ():
        if row.file == file and row.key in _PINS and "==" in (row.value or ""):
            name, _, version = (row.value or "").partition(";")[0].partition(" @ ")[0].partition("==")
            pinned.setdefault(name.strip(), version.strip())
    try:
        exact = wanted(asked.torch).exact
    except RequestError:
        exact = None
    if exact is None or len(pinned) < 2:
        return []
    rows = tuple(
        Evidence(fact=f"settings[{i}].value", value=row.value, source=f"{row.file}:{row.line}")
        for i, row in enumerate(facts.settings or ())
        if row.file == file
        and row.key in _PINS
        and (row.value or "").startswith(("torchvision", "torchaudio", "torch="))
    )
    told = facts.replace(packages={**pinned, "torch": exact}, torch=Torch(version=exact, variant=asked.variant))
    case = Case(facts=told, catalog=catalog, asked=asked, installed=installed_torch(told, catalog))
    return [
        replace(f, about="request", detail=f.detail.replace("is installed", "is asked for"), evidence=rows)
        for f in companion_mismatch(case)
    ]


def _cpu_build(found: Judgement, asked: Asked, catalog: Catalog) -> list[Finding]:
    """The project takes the CPU build where this machine's GPU could be used."""
    best = found.verdict.alternative or found.verdict.recommendation
    facts, taken = found.facts, asked.variant
    if best is None or taken != "cpu" or best.variant in ("cpu", "mps"):
        return []
    case = Case(facts=facts, catalog=catalog, asked=asked)
    where = facts.source("request.torch") or facts.source("request.variant") or "the project"
    return [
        finding(
            "index-configuration",
            case,
            about="request",
            severity="warning",
            detail=f"The project takes the CPU build of torch ({where}); the GPU here could use {best.variant}.",
            evidence=("request.torch", "request.variant", "request.index"),
            fix=f"if the GPU is to be used, let torch come from {best.index_url or 'the default package index'}",
        )
    ]


def _with(verdict: Verdict, more: tuple[Finding, ...]) -> Verdict:
    worse = verdict.status in ("ok", "unknown") and any(f.severity == "blocker" for f in more)
    return replace(
        verdict,
        status="mismatch" if worse else verdict.status,
        summary=next(f.detail for f in more if f.severity == "blocker") if worse else verdict.summary,
        findings=suppress((*verdict.findings, *more)),
    )
