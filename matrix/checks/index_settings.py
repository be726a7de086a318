"""Settings of installers that lead elsewhere than the recommendation: which file and line does what."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from torchdoctor.matrix.case import Case
from torchdoctor.matrix.catalog import version_key
from torchdoctor.matrix.checks import check
from torchdoctor.matrix.checks._leads import Lead, index_variant, indexes_of, leads, shut_out, where
from torchdoctor.matrix.checks._packages import asked_variant
from torchdoctor.matrix.findings import finding
from torchdoctor.matrix.markers import holds
from torchdoctor.matrix.request import RequestError, wanted
from torchdoctor.matrix.select import Judged, choose
from torchdoctor.matrix.verdict import Evidence, Finding, Severity
from torchdoctor.probes.facts import Setting, dataclass

_ORDER: tuple[Severity, ...] = ("blocker", "warning", "note")
_NO_INDEX = ("no-index", "PIP_NO_INDEX", "UV_NO_INDEX", "tool.uv.no-index", "tool.uv.pip.no-index")


@dataclass(frozen=True, slots=True)
class _Fault:
    """One setting in the way: how much it matters, what it does, which one it is, what to do about it."""

    severity: Severity
    words: str
    place: int
    fix: tuple[str, ...]


@check("index-configuration")
def index_configuration(case: Case) -> Iterator[Finding]:
    """Settings that make an installer take something else than what this machine should have."""
    if not case.facts.settings:
        return
    best = _recommended(case)
    faults = sorted((f for look in _LOOKS for f in look(case, best)), key=lambda f: _ORDER.index(f.severity))
    if not faults:
        return
    worst = faults[0].severity
    told = [f for f in faults if f.severity == worst][:4]
    yield finding(
        "index-configuration",
        case,
        severity=worst,
        detail="; ".join(f.words for f in told) + ".",
        evidence=[_evidence(case, f.place) for f in told],
        fix=[step for f in told for step in f.fix],
    )


def _evidence(case: Case, place: int) -> Evidence:
    row = (case.facts.settings or ())[place]
    source = f"{row.file}:{row.line}" if row.line else row.file
    return Evidence(fact=f"settings[{place}]", value=f"{row.key} = {row.value}", source=source)


def _recommended(case: Case) -> Judged | None:
    try:
        want = wanted(case.asked.torch)
    except RequestError:
        return None
    return choose(case.catalog, case.facts, want, asked_variant(case)).accepted


def _severity(case: Case, best: Judged) -> Severity:
    """A warning where something is about to be installed or the wrong build is there, else a note."""
    installed = case.installed
    if installed is None or case.asked.torch or asked_variant(case):
        return "warning"
    return "warning" if _kind(installed.variant) != _kind(best.build.variant) else "note"


def _kind(variant: str | None) -> str:
    return (variant or "").rstrip("0123456789.")


def _takes_over(lead: Lead, best: Judged) -> bool:
    """Would the setting make the recommended command install that other variant?"""
    if lead.tool == "uv" or best.index_url is None:
        return True
    # ``--index-url`` on the command line replaces a main index; an extra one stays, and the greater local version wins.
    return not lead.main and lead.variant > best.build.variant


def _other_variant(case: Case, best: Judged | None) -> Iterator[_Fault]:
    """A configured index or backend that gives another kind of build than this machine should have."""
    if best is None or not best.uses_gpu:
        return
    for lead in leads(case.facts):
        if not _takes_over(lead, best) or lead.variant == best.build.variant:
            continue
        if _kind(lead.variant) == _kind(best.build.variant):
            if choose(case.catalog, case.facts, wanted(None), lead.variant).accepted is not None:
                continue
            what = f"{lead.variant} builds, which this machine cannot use"
        else:
            what = "CPU builds" if lead.variant == "cpu" else f"{lead.variant} builds, which are for other GPUs"
        yield _Fault(
            _severity(case, best),
            f"{where(lead.setting)} makes {lead.tool} take {what}; recommended here is {best.build.variant}",
            lead.place,
            (f"remove or change {where(lead.setting)}",),
        )


def _marker_shuts_out(case: Case, best: Judged | None) -> Iterator[_Fault]:
    """``tool.uv.sources`` gives torch an index on other systems only: here the default index and its variant are taken."""
    if best is None or not best.uses_gpu or best.index_url is None:
        return
    for place, row in enumerate(case.facts.settings or ()):
        if (row.key or "").endswith("sources.torch") and shut_out(row.value or "", case.facts):
            yield _Fault(
                _severity(case, best),
                f"{where(row)} names no index for this system, so uv takes the default one, which has no {best.build.variant} build here",
                place,
                (f"add an entry for this system, or take the marker away: {best.index_url} has builds for it",),
            )


def _explicit_unused(case: Case, best: Judged | None) -> Iterator[_Fault]:
    """An explicit index serves only what ``tool.uv.sources`` takes from it, and torch is not taken from it."""
    rows = case.facts.settings or ()
    if best is None or not best.uses_gpu or best.index_url is None:
        return
    if any((row.key or "").endswith("sources.torch") for row in rows):
        return
    addresses = dict(indexes_of(rows))
    for place, row in enumerate(rows):
        match = re.fullmatch(r"tool\.uv\.index\.(?:([^.]{1,80})\.)?explicit", row.key or "")
        name, _, value = (row.value or "").rpartition(" ")
        if match and not match[1] and not _took_another(case, best):
            continue  # a paste may leave the entry out that takes torch from there
        name = (match[1] or name) if match else ""
        if value == "true" and name and _kind(index_variant(addresses.get(name))) == _kind(best.build.variant):
            yield _Fault(
                _severity(case, best),
                f"the index {name} ({where(row)}) is explicit and no entry of tool.uv.sources takes torch from it, so uv takes the default one, which has no {best.build.variant} build here",
                place,
                (f'[tool.uv.sources] torch = {{ index = "{name}" }}',),
            )


def _took_another(case: Case, best: Judged) -> bool:
    return case.installed is not None and _kind(case.installed.variant) != _kind(best.build.variant)


def _pins(case: Case, best: Judged | None) -> Iterator[_Fault]:
    """A constraint or override keeps the recommended release out."""
    rows = [(i, r) for i, r in enumerate(case.facts.settings or ()) if _is_pin(r)]
    if best is None or not rows:
        return
    from packaging.requirements import InvalidRequirement, Requirement

    for place, row in rows:
        try:
            pin = Requirement(row.value or "")
        except InvalidRequirement:
            continue
        if pin.name.lower() != "torch" or (pin.marker and not holds(str(pin.marker), case.facts)):
            continue
        if not pin.specifier.contains(best.build.torch, prereleases=True):
            yield _Fault(
                "warning" if case.installed is None else "note",
                f"{where(row)} allows torch{pin.specifier} only; recommended here is {best.build.torch}",
                place,
                (f"lift {where(row)}, or ask for what it allows: --torch '{pin.specifier}'",),
            )


def _is_pin(row: Setting) -> bool:
    # Most constraints are about something else; reading one as a requirement takes an import that costs as much as click.
    key = row.key or ""
    if not (row.value or "").lstrip().lower().startswith("torch"):
        return False
    return key == "constraint" or key.endswith(("constraint-dependencies", "override-dependencies"))


def _no_index(case: Case, best: Judged | None) -> Iterator[_Fault]:
    """pip or uv is told to ask no index at all."""
    if case.installed is not None:
        return
    for place, row in enumerate(case.facts.settings or ()):
        if row.key in _NO_INDEX and (row.value or "").lower() in ("true", "1", "yes", "on"):
            yield _Fault(
                "warning",
                f"{where(row)} lets no index be asked: only what find-links names can be installed",
                place,
                (f"remove {where(row)}, or put the recommended wheels where find-links looks",),
            )


def _pretended(case: Case, best: Judged | None) -> Iterator[_Fault]:
    """A variable makes the installer believe in another driver or GPU than the machine has."""
    driver = case.facts.drivers.nvidia
    capabilities = {g.compute_capability for _, g in case.gpus("nvidia") if g.compute_capability}
    targets = {g.gfx for _, g in case.gpus("amd") if g.gfx}
    for place, row in enumerate(case.facts.settings or ()):
        key, value, real = row.key or "", row.value or "", None
        number = version_key(value)
        if key == "UV_CUDA_DRIVER_VERSION" and driver.version and version_key(driver.version)[:1] != number[:1]:
            real = f"the driver is {driver.version}"
        elif (
            key == "NV_VARIANT_PROVIDER_FORCE_CUDA_DRIVER_VERSION"
            and driver.cuda
            and version_key(driver.cuda)[:2] != number[:2]
        ):
            real = f"the driver speaks CUDA {driver.cuda}"
        elif (
            key == "NV_VARIANT_PROVIDER_FORCE_SM_ARCH" and capabilities and value.replace("_", ".") not in capabilities
        ):
            real = f"the GPU is {', '.join(sorted(capabilities))}"
        elif key == "UV_AMD_GPU_ARCHITECTURE" and targets and value not in targets:
            real = f"the GPU is {', '.join(sorted(targets))}"
        if real is not None:
            yield _Fault(
                "warning",
                f"{where(row)} says {value}, {real}: the installer chooses for a machine that this is not",
                place,
                (f"unset {key}",),
            )


def _impossible_requirement(case: Case, best: Judged | None) -> Iterator[_Fault]:
    """A requirement that no index can meet: a local version that this system's wheels do not carry, a variant in the name."""
    os = case.facts.system.os
    for place, row in enumerate(case.facts.settings or ()):
        key, value = row.key or "", row.value or ""
        if not key.endswith(("dependencies", "requirement", "dependencies.torch", "sources.torch")) and key != "locked":
            continue
        if re.match(r"torch\+", value):
            yield _Fault(
                "blocker",
                f"{where(row)} asks for a package called {value.split('>')[0].split('<')[0].split('=')[0]!r}: a variant is no part of a name",
                place,
                ("name the package torch and choose the variant by its index",),
            )
        elif (
            os == "macos"
            and "marker" not in value
            and ";" not in value
            and re.search(r"\d\+(?:cpu|cu\d{2,3}|rocm|xpu)", value)
        ):
            yield _Fault(
                "blocker",
                f"{where(row)} asks for {value[:60]}: macOS wheels carry no such suffix",
                place,
                ("ask for the version without its suffix on macOS (a marker can tell the systems apart)",),
            )


