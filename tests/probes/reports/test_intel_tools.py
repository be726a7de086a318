from __future__ import annotations

from collections.abc import Callable

import pytest
from torchdoctor.probes.facts import Facts


@pytest.mark.parametrize(
    ("line", "name", "pci"),
    [
        ("[level_zero:gpu][level_zero:0] Intel(R) Graphics [0xe211]", "Intel(R) Graphics [0xe211]", "8086:e211"),
        (
            "[ext_oneapi_level_zero:gpu:0] Intel(R) Level-Zero, Intel(R) Arc(TM) A770 Graphics 1.3 [1.3.29735]",
            "Intel(R) Arc(TM) A770 Graphics",
            None,
        ),
        (
            "[level_zero:gpu][level_zero:0] Intel(R) oneAPI Unified Runtime over Level-Zero, Intel(R) Arc(TM) B580 Graphics 20.1.0 [1.6.33578+15]",
            "Intel(R) Arc(TM) B580 Graphics",
            None,
        ),
    ],
)
def test_sycl_ls(facts_of: Callable[[str], Facts], line: str, name: str, pci: str | None) -> None:
    facts = facts_of(
        line + "\n[opencl:cpu][opencl:0] Intel(R) OpenCL, 12th Gen Intel(R) Core(TM) i9 OpenCL 3.0 [2024.18]\n"
    )
    assert facts.gpus is not None
    assert [(g.name, g.pci_id) for g in facts.gpus] == [(name, pci)]


def test_xpu_smi(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(
        "| 0         | Device Name: Intel(R) Data Center GPU Max 1100                       |\n|           | PCI Device ID: 0xbda                                                 |\n"
    )
    assert facts.gpus is not None
    assert (facts.gpus[0].name, facts.gpus[0].pci_id) == ("Intel(R) Data Center GPU Max 1100", "8086:0bda")


def test_a_wrapped_line(facts_of: Callable[[str], Facts]) -> None:
    head = "[level_zero:gpu][level_zero:0] Intel(R) oneAPI Unified Runtime over Level-Zero V2,\n"
    facts = facts_of(head + "    Intel(R) Arc(TM) Pro B70 Graphics 20.2.0 [1.15.38308+4]\n")
    assert facts.gpus is not None
    assert [g.name for g in facts.gpus] == ["Intel(R) Arc(TM) Pro B70 Graphics"]
    assert facts_of(head).gpus is None


def test_a_device_of_the_cuda_plugin(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of("[cuda:gpu][cuda:0] NVIDIA CUDA BACKEND, NVIDIA A100-PCIE-40GB 8.0 [CUDA 12.2]\n")
    assert facts.gpus is not None
    assert [(g.vendor, g.name, g.compute_capability) for g in facts.gpus] == [
        ("nvidia", "NVIDIA A100-PCIE-40GB", "8.0")
    ]
    assert facts.drivers.nvidia.cuda == "12.2"
