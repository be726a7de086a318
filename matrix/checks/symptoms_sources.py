"""Findings that rest on where an installer looked: torch's index alone for other projects, the default one for a variant, an
index that takes the place of another.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from torchdoctor.matrix.case import Case
from torchdoctor.matrix.catalog import version_key
from torchdoctor.matrix.checks import check
from torchdoctor.matrix.checks.symptoms import seen
from torchdoctor.matrix.findings import finding
from torchdoctor.matrix.platforms import platforms_of
from torchdoctor.matrix.verdict import Finding
from torchdoctor.probes.facts import regex

_REGISTRY = regex(r"[Dd]istribution `?([\w.-]{1,80})==([^ `]{1,60}) @ registry\+(\S{1,200}?)`? (?:can|with)")

_FIRST_INDEX = regex(r"`([\w.-]{1,80})` was found on (\S{1,300}), but not at the requested version")

_TORCH_INDEX = regex(r"/whl/(?:nightly/|test/)?(?:cpu|cu\d{2,3}|rocm[\d.]{1,8}|xpu)\b")

_MANYLINUX = regex(r"manylinux[\d_]{1,8}_(x86_64|aarch64)")
_HINTED = regex(r"You're on \w{3,12} \(`([\w.]{3,40})`\), but `torch` ")

_ITS_OWN = (
    "torch",
    "torchvision",
    "torchaudio",
    "torchcodec",
    "triton",
    "pytorch-triton",
    "pytorch-triton-rocm",
    "pytorch-triton-xpu",
)


_EXPLICIT = 'mark the index explicit = true and name it for torch only: [tool.uv.sources] torch = { index = "…" }'


def _belongs_to_torch(name: str) -> bool:
    """Whether a project is one that the index of torch is there for."""
    name = name.lower().replace("_", "-")
    return name in _ITS_OWN or name.startswith(("nvidia-", "intel-", "rocm"))


def _index_finding(case: Case, detail: str, rows: tuple[str, ...], *fix: str) -> Finding:
    return finding(
        "index-configuration",
        case,
        about="request",
        severity="blocker",
        detail=detail,
        evidence=(*rows, "request.index", "request.torch"),
        fix=fix,
    )


def _lists_this_machine(hint: re.Match[str]) -> bool:
    """Whether the platforms that a uv hint lists hold one of the same system and machine."""
    mine = _MANYLINUX.match(hint[1])
    return mine is not None and any(m[1] == mine[1] for m in _MANYLINUX.finditer(hint.string, hint.end()))


@check("index-configuration", seen=("uv-no-wheel", "uv-no-wheel-other"))
def uv_took_the_wrong_one(case: Case) -> Iterator[Finding]:
    """uv resolved a distribution on an index that has no wheel of it for this platform, while the right one exists."""
    for index, text in case.symptom("uv-no-wheel"):
        match = _REGISTRY.search(text)
        hint = next((m for _, t in case.symptom("uv-platform-hint") if (m := _HINTED.search(t))), None)
        if match is None or hint is None or "+" in match[2] or not _TORCH_INDEX.search(match[3]):
            continue
        if _lists_this_machine(hint):
            continue  # a wheel for this machine is there and wants more of the system than it has
        release = case.catalog.release(match[2])
        variant = case.facts.request.variant
        possible = platforms_of(case.facts).possible
        if release is None or not variant or not all(release.build(variant, p) for p in possible):
            continue
        yield _index_finding(
            case,
            f"The index holds a plain torch {match[2]} for another platform beside {match[2]}+{variant} for this one, and the lock took the plain one.",
            (f"symptoms[{index}]", *seen(case, "uv-platform-hint")[:1]),
            "give torch its index per platform: markers in [tool.uv.sources], conflicting extras declared under [tool.uv] conflicts",
            f"or without a project: uv pip install torch=={match[2]} --torch-backend={variant}",
        )
    for index, text in case.symptom("uv-no-wheel-other"):
        match = _REGISTRY.search(text)
        if match is None or case.facts.system.libc == "musl" or not _TORCH_INDEX.search(match[3]):
            continue
        if _belongs_to_torch(match[1]):
            continue
        yield _index_finding(
            case,
            f"{match[1]} was taken from the index of torch, which mirrors only some of its wheels.",
            (f"symptoms[{index}]",),
            _EXPLICIT,
        )


@check("index-configuration", seen=("uv-first-index",))
def first_index_wins(case: Case) -> Iterator[Finding]:
    """uv looked no further than the index of torch, which mirrors an old release of another project."""
    for index, text in case.symptom("uv-first-index"):
        match = _FIRST_INDEX.search(text)
        if match is None or not _TORCH_INDEX.search(match[2]):
            continue
        if _belongs_to_torch(match[1]):
            continue
        yield _index_finding(
            case,
            f"{match[1]} is on the index of torch too, in other versions; uv takes a project from the first index that has it.",
            (f"symptoms[{index}]",),
            _EXPLICIT,
            "or install torch by itself first: uv pip install torch --torch-backend=auto, then the rest without that index",
        )
        return


@check("index-configuration", seen=("requirement-bad-name", "poetry-no-candidate", "uv-no-wheel"))
def names_and_locals(case: Case) -> Iterator[Finding]:
    """A requirement whose name holds a local version, or a local version that this platform's wheels do not have."""
    for index, text in case.symptom("requirement-bad-name"):
        yield _index_finding(
            case,
            f"{text!r} names another project: the source table for torch does not apply to it.",
            (f"symptoms[{index}]",),
            'write "torch>=…" and choose the variant by the index in [tool.uv.sources]',
        )
    for index, text in case.symptom("poetry-no-candidate", "uv-no-wheel"):
        # a CUDA pin has no wheel there whatever the index; the plain wheel is what +cpu means
        local = re.search(r"torch \(\S{1,40}\+(\w{2,12})|torch==\S{1,40}\+(cpu)\b", text)
        if local and case.facts.system.os == "macos":
            yield _index_finding(
                case,
                f"Wheels for macOS carry no local version: +{local[1] or local[2]} is only for the other systems.",
                (f"symptoms[{index}]", "system.os"),
                "split the dependency by markers: without source and local version for darwin, with them for linux and win32",
            )


