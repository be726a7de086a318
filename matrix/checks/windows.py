"""Windows: the runtime library that torch needs beside itself."""

from __future__ import annotations

from collections.abc import Iterator

from torchdoctor.matrix.case import Case
from torchdoctor.matrix.checks import check
from torchdoctor.matrix.findings import finding
from torchdoctor.matrix.verdict import Finding

_PACKAGES = {"x86_64": "Microsoft.VCRedist.2015+.x64", "aarch64": "Microsoft.VCRedist.2015+.arm64"}


@check("windows-runtime-missing")
def windows_runtime_missing(case: Case) -> Iterator[Finding]:
    """The Visual C++ runtime is known not to be installed; conda environments bring their own."""
    facts = case.facts
    if facts.system.os != "windows" or facts.system.vc_runtime != "" or facts.python.environment == "conda":
        return
    if (
        any(n in (facts.packages or {}) for n in ("msvc-runtime", "vc14-runtime"))
        or facts.torch.gpu_available is not None
    ):
        return  # a copy came with a package, or torch was imported: it found what it needs
    failed = case.symptom("winerror-126", "winerror-1114", "dll-load-failed")
    package = _PACKAGES.get(facts.python.machine or facts.system.machine or "x86_64", _PACKAGES["x86_64"])
    yield finding(
        "windows-runtime-missing",
        case,
        about="installed" if case.installed else "machine",
        severity="blocker" if failed else "warning",
        detail="The Visual C++ redistributable is not installed; torch's DLLs need its msvcp140.dll.",
        evidence=("system.vc_runtime", *(f"symptoms[{i}]" for i, _ in failed[:1])),
        fix=(f"winget install {package}", "open a new terminal"),
    )
