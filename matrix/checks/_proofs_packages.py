"""Texts that name a package, a library or the room on a disk as the cause."""

from __future__ import annotations

from torchdoctor.matrix.case import Case
from torchdoctor.matrix.checks._proof import Proof

__all__ = ["PROOFS"]


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
        finding="windows-runtime-missing",
        symptoms=("vc-runtime-missing",),
        about="torch",
        detail="Windows itself names the DLL of the Visual C++ runtime that is not there.",
        fix=("winget install Microsoft.VCRedist.2015+.x64, then open a new terminal",),
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
        symptoms=("bnb-no-kernel",),
        about="installed",
        detail="bitsandbytes itself has no code for this GPU: the error names its own source file, not torch.",
        fix=("install a release of bitsandbytes that names this GPU, or build it from source",),
        facts=("gpus[0].name", "packages.bitsandbytes"),
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
