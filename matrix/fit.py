"""The installed torch against this machine: can the build that is there use what the machine has?"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from torchdoctor.matrix.case import Case, Installed
from torchdoctor.matrix.catalog import Build, Catalog, Release, line_of, version_key
from torchdoctor.matrix.findings import finding
from torchdoctor.matrix.gpu_needs import accelerated_gpus, assumed_vendors
from torchdoctor.matrix.grounds import install_hint, telling, to_findings
from torchdoctor.matrix.outcome import Outcome
from torchdoctor.matrix.platforms import interpreter_machine, platforms_of
from torchdoctor.matrix.request import RequestError, in_family, normal_variant
from torchdoctor.matrix.requirements import requirements
from torchdoctor.matrix.select import Choice, Judged, gpu_vendors
from torchdoctor.matrix.verdict import Finding
from torchdoctor.probes.facts import Facts

__all__ = ["fit", "installed_torch", "unjudged"]

_LEFT_ALONE = ("source", "vendor", "editable", "nightly", "conda")
"""Origins whose version number names no stock wheel."""

_FAMILIES = ("cuda", "rocm")
"""Variants that name a vendor's builds without saying which."""

_ASKED_OF_INSTALLED = frozenset(
    {"driver-too-old", "gpu-below-minimum", "gpu-newer-than-wheel", "gpu-arch-missing", "jetson-needs-vendor-wheel",
     "gfx-unsupported", "xpu-gpu-unsupported", "macos-too-old", "arm-lacks-lse", "glibc-too-old", "musl"}
)  # fmt: skip
"""What can still be wrong with a build that got installed: its interpreter was right, or pip would have refused."""


def installed_torch(facts: Facts, catalog: Catalog) -> Installed | None:
    """What the facts say of an installed torch; ``None`` where there is none or none is known."""
    text = facts.torch.version or (facts.packages or {}).get("torch") or ""
    if not text and not facts.torch.kernels:
        return None
    version, _, local = text.partition("+")
    origin = facts.torch.origin
    stock_number = origin not in _LEFT_ALONE and not _is_prerelease(version)
    release = catalog.release(version) if stock_number else None
    variant = _variant(facts, local, release)
    kernels, source = facts.torch.kernels, facts.source("torch.kernels")
    build = _stock_build(release, variant, facts) if release and variant else None
    if kernels is None and build is not None and build.kernels is not None:
        kernels, source = (*build.kernels, *(build.ptx or ())), f"matrix: {variant} wheel of torch {version}"
    return Installed(
        version=version,
        variant=variant,
        kernels=kernels,
        kernels_source=source,
        origin=origin,
        stock=build is not None,
        release=release,
    )


def _is_prerelease(version: str) -> bool:
    return any(mark in version for mark in ("dev", "a0", "a1", "b0", "rc"))


def _variant(facts: Facts, local: str, release: Release | None) -> str | None:
    arm_mac = facts.system.os == "macos" and interpreter_machine(facts) == "aarch64"
    if facts.torch.variant:
        return "mps" if facts.torch.variant == "cpu" and arm_mac else facts.torch.variant
    try:
        named = normal_variant(local.split(".post")[0]) if local else None
    except RequestError:
        named = None
    if named:
        return named
    if facts.torch.cuda:
        parts = facts.torch.cuda.split(".")
        return f"cu{parts[0]}{parts[1]}" if len(parts) >= 2 else None
    if facts.torch.hip:
        return "rocm" + ".".join(facts.torch.hip.split(".")[:2])
    if facts.torch.cuda == "" and facts.torch.hip == "":
        return "mps" if arm_mac else "cpu"
    if release is not None and not local:
        # The default index cuts the local part off its wheels: no suffix means its variant of that release.
        possible = platforms_of(facts).possible
        served = {release.default_index.get(p) for p in possible if release.default_index.get(p)}
        if len(served) == 1:
            only = served.pop()
            return "mps" if only == "cpu" and arm_mac else only
    return None


def _stock_build(release: Release, variant: str, facts: Facts) -> Build | None:
    """The published build; where the platform is not known, one only if all platforms agree on its code."""
    if variant in _FAMILIES:
        return _widest(release, variant, facts)
    plain = "cpu" if variant == "mps" else variant
    builds = [b for p in platforms_of(facts).possible if (b := release.build(plain, p))]
    if builds and all(b.kernels == builds[0].kernels for b in builds):
        return dataclasses.replace(builds[0], variant=variant)
    return None


def _widest(release: Release, family: str, facts: Facts) -> Build | None:
    """Where only "a CUDA build" is known: one with the code of all of the release's, which fails only what all fail."""
    builds = [b for p in platforms_of(facts).possible for b in release.on(p) if in_family(b.variant, family)]
    if not builds or any(b.kernels is None for b in builds):
        return None
    kernels = tuple(dict.fromkeys(k for b in builds for k in (*(b.kernels or ()), *(b.ptx or ()))))
    return dataclasses.replace(builds[0], variant=family, kernels=kernels, ptx=())


