"""AMD GPUs: the doors to the device, a wrong override, WSL, and an integrated GPU in the way."""

from __future__ import annotations

from collections.abc import Iterator

from torchdoctor.matrix import remedies
from torchdoctor.matrix.case import Case
from torchdoctor.matrix.checks import check
from torchdoctor.matrix.checks._aim import about, aims_at, build_facts, installed_vendor
from torchdoctor.matrix.findings import finding
from torchdoctor.matrix.gpu_code import gfx_name
from torchdoctor.matrix.gpu_needs import accelerated_gpus
from torchdoctor.matrix.verdict import Finding
from torchdoctor.probes.facts import Device, regex

_KFD = "/dev/kfd"
_OVERRIDE = "HSA_OVERRIDE_GFX_VERSION"
_VERSION = regex(r"(\d{1,2})\.(\d{1,2})\.(\d{1,2})")


def _meant(case: Case) -> bool:
    """Is an AMD GPU what torch is to run on here? An integrated one alone is, only where a ROCm build is meant."""
    if aims_at(case, "amd"):
        return True
    if installed_vendor(case) is not None:
        return False
    return any(not g.integrated for _, g in accelerated_gpus(case.facts, "amd"))


def _node(case: Case, path: str) -> Device | None:
    return (case.facts.devices or {}).get(path)


_HIDE_IGPU = (
    "export ROCR_VISIBLE_DEVICES=0  # the card's number in rocminfo; on Windows: set HIP_VISIBLE_DEVICES=1",
    "or switch the integrated GPU off in the firmware",
)


@check("rocm-device-missing")
def rocm_device_missing(case: Case) -> Iterator[Finding]:
    """An AMD GPU is known and there is no /dev/kfd."""
    facts, kfd = case.facts, _node(case, _KFD)
    if facts.system.os != "linux" or facts.system.wsl or not case.gpus("amd") or not _meant(case):
        return
    if facts.torch.gpu_available:
        return
    cards = accelerated_gpus(facts, "amd")
    container, dri = facts.system.container, _node(case, "/dev/dri")
    kernel = [f"gpus[{i}].driver" for i, _ in cards]
    title = None
    if kfd is not None and kfd.present is False:
        missing = _KFD
        detail = (
            f"The {container} container was started without /dev/kfd."
            if container
            else "The kernel offers no ROCm device: "
            + (
                "amdgpu is not loaded."
                if facts.drivers.amdgpu.version == ""
                else "amdgpu is not loaded or leaves this GPU out."
            )
        )
    elif container and dri is not None and dri.present is False:
        missing, detail, title = (
            "/dev/dri",
            f"The {container} container was started without /dev/dri.",
            "There is no /dev/dri: ROCm cannot see the GPU",
        )
    elif all(g.driver == "vfio-pci" for _, g in cards):
        missing, container = "", ""
        detail, title = (
            "Every AMD GPU is bound to vfio-pci.",
            "The AMD GPU is set aside for a virtual machine (vfio-pci)",
        )
    else:
        return
    if container:
        fix = remedies.give_gpu(facts, "amd")
    elif not missing:
        fix = ("unbind it from vfio-pci and bind it to amdgpu, or run torch inside the virtual machine",)
    else:
        fix = (
            "sudo modprobe amdgpu  # then: sudo dmesg | grep -iE 'amdgpu|kfd'",
            "if kfd skips the device, the last line of that output says why (firmware, PCIe atomics, kernel too old)",
        )
    yield finding(
        "rocm-device-missing",
        case,
        about=about(case, "amd"),
        title=title,
        detail=detail,
        evidence=(
            f"devices.{missing}.present",
            f"gpus[{cards[0][0]}].name",
            *kernel,
            "drivers.amdgpu.version",
            "system.container",
        ),
        lies_in="container" if container else "system",
        fix=fix,
    )


@check("rocm-permission")
def rocm_permission(case: Case) -> Iterator[Finding]:
    """/dev/kfd or every render node is there and this user may not open it."""
    facts = case.facts
    if facts.system.os not in ("linux", None) or facts.system.wsl or facts.torch.gpu_available or not _meant(case):
        return
    nodes = {p: d for p, d in (facts.devices or {}).items() if p.startswith("/dev/dri/renderD")}
    kfd = _node(case, _KFD)
    shut = None
    if kfd and kfd.present is not False and kfd.openable is False:
        shut = (_KFD, kfd)
    elif kfd and kfd.openable and nodes and all(d.openable is False for d in nodes.values()):
        shut = next(iter(sorted(nodes.items())))
    if shut is None or not (case.gpus("amd") or aims_at(case, "amd")):
        return
    path, device = shut
    owner = f", which belongs to group {device.group}" if device.group else ""
    yield finding(
        "rocm-permission",
        case,
        about=about(case, "amd"),
        detail=f"This user may not open {path}{owner}.",
        evidence=(f"devices.{path}.openable", f"devices.{path}.group"),
        fix=remedies.join_group(facts, device.group),
    )


