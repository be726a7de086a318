"""A report shaped like the printed one, for renderers that never see a machine."""

from __future__ import annotations

import copy
from typing import Any

import pytest

_REPORT: dict[str, Any] = {
    "schema": "torchdoctor/report/1",
    "tool": {"version": "0.0.0", "matrix": "2026-11-30"},
    "source": {"kind": "machine", "name": "workstation.json"},
    "verdict": "mismatch",
    "summary": "cu132 builds need driver 580 or newer, this is 535.183.01: install torch 2.14.1 (cu126)",
    "facts": {
        "system": {
            "os": "linux",
            "name": "Ubuntu",
            "version": "24.04",
            "machine": "x86_64",
            "libc": "glibc",
            "libc_version": "2.39",
            "container": "docker",
            "wsl": 0,
            "jetson": None,
        },
        "cpu": {"model": "AMD Ryzen 9 7950X", "level": "x86-64-v4", "features": ["avx", "avx2"]},
        "python": {
            "implementation": "cpython",
            "version": "3.12.4",
            "bits": 64,
            "environment": "venv",
            "executable": "~/project/.venv/bin/python",
        },
        "gpus": [
            {
                "vendor": "nvidia",
                "name": "NVIDIA GeForce RTX 4090",
                "compute_capability": "8.9",
                "gfx": None,
                "memory": 25757220864,
                "integrated": False,
            }
        ],
        "drivers": {
            "nvidia": {"version": "535.183.01", "cuda": "12.2", "module": "open", "installed": True, "loaded": True},
            "amdgpu": {"version": None},
            "intel": {"kernel_driver": None},
        },
        "runtimes": {"cuda": "12.4", "rocm": None, "metal": None},
        "packages": {"torch": "2.15.0", "numpy": "2.1.0"},
        "torch": {"version": "2.15.0", "variant": "cu132", "kernels": ["sm_75", "sm_80"], "gpu_available": False},
        "environment": {"CUDA_VISIBLE_DEVICES": ""},
        "settings": [],
    },
    "sources": {"drivers.nvidia.version": "/sys/module/nvidia/version", "gpus": "/sys/bus/pci/devices"},
    "unknown": {"runtimes.level_zero": "not looked for"},
    "findings": [
        {
            "id": "driver-too-old",
            "severity": "blocker",
            "about": "installed",
            "title": "The NVIDIA driver is too old for this build",
            "detail": "cu132 builds need driver 580 or newer, this is 535.183.01",
            "evidence": [
                {"fact": "drivers.nvidia.version", "value": "535.183.01", "source": "/sys/module/nvidia/version"},
                {"fact": "environment.CUDA_VISIBLE_DEVICES", "value": "", "source": None},
                {"fact": "torch.variant", "value": "cu132", "source": "torch/version.py"},
                {"fact": "devices./dev/nvidia0", "value": None, "source": None},
            ],
            "fix": ["install torch 2.14.1 (cu126)", "or update the driver"],
            "docs": "https://docs.invalid/findings/driver-too-old/",
        },
        {
            "id": "same-major-compat",
            "severity": "note",
            "about": "machine",
            "title": "The GPU runs code of an older member of its generation",
            "detail": "",
            "evidence": [],
            "fix": [],
            "docs": "https://docs.invalid/findings/same-major-compat/",
        },
    ],
    "requires": [{"what": "cuda", "met": False, "why": ["driver-too-old"]}],
    "alternative": None,
    "recommendation": {
        "torch": "2.14.1",
        "variant": "cu126",
        "index_url": "https://download.pytorch.org/whl/cu126",
        "packages": {"torch": "2.14.1", "torchvision": "0.29.1"},
        "commands": {
            "pip": "pip install torch==2.14.1 torchvision==0.29.1 --index-url https://download.pytorch.org/whl/cu126",
            "uv": "uv pip install torch==2.14.1 torchvision==0.29.1 --torch-backend cu126",
        },
        "confidence": "primary",
        "upgrade": "driver 580 or newer would allow torch 2.15.0 (cu132)",
    },
    "candidates": [
        {"torch": "2.15.0", "variant": "cu132", "accepted": False, "reasons": ["driver-too-old"], "unknown": []},
        {"torch": "2.15.0", "variant": "cu134", "accepted": False, "reasons": ["driver-too-old"], "unknown": []},
        {"torch": "2.14.1", "variant": "cu130", "accepted": False, "reasons": ["driver-too-old"], "unknown": []},
        {"torch": "2.14.1", "variant": "cu126", "accepted": True, "reasons": [], "unknown": []},
    ],
}

HOSTILE = "<script>alert(1)</script> ``` | @all #12 \x1b[31mred\x1b]0;title\x07 \u202eevil ]]> </code>"


@pytest.fixture
def report() -> dict[str, Any]:
    """A driver too old for the installed torch; a copy, free to change."""
    return copy.deepcopy(_REPORT)


@pytest.fixture
def hostile_text() -> str:
    """Markup, escapes and controls of every format at once."""
    return HOSTILE


@pytest.fixture
def hostile(report: dict[str, Any]) -> dict[str, Any]:
    """The same report with that text in every place a stranger can fill."""
    facts = report["facts"]
    facts["gpus"][0]["name"] = HOSTILE
    facts["python"]["executable"] = HOSTILE
    facts["system"]["name"] = HOSTILE
    facts["torch"]["version"] = HOSTILE
    facts["drivers"]["nvidia"]["version"] = HOSTILE
    facts["packages"] = {HOSTILE: HOSTILE}
    facts["environment"] = {HOSTILE: HOSTILE}
    report["sources"] = {"gpus": HOSTILE}
    report["unknown"] = {HOSTILE: HOSTILE}
    report["summary"] = HOSTILE
    report["source"]["name"] = HOSTILE
    finding = report["findings"][0]
    finding["title"] = finding["detail"] = HOSTILE
    finding["evidence"][0] = {"fact": HOSTILE, "value": HOSTILE, "source": HOSTILE}
    finding["fix"] = [HOSTILE]
    finding["docs"] = f"https://docs.invalid/{HOSTILE}"
    report["recommendation"]["upgrade"] = HOSTILE
    report["recommendation"]["commands"]["pip"] = f"pip install '{HOSTILE}'"
    report["candidates"][0]["reasons"] = [HOSTILE]
    report["requires"][0]["why"] = [HOSTILE]
    return report


@pytest.fixture
def crowded(report: dict[str, Any]) -> dict[str, Any]:
    """Eight different GPUs and forty candidates."""
    gpu = report["facts"]["gpus"][0]
    report["facts"]["gpus"] = [{**gpu, "name": f"{gpu['name']} number {n}", "pci_id": f"10de:268{n}"} for n in range(8)]
    reasons = ["driver-too-old", "gpu-arch-missing", "python-unsupported"]
    report["candidates"] = [
        {
            "torch": f"2.{15 - n // 4}.0",
            "variant": ("cu132", "cu130", "cu126", "cpu")[n % 4],
            "accepted": n == 39,
            "reasons": [] if n == 39 else reasons[: n % 3 + 1],
            "unknown": [],
        }
        for n in range(40)
    ]
    return report
