"""Extensions compiled against torch: were they made for this torch, this CUDA, this Python and this GPU?"""

from __future__ import annotations

import re
from collections.abc import Iterator

from torchdoctor.matrix.case import Case
from torchdoctor.matrix.checks import check
from torchdoctor.matrix.checks._packages import (
    FAMILY,
    cuda_major,
    distributions,
    line,
    local,
    public,
    stock_like,
    toolkit,
    torch_line,
)
from torchdoctor.matrix.checks.cuda_packages import loaded_majors
from torchdoctor.matrix.findings import finding
from torchdoctor.matrix.gpu_code import cuda_coverage
from torchdoctor.matrix.tables import table
from torchdoctor.matrix.verdict import Finding
from torchdoctor.probes.facts import dataclass, regex

_TORCH = regex(r"(?:^|[^a-z])(?:torch(\d)\.(\d{1,2})|torch(\d)(\d{1,2})(?!\d)|pt(\d)(\d{1,2})(?!\d))")
_CUDA = regex(r"(?:^|[^a-z]|(?<=\d))cu(\d{2})(\d)?(?!\d)")
_ABI = regex(r"cxx11abi(true|false)")
_BNB = regex(r"libbitsandbytes_cuda(\d{2})(\d)(_nocublaslt)?\.(?:so|dll)\Z")
_LIBRARY = regex(r"(?<![\w./~+-])([\w./~+-]{1,300}?([\w.+-]{1,80})\.(?:so|pyd)): undefined symbol")


@dataclass(frozen=True, slots=True)
class _Made:
    """What the local part of a version says: ``2.6.3+cu123torch2.4cxx11abiFALSE``, ``2.1.2+pt25cu124``."""

    torch: tuple[int, int] | None = None
    cuda: tuple[int, int] | None = None
    cxx11: bool | None = None


def made_for(version: str | None) -> _Made:
    """What a downstream package was compiled for, as far as its version says."""
    tail = local(version).lower()
    torch, cuda, abi = _TORCH.search(tail), _CUDA.search(tail), _ABI.search(tail)
    pair = None
    if torch:
        major, minor = next((torch[i], torch[i + 1]) for i in (1, 3, 5) if torch[i])
        pair = (int(major), int(minor))
    return _Made(
        torch=pair,
        cuda=(int(cuda[1]), int(cuda[2]) if cuda[2] else -1) if cuda else None,
        cxx11=abi[1] == "true" if abi else None,
    )


def _named(case: Case) -> Iterator[tuple[str, str, str]]:
    """(name, version, path of the fact) of everything that may be a compiled extension of torch."""
    for name, version in sorted((case.facts.packages or {}).items()):
        if name not in FAMILY and not name.startswith(("nvidia-", "cuda-", "rocm", "pytorch-triton", "triton")):
            yield name, version, f"packages.{name}"


@check("downstream-abi-mismatch")
def made_for_another(case: Case) -> Iterator[Finding]:
    """The version of a compiled package names another torch, CUDA major or C++ ABI than the installed one."""
    if case.installed is None:
        return
    torch, major = torch_line(case), cuda_major(case)
    if torch is None:
        return
    for name, version, path in _named(case):
        made, why = made_for(version), ""
        if made.torch and made.torch != torch:
            why = f"torch {made.torch[0]}.{made.torch[1]}"
        elif not made.torch and not _is_extension(case, name):
            continue
        elif made.cuda and major and made.cuda[0] != major:
            why = f"CUDA {made.cuda[0]}"
        elif made.cxx11 is not None and _other_abi(case, made.cxx11):
            why = f"the {'new' if made.cxx11 else 'old'} C++ ABI"
        if not why:
            continue
        yield finding(
            "downstream-abi-mismatch",
            case,
            about="installed",
            detail=f"{name} {version} was compiled for {why}; torch {case.installed.version} ({case.installed.variant}) is installed.",
            evidence=(path, "torch.version", "packages.torch", "torch.variant"),
            fix=_rebuild(case, name, version),
        )
        return


def _is_extension(case: Case, name: str) -> bool:
    """Is it compiled against torch, rather than a program with CUDA code of its own?"""
    if name in table("extensions.toml")["compiled_against_torch"]["names"]:
        return True
    return any(re.match(r"torch(?![\w.-])", r) for _, row in distributions(case, name) for r in row.requires or ())


def _other_abi(case: Case, cxx11: bool) -> bool:
    release = case.installed.release if case.installed else None
    if (
        release is None
        or not stock_like(case)
        or case.facts.system.os != "linux"
        or case.facts.system.machine != "x86_64"
    ):
        return False
    return release.cxx11_abi in ("old", "new") and (release.cxx11_abi == "new") != cxx11


def _rebuild(case: Case, name: str, version: str) -> tuple[str, ...]:
    torch = torch_line(case) or (0, 0)
    return (
        f"install the build of {name} for torch {torch[0]}.{torch[1]}"
        + (f" and CUDA {cuda_major(case)}" if cuda_major(case) else ""),
        f"or compile it against the installed torch: pip install --no-build-isolation --no-binary {name} --force-reinstall --no-deps {name}",
    )


@check("downstream-abi-mismatch")
def made_for_another_python(case: Case) -> Iterator[Finding]:
    """The wheel of a compiled package is of another Python than the one that would import it."""
    version = line(case.facts.python.version)
    if len(version) < 2 or case.facts.python.implementation not in (None, "cpython"):
        return
    for place, row in distributions(case):
        tags = [t.split("-") for t in row.tags or () if t.count("-") >= 2]
        if row.name == "setuptools" or not tags or any(_serves(t, version) for t in tags):
            continue
        yield finding(
            "downstream-abi-mismatch",
            case,
            about="installed",
            detail=f"{row.name} {row.version} is a wheel for {tags[0][0]}, the interpreter is Python {version[0]}.{version[1]}.",
            evidence=(f"distributions[{place}].tags", "python.version"),
            fix=f"pip install --force-reinstall --no-deps {row.name}=={public(row.version)}",
        )
        return


