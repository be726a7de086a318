"""Findings that rest on who or what may reach the GPU, as a session shows it: root alone, a container, no driver at all."""

from __future__ import annotations

from collections.abc import Iterator

from torchdoctor.matrix import remedies
from torchdoctor.matrix.case import Case
from torchdoctor.matrix.checks import check
from torchdoctor.matrix.checks._aim import about, installed_vendor, unusable
from torchdoctor.matrix.checks.symptoms import seen
from torchdoctor.matrix.findings import finding
from torchdoctor.matrix.verdict import Finding


@check("rocm-permission", "xpu-permission", seen=("root-available-true", "root-lists-more"))
def only_root(case: Case) -> Iterator[Finding]:
    """The same question, answered True under sudo and False without; or the same list, with a GPU for root alone."""
    listed = seen(case, "root-lists-more")
    rows, usable = listed or seen(case, "root-available-true"), case.facts.torch.gpu_available
    if not rows or usable or (usable is None and not listed):
        return
    for vendor, id in (("amd", "rocm-permission"), ("intel", "xpu-permission")):
        meant = installed_vendor(case) == vendor and not case.facts.gpus
        if case.gpus(vendor) or meant:
            first = case.gpus(vendor)[:1]
            yield finding(
                id,
                case,
                about=about(case, vendor),
                severity="blocker",
                detail="root sees the GPU, this user does not: the device nodes are closed to the user.",
                evidence=(*rows[:1], *(f"gpus[{i}].name" for i, _ in first), "torch.variant"),
                fix=remedies.join_group(case.facts, "render"),
            )
            return


@check("container-no-gpu")
def host_has_a_driver(case: Case) -> Iterator[Finding]:
    """The program in the container finds no driver, and the host's nvidia-smi answers."""
    rows, facts = seen(case, "found-no-nvidia-driver"), case.facts
    driver = facts.drivers.nvidia
    works = seen(case, "host-driver-works")
    if not rows or not facts.system.container or not (works or (driver.version and driver.loaded is True)):
        return
    if facts.torch.gpu_available or seen(case, "docker-run-without-gpu"):
        return
    yield finding(
        "container-no-gpu",
        case,
        about=about(case, "nvidia"),
        severity="blocker",
        detail=f"The driver {(driver.version or '') + ' ' if driver.version else ''}of the host answers, the program in the container finds none: it was started without the GPU.",
        evidence=(*rows[:1], *works[:1], "drivers.nvidia.version", "system.container"),
        fix=remedies.give_gpu(facts, "nvidia"),
    )


@check("container-no-gpu", seen=("nvidia-nodes-looked-for",))
def no_nodes_in_container(case: Case) -> Iterator[Finding]:
    """A CUDA build in a container sees no GPU, and who looked for the GPU's device nodes found none."""
    rows, facts = seen(case, "nvidia-nodes-looked-for"), case.facts
    if not rows or not facts.system.container or facts.system.wsl or not unusable(case, "nvidia"):
        return
    if installed_vendor(case) != "nvidia":
        return
    yield finding(
        "container-no-gpu",
        case,
        about="installed",
        severity="blocker",
        detail=f"There is no /dev/nvidia* in this {facts.system.container} container: it was started without a GPU.",
        evidence=(*rows[:1], "system.container", "torch.gpu_available"),
        fix=remedies.give_gpu(facts, "nvidia"),
    )


@check("driver-missing", seen=("nvidia-module-unknown",))
def no_module_at_all(case: Case) -> Iterator[Finding]:
    """The card is on the bus, modinfo knows no nvidia module, and there is no nvidia-smi."""
    facts = case.facts
    rows = (*seen(case, "nvidia-module-unknown")[:1], *seen(case, "nvidia-smi-not-found", "nvidia-smi-missing")[:1])
    cards = [
        (i, g)
        for i, g in case.gpus("nvidia")
        if g.pci_id or g.driver is not None or "controller" in (facts.source(f"gpus[{i}]") or "")
    ]
    driver = facts.drivers.nvidia
    if len(rows) < 2 or not cards or facts.system.container or facts.system.wsl or driver.version or driver.loaded:
        return
    yield finding(
        "driver-missing",
        case,
        about=about(case, "nvidia"),
        detail=f"{cards[0][1].name or 'An NVIDIA GPU'} is on the bus, and neither the kernel module nor nvidia-smi is installed.",
        evidence=(f"gpus[{cards[0][0]}].name", *rows),
        fix=remedies.nvidia_driver(facts),
    )
