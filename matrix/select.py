"""The choice: which release and variant for this machine, and why not the others.

Candidates are examined newest first and only as far as the answer needs; every rejection keeps its reasons.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from functools import lru_cache

from torchdoctor.matrix.catalog import INDEX_ROOT, Build, Catalog, Release, version_key
from torchdoctor.matrix.gpu_needs import accelerated_gpus, assumed_vendors
from torchdoctor.matrix.outcome import Outcome, answered
from torchdoctor.matrix.platforms import Platforms, platforms_of
from torchdoctor.matrix.request import Wanted, in_family
from torchdoctor.matrix.requirements import interpreter_tag, requirements
from torchdoctor.matrix.tables import weakest
from torchdoctor.probes.facts import Facts, Gpu, dataclass

__all__ = ["Choice", "Judged", "choose", "gpu_vendors", "judge_build"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """One candidate with its answers. ``uses_gpu`` tells whether it would run on this machine's GPU;
    ``covers`` are the places in ``facts.gpus`` it serves; ``on_default`` whether the default package index holds that very
    wheel; ``failed`` are the answers against it, ``unknown`` the facts that were missing.
    """

    release: Release
    build: Build
    outcomes: tuple[Outcome, ...]
    failed: tuple[Outcome, ...]
    unknown: tuple[str, ...]
    uses_gpu: bool
    on_default: bool
    is_default: bool
    covers: tuple[int, ...] = ()

    @property
    def reasons(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys([o.id for o in self.failed]))

    @property
    def fits(self) -> bool:
        """Nothing fails and nothing is missing."""
        return not self.failed and not self.unknown

    @property
    def confidence(self) -> str:
        used = [o.confidence for o in self.outcomes if o.status == "met"]
        return weakest(self.build.confidence, *used)

    @property
    def index_url(self) -> str | None:
        """The index that holds the wheel; ``None`` where the default package index does."""
        variant = "cpu" if self.build.variant == "mps" else self.build.variant
        return None if self.on_default else f"{INDEX_ROOT}/{variant}"

    @property
    def rank(self) -> tuple[bool, tuple[int, ...], bool, tuple[int, ...]]:
        """Uses the GPU; newer release; the default index's variant; higher toolkit."""
        return (self.uses_gpu, version_key(self.build.torch), self.is_default, self.build.toolkit)


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """``accepted`` is the candidate taken (its ``unknown`` may name what could not be judged), ``None`` where none works.
    ``examined`` are the candidates down to it, newest first; ``considered`` all that were looked at. ``left_out`` are the places of GPUs no single wheel covers
    together with the rest. ``platforms`` tells what the machine may be.
    """

    accepted: Judged | None
    examined: tuple[Judged, ...]
    considered: tuple[Judged, ...]
    platforms: Platforms
    left_out: tuple[int, ...] = ()
    gpu_vendors: tuple[str, ...] = ()


def choose(
    catalog: Catalog,
    facts: Facts,
    want: Wanted,
    variant: str | None = None,
    *,
    every: bool = False,
    cpu_too: bool = True,
) -> Choice:
    """The best candidate among the releases that fit ``want``. ``variant`` limits to one variant or family; ``every``
    examines all; without ``cpu_too`` a build that leaves the GPU unused is not taken.
    """
    platforms = platforms_of(facts)
    vendors = gpu_vendors(facts)
    examined: list[Judged] = []
    done = False
    for release in catalog.releases():
        if not want.matches(release.version):
            continue
        if done and not every:
            break
        for judged in _candidates(release, facts, platforms, vendors, variant):
            examined.append(judged)
            done = done or _settles(judged, vendors, variant)
    examined.sort(key=lambda j: (version_key(j.build.torch), j.uses_gpu, j.is_default, j.build.toolkit), reverse=True)
    considered = tuple(examined)
    accepted, left_out = _best(examined, facts, vendors, cpu_too)
    if accepted is not None and not every:
        rank = (version_key(accepted.build.torch), accepted.uses_gpu, accepted.is_default, accepted.build.toolkit)
        cut = [j for j in examined if (version_key(j.build.torch), j.uses_gpu, j.is_default, j.build.toolkit) >= rank]
        examined = cut
    return Choice(
        accepted=accepted,
        examined=tuple(examined),
        considered=considered,
        platforms=platforms,
        left_out=left_out,
        gpu_vendors=vendors,
    )