def _serves(tag: list[str], version: tuple[int, ...]) -> bool:
    """May an interpreter of that version load the tag? The free-threaded ABI is another check's affair."""
    for python in tag[0].split("."):
        if not python.startswith("cp"):
            return True
        digits = python[2:]
        if not digits.isdecimal() or not 2 <= len(digits) < 6:
            return True
        number = (int(digits[0]), int(digits[1:]))
        if number == version or (tag[1] == "abi3" and number <= version):
            return True
    return False


@check("downstream-abi-mismatch")
def asks_for_another_cuda(case: Case) -> Iterator[Finding]:
    """Compiled files ask for the run-time library of another CUDA major than torch brings."""
    major = cuda_major(case)
    if major is None:
        return
    for place, row in distributions(case):
        loaded = loaded_majors(row.needs)
        if row.name in FAMILY or not loaded or major in loaded:
            continue
        yield finding(
            "downstream-abi-mismatch",
            case,
            about="installed",
            severity="blocker",
            detail=f"{row.name} {row.version} loads libraries of CUDA {max(loaded)}, torch brings those of CUDA {major}.",
            evidence=(f"distributions[{place}].needs", "torch.variant"),
            fix=_rebuild(case, row.name or "", row.version or ""),
        )
        return


@check("downstream-abi-mismatch")
def cpu_torch_under_cuda_extension(case: Case) -> Iterator[Finding]:
    """Compiled files ask for torch's CUDA libraries, and the installed torch is a CPU build."""
    if case.installed is None or case.installed.variant != "cpu":
        return
    for place, row in distributions(case):
        cuda = [n for n in row.needs or () if n.startswith(("libtorch_cuda", "libc10_cuda"))]
        if row.name in ("torch", "torchvision", "torchaudio") or not cuda:
            continue
        yield finding(
            "downstream-abi-mismatch",
            case,
            about="installed",
            severity="blocker",
            detail=f"{row.name} {row.version} needs {cuda[0]}, which the CPU build of torch does not have.",
            evidence=(f"distributions[{place}].needs", "torch.variant"),
            fix="install the CUDA build of torch that this package was made for",
        )
        return


@check("downstream-arch-missing")
def no_code_for_gpu(case: Case) -> Iterator[Finding]:
    """None of a package's libraries holds code that runs on a GPU which torch itself can use."""
    if cuda_major(case) is None:
        return
    mine = case.installed.kernels if case.installed else None
    for place, row in distributions(case):
        if row.name == "torch" or not row.kernels:
            continue
        for index, gpu in case.gpus("nvidia"):
            theirs = cuda_coverage(row.kernels, (), gpu.compute_capability or "")
            ours = cuda_coverage(mine or (), (), gpu.compute_capability or "")
            if theirs is None or theirs.covered or (ours is not None and not ours.covered):
                continue
            yield finding(
                "downstream-arch-missing",
                case,
                about="installed",
                detail=f"{row.name} {row.version} holds code for {' '.join(row.kernels)}; {gpu.name or 'the GPU'} is {gpu.compute_capability}.",
                evidence=(f"distributions[{place}].kernels", f"gpus[{index}].compute_capability"),
                fix=(
                    f"install a build of {row.name} that names {gpu.compute_capability}",
                    f"or compile it here: TORCH_CUDA_ARCH_LIST={gpu.compute_capability} pip install --no-build-isolation --no-binary {row.name} {row.name}",
                ),
            )
            return


@check("downstream-abi-mismatch")
def bitsandbytes(case: Case) -> Iterator[Finding]:
    """bitsandbytes ships one library a CUDA version and takes that of torch."""
    pair = toolkit(case.installed.variant) if case.installed else None
    if pair is None:
        return
    for place, row in distributions(case, "bitsandbytes"):
        held = {(int(m[1]), int(m[2])) for path in row.libraries or () if (m := _BNB.search(path))}
        if not held or pair in held or len(row.libraries or ()) >= 24:
            continue
        names = ", ".join(f"{a}.{b}" for a, b in sorted(held))
        yield finding(
            "downstream-abi-mismatch",
            case,
            about="installed",
            severity="warning",
            detail=f"bitsandbytes {row.version} has binaries for CUDA {names}, torch is built with {pair[0]}.{pair[1]}.",
            evidence=(f"distributions[{place}].libraries", "torch.variant"),
            fix="pip install --upgrade bitsandbytes",
        )
        return


@check("downstream-abi-mismatch", seen=("undefined-symbol-torch",))
def undefined_torch_symbol(case: Case) -> Iterator[Finding]:
    """An extension asks torch for a symbol that this torch does not have."""
    for place, text in case.symptom("undefined-symbol-torch"):
        library = _LIBRARY.search(text)
        if library and re.search(r"(?:^|/)torch/lib/", library[1]):
            continue
        name = library[2].split(".")[0] if library else "a compiled extension"
        yield finding(
            "downstream-abi-mismatch",
            case,
            about="installed",
            detail=f"{name} was compiled against another torch (or the other C++ ABI): a symbol of c10 or at is missing.",
            evidence=(f"symptoms[{place}]", "torch.version", "packages.torch"),
            fix=("install the build of that package for the installed torch", "or install the torch it was built for"),
        )
        return
