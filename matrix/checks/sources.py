"""A source of torch that leaves this system out: the default index and its variant are taken instead."""

from __future__ import annotations

from collections.abc import Iterator

from torchdoctor.matrix.case import Case
from torchdoctor.matrix.checks import check
from torchdoctor.matrix.checks._leads import shut_out
from torchdoctor.matrix.findings import finding
from torchdoctor.matrix.platforms import platforms_of
from torchdoctor.matrix.verdict import Finding


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
