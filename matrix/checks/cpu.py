"""The processor as the guest sees it: instructions that are not there, emulation, pages of another size."""

from __future__ import annotations

from collections.abc import Iterator

from torchdoctor.matrix.case import Case
from torchdoctor.matrix.catalog import version_key
from torchdoctor.matrix.checks import check
from torchdoctor.matrix.findings import finding
from torchdoctor.matrix.verdict import Finding

_SIGILL = ("illegal-instruction",)


def _host_model(case: Case) -> tuple[str, ...]:
    """How to get the instructions: a virtual machine may only need another CPU model."""
    features = case.facts.cpu.features or ()
    model = (case.facts.cpu.model or "").lower()
    if "hypervisor" in features or "qemu" in model or "kvm" in model:
        return (
            "give the virtual machine the host's CPU model (libvirt: <cpu mode='host-passthrough'/>, QEMU: -cpu host)",
            "then check: grep -o -m1 avx2 /proc/cpuinfo",
        )
    if case.facts.system.translated:
        return ("run a native build: the emulator offers no AVX",)
    return ("use a machine with AVX2, or build torch from source for this one",)


def _x86_features(case: Case) -> tuple[str, ...] | None:
    """The features of an x86 processor, ``None`` where they are not known or it is no x86."""
    facts = case.facts
    machine = facts.system.machine or facts.python.machine
    features = facts.cpu.features
    if not features or machine not in ("x86_64", None) or (machine is None and "sse2" not in features):
        return None
    if case.facts.source("cpu.features") and facts.system.os != "windows" and "lahf_lm" not in features:
        return None  # flags that end before the one that stands behind AVX were cut off
    return features if "sse2" in features else None


@check("cpu-lacks-avx", "cpu-lacks-avx2")
def cpu_lacks_avx(case: Case) -> Iterator[Finding]:
    """An x86 processor, or the model a virtual machine shows, without AVX or AVX2."""
    features = _x86_features(case)
    if features is None or "avx2" in features:
        return
    crashed = case.symptom(*_SIGILL)
    rows = ("cpu.model", "cpu.level", "cpu.features", *(f"symptoms[{i}]" for i, _ in crashed[:1]))
    virtual = "hypervisor" in features
    layer = "system" if virtual else "hardware"
    if "avx" in features:
        yield finding(
            "cpu-lacks-avx2",
            case,
            severity="blocker" if crashed else "note",
            detail="An illegal instruction was met on a processor without AVX2."
            if crashed
            else "torch runs with its slow kernels; quantised FBGEMM operators refuse.",
            evidence=rows,
            lies_in=layer,
            fix=_host_model(case),
        )
        return
    fatal = crashed or _known_to_crash(case, features)
    missing = [n for n in ("sse4_1", "avx", "avx2") if n not in features]
    yield finding(
        "cpu-lacks-avx",
        case,
        severity="blocker" if fatal else "warning",
        detail=f"The processor shows no {', '.join(missing)}"
        + (
            "; this release uses them without asking."
            if fatal and not crashed
            else "; the illegal instruction comes from that."
            if crashed
            else ": torch is slow there and some kernels crash."
        ),
        evidence=rows,
        lies_in=layer,
        fix=_host_model(case),
    )


def _known_to_crash(case: Case, features: tuple[str, ...]) -> bool:
    if case.installed is None:
        return False
    from torchdoctor.matrix.tables import table

    line = version_key(case.installed.version)[:2]
    return any(
        version_key(row["torch"]) == line and row["needs"] not in features
        for row in table("checks.toml")["x86_incident"]
    )


@check("emulated-python")
def emulated_python(case: Case) -> Iterator[Finding]:
    """An x86-64 Python on a Windows-on-Arm machine, or an emulated x86-64 Linux on Arm."""
    system, python = case.facts.system, case.facts.python
    if system.os == "windows" and system.machine == "aarch64" and python.machine == "x86_64":
        # Emulation runs the CPU build, slowly. GPU code, its compilers above all, is not meant for it.
        gpu = bool(case.gpus("nvidia") or case.facts.symptoms)
        yield finding(
            "emulated-python",
            case,
            severity="blocker" if gpu else "warning",
            detail="This Windows runs on Arm, the interpreter is built for x86-64 and runs under emulation.",
            evidence=("system.machine", "python.machine", "python.executable"),
            fix=(
                "winget install Python.Python.3.13 --architecture arm64",
                "make a new environment with it and install torch there",
            ),
        )
    elif system.os == "linux" and system.translated:
        container = system.container
        yield finding(
            "emulated-python",
            case,
            severity="warning",
            detail="This x86-64 system is emulated on another processor: slow, and without AVX.",
            evidence=("system.translated", "system.machine", "python.machine"),
            fix="start the container without --platform linux/amd64: the image for arm64 runs natively"
            if container
            else "use a native aarch64 system and its Python",
        )


@check("page-size-unsupported", seen=("jemalloc-page", "mmap-alignment", "elf-alignment"))
def page_size_unsupported(case: Case) -> Iterator[Finding]:
    """A kernel with 16 or 64 KiB pages, and a component that was seen to fail on it."""
    size = case.facts.system.page_size
    seen = case.symptom("jemalloc-page", "mmap-alignment", "elf-alignment")
    if size is None or size <= 4096 or not seen:
        return
    yield finding(
        "page-size-unsupported",
        case,
        detail=f"The kernel uses pages of {size // 1024} KiB; the component that failed was built for smaller ones.",
        evidence=("system.page_size", *(f"symptoms[{i}]" for i, _ in seen[:1])),
        fix=(
            "on a Raspberry Pi 5: kernel=kernel8.img in /boot/firmware/config.txt, then restart"
            if "raspberry" in (case.facts.cpu.model or "").lower() or size == 16384
            else "boot the distribution's kernel with 4 KiB pages (Ubuntu: linux-image-generic instead of linux-image-generic-64k)",
            "or use a release of the component that supports the page size",
        ),
    )
