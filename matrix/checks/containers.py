"""Containers: was a GPU passed in, and does the image ask for a newer driver than the host's?"""

from __future__ import annotations

from collections.abc import Iterator

from torchdoctor.matrix import remedies
from torchdoctor.matrix.case import Case
from torchdoctor.matrix.catalog import version_key
from torchdoctor.matrix.checks import check
from torchdoctor.matrix.checks._aim import about
from torchdoctor.matrix.findings import finding
from torchdoctor.matrix.verdict import Finding
from torchdoctor.probes.facts import regex

_TERM = regex(r"(cuda|driver|arch|brand)(>=|<=|!=|=|<|>)([A-Za-z0-9.]{1,40})")
_CONTROL = "/dev/nvidiactl"


@check("container-no-gpu")
def container_no_gpu(case: Case) -> Iterator[Finding]:
    """In a container with the host's driver in sight and no GPU passed in."""
    facts = case.facts
    engine, driver = facts.system.container, facts.drivers.nvidia
    if not engine or facts.system.wsl or facts.torch.gpu_available or not driver.version:
        return
    control = (facts.devices or {}).get(_CONTROL)
    environment = facts.environment or {}
    if control is not None and control.present:
        yield from _no_compute(case)
        return
    no_node = control is not None and control.present is False
    # The bus shows the host's cards in any container: a listed GPU with no device node was not passed in.
    if not (no_node or facts.gpus == ()):
        return
    wanted = environment.get("NVIDIA_VISIBLE_DEVICES")
    detail = f"The host runs NVIDIA driver {driver.version}, this {engine} container has no NVIDIA device."
    if wanted in ("", "void", "none"):
        detail += f" NVIDIA_VISIBLE_DEVICES={wanted} asks for none."
    yield finding(
        "container-no-gpu",
        case,
        about=about(case, "nvidia"),
        detail=detail,
        evidence=(
            "system.container",
            "drivers.nvidia.version",
            f"devices.{_CONTROL}.present",
            "environment.NVIDIA_VISIBLE_DEVICES",
        ),
        fix=remedies.give_gpu(facts, "nvidia"),
    )


@check("container-no-gpu", seen=("nvml-unknown-error",))
def container_lost_gpu(case: Case) -> Iterator[Finding]:
    """NVML gives an unknown error inside a container that had its GPU: the device group was rebuilt under it."""
    seen = case.symptom("nvml-unknown-error")
    if not seen or not case.facts.system.container or case.facts.system.wsl or case.facts.torch.gpu_available:
        return
    yield finding(
        "container-no-gpu",
        case,
        about=about(case, "nvidia"),
        title="The container has lost its GPU",
        detail="NVML gives an unknown error: the device permissions of a running container are lost when systemd reloads its units.",
        evidence=(f"symptoms[{seen[0][0]}]", "system.container", "torch.gpu_available"),
        fix=(
            "start the container anew",
            "to keep it from coming back: pass the devices as CDI (--device nvidia.com/gpu=all), or set Docker's native.cgroupdriver to cgroupfs",
        ),
    )


def _no_compute(case: Case) -> Iterator[Finding]:
    """The device is there, the driver's libraries were left out."""
    facts = case.facts
    granted = (facts.environment or {}).get("NVIDIA_DRIVER_CAPABILITIES")
    if facts.drivers.nvidia.library != "":
        return
    named = {c.strip() for c in (granted or "").split(",")}
    if granted is not None and named & {"compute", "all"}:
        return
    yield finding(
        "container-no-gpu",
        case,
        about=about(case, "nvidia"),
        title="The container has the GPU's device, but not the CUDA driver library",
        detail=f"libcuda was not mounted: NVIDIA_DRIVER_CAPABILITIES is {granted!r}, torch needs compute."
        if granted is not None
        else "libcuda was not mounted, torch needs the capability compute.",
        evidence=("system.container", f"devices.{_CONTROL}.present", "environment.NVIDIA_DRIVER_CAPABILITIES"),
        fix=(
            "start the container with -e NVIDIA_DRIVER_CAPABILITIES=compute,utility",
            *remedies.give_gpu(facts, "nvidia"),
        ),
    )


# ---- what the image asks for


@check("container-cuda-requirement")
def container_cuda_requirement(case: Case) -> Iterator[Finding]:
    """``NVIDIA_REQUIRE_CUDA`` of the image cannot be met by the host's driver."""
    facts = case.facts
    environment, driver = facts.environment or {}, facts.drivers.nvidia
    wanted = environment.get("NVIDIA_REQUIRE_CUDA")
    if not wanted or not (driver.cuda or driver.version):
        return
    if (
        environment.get("NVIDIA_DISABLE_REQUIRE", "").lower() in ("1", "true")
        or requirement_met(wanted, _known(case)) is not False
    ):
        return
    least = next((m[3] for m in _TERM.finditer(wanted) if m[1] == "cuda" and m[2] == ">="), "")
    control = (facts.devices or {}).get(_CONTROL)
    # A container that runs with the device in it was let through: the toolkit did not enforce the line.
    runs = facts.torch.gpu_available or bool(control and control.present)
    yield finding(
        "container-cuda-requirement",
        case,
        severity="note" if runs else "blocker",
        detail=f"The image demands {'CUDA ' + least if least else wanted[:80]}, the driver speaks CUDA {driver.cuda or 'of ' + str(driver.version)}."
        " A wheel of the same CUDA major may still run with this driver in another image.",
        evidence=("environment.NVIDIA_REQUIRE_CUDA", "drivers.nvidia.version", "drivers.nvidia.cuda"),
        fix=(
            f"take an image with an older CUDA base (at most {driver.cuda})"
            if driver.cuda
            else "take an image with an older CUDA base",
            "or start it with -e NVIDIA_DISABLE_REQUIRE=1: the wheel brings its own CUDA",
            "or update the NVIDIA driver of the host",
        ),
    )


def _known(case: Case) -> dict[str, str]:
    driver = case.facts.drivers.nvidia
    known = {"cuda": driver.cuda or "", "driver": driver.version or ""}
    gpus = case.gpus("nvidia")
    if gpus:
        gpu = gpus[0][1]
        known["arch"] = gpu.compute_capability or ""
        name = (gpu.name or "").lower()
        known["brand"] = next((b for b in ("geforce", "titan", "tesla") if b in name), "")
    return known


def requirement_met(constraint: str, known: dict[str, str]) -> bool | None:
    """Is a constraint of the NVIDIA container toolkit met? Spaces mean *or*, commas *and*; ``None`` where a term that
    matters is about something not known. ``known`` maps ``cuda``, ``driver``, ``arch`` and ``brand`` to values.
    """
    answers: list[bool | None] = []
    for alternative in constraint.split():
        terms = [_term(t, known) for t in alternative.split(",")]
        answers.append(False if False in terms else None if None in terms else True)
    if True in answers:
        return True
    return None if None in answers or not answers else False


def _term(term: str, known: dict[str, str]) -> bool | None:
    match = _TERM.fullmatch(term)
    if match is None:
        return None
    name, operator, wanted = match.groups()
    have = known.get(name)
    if not have:
        return None
    if name == "brand":
        return (have == wanted) is (operator == "=") if operator in ("=", "!=") else None
    a, b = version_key(have), version_key(wanted)
    if not b:
        return None
    if operator in ("=", "!="):
        return (a[: len(b)] == b) is (operator == "=")
    return {">=": a >= b, "<=": a <= b, "<": a < b, ">": a > b}[operator]
