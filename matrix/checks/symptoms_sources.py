"""Findings that rest on where an installer looked: torch's index alone for other projects, the default one for a variant."""

from __future__ import annotations

from collections.abc import Iterator

from torchdoctor.matrix.case import Case
from torchdoctor.matrix.checks import check
from torchdoctor.matrix.checks.symptoms import seen
from torchdoctor.matrix.findings import finding
from torchdoctor.matrix.platforms import platforms_of
from torchdoctor.matrix.verdict import Finding


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
