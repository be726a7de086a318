"""Installed distributions as reports list them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from torchdoctor.probes.facts import Facts
from torchdoctor.probes.reports.pasted import read_text


def test_pip_list(facts_of: Callable[[str], Facts]) -> None:
    text = "Package                Version\n---------------------- ------------\nnumpy                  2.1.0\ntorch                  2.5.1+cu124\nsome-thing             1.0\n"
    facts = facts_of(text)
    assert facts.packages == {"numpy": "2.1.0", "torch": "2.5.1+cu124", "some-thing": "1.0"}
    assert read_text(text, "x").kind == "pip_freeze"


def test_a_piece_of_pip_list_without_its_heading(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(
        "torch                     2.3.1+cu121\ntorchaudio                2.3.1+cu121\nusage                     12 percent\n"
    )
    assert facts.packages == {"torch": "2.3.1+cu121", "torchaudio": "2.3.1+cu121"}


def test_freeze_and_requirements(facts_of: Callable[[str], Facts]) -> None:
    lines = "numpy==2.1.0\ntorch==2.6.0\ntorchvision==0.21.0\ntransformers==4.51.3\n"
    assert facts_of(lines).torch.version == "2.6.0"
    asked = facts_of("requirements.txt:\n" + lines)
    assert (asked.torch.version, asked.request.torch) == (None, "2.6.0")


def test_conda_list(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(
        "# packages in environment at /opt/conda:\n#\n# Name                    Version                   Build  Channel\npytorch                   2.3.1           "
        "py3.11_cuda12.1_cudnn8.9.2_0    pytorch\npython                    3.11.9               h955ad1f_0\nmkl                       2023.1.0         h213fc3f_46344\n"
    )
    assert (facts.torch.version, facts.torch.variant, facts.torch.origin) == ("2.3.1", "cu121", "conda")
    assert facts.packages is not None and facts.packages["mkl"] == "2023.1.0"
    assert facts.python.version == "3.11.9"


def test_poetry_log(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of("  - Installing nvidia-cublas-cu12 (12.6.4.1)\n  - Updating torch (2.5.0 -> 2.6.0)\n")
    assert facts.packages == {"nvidia-cublas-cu12": "12.6.4.1", "torch": "2.6.0"}


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("pip install torch --index-url https://x.example/whl/cu130 went ok but it fails (torch 2.9.1+cu130)", "2.9.1+cu130"),
        ("pip install torch (torch 2.9.1) does not work", None),
        ("how do I install torch 2.9.1+cu130 here?", None),
        ("same torch (2.6.0+cu126) gives an error", "2.6.0+cu126"),
        ("torch2.0.1+cpu -> cuda not there", "2.0.1+cpu"),
        ("pip show torch gives me version 2.0.1 + cpu", "2.0.1+cpu"),
        ("  - Installing torch (2.4.1+cu124): Failed", None),
        ("torch (2.4.1+cu124) depends on triton", None),
    ],
)  # fmt: skip
def test_a_version_beside_the_command(facts_of: Callable[[str], Facts], text: str, version: str | None) -> None:
    assert facts_of(text).torch.version == version


@pytest.mark.parametrize(
    ("text", "variant"),
    [("torch 2.5.1 cu121", "cu121"), ("torch 2.4.0 (cu121)", "cu121"), ("torch 2.6.0 rocm6.2.4", "rocm6.2.4"), ("torch 2.6.0, driver 550", None)],
)  # fmt: skip
def test_the_variant_beside_the_version(facts_of: Callable[[str], Facts], text: str, variant: str | None) -> None:
    assert facts_of(text).torch.variant == variant


REQUIRED, INSTALLED = (
    "requirements.txt:\ntorch==2.4.1\n",
    "pip freeze on the server:\ntorch==2.6.0\ntorchvision==0.19.1\n",
)


@pytest.mark.parametrize(
    ("text", "torch", "asked"),
    [
        (REQUIRED + INSTALLED, "2.6.0", "2.4.1"),
        (INSTALLED, "2.6.0", None),
        ("torch==2.6.0\n(of pip freeze, requirements not at hand)\n", "2.6.0", None),
    ],
)
def test_what_is_required_and_then_what_is_installed(
    facts_of: Callable[[str], Facts], text: str, torch: str, asked: str | None
) -> None:
    facts = facts_of(text)
    assert ((facts.packages or {}).get("torch"), facts.request.torch) == (torch, asked)


def test_a_sentence_that_says_what_is_installed(facts_of: Callable[[str], Facts]) -> None:
    assert facts_of("Installed torch 2.4.1+rocm6.1, and every kernel fails\n").torch.version == "2.4.1+rocm6.1"
    assert facts_of("Install torch 2.4.1+rocm6.1 first\n").torch.version is None


@pytest.mark.parametrize(
    "text",
    [
        "# platform: linux-64\npython=3.11.9=h955ad1f_0\npytorch=2.3.1=py3.11_cuda12.1_cudnn8.9.2_0\n",
        "@EXPLICIT\nhttps://repo.anaconda.com/pkgs/main/linux-64/python-3.11.9-h955ad1f_0.conda\n"
        "https://conda.anaconda.org/pytorch/linux-64/pytorch-2.3.1-py3.11_cuda12.1_cudnn8.9.2_0.tar.bz2#abcdef\n",
    ],
)
def test_conda_exports(facts_of: Callable[[str], Facts], text: str) -> None:
    facts = facts_of(text)
    assert (facts.torch.version, facts.torch.variant, facts.torch.origin) == ("2.3.1", "cu121", "conda")
    assert (facts.python.version, facts.system.os, facts.system.machine) == ("3.11.9", "linux", "x86_64")
    assert read_text(text, "x").kind == "conda_list"


def test_a_freeze_of_files_and_addresses(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(
        "torch @ file:///wheels/torch-2.8.0%2Bcu128-cp312-cp312-manylinux_2_28_x86_64.whl#sha256=abc\n"
        "torchvision @ https://download.pytorch.org/whl/cu128/torchvision-0.23.0%2Bcu128-cp312-cp312-manylinux_2_28_x86_64.whl\n"
        "numpy==2.3.2\nsympy==1.14.0\n"
    )
    assert (facts.torch.version, facts.torch.variant) == ("2.8.0+cu128", "cu128")
    assert facts.packages is not None and facts.packages["torchvision"] == "0.23.0+cu128"


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("The old i7 does not support AVX2. torch 2.6.0+cpu, quantized model", "2.6.0+cpu"),
        ("An RTX 4090 ... no, a 4080; torch 2.6.0+cpu here", "2.6.0+cpu"),
        ("the torch 2.6.0+cpu supports it", None),
        ("torch 2.6.0+cpu got installed by requirements.txt", "2.6.0+cpu"),
        ("I need torch 2.6.0 here", None),
    ],
)
def test_what_another_sentence_says(facts_of: Callable[[str], Facts], text: str, version: str | None) -> None:
    assert facts_of(text + "\n").torch.version == version


@pytest.mark.parametrize("version", ["2.1.2+pt21cu121", "2.8.3+cu12torch2.8cxx11abiTRUE"])
def test_a_version_that_names_its_torch(facts_of: Callable[[str], Facts], version: str) -> None:
    packages = facts_of(f"torch 2.4.0+cu121, torch-scatter {version}, windows\n").packages or {}
    assert packages["torch-scatter"] == version


@pytest.mark.parametrize(
    "line",
    ["pip show torch → Version: 2.8.0+cpu", "`pip3 install torch torchvision` → torch 2.8.0+cpu, cuda not available"],
)
def test_what_stands_behind_an_arrow(facts_of: Callable[[str], Facts], line: str) -> None:
    assert facts_of(line + "\n").torch.version == "2.8.0+cpu"


def test_a_device_package_as_its_file_is_named(facts_of: Callable[[str], Facts]) -> None:
    packages = facts_of("torch 2.9.0, rocm_sdk_libraries_gfx1151 7.9.0rc1\n").packages or {}
    assert packages["rocm-sdk-libraries-gfx1151"] == "7.9.0rc1"
