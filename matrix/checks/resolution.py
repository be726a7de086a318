"""A resolver that gave up, though the right wheel exists: which index, source or requirement hid it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from torchdoctor.matrix.case import Case
from torchdoctor.matrix.catalog import Build, version_key
from torchdoctor.matrix.checks import check
from torchdoctor.matrix.checks._leads import index_variant, shut_out
from torchdoctor.matrix.findings import finding
from torchdoctor.matrix.platforms import platforms_of
from torchdoctor.matrix.request import RequestError, normal_variant, wanted
from torchdoctor.matrix.requirements import interpreter_tag
from torchdoctor.matrix.tables import table
from torchdoctor.matrix.verdict import Finding

_BELONGS = ("nvidia-", "cuda-", "torch", "triton", "pytorch-", "rocm", "intel-", "onemkl", "oneccl", "dpcpp", "mkl")
_ONLY = re.compile(r"`torch` \(v([^)+]{1,40})\) only has wheels for the following platforms?: (.{1,400})")


def _published(case: Case) -> Build | None:
    """The build that was meant: the release and variant of the request, for this platform and interpreter."""
    try:
        want, variant = wanted(case.facts.request.torch), normal_variant(case.facts.request.variant)
    except RequestError:
        return None
    possible, tag = platforms_of(case.facts).possible, interpreter_tag(case.facts)
    release = case.catalog.release(want.exact) if want.exact else None
    if release is None or len(possible) != 1:
        return None
    build = release.build("cpu" if variant in (None, "mps") else variant, possible[0])
    if build is None or (tag is not None and tag not in release.tags(possible[0], "own")):
        return None
    return build


@check("index-configuration")
def plain_version_locked(case: Case) -> Iterator[Finding]:
    """The lock took the version without suffix, which a variant's index holds for some platforms only."""
    build = _published(case)
    for place, text in case.symptom("uv-platform-hint", "uv-no-tag"):
        match = _ONLY.search(text)
        variant = index_variant(case.facts.request.index)
        if build is None or match is None or variant is None or "+" in match[1]:
            continue
        yield finding(
            "index-configuration",
            case,
            about="request",
            detail=f"The {variant} index holds torch {build.torch} without suffix for {match[2].strip(' `.')} only; "
            f"for this system the same release is called {build.torch}+{build.variant} there, and the lock chose the plain one.",
            evidence=(f"symptoms[{place}]", "request.index", "request.torch"),
            fix=(
                f"give torch the {variant} index only where its wheels carry the suffix: a source with a marker for each system",
                "declare extras that lead to different indexes as conflicting (tool.uv.conflicts), then lock again",
            ),
        )
        return


@check("index-configuration")
def whole_resolution_on_torch_index(case: Case) -> Iterator[Finding]:
    """Another package was taken from the torch index, which mirrors a few versions and platforms of it only."""
    variant = index_variant(case.facts.request.index)
    for place, text in case.symptom("uv-no-wheel-other"):
        if variant is None or index_variant(text) is None:
            continue
        name = re.search(r"`([\w.-]{1,80})==", text)
        if name is None or name[1].startswith(_BELONGS):
            continue  # what torch itself requires is at home there: something else is wrong with this platform
        yield finding(
            "index-configuration",
            case,
            about="request",
            detail=f"The torch index was asked for {name[1]} too; it holds few wheels of other packages.",
            evidence=(f"symptoms[{place}]", "request.index"),
            fix=(
                "mark the torch index as explicit = true and name it in tool.uv.sources for torch, torchvision and torchaudio only",
                f"or: uv pip install torch --torch-backend={variant}",
            ),
        )
        return


@check("index-configuration")
def bad_requirement_name(case: Case) -> Iterator[Finding]:
    """A variant stands in the name of a requirement, so that no source matches it."""
    for place, text in case.symptom("requirement-bad-name")[:1]:
        yield finding(
            "index-configuration",
            case,
            about="request",
            detail=f"{text.strip()[:80]} names no package: the source for torch does not apply to it.",
            evidence=(f"symptoms[{place}]",),
            fix="write torch without the variant; the index decides the variant",
        )


