"""Findings that an error text proves by itself. Each says which line it rests on; what facts prove is checked elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from torchdoctor.matrix import remedies
from torchdoctor.matrix.case import Case
from torchdoctor.matrix.catalog import version_key
from torchdoctor.matrix.checks import check
from torchdoctor.matrix.checks._aim import about as aim
from torchdoctor.matrix.findings import finding
from torchdoctor.matrix.verdict import About, Finding, Severity
from torchdoctor.probes.facts import dataclass

__all__ = ["PROOFS", "Proof", "seen"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """One rule: any of ``symptoms`` proves ``finding``, unless ``when`` says otherwise. ``about`` names a vendor whose GPU
    is meant, or is one of the three words of a finding.
    """

    finding: str
    symptoms: tuple[str, ...]
    detail: str
    about: str = "machine"
    fix: Callable[[Case], tuple[str, ...]] | tuple[str, ...] = ()
    lies_in: str | Callable[[Case], str] | None = None
    when: Callable[[Case], bool] = lambda case: True
    facts: tuple[str, ...] = ()
    severity: Callable[[Case], Severity] = lambda case: "blocker"


def seen(case: Case, *ids: str) -> tuple[str, ...]:
    """Evidence paths of the symptoms with these ids."""
    return tuple(f"symptoms[{index}]" for index, _ in case.symptom(*ids))


def _about(case: Case, word: str) -> About:
    if word in ("nvidia", "amd", "intel", "apple"):
        return aim(case, word)
    if word == "torch":
        return "installed" if case.installed is not None else "machine"
    return "request" if word == "request" else "installed" if word == "installed" else "machine"


def _on_linux_itself(case: Case) -> bool:
    system = case.facts.system
    return system.os in ("linux", None) and not (system.wsl or system.jetson or system.container)


def _on_the_bus(case: Case, index: int) -> bool:
    """Whether the GPU was read off a bus listing, not only named by a person."""
    return "controller" in (case.facts.source(f"gpus[{index}]") or "")


def _not_usable(case: Case) -> bool:
    return case.facts.torch.gpu_available is not True


def _speaks_cuda_11(case: Case) -> bool:
    # CUDA 11 is the oldest that a release in the matrix was built for: below it no wheel is a cure.
    cuda = case.facts.drivers.nvidia.cuda
    return cuda is None or version_key(cuda) >= (11, 0)


def _torch_dll(case: Case) -> bool:
    # CUDA's own DLLs fail for other reasons: memory, a damaged file
    words = (
        "c10.dll",
        "fbgemm.dll",
        "shm.dll",
        "torch_python.dll",
        "torch_cpu.dll",
        "torch.dll",
        "asmjit.dll",
        "torch_global_deps.dll",
    )
    texts = [t.lower() for _, t in case.symptom("winerror-126", "winerror-127", "winerror-1114")]
    return any(w in t or "libomp" in t for t in texts for w in words)


def _compat_fix(case: Case) -> tuple[str, ...]:
    take = "take the cuda-compat folder off LD_LIBRARY_PATH and out of /etc/ld.so.conf.d, then run ldconfig"
    if case.facts.system.container:
        return (
            "use an image whose CUDA is not newer than the driver of the host",
            take,
            "or update the driver of the host",
        )
    return (take, "or update the driver, so that no compatibility library is needed")


def _fabric(case: Case) -> tuple[str, ...]:
    return remedies.fabric_manager(case.facts)


def _rebuild(case: Case) -> tuple[str, ...]:
    return remedies.rebuild_nvidia_module(case.facts)


def _mismatch(case: Case) -> tuple[str, ...]:
    return (
        remedies.restart(case.facts),
        "if it stays: remove every NVIDIA driver package and install one source's only",
    )


def _gpu_into_container(case: Case) -> tuple[str, ...]:
    return remedies.give_gpu(case.facts, "nvidia")


def _kfd_into_container(case: Case) -> tuple[str, ...]:
    if case.facts.system.os == "windows" or case.facts.system.wsl:
        return (
            "Docker on Windows has no /dev/kfd: install the ROCm wheels for Windows natively",
            "or AMD's WSL build of ROCm inside WSL, which uses /dev/dxg",
        )
    if case.facts.system.container:
        return remedies.give_gpu(case.facts, "amd")
    return ("load the driver: sudo modprobe amdgpu", "look at: sudo dmesg | grep -i -e amdgpu -e kfd")


def _group(case: Case) -> tuple[str, ...]:
    return remedies.join_group(case.facts, "render")


def _shm_small(case: Case) -> bool:
    size = case.facts.resources.shm
    return size is None or size < 2**30


def _shm_fix(case: Case) -> tuple[str, ...]:
    if case.facts.system.container:
        return (
            "start the container with --shm-size=8g or --ipc=host",
            "or load with fewer workers: DataLoader(num_workers=0)",
        )
    return ("sudo mount -o remount,size=8G /dev/shm", "or load with fewer workers: DataLoader(num_workers=0)")


def _nix(case: Case) -> tuple[str, ...]:
    if case.facts.system.name == "NixOS":
        return (
            "enable programs.nix-ld with stdenv.cc.cc.lib, or work in an FHS shell (pkgs.buildFHSEnv)",
            "or use torch of nixpkgs: python3Packages.torch",
        )
    return ("install the C++ runtime: apt install libstdc++6, dnf install libstdc++, apk has none for these wheels",)


PROOFS: tuple[Proof, ...] = (
    Proof(
        finding="fabric-manager-not-ready",
        symptoms=("cuda-error-802",),
        about="nvidia",
        detail="The driver answers that the system is not yet initialized: the NVSwitch fabric has not come up.",
        fix=_fabric,
        when=_not_usable,
    ),
    Proof(
        finding="driver-library-mismatch",
        symptoms=("cuda-error-803", "driver-library-mismatch"),
        about="nvidia",
        detail="The driver's own tool says that its library and the loaded kernel module are of different versions.",
        fix=_mismatch,
        facts=("drivers.nvidia.version", "drivers.nvidia.library"),
    ),
    Proof(
        finding="cuda-compat-on-unsupported-gpu",
        symptoms=("cuda-error-804",),
        about="nvidia",
        detail="A forward-compatibility libcuda is loaded on a GPU that may not use one.",
        fix=_compat_fix,
        facts=("drivers.nvidia.version", "gpus[0].name", "environment.LD_LIBRARY_PATH"),
    ),
    Proof(
        finding="libcuda-stub",
        symptoms=("cuda-error-34", "libcuda-stub-path"),
        about="nvidia",
        detail="The stub libcuda of a CUDA toolkit is found before the driver's: it is for linking only.",
        fix=(
            "take the stubs folder (…/lib64/stubs) off LD_LIBRARY_PATH and out of /etc/ld.so.conf.d",
            "then run: sudo ldconfig",
        ),
        facts=("environment.LD_LIBRARY_PATH",),
    ),
    Proof(
        finding="cuda-init-unknown-error",
        symptoms=("cuda-error-999",),
        about="nvidia",
        detail="cuInit fails without naming a reason: the driver's state, not a version, is at fault.",
        fix=("sudo rmmod nvidia_uvm && sudo modprobe nvidia_uvm (after a suspend)", "or restart the machine"),
        when=_not_usable,
    ),
    Proof(
        finding="driver-not-loaded",
        symptoms=("nvidia-smi-failed", "nvidia-module-absent", "nvidia-module-key", "nvidia-device-taken"),
        about="nvidia",
        detail="The driver's tools are installed and cannot reach the kernel module.",
        fix=_rebuild,
        when=lambda case: _on_linux_itself(case) and case.facts.drivers.nvidia.loaded is not True and _not_usable(case),
        facts=("drivers.nvidia.version", "drivers.nvidia.installed", "system.kernel"),
    ),
    Proof(
        finding="driver-too-old",
        symptoms=("driver-too-old-text", "driver-insufficient"),
        about="nvidia",
        detail="torch itself was told by the driver that it is too old for this build.",
        fix=lambda case: (
            "install a variant that the driver can run (see the recommendation)",
            *remedies.update_nvidia_driver(case.facts, "580"),
        ),
        lies_in=lambda case: "packages" if _speaks_cuda_11(case) else "system",
        when=_not_usable,
        facts=("drivers.nvidia.version", "drivers.nvidia.cuda", "torch.version"),
    ),
    Proof(
        finding="container-no-gpu",
        symptoms=("container-no-driver", "container-no-gpu-capability", "container-no-libcuda"),
        about="nvidia",
        detail="The container was started without the GPU: the image's own start-up check finds no driver.",
        fix=_gpu_into_container,
        when=_not_usable,
        facts=("system.container", "drivers.nvidia.version"),
    ),
    Proof(
        finding="container-no-gpu",
        symptoms=("found-no-nvidia-driver",),
        about="nvidia",
        detail="The container was started without --gpus, and the program in it finds no driver.",
        fix=_gpu_into_container,
        when=lambda case: _not_usable(case) and bool(case.symptom("docker-run-without-gpu")),
        facts=("system.container",),
    ),
    Proof(
        finding="container-cuda-requirement",
        symptoms=("container-cuda-requirement", "container-brand-requirement"),
        about="nvidia",
        detail="The image asks for a newer CUDA than the driver of the host speaks, and the container toolkit refuses to start it.",
        fix=(
            "update the NVIDIA driver of the host",
            "or use an image for an older CUDA",
            "or, where only the wheel's CUDA matters: start it with NVIDIA_DISABLE_REQUIRE=1",
        ),
        facts=("drivers.nvidia.version", "drivers.nvidia.cuda"),
    ),
    Proof(
        finding="rocm-device-missing",
        symptoms=("container-kfd-missing", "kfd-missing", "rock-not-loaded"),
        about="amd",
        detail="/dev/kfd is not there: no ROCm program can reach the GPU.",
        fix=_kfd_into_container,
        facts=("system.os", "system.container"),
    ),
    Proof(
        finding="rocm-permission",
        symptoms=("kfd-denied",),
        about="amd",
        detail="This user may not open /dev/kfd.",
        fix=_group,
    ),
    Proof(
        finding="pcie-atomics-missing",
        symptoms=("pcie-atomics",),
        about="amd",
        detail="The report says that the platform offers no PCIe atomics, which ROCm needs.",
        fix=(
            "put the card into a slot that is wired to the processor, or use another board",
            "in a virtual machine: enable PCIe atomics for the passed-through device, or use a current ROCm build",
        ),
        # where the runtime names missing code, that is the cause
        severity=lambda case: "warning" if case.symptom("hip-invalid-function", "hip-no-binary") else "blocker",
    ),
    Proof(
        finding="triton-ptxas-too-old",
        symptoms=("ptxas-unknown-arch",),
        about="torch",
        detail="The ptxas that Triton runs does not know this GPU: torch works, torch.compile does not.",
        fix=(
            "export TRITON_PTXAS_PATH=/usr/local/cuda/bin/ptxas (a CUDA toolkit that knows the GPU)",
            "or install a newer torch with the triton that belongs to it",
        ),
        facts=("packages.triton", "packages.pytorch-triton", "gpus[0].compute_capability"),
    ),
    Proof(
        finding="metal-device-missing",
        symptoms=("mps-zero-memory",),
        about="apple",
        detail="Not even the first few bytes can be allocated: this is the paravirtual GPU of a virtual machine.",
        fix=("use device='cpu' here: a virtual Mac has no GPU that Metal can compute on",),
    ),
    Proof(
        finding="glibc-too-old",
        symptoms=("glibc-symbol",),
        about="torch",
        detail="The loader misses a glibc symbol version that the library was built against.",
        fix=(
            "use a container or a system with a newer glibc",
            "or a torch release built for this one (see the recommendation)",
        ),
        lies_in="packages",
        facts=("system.libc_version", "system.name", "system.version"),
    ),
    Proof(
        finding="glibc-too-new",
        symptoms=("executable-stack",),
        about="torch",
        detail="glibc 2.41 and newer refuse a library that asks for an executable stack.",
        fix=(
            "install a newer torch, which no longer asks for it",
            "or clear the mark: patchelf --clear-execstack LIBRARY",
        ),
        facts=("system.libc_version",),
    ),
    Proof(
        finding="libstdcxx-missing",
        symptoms=("libstdcxx-missing",),
        about="machine",
        detail="libstdc++.so.6 is not on the loader's path.",
        fix=_nix,
        facts=("system.name",),
    ),
    Proof(
        finding="windows-runtime-missing",
        symptoms=("winerror-126", "winerror-127", "winerror-1114"),
        about="torch",
        detail="A DLL of torch was found, one that it needs in turn was not.",
        fix=(
            "winget install Microsoft.VCRedist.2015+.x64, then open a new terminal",
            "with torch 2.4.0: install 2.4.1 or newer, which brings the OpenMP runtime libomp140 with it",
        ),
        when=_torch_dll,
        facts=("packages.torch",),
    ),
    Proof(
        finding="wheel-arch-mismatch",
        symptoms=("mach-o-architecture", "winerror-193"),
        about="torch",
        detail="The installed binaries are of another machine than the interpreter.",
        fix=("pip install --force-reinstall --no-cache-dir torch, run with the interpreter that fails",),
        facts=("python.machine", "system.machine"),
    ),
    Proof(
        finding="win-long-path",
        symptoms=("long-path",),
        about="request",
        detail="A path grew over 260 characters, which this Windows refuses.",
        fix=(
            "as administrator: Set-ItemProperty HKLM:\\SYSTEM\\CurrentControlSet\\Control\\FileSystem LongPathsEnabled 1",
            "or use short folders: set TMP=C:\\t and a virtual environment near the drive's root",
        ),
    ),
    Proof(
        finding="shm-too-small",
        symptoms=("bus-error-worker", "shm-full"),
        about="machine",
        detail="A DataLoader worker met a bus error: /dev/shm is full.",
        fix=_shm_fix,
        lies_in="container",
        when=_shm_small,
        facts=("resources.shm", "system.container"),
    ),
    Proof(
        finding="duplicate-install",
        symptoms=("torch-versions-differ",),
        about="installed",
        detail="The torch that is imported is not the one that pip manages: a second copy stands earlier on the path.",
        fix=(
            "python -c 'import torch; print(torch.__file__)' shows the copy that wins",
            "pip uninstall torch until it says that there is none, also without the environment (user site)",
            "install torch and its companions again in one command",
        ),
        facts=("torch.version", "packages.torch"),
    ),
    Proof(
        finding="companion-mismatch",
        symptoms=("companion-cuda-differs", "conflict-of-companion", "undefined-symbol-companion"),
        about="installed",
        detail="torch and a companion were built for different releases or CUDA versions.",
        fix=("install torch, torchvision and torchaudio in one command from one index",),
        facts=("torch.version", "packages.torchvision", "packages.torchaudio"),
    ),
    Proof(
        finding="companion-pin-conflict",
        symptoms=("conflict-on-torch", "pin-conflict", "poetry-pin"),
        about="installed",
        detail="Another package insists on another torch.",
        fix=(
            "let the package with the exact pin choose torch: install it first, or in the same command",
            "or take a release of it that allows this torch",
        ),
        facts=("packages.torch",),
    ),
    Proof(
        finding="wsl-driver-not-visible",
        symptoms=("libcuda-not-found",),
        about="machine",
        detail="Inside WSL the Windows driver's libcuda is not on the loader's path.",
        fix=(
            "put /usr/lib/wsl/lib on LD_LIBRARY_PATH (first), or run: sudo ldconfig",
            "update the NVIDIA driver in Windows, then: wsl --shutdown",
        ),
        when=lambda case: bool(case.facts.system.wsl) and _not_usable(case),
        facts=("system.wsl",),
    ),
    Proof(
        finding="driver-missing",
        symptoms=("nvidia-smi-not-found", "libcuda-not-found", "found-no-nvidia-driver"),
        about="nvidia",
        detail="The machine has an NVIDIA GPU and nothing of its driver is found.",
        fix=lambda case: remedies.nvidia_driver(case.facts),
        when=lambda case: (
            _on_linux_itself(case)
            and case.facts.torch.gpu_available is False
            and not case.facts.drivers.nvidia.version
            and any(g.pci_id or _on_the_bus(case, i) for i, g in case.gpus("nvidia"))
        ),
        facts=("gpus[0].name", "gpus[0].pci_id"),
    ),
    Proof(
        finding="ipex-version-mismatch",
        symptoms=("ipex-needs-other-torch",),
        about="installed",
        detail="The extension for PyTorch says itself that it needs another torch.",
        fix=(
            "remove intel-extension-for-pytorch: torch's own XPU build has taken its place",
            "or install the torch of the same major.minor",
        ),
        facts=("packages.intel-extension-for-pytorch", "torch.version"),
    ),
    Proof(
        finding="downstream-abi-mismatch",
        symptoms=("built-for-another-torch",),
        about="installed",
        detail="The extension says itself that it was built for another torch.",
        fix=(
            "install the release of the extension that was built for this torch",
            "or the torch that it was built for",
        ),
        facts=("torch.version",),
    ),
    Proof(
        finding="driver-too-old",
        symptoms=("invalid-ptx",),
        about="nvidia",
        detail="The driver cannot translate PTX of this build's newer toolkit.",
        fix=lambda case: remedies.update_nvidia_driver(case.facts, "580"),
        lies_in="system",
        facts=("drivers.nvidia.version", "drivers.nvidia.cuda", "torch.version"),
    ),
    Proof(
        finding="rosetta-python",
        symptoms=("mps-not-built",),
        about="machine",
        detail="This is Apple silicon and the installed torch is the one for Intel Macs: the interpreter is an x86-64 one.",
        fix=("install an arm64 Python (python.org, Homebrew under /opt/homebrew, conda for osx-arm64)",),
        when=lambda case: (
            case.facts.system.os == "macos"
            and case.facts.system.machine == "aarch64"
            and (case.facts.cpu.model or "").startswith("Apple")
        ),
        facts=("cpu.model", "python.machine"),
    ),
    Proof(
        finding="downstream-arch-missing",
        symptoms=("bnb-library-missing",),
        about="installed",
        detail="The extension has no library for this GPU and CUDA; torch is not involved.",
        fix=("install a build of the extension for this CUDA and GPU, or build it from source",),
        when=lambda case: any("nocublaslt" in t for _, t in case.symptom("bnb-library-missing")),
        facts=("gpus[0].compute_capability",),
    ),
    Proof(
        finding="downstream-abi-mismatch",
        symptoms=("bnb-library-missing",),
        about="installed",
        detail="The extension has no library for this CUDA version.",
        fix=("install a release of the extension that knows this CUDA version",),
        when=lambda case: all("nocublaslt" not in t for _, t in case.symptom("bnb-library-missing")),
        facts=("torch.version",),
    ),
    Proof(
        finding="conda-mkl-conflict",
        symptoms=("undefined-symbol-ittnotify",),
        about="installed",
        detail="MKL 2024.1 and newer lack a symbol that the channel's builds of torch import.",
        fix=('conda install "mkl<2024.1"', "or install torch with pip: the channel is no longer served"),
        facts=("packages.mkl",),
    ),
)


@check(*dict.fromkeys(p.finding for p in PROOFS))
def from_texts(case: Case) -> Iterator[Finding]:
    """Every rule whose text was seen."""
    if not case.facts.symptoms:
        return
    ids = {s.id for s in case.facts.symptoms}
    for proof in PROOFS:
        if ids.isdisjoint(proof.symptoms) or not proof.when(case):
            continue
        steps: Iterable[str] = proof.fix if isinstance(proof.fix, tuple) else proof.fix(case)
        yield finding(
            proof.finding,
            case,
            about=_about(case, proof.about),
            detail=proof.detail,
            evidence=(*seen(case, *proof.symptoms)[:2], *proof.facts),
            fix=tuple(steps),
            lies_in=proof.lies_in(case) if callable(proof.lies_in) else proof.lies_in,
            severity=proof.severity(case),
        )
