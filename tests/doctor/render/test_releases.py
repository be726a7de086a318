from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import Any

import pytest
from torchdoctor.render.releases import (
    merged,
    render_releases_html,
    render_releases_markdown,
    render_releases_text,
    spans,
)


def _row(**changes: Any) -> dict[str, Any]:
    return {
        "torch": "2.15.0",
        "date": "2026-10-28",
        "variant": "cu132",
        "platform": "linux_x86_64",
        "pythons": ["3.11", "3.12", "3.13", "3.13t"],
        "gpus": ["7.5", "12.0"],
        "driver": "580",
        "system": "glibc 2.28",
        "metal": None,
        "default_index": True,
        "index_url": None,
        "confidence": "primary",
        "source": [],
        "here": None,
    } | changes


@pytest.fixture
def document() -> dict[str, Any]:
    rows = [
        _row(),
        _row(platform="windows_amd64"),
        _row(variant="rocm7.2", gpus=["gfx942", "gfx1100"], driver=None),
        _row(
            variant="cpu + mps", platform="macos_arm64", gpus=[], driver=None, system="macOS 14.0", metal="macOS 15.0"
        ),
        _row(torch="2.14.1", variant="xpu", gpus=None, driver=None),
    ]
    return {"schema": "torchdoctor/releases/1", "matrix": "2026-11-30", "rows": rows}


@pytest.mark.parametrize(
    ("pythons", "shown"),
    [
        (["3.9", "3.10", "3.11", "3.13t"], "3.9–3.11 3.13t"),
        (["3.7", "3.9"], "3.7 3.9"),
        (["3.13t", "3.14t"], "3.13t 3.14t"),
        ([], ""),
    ],
)
def test_spans(pythons: list[str], shown: str) -> None:
    assert spans(pythons) == shown


def test_platforms_that_share_all_else_are_one_row(document: dict[str, Any]) -> None:
    rows = merged(document["rows"])
    assert rows[0]["platforms"] == ["linux_x86_64", "windows_amd64"]
    assert len(rows) == 4


def test_text(document: dict[str, Any]) -> None:
    text = render_releases_text(document, width=120)
    assert "Linux x86_64, Windows" in text and "driver 580, glibc 2.28" in text
    assert "gfx942 1100" in text and "not known" in text and "Metal: macOS 15.0" in text
    assert text.count("2.15.0") == 1
    assert render_releases_text(document, ascii=True).isascii()
    assert "\x1b[1m2.15.0" in render_releases_text(document, color=True, width=120)


def test_here_shows_reasons_and_this_platform_only(document: dict[str, Any]) -> None:
    for row in document["rows"]:
        row["here"] = {"accepted": False, "reasons": ["another platform"], "unknown": []}
    document["rows"][0]["here"] = {"accepted": True, "reasons": [], "unknown": []}
    document["rows"][2]["here"] = {"accepted": False, "reasons": ["no AMD GPU"], "unknown": []}
    text = render_releases_text(document, width=100)
    assert "✓ runs" in text and "✗ no AMD GPU" in text and "another platform" not in text
    assert "builds for Linux x86_64" in text and "Windows" not in text
    assert 'data-state="yes"' in render_releases_html(document)


def test_markdown(document: dict[str, Any]) -> None:
    text = render_releases_markdown(document)
    assert "| torch | variant | platform | Python | GPUs | needs |" in text
    assert (
        "| 2.15.0 | `cu132` | Linux x86\\_64, Windows | 3.11–3.13 3.13t | 7.5 12.0 | driver 580, glibc 2.28 |" in text
    )


def test_the_picture_says_which_variant_carries_what(document: dict[str, Any]) -> None:
    html = render_releases_html(document)
    svgs = [ET.fromstring(f"<svg{part.partition('</svg>')[0]}</svg>") for part in html.split("<svg")[1:]]
    said = [next(e.text or "" for e in svg.iter() if e.tag.endswith("desc")) for svg in svgs]
    assert "Turing 7.5: 2.15.0 (132)" in said[0] and "Pascal 6.x: none" in said[0]
    assert "CDNA 3 gfx942: 2.15.0 (7.2)" in said[1]


def test_an_empty_table_is_still_a_page() -> None:
    assert "<svg" not in render_releases_html({"matrix": "2026-11-30", "rows": []})
