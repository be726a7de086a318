"""Apple GPUs: Metal is there by version, and still no device."""

from __future__ import annotations

from collections.abc import Iterator

from torchdoctor.matrix.case import Case
from torchdoctor.matrix.checks import check
from torchdoctor.matrix.checks._aim import unusable
from torchdoctor.matrix.findings import finding
from torchdoctor.matrix.platforms import interpreter_machine
from torchdoctor.matrix.requirements import below
from torchdoctor.matrix.verdict import Finding


@check("metal-device-missing")
def metal_device_missing(case: Case) -> Iterator[Finding]:
    """macOS is new enough for Metal in the installed torch, and there is no Metal device."""
    facts = case.facts
    if facts.system.os != "macos" or facts.torch.gpu_available or interpreter_machine(facts) not in ("aarch64", None):
        return
    release = case.installed.release if case.installed else None
    floor = release.metal_min if release else None
    # Only a system that is known to be new enough leaves the device as the cause.
    enough = bool(facts.system.version and floor and below(facts.system.version, floor) is False)
    none = facts.runtimes.metal == ""
    # A build without Metal sees none for that reason.
    silent = unusable(case, "apple") and enough and not case.symptom("mps-not-built")
    if not (none or silent):
        return
    # Every wheel for Apple silicon has Metal built in: only a request says that it is wanted.
    wanted = case.asked.variant == "mps" or bool({"mps", "gpu"} & set(case.asked.requires))
    virtual = next((i for i, g in case.gpus("apple") if "paravirtual" in (g.name or "").lower()), None)
    yield finding(
        "metal-device-missing",
        case,
        about="installed" if case.installed else "machine",
        severity="blocker" if silent or wanted else "warning",
        detail="This process sees no Metal device"
        + (
            ": the machine is virtual."
            if virtual is not None
            else ", though the system is new enough."
            if enough
            else "."
        ),
        evidence=(
            "runtimes.metal",
            "torch.gpu_available",
            "system.version",
            *(() if virtual is None else (f"gpus[{virtual}].name",)),
        ),
        fix=(
            "run it in a terminal of the logged-in user: sandboxes, ssh sessions without a login and virtual machines have no Metal",
            "or use the CPU there: PYTORCH_ENABLE_MPS_FALLBACK=1 does not help, device='cpu' does",
        ),
    )