@check("index-configuration", "wrong-variant")
def source_for_other_systems(case: Case) -> Iterator[Finding]:
    """The index of a GPU variant is given to torch on other systems only; here the CPU build of the default index came."""
    installed, request = case.installed, case.facts.request
    possible = platforms_of(case.facts).possible
    if installed is None or installed.variant != "cpu" or len(possible) != 1:
        return
    variant = request.variant
    if not variant or not variant.startswith(("cu", "rocm", "xpu")) or installed.release is None:
        return
    if installed.release.build(variant, possible[0]) is None:
        return
    for place, row in enumerate(case.facts.settings or ()):
        if not (row.key or "").endswith("sources.torch") or not shut_out(row.value or "", case.facts):
            continue
        shown = (f"settings[{place}].value", "torch.variant", "torch.version", "system.os")
        yield finding(
            "index-configuration",
            case,
            about="installed",
            detail=f"The source gives torch its {variant} index on other systems only; the default index has the CPU build for this one.",
            evidence=shown,
            fix=f"let the {variant} index serve this system too: change the marker of the source, then lock and sync again",
        )
        yield finding(
            "wrong-variant",
            case,
            about="installed",
            detail=f"The project means {variant}, the CPU build of torch {installed.version} is installed.",
            evidence=shown,
            fix=f"pip install --force-reinstall torch=={installed.version} --index-url https://download.pytorch.org/whl/{variant}",
        )
        return


@check("free-threaded-unsupported")
def companion_without_free_threaded_wheel(case: Case) -> Iterator[Finding]:
    """No version of a package of the torch index fits the free-threaded interpreter that torch itself runs on."""
    request, python = case.facts.request, case.facts.python
    hosted = table("downstream.toml")["torch_index"]["packages"]
    if (
        python.free_threaded is not True
        or request.package not in hosted
        or not case.symptom("pip-no-version", "uv-no-tag")
    ):
        return
    if index_variant(request.index) is None and request.index is not None:
        return
    place = case.symptom("pip-no-version", "uv-no-tag")[0][0]
    none = "from versions: none" in case.symptom("pip-no-version", "uv-no-tag")[0][1]
    if not none and request.versions_offered != ():
        return
    yield finding(
        "free-threaded-unsupported",
        case,
        about="request",
        detail=f"No wheel of {request.package} fits this free-threaded Python {python.version or ''}: its usual wheels cannot be loaded there.",
        evidence=(f"symptoms[{place}]", "python.free_threaded", "python.version", "request.package"),
        fix=(
            f"use the usual build of Python {'.'.join((python.version or '').split('.')[:2])}".rstrip(),
            f"or a release of {request.package} with free-threaded wheels, or build it from source",
        ),
    )


@check("free-threaded-unsupported")
def torch_without_free_threaded_wheel(case: Case) -> Iterator[Finding]:
    """The installed release was never published for the free-threaded interpreter that is to load it."""
    installed, tag = case.installed, interpreter_tag(case.facts)
    if installed is None or installed.release is None or tag is None or case.facts.python.free_threaded is not True:
        return
    if installed.origin not in (None, "wheel") or case.facts.torch.gpu_available is not None:
        return  # it was loaded, so it is of this interpreter
    possible = platforms_of(case.facts).possible
    if not possible or any(tag in installed.release.tags(p, "own") for p in possible):
        return
    usual = ".".join(map(str, version_key(case.facts.python.version or "")[:2]))
    yield finding(
        "free-threaded-unsupported",
        case,
        about="installed",
        detail=f"torch {installed.version} has no wheel for the free-threaded Python {usual}: what is installed is for the usual one.",
        evidence=("python.free_threaded", "python.version", "torch.version", "packages.torch"),
        fix=(f"run it with the usual build of Python {usual}", "or install a release with free-threaded wheels"),
    )


@check("downstream-abi-mismatch")
def cuda_library_of_torch_missing(case: Case) -> Iterator[Finding]:
    """An extension asks for torch's CUDA library, which a CPU build does not have."""
    for place, text in case.symptom("missing-library"):
        if (
            not re.search(r"lib(?:torch_cuda|c10_cuda)\w{0,10}\.so", text)
            or not case.installed
            or case.installed.variant != "cpu"
        ):
            continue
        yield finding(
            "downstream-abi-mismatch",
            case,
            about="installed",
            detail="An extension that was compiled against a CUDA build is loaded beside the CPU build of torch.",
            evidence=(f"symptoms[{place}]", "torch.version", "torch.variant"),
            fix="put the CUDA build of torch back that the extension was made for, and let nothing replace it (pin it with its index)",
        )
        return
