"""What is true of a machine: the frozen shape that probes and reports fill, the matrix judges and a report prints.

``None`` is *not known*; an empty tuple, mapping or string is *known to be none*. Sizes are in bytes, versions are
strings. The names are those of the machine profile (``--machine FILE``) and of ``facts`` in a report.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from functools import lru_cache
from typing import Any

from torchdoctor.probes.frozen import (
    dataclass,  # this and patterns also for the matrix, which imports nothing else of the probes
)
from torchdoctor.probes.patterns import regex

__all__ = [
    "AmdgpuDriver",
    "Cpu",
    "Device",
    "Distribution",
    "Drivers",
    "Facts",
    "Gpu",
    "IntelDriver",
    "NvidiaDriver",
    "Python",
    "Request",
    "Resources",
    "Runtimes",
    "Setting",
    "Symptom",
    "System",
    "Tools",
    "Torch",
    "dataclass",
    "regex",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class System:
    """The operating system that the examined interpreter runs on.

    ``os`` is ``linux``, ``windows`` or ``macos`` (or another lower-case name); ``machine`` as in :data:`MACHINES`;
    ``wsl`` is 1, 2 or 0 for "known not to be WSL"; ``jetson`` the L4T release (``36.4.3``); ``container`` one of
    ``docker``, ``podman``, ``kubernetes``, ``lxc``, ``apptainer`` … or empty for "not in one". ``vc_runtime`` is the
    version of the Visual C++ runtime, empty for "not installed"; ``long_paths`` whether Windows allows them.
    """

    os: str | None = None
    name: str | None = None
    version: str | None = None
    kernel: str | None = None
    machine: str | None = None
    libc: str | None = None
    libc_version: str | None = None
    container: str | None = None
    wsl: int | None = None
    jetson: str | None = None
    translated: bool | None = None
    page_size: int | None = None
    secure_boot: bool | None = None
    vc_runtime: str | None = None
    long_paths: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Cpu:
    """``level`` is ``x86-64-v1`` … ``v4`` or ``armv8.0-a`` … ``armv9.2-a``; ``features`` as Linux spells them."""

    vendor: str | None = None
    model: str | None = None
    level: str | None = None
    features: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Python:
    """The *examined* interpreter, which need not be the one that runs torchdoctor.

    ``environment`` is ``system``, ``venv``, ``conda``, ``uv``, ``pyenv`` …; ``machine`` what it was built for.
    """

    implementation: str | None = None
    version: str | None = None
    free_threaded: bool | None = None
    bits: int | None = None
    machine: str | None = None
    executable: str | None = None
    environment: str | None = None
    gil_enabled: bool | None = None
    debug: bool | None = None
    abi: str | None = None
    platform_tag: str | None = None
    libc: str | None = None
    externally_managed: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Gpu:
    """One device. ``vendor`` is ``nvidia``, ``amd``, ``intel`` or ``apple``; ``pci_id`` is ``10de:2684``;
    ``compute_capability`` is ``8.9``; ``gfx`` is ``gfx1100``; ``driver`` the kernel driver bound to it.
    """

    vendor: str | None = None
    name: str | None = None
    pci_id: str | None = None
    compute_capability: str | None = None
    gfx: str | None = None
    memory: int | None = None
    integrated: bool | None = None
    driver: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NvidiaDriver:
    """``version`` is the kernel module's (under WSL the Windows driver's), empty when known to be none;
    ``cuda`` the newest CUDA the driver speaks; ``module`` ``open`` or ``proprietary``; ``library`` libcuda's version.
    """

    version: str | None = None
    cuda: str | None = None
    module: str | None = None
    installed: bool | None = None
    loaded: bool | None = None
    library: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AmdgpuDriver:
    """``version`` is the kernel module's own where it has one (ROCm's DKMS package)."""

    version: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class IntelDriver:
    """``kernel_driver`` is ``i915`` or ``xe``; ``compute_runtime`` the version of Intel's compute runtime."""

    kernel_driver: str | None = None
    compute_runtime: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Drivers:
    """The drivers of the three makers of cards; Apple's comes with the system."""

    nvidia: NvidiaDriver = field(default_factory=NvidiaDriver)
    amdgpu: AmdgpuDriver = field(default_factory=AmdgpuDriver)
    intel: IntelDriver = field(default_factory=IntelDriver)


