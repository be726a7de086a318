"""Settings of installers that lead elsewhere than the recommendation: which file and line does what."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from torchdoctor.matrix.case import Case
from torchdoctor.matrix.catalog import version_key
from torchdoctor.matrix.checks import check
from torchdoctor.matrix.checks._markers import holds
from torchdoctor.matrix.findings import finding
from torchdoctor.matrix.request import RequestError, normal_variant, wanted
from torchdoctor.matrix.select import Judged, choose
from torchdoctor.matrix.verdict import Evidence, Finding, Severity
from torchdoctor.probes.facts import Setting

_INDEX = re.compile(
    r"/(?:whl|nightly|test)/(?:nightly/|test/)?(cpu|cu\d{2,3}|rocm\d{1,2}(?:\.\d{1,2}){1,2}|xpu)(?=[/\s\"')]|\Z)"
)
_MARKED = re.compile(r"\{([^{}]{0,400})\}")
_SOURCE = "tool.uv.sources."
_MAIN_INDEX = ("index-url", "PIP_INDEX_URL", "UV_INDEX_URL", "UV_DEFAULT_INDEX")
_MORE_INDEXES = (
    "extra-index-url",
    "PIP_EXTRA_INDEX_URL",
    "UV_EXTRA_INDEX_URL",
    "UV_INDEX",
    "find-links",
    "PIP_FIND_LINKS",
)


@dataclass(frozen=True, slots=True)
class _Lead:
    """A setting that leads to a variant: its place in the facts, how it is written, by what it works."""

    place: int
    setting: Setting
    variant: str
    tool: str  # "pip", "uv", "poetry"
    main: bool  # stands in for the default index, rather than beside it


def _variant(url: str | None) -> str | None:
    match = _INDEX.search(url or "")
    return match[1] if match else None


def _where(setting: Setting) -> str:
    if setting.file in (None, "environment"):
        return f"the variable {setting.key}"
    return f"{setting.file}" + (f", line {setting.line}" if setting.line else "") + f" ({setting.key})"


def _evidence(place: int, setting: Setting) -> Evidence:
    where = setting.file or ""
    return Evidence(
        fact=f"settings[{place}]",
        value=f"{setting.key} = {setting.value}",
        source=f"{where}:{setting.line}" if setting.line else where or None,
    )


def _leads(case: Case) -> Iterator[_Lead]:
    """Every setting that names an index or backend of one variant."""
    rows = case.facts.settings or ()
    indexes = {
        (r.key or "").rpartition(".")[2]: r.value
        for r in rows
        if re.match(r"tool\.uv\.index\.[^.]{1,80}\Z", r.key or "")
    }
    for place, row in enumerate(rows):
        key, value = row.key or "", row.value or ""
        if key in ("tool.uv.torch-backend", "tool.uv.pip.torch-backend", "UV_TORCH_BACKEND"):
            try:
                named = normal_variant(value)
            except RequestError:
                named = None
            if named:
                yield _Lead(place, row, named, "uv", True)
        elif key == f"{_SOURCE}torch":
            source = _source_index(case, value)
            variant = _variant(indexes.get(source)) if source else None
            if variant:
                yield _Lead(place, row, variant, "uv", True)
        elif (main := _is_one_of(key, _MAIN_INDEX)) or _is_one_of(key, _MORE_INDEXES):
            if named := _variant(value):
                yield _Lead(place, row, named, "uv" if key.startswith(("UV_", "tool.uv")) else "pip", main)


def _is_one_of(key: str, names: tuple[str, ...]) -> bool:
    return key in names or key.rpartition(".")[2] in names


def _source_index(case: Case, value: str) -> str | None:
    """The index a ``tool.uv.sources`` entry names for this machine; empty where every marker shuts it out."""
    for part in _MARKED.findall(value):
        index = re.search(r"index\s{0,4}=\s{0,4}[\"']([^\"']{1,80})[\"']", part)
        marker = re.search(r"marker\s{0,4}=\s{0,4}(?:\"([^\"]{1,300})\"|'([^']{1,300})')", part)
        if index and (marker is None or holds(marker[1] or marker[2], case.facts)):
            return index[1]
    return None


def _recommended(case: Case) -> Judged | None:
    try:
        want, variant = wanted(case.asked.torch), normal_variant(case.asked.variant)
    except RequestError:
        return None
    return choose(case.catalog, case.facts, want, variant).accepted


def _severity(case: Case, best: Judged) -> Severity:
    """A warning where something is about to be installed (or the wrong build is there), else a note."""
    installed = case.installed
    if installed is None or case.asked.torch or case.asked.variant or not best.uses_gpu:
        return "warning" if installed is None else "note"
    return "warning" if _kind(installed.variant) != _kind(best.build.variant) else "note"


def _kind(variant: str | None) -> str:
    return (variant or "").rstrip("0123456789.")


def _takes_over(lead: _Lead, best: Judged) -> bool:
    """Would the setting make the recommended command install that other variant?"""
    if lead.tool == "uv" or best.index_url is None:
        return True
    # ``--index-url`` on the command line replaces a main index; an extra one stays, and the greater local version wins.
    return not lead.main and lead.variant > best.build.variant


@check("index-configuration")
def leads_to_another_variant(case: Case) -> Iterator[Finding]:
    """A configured index or backend that gives another kind of build than this machine should have."""
    leads = list(_leads(case))
    best = _recommended(case) if leads else None
    if best is None or not best.uses_gpu:
        return
    for lead in leads:
        if not _takes_over(lead, best):
            continue
        if _kind(lead.variant) == _kind(best.build.variant):
            if lead.variant == best.build.variant or _works(case, lead.variant):
                continue
            what = f"{lead.variant} builds, which this machine cannot use"
        else:
            what = "CPU builds" if lead.variant == "cpu" else f"{lead.variant} builds, which are for other GPUs"
        severity = _severity(case, best)
        yield finding(
            "index-configuration",
            case,
            about="machine",
            severity=severity,
            detail=f"{_where(lead.setting)} makes {lead.tool} take {what}; recommended here is {best.build.variant}.",
            evidence=(_evidence(lead.place, lead.setting),),
            fix=(
                f"remove or change it: {_where(lead.setting)}",
                f"or override it for one command: --index-url {best.index_url or 'with the default package index'}",
            ),
        )
        return


def _works(case: Case, variant: str) -> bool:
    return choose(case.catalog, case.facts, wanted(None), variant).accepted is not None


@check("index-configuration")
def marker_shuts_out(case: Case) -> Iterator[Finding]:
    """``tool.uv.sources`` gives torch an index on other systems only; here the default index and its variant are taken."""
    for place, row in enumerate(case.facts.settings or ()):
        if row.key != f"{_SOURCE}torch" or "marker" not in (row.value or "") or _source_index(case, row.value or ""):
            continue
        if case.facts.system.os is None:
            continue
        best = _recommended(case)
        if best is None or not best.uses_gpu or best.index_url is None:
            continue
        yield finding(
            "index-configuration",
            case,
            severity=_severity(case, best),
            detail=f"{_where(row)} names no index for this system: uv takes the default one, which has no {best.build.variant} build here.",
            evidence=(_evidence(place, row),),
            fix=f"add an entry for this system, or take the marker away: the index {best.index_url} has builds for it",
        )
        return


@check("index-configuration")
def pins_below(case: Case) -> Iterator[Finding]:
    """A constraint, override or the like keeps the recommended release out."""
    rows = [(i, r) for i, r in enumerate(case.facts.settings or ()) if _is_pin(r)]
    best = _recommended(case) if rows else None
    if best is None:
        return
    from packaging.requirements import InvalidRequirement, Requirement

    for place, row in rows:
        try:
            requirement = Requirement(row.value or "")
        except InvalidRequirement:
            continue
        if requirement.name.lower() != "torch" or (
            requirement.marker and not holds(str(requirement.marker), case.facts)
        ):
            continue
        if requirement.specifier.contains(best.build.torch, prereleases=True):
            continue
        yield finding(
            "index-configuration",
            case,
            severity="warning" if case.installed is None else "note",
            detail=f"{_where(row)} allows torch{requirement.specifier} only; recommended here is {best.build.torch}.",
            evidence=(_evidence(place, row),),
            fix=(f"lift it: {_where(row)}", f"or ask for what it allows: --torch '{requirement.specifier}'"),
        )
        return


def _is_pin(row: Setting) -> bool:
    key = row.key or ""
    return key == "constraint" or key.endswith(("constraint-dependencies", "override-dependencies"))


@check("index-configuration")
def no_index(case: Case) -> Iterator[Finding]:
    """pip or uv is told to ask no index at all."""
    if case.installed is not None:
        return
    for place, row in enumerate(case.facts.settings or ()):
        if row.key not in ("no-index", "PIP_NO_INDEX", "UV_NO_INDEX", "tool.uv.no-index", "tool.uv.pip.no-index"):
            continue
        if (row.value or "").lower() in ("true", "1", "yes", "on"):
            yield finding(
                "index-configuration",
                case,
                severity="warning",
                detail=f"{_where(row)}: no index is asked, only what find-links names can be installed.",
                evidence=(_evidence(place, row),),
                fix=f"remove it ({_where(row)}), or put the recommended wheels where find-links looks",
            )
            return


@check("index-configuration")
def pretended_hardware(case: Case) -> Iterator[Finding]:
    """A variable makes the installer believe in another driver or GPU than the machine has."""
    driver = case.facts.drivers.nvidia
    capabilities = {g.compute_capability for _, g in case.gpus("nvidia") if g.compute_capability}
    targets = {g.gfx for _, g in case.gpus("amd") if g.gfx}
    for place, row in enumerate(case.facts.settings or ()):
        key, value, real = row.key or "", row.value or "", None
        if (
            key == "UV_CUDA_DRIVER_VERSION"
            and driver.version
            and version_key(driver.version)[:1] != version_key(value)[:1]
        ):
            real = f"the driver is {driver.version}"
        elif key == "NV_VARIANT_PROVIDER_FORCE_CUDA_DRIVER_VERSION" and driver.cuda:
            if version_key(value)[:2] != version_key(driver.cuda)[:2]:
                real = f"the driver speaks CUDA {driver.cuda}"
        elif key == "NV_VARIANT_PROVIDER_FORCE_SM_ARCH" and capabilities:
            if value.replace("_", ".") not in capabilities:
                real = f"the GPU is {', '.join(sorted(capabilities))}"
        elif key == "UV_AMD_GPU_ARCHITECTURE" and targets and value not in targets:
            real = f"the GPU is {', '.join(sorted(targets))}"
        if real is None:
            continue
        yield finding(
            "index-configuration",
            case,
            severity="warning",
            detail=f"{_where(row)} says {value}, {real}: the installer chooses for a machine that this is not.",
            evidence=(_evidence(place, row),),
            fix=f"unset {key}",
        )
        return
