from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from torchdoctor.probes.facts import Facts
from torchdoctor.probes.reports.label_handlers import LABELS
from torchdoctor.probes.reports.merge import merge_gpus
from torchdoctor.probes.reports.pasted import read_text
from torchdoctor.probes.reports.reading import MEASURED, open_reading


def _read(label: str, value: str, rank: int = MEASURED) -> Facts:
    reading = open_reading(f"{label}: {value}")
    LABELS[label](reading, 0, value, rank)
    merge_gpus(reading)
    return reading.draft.build()


@pytest.mark.parametrize(
    ("label", "value", "path", "fact"),
    [
        ("pytorch version", "2.6.0+cu124", "torch.version", "2.6.0+cu124"),
        ("pytorch version", "2.6.0+cu124", "torch.variant", "cu124"),
        ("torch", ">=2.6", "torch.version", None),  # a requirement
        ("pytorch version", "N/A", "torch.version", None),
        ("cuda used to build pytorch", "12.4", "torch.cuda", "12.4"),
        ("is cuda available", "True", "torch.gpu_available", True),
        ("is cuda available", "False", "torch.gpu_available", False),
        ("is cuda available", "perhaps", "torch.gpu_available", None),
        ("os", "Ubuntu 22.04.3 LTS (x86_64)", "system.name", "Ubuntu"),
        ("os", "Ubuntu 22.04.3 LTS (x86_64)", "system.version", "22.04.3"),
        ("libc version", "glibc-2.35", "system.libc_version", "2.35"),
        ("libc version", "N/A", "system.libc_version", None),
        ("python version", "3.12.4 (main, Jun 2024) [GCC 13]", "python.version", "3.12.4"),
        ("python platform", "Linux-6.8.0-45-generic-x86_64-with-glibc2.39", "system.os", "linux"),
        ("nvidia driver version", "550.54.14", "drivers.nvidia.version", "550.54.14"),
        ("nvidia driver version", "Could not collect", "drivers.nvidia.version", None),
        ("gpu", "NVIDIA GeForce RTX 4090", "gpus[0].name", "NVIDIA GeForce RTX 4090"),
        ("gpu", "none", "gpus[0].name", None),
        ("gfx", "gfx1100", "gpus[0].gfx", "gfx1100"),
        ("l4t", "36.4.3", "system.jetson", "36.4.3"),
        ("numpy", "2.1.0", "packages.numpy", "2.1.0"),
        ("torchvision", "0.21.0+cu124", "packages.torchvision", "0.21.0+cu124"),
    ],
)
def test_what_a_label_says(label: str, value: str, path: str, fact: Any) -> None:
    assert _read(label, value).get(path) == fact


@pytest.mark.parametrize("value", ["", "N/A", "?", "x" * 5000, "\u202e[{(", "1" * 400, "::: ///"])
def test_what_says_nothing_becomes_no_number(value: str) -> None:
    for label in LABELS:
        facts = _read(label, value)
        assert facts.drivers.nvidia.version is None, label
        assert facts.system.libc_version is None, label
        assert facts.torch.cuda in (None, ""), label


def test_labels_are_written_as_they_are_looked_up() -> None:
    assert [label for label in LABELS if label != label.lower()] == []


def test_a_form_that_was_left_empty_is_read() -> None:
    facts = read_text("WSL version: \nOS:\nGPU: \nPython version:\n", "form").draft.build()
    assert (facts.system.wsl, facts.system.os, facts.gpus, facts.python.version) == (None, None, None, None)


def test_deepspeed_report(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(
        "DeepSpeed general environment info:\ntorch install path ............... ['/opt/conda/lib/python3.11/site-packages/torch']\n"
        "torch version .................... 2.4.0+cu121\ndeepspeed info ................... 0.15.1, unknown, unknown\ntorch cuda version ............... 12.1\nnvcc version ..................... 12.4\n"
    )
    assert (facts.torch.version, facts.torch.variant, facts.runtimes.cuda) == ("2.4.0+cu121", "cu121", "12.4")


@pytest.mark.parametrize(
    ("value", "kernel"),
    [
        ("6.8.0-45-generic", "6.8.0-45-generic"),
        ("Linux 6.11.5-arch1-1", "6.11.5-arch1-1"),
        ("x86_64 Linux 5.15.0", "5.15.0"),
        ("NVRM: loading NVIDIA UNIX x86_64 Kernel Module  570.133.07", None),
    ],
)
def test_the_version_of_a_kernel(value: str, kernel: str | None) -> None:
    assert _read("kernel", value).system.kernel == kernel


def test_nvidias_container_tool_shows_the_driver(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(
        "NVRM version:   550.54.15\nCUDA version:   12.4\n\nDevice Index:   0\nModel:          NVIDIA A10\n"
    )
    assert (facts.drivers.nvidia.version, facts.drivers.nvidia.cuda) == ("550.54.15", "12.4")


def test_a_log_that_names_what_runs(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(
        "10:22:40-123456 INFO     Torch: torch==2.4.1+cu124 torchvision==0.19.1+cu124\n"
        "10:22:41-000222 INFO     Device: device=NVIDIA GeForce RTX 5090 n=1 arch=sm_90 capability=(12, 0) cuda=12.4 driver=572.16\n"
    )
    assert (facts.torch.version, facts.torch.variant, facts.drivers.nvidia.version) == (
        "2.4.1+cu124",
        "cu124",
        "572.16",
    )
    assert facts.gpus is not None and facts.gpus[0].compute_capability == "12.0"


def test_a_build_without_the_gil(facts_of: Callable[[str], Facts]) -> None:
    assert facts_of('\tPy_GIL_DISABLED = "1"\n').python.free_threaded is True
    assert facts_of('\tPy_GIL_DISABLED = "0"\n').python.free_threaded is None
