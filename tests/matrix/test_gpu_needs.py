from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from torchdoctor.matrix.catalog import Build, Catalog
from torchdoctor.matrix.gpu_needs import accelerated_gpus, assumed_vendors, gpu_outcomes
from torchdoctor.matrix.infer import infer
from torchdoctor.matrix.outcome import Outcome
from torchdoctor.probes.facts import Facts
from torchdoctor.probes.profile import facts_from_mapping

Machine = Callable[..., Facts]
Asked = Callable[..., list[Outcome]]


@pytest.fixture
def asked(catalog: Catalog) -> Asked:
    def answer(version: str, variant: str, facts: Facts, platform: str = "linux_x86_64", **how: Any) -> list[Outcome]:
        release = catalog.release(version)
        assert release is not None
        build = release.build(variant, platform)
        assert build is not None
        return list(gpu_outcomes(release, build, infer(facts), **how))

    return answer


def _short(outcomes: list[Outcome]) -> list[tuple[str, str, int | None]]:
    return [(o.status, o.id, o.gpu) for o in outcomes]


def test_integrated_graphics_count_only_alone(machine: Machine) -> None:
    assert [i for i, _ in accelerated_gpus(machine("renoir", "7900"), "amd")] == [1]
    assert [i for i, _ in accelerated_gpus(machine("4090", "renoir"), "amd")] == [1]
    assert accelerated_gpus(machine("4090"), "amd") == ()
    assert accelerated_gpus(Facts(), "amd") == ()


@pytest.mark.parametrize(
    ("profile", "vendors"),
    [
        ({"drivers": {"nvidia": {"version": "580.95.05"}}}, ("nvidia",)),
        ({"drivers": {"nvidia": {"cuda": "12.4"}}}, ("nvidia",)),
        ({"system": {"jetson": "36.4.3"}}, ("nvidia",)),
        ({"drivers": {"amdgpu": {"version": "6.12.12"}}}, ("amd",)),
        ({"drivers": {"nvidia": {"version": ""}}}, ()),
        # a list of GPUs, even an empty one, says more than a driver
        ({"drivers": {"nvidia": {"version": "580.95.05"}}, "gpus": []}, ()),
        ({}, ()),
    ],
)
def test_a_driver_stands_for_gpus_nobody_listed(profile: dict[str, Any], vendors: tuple[str, ...]) -> None:
    assert assumed_vendors(facts_from_mapping(profile)) == vendors


@pytest.mark.parametrize(
    ("variant", "driver", "os", "floor"),
    [
        ("cu132", "580.65.06", "linux", None),
        ("cu132", "575.64.03", "linux", "580"),
        ("cu126", "525.60.13", "linux", None),
        ("cu126", "525.60.11", "linux", "525.60.13"),
    ],
)
def test_the_floor_of_a_toolkit(
    asked: Asked, machine: Machine, variant: str, driver: str, os: str, floor: str | None
) -> None:
    outcomes = asked("2.14.1", variant, machine("4090", driver=driver, os=os))
    assert [(o.id, o.value) for o in outcomes if o.status == "failed"] == ([("driver-too-old", floor)] if floor else [])


def test_a_driver_told_by_its_cuda_version_alone(asked: Asked, machine: Machine) -> None:
    def facts(cuda: str) -> Facts:
        return machine("4090", drivers={"nvidia": {"cuda": cuda}})

    (driver, code) = asked("2.14.1", "cu132", facts("12.8"))
    assert (driver.id, driver.facts, code.status) == ("driver-too-old", ("drivers.nvidia.cuda",), "met")
    assert _short(asked("2.14.1", "cu132", facts("13.0"))) == [("met", "", None), ("met", "", 0)]


def test_no_driver_known_is_no_driver_too_old(asked: Asked, machine: Machine) -> None:
    unknown, code = asked("2.14.1", "cu132", machine("4090"))
    assert (unknown.status, unknown.facts) == ("unknown", ("drivers.nvidia.version",))
    assert code.status == "met"
    # Where it is known to be missing, the advice is for after it is installed.
    gone = machine("4090", drivers={"nvidia": {"version": "", "installed": False}})
    assert _short(asked("2.14.1", "cu132", gone)) == [("met", "", 0)]


def test_a_chip_newer_than_its_driver(asked: Asked, machine: Machine) -> None:
    driver, code = asked("2.7.1", "cu128", machine("5090", driver="550.54.14"))
    assert driver.id == "driver-too-old"
    assert "gpus[0].compute_capability" in driver.facts
    assert code.status == "met"


def test_the_drivers_user_space_may_be_newer_than_the_driver(asked: Asked, machine: Machine) -> None:
    old = machine("4090", driver="550.54.14", drivers={"nvidia": {"version": "550.54.14", "library": "580.65.06"}})
    assert _short(asked("2.14.1", "cu126", old))[0][0] == "met"


def test_wsl_is_held_to_the_drivers_of_windows(asked: Asked, machine: Machine) -> None:
    bare = asked("2.14.1", "cu126", machine("4090", driver="526.00"))
    wsl = asked("2.14.1", "cu126", machine("4090", driver="526.00", system={"wsl": 2}))
    assert [o.id for o in bare if o.status == "failed"] == []
    assert [(o.id, o.value) for o in wsl if o.status == "failed"] == [("driver-too-old", "528.33")]


