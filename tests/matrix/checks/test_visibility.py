"""Variables that hide GPUs, and GPUs that are asked for and are not there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from torchdoctor.matrix.verdict import Finding

Examine = Callable[..., dict[str, Finding]]
Machine = Callable[..., dict[str, Any]]
CARD = {"vendor": "nvidia", "name": "NVIDIA A100", "compute_capability": "8.0"}
RADEON = {"vendor": "amd", "name": "RX 7900 XTX", "gfx": "gfx1100", "integrated": False}
ARC = {"vendor": "intel", "name": "Intel Arc B580 Graphics", "pci_id": "8086:e20b", "integrated": False}
CUDA = {"torch": "2.14.1+cu126"}


@pytest.mark.parametrize("value", ["", "-1", "1", "7,0", "none", "-1,0"])
def test_everything_is_hidden(examine: Examine, machine: Machine, value: str) -> None:
    found = examine(machine(packages=CUDA, environment={"CUDA_VISIBLE_DEVICES": value}))["devices-hidden"]
    assert (found.severity, found.lies_in, found.about) == ("blocker", "environment", "installed")
    assert found.fix[0] == "unset CUDA_VISIBLE_DEVICES"


@pytest.mark.parametrize(
    ("groups", "severity"),
    [
        ({"packages": CUDA}, "blocker"),
        ({"packages": CUDA, "gpus": []}, "blocker"),  # the job's own nvidia-smi lists none
        ({"packages": CUDA, "gpus": None}, "blocker"),
        ({"gpus": None, "torch": {"gpu_available": False}}, "blocker"),
        ({}, "warning"),
        ({"gpus": None}, None),
        ({"packages": {"torch": "2.14.1+cpu"}, "torch": {"gpu_available": False}}, None),
        ({"packages": CUDA, "torch": {"gpu_available": True}}, None),
    ],
)
def test_slurm_gave_the_job_no_gpu(
    examine: Examine, machine: Machine, groups: dict[str, Any], severity: str | None
) -> None:
    found = examine(machine(**{**groups, "environment": {"CUDA_VISIBLE_DEVICES": "NoDevFiles"}})).get("devices-hidden")
    assert (found.severity if found else None) == severity
    assert found is None or "--gres=gpu:1" in found.fix[0]


def test_windows_unsets_in_its_own_way(examine: Examine, machine: Machine) -> None:
    found = examine(machine(system={"os": "windows"}, packages=CUDA, environment={"CUDA_VISIBLE_DEVICES": "-1"}))
    assert found["devices-hidden"].fix[0] == "set CUDA_VISIBLE_DEVICES="


def test_nothing_installed_is_a_warning(examine: Examine, machine: Machine) -> None:
    hidden = machine(environment={"CUDA_VISIBLE_DEVICES": ""})
    assert examine(hidden)["devices-hidden"].severity == "warning"
    assert examine(hidden, requires=("cuda",))["devices-hidden"].severity == "blocker"


def test_a_session_that_sees_no_gpu_is_a_blocker(examine: Examine, machine: Machine) -> None:
    hidden = machine(environment={"CUDA_VISIBLE_DEVICES": ""}, torch={"gpu_available": False})
    assert examine(hidden)["devices-hidden"].severity == "blocker"


def test_a_later_entry_that_names_nothing_is_a_warning(examine: Examine, machine: Machine) -> None:
    found = examine(machine(gpus=[CARD, CARD], packages=CUDA, environment={"CUDA_VISIBLE_DEVICES": "0,2"}))[
        "devices-hidden"
    ]
    assert found.severity == "warning"
    assert found.fix == ("name devices from 0 to 1 in CUDA_VISIBLE_DEVICES",)


@pytest.mark.parametrize("value", ["0", "1,0", "0,1", "GPU-8932f937-d72c", "MIG-1f2", "0:1"])
def test_nothing_is_hidden(examine: Examine, machine: Machine, value: str) -> None:
    profile = machine(gpus=[CARD, CARD], packages=CUDA, environment={"CUDA_VISIBLE_DEVICES": value})
    assert "devices-hidden" not in examine(profile)


@pytest.mark.parametrize(
    "groups",
    [
        {"gpus": [], "packages": CUDA},  # nothing to hide
        {"gpus": None, "packages": {}},
        {"packages": CUDA, "torch": {"gpu_available": True}},
        {"gpus": [RADEON], "packages": CUDA},
    ],
)
def test_hiding_nothing_is_no_fault(examine: Examine, machine: Machine, groups: dict[str, Any]) -> None:
    assert "devices-hidden" not in examine(machine(environment={"CUDA_VISIBLE_DEVICES": ""}, **groups))


def test_a_pasted_list_may_be_short(examine: Examine, machine: Machine) -> None:
    profile = machine(packages=CUDA, environment={"CUDA_VISIBLE_DEVICES": "3"})
    assert "devices-hidden" in examine(profile)
    assert "devices-hidden" not in examine(profile, sources={"gpus": "line 12: GPU 0: NVIDIA A100"})


def test_rocm_masks_apply_in_turn(examine: Examine, machine: Machine) -> None:
    rocm = {"torch": "2.14.1+rocm7.2"}
    masks = {"ROCR_VISIBLE_DEVICES": "1", "HIP_VISIBLE_DEVICES": "1"}
    found = examine(machine(gpus=[RADEON, RADEON], packages=rocm, environment=masks))["devices-hidden"]
    assert "renumbers" in found.detail
    assert found.fix[0] == "unset HIP_VISIBLE_DEVICES"
    masks["HIP_VISIBLE_DEVICES"] = "0"
    assert "devices-hidden" not in examine(machine(gpus=[RADEON, RADEON], packages=rocm, environment=masks))


def test_rocm_reads_the_cuda_name_too(examine: Examine, machine: Machine) -> None:
    rocm = machine(gpus=[RADEON], packages={"torch": "2.14.1+rocm7.2"}, environment={"CUDA_VISIBLE_DEVICES": "-1"})
    assert examine(rocm)["devices-hidden"].severity == "blocker"
    rocm["environment"]["HIP_VISIBLE_DEVICES"] = "0"
    assert "devices-hidden" not in examine(rocm)


def test_the_container_runtime_was_told_to_pass_none(examine: Examine, machine: Machine) -> None:
    void = machine(
        system={"container": "docker"},
        gpus=[],
        drivers={},
        packages=CUDA,
        environment={"NVIDIA_VISIBLE_DEVICES": "void"},
    )
    assert examine(void)["devices-hidden"].severity == "blocker"
    assert "devices-hidden" not in examine({**void, "packages": {}})
    assert "devices-hidden" not in examine({**void, "gpus": [CARD]})
    assert "devices-hidden" not in examine({**void, "environment": {"NVIDIA_VISIBLE_DEVICES": "all"}})


@pytest.mark.parametrize(
    ("environment", "hidden"),
    [
        ({"ZE_AFFINITY_MASK": "1"}, True),
        ({"ZE_AFFINITY_MASK": "0"}, False),
        ({"ZE_AFFINITY_MASK": "0.0"}, False),
        ({"ZE_AFFINITY_MASK": ""}, False),
        ({"ONEAPI_DEVICE_SELECTOR": "opencl:*"}, True),
        ({"ONEAPI_DEVICE_SELECTOR": "*:cpu"}, True),
        ({"ONEAPI_DEVICE_SELECTOR": "level_zero:gpu"}, False),
        ({"ONEAPI_DEVICE_SELECTOR": "level_zero:0;opencl:cpu"}, False),
        ({"ONEAPI_DEVICE_SELECTOR": "*:gpu"}, False),
        ({"ONEAPI_DEVICE_SELECTOR": "!opencl:*"}, False),
    ],
)
def test_intel(examine: Examine, machine: Machine, environment: dict[str, str], hidden: bool) -> None:
    found = examine(machine(gpus=[ARC], drivers={}, packages={"torch": "2.14.1+xpu"}, environment=environment))
    assert ("devices-hidden" in found) is hidden


@pytest.mark.parametrize(
    ("gpus", "os", "what", "missing"),
    [
        ([], "linux", "gpu", True),
        ([], "linux", "cuda", True),
        ([RADEON], "linux", "cuda", True),
        ([RADEON], "linux", "gpu", False),
        ([RADEON], "linux", "rocm", False),
        ([CARD], "linux", "cuda", False),
        (None, "linux", "cuda", False),  # not known is not missing
        (None, "linux", "mps", True),  # Metal is macOS's alone
        (None, "macos", "cuda", True),
        ([ARC], "linux", "xpu", False),
    ],
)
def test_gpu_not_found(
    examine: Examine, machine: Machine, gpus: list[dict[str, Any]] | None, os: str, what: str, missing: bool
) -> None:
    found = examine(machine(gpus=gpus, system={"os": os}, drivers={}), requires=(what,))
    assert ("gpu-not-found" in found) is missing
    if missing:
        assert found["gpu-not-found"].severity == "blocker"
        assert "gpu-not-found" not in examine(machine(gpus=gpus, system={"os": os}, drivers={}))


def test_a_failed_session_bears_out_a_short_list(examine: Examine, machine: Machine) -> None:
    profile = machine(packages=CUDA, environment={"CUDA_VISIBLE_DEVICES": "3"}, torch={"gpu_available": False})
    assert examine(profile, sources={"gpus": "line 12: GPU 0: NVIDIA A100"})["devices-hidden"].severity == "blocker"


@pytest.mark.parametrize(
    ("groups", "found"),
    [
        ({"gpus": None, "packages": {"torch": "2.8.0+xpu"}, "torch": {"gpu_available": False}}, True),
        ({"gpus": None, "packages": {"torch": "2.8.0+xpu"}}, False),
        ({"gpus": None, "packages": {"torch": "2.8.0+cpu"}, "torch": {"gpu_available": False}}, False),
        ({"gpus": [CARD], "packages": {"torch": "2.8.0+xpu"}, "torch": {"gpu_available": False}}, False),
    ],
)
def test_a_selector_where_the_build_alone_names_the_vendor(
    examine: Examine, machine: Machine, groups: dict[str, Any], found: bool
) -> None:
    profile = machine(**{**groups, "environment": {"ONEAPI_DEVICE_SELECTOR": "opencl:gpu"}})
    assert ("devices-hidden" in examine(profile)) is found


@pytest.mark.parametrize(
    ("wanted", "variant", "found"),
    [("void", "cu124", True), ("none", "cu124", True), ("all", "cu124", False), ("void", "cpu", False)],
)
def test_a_cuda_build_in_a_container_that_asks_for_no_gpu(
    examine: Callable[..., dict[str, Finding]], wanted: str, variant: str, found: bool
) -> None:
    profile = {
        "system": {"container": "docker"},
        "environment": {"NVIDIA_VISIBLE_DEVICES": wanted},
        "torch": {"version": f"2.6.0+{variant}", "variant": variant, "gpu_available": False},
    }
    assert ("devices-hidden" in examine(profile)) is found
