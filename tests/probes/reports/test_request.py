from __future__ import annotations

import pytest
from torchdoctor.probes.facts import Request
from torchdoctor.probes.reports.reading import PRINTED, open_reading
from torchdoctor.probes.reports.request import put_index, put_request


def _asked(package: str, specifier: str | None) -> Request:
    reading = open_reading("pip install torch")
    put_request(reading, 0, package, specifier, PRINTED)
    return reading.draft.build().request


@pytest.mark.parametrize(
    ("specifier", "torch", "variant"),
    [
        ("==2.6.0", "2.6.0", None),
        ("===2.6.0", "2.6.0", None),
        ("==2.6.0+cu124", "2.6.0", "cu124"),
        ("^2.6", ">=2.6", None),
        (">=2.6,<3", ">=2.6,<3", None),
        ("'==2.6.0'", "2.6.0", None),
        ("", None, None),
        (None, None, None),
        ("*", None, None),
    ],
)
def test_what_was_asked_of_torch(specifier: str | None, torch: str | None, variant: str | None) -> None:
    request = _asked("torch", specifier)
    assert (request.package, request.torch, request.variant) == ("torch", torch, variant)


def test_another_package_is_named_and_asks_no_torch() -> None:
    request = _asked("xformers", "==0.0.28")
    assert (request.package, request.torch) == ("xformers", None)


@pytest.mark.parametrize(
    ("url", "index", "variant"),
    [
        ("https://download.pytorch.org/whl/cu124", "https://download.pytorch.org/whl/cu124", "cu124"),
        ("`https://u:p@mirror.invalid/whl/cpu`,", "https://mirror.invalid/whl/cpu", "cpu"),
        ("https://mirror.invalid/simple", "https://mirror.invalid/simple", None),
        ("ftp://x", None, None),
        ("https://" + "x" * 500, None, None),
    ],
)
def test_an_index_that_was_named(url: str, index: str | None, variant: str | None) -> None:
    reading = open_reading("text")
    put_index(reading, 0, url, PRINTED)
    request = reading.draft.build().request
    assert (request.index, request.variant) == (index, variant)


def test_an_index_of_torch_outranks_a_mirror_and_one_beside_asks_for_nothing() -> None:
    reading = open_reading("text")
    put_index(reading, 0, "https://mirror.invalid/simple", PRINTED)
    put_index(reading, 0, "https://download.pytorch.org/whl/cu124", PRINTED, beside=True)
    request = reading.draft.build().request
    assert (request.index, request.variant) == ("https://download.pytorch.org/whl/cu124", None)