@pytest.mark.parametrize(
    ("gpu", "version", "variant", "platform", "id"),
    [
        ("1080", "2.14.1", "cu126", "linux_x86_64", ""),  # 6.1 runs the code of 6.0
        ("1080", "2.14.1", "cu132", "linux_x86_64", "gpu-below-minimum"),
        ("5090", "2.5.1", "cu124", "linux_x86_64", "gpu-newer-than-wheel"),
        ("t4g", "2.14.1", "cu132", "linux_aarch64", "gpu-arch-missing"),  # x86 wheels of it carry 7.5
    ],
)
def test_code_for_the_chip(
    asked: Asked, machine: Machine, gpu: str, version: str, variant: str, platform: str, id: str
) -> None:
    arch = platform.removeprefix("linux_")
    outcomes = asked(version, variant, machine(gpu, driver="610.43.02", arch=arch), platform)
    assert [o.id for o in outcomes if o.gpu == 0] == [id]


def test_a_gpu_nobody_can_place_is_unknown(asked: Asked, machine: Machine) -> None:
    odd = machine(driver="580.95.05", gpus=[{"vendor": "nvidia", "name": "Graphics Device"}])
    (code,) = [o for o in asked("2.14.1", "cu132", odd) if o.gpu == 0]
    assert (code.status, code.facts) == ("unknown", ("gpus[0].compute_capability",))
    odd = machine(gpus=[{"vendor": "amd", "name": "AMD Radeon Graphics"}])
    (code,) = asked("2.14.1", "rocm7.2", odd)
    assert (code.status, code.facts) == ("unknown", ("gpus[0].gfx",))


@pytest.mark.parametrize(
    ("gpu", "variant", "environment", "status"),
    [
        ("7900", "rocm7.2", {}, "met"),
        ("580", "rocm7.2", {}, "failed"),
        ("mi250", "rocm7.2", {}, "met"),
        ("mi250", "rocm7.14", {}, "unknown"),  # built, never tested
        ("780m", "rocm7.2", {"HSA_OVERRIDE_GFX_VERSION": "11.0.0"}, "met"),
        ("renoir", "rocm7.2", {}, "failed"),
    ],
)
def test_code_for_a_gfx_target(
    asked: Asked, machine: Machine, gpu: str, variant: str, environment: dict[str, str], status: str
) -> None:
    (outcome,) = asked("2.14.1", variant, machine(gpu, environment=environment))
    assert outcome.status == status
    assert outcome.id == ("gfx-unsupported" if status == "failed" else "")


def test_a_build_whose_code_is_not_listed_is_unknown(catalog: Catalog, machine: Machine) -> None:
    release = catalog.release("2.14.1")
    assert release is not None
    build = Build(torch="2.14.1", variant="rocm7.2", platform="linux_x86_64")
    (outcome,) = gpu_outcomes(release, build, infer(machine("7900")))
    assert (outcome.status, outcome.facts) == ("unknown", ("matrix: kernels of rocm7.2 in 2.14.1",))


@pytest.mark.parametrize(("gpu", "status"), [("b580", "met"), ("uhd", "failed")])
def test_the_xpu_builds_name_their_devices(asked: Asked, machine: Machine, gpu: str, status: str) -> None:
    (outcome,) = asked("2.15.0", "xpu", machine(gpu))
    assert (outcome.status, outcome.id) == (status, "xpu-gpu-unsupported" if status == "failed" else "")


def test_a_device_the_xpu_builds_serve_on_linux_only(catalog: Catalog, machine: Machine) -> None:
    card = {"vendor": "intel", "name": "Intel Data Center GPU Max 1550", "pci_id": "8086:0bd5", "integrated": False}
    release = catalog.release("2.15.0")
    assert release is not None
    found = {}
    for platform in ("linux_x86_64", "windows_amd64"):
        build = release.build("xpu", platform)
        assert build is not None
        (found[platform],) = (o.status for o in gpu_outcomes(release, build, infer(machine(gpus=[card]))))
    assert found == {"linux_x86_64": "met", "windows_amd64": "failed"}


def test_a_jetson_of_jetpack_6_takes_no_stock_wheel(asked: Asked, machine: Machine) -> None:
    board = machine("orin", arch="aarch64", system={"jetson": "36.4.3"})
    assert "jetson-needs-vendor-wheel" in [o.id for o in asked("2.14.1", "cu126", board, "linux_aarch64")]
    unlisted = board.replace(gpus=None)
    assert [o.id for o in asked("2.14.1", "cu126", unlisted, "linux_aarch64")] == ["jetson-needs-vendor-wheel"]


def test_only_the_gpus_asked_about_are_judged(asked: Asked, machine: Machine) -> None:
    both = machine("4090", "1080", driver="580.95.05")
    assert [o.gpu for o in asked("2.14.1", "cu132", both) if o.gpu is not None] == [0, 1]
    assert [(o.gpu, o.id) for o in asked("2.14.1", "cu132", both, gpus=(0,)) if o.gpu is not None] == [(0, "")]
    assert asked("2.14.1", "cu132", machine("7900")) == []
