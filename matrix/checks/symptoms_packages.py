"""Findings that rest on what a package said when it was loaded beside torch: extensions, companions, oneAPI, two interpreters."""

from __future__ import annotations

from collections.abc import Iterator

from torchdoctor.matrix.case import Case
from torchdoctor.matrix.catalog import version_key
from torchdoctor.matrix.checks import check
from torchdoctor.matrix.checks.symptoms import seen
from torchdoctor.matrix.findings import finding
from torchdoctor.matrix.verdict import Finding
from torchdoctor.probes.facts import regex

_PAIR = regex(r"PyTorch (?:\w{1,12} )?(\d{1,2}\.\d{1,3})\S{0,8}, but PyTorch (\d{1,2}\.\d[\w.+]{0,40}?) is found")


@check("ipex-version-mismatch", seen=("ipex-needs-other-torch",))
def ipex_says_so(case: Case) -> Iterator[Finding]:
    """The extension names the torch it works with and the one that it found."""
    for index, text in case.symptom("ipex-needs-other-torch"):
        match = _PAIR.search(text)
        if match is None:
            continue
        yield finding(
            "ipex-version-mismatch",
            case,
            about="installed",
            detail=f"intel-extension-for-pytorch works with torch {match[1]}; it found {match[2]}.",
            evidence=(f"symptoms[{index}]", "torch.version", "packages.intel-extension-for-pytorch"),
            fix=(
                f'pip install "torch=={match[1]}.*"',
                "or uninstall the extension: recent torch has the XPU device built in",
            ),
        )
        return


@check("xpu-driver-mismatch", seen=("undefined-symbol-level-zero",))
def level_zero_loader(case: Case) -> Iterator[Finding]:
    """The wheel's Level Zero adapter asks the system's loader for a function that it does not have yet."""
    rows = seen(case, "undefined-symbol-level-zero")
    if not rows or case.facts.torch.gpu_available:
        return
    yield finding(
        "xpu-driver-mismatch",
        case,
        about="installed" if case.installed else "machine",
        severity="blocker",
        detail="The Level Zero loader of the system (libze_loader) is older than the adapter of the wheel: a function is missing from it.",
        evidence=(*rows[:1], "runtimes.level_zero", "drivers.intel.compute_runtime", "torch.version"),
        fix=(
            "update libze1 (level-zero) and the compute runtime from one source, Intel's repository or the distribution",
        ),
    )


@check("xpu-oneapi-conflict", seen=("oneapi-library-version",))
def oneapi_of_another_version(case: Case) -> Iterator[Finding]:
    """A library of an installed oneAPI was loaded in the place of the wheel's own and lacks a symbol version."""
    rows = seen(case, "oneapi-library-version")
    if not rows:
        return
    yield finding(
        "xpu-oneapi-conflict",
        case,
        about="installed" if case.installed else "machine",
        severity="blocker",
        detail="A library of the installed oneAPI came before the one that the wheel brings, and is of another version.",
        evidence=(*rows[:1], "environment.LD_LIBRARY_PATH", "torch.version"),
        fix="open a shell without setvars.sh: the wheel brings its own oneAPI",
        lies_in="environment",
    )


@check("system-cuda-shadowing", seen=("cudnn-version-differs",))
def cudnn_of_another_version(case: Case) -> Iterator[Finding]:
    """torch names the cuDNN it was compiled against and the older one that was loaded instead."""
    rows = seen(case, "cudnn-version-differs")
    if not rows or seen(case, "undefined-symbol-nvidia", "cudnn-load-failed"):
        return
    yield finding(
        "system-cuda-shadowing",
        case,
        about="installed" if case.installed else "machine",
        severity="blocker",
        detail="torch found another cuDNN than the one it was compiled against and brings along.",
        evidence=(*rows[:1], "environment.LD_LIBRARY_PATH", "packages.nvidia-cudnn-cu12", "torch.version"),
        fix=("unset LD_LIBRARY_PATH, or take the folder with the other cuDNN out of it",),
    )


