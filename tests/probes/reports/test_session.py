from __future__ import annotations

from collections.abc import Callable

import pytest
from torchdoctor.probes.facts import Facts


def test_a_session(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(
        ">>> torch.__version__\n'2.6.0+cu124'\n>>> torch.cuda.is_available()\nFalse\n>>> torch.cuda.get_device_name(0)\n'NVIDIA GeForce RTX 4090'\n"
    )
    assert (facts.torch.version, facts.torch.variant, facts.torch.gpu_available) == ("2.6.0+cu124", "cu124", False)
    assert facts.gpus is not None and facts.gpus[0].name == "NVIDIA GeForce RTX 4090"


def test_a_one_liner(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(
        '$ python -c "import platform, torch; print(platform.platform(), torch.__version__, torch.backends.mps.is_available())"\nmacOS-12.7.6-arm64-arm-64bit 2.5.1 False\n'
    )
    assert (facts.system.os, facts.system.version, facts.torch.version) == ("macos", "12.7.6", "2.5.1")
    assert facts.torch.gpu_available is False


@pytest.mark.parametrize(
    "line",
    ["torch.cuda.is_available() == True", "torch.cuda.is_available() -> True", "torch.cuda.is_available()  # True"],
)
def test_answers_beside_the_question(facts_of: Callable[[str], Facts], line: str) -> None:
    assert facts_of(line).torch.gpu_available is True


def test_the_architectures(facts_of: Callable[[str], Facts]) -> None:
    assert facts_of("arch_list: ['sm_80', 'sm_90', 'sm_120']\n").torch.kernels == ("sm_80", "sm_90", "sm_120")


@pytest.mark.parametrize(
    ("text", "version", "free"),
    [
        ("Location: /root/vm313t/lib/python3.13t/site-packages", "3.13", True),
        ("/usr/lib/python3.12/site-packages/torch/cuda/__init__.py:1: UserWarning", "3.12", None),
        (".python-version: 3.13t", "3.13", True),
        ("PS D:\\work> python3.13t .\\main.py", "3.13", True),
        ("Python 3.13.8", "3.13.8", None),
        ("conda env py311", "3.11", None),
        ("requires Python >=3.9", None, None),
    ],
)
def test_interpreters(facts_of: Callable[[str], Facts], text: str, version: str | None, free: bool | None) -> None:
    facts = facts_of(text)
    assert (facts.python.version, facts.python.free_threaded) == (version, free)


def test_pypy(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of("$ pypy3 -m venv my_venv\n(pypy3.8)\n")
    assert (facts.python.implementation, facts.python.version) == ("pypy", "3.8")


@pytest.mark.parametrize(
    ("path", "os"),
    [
        ('File "C:\\Users\\user\\x\\Lib\\site-packages\\torch\\__init__.py"', "windows"),
        ("in /Library/Frameworks/Python.framework/Versions/3.11/lib/python3.11/site-packages (25.2)", "macos"),
        ("/home/user/.venv/lib/python3.12/site-packages/torch", "linux"),
    ],
)
def test_paths_tell_the_system(facts_of: Callable[[str], Facts], path: str, os: str) -> None:
    assert facts_of(path).system.os == os


def test_accounts_that_differ(facts_of: Callable[[str], Facts]) -> None:
    ask = '{}@host:~$ python -c "import torch;print(torch.cuda.is_available())"\n{}\n'
    assert "accounts-differ" in [
        s.id for s in facts_of(ask.format("a", "True") + ask.format("b", "False")).symptoms or ()
    ]
    assert "accounts-differ" not in [
        s.id for s in facts_of(ask.format("a", "True") + ask.format("b", "True")).symptoms or ()
    ]


# ---- what people typed


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
