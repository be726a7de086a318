from __future__ import annotations

import pytest
from torchdoctor.probes.reports.reading import open_reading
from torchdoctor.probes.reports.recognise import recognise


def test_the_heaviest_solid_kind_dominates() -> None:
    reading = open_reading("text")
    reading.saw("pip_error", 10)
    reading.saw("nvidia_smi", 20)
    reading.saw("free_text", 500)
    assert recognise(reading) == ("nvidia_smi", ("nvidia_smi", "free_text", "pip_error"))


def test_a_light_kind_alone_is_free_text() -> None:
    reading = open_reading("text")
    reading.saw("sw_vers", 5)
    assert recognise(reading) == ("free_text", ("free_text", "sw_vers"))


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Traceback (most recent call last):\n  File x", "traceback"),
        ("torch.OutOfMemoryError: CUDA out of memory", "traceback"),
        ("FROM python:3.12-slim\nRUN pip install torch", "dockerfile"),
    ],
)
def test_kinds_that_go_along(text: str, kind: str) -> None:
    dominant, kinds = recognise(open_reading(text))
    assert dominant == "free_text"
    assert kind in kinds


def test_nothing_recognised_is_free_text() -> None:
    assert recognise(open_reading("")) == ("free_text", ("free_text",))
