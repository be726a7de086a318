from __future__ import annotations

from collections.abc import Callable

import pytest
from torchdoctor.probes.facts import Facts


def test_an_install_command(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of("$ pip3 install torch==2.6.0 torchvision --index-url https://download.pytorch.org/whl/cu124\n")
    request = facts.request
    assert (request.torch, request.variant, request.installer, request.package) == ("2.6.0", "cu124", "pip", "torch")
    assert request.index == "https://download.pytorch.org/whl/cu124"
    assert facts.torch.version is None


def test_what_worked_is_not_what_was_tried(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(
        "$ pip install torch\nworks: pip3 install torch==2.9.0 --index-url https://download.pytorch.org/whl/cu128\n"
    )
    assert facts.request.torch is None


def test_links_beside_the_default_index_ask_for_no_variant(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of("pip install torch -f https://download.pytorch.org/whl/cu113/torch_stable.html\n")
    assert facts.request.variant is None


def test_conda(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of("conda install -y pytorch==2.0.1 torchvision==0.15.2 pytorch-cuda=11.8 -c pytorch -c nvidia\n")
    assert (facts.request.torch, facts.request.variant, facts.request.installer) == ("2.0.1", "cu118", "conda")
    assert facts.request.index == "https://conda.anaconda.org/pytorch"


@pytest.mark.parametrize(
    ("text", "environment"),
    [
        ("export CUDA_VISIBLE_DEVICES=1", {"CUDA_VISIBLE_DEVICES": "1"}),
        ("HSA_OVERRIDE_GFX_VERSION=12.0.1", {"HSA_OVERRIDE_GFX_VERSION": "12.0.1"}),
        ("$ echo $LD_LIBRARY_PATH\n/usr/local/cuda-12.1/lib64:\n", {"LD_LIBRARY_PATH": "/usr/local/cuda-12.1/lib64:"}),
        ("$ echo $CUDA_VISIBLE_DEVICES\n\n", None),
        ("CUDA_VISIBLE_DEVICES=", {"CUDA_VISIBLE_DEVICES": ""}),
        ("export HIP_VISIBLE_DEVICES=", {"HIP_VISIBLE_DEVICES": ""}),
        ("I tried CUDA_VISIBLE_DEVICES= before the command", None),
        ("CUDA_VISIBLE_DEVICES= python train.py", {"CUDA_VISIBLE_DEVICES": ""}),
        ("CUDA_VISIBLE_DEVICES= 1 python train.py", {"CUDA_VISIBLE_DEVICES": "1"}),
        ("> echo $HSA_OVERRIDE_GFX_VERSION\n10.3.0\n> env | grep HSA_OVERRIDE_GFX_VERSION\n>\n", None),
        ("For debugging consider passing CUDA_LAUNCH_BLOCKING=1", None),
        ("Use PYTORCH_MPS_HIGH_WATERMARK_RATIO=0.0 to disable upper limit", None),
        ("AWS_SECRET=1", None),
    ],
)
def test_variables(facts_of: Callable[[str], Facts], text: str, environment: dict[str, str] | None) -> None:
    found = facts_of(text).environment
    assert (dict(found) if found else None) == environment


@pytest.mark.parametrize(
    ("text", "libc", "python"),
    [
        ("image: python:3.7-alpine", "musl", "3.7"),
        ("docker run -it ghcr.io/astral-sh/uv:python3.10-alpine /bin/sh", "musl", "3.10"),
        ("FROM ubuntu:22.04", None, None),
    ],
)
def test_images(facts_of: Callable[[str], Facts], text: str, libc: str | None, python: str | None) -> None:
    facts = facts_of(text)
    assert (facts.system.libc, facts.python.version) == (libc, python)
    assert facts.system.container == "docker"
    assert facts.system.os == "linux"


def test_docker_run_with_and_without_a_gpu(facts_of: Callable[[str], Facts]) -> None:
    assert "docker-run-without-gpu" in [s.id for s in facts_of("docker run -it image bash").symptoms or ()]
    for flag in ("--gpus all", "--runtime=nvidia", "--device /dev/kfd", "... x"):
        assert "docker-run-without-gpu" not in [s.id for s in facts_of(f"docker run \\\n  {flag} image").symptoms or ()]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("$ env\nCUDA_VISIBLE_DEVICES=\nHOME=/root\n", ""),
        ('["PATH=/usr/bin","CUDA_VISIBLE_DEVICES=","LANG=C.UTF-8"]\n', ""),
        ('    "Env": ["CUDA_VISIBLE_DEVICES=1,2", "LANG=C.UTF-8"],\n', "1,2"),
        ("PS C:\\> gci env:CUDA*\n\nName                           Value\n----                           -----\nCUDA_VISIBLE_DEVICES           4\n", "4"),
        ("C:\\> echo %CUDA_VISIBLE_DEVICES%\n3\n", "3"),
        ("PS C:\\> $env:CUDA_VISIBLE_DEVICES\n2\n", "2"),
        ('        env:\n        - name: CUDA_VISIBLE_DEVICES\n          value: "0"\n', "0"),
    ],
)  # fmt: skip
def test_variables_in_lists(facts_of: Callable[[str], Facts], text: str, value: str) -> None:
    assert facts_of(text).environment == {"CUDA_VISIBLE_DEVICES": value}


@pytest.mark.parametrize(
    "text",
    [
        "C:\\> set CUDA_VISIBLE_DEVICES=\n",  # that unsets it
        "CUDA_VISIBLE_DEVICES           4\n",  # columns of what?
        "env = \"CUDA_VISIBLE_DEVICES=\" + ids\n",
    ],
)  # fmt: skip
def test_what_is_no_list_of_variables(facts_of: Callable[[str], Facts], text: str) -> None:
    assert facts_of(text).environment is None


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("Environment=CUDA_VISIBLE_DEVICES=", ""),
        ("Environment=CUDA_VISIBLE_DEVICES=2", "2"),
        ('Environment="CUDA_VISIBLE_DEVICES=2"', "2"),
    ],
)
def test_variables_of_a_service(facts_of: Callable[[str], Facts], line: str, value: str) -> None:
    assert facts_of(f"[Service]\n{line}\nExecStart=/bin/true\n").environment == {"CUDA_VISIBLE_DEVICES": value}


def test_an_image_of_the_project_names_its_torch(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of("docker run pytorch/pytorch:2.6.0-cuda12.4-cudnn9-runtime python serve.py\n")
    assert facts.torch.version == "2.6.0+cu124"
    assert facts_of("FROM nvidia/cuda:12.4.1-cudnn-devel-ubuntu22.04\n").torch.version is None
