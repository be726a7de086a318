"""Which libraries the loader takes: the system's CUDA before the wheel's, a stub libcuda, two OpenMP runtimes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from torchdoctor.matrix.case import Case
from torchdoctor.matrix.catalog import version_key
from torchdoctor.matrix.checks import check
from torchdoctor.matrix.checks._packages import from_conda, toolkit
from torchdoctor.matrix.findings import finding
from torchdoctor.matrix.verdict import Finding
from torchdoctor.probes.facts import regex

_PATHS = ("LD_LIBRARY_PATH", "LD_PRELOAD")
_CUDA_FOLDER = regex(r"/cuda(?:-(\d{1,2}\.\d{1,2}))?(?:\.\d)?/(?:lib64|lib|targets/[\w-]{3,20}/lib)/?\Z")
_STUBS = regex(r"/lib(?:64)?/stubs/?\Z|/stubs/libcuda\.so")
_SYMBOL = ("undefined-symbol-nvidia", "cudnn-load-failed")


def _folders(case: Case, variable: str) -> list[str]:
    value = (case.facts.environment or {}).get(variable)
    return [p for p in re.split(r"[:; ]", value) if p] if value else []


@check("system-cuda-shadowing")
def system_cuda(case: Case) -> Iterator[Finding]:
    """The loader's path names a toolkit of the wheel's CUDA major that is older than the wheel's own libraries."""
    for place, _ in case.symptom(*_SYMBOL)[:1]:
        yield finding(
            "system-cuda-shadowing",
            case,
            about="installed" if case.installed else "machine",
            severity="blocker",
            detail="A CUDA library of another version than the wheel's own was loaded: it lacks a symbol.",
            evidence=(f"symptoms[{place}]", "environment.LD_LIBRARY_PATH", "runtimes.cuda"),
            fix=(
                "unset LD_LIBRARY_PATH",
                "in a container: take a base image without CUDA libraries, the wheels bring theirs",
            ),
        )
        return
    wheel = toolkit(case.installed.variant) if case.installed else None
    if (
        wheel is None
        or case.installed is None
        or case.installed.origin in ("vendor", "source", "conda")
        or from_conda(case)
    ):
        return
    if case.facts.torch.gpu_available:
        return
    for variable in _PATHS:
        for folder in _folders(case, variable):
            match = _CUDA_FOLDER.search(folder)
            version = (match[1] or case.facts.runtimes.cuda) if match else None
            key = version_key(version or "")[:2]
            if len(key) == 2 and key[0] == wheel[0] and key < wheel:
                yield finding(
                    "system-cuda-shadowing",
                    case,
                    about="installed",
                    severity="warning",
                    detail=f"{variable} puts {folder} (CUDA {version}) before the libraries of the {case.installed.variant} wheel, which are newer.",
                    evidence=(f"environment.{variable}", "runtimes.cuda", "torch.variant"),
                    fix=f"unset {variable}, or take {folder} out of it",
                )
                return


@check("libcuda-stub")
def libcuda_stub(case: Case) -> Iterator[Finding]:
    """The toolkit's stub of libcuda, meant for linking only, is on the loader's path."""
    library = case.facts.source("drivers.nvidia.library")
    if library and _STUBS.search(library):
        yield _stub(case, library, "drivers.nvidia.library", "blocker")
        return
    if case.facts.torch.gpu_available or not case.facts.environment:
        return
    for variable in _PATHS:
        for folder in _folders(case, variable):
            if _STUBS.search(folder):
                yield _stub(case, folder, f"environment.{variable}", "warning")
                return


def _stub(case: Case, path: str, fact: str, severity: str) -> Finding:
    match = re.search(r"/[\w./+-]{0,200}/stubs", path)
    return finding(
        "libcuda-stub",
        case,
        severity="blocker" if severity == "blocker" else "warning",
        detail=f"{match[0] if match else path} holds a libcuda that only serves for linking: it gives error 34 when it is loaded.",
        evidence=(fact,),
        fix="take the stubs folder off LD_LIBRARY_PATH (LIBRARY_PATH is the variable for linking)",
    )


@check("openmp-duplicate")
def openmp_duplicate(case: Case) -> Iterator[Finding]:
    """Two copies of an OpenMP runtime were loaded into one process: the runtime itself says so and stops."""
    for place, _ in case.symptom("openmp-duplicate")[:1]:
        yield finding(
            "openmp-duplicate",
            case,
            about="installed",
            severity="blocker",
            detail="The OpenMP runtime was loaded a second time from another file and stopped the process.",
            evidence=(f"symptoms[{place}]", "environment.KMP_DUPLICATE_LIB_OK"),
            fix=(
                "take torch and the packages with OpenMP (numpy with MKL, scikit-learn …) from one source: all from conda-forge, or all from pip",
                "KMP_DUPLICATE_LIB_OK=TRUE only hides it and may give wrong results",
            ),
        )
        return
    value = (case.facts.environment or {}).get("KMP_DUPLICATE_LIB_OK") or ""
    if value.upper() in ("TRUE", "1", "ON", "YES"):
        yield finding(
            "openmp-duplicate",
            case,
            severity="note",
            title="A check for a second OpenMP runtime is switched off",
            detail="KMP_DUPLICATE_LIB_OK is set: two runtimes in one process may crash or compute wrong results unnoticed.",
            evidence=("environment.KMP_DUPLICATE_LIB_OK",),
            fix="unset KMP_DUPLICATE_LIB_OK",
        )
