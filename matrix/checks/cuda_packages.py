"""CUDA libraries as packages: do those of one major share the environment with those of another?"""

from __future__ import annotations

import re
from collections.abc import Iterator

from torchdoctor.matrix.case import Case
from torchdoctor.matrix.checks import check
from torchdoctor.matrix.checks._packages import FAMILY, cuda_major, distributions, nvidia_majors, stock_like
from torchdoctor.matrix.findings import finding
from torchdoctor.matrix.tables import table
from torchdoctor.matrix.verdict import Finding
from torchdoctor.probes.facts import regex

_REQUIRED = regex(r"(?:nvidia[-_][a-z0-9_-]{2,40}?[-_]cu(\d{2})|cupy[-_]cuda(\d{2})x?)(?![\w-])")
_NAMED = regex(r"-cu(?:da)?(1[0-9])(?:\dx?|x)?\Z")
_LOADED = regex(r"lib(?:cudart|cublas|cublasLt|nvrtc)\.so\.(\d{2})(?:\.\d{1,3}){0,2}(?!\d)")
_MISSING = regex(r"lib(?:cudart|cublas|cublasLt|nvrtc)\.so\.(\d{2})(?:\.\d{1,3})?: cannot open shared object file")


def required_majors(requires: tuple[str, ...] | None) -> set[int]:
    """The CUDA majors whose packages a distribution requires whatever the machine (a marker may exclude this one)."""
    found = set()
    for text in requires or ():
        match = _REQUIRED.match(text)
        if match and "platform_machine" not in text:
            found.add(int(match[1] or match[2]))
    return found


def loaded_majors(needs: tuple[str, ...] | None) -> set[int]:
    """The CUDA majors whose run-time libraries a distribution's compiled files ask for."""
    return {int(m[1]) for name in needs or () if (m := _LOADED.match(name))}


@check("mixed-cuda-major")
def overlapping_packages(case: Case) -> Iterator[Finding]:
    """Packages of two CUDA majors that unpack into the same folder: whichever came last overwrote the other."""
    major = cuda_major(case)
    if major is None or len(majors := nvidia_majors(case)) < 2:
        return
    for library in table("cuda_packages.toml")["shared_folder"]["libraries"]:
        names = sorted(n for group in majors.values() for n in group if re.fullmatch(rf"nvidia-{library}-cu\d\d", n))
        if len(names) < 2:
            continue
        wrong = [n for n in names if not n.endswith(f"-cu{major}")]
        right = [n for n in names if n.endswith(f"-cu{major}")]
        if not wrong or not right:
            continue
        yield finding(
            "mixed-cuda-major",
            case,
            about="installed",
            severity="warning",
            detail=f"{' and '.join(names)} both unpack into nvidia/{library}: the one that came last is loaded, "
            f"and removing the other takes its files away.",
            evidence=(*(f"packages.{n}" for n in names), "torch.variant"),
            fix=(
                f"pip uninstall -y {' '.join(sorted(n for m, group in majors.items() if m != major for n in group))}",
                f"pip install --force-reinstall --no-deps {' '.join(f'{n}=={case.package(n)}' for n in right)}",
            ),
        )
        return


@check("mixed-cuda-major")
def required_major(case: Case) -> Iterator[Finding]:
    """Another package brings, or its compiled files ask for, another CUDA major than torch was built with."""
    major, present = cuda_major(case), nvidia_majors(case)
    if major is None:
        return
    for place, row in distributions(case):
        if row.name in FAMILY:
            continue
        others = {m for m in required_majors(row.requires) if m != major and m in present}
        loaded = loaded_majors(row.needs)
        asks = {m for m in loaded if m != major} if major not in loaded else set()
        if not others and not asks:
            continue
        wanted = max(others | asks)
        yield finding(
            "mixed-cuda-major",
            case,
            about="installed",
            # With its own libraries beside it the package may well work; without them it cannot be loaded.
            severity="blocker" if asks and not asks & present.keys() else "warning",
            detail=f"{row.name} {row.version} is for CUDA {wanted}, torch is a CUDA {major} build.",
            evidence=(f"distributions[{place}].needs", f"distributions[{place}].requires", "torch.variant"),
            fix=(
                f"install the CUDA {major} build of {row.name}, if there is one",
                f"or take torch from an index of CUDA {wanted}",
            ),
        )
        return


@check("mixed-cuda-major")
def named_after_another_major(case: Case) -> Iterator[Finding]:
    """A package whose name says another CUDA major, such as ``cupy-cuda12x``: it loads libraries of its own beside torch's."""
    major = cuda_major(case)
    if major is None or not stock_like(case):
        return
    others = [
        (name, int(match[1]))
        for name in sorted(case.facts.packages or {})
        if not name.startswith("nvidia-") and (match := _NAMED.search(name)) and int(match[1]) != major
    ]
    if others:
        names = ", ".join(name for name, _ in others[:4])
        yield finding(
            "mixed-cuda-major",
            case,
            about="installed",
            severity="note",
            title="A package of another CUDA major is installed beside torch",
            detail=f"{names} is for CUDA {others[0][1]}, torch for CUDA {major}: each loads libraries of its own.",
            evidence=(*(f"packages.{name}" for name, _ in others[:4]), "torch.variant"),
            fix=f"if it fails to load its libraries, install its CUDA {major} build",
        )


@check("mixed-cuda-major", "downstream-abi-mismatch")
def missing_runtime(case: Case) -> Iterator[Finding]:
    """The loader does not find the run-time library of a CUDA major that torch does not bring."""
    major = cuda_major(case)
    if major is None:
        return
    for place, symptom in enumerate(case.facts.symptoms or ()):
        match = _MISSING.search(symptom.text or "")
        if match is None or int(match[1]) == major:
            continue
        for id in ("mixed-cuda-major", "downstream-abi-mismatch"):
            yield finding(
                id,
                case,
                about="installed",
                severity="blocker",
                detail=f"A package built for CUDA {match[1]} is loaded beside torch {case.installed.version + ' ' if case.installed else ''}for CUDA {major}.",
                evidence=(f"symptoms[{place}]", "torch.variant", "torch.version"),
                fix=(
                    f"install the build of that package for CUDA {major}",
                    f"or take torch from an index of CUDA {match[1]}",
                ),
            )
        return
