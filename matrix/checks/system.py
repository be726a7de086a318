"""What a container or a system gives torch to work with."""

from __future__ import annotations

from collections.abc import Iterator

from torchdoctor.matrix.case import Case
from torchdoctor.matrix.checks import check
from torchdoctor.matrix.findings import finding
from torchdoctor.matrix.verdict import Finding


@check("shm-too-small")
def shm_too_small(case: Case) -> Iterator[Finding]:
    """A container with Docker's default /dev/shm: worth a line, no fault until a bus error was seen."""
    facts = case.facts
    size = facts.resources.shm
    if not facts.system.container or size is None:
        return
    from torchdoctor.matrix.tables import table

    if size > table("checks.toml")["shm"]["docker_default"]:
        return
    engine = facts.system.container
    yield finding(
        "shm-too-small",
        case,
        detail=f"/dev/shm holds {size // (1 << 20)} MiB; data loader workers pass their batches through it.",
        evidence=("resources.shm", "system.container"),
        lies_in="container",
        fix="mount an emptyDir of medium Memory at /dev/shm"
        if engine == "kubernetes"
        else f"{engine if engine in ('docker', 'podman') else 'docker'} run --ipc=host …  # or --shm-size=8g",
    )