@check("companion-mismatch", seen=("torchvision-operator",))
def torchvision_without_operators(case: Case) -> Iterator[Finding]:
    """torchvision's operators did not register: its compiled part is of another torch, or of another variant."""
    rows = seen(case, "torchvision-operator")
    if not rows or case.facts.torch.origin in ("vendor", "source"):
        return
    torch, vision = case.facts.torch.version or case.package("torch"), case.package("torchvision")
    if torch and vision and _pairs(case, torch, vision):
        return
    yield finding(
        "companion-mismatch",
        case,
        about="installed" if case.installed else "machine",
        severity="blocker",
        detail="The compiled operators of torchvision could not be loaded: it was built for another torch or another variant.",
        evidence=(*rows[:1], "packages.torchvision", "torch.version", "packages.torch"),
        fix=("install torch, torchvision and torchaudio in one command from one index",),
    )


@check("companion-mismatch")
def pins_that_do_not_pair(case: Case) -> Iterator[Finding]:
    """Pins for torch and torchvision, in a list or in one command, that were never made for each other."""
    torch = case.facts.request.torch or ""
    release = case.catalog.release(torch) if case.installed is None else None
    wanted = tuple(map(version_key, release.companions.get("torchvision", ()))) if release else ()
    if not wanted or seen(case, "torchvision-operator"):
        return
    said = [(text.partition("==")[2], f"symptoms[{i}]") for i, text in case.symptom("asked-torchvision")]
    if vision := case.package("torchvision"):
        said.append((vision, "packages.torchvision"))
    for version, fact in said:
        number = version_key(version.partition("+")[0])
        # Later ones are open to several releases of torch, and a number cut short names several.
        if len(number) < 3 or number >= (0, 29) or number in wanted or not _belongs_elsewhere(case, number):
            continue
        yield finding(
            "companion-mismatch",
            case,
            about="request",
            severity="blocker",
            detail=f"torchvision {version} was made for another torch than {torch}; with that goes {release.companions['torchvision'][0] if release else ''}.",
            evidence=(fact, "request.torch"),
            fix=(f"torch=={torch} torchvision=={release.companions['torchvision'][0] if release else ''}",),
        )
        return


def _belongs_elsewhere(case: Case, number: tuple[int, ...]) -> bool:
    return any(number in map(version_key, r.companions.get("torchvision", ())) for r in case.catalog.releases())


def _pairs(case: Case, torch: str, vision: str) -> bool:
    """Whether both are of one release and one variant, as far as they say: then the cause is another one."""
    release = case.catalog.release(torch.partition("+")[0])
    number, _, variant = vision.partition("+")
    if release is None or version_key(number) not in map(version_key, release.companions.get("torchvision", ())):
        return False
    mine = torch.partition("+")[2]
    return not (mine and variant) or mine == variant


@check("downstream-abi-mismatch", seen=("extension-procedure-missing",))
def procedure_missing(case: Case) -> Iterator[Finding]:
    """Windows found the extension and the DLLs it needs, and one of these lacks a function: they are of another torch."""
    rows = seen(case, "extension-procedure-missing")
    if not rows:
        return
    yield finding(
        "downstream-abi-mismatch",
        case,
        about="installed",
        severity="blocker",
        detail="A compiled extension asks torch's DLLs for a function that this torch does not have.",
        evidence=(*rows[:1], "torch.version", "packages.torch"),
        fix=("install the build of that package for the installed torch", "or install the torch it was built for"),
    )


@check("downstream-arch-missing")
def extension_refuses_gpu(case: Case) -> Iterator[Finding]:
    """An attention package names this GPU as one that it has no code for; torch itself is not involved."""
    rows = seen(case, "flash-attention-gpu")
    if not rows and seen(case, "xformers-no-operator"):
        rows = seen(case, "xformers-gpu-too-new")
    if not rows:
        return
    yield finding(
        "downstream-arch-missing",
        case,
        about="installed",
        severity="blocker",
        detail="The attention package has no code for this GPU; torch has.",
        evidence=(*rows[:1], "gpus[0].name", "gpus[0].compute_capability", "torch.version"),
        fix=(
            "use torch's own attention: attn_implementation='sdpa', --attention-pytorch, torch.nn.functional.scaled_dot_product_attention",
            "or a release of the package that names this GPU",
        ),
    )


