"""Findings that rest on what was asked of an installer, and what came of it: an ended channel, another build, a library left out."""

from __future__ import annotations

import re
from collections.abc import Iterator

from torchdoctor.matrix.case import Case
from torchdoctor.matrix.catalog import version_key
from torchdoctor.matrix.checks import check
from torchdoctor.matrix.checks.symptoms import seen
from torchdoctor.matrix.findings import finding
from torchdoctor.matrix.platforms import platforms_of
from torchdoctor.matrix.tables import table
from torchdoctor.matrix.verdict import Finding
from torchdoctor.probes.facts import regex

_ONEAPI = ("intel-", "mkl", "dpcpp", "tbb", "tcmlib", "umf", "oneccl", "impi", "onemkl")
_REQUIRES = regex(r"^\s{0,8}(?:ERROR: )?torch \S{1,40} (?:requires|has requirement) ([\w.-]{1,80})")


@check("conda-channel-ended", seen=("conda-not-found",))
def channel_ended(case: Case) -> Iterator[Finding]:
    """conda looked for a release on the pytorch channel that came after the channel's end."""
    rows = seen(case, "conda-not-found")
    if not rows or not case.symptom("conda-pytorch-channel"):
        return
    asked = re.search(r"\d{1,2}\.\d{1,2}(?:\.\d{1,2})?", case.facts.request.torch or "")
    last = table("conda.toml")["pytorch_channel"]["last"]
    if asked is None or version_key(asked[0]) <= version_key(last)[: asked[0].count(".") + 1]:
        return
    yield finding(
        "conda-channel-ended",
        case,
        about="request",
        severity="blocker",
        detail=f"The pytorch channel ended with {last}; later releases were never published there.",
        evidence=(*rows[:1], "request.torch"),
        fix=(
            "install torch with pip into the environment (see the recommendation)",
            "or take it from conda-forge: conda install -c conda-forge pytorch",
        ),
    )


@check("xpu-oneapi-conflict", "companion-mismatch", seen=("conflict-of-torch",))
def conflicts_of_torch(case: Case) -> Iterator[Finding]:
    """pip lists what torch itself requires in another version: oneAPI runtimes, or its triton."""
    for index, text in case.symptom("conflict-of-torch"):
        match = _REQUIRES.search(text)
        if match is None:
            continue
        name = match[1].lower().replace("_", "-")
        if name.startswith(_ONEAPI):
            yield finding(
                "xpu-oneapi-conflict",
                case,
                about="installed",
                severity="blocker",
                detail=f"Another package brought a {name} that is not the one this torch pins.",
                evidence=(
                    f"symptoms[{index}]",
                    f"packages.{name}",
                    "torch.version",
                    "packages.intel-extension-for-pytorch",
                ),
                fix=(
                    "remove intel-extension-for-pytorch, then reinstall torch from https://download.pytorch.org/whl/xpu",
                ),
                lies_in="packages",
            )
        elif "triton" in name:
            yield finding(
                "companion-mismatch",
                case,
                about="installed",
                severity="blocker",
                detail="The installed triton is not the one that belongs to this torch.",
                evidence=(f"symptoms[{index}]", f"packages.{name}", "torch.version"),
                fix=("pip install --force-reinstall the same torch: it brings its own triton",),
            )


@check("wrong-variant")
def asked_for_a_gpu_build(case: Case) -> Iterator[Finding]:
    """A GPU build was asked for and a CPU build arrived, or a CUDA machine got a torch without any CUDA packages."""
    facts, installed = case.facts, case.installed
    wanted = facts.request.variant or ""
    gpu_build = wanted.startswith(("cu", "rocm", "xpu"))
    if (
        installed is not None
        and installed.variant == "cpu"
        and gpu_build
        and not facts.torch.gpu_available
        and facts.system.os != "macos"
    ):
        rows: tuple[str, ...] = ("torch.version", "torch.variant", "request.variant", "packages.torch")
        detail = f"{wanted} was asked for, the torch that was installed is a CPU build."
    elif (
        case.symptom("no-cuda-packages")
        and not facts.torch.gpu_available
        and (installed is None or installed.variant in (None, "cpu"))
        and case.gpus("nvidia")
        and (facts.system.machine == "aarch64" or facts.system.os == "windows")
    ):
        rows = (*seen(case, "no-cuda-packages")[:1], "gpus[0].name", "system.machine")
        detail = "torch came without CUDA packages: the default index served its CPU build for this platform."
    elif (
        case.symptom("cuda-not-compiled")
        and facts.system.os != "macos"
        and (case.gpus("nvidia") or facts.drivers.nvidia.version)
        and (installed is None or installed.variant in (None, "cpu"))
    ):
        rows = (*seen(case, "cuda-not-compiled")[:1], "gpus[0].name", "drivers.nvidia.version", "torch.version")
        detail = "torch says that it was built without CUDA, and the machine has an NVIDIA GPU."
    elif (
        installed is None
        and wanted == "cpu"
        and facts.request.package == "torch"
        and facts.torch.gpu_available is False
        and facts.drivers.nvidia.version
        and case.gpus("nvidia")
    ):
        rows = ("request.index", "request.variant", "torch.gpu_available", "gpus[0].name")
        detail = "torch was taken from the index of CPU builds, and the machine has an NVIDIA GPU."
    elif case.symptom("xpu-not-compiled-text") and case.gpus("intel"):
        rows = (*seen(case, "xpu-not-compiled-text")[:1], "gpus[0].name", "torch.version")
        detail = "torch says that it was built without XPU support, and the machine has an Intel GPU."
    else:
        return
    yield finding(
        "wrong-variant",
        case,
        about="installed",
        severity="blocker",
        detail=detail,
        evidence=rows,
        fix=("uninstall torch, then install it from the index of the variant (see the recommendation)",),
    )