def gpu_vendors(facts: Facts) -> tuple[str, ...]:
    """The vendors whose builds come into question: those of discrete GPUs, else of integrated ones."""
    if facts.gpus is None:
        return assumed_vendors(facts)
    known = [g for g in facts.gpus if g.vendor in ("nvidia", "amd", "intel")]
    counted = [g for g in known if not g.integrated] or known
    return tuple(dict.fromkeys(g.vendor for g in counted if g.vendor))


def _settles(judged: Judged, vendors: tuple[str, ...], variant: str | None) -> bool:
    """No older release can beat this candidate: what it misses, if anything, every other one misses too."""
    if judged.failed or any(u.startswith("matrix: ") or u == "cpu.features" for u in judged.unknown):
        return False
    expects_gpu = bool(vendors) and variant != "cpu" and not (variant and judged.build.vendor is None)
    if judged.build.platform == "macos_arm64" and variant in (None, "mps"):
        expects_gpu = True
    return judged.uses_gpu if expects_gpu else True


def _candidates(
    release: Release, facts: Facts, platforms: Platforms, vendors: tuple[str, ...], variant: str | None
) -> Iterator[Judged]:
    if not platforms.possible:
        return
    # Nobody looked for a GPU: the CPU build is only the answer if there is none.
    open_question = (
        facts.gpus is None and not vendors and variant is None and not platforms.possible[0].startswith("macos")
    )
    beside = (answered(status="unknown", facts=("gpus",)),) if open_question else ()
    for build in _builds(release, platforms.possible[0]):
        vendor = build.vendor
        if variant is not None:
            if not in_family(build.variant, variant):
                continue
        elif vendor is not None and vendor not in vendors and build.variant != "mps":
            continue
        yield judge_build(release, build, facts, platforms, beside=() if vendor else beside)


@lru_cache(maxsize=1024)
def _builds(release: Release, platform: str) -> tuple[Build, ...]:
    builds = release.on(platform)
    if platform != "macos_arm64":
        return builds
    # One wheel, two uses: with Metal where the system is new enough for it, without where it is not.
    return tuple(
        use
        for build in builds
        for use in ([dataclasses.replace(build, variant="mps"), build] if build.variant == "cpu" else [build])
    )


def judge_build(
    release: Release,
    build: Build,
    facts: Facts,
    platforms: Platforms,
    gpus: tuple[int, ...] | None = None,
    *,
    beside: tuple[Outcome, ...] = (),
) -> Judged:
    """One candidate judged. ``gpus`` limits the GPU requirements to these devices; ``beside`` are answers that count as
    well.
    """
    vendor, platform = build.vendor, build.platform
    is_default = release.default_index.get(platform) == ("cpu" if build.variant == "mps" else build.variant)
    tag = interpreter_tag(facts) if is_default else None
    on_default = is_default and (tag is None or tag in release.tags(platform, "default"))
    outcomes = requirements(release, build, facts, gpus, "default" if on_default else "own")
    failed = [o for o in outcomes if o.status == "failed"]
    if platforms.unknown:
        outcomes.append(answered(status="unknown", facts=platforms.unknown))
        if failed:
            # What fails here counts only if it fails on every platform the machine may be.
            ids = _fails_everywhere({o.id for o in failed}, release, build, facts, platforms)
            failed = [o for o in failed if o.id in ids]
            outcomes = [o for o in outcomes if o.status != "failed" or o.id in ids]
    outcomes += beside
    covers: tuple[int, ...] = ()
    if vendor and vendor != "apple":
        covers = tuple([i for i, _ in accelerated_gpus(facts, vendor) if gpus is None or i in gpus])
    return Judged(
        release=release,
        build=build,
        outcomes=tuple(outcomes),
        failed=tuple(failed),
        unknown=tuple(dict.fromkeys([f for o in outcomes if o.status == "unknown" for f in o.facts])),
        uses_gpu=bool(covers) or build.variant == "mps" or vendor in assumed_vendors(facts),
        on_default=on_default,
        is_default=is_default,
        covers=covers,
    )


