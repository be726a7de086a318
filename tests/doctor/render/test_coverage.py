from __future__ import annotations

from typing import Any

from torchdoctor.release_rows import release_document
from torchdoctor.render.coverage import COVERAGES, draw_coverage


def _row(torch: str, variant: str, gpus: list[str] | None, platform: str = "linux_x86_64") -> dict[str, Any]:
    return {"torch": torch, "variant": variant, "gpus": gpus, "platform": platform}


def test_each_generation_names_the_variants_that_carry_it() -> None:
    rows = [
        _row("2.15.0", "cu132", ["7.5", "8.0", "12.0"]),
        _row("2.14.1", "cu126", ["5.0", "6.0", "7.0", "7.5", "8.0", "9.0"]),
        _row("2.14.1", "cu126", ["5.0"], "windows_amd64"),
        _row("2.14.1", "cpu", []),
    ]
    title, kinds, prefix = COVERAGES[0]
    svg = draw_coverage({"rows": rows}, title, kinds, prefix)
    told = svg[svg.index("<desc") : svg.index("</desc>")]
    assert "Maxwell 5.x: 2.14.1 (126)" in told
    assert "Turing 7.5: 2.15.0 (132), 2.14.1 (126)" in told
    assert "Kepler 3.7: none" in told
    assert svg.count('class="cell on"') == told.count("(132)") + told.count("(126)")


def test_no_row_of_that_kind_is_no_picture() -> None:
    title, kinds, prefix = COVERAGES[1]
    assert draw_coverage({"rows": [_row("2.15.0", "cu132", ["8.0"])]}, title, kinds, prefix) == ""


def test_every_architecture_of_the_matrix_has_its_line() -> None:
    """A new generation in the data needs a line in the picture."""
    document = release_document()
    for _, kinds, prefix in COVERAGES:
        drawn = {member for _, members in kinds for member in members}
        built = {
            gpu
            for row in document["rows"]
            if row["platform"] == "linux_x86_64" and row["variant"].startswith(prefix)
            for gpu in row["gpus"] or ()
        }
        assert built - drawn <= {"gfx1103"}  # beside their family's other members


def test_hostile_text_stays_text() -> None:
    title, kinds, prefix = COVERAGES[0]
    svg = draw_coverage({"rows": [_row("<script>", "cu<b>", ["8.0"])]}, title, kinds, prefix)
    assert "<script>" not in svg and "<b>" not in svg
