"""Who may reach the GPU, as a session shows it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from torchdoctor.matrix.verdict import Finding

Examine = Callable[..., dict[str, Finding]]
Machine = Callable[..., dict[str, Any]]
CARDS = {
    "amd": {"vendor": "amd", "name": "AMD Radeon RX 7900 XTX", "gfx": "gfx1100"},
    "intel": {"vendor": "intel", "name": "Intel Arc B580", "pci_id": "8086:e20b"},
    "nvidia": {"vendor": "nvidia", "name": "NVIDIA L4", "compute_capability": "8.9", "pci_id": "10de:27b8"},
}


def _seen(*ids: str) -> list[dict[str, str]]:
    return [{"id": id, "text": id} for id in ids]


@pytest.mark.parametrize(
    ("card", "sees", "id"),
    [
        ("amd", False, "rocm-permission"),
        ("intel", False, "xpu-permission"),
        ("amd", True, None),
        ("amd", None, None),
        ("nvidia", False, None),  # its nodes are open to all
    ],
)
def test_root_sees_the_gpu_and_the_user_does_not(
    examine: Examine, machine: Machine, card: str, sees: bool | None, id: str | None
) -> None:
    profile = machine(
        gpus=[CARDS[card]], drivers={}, torch={"gpu_available": sees}, symptoms=_seen("root-available-true")
    )
    found = {i for i in ("rocm-permission", "xpu-permission") if i in examine(profile)}
    assert found == ({id} if id else set())


@pytest.mark.parametrize(("sees", "found"), [(False, True), (None, True), (True, False)])
def test_a_list_shows_the_gpu_to_root_alone(examine: Examine, machine: Machine, sees: bool | None, found: bool) -> None:
    profile = machine(
        gpus=[CARDS["intel"]], drivers={}, torch={"gpu_available": sees}, symptoms=_seen("root-lists-more")
    )
    assert ("xpu-permission" in examine(profile)) is found


LOADED = {"nvidia": {"version": "580.95.05", "loaded": True}}


@pytest.mark.parametrize(
    ("groups", "found"),
    [
        ({"system": {"container": "docker"}}, True),
        ({"system": {"container": ""}}, False),
        ({"system": {"container": "docker"}, "drivers": {"nvidia": {"version": "580.95.05"}}}, False),
        ({"system": {"container": "docker"}, "torch": {"gpu_available": True}}, False),
    ],
)
def test_the_host_answers_and_the_container_finds_no_driver(
    examine: Examine, machine: Machine, groups: dict[str, Any], found: bool
) -> None:
    profile = machine(**{"drivers": LOADED, "symptoms": _seen("found-no-nvidia-driver"), **groups})
    assert ("container-no-gpu" in examine(profile)) == found


@pytest.mark.parametrize(
    ("ids", "drivers", "found"),
    [
        (("nvidia-module-unknown", "nvidia-smi-missing"), {}, True),
        (("nvidia-module-unknown",), {}, False),
        (("nvidia-module-unknown", "nvidia-smi-missing"), {"nvidia": {"version": "580.95.05"}}, False),
    ],
)
def test_neither_module_nor_program_of_the_driver(
    examine: Examine, machine: Machine, ids: tuple[str, ...], drivers: dict[str, Any], found: bool
) -> None:
    profile = machine(gpus=[CARDS["nvidia"]], drivers=drivers, symptoms=_seen(*ids))
    assert ("driver-missing" in examine(profile)) == found


@pytest.mark.parametrize("system", [{"container": "docker"}, {"wsl": 2}])
def test_where_the_host_has_the_driver_its_module_is_not_looked_for(
    examine: Examine, machine: Machine, system: dict[str, Any]
) -> None:
    symptoms = _seen("nvidia-module-unknown", "nvidia-smi-missing")
    profile = machine(gpus=[CARDS["nvidia"]], drivers={}, symptoms=symptoms)
    assert "driver-missing" in examine(profile)
    assert "driver-missing" not in examine(
        machine(gpus=[CARDS["nvidia"]], drivers={}, symptoms=symptoms, system=system)
    )


@pytest.mark.parametrize(
    ("variant", "gpus", "id"),
    [("xpu", None, "xpu-permission"), ("rocm6.4", None, "rocm-permission"), ("xpu", [CARDS["nvidia"]], None), ("cpu", None, None)],
)  # fmt: skip
def test_the_build_says_whose_gpu_root_sees(
    examine: Examine, machine: Machine, variant: str, gpus: list[dict[str, str]] | None, id: str | None
) -> None:
    profile = machine(
        gpus=gpus,
        drivers={},
        packages={"torch": f"2.8.0+{variant}"},
        torch={"gpu_available": False},
        symptoms=_seen("root-available-true"),
    )
    found = {i for i in ("rocm-permission", "xpu-permission") if i in examine(profile)}
    assert found == ({id} if id else set())


@pytest.mark.parametrize(("container", "found"), [("docker", True), ("kubernetes", True), ("", False)])
def test_the_report_says_that_the_host_sees_its_gpu(
    examine: Examine, machine: Machine, container: str, found: bool
) -> None:
    profile = machine(
        drivers={}, system={"container": container}, symptoms=_seen("found-no-nvidia-driver", "host-driver-works")
    )
    assert ("container-no-gpu" in examine(profile)) is found


@pytest.mark.parametrize(
    ("ids", "groups", "found"),
    [
        (("nvidia-nodes-looked-for",), {"system": {"container": "kubernetes"}}, True),
        ((), {"system": {"container": "kubernetes"}}, False),
        (("nvidia-nodes-looked-for",), {"system": {"container": ""}}, False),
        (("nvidia-nodes-looked-for",), {"system": {"container": "docker", "wsl": 2}}, False),  # /dev/dxg is its node
        (("nvidia-nodes-looked-for",), {"system": {"container": "docker"}, "torch": {"gpu_available": True}}, False),
        (("nvidia-nodes-looked-for",), {"system": {"container": "docker"}, "torch": {"variant": "cpu"}}, False),
    ],
)
def test_a_container_without_the_nodes_that_were_looked_for(
    examine: Examine, ids: tuple[str, ...], groups: dict[str, Any], found: bool
) -> None:
    torch = {"version": "2.7.0", "variant": "cu126", "gpu_available": False, **groups.get("torch", {})}
    profile = {"system": {"os": "linux", **groups["system"]}, "torch": torch, "symptoms": _seen(*ids)}
    assert ("container-no-gpu" in examine(profile)) is found


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("line 2: 01:00.0 VGA compatible controller: NVIDIA Corporation GA104 [GeForce RTX 3070] (rev a1)", True),
        ("line 2: GPU: GeForce RTX 3070", False),
    ],
)
def test_a_card_on_the_bus_without_its_number(examine: Examine, source: str, found: bool) -> None:
    profile = {
        "system": {"os": "linux", "container": ""},
        "gpus": [{"vendor": "nvidia", "name": "GeForce RTX 3070"}],
        "symptoms": _seen("nvidia-module-unknown", "nvidia-smi-not-found"),
    }
    assert ("driver-missing" in examine(profile, sources={"gpus[0]": source})) is found
