"""An environment of stand-in distributions, examined and judged like a real one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from torchdoctor.matrix.case import Asked
from torchdoctor.matrix.judge import judge
from torchdoctor.matrix.verdict import Verdict
from torchdoctor.probes.draft import Draft
from torchdoctor.probes.facts import Facts
from torchdoctor.probes.installed import examine
from torchdoctor.probes.live import LiveHost
from torchdoctor.probes.profile import facts_from_mapping

GPUS: dict[str, dict[str, Any]] = {
    "4090": {"vendor": "nvidia", "name": "NVIDIA GeForce RTX 4090", "compute_capability": "8.9", "integrated": False},
    "5090": {"vendor": "nvidia", "name": "NVIDIA GeForce RTX 5090", "compute_capability": "12.0", "integrated": False},
    "1080": {"vendor": "nvidia", "name": "NVIDIA GeForce GTX 1080", "compute_capability": "6.1", "integrated": False},
    "h100": {"vendor": "nvidia", "name": "NVIDIA H100 80GB HBM3", "compute_capability": "9.0", "integrated": False},
    "7900": {"vendor": "amd", "name": "AMD Radeon RX 7900 XTX", "gfx": "gfx1100", "integrated": False},
    "890m": {"vendor": "amd", "name": "AMD Radeon 890M", "gfx": "gfx1150", "integrated": False},
}

Doctor = Callable[..., Verdict]


@pytest.fixture
def doctor(site: Callable[..., Any]) -> Doctor:
    """``doctor(*sites, gpus=("4090",), driver="580.95.05", python="3.12.4", prefix=…, **groups)`` → the verdict."""

    def look(
        *places: Any,
        gpus: tuple[str, ...] = ("4090",),
        driver: str | None = "580.95.05",
        python: str = "3.12.4",
        free_threaded: bool = False,
        machine: str = "x86_64",
        system: Mapping[str, Any] | None = None,
        prefix: Path | None = None,
        **groups: Any,
    ) -> Verdict:
        draft = Draft()
        examine(LiveHost({}), draft, [str(p.root) for p in places], prefix=str(prefix) if prefix else None)
        told = draft.build()
        here = {
            "os": "linux",
            "name": "Ubuntu",
            "version": "24.04",
            "machine": machine,
            "libc": "glibc",
            "libc_version": "2.39",
        }
        rest = facts_from_mapping(
            {
                "system": {**here, "container": "", "wsl": 0, **(system or {})},
                "python": {
                    "implementation": "cpython",
                    "version": python,
                    "free_threaded": free_threaded,
                    "bits": 64,
                    "machine": machine,
                },
                "gpus": [GPUS[name] for name in gpus],
                "drivers": {"nvidia": {"version": driver}},
                "environment": {},
                **groups,
            }
        )
        return judge(_joined(rest, told), Asked(variant="auto")).verdict

    return look


def _joined(rest: Facts, told: Facts) -> Facts:
    return rest.replace(
        packages=told.packages,
        distributions=told.distributions,
        torch=told.torch,
        sources={**rest.sources, **told.sources},
    )


@pytest.fixture
def ids() -> Callable[..., dict[str, str]]:
    """The findings of a verdict that are more than notes: id → severity."""
    return lambda verdict: {f.id: f.severity for f in verdict.findings if f.severity != "note"}
