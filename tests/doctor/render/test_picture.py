from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from typing import Any

import pytest
from torchdoctor.matrix.findings import finding_kinds
from torchdoctor.render.picture import PLACES, draw_stack

LAYERS = {"gpu", "driver", "runtime", "wheel", "python", "system"}


def _said(svg: str) -> str:
    root = ET.fromstring(svg)
    return next(e.text or "" for e in root.iter() if e.tag.endswith("desc"))


def _classes(svg: str, name: str) -> list[str]:
    return re.findall(rf'class="{name} (\w+)"', svg)


def test_every_finding_has_a_place() -> None:
    assert set(PLACES) == set(finding_kinds())
    assert all(set(place.split("-")) <= LAYERS for place in PLACES.values())


def test_it_breaks_where_the_finding_says(report: dict[str, Any]) -> None:
    svg = draw_stack(report)
    said = _said(svg)
    assert "GPU: NVIDIA GeForce RTX 4090" in said
    assert "Driver to Runtime: driver-too-old" in said
    assert "Runtime: CUDA 13.2, inside the wheel" in said
    assert _classes(svg, "joint").count("bad") == 1


@pytest.mark.parametrize(
    ("id", "place"),
    [
        ("gpu-below-minimum", "wheel to gpu: gpu-below-minimum"),
        ("glibc-too-old", "wheel to system: glibc-too-old"),
        ("python-unsupported", "torch wheel, installed to Python: python-unsupported"),
        ("driver-missing", "GPU to Driver: driver-missing"),
    ],
)
def test_joints(report: dict[str, Any], id: str, place: str) -> None:
    report["findings"][0]["id"] = id
    assert place in _said(draw_stack(report))


def test_a_fault_inside_a_layer_marks_the_layer(report: dict[str, Any]) -> None:
    report["findings"][0]["id"] = "numpy-abi"
    svg = draw_stack(report)
    assert _classes(svg, "box") == ["bad"]
    assert "✗ numpy-abi" in svg and "bad" not in _classes(svg, "joint")


def test_notes_leave_no_mark_and_warnings_another(report: dict[str, Any]) -> None:
    report["findings"] = [{"id": "same-major-compat", "severity": "note"}]
    assert set(_classes(draw_stack(report), "joint")) == {"ok"}
    report["findings"] = [{"id": "igpu-dgpu-conflict", "severity": "warning"}]
    assert "warn" in _classes(draw_stack(report), "joint")


def test_what_is_not_known_is_not_drawn_as_fine(report: dict[str, Any]) -> None:
    report["facts"] = {"system": {"os": "linux"}}
    report |= {"findings": [], "recommendation": None}
    svg = draw_stack(report)
    assert "ok" not in _classes(svg, "joint")
    assert "GPU: not known" in _said(svg)


def test_a_machine_without_a_gpu_has_no_gpu_layers(report: dict[str, Any]) -> None:
    report["facts"] |= {"gpus": [], "torch": {"version": "2.15.0", "variant": "cpu"}}
    report["findings"] = []
    said = _said(draw_stack(report))
    assert "GPU" not in said and "torch wheel, installed: torch 2.15.0 (cpu)" in said


@pytest.mark.parametrize(
    ("variant", "runtime"),
    [
        ("rocm7.2", "ROCm 7.2, inside the wheel"),
        ("xpu", "oneAPI"),
        ("mps", "Metal"),
        ("cpu", "none"),
        (None, "not known"),
    ],
)
def test_runtimes(report: dict[str, Any], variant: str | None, runtime: str) -> None:
    report["facts"]["torch"]["variant"] = variant
    assert f"Runtime: {runtime}" in _said(draw_stack(report))


def test_the_recommended_wheel_is_drawn_where_none_is_installed(report: dict[str, Any]) -> None:
    report["facts"]["torch"] = {}
    assert "torch wheel, recommended: torch 2.14.1 (cu126)" in _said(draw_stack(report))


def test_hostile_names_stay_well_formed(hostile: dict[str, Any]) -> None:
    root = ET.fromstring(draw_stack(hostile))
    assert {e.tag.rpartition("}")[2] for e in root.iter()} <= {
        "svg", "title", "desc", "path", "circle", "text", "g", "rect",
    }  # fmt: skip


def test_long_text_is_cut_to_its_box(report: dict[str, Any]) -> None:
    report["facts"]["gpus"][0]["name"] = "x" * 300
    shown = [e.text or "" for e in ET.fromstring(draw_stack(report)).iter() if e.tag.endswith("}text")]
    assert max(map(len, shown)) <= 48


def test_facts_missing_for_the_recommended_build_leave_its_joints_open(report: dict[str, Any]) -> None:
    report["findings"] = []
    report["candidates"][-1]["unknown"] = ["system.libc_version", "gpus[0].compute_capability"]
    said = _said(draw_stack(report))
    assert "Python to System: not known" in said and "wheel to system: not known" in said
    assert "wheel to gpu: not known" in said and "Driver to Runtime: the driver runs this runtime" in said


def test_a_driver_of_the_kernel_needs_no_version(report: dict[str, Any]) -> None:
    report["facts"]["drivers"] = {}
    report["facts"]["gpus"] = [{"vendor": "amd", "name": "Radeon", "gfx": "gfx1100", "driver": "amdgpu"}]
    assert "Driver: amdgpu" in _said(draw_stack(report))
