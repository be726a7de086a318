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


def test_the_architectures(facts_of: Callable[[str], Facts]) -> None:
    assert facts_of("arch_list: ['sm_80', 'sm_90', 'sm_120']\n").torch.kernels == ("sm_80", "sm_90", "sm_120")


@pytest.mark.parametrize(
    ("text", "version", "free"),
    [
        ("  /srv/app/.venv/bin/python (3.11.9)", "3.11.9", None),
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


def test_questions_without_a_word_of_python(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(">>> sys.version\n'3.12.4 (tags/v3.12.4:8e8a4ba) [MSC v.1940 64 bit (AMD64)]'\n")
    assert (facts.python.version, facts.python.machine, facts.system.os) == ("3.12.4", "x86_64", "windows")


def test_the_width_of_an_interpreter(facts_of: Callable[[str], Facts]) -> None:
    assert facts_of(">>> platform.architecture()\n('32bit', 'WindowsPE')\n").python.bits == 32
    assert facts_of(">>> platform.architecture()\n('64bit', 'ELF')\n").python.bits == 64


def test_a_prompt_of_windows_at_the_root(facts_of: Callable[[str], Facts]) -> None:
    assert facts_of("C:\\>pip list\ntorch  2.3.1\n").system.os == "windows"
    assert facts_of("PS D:\\> python t.py\n").system.os == "windows"


def test_what_platform_answers(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(">>> platform.libc_ver()\n('glibc', '2.31')\n>>> platform.python_version()\n'3.9.18'\n")
    assert (facts.system.libc_version, facts.python.version) == ("2.31", "3.9.18")
    gil = ">>> sysconfig.get_config_var('Py_GIL_DISABLED')\n1\n"
    assert facts_of(gil).python.free_threaded is True