@check("no-wheel-for-platform", "index-configuration", seen=("pip-no-version",))
def pip_found_none(case: Case) -> Iterator[Finding]:
    """pip was offered the release without its local version, or nothing at all on a platform that the index does not serve."""
    request = case.facts.request
    rows = seen(case, "pip-no-version")
    if not rows or request.versions_offered is None or request.package not in (None, "torch"):
        return
    offered = request.versions_offered
    if request.torch and request.variant and request.torch in offered and not any("+" in v for v in offered):
        if (
            not _mac(case)
            and not _names_torch_index(request.index)
            and _published(case, request.torch, request.variant)
        ):
            yield _index_finding(
                case,
                f"The index that was asked has torch {request.torch} without local versions; +{request.variant} is on the index of that variant.",
                rows[:1],
                f"add --index-url https://download.pytorch.org/whl/{request.variant}",
            )
            return
        yield finding(
            "no-wheel-for-platform",
            case,
            about="request",
            severity="blocker",
            detail=f"torch {request.torch} is there for this platform, a +{request.variant} build of it is not.",
            evidence=(*rows[:1], "request.torch", "request.variant", "request.versions_offered"),
            fix=(f"ask for torch=={request.torch} without +{request.variant}",),
            lies_in="packages",
        )
    elif not offered and not _names_torch_index(request.index) and (platform := _off_the_default_index(case)):
        os, machine = ("Windows", "Arm") if platform == "windows_arm64" else platform.capitalize().split("_", 1)
        emulated = ("or use an x86-64 Python under emulation",) if platform == "windows_arm64" else ()
        yield finding(
            "no-wheel-for-platform",
            case,
            about="request",
            severity="blocker",
            detail=f"The default package index has no torch wheels for {os} on {machine}.",
            evidence=(*rows[:1], "system.os", "system.machine", "request.versions_offered"),
            fix=(
                f"pip install torch --index-url https://download.pytorch.org/whl/cpu ({machine} wheels, CPU only)",
                *emulated,
            ),
            lies_in="system",
        )


