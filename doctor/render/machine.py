"""The machine in a few rows, GPUs counted, and every fact with its source."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from torchdoctor.render.clean import clean
from torchdoctor.render.words import group, pick

__all__ = ["fact_rows", "gpu_names", "machine_rows", "size"]

_OS = {"linux": "Linux", "windows": "Windows", "macos": "macOS"}
_VENDORS = {"nvidia": "NVIDIA", "amd": "AMD", "intel": "Intel", "apple": "Apple"}
_IMPLEMENTATIONS = {"cpython": "CPython", "pypy": "PyPy", "graalpy": "GraalPy"}


def size(number: Any) -> str | None:
    """A number of bytes for people: ``24 GiB``."""
    if not isinstance(number, int | float) or isinstance(number, bool):
        return None
    for unit, scale in (("TiB", 2**40), ("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if number >= scale:
            amount = number / scale
            return f"{amount:.0f} {unit}" if amount >= 9.95 else f"{amount:.1f} {unit}".replace(".0 ", " ")
    return f"{number:.0f} bytes"


def gpu_names(facts: Mapping[str, Any]) -> list[str]:
    """One line for each kind of GPU, equal ones counted: ``8 × NVIDIA H100 80GB HBM3 · compute capability 9.0 · 80 GiB``."""
    counted: dict[str, int] = {}
    for gpu in facts.get("gpus") or ():
        line = _gpu_line(gpu)
        counted[line] = counted.get(line, 0) + 1
    return [line if count == 1 else f"{count} × {line}" for line, count in counted.items()]


def _gpu_line(gpu: Mapping[str, Any]) -> str:
    name = gpu.get("name") or " ".join(
        str(v) for v in (_VENDORS.get(gpu.get("vendor") or "", gpu.get("vendor")), "GPU", gpu.get("pci_id")) if v
    )
    parts = [clean(name)]
    if gpu.get("compute_capability"):
        parts.append(f"compute capability {clean(gpu['compute_capability'])}")
    if gpu.get("gfx"):
        parts.append(clean(gpu["gfx"]))
    if size(gpu.get("memory")):
        parts.append(str(size(gpu.get("memory"))))
    if gpu.get("integrated"):
        parts.append("integrated")
    return " · ".join(parts)


def machine_rows(report: Mapping[str, Any]) -> list[tuple[str, str]]:
    """(label, text) of what was examined, known facts only: system, CPU, GPUs, drivers, Python, torch."""
    facts = group(report, "facts")
    rows = [
        ("System", _system(group(facts, "system"))),
        ("CPU", _cpu(group(facts, "cpu"))),
        *((("GPU" if n == 0 else ""), line) for n, line in enumerate(gpu_names(facts))),
        ("Driver", _driver(facts)),
        ("Python", _python(group(facts, "python"))),
        ("torch", _torch(report)),
        ("Project", _project(report)),
    ]
    if facts.get("gpus") == []:
        rows.insert(2, ("GPU", "none found"))
    return [(label, text) for label, text in rows if text]


def _join(parts: Sequence[Any], between: str = " · ") -> str:
    return between.join(clean(p) for p in parts if p not in (None, "", False))


def _system(system: Mapping[str, Any]) -> str:
    os = system.get("os")
    name, version = system.get("name") or _OS.get(os or "", os), system.get("version")
    if version and str(name).endswith(f" {version}"):
        version = None  # "Windows 11" says it already
    name = _join([name, version], " ")
    libc = _join([system.get("libc"), system.get("libc_version")], " ")
    jetson = f"Jetson L4T {clean(system['jetson'])}" if system.get("jetson") else None
    wsl = f"WSL {clean(system['wsl'])}" if system.get("wsl") else None
    container = f"in a {clean(system['container'])} container" if system.get("container") else None
    return _join([name, system.get("machine"), libc, jetson, wsl, container])


def _cpu(cpu: Mapping[str, Any]) -> str:
    return _join([cpu.get("model"), cpu.get("level")])


def _driver(facts: Mapping[str, Any]) -> str:
    nvidia, parts = group(facts, "drivers.nvidia"), []
    vendors = {g.get("vendor") for g in facts.get("gpus") or ()}
    if nvidia.get("version"):
        ceiling = f" (CUDA up to {clean(nvidia['cuda'])})" if nvidia.get("cuda") else ""
        module = f", {clean(nvidia['module'])} module" if nvidia.get("module") else ""
        parts.append(f"NVIDIA {clean(nvidia['version'])}{ceiling}{module}")
    elif nvidia.get("installed") is False and "nvidia" in vendors:
        parts.append("NVIDIA: none installed")
    elif nvidia.get("loaded") is False and "nvidia" in vendors:
        parts.append("NVIDIA: installed, not loaded")
    if pick(facts, "drivers.amdgpu.version"):
        parts.append(f"amdgpu {clean(pick(facts, 'drivers.amdgpu.version'))}")
    if pick(facts, "runtimes.rocm"):
        parts.append(f"ROCm {clean(pick(facts, 'runtimes.rocm'))}")
    if pick(facts, "drivers.intel.kernel_driver"):
        runtime = pick(facts, "drivers.intel.compute_runtime")
        parts.append(
            f"Intel {clean(pick(facts, 'drivers.intel.kernel_driver'))}"
            + (f", compute runtime {clean(runtime)}" if runtime else "")
        )
    # A driver of the kernel has no version of its own.
    bound = dict.fromkeys(clean(g["driver"]) for g in facts.get("gpus") or () if g.get("driver"))
    parts += [name for name in bound if not parts]
    if pick(facts, "runtimes.metal"):
        metal = clean(pick(facts, "runtimes.metal"))
        parts.append(metal if metal.lower().startswith("metal") else f"Metal: {metal}")
    return " · ".join(parts)


def _python(python: Mapping[str, Any]) -> str:
    implementation = python.get("implementation")
    named = _join([_IMPLEMENTATIONS.get(implementation or "", implementation), python.get("version")], " ")
    return _join(
        [
            named,
            "free-threaded" if python.get("free_threaded") else None,
            "32-bit" if python.get("bits") == 32 else None,
            python.get("environment"),
            python.get("executable"),
        ]
    )


def _torch(report: Mapping[str, Any]) -> str:
    torch = group(report, "facts.torch")
    version = torch.get("version") or pick(report, "facts.packages.torch")
    if not version:
        # A pasted text that names other packages does not prove that torch is absent.
        looked = pick(report, "source.kind") in ("live", "machine", "recording", "report")
        return "not installed" if looked and isinstance(pick(report, "facts.packages"), Mapping) else ""
    says = {True: "sees the GPU", False: "sees no GPU"}.get(torch.get("gpu_available"))  # type: ignore[arg-type]
    variant = torch.get("variant")
    return _join([f"{str(version).removesuffix(f'+{variant}')} installed", variant, says])


def _project(report: Mapping[str, Any]) -> str:
    """What a project's files ask for and where, ``torch>=2.15 · pyproject.toml:4``."""
    if pick(report, "source.kind") != "project":
        return ""
    asked, place = pick(report, "facts.request.torch"), group(report, "sources").get("request.torch")
    spec = clean(asked or "")
    # A bare number is a release that a lock file names.
    return _join([f"torch{spec if not spec[:1].isdigit() else f'=={spec}'}", str(place or "").removeprefix("./")])


def fact_rows(report: Mapping[str, Any]) -> Iterator[tuple[str, str, str | None]]:
    """(path, value, source) of every known fact, in the order of the report; a part inherits its whole's source."""
    sources = group(report, "sources")
    for path, value in _leaves(group(report, "facts"), ""):
        yield clean(path), _shown(value), _source(path, sources)


def _leaves(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping) and value:
        for key, part in value.items():
            yield from _leaves(part, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list) and value and isinstance(value[0], Mapping):
        for n, part in enumerate(value):
            yield from _leaves(part, f"{path}[{n}]")
    elif value is not None:
        yield path, value


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return clean(" ".join(str(v) for v in value)) or "none"
    return clean(value) if value not in ("", {}) else "(empty)" if value == "" else "none"


def _source(path: str, sources: Mapping[str, Any]) -> str | None:
    while path:
        if path in sources:
            return clean(sources[path])
        cut = max(path.rfind("."), path.rfind("["))
        path = path[:cut] if cut > 0 else ""
    return None
