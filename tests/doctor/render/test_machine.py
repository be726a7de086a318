from __future__ import annotations

from typing import Any

import pytest
from torchdoctor.render.machine import fact_rows, gpu_names, machine_rows, size


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (25757220864, "24 GiB"),
        (1 << 30, "1 GiB"),
        (1610612736, "1.5 GiB"),
        (67108864, "64 MiB"),
        (2048, "2 KiB"),
        (512, "512 bytes"),
        (None, None),
        ("24 GB", None),
        (True, None),
    ],
)
def test_bytes_for_people(number: Any, text: str | None) -> None:
    assert size(number) == text


def test_equal_gpus_are_counted() -> None:
    h100 = {"name": "NVIDIA H100", "compute_capability": "9.0", "memory": 80 << 30}
    gpus = [h100, h100, {"vendor": "amd", "pci_id": "1002:744c", "gfx": "gfx1100", "integrated": True}]
    assert gpu_names({"gpus": gpus}) == [
        "2 × NVIDIA H100 · compute capability 9.0 · 80 GiB",
        "AMD GPU 1002:744c · gfx1100 · integrated",
    ]
    assert gpu_names({"gpus": None}) == []


def test_what_was_examined_in_a_few_rows(report: dict[str, Any]) -> None:
    assert dict(machine_rows(report)) == {
        "System": "Ubuntu 24.04 · x86_64 · glibc 2.39 · in a docker container",
        "CPU": "AMD Ryzen 9 7950X · x86-64-v4",
        "GPU": "NVIDIA GeForce RTX 4090 · compute capability 8.9 · 24 GiB",
        "Driver": "NVIDIA 535.183.01 (CUDA up to 12.2), open module",
        "Python": "CPython 3.12.4 · venv · ~/project/.venv/bin/python",
        "torch": "2.15.0 installed · cu132 · sees no GPU",
    }


@pytest.mark.parametrize(
    ("facts", "row"),
    [
        ({"drivers": {"nvidia": {"installed": False}}, "gpus": [{"vendor": "nvidia"}]}, "NVIDIA: none installed"),
        ({"drivers": {"nvidia": {"installed": False}}, "gpus": [{"vendor": "amd"}]}, None),
        ({"drivers": {"nvidia": {"loaded": False}}, "gpus": [{"vendor": "nvidia"}]}, "NVIDIA: installed, not loaded"),
        ({"drivers": {"amdgpu": {"version": "6.10"}}, "runtimes": {"rocm": "6.4"}}, "amdgpu 6.10 · ROCm 6.4"),
        ({"drivers": {"intel": {"kernel_driver": "xe", "compute_runtime": "25.1"}}}, "Intel xe, compute runtime 25.1"),
        ({"gpus": [{"driver": "nouveau"}, {"driver": "nouveau"}]}, "nouveau"),
        ({"runtimes": {"metal": "Metal 3"}}, "Metal 3"),
        ({"runtimes": {"metal": "supported"}}, "Metal: supported"),
        ({}, None),
    ],
)
def test_drivers_of_every_vendor(facts: dict[str, Any], row: str | None) -> None:
    assert dict(machine_rows({"facts": facts})).get("Driver") == row


@pytest.mark.parametrize(
    ("kind", "facts", "row"),
    [
        ("live", {"packages": {}}, "not installed"),
        ("nvidia_smi", {"packages": {}}, None),  # a pasted text does not prove that torch is absent
        ("live", {"packages": None}, None),
        ("live", {"packages": {"torch": "2.5.1"}}, "2.5.1 installed"),
        (
            "live",
            {"torch": {"version": "2.5.1+cpu", "variant": "cpu", "gpu_available": True}},
            "2.5.1 installed · cpu · sees the GPU",
        ),
    ],
)
def test_the_installed_torch(kind: str, facts: dict[str, Any], row: str | None) -> None:
    assert dict(machine_rows({"source": {"kind": kind}, "facts": facts})).get("torch") == row


def test_no_gpu_is_said_only_where_it_is_known() -> None:
    assert ("GPU", "none found") in machine_rows({"facts": {"gpus": []}})
    assert machine_rows({"facts": {"gpus": None}}) == []


def test_each_fact_with_the_source_of_its_whole(report: dict[str, Any]) -> None:
    rows = {path: (value, source) for path, value, source in fact_rows(report)}
    assert rows["gpus[0].name"] == ("NVIDIA GeForce RTX 4090", "/sys/bus/pci/devices")
    assert rows["drivers.nvidia.version"] == ("535.183.01", "/sys/module/nvidia/version")
    assert rows["drivers.nvidia.loaded"] == ("yes", None)
    assert rows["cpu.features"] == ("avx avx2", None)
    assert rows["environment.CUDA_VISIBLE_DEVICES"] == ("(empty)", None)
    assert rows["settings"] == ("none", None)
    assert "system.jetson" not in rows


@pytest.mark.parametrize(
    ("system", "row"),
    [
        ({"os": "windows", "name": "Windows 11", "version": "11"}, "Windows 11"),
        ({"os": "windows", "name": "Windows 11", "version": "10.0.26100"}, "Windows 11 10.0.26100"),
        ({"os": "macos", "version": "15.3"}, "macOS 15.3"),
    ],
)
def test_a_version_is_said_once(system: dict[str, Any], row: str) -> None:
    assert dict(machine_rows({"facts": {"system": system}}))["System"] == row


@pytest.mark.parametrize(
    ("kind", "asked", "row"),
    [
        ("project", "==2.15.0", "torch==2.15.0 · requirements.txt:2"),
        ("project", "2.15.0", "torch==2.15.0 · requirements.txt:2"),
        ("project", None, "torch · requirements.txt:2"),
        ("report", "==2.15.0", None),
    ],
)
def test_what_a_project_asks_for(kind: str, asked: str | None, row: str | None) -> None:
    report = {
        "source": {"kind": kind},
        "facts": {"request": {"torch": asked}},
        "sources": {"request.torch": "./requirements.txt:2"},
    }
    assert dict(machine_rows(report)).get("Project") == row