@check("rocm-wsl-runtime")
def rocm_wsl_runtime(case: Case) -> Iterator[Finding]:
    """A stock ROCm build inside WSL: it looks for /dev/kfd, WSL offers /dev/dxg."""
    facts = case.facts
    if facts.system.wsl != 2 or facts.torch.gpu_available:
        return
    installed = installed_vendor(case) == "amd"
    if facts.gpus and not case.gpus("amd"):
        return  # a ROCm build on another vendor's GPU: the build is the fault
    if not installed and not (case.installed is None and accelerated_gpus(facts, "amd") and _meant(case)):
        return
    origin = case.installed.origin if case.installed else None
    if installed and origin in ("vendor", "source"):
        return
    stock = case.installed is not None and case.installed.stock
    runs = installed or bool(facts.torch.hip)  # a session may show the build without its number
    certain = runs and (stock or facts.torch.gpu_available is False)
    yield finding(
        "rocm-wsl-runtime",
        case,
        about=about(case, "amd"),
        severity="blocker" if certain else "warning",
        detail="ROCm builds look for /dev/kfd; WSL offers the GPU as /dev/dxg only, which AMD's own runtime for WSL can use.",
        evidence=("system.wsl", *build_facts(case), "torch.gpu_available"),
        fix=(
            "install AMD's driver for WSL in Windows and its ROCm inside WSL: https://rocm.docs.amd.com/projects/radeon/en/latest/docs/install/wsl/install-radeon.html",
            "install torch from the wheels named there, and replace the wheel's libhsa-runtime64.so as it says",
        ),
    )


@check("gfx-override-mismatch")
def gfx_override_mismatch(case: Case) -> Iterator[Finding]:
    """``HSA_OVERRIDE_GFX_VERSION`` makes ROCm run another generation's code on the chip."""
    facts = case.facts
    value = (facts.environment or {}).get(_OVERRIDE)
    match = _VERSION.fullmatch((value or "").strip())
    if match is None or facts.system.os not in ("linux", None):
        return
    cards = {g.vendor for g in facts.gpus or () if g.integrated is False}
    if installed_vendor(case) not in (None, "amd") or (cards and "amd" not in cards):
        return  # nothing here runs ROCm
    target = f"gfx{int(match[1])}{int(match[2]):x}{int(match[3]):x}"
    for place, gpu in accelerated_gpus(facts, "amd"):
        chip = gfx_name(gpu.gfx or "")
        if chip == target:  # ROCm's own tools report the override; the name is the chip's
            chip = _by_name(gpu.name) or chip
        if chip is None or chip[:-1] == target[:-1]:
            continue
        other = chip[3:-2] != target[3:-2]
        yield finding(
            "gfx-override-mismatch",
            case,
            about=about(case, "amd"),
            severity="blocker" if other else "warning",
            detail=f"{_OVERRIDE}={value} says {target}, {gpu.name or 'the GPU'} is {chip}: "
            + (
                "code of another generation does not run on it."
                if other
                else "a neighbouring generation, which fails or misbehaves."
            ),
            evidence=(f"environment.{_OVERRIDE}", f"gpus[{place}].gfx", f"gpus[{place}].name"),
            fix=(
                f"unset {_OVERRIDE}",
                f"if the build has no code for {chip}, only a value of its own generation can help",
            ),
        )
        return


def _by_name(name: str | None) -> str | None:
    from torchdoctor.matrix.gpus import by_name

    known = by_name(name, "amd") if name else None
    return gfx_name(known.gfx or "") if known else None


_FAILED = ("hip-invalid-image", "hip-invalid-function", "hip-no-binary", "tensile-missing")


@check("igpu-dgpu-conflict")
def works_without_igpu(case: Case) -> Iterator[Finding]:
    """The report itself says that GPU code runs once the integrated GPU is off, or once a mask hides one of the two."""
    rows = [f"symptoms[{i}]" for i, _ in case.symptom("igpu-off-helps")]
    if not rows and any(g.integrated for _, g in case.gpus("amd")) and case.symptom(*_FAILED):
        rows = [f"symptoms[{i}]" for i, _ in case.symptom("amd-mask-helps")]
    if not rows or installed_vendor(case) != "amd" or not case.gpus("amd"):
        return
    yield finding(
        "igpu-dgpu-conflict",
        case,
        about="installed",
        severity="blocker",
        detail="The integrated GPU is enumerated beside the card; without it the card works.",
        evidence=(*rows[:1], "gpus[0].name", "gpus[0].gfx"),
        fix=_HIDE_IGPU,
    )


@check("igpu-dgpu-conflict")
def igpu_dgpu_conflict(case: Case) -> Iterator[Finding]:
    """A card the build serves and an integrated GPU it does not, and GPU code has failed to load."""
    facts, installed = case.facts, case.installed
    if installed_vendor(case) != "amd" or installed is None:
        return
    environment = facts.environment or {}
    if any(environment.get(n) for n in ("HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES")):
        return
    cards = [(i, g) for i, g in case.gpus("amd") if g.integrated is False]
    beside = [(i, g) for i, g in case.gpus("amd") if g.integrated]
    seen = case.symptom(*_FAILED[:3])
    named = [t for _, t in case.symptom("tensile-missing") if any(g.gfx and t.endswith(g.gfx) for _, g in beside)]
    seen = seen or (case.symptom("tensile-missing") if named else ())
    kernels = installed.kernels
    if not cards or not beside or not (seen or facts.torch.gpu_available is False):
        return
    served = [g for _, g in cards if kernels is not None and gfx_name(g.gfx or "") in kernels]
    strange = [(i, g) for i, g in beside if kernels is not None and g.gfx and gfx_name(g.gfx) not in kernels]
    if kernels is not None and (not served or not strange):
        return
    place, integrated = (strange or beside)[0]
    yield finding(
        "igpu-dgpu-conflict",
        case,
        about="installed",
        severity="blocker" if seen else "warning",
        detail=f"{integrated.name or integrated.gfx} is enumerated beside {cards[0][1].name or cards[0][1].gfx} and the build has no code for it.",
        evidence=(f"gpus[{place}].gfx", f"gpus[{cards[0][0]}].gfx", *(f"symptoms[{i}]" for i, _ in seen)),
        fix=_HIDE_IGPU,
    )