@check("wrong-interpreter", seen=("no-module-torch",))
def installed_elsewhere(case: Case) -> Iterator[Finding]:
    """One interpreter has no torch, and pip shows it installed for another."""
    rows = seen(case, "no-module-torch")
    there = seen(case, "torch-location", "torch-of-another-interpreter")
    # A build in isolation never sees the environment's torch: that is no second interpreter.
    if not rows or not there or case.symptom("build-isolation"):
        return
    yield finding(
        "wrong-interpreter",
        case,
        about="installed",
        severity="blocker",
        detail="torch is installed for another interpreter, and the one that was run does not have it.",
        evidence=(*rows[:1], *there[:1], "python.executable"),
        fix=(
            "python -c 'import sys; print(sys.executable)' names the interpreter that fails",
            "install with that one: THAT_PYTHON -m pip install torch",
        ),
    )


@check("duplicate-install", seen=("torch-from-pip-over-conda",))
def conda_and_pip(case: Case) -> Iterator[Finding]:
    """conda lists its own pytorch and another torch that pip put over it."""
    rows = seen(case, "torch-from-pip-over-conda")
    if not rows:
        return
    yield finding(
        "duplicate-install",
        case,
        about="installed",
        severity="blocker",
        detail="The environment holds conda's pytorch and, over it, another torch from pip.",
        evidence=(*rows[:1], "packages.torch", "torch.version"),
        fix=(
            "pip uninstall -y torch torchvision torchaudio, until pip says that it is not installed",
            "then keep one source: conda install, or pip in a new environment",
        ),
    )


@check("wsl-driver-not-visible", seen=("libcuda-of-linux-driver", "linux-driver-package", "nvml-library-missing"))
def linux_libcuda_in_wsl(case: Case) -> Iterator[Finding]:
    """Inside WSL the loader's cache or the package list holds a Linux driver, and torch or nvidia-smi finds no GPU."""
    # nvidia-smi of a Linux driver looks for a kernel module, and WSL has none.
    no_module = seen(case, "nvidia-smi-failed")
    rows = (*seen(case, "libcuda-of-linux-driver"), *(seen(case, "linux-driver-package") if no_module else ()))
    facts = case.facts
    unseen = seen(case, "nvml-library-missing")
    if unseen and facts.system.wsl == 2 and not facts.torch.gpu_available:
        yield finding(
            "wsl-driver-not-visible",
            case,
            about="machine",
            severity="blocker",
            detail="Inside WSL nvidia-smi finds no libnvidia-ml: the libraries of the Windows driver are not in /usr/lib/wsl/lib.",
            evidence=(*unseen[:1], "system.wsl"),
            fix=(
                "install or update the NVIDIA driver in Windows (https://www.nvidia.com/drivers)",
                "wsl --update && wsl --shutdown",
            ),
        )
        return
    failed = facts.torch.gpu_available is False or bool(no_module)
    if not rows or facts.system.wsl != 2 or not failed or facts.torch.gpu_available:
        return
    yield finding(
        "wsl-driver-not-visible",
        case,
        about="machine",
        title="A Linux NVIDIA driver inside WSL hides the Windows one",
        severity="blocker",
        detail="A Linux driver's libraries are installed here, and they stand before those of Windows in /usr/lib/wsl/lib.",
        evidence=(*rows[:1], "system.wsl"),
        fix=("remove it: sudo apt purge '*nvidia*' 'libcuda*' 'cuda-drivers*'", "in Windows: wsl --shutdown"),
    )


@check("wheel-arch-mismatch")
def library_of_another_machine(case: Case) -> Iterator[Finding]:
    """``file`` names a library of torch as one for another machine than this."""
    here = case.facts.python.machine or case.facts.system.machine
    for machine in ("x86_64", "aarch64"):
        rows = seen(case, f"torch-library-{machine}")
        if not rows or here not in ("x86_64", "aarch64") or here == machine:
            continue
        yield finding(
            "wheel-arch-mismatch",
            case,
            about="installed",
            severity="blocker",
            detail=f"The installed library is for {machine}, this is {here}.",
            evidence=(*rows[:1], "python.machine", "system.machine"),
            fix="pip install --force-reinstall --no-cache-dir torch, run on this machine",
        )
        return
