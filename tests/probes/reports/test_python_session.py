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
        ("conda env python310", "3.10", None),
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


@pytest.mark.parametrize(
    ("line", "sees"),
    [
        ("RX 7600 torch.cuda.is_available() = False", False),
        ("torch.cuda.is_available returned False after the update", False),
        ("is_available() false since yesterday", False),
        ("torch.cuda.is_available()-->False", False),
        ("cuda.is_available() is still False", False),
        ("is_available was True yesterday", None),
        ("torch.cuda.is_available() True before the update", None),
        ("if torch.cuda.is_available() is True:", None),
        ("is_available() is true", True),
    ],
)
def test_availability_in_a_sentence(facts_of: Callable[[str], Facts], line: str, sees: bool | None) -> None:
    assert facts_of(f"with torch here\n{line}\n").torch.gpu_available is sees


def test_whose_availability_a_sentence_means(facts_of: Callable[[str], Facts]) -> None:
    assert [s.id for s in facts_of("torch for xpu: is_available() is False").symptoms or ()] == ["xpu-available-false"]


@pytest.mark.parametrize(
    "text",
    [
        "RX 7600: torch.cuda.is_available() returns True for root and False for my user",
        "as root: torch.xpu.is_available() True, as normal user False",
        "with sudo torch.cuda.is_available() is True but without sudo False",
        "$ python -c 'import torch;print(torch.cuda.device_count())'\n0\n$ sudo env/bin/python -c 'import torch;print(torch.cuda.device_count())'\n1",
        "$ python -c 'import torch;print(torch.xpu.device_count())'\n0\n$ sudo env/bin/python -c 'import torch;print(torch.xpu.device_count())'\n2",
    ],
)
def test_root_sees_what_the_user_does_not(facts_of: Callable[[str], Facts], text: str) -> None:
    facts = facts_of(text)
    assert facts.torch.gpu_available is False
    ids = [s.id for s in facts.symptoms or ()]
    assert "root-available-true" in ids
    assert "xpu-devices-2" not in ids  # what root counts is no second environment


@pytest.mark.parametrize(
    ("script", "printed", "variant", "sees"),
    [
        ("torch.version.cuda, torch.cuda.is_available()", "12.1 False", "cu121", False),
        ("torch.version.cuda, torch.cuda.is_available()", "None False", "cpu", False),
        ("torch.__version__, torch.cuda.is_available()", "2.5.1+cu124 True", "cu124", True),
        ("torch.version.cuda, torch.cuda.is_available()", "12.1 of False", None, None),
        ("torch.cuda.is_available(), torch.version.cuda", "12.1 False", None, None),
    ],
)
def test_a_script_and_what_it_printed_further_down(
    facts_of: Callable[[str], Facts], script: str, printed: str, variant: str | None, sees: bool | None
) -> None:
    text = (
        f'python -c "import torch; print({script})"\n\nslurm-77120.out:\nCUDA_VISIBLE_DEVICES=NoDevFiles\n{printed}\n'
    )
    facts = facts_of(text)
    assert (facts.torch.variant, facts.torch.gpu_available) == (variant, sees)


@pytest.mark.parametrize(
    ("text", "bits"),
    [
        (">>> platform.architecture()\n('32bit', 'WindowsPE')", 32),
        ('C:\\> python -c "import platform; print(platform.architecture()[0])"\n32bit', 32),
        (">>> platform.architecture()\n('64bit', 'ELF')", 64),
        ("python -c \"import struct; print(struct.calcsize('P')*8)\" prints 32", 32),
        ("python -c \"import struct; print(struct.calcsize('P')*8)\"", None),
    ],
)
def test_the_width_of_the_interpreter(facts_of: Callable[[str], Facts], text: str, bits: int | None) -> None:
    assert facts_of(text + "\n").python.bits == bits
