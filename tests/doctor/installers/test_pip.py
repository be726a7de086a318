from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from torchdoctor.installers import Target, pip
from torchdoctor.installers.target import Style

Make = Callable[..., Target]


def test_torchs_index_alone(target: Make) -> None:
    line = pip.render((target("2.14.1", "cu126", torchvision="0.29.1"),), Style())
    assert line == "pip install torch==2.14.1 torchvision==0.29.1 --index-url https://download.pytorch.org/whl/cu126"


def test_the_default_index_is_not_named(target: Make) -> None:
    assert pip.words(target("2.15.0", "cu132", default=True), Style()) == ["pip", "install", "torch==2.15.0"]


def test_an_interpreter_a_mirror_and_further_indexes(target: Make) -> None:
    one = target("2.14.1", "cu126", installed={"torch": "2.14.1+cpu"})
    one = replace(one, recommendation=replace(one.recommendation, extra_index_urls=("https://more.invalid/",)))
    words = pip.words(one, Style(python="/opt/my env/bin/python", index_base="https://mirror.invalid/whl"))
    assert words == [
        "/opt/my env/bin/python", "-m", "pip", "install", "--force-reinstall", "torch==2.14.1",
        "--index-url", "https://mirror.invalid/whl/cu126", "--extra-index-url", "https://more.invalid/",
    ]  # fmt: skip
    assert pip.render((one,), Style(shell="powershell", python="C:\\my env\\python.exe")).startswith("& ")


def test_what_is_left_out(target: Make) -> None:
    assert "default package index" in pip.leaves_out(target("2.15.0", "cu132", default=True).recommendation)
    assert "second command" in pip.leaves_out(target("2.14.1", "cu126").recommendation)
