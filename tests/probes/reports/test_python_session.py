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
        ("torch.cuda.is_available() -> 1", None),  # of whatever program: Python says True
        ("is_available: 2 GPUs", None),
        ("torch.cuda.is_available()  # 4 of them", None),
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


def test_questions_without_a_word_of_python(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(">>> sys.version\n'3.12.4 (tags/v3.12.4:8e8a4ba) [MSC v.1940 64 bit (AMD64)]'\n")
    assert (facts.python.version, facts.python.machine, facts.system.os) == ("3.12.4", "x86_64", "windows")


def test_the_width_of_an_interpreter(facts_of: Callable[[str], Facts]) -> None:
    assert facts_of(">>> platform.architecture()\n('32bit', 'WindowsPE')\n").python.bits == 32
    assert facts_of(">>> platform.architecture()\n('64bit', 'ELF')\n").python.bits == 64


def test_as_many_words_as_questions(facts_of: Callable[[str], Facts]) -> None:
    ask = "$ python -c 'import torch; print(torch.__version__, torch.backends.mps.is_built(), torch.backends.mps.is_available())'\n"
    facts = facts_of(ask + "2.10.0 True False\n")
    assert (facts.torch.version, facts.torch.gpu_available) == ("2.10.0", False)
    assert facts_of(ask + "2.10.0 True True\n").torch.gpu_available is True


def test_a_prompt_of_windows_at_the_root(facts_of: Callable[[str], Facts]) -> None:
    assert facts_of("C:\\>pip list\ntorch  2.3.1\n").system.os == "windows"
    assert facts_of("PS D:\\> python t.py\n").system.os == "windows"


def test_what_platform_answers(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(">>> platform.libc_ver()\n('glibc', '2.31')\n>>> platform.python_version()\n'3.9.18'\n")
    assert (facts.system.libc_version, facts.python.version) == ("2.31", "3.9.18")
    gil = ">>> sysconfig.get_config_var('Py_GIL_DISABLED')\n1\n"
    assert facts_of(gil).python.free_threaded is True


def test_answers_beside_the_questions(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(
        "print(torch.__version__)            # 2.9.1+cpu\nprint(torch.cuda.is_available())    # False\nprint(torch.version.cuda)   # None\n\n"
        "nvidia-smi shows NVIDIA GeForce RTX 4090, Driver Version: 581.80\n"
    )
    assert (facts.torch.version, facts.torch.variant, facts.torch.gpu_available) == ("2.9.1+cpu", "cpu", False)
    assert facts.gpus is not None and facts.gpus[0].name == "NVIDIA GeForce RTX 4090"


@pytest.mark.parametrize(
    ("line", "version"),
    [
        ("torch.__version__ -> 2.1.0+cu118, torch.cuda.is_available() -> True", "2.1.0+cu118"),
        ("`torch.__version__` = '2.1.0+cu118'", "2.1.0+cu118"),
        ("assert torch.__version__ == '2.1.0+cu118'", None),
        ("if torch.__version__ == '2.1.0+cu118':", None),
    ],
)
def test_a_version_in_a_sentence(facts_of: Callable[[str], Facts], line: str, version: str | None) -> None:
    assert facts_of(line + "\n").torch.version == version


def test_several_prints_in_one_line(facts_of: Callable[[str], Facts]) -> None:
    ask = 'PS C:\\> python -c "import torch; print(torch.__version__); print(torch.xpu.is_available()); print(torch.xpu.get_device_name(0))"\n'
    facts = facts_of(ask + "2.9.1+xpu\nTrue\nIntel(R) Arc(TM) 140V GPU (16GB)\n")
    assert (facts.torch.version, facts.torch.variant, facts.torch.gpu_available) == ("2.9.1+xpu", "xpu", True)
    assert facts.gpus is not None and facts.gpus[0].vendor == "intel"
    cut = facts_of(ask + "2.9.1+xpu\n")
    assert (cut.torch.version, cut.torch.gpu_available) == ("2.9.1+xpu", None)


@pytest.mark.parametrize(("kind", "usable"), [("xpu", False), ("cuda", False)])
def test_no_device_counted_is_none_usable(facts_of: Callable[[str], Facts], kind: str, usable: bool) -> None:
    facts = facts_of(f"$ python -c 'import torch; print(torch.__version__, torch.{kind}.device_count())'\n2.8.0 0\n")
    assert facts.torch.gpu_available is usable
    mac = facts_of("macOS-15.1-arm64-arm-64bit\n>>> torch.cuda.device_count() -> 0\n")
    assert mac.torch.gpu_available is None


def test_a_list_of_what_torch_says(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(
        "torch.__version__        : 2.9.0+cu130\ntorch.version.cuda       : 13.0\ntorch.cuda.is_available(): True\ndevice name              : NVIDIA B200\n"
    )
    assert (facts.torch.version, facts.torch.variant, facts.torch.gpu_available) == ("2.9.0+cu130", "cu130", True)
    assert facts.gpus is not None and facts.gpus[0].name == "NVIDIA B200"
