from __future__ import annotations

from collections.abc import Callable

import pytest
from torchdoctor.probes.facts import Facts

_GENERATIONS = {
    "1.x to 2.10": (
        "NVIDIA GeForce RTX 5090 with CUDA capability sm_120 is not compatible with the current PyTorch installation.\n"
        "The current PyTorch install supports CUDA capabilities sm_50 sm_60 sm_90 compute_37.\n",
        ("NVIDIA GeForce RTX 5090", "12.0"),
        ("sm_50", "sm_60", "sm_90", "compute_37"),
        "torch-gpu-incompatible",
    ),
    "too old": (
        "Found GPU0 GeForce GT 630M which is of cuda capability 2.1.\n    PyTorch no longer supports this GPU because it is too old.\n",
        ("GeForce GT 630M", "2.1"),
        None,
        "gpu-too-old-text",
    ),
    "lowest and highest": (
        "Found GPU0 Tesla P100-PCIE-16GB which is of cuda capability 6.0.\nMinimum and Maximum cuda capability supported by this version of PyTorch is\n(7.0) - (12.0)\n",
        ("Tesla P100-PCIE-16GB", "6.0"),
        None,
        "torch-capability-range",
    ),
    "2.11": (
        "Found GPU0 Tesla V100-PCIE-32GB which is of compute capability (CC) 7.0.\nThe following list shows the CCs this version of PyTorch was built for and the hardware CCs it supports:\n"
        "- 7.5 which supports hardware CC >=7.5,<8.0\n- 12.0 which supports hardware CC >=12.0,<13.0\n",
        ("Tesla V100-PCIE-32GB", "7.0"),
        ("sm_75", "sm_120"),
        "torch-gpu-warning",
    ),
    "2.13": (
        "UserWarning: Found GPU0 NVIDIA GB10 which is of compute capability (CC) 12.1.\nYour installed torch==2.13.0+cu130 does not include kernels for this GPU.\n",
        ("NVIDIA GB10", "12.1"),
        None,
        "torch-no-kernels-for-gpu",
    ),
}


@pytest.mark.parametrize("generation", _GENERATIONS)
def test_generations_of_the_warning(facts_of: Callable[[str], Facts], generation: str) -> None:
    text, gpu, kernels, symptom = _GENERATIONS[generation]
    facts = facts_of(text)
    assert facts.gpus is not None
    assert [(g.name, g.compute_capability) for g in facts.gpus] == [gpu]
    assert facts.torch.kernels == kernels
    assert symptom in [s.id for s in facts.symptoms or ()]


def test_a_list_over_several_lines(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(
        "The current PyTorch installation supports the following CUDA capabilities:\n\nsm_50\nsm_80\nsm_90a\n"
    )
    assert facts.torch.kernels == ("sm_50", "sm_80", "sm_90a")


def test_each_gpu_is_listed_once_however_often_it_is_warned_about(facts_of: Callable[[str], Facts]) -> None:
    line = "Found GPU{} Tesla V100-PCIE-32GB which is of compute capability (CC) 7.0.\n"
    facts = facts_of(line.format(0) + line.format(1) + line.format(0))
    assert facts.gpus is not None and len(facts.gpus) == 2


@pytest.mark.parametrize(("number", "cuda"), [("12080", "12.8"), ("11040", "11.4"), ("9010", "9.1")])
def test_what_the_driver_speaks(facts_of: Callable[[str], Facts], number: str, cuda: str) -> None:
    facts = facts_of(
        f"RuntimeError: The NVIDIA driver on your system is too old (found version {number}). Please update\n"
    )
    assert facts.drivers.nvidia.cuda == cuda


def test_companions_built_for_another_cuda(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(
        "PyTorch and torchvision were compiled with different CUDA versions. PyTorch has CUDA Version=11.7 and torchvision has CUDA Version=11.8.\n"
    )
    assert (facts.torch.cuda, facts.torch.variant) == ("11.7", "cu117")
    assert [s.id for s in facts.symptoms or ()] == ["companion-cuda-differs"]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("it tells me: nvidia geforce rtx 5090 with cuda capabilities sm_120 is not compatible with the current Pytorch", "5090"),
        ("so the RTX 5080 cuda capability sm_120 isn't compatible", "5080"),
    ],
)  # fmt: skip
def test_the_warning_typed_by_hand(facts_of: Callable[[str], Facts], text: str, name: str) -> None:
    facts = facts_of(text)
    assert [(name in (g.name or ""), g.compute_capability) for g in facts.gpus or ()] == [(True, "12.0")]
    assert "torch-gpu-incompatible" in [s.id for s in facts.symptoms or ()]