@dataclass(frozen=True, slots=True, kw_only=True)
class Runtimes:
    """Runtimes installed on the system, not those inside a wheel. ``metal`` is the Metal family or ``supported``."""

    cuda: str | None = None
    rocm: str | None = None
    level_zero: str | None = None
    oneapi: str | None = None
    metal: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Torch:
    """The installed torch. ``variant`` is ``cpu``, ``cu124``, ``rocm6.4``, ``xpu`` …; ``kernels`` the architectures
    its library really holds (``sm_80``, ``compute_120`` for PTX, ``gfx1100``); ``origin`` is ``wheel``, ``nightly``,
    ``vendor``, ``source``, ``conda`` or ``editable`` where that is known.
    """

    version: str | None = None
    variant: str | None = None
    kernels: tuple[str, ...] | None = None
    gpu_available: bool | None = None
    cuda: str | None = None
    hip: str | None = None
    origin: str | None = None
    path: str | None = None
    debug: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Distribution:
    """An installed distribution that a check looks into: torch, its companions and what is compiled against it.

    ``location`` is the folder it lies in; ``requires`` its requirements on torch, its companions, CUDA packages and NumPy
    as written; ``tags`` its wheel tags; ``variant`` what it says it was built for (``cu124``, ``cpu``); ``kernels``
    every GPU architecture its libraries hold; ``libraries`` its compiled files; ``needs`` the CUDA libraries they ask
    the loader for; ``machines`` what they were built for; ``channel`` and ``build`` are conda's. Two entries of one name are two copies.
    """

    name: str | None = None
    version: str | None = None
    location: str | None = None
    requires: tuple[str, ...] | None = None
    tags: tuple[str, ...] | None = None
    variant: str | None = None
    kernels: tuple[str, ...] | None = None
    libraries: tuple[str, ...] | None = None
    needs: tuple[str, ...] | None = None
    machines: tuple[str, ...] | None = None
    channel: str | None = None
    build: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Device:
    """A device node such as ``/dev/kfd``: is it there, may this user open it, which group owns it."""

    present: bool | None = None
    openable: bool | None = None
    group: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One line of configuration that steers an installer. ``value`` never holds credentials."""

    file: str | None = None
    line: int | None = None
    key: str | None = None
    value: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Symptom:
    """An error text that was seen, as an id of the symptom table, the text itself and its line in the report."""

    id: str | None = None
    text: str | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What a report shows was tried: release, variant, index, interpreter tag, and the versions pip said it was offered."""

    torch: str | None = None
    variant: str | None = None
    index: str | None = None
    python: str | None = None
    versions_offered: tuple[str, ...] | None = None
    platform: str | None = None
    installer: str | None = None
    package: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tools:
    """``compilers`` are the families of the C++ compilers on the path (``gcc``, ``clang``, ``msvc 19.44``)."""

    compilers: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Resources:
    """Bytes: free where packages are installed, free for temporary files, size of ``/dev/shm``, main memory."""

    disk_free: int | None = None
    tmp_free: int | None = None
    shm: int | None = None
    memory: int | None = None


@lru_cache(maxsize=1024)
def _steps(path: str) -> tuple[str, ...]:
    return tuple(path.replace("[", ".[").split("."))


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """Everything known of one machine. ``sources`` maps a fact's path (``drivers.nvidia.version``,
    ``gpus[0].compute_capability``, ``gpus``) to where it was read; ``unknown`` maps a path to why it is not known.
    """

    system: System = field(default_factory=System)
    cpu: Cpu = field(default_factory=Cpu)
    python: Python = field(default_factory=Python)
    gpus: tuple[Gpu, ...] | None = None
    drivers: Drivers = field(default_factory=Drivers)
    runtimes: Runtimes = field(default_factory=Runtimes)
    packages: Mapping[str, str] | None = None
    distributions: tuple[Distribution, ...] | None = None
    torch: Torch = field(default_factory=Torch)
    environment: Mapping[str, str] | None = None
    devices: Mapping[str, Device] | None = None
    settings: tuple[Setting, ...] | None = None
    symptoms: tuple[Symptom, ...] | None = None
    request: Request = field(default_factory=Request)
    tools: Tools = field(default_factory=Tools)
    resources: Resources = field(default_factory=Resources)
    sources: Mapping[str, str] = field(default_factory=dict)
    unknown: Mapping[str, str] = field(default_factory=dict)

    def get(self, path: str) -> Any:
        """The value at a dotted path (``gpus[0].name``, ``packages.torch``), or ``None`` where there is none."""
        value: Any = self
        for step in _steps(path):
            if value is None:
                return None
            if step.startswith("["):
                index = int(step[1:-1])
                value = value[index] if index < len(value) else None
            elif isinstance(value, Mapping):
                value = value.get(step)
            else:
                value = getattr(value, step, None)
        return value

    def source(self, path: str) -> str | None:
        """Where the fact at ``path`` came from; a part inherits the source of its whole."""
        while path:
            if path in self.sources:
                return self.sources[path]
            cut = max(path.rfind("."), path.rfind("["))
            path = path[:cut] if cut > 0 else ""
        return None

    def replace(self, **changes: Any) -> Facts:
        """A copy with whole groups exchanged (``facts.replace(gpus=…)``)."""
        return Facts(**{**{name: getattr(self, name) for name in Facts.__dataclass_fields__}, **changes})