@check(
    "index-configuration", seen=("pip-no-version", "poetry-no-version", "poetry-no-candidate", "uv-no-local-version")
)
def index_of_another_variant(case: Case) -> Iterator[Finding]:
    """The local version that was asked for is published, and the index that was asked holds another variant's builds."""
    request = case.facts.request
    rows = seen(case, "pip-no-version", "poetry-no-version", "poetry-no-candidate", "uv-no-local-version")
    named = _TORCH_INDEX.search(request.index or "")
    if not rows or named is None or not request.torch or not request.variant or request.package not in (None, "torch"):
        return
    holds = named[0].rpartition("/")[2]
    if holds == request.variant or _mac(case) or not _published(case, request.torch.lstrip("="), request.variant):
        return
    yield _index_finding(
        case,
        f"The index that was asked holds {holds} builds; torch {request.torch} (+{request.variant}) is on the index of its own variant.",
        (*rows[:1], "request.variant"),
        f"take it from https://download.pytorch.org/whl/{request.variant}",
    )


def _off_the_default_index(case: Case) -> str | None:
    """The platform of this machine, where some release has a build for it and the default index never had one."""
    possible = platforms_of(case.facts).possible
    if len(possible) != 1:
        return None
    releases = tuple(case.catalog.releases())
    if any(r.default_index.get(possible[0]) for r in releases):
        return None
    return possible[0] if any(b.platform == possible[0] for r in releases for b in r.builds) else None


def _mac(case: Case) -> bool:
    return case.facts.system.os == "macos" or (case.facts.request.platform or "").startswith("macos")


def _published(case: Case, version: str, variant: str) -> bool:
    """Whether that pair exists for any system but macOS; releases before the matrix are taken to have had their variants."""
    release = case.catalog.release(version)
    if release is None:
        return version_key(version) < version_key(case.catalog.oldest())
    return any(b.variant == variant and not b.platform.startswith("macos") for b in release.builds)


def _names_torch_index(url: str | None) -> bool:
    return url is not None and ("download.pytorch.org" in url or _TORCH_INDEX.search(url) is not None)


@check("index-configuration", seen=("pip-other-on-torch-index",))
def other_on_torch_index(case: Case) -> Iterator[Finding]:
    """Every requirement was looked for on torch's index, which took the place of the default one."""
    rows = seen(case, "pip-other-on-torch-index")
    if not rows:
        return
    yield finding(
        "index-configuration",
        case,
        about="request",
        severity="blocker",
        detail="--index-url took the place of the default index: the index of torch mirrors only what torch itself needs.",
        evidence=(*rows[:1], "request.index", "request.package"),
        fix=(
            "install torch by itself with --index-url, the rest in a second command without it",
            "or use --extra-index-url in the requirements file, with exact +variant pins for torch",
        ),
    )


@check("index-configuration")
def local_version_on_default_index(case: Case) -> Iterator[Finding]:
    """A local version that was published, on an index that carries none."""
    rows, request = seen(case, "uv-no-local-version"), case.facts.request
    if not rows or not request.torch or not request.variant or "pytorch.org" in (request.index or ""):
        return
    release = case.catalog.release(request.torch)
    possible = [p for p in platforms_of(case.facts).possible if not p.startswith("macos")]
    if release is None or not possible or not any(release.build(request.variant, p) for p in possible):
        return
    yield finding(
        "index-configuration",
        case,
        about="request",
        severity="blocker",
        detail=f"torch {request.torch}+{request.variant} is on the index of that variant; the index that was asked has no local versions.",
        evidence=(*rows[:1], "request.torch", "request.variant", "request.index"),
        fix=(
            f"uv pip install torch=={request.torch} --torch-backend={request.variant}",
            f'in a project: an explicit [[tool.uv.index]] with url https://download.pytorch.org/whl/{request.variant}, and torch = {{ index = "…" }} in [tool.uv.sources]',
        ),
    )