def _fails_everywhere(ids: set[str], release: Release, build: Build, facts: Facts, platforms: Platforms) -> set[str]:
    """Those of ``ids`` by which the same variant fails on every other platform the machine may be, too."""
    for platform in platforms.possible[1:]:
        other = release.build(build.variant, platform)
        if other is None:
            continue
        ids = ids.intersection([o.id for o in requirements(release, other, facts) if o.status == "failed"])
        if not ids:
            break
    return ids


def _best(
    examined: list[Judged], facts: Facts, vendors: tuple[str, ...], cpu_too: bool
) -> tuple[Judged | None, tuple[int, ...]]:
    pool = [j for j in examined if not j.failed]
    with_gpu = [j for j in pool if j.uses_gpu]
    for group in ([j for j in with_gpu if j.fits], with_gpu):
        if group:
            return max(group, key=lambda j: j.rank), ()
    for vendor in vendors:
        partial = _largest_set(examined, facts, vendor)
        if partial is not None:
            return partial
    if not cpu_too and vendors:
        return None, ()
    cpu = [j for j in pool if not j.uses_gpu]
    for group in ([j for j in cpu if j.fits], cpu):
        if group:
            return max(group, key=lambda j: j.rank), ()
    return None, ()


def _largest_set(examined: list[Judged], facts: Facts, vendor: str) -> tuple[Judged, tuple[int, ...]] | None:
    """Where no wheel covers every GPU: the candidate that serves most of them, the newest generation first."""
    mine = accelerated_gpus(facts, vendor)
    places = tuple(i for i, _ in mine)
    if len({gpu for _, gpu in mine}) < 2:
        return None  # equal devices are served together or not at all
    best: tuple[tuple[object, ...], Judged, tuple[int, ...]] | None = None
    for judged in examined:
        if judged.build.vendor != vendor or not judged.uses_gpu:
            continue
        refused = {o.gpu for o in judged.failed if o.gpu is not None}
        if any(o.gpu is None for o in judged.failed):
            # The driver may be too old for one chip alone: judge again without the refused devices below.
            refused |= _refused_alone(judged, facts, places)
        served = tuple(p for p in places if p not in refused)
        if not served or len(served) == len(places):
            continue
        newest = max((_generation(facts, p) for p in served), default=())
        if best is not None and (len(served), newest) < best[0][:2]:
            continue
        again = judge_build(judged.release, judged.build, facts, platforms_of(facts), gpus=served)
        if again.failed:
            continue
        key = (len(served), newest, again.fits, again.rank)
        if best is None or key > best[0]:
            best = (key, again, tuple(p for p in places if p not in served))
    return None if best is None else (best[1], best[2])


def _refused_alone(judged: Judged, facts: Facts, places: tuple[int, ...]) -> set[int]:
    """The places whose device fails where it is the only one. Equal devices, the usual case, are judged once."""
    refused: dict[Gpu, bool] = {}
    gpus, platforms = facts.gpus or (), platforms_of(facts)
    for place in places:
        if gpus[place] not in refused:
            alone = judge_build(judged.release, judged.build, facts, platforms, gpus=(place,))
            refused[gpus[place]] = bool(alone.failed)
    return {p for p in places if refused[gpus[p]]}


def _generation(facts: Facts, place: int) -> tuple[int, ...]:
    gpu = (facts.gpus or ())[place]
    return version_key(gpu.compute_capability or "") or version_key((gpu.gfx or "").removeprefix("gfx"))
