from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from torchdoctor.matrix.catalog import Catalog
from torchdoctor.probes.facts import Facts
from torchdoctor.probes.profile import facts_from_mapping

_LINUX = {
    "os": "linux",
    "machine": "x86_64",
    "name": "Ubuntu",
    "version": "24.04",
    "libc": "glibc",
    "libc_version": "2.39",
}
_WINDOWS = {"os": "windows", "machine": "x86_64", "name": "Windows 11", "version": "10.0.26100"}
_MACOS = {"os": "macos", "machine": "aarch64", "name": "macOS", "version": "15.5"}

GPUS: dict[str, dict[str, Any]] = {
    "4090": {"vendor": "nvidia", "name": "NVIDIA GeForce RTX 4090", "compute_capability": "8.9", "integrated": False},
    "1080": {
        "vendor": "nvidia",
        "name": "NVIDIA GeForce GTX 1080 Ti",
        "compute_capability": "6.1",
        "integrated": False,
    },
    "5090": {"vendor": "nvidia", "name": "NVIDIA GeForce RTX 5090", "compute_capability": "12.0", "integrated": False},
    "k80": {"vendor": "nvidia", "name": "Tesla K80", "compute_capability": "3.7", "integrated": False},
    "orin": {"vendor": "nvidia", "name": "Orin", "compute_capability": "8.7", "integrated": False},
    "t4g": {"vendor": "nvidia", "name": "NVIDIA T4G", "compute_capability": "7.5", "integrated": False},
    "7900": {"vendor": "amd", "name": "AMD Radeon RX 7900 XTX", "gfx": "gfx1100", "integrated": False},
    "580": {"vendor": "amd", "name": "AMD Radeon RX 580", "gfx": "gfx803", "integrated": False},
    "mi250": {"vendor": "amd", "name": "AMD Instinct MI250X", "gfx": "gfx90a", "integrated": False},
    "780m": {"vendor": "amd", "name": "AMD Radeon 780M", "gfx": "gfx1103", "integrated": True},
    "renoir": {"vendor": "amd", "name": "AMD Radeon Graphics", "gfx": "gfx90c", "integrated": True},
    "b580": {"vendor": "intel", "name": "Intel Arc B580", "pci_id": "8086:e20b", "integrated": False},
    "uhd": {"vendor": "intel", "name": "Intel UHD Graphics 770", "pci_id": "8086:4680", "integrated": True},
    "m1": {"vendor": "apple", "name": "Apple M1", "integrated": True},
}

Machine = Callable[..., Facts]


@pytest.fixture(scope="session")
def catalog() -> Catalog:
    return Catalog()


@pytest.fixture
def machine() -> Machine:
    """Facts of a usual machine: ``machine("4090", driver="580.95.05", os="windows", python="3.12.4")``."""

    def build(
        *gpus: str,
        os: str = "linux",
        driver: str | None = None,
        python: str | None = "3.12.4",
        free_threaded: bool = False,
        arch: str = "x86_64",
        system: Mapping[str, Any] | None = None,
        **groups: Any,
    ) -> Facts:
        base = {"linux": _LINUX, "windows": _WINDOWS, "macos": _MACOS}[os]
        real = "aarch64" if os == "macos" and arch == "x86_64" and "m1" in gpus else arch
        return facts_from_mapping(
            {
                "system": {**base, "machine": real, **(system or {})},
                "python": {
                    "implementation": "cpython",
                    "version": python,
                    "free_threaded": free_threaded,
                    "bits": 64,
                    "machine": real,
                },
                "gpus": [GPUS[name] for name in gpus],
                "drivers": {"nvidia": {"version": driver}},
                "packages": {},
                "environment": {},
                **groups,
            }
        )

    return build