def fit(case: Case, today: Choice) -> Iterator[Finding]:
    """Findings about the installed torch. ``today`` is the best choice for this machine whatever is installed: if it
    serves the GPU, another wheel is the cure; if not, something outside is.
    """
    installed = case.installed
    if installed is None:
        return
    cure = today.accepted if today.accepted is not None and today.accepted.uses_gpu else None
    wrong = list(_wrong_variant(case, installed, cure, today))
    if any(f.severity == "blocker" for f in wrong):
        yield from wrong
        return
    yield from wrong
    yield from _foreign(case, installed, today)
    yield from _driver_first(case, installed, today)
    outcomes = [o for o in _outcomes(case, installed) if o.status == "failed" and o.id in _ASKED_OF_INSTALLED]
    if case.facts.torch.gpu_available:
        # torch itself reached the driver: whatever the numbers say, it is not too old.
        outcomes = [o for o in outcomes if o.id != "driver-too-old"]
    outcomes = list(telling(case, outcomes))
    gpu = [o for o in outcomes if o.gpu is not None]
    rest = [o for o in outcomes if o.gpu is None]
    vendor = _vendor(installed.variant)
    mine = [i for i, _ in accelerated_gpus(case.facts, vendor)] if vendor else []
    partly = bool(gpu) and len({o.gpu for o in gpu}) < len(mine)
    covers_all = cure is not None and not today.left_out
    if gpu:
        severity = "warning" if partly and not covers_all else "blocker"
        # A build for another vendor's card is a cure as well.
        serving = cure if cure is not None and (cure.build.vendor != vendor or _serves(cure, gpu)) else None
        yield from to_findings(case, gpu, about="installed", severity=severity, cure=serving)  # type: ignore[arg-type]
        if partly and not covers_all:
            yield _mixed(case, tuple(dict.fromkeys(o.gpu for o in gpu if o.gpu is not None)))
    for outcome in rest:
        here = today.accepted if outcome.id in ("arm-lacks-lse", "glibc-too-old") else cure
        found = to_findings(case, [outcome], about="installed", severity="blocker", cure=here)
        if outcome.id == "driver-too-old" and here is None and _before_the_matrix(case, installed):
            # Older builds than the matrix knows ran on older drivers.
            found = (dataclasses.replace(f, lies_in="packages") for f in found)
        yield from found


def unjudged(case: Case, today: Choice) -> tuple[str, ...]:
    """The missing facts without which nobody can tell whether the installed build runs on the GPUs it is for, or whether
    another would run on GPUs that it is not for.
    """
    installed = case.installed
    vendor = _vendor(installed.variant) if installed else None
    if installed is None or vendor == "apple":
        return ()
    if vendor is None or not accelerated_gpus(case.facts, vendor):
        better = today.accepted
        if installed.variant is None or better is None or not better.uses_gpu:
            return ()
        return tuple(name for name in better.unknown if name.startswith("gpus["))
    return tuple(
        dict.fromkeys(
            f
            for o in _outcomes(case, installed)
            if o.status == "unknown"
            for f in o.facts
            if f.startswith(("gpus[", "drivers.", "torch."))
        )
    )


def _before_the_matrix(case: Case, installed: Installed) -> bool:
    return bool(installed.version) and version_key(installed.version) < version_key(case.catalog.oldest())


def _serves(cure: Judged, outcomes: list[Outcome]) -> bool:
    return any(o.gpu in cure.covers for o in outcomes)


def _mixed(case: Case, places: tuple[int, ...]) -> Finding:
    from torchdoctor.matrix.mixed import mixed_finding

    return mixed_finding(case, places, about="installed")


def _vendor(variant: str | None) -> str | None:
    return Build(torch="", variant=variant, platform="").vendor if variant else None


def _outcomes(case: Case, installed: Installed) -> Iterator[Outcome]:
    facts, variant = case.facts, installed.variant
    if variant is None:
        if not installed.kernels:
            return
        variant = "rocm" if installed.kernels[0].startswith("gfx") else "cu00"
    possible = platforms_of(facts).possible
    release = installed.release
    stock = _stock_build(release, variant, facts) if release is not None else None
    if release is None:
        release = _kin(case.catalog, installed.version)
    platform = stock.platform if stock else possible[0] if len(possible) == 1 else "unknown"
    build = stock or Build(torch=installed.version, variant=variant, platform=platform)
    if installed.kernels is not None:
        build = dataclasses.replace(build, kernels=tuple(installed.kernels), ptx=())
    for outcome in requirements(release, build, facts):
        if variant in _FAMILIES and outcome.gpu is not None and outcome.status == "met":
            yield dataclasses.replace(outcome, status="unknown", facts=("torch.variant",))
            continue
        # A build that no table knows is judged by its code, its toolkit and its line's Metal minimum alone.
        known = outcome.id == "macos-too-old" or (outcome.id == "driver-too-old" and variant != "cu00")
        if stock is not None or outcome.gpu is not None or known:
            yield outcome