def _locked_elsewhere(case: Case, best: Judged | None) -> Iterator[_Fault]:
    """The lock file holds wheels of torch for other systems only, though the release has one for this."""
    tag = {"windows": "win", "macos": "macosx", "linux": "linux"}.get(case.facts.system.os or "")
    machine = case.facts.python.machine or case.facts.system.machine
    names = {"x86_64": ("x86_64", "amd64"), "aarch64": ("aarch64", "arm64")}.get(machine or "")
    if tag is None or names is None:
        return
    rows = [(i, r) for i, r in enumerate(case.facts.settings or ()) if r.key == "locked.platforms" and r.value]
    held = [p for _, r in rows for p in (r.value or "").split()]
    # One lock may hold several torches, each for its systems: together they must serve this one.
    if not rows or "any" in held or any(tag in p and p.endswith(names) for p in held):
        return
    place, row = rows[0]
    yield _Fault(
        "blocker",
        f"{where(row)} holds wheels of torch for {' '.join(sorted(set(held)))[:200]} only",
        place,
        ("give torch its index for this system too (a source with a marker for each), then lock again",),
    )


_LOOKS: tuple[Callable[[Case, Judged | None], Iterator[_Fault]], ...] = (
    _other_variant,
    _marker_shuts_out,
    _explicit_unused,
    _pins,
    _no_index,
    _pretended,
    _impossible_requirement,
    _locked_elsewhere,
)
