from __future__ import annotations

from typing import Any

import pytest
from torchdoctor.matrix.request import RequestError
from torchdoctor.release_rows import mark_here, release_document


def _rows(**asked: Any) -> dict[tuple[str, str, str], dict[str, Any]]:
    return {(r["torch"], r["variant"], r["platform"]): r for r in release_document(**asked)["rows"]}


def test_one_row_says_all_of_a_build() -> None:
    rows = _rows(torch="2.15")
    linux = rows["2.15.0", "cu132", "linux_x86_64"]
    assert linux["gpus"] == ["7.5", "8.0", "8.6", "9.0", "10.0", "12.0"]
    assert (linux["driver"], linux["system"], linux["metal"]) == ("580", "glibc 2.28", None)
    assert (linux["default_index"], linux["index_url"]) == (True, None)
    assert linux["pythons"][0] == "3.11" and linux["pythons"][-1].endswith("t")
    assert linux["source"] and all(" " in s or "http" in s or "." in s for s in linux["source"])
    windows = rows["2.15.0", "cu132", "windows_amd64"]
    assert (windows["default_index"], windows["index_url"]) == (False, "https://download.pytorch.org/whl/cu132")
    mac = rows["2.15.0", "cpu + mps", "macos_arm64"]
    assert mac["metal"] == "macOS 15.0" and mac["system"].startswith("macOS ")


def test_devices_of_each_vendor() -> None:
    rows = _rows(torch="2.15")
    assert "gfx1100" in rows["2.15.0", "rocm10.0", "linux_x86_64"]["gpus"]
    assert "Ponte Vecchio" in rows["2.15.0", "xpu", "linux_x86_64"]["gpus"]
    assert "Ponte Vecchio" not in rows["2.15.0", "xpu", "windows_amd64"]["gpus"]
    assert rows["2.15.0", "cpu", "linux_x86_64"]["gpus"] == []
    assert rows["2.15.0", "cpu", "linux_x86_64"]["driver"] is None


def test_the_newest_patch_of_a_line_unless_every_one_is_asked_for() -> None:
    assert {torch for torch, _, _ in _rows(torch="2.14")} == {"2.14.1"}
    assert {torch for torch, _, _ in _rows(torch="2.14", every_patch=True)} == {"2.14.0", "2.14.1"}
    assert {torch for torch, _, _ in _rows(torch=">=2.13,<2.15")} == {"2.14.1", "2.13.0"}


def test_one_variant_or_a_family() -> None:
    assert {v for _, v, _ in _rows(torch="2.15", variant="rocm")} == {"rocm10.0"}
    assert {v for _, v, _ in _rows(torch="2.15", variant="cu132")} == {"cu132"}
    assert _rows(torch="2.15", variant="cu118") == {}
    with pytest.raises(RequestError):
        release_document(torch="newest")


def test_newest_first_and_accelerators_before_the_cpu() -> None:
    rows = release_document()["rows"]
    assert (rows[0]["torch"], rows[0]["variant"], rows[0]["platform"]) == ("2.15.0", "cu134", "linux_x86_64")
    first = [r["variant"] for r in rows if r["torch"] == "2.15.0"]
    assert first.index("rocm10.0") < first.index("xpu") < first.index("cpu")


def test_rows_of_this_machine_are_marked() -> None:
    document = release_document(torch="2.15")
    report = {
        "candidates": [
            {"torch": "2.15.0", "variant": "cu132", "accepted": True, "reasons": [], "unknown": []},
            {"torch": "2.15.0", "variant": "cu134", "accepted": False, "reasons": ["driver-too-old"], "unknown": []},
        ],
        "facts": {"gpus": [{"vendor": "nvidia"}]},
    }
    mark_here(document, report, "linux_x86_64")
    here = {(r["variant"], r["platform"]): r["here"] for r in document["rows"]}
    assert here["cu132", "linux_x86_64"]["accepted"] is True
    assert here["cu134", "linux_x86_64"]["reasons"] == ["driver-too-old"]
    assert here["cu132", "windows_amd64"]["reasons"] == ["another platform"]
    assert here["rocm10.0", "linux_x86_64"]["reasons"] == ["no AMD GPU"]
    assert here["cpu", "linux_x86_64"]["reasons"] == ["not examined"]


def test_metal_counts_where_either_kind_is_accepted() -> None:
    document = release_document(torch="2.15")
    cpu = {"torch": "2.15.0", "variant": "cpu", "accepted": True, "reasons": [], "unknown": []}
    mps = {"torch": "2.15.0", "variant": "mps", "accepted": False, "reasons": ["macos-too-old"], "unknown": []}
    mark_here(document, {"candidates": [mps, cpu], "facts": {"gpus": None}}, "macos_arm64")
    (mac,) = [r for r in document["rows"] if r["platform"] == "macos_arm64"]
    assert mac["here"] == {"accepted": True, "reasons": [], "unknown": []}