@check("downstream-abi-mismatch", "xpu-oneapi-missing", seen=("winerror-126", "missing-library"))
def missing_libraries(case: Case) -> Iterator[Finding]:
    """A library that only another build of torch, or the oneAPI runtime, would bring."""
    for index, text in case.symptom("winerror-126"):
        if re.search(r"(?:c10|torch)_xpu\.dll|intel-ext-pt-\w{2,12}\.dll", text.lower()):
            yield finding(
                "xpu-oneapi-missing",
                case,
                about="installed",
                severity="blocker",
                detail="The XPU build's DLLs do not find the SYCL runtime that they need.",
                evidence=(f"symptoms[{index}]", "torch.version"),
                fix=(
                    "reinstall torch from https://download.pytorch.org/whl/xpu without --no-deps: it brings the runtime as packages",
                ),
            )
    for index, text in case.symptom("missing-library"):
        match = re.search(r"\b(lib[\w+.-]{2,80}\.so(?:\.\d{1,3}){0,3})", text)
        if match is None:
            continue
        name = match[1]
        if re.match(r"lib(?:torch_cuda|c10_cuda|torch_hip|c10_hip|torch_xpu|c10_xpu|torch_cpu|c10|torch)\.so", name):
            yield finding(
                "downstream-abi-mismatch",
                case,
                about="installed",
                severity="blocker",
                detail=f"An extension needs {name}, which the installed torch does not have: it was built for another variant.",
                evidence=(f"symptoms[{index}]", "torch.version", "torch.variant"),
                fix=("install the torch that the extension was built for, or the extension's build for this torch",),
            )
        elif re.match(r"lib(?:mkl_sycl|mkl_|sycl|ze_loader|ur_|pi_level|OpenCL|svml|imf|intlc|ccl)", name):
            yield finding(
                "xpu-oneapi-missing",
                case,
                about="installed",
                severity="blocker",
                detail=f"{name} of the oneAPI runtime is not on the loader's path.",
                evidence=(f"symptoms[{index}]", "torch.version", "packages.intel-extension-for-pytorch"),
                fix=(
                    "install torch from https://download.pytorch.org/whl/xpu, which brings its oneAPI runtime as packages",
                    "with an old intel-extension-for-pytorch: source /opt/intel/oneapi/setvars.sh of the release it names",
                ),
            )


@check("no-wheel-for-platform")
def no_gpu_build_here(case: Case) -> Iterator[Finding]:
    """A CPU build beside an NVIDIA GPU where that release has no CUDA build for this platform at all."""
    installed = case.installed
    possible = platforms_of(case.facts).possible
    if installed is None or installed.release is None or installed.variant != "cpu" or len(possible) != 1:
        return
    if not case.gpus("nvidia") or case.facts.torch.gpu_available or possible[0].startswith("macos"):
        return
    if case.facts.system.jetson:
        return  # no public build is for its GPU anyway
    if any(b.vendor == "nvidia" for b in installed.release.on(possible[0])):
        return
    yield finding(
        "no-wheel-for-platform",
        case,
        about="installed",
        severity="blocker",
        detail=f"torch {installed.version} has no CUDA build for {possible[0].replace('_', ' on ', 1)}: only the CPU build could be installed.",
        evidence=("torch.version", "torch.variant", "system.machine", "gpus[0].name"),
        fix=("install a release that has one (see the recommendation)",),
        lies_in="packages",
    )
