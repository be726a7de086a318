from __future__ import annotations

from collections.abc import Callable

import pytest
from torchdoctor.probes.facts import Facts


def _torch(facts: Facts) -> tuple[str | None, str | None, str | None, list[str]]:
    return facts.torch.variant, facts.torch.cuda, facts.torch.hip, [s.id or "" for s in facts.symptoms or ()]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("torch.version.cuda = 12.4", ("cu124", "12.4", None, [])),
        ("torch.version.hip: 6.2.41133-dd7f95766", ("rocm6.2", None, "6.2.41133-dd7f95766", [])),
        ("torch.version.cuda is None", (None, "", None, [])),
        (">>> torch.version.cuda\n>>> torch.__version__", (None, "", None, [])),  # None is not echoed
        (">>> print(torch.version.cuda)\nNone", ("cpu", None, None, [])),
        (">>> print(torch.version.cuda, torch.cuda.is_available())\n12.4 True", ("cu124", "12.4", None, ["cuda-available-true"])),
        (">>> print(torch.cuda.is_available(), torch.version.cuda)\nFalse None", ("cpu", None, None, ["cuda-available-false", "cuda-not-compiled"])),
        (">>> print(torch.version.cuda); print(torch.cuda.is_available())\n12.4\nTrue", ("cu124", "12.4", None, ["cuda-available-true"])),
        (">>> print(torch.__version__); print(torch.version.cuda)\n2.6.0\nNone", ("cpu", None, None, ["cuda-not-compiled"])),
        (">>> print(torch.version.hip)\n6.2.41133-dd7f95766", (None, None, "6.2.41133-dd7f95766", [])),
        (">>> torch.backends.mps.is_built()\nTrue", ("mps", None, None, ["mps-built"])),
        ("torch.backends.mps.is_built() = False", (None, None, None, ["mps-not-built"])),
        ("torch.backends.mps.is_available(): False", (None, None, None, ["mps-not-available", "mps-available-false"])),
        ("torch.xpu._is_compiled() -> False", (None, None, None, ["xpu-not-compiled"])),
        ("torch.xpu.device_count() = 0", (None, None, None, ["xpu-device-count-zero"])),
        (">>> torch.xpu.device_count()\n2", (None, None, None, ["xpu-devices-2"])),
        ("$ sudo python3 -c 'import torch; print(torch.cuda.is_available())'\nTrue", (None, None, None, ["root-available-true"])),
    ],
)  # fmt: skip
def test_what_an_answer_tells(
    facts_of: Callable[[str], Facts], text: str, told: tuple[str | None, str | None, str | None, list[str]]
) -> None:
    assert _torch(facts_of(f"import torch\n{text}\n")) == told


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
    ids = [s.id or "" for s in facts.symptoms or ()]
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


def test_as_many_words_as_questions(facts_of: Callable[[str], Facts]) -> None:
    ask = "$ python -c 'import torch; print(torch.__version__, torch.backends.mps.is_built(), torch.backends.mps.is_available())'\n"
    facts = facts_of(ask + "2.10.0 True False\n")
    assert (facts.torch.version, facts.torch.gpu_available) == ("2.10.0", False)
    assert facts_of(ask + "2.10.0 True True\n").torch.gpu_available is True


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


def test_answers_in_other_languages(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of("bei mir liefert torch.cuda.is_available() immer False.\ntorch.__version__ ergibt 2.6.0+cpu.\n")
    assert (facts.torch.version, facts.torch.gpu_available) == ("2.6.0+cpu", False)


def test_the_cuda_of_torch_without_its_number(facts_of: Callable[[str], Facts]) -> None:
    torch = facts_of(">>> torch.version.cuda\n'13.0'\n").torch
    assert (torch.version, torch.cuda, torch.variant) == (None, "13.0", "cu130")


def test_an_answer_behind_an_arrow(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(
        "python -c 'import torch; print(torch.__version__, torch.cuda.is_available())' → 2.4.1+cpu False\n"
    )
    assert (facts.torch.version, facts.torch.gpu_available) == ("2.4.1+cpu", False)


@pytest.mark.parametrize(
    ("answer", "cuda", "hip", "variant"),
    [
        ("None 12.8 False", "12.8", None, "cu128"),
        ("6.4.43482-0f2d60242 None True", None, "6.4.43482-0f2d60242", None),
        ("None None False", None, None, "cpu"),
    ],
)
def test_what_torch_was_built_with(
    facts_of: Callable[[str], Facts], answer: str, cuda: str | None, hip: str | None, variant: str | None
) -> None:
    ask = "$ python -c 'import torch; print(torch.version.hip, torch.version.cuda, torch.cuda.is_available())'\n"
    torch = facts_of(ask + answer + "\n").torch
    assert (torch.cuda, torch.hip, torch.variant) == (cuda, hip, variant)
    assert torch.gpu_available is (answer[-4:] == "True")


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("One card is in the box and torch.cuda.is_available() is False", False),
        ("if ready and torch.cuda.is_available() == True:", None),
        ("use = wanted and torch.cuda.is_available() == True", None),
    ],
)
def test_a_sentence_and_a_condition(facts_of: Callable[[str], Facts], line: str, answer: bool | None) -> None:
    assert facts_of(line + "\n").torch.gpu_available is answer


def test_a_version_behind_its_name(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of("torch.zeros(1).cuda() works, torch.__version__ 2.7.1+cu128, only xformers dies\n")
    assert (facts.torch.version, facts.torch.variant) == ("2.7.1+cu128", "cu128")