def _kin(catalog: Catalog, version: str) -> Release:
    """What can be said of a build no table knows: what its line asks of macOS and Intel GPUs, where there is such a line."""
    line = catalog.line(line_of(version))
    return Release(
        version=version,
        date="",
        builds=(),
        interpreters=(),
        default_index={},
        glibc={},
        metal_min=line[-1].metal_min if line else None,
        xpu_platforms=line[-1].xpu_platforms if line else (),
    )


_INTERPRETER = frozenset({"python-unsupported", "python-implementation", "python-32bit"})


def _foreign(case: Case, installed: Installed, today: Choice) -> Iterator[Finding]:
    """A stock build of a known release listed for an interpreter that no release was ever built for."""
    said = case.facts.torch.gpu_available is not None or case.facts.torch.version is not None
    if not installed.stock or said or today.accepted is not None or not today.considered:
        return
    outcomes = [o for o in today.considered[0].failed if o.id in _INTERPRETER]
    yield from to_findings(case, outcomes, about="machine", severity="blocker", cure=None)


def _driver_first(case: Case, installed: Installed, today: Choice) -> Iterator[Finding]:
    """A build that leaves the GPU unused, on a driver that is too old for any that would use it."""
    if _vendor(installed.variant) in today.gpu_vendors or case.facts.torch.gpu_available or today.accepted is None:
        return
    would = next(
        (j for j in today.considered if j.uses_gpu and j.failed and set(j.reasons) == {"driver-too-old"}), None
    )
    if would is not None and not today.accepted.uses_gpu:
        yield from to_findings(case, would.failed, about="machine", severity="warning", cure=None)


def _wrong_variant(case: Case, installed: Installed, cure: Judged | None, today: Choice) -> Iterator[Finding]:
    """A CPU build beside a GPU that a wheel would use, or a build for another vendor's GPU."""
    vendors, variant = gpu_vendors(case.facts), installed.variant
    if variant is None or case.facts.torch.gpu_available:
        return
    if cure is None:
        yield from _for_another_vendor(case, installed, today)
        return
    if any(name.startswith("gpus[") for name in cure.unknown):
        return  # which code the GPU runs is not known, so neither is whether another build would use it
    vendor = _vendor(variant)
    present = {g.vendor for g in case.facts.gpus or ()} | set(assumed_vendors(case.facts))
    if variant == "cpu" and vendors:
        gpu = next((g.name for g in case.facts.gpus or () if g.vendor == cure.build.vendor and g.name), "the GPU")
        detail = f"torch {installed.version} is a CPU build, {gpu} stays unused"
    elif vendor in ("nvidia", "amd", "intel") and vendors and vendor not in present:
        names = ", ".join(dict.fromkeys(g.name or g.vendor or "" for g in case.facts.gpus or ()))
        detail = f"torch {installed.version} ({variant}) is built for {vendor} GPUs, this machine has {names}"
    else:
        return
    same = _same_release(case, installed, cure)
    fix = install_hint(same) if same else ()
    yield finding(
        "wrong-variant",
        case,
        about="installed",
        severity="blocker",
        lies_in="packages",
        detail=detail,
        evidence=("torch.version", "packages.torch", "torch.variant", *(f"gpus[{i}].name" for i in cure.covers)),
        fix=[*fix, *(h for h in install_hint(cure) if h not in fix)],
    )


def _for_another_vendor(case: Case, installed: Installed, today: Choice) -> Iterator[Finding]:
    """A GPU build beside a card of another vendor that no wheel serves here: it works on the CPU, as any would."""
    vendor, gpus = _vendor(installed.variant), case.facts.gpus or ()
    cards = [i for i, g in enumerate(gpus) if g.integrated is False and g.vendor in ("nvidia", "amd", "intel")]
    if vendor in (None, "apple") or not cards or any(g.vendor == vendor for g in gpus):
        return
    names = ", ".join(dict.fromkeys(gpus[i].name or gpus[i].vendor or "" for i in cards))
    yield finding(
        "wrong-variant",
        case,
        about="installed",
        severity="warning",
        lies_in="packages",
        detail=f"torch {installed.version} ({installed.variant}) is built for {vendor} GPUs, this machine has {names}, which no wheel of the torch indexes serves here",
        evidence=("torch.version", "packages.torch", "torch.variant", *(f"gpus[{i}].name" for i in cards)),
        fix=install_hint(today.accepted) or ("take the CPU build",),
    )


def _same_release(case: Case, installed: Installed, cure: Judged) -> Judged | None:
    """The installed release in the variant that serves the GPU, where there is one."""
    from torchdoctor.matrix.request import wanted
    from torchdoctor.matrix.select import choose

    if installed.release is None or version_key(installed.version) == version_key(cure.build.torch):
        return None
    found = choose(case.catalog, case.facts, wanted(installed.version), cpu_too=False).accepted
    return found if found is not None and found.uses_gpu else None
