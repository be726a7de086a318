"""GPUs that were not passed in, and what an image demands of the driver."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from torchdoctor.matrix.checks.containers import requirement_met
from torchdoctor.matrix.verdict import Finding

Examine = Callable[..., dict[str, Finding]]
Machine = Callable[..., dict[str, Any]]
NO_NODE = {"/dev/nvidiactl": {"present": False}}
NODE = {"/dev/nvidiactl": {"present": True, "openable": True}}


def test_driver_in_sight_and_no_gpu(examine: Examine, machine: Machine) -> None:
    found = examine(machine(system={"container": "docker"}, gpus=[]))["container-no-gpu"]
    assert (found.severity, found.lies_in) == ("blocker", "container")
    assert found.fix[-1] == "docker run --gpus all …"


@pytest.mark.parametrize(
    ("engine", "step"),
    [
        ("podman", "podman run --device nvidia.com/gpu=all …"),
        ("kubernetes", "ask for it in the pod: resources: {limits: {nvidia.com/gpu: 1}}"),
        ("apptainer", "apptainer exec --nv …"),
    ],
)
def test_each_engine_has_its_own_words(examine: Examine, machine: Machine, engine: str, step: str) -> None:
    assert examine(machine(system={"container": engine}, gpus=[]))["container-no-gpu"].fix[-1] == step


def test_a_card_on_the_bus_without_its_node_was_not_passed_in(examine: Examine, machine: Machine) -> None:
    found = examine(
        machine(system={"container": "docker"}, devices=NO_NODE, environment={"NVIDIA_VISIBLE_DEVICES": "void"})
    )
    assert "NVIDIA_VISIBLE_DEVICES=void" in found["container-no-gpu"].detail


def test_no_compute_capability(examine: Examine, machine: Machine) -> None:
    profile = machine(
        system={"container": "docker"},
        devices=NODE,
        drivers={"nvidia": {"version": "580.95.05", "library": ""}},
        environment={"NVIDIA_DRIVER_CAPABILITIES": "utility"},
    )
    assert examine(profile)["container-no-gpu"].fix[0].endswith("NVIDIA_DRIVER_CAPABILITIES=compute,utility")
    profile["environment"] = {"NVIDIA_DRIVER_CAPABILITIES": "compute,utility"}
    assert "container-no-gpu" not in examine(profile)


@pytest.mark.parametrize(
    "groups",
    [
        {"gpus": None},  # nobody looked: no conclusion
        {"gpus": [], "drivers": {}},  # no driver in sight: a host without GPU
        {"gpus": [], "drivers": {"nvidia": {"version": ""}}},
        {"devices": NODE},
        {"devices": NODE, "environment": {"NVIDIA_VISIBLE_DEVICES": "void"}},  # device injection leaves it void
        {"gpus": [], "torch": {"gpu_available": True}},
        {},
    ],
)
def test_container_is_fine(examine: Examine, machine: Machine, groups: dict[str, Any]) -> None:
    assert "container-no-gpu" not in examine(machine(system={"container": "docker"}, **groups))


def test_no_container_no_finding(examine: Examine, machine: Machine) -> None:
    assert "container-no-gpu" not in examine(machine(gpus=[]))


OLD = {"nvidia": {"version": "550.54.14", "cuda": "12.4"}}


def test_image_demands_a_newer_driver(examine: Examine, machine: Machine) -> None:
    found = examine(
        machine(drivers=OLD, environment={"NVIDIA_REQUIRE_CUDA": "cuda>=12.8 brand=tesla,driver>=535,driver<536"})
    )
    assert found["container-cuda-requirement"].severity == "blocker"
    assert "CUDA 12.8" in found["container-cuda-requirement"].detail


def test_a_running_container_was_let_through(examine: Examine, machine: Machine) -> None:
    found = examine(machine(drivers=OLD, environment={"NVIDIA_REQUIRE_CUDA": "cuda>=12.8"}, devices=NODE))
    assert found["container-cuda-requirement"].severity == "note"


@pytest.mark.parametrize(
    "environment",
    [
        {"NVIDIA_REQUIRE_CUDA": "cuda>=12.4"},
        {"NVIDIA_REQUIRE_CUDA": "cuda>=12.8", "NVIDIA_DISABLE_REQUIRE": "1"},
        {"NVIDIA_REQUIRE_CUDA": "cuda>=12.8 brand=geforce,driver>=550,driver<551"},
        {"NVIDIA_REQUIRE_CUDA": "nonsense"},
        {},
    ],
)
def test_image_demands_nothing_more(examine: Examine, machine: Machine, environment: dict[str, str]) -> None:
    assert "container-cuda-requirement" not in examine(machine(drivers=OLD, environment=environment))


@pytest.mark.parametrize(
    ("constraint", "known", "met"),
    [
        ("cuda>=11.0", {"cuda": "12.4"}, True),
        ("cuda>=12.10", {"cuda": "12.4"}, False),
        ("cuda=12", {"cuda": "12.4"}, True),
        ("cuda!=12", {"cuda": "12.4"}, False),
        ("cuda<13", {"cuda": "12.4"}, True),
        ("driver<=549 cuda>12.3", {"cuda": "12.4", "driver": "550.54.14"}, True),
        ("cuda>=13 driver>=550", {"cuda": "12.4"}, None),  # the driver is not known
        ("cuda>=13 brand=tesla,driver>=535", {"cuda": "12.4", "driver": "535.1", "brand": "geforce"}, False),
        ("cuda>=13 brand=tesla,driver>=535", {"cuda": "12.4", "driver": "535.1", "brand": ""}, None),
        ("arch>=7.5,cuda>=12", {"cuda": "12.4", "arch": "7.0"}, False),
        ("", {"cuda": "12.4"}, None),
        ("cuda>=", {"cuda": "12.4"}, None),
        ("cuda>=x", {"cuda": "12.4"}, None),
    ],
)
def test_constraint(constraint: str, known: dict[str, str], met: bool | None) -> None:
    assert requirement_met(constraint, known) is met


def test_a_container_that_lost_its_gpu(examine: Examine, machine: Machine) -> None:
    seen = [{"id": "nvml-unknown-error", "text": "Failed to initialize NVML: Unknown Error", "line": 2}]
    lost = machine(system={"container": "docker"}, drivers={}, symptoms=seen)
    assert examine(lost)["container-no-gpu"].fix[0] == "start the container anew"
    assert "container-no-gpu" not in examine(machine(drivers={}, symptoms=seen))
    assert "container-no-gpu" not in examine({**lost, "torch": {"gpu_available": True}})
