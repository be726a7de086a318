"""Room for the download and for what it unpacks to, and downloads that arrived broken."""

from __future__ import annotations

from collections.abc import Iterator

from torchdoctor.matrix.case import Case
from torchdoctor.matrix.checks import check
from torchdoctor.matrix.checks._packages import asked_variant
from torchdoctor.matrix.findings import finding
from torchdoctor.matrix.tables import table
from torchdoctor.matrix.verdict import Finding

_FULL = ("disk-full", "disk-quota")
_BROKEN = ("hash-mismatch", "bad-zip", "incomplete-download")


def _wanted(case: Case) -> str:
    """Which size counts: that of the build this machine would be given."""
    variant, system = asked_variant(case) or "", case.facts.system
    if variant == "cpu" or system.os != "linux":
        return "cpu"
    if variant.startswith("rocm") or (not variant and case.gpus("amd") and not case.gpus("nvidia")):
        return "rocm"
    return "cuda" if variant.startswith("cu") or case.gpus("nvidia") else "cpu"


@check("disk-space")
def disk_space(case: Case) -> Iterator[Finding]:
    """The folder that takes the packages, or the one for temporary files, has less room than the build needs."""
    for place, text in case.symptom(*_FULL):
        if "/dev/shm" not in text:
            yield finding(
                "disk-space",
                case,
                about="request",
                severity="blocker",
                lies_in="container" if case.facts.system.container else "system",
                detail="Writing failed because the target, the cache or the folder for temporary files is full.",
                evidence=(f"symptoms[{place}]", "resources.tmp_free", "resources.disk_free"),
                fix=(
                    "set TMPDIR (Windows: TEMP and TMP) to a folder with room and try again",
                    "pip cache purge",
                ),
            )
            return
    if case.installed is not None and case.asked.torch is None and asked_variant(case) is None:
        return  # nothing is about to be installed
    kind = _wanted(case)
    rows = table("sizes.toml")[kind]
    resources = case.facts.resources
    small = []
    if resources.disk_free is not None and resources.disk_free < rows["installed"]:
        small.append(("resources.disk_free", resources.disk_free, rows["installed"], "the target"))
    if resources.tmp_free is not None and resources.tmp_free < rows["download"]:
        small.append(("resources.tmp_free", resources.tmp_free, rows["download"], "the folder for temporary files"))
    if not small:
        return
    words = " and ".join(
        f"{where} has {_gigabytes(have)} free, about {_gigabytes(need)} are needed" for _, have, need, where in small
    )
    yield finding(
        "disk-space",
        case,
        about="request",
        severity="warning",
        lies_in="container" if case.facts.system.container else "system",
        detail=f"{words[0].upper()}{words[1:]}.",
        evidence=tuple(path for path, *_ in small),
        fix=(
            "free space, or choose an environment on another disk"
            if small[0][0] == "resources.disk_free"
            else "set TMPDIR to a folder with room",
            *(("the CPU build is far smaller, if no GPU is to be used",) if kind != "cpu" else ()),
        ),
    )


def _gigabytes(size: int) -> str:
    return f"{size / 1e9:.1f} GB"


@check("download-corrupted")
def download_corrupted(case: Case) -> Iterator[Finding]:
    """A downloaded file has another hash than announced, or is no whole archive."""
    if case.symptom("hash-mismatch-elsewhere"):
        return
    for place, _ in case.symptom(*_BROKEN)[:1]:
        yield finding(
            "download-corrupted",
            case,
            about="request",
            detail="The file that arrived is not the file that was announced: usually a transfer that broke off.",
            evidence=(f"symptoms[{place}]",),
            fix=(
                "pip cache purge (uv: uv cache clean torch)",
                "download again over a connection that holds, or from a mirror",
            ),
        )
