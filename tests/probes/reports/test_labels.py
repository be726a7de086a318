from __future__ import annotations

from collections.abc import Callable

import pytest
from torchdoctor.probes.facts import Facts
from torchdoctor.probes.reports.labels import label_of, labelled_lines
from torchdoctor.probes.reports.reading import open_reading


@pytest.mark.parametrize(
    ("line", "pair"),
    [
        ("PyTorch version: 2.6.0", ("pytorch version", "2.6.0")),
        ("- **GPU**: RTX 4090", ("gpu", "RTX 4090")),
        ("| OS | Ubuntu 24.04 |", ("os", "Ubuntu 24.04")),
        ("cuda_version=12.4", ("cuda version", "12.4")),
        ("python == 3.12", ("python", "3.12")),
        ("torch>=2.6", None),
        ("torch ~= 2.6", None),
        ("https://example.invalid", None),
        ("1: a number", None),
        ("no label here", None),
        ("", None),
    ],
)
def test_a_line_with_a_label(line: str, pair: tuple[str, str] | None) -> None:
    assert label_of(line) == pair


def _labels(text: str) -> list[tuple[int, str, str]]:
    return list(labelled_lines(open_reading(text)))


def test_a_forms_question_is_answered_below() -> None:
    assert _labels("### GPU\n\nRTX 4090\n") == [(2, "gpu", "RTX 4090")]
    assert _labels("### GPU\n\n### OS\n") == []
    assert _labels("**Operating system**\nUbuntu\n") == [(1, "operating system", "Ubuntu")]


def test_columns_only_in_dumps_that_print_them() -> None:
    assert _labels("OS                  Linux-6.1") == []
    assert (1, "os", "Linux-6.1") in _labels("Ultralytics 8.3\nOS                  Linux-6.1")


def test_a_mac_without_cuda_may_still_have_metal(facts_of: Callable[[str], Facts]) -> None:
    lines = "Python platform: macOS-15.3.2-arm64-arm-64bit\nIs CUDA available: False\n"
    assert facts_of(lines).torch.gpu_available is None
    assert facts_of(lines + "MPS available: False\n").torch.gpu_available is False


@pytest.mark.parametrize(
    "line",
    [
        '{"torch_version": "2.5.1+cu124", "cuda_available": true, "capability": [12, 0]}',
        "{'torch_version': '2.5.1+cu124', 'cuda_available': True, 'capability': [12, 0]}",
    ],
)
def test_the_members_of_an_object(line: str) -> None:
    pairs = [(label, value.lower()) for _, label, value in labelled_lines(open_reading(line))]
    assert pairs == [("torch version", "2.5.1+cu124"), ("cuda available", "true"), ("capability", "[12, 0]")]


def test_a_row_of_a_package_list_is_no_object_of_facts() -> None:
    assert not [p for p in labelled_lines(open_reading('[{"name": "torch", "version": "2.6.0"}]')) if p[1] == "name"]


def test_leaders() -> None:
    assert [p[1:] for p in labelled_lines(open_reading("pytorch ......... 2.8.0+cu126"))] == [
        ("pytorch", "2.8.0+cu126")
    ]
    assert not list(labelled_lines(open_reading("loading ... done")))
