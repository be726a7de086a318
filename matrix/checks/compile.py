"""torch.compile: does the assembler inside triton know the GPU?"""

from __future__ import annotations

from collections.abc import Iterator

from torchdoctor.matrix.case import Case
from torchdoctor.matrix.catalog import version_key
from torchdoctor.matrix.checks import check
from torchdoctor.matrix.findings import finding
from torchdoctor.matrix.gpu_code import capability
from torchdoctor.matrix.tables import table
from torchdoctor.matrix.verdict import Finding

_NAMES = ("triton", "pytorch-triton", "triton-windows")


@check("triton-ptxas-too-old")
def triton_ptxas_too_old(case: Case) -> Iterator[Finding]:
    """The ptxas that triton brings is older than the GPU."""
    name = next((n for n in _NAMES if case.package(n)), None)
    environment = case.facts.environment or {}
    if name is None or any(environment.get(n) for n in ("TRITON_PTXAS_PATH", "TRITON_PTXAS_BLACKWELL_PATH")):
        return
    newest = [(i, g) for i, g in case.gpus("nvidia") if (capability(g.compute_capability or "") or (0, 0)) >= (10, 0)]
    if not newest:
        return
    version = case.package(name) or ""
    brought, failed = bundled_ptxas(version), case.symptom("ptxas-unknown-arch")
    if brought is None:
        return
    for place, gpu in newest:
        wanted = table("checks.toml")["ptxas"]["first_toolkit"].get(gpu.compute_capability)
        if wanted is None or version_key(wanted) <= version_key(brought):
            continue
        sm = (gpu.compute_capability or "").replace(".", "")
        yield finding(
            "triton-ptxas-too-old",
            case,
            about="installed",
            severity="blocker" if failed else "warning",
            detail=f"{name} {version} brings the ptxas of CUDA {brought}, which does not know sm_{sm} (first in {wanted}).",
            evidence=(
                f"packages.{name}",
                f"gpus[{place}].compute_capability",
                f"gpus[{place}].name",
                *(f"symptoms[{i}]" for i, _ in failed),
            ),
            fix=(
                "update torch, which brings a newer triton",
                f"or install CUDA toolkit {wanted} or newer and: export TRITON_PTXAS_PATH=/usr/local/cuda/bin/ptxas",
            ),
        )
        return


def bundled_ptxas(version: str) -> str | None:
    """The CUDA version of the ptxas that a triton release uses for Blackwell and later; ``None`` where not known."""
    rows, line = table("checks.toml")["triton"], version_key(version)[:2]
    if len(line) < 2 or line > version_key(rows["last_known"]):
        return None
    below = [row["cuda"] for row in rows["blackwell_ptxas"] if version_key(row["triton"]) <= line]
    return below[-1] if below else None
