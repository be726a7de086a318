from __future__ import annotations

from torchdoctor.matrix.gpu_search import ids_of, names_of, nearest, search


def test_search_reads_what_people_type() -> None:
    assert [gpu.compute_capability for gpu in search("4090")] == ["8.9"]
    assert [gpu.compute_capability for gpu in search("GT 730")] == ["2.1", "3.0", "3.5"]
    assert [gpu.compute_capability for gpu in search("sm_86")] == ["8.6"]
    assert [gpu.gfx for gpu in search("gfx1100")] == ["gfx1100"]
    assert [gpu.chip for gpu in search("1002:744c")] == ["Navi 31"]
    assert {gpu.gfx for gpu in search("RX 7900")} == {"gfx1100"}
    assert search("no such card") == ()
    assert search("") == ()
    assert search("x" * 10_000) == ()


def test_nearest_names() -> None:
    assert "GeForce RTX 4090" in nearest("RTX 4099")
    assert nearest("qqqqqqqq") == ()


def test_ids_and_names_of_a_row() -> None:
    (card,) = search("RTX 4090")
    assert ids_of(card) == ("10de:2684",)
    (target,) = search("gfx1103")
    assert "Radeon 780M" in names_of(target)
    assert ids_of(target) == ()


def test_what_means_several_chips_gives_a_row_for_each() -> None:
    found = search("GTX 1060")
    assert {gpu.compute_capability for gpu in found} == {"6.1"}
    assert search("10de:2684")[0].name == "GeForce RTX 4090"
    assert {gpu.vendor for gpu in search("2684")} == {"nvidia"}


def test_what_nobody_sells_is_not_found() -> None:
    assert search("gfx9999") == ()
    assert search("sm_999") == ()
    assert search("10de:ffff") == ()


def test_a_near_name_is_offered_without_its_vendors_word() -> None:
    assert nearest("NVIDIA GeForce RTX 4O90", 1)[0].startswith("GeForce RTX 40")
    assert len(nearest("RTX", 2)) <= 2
