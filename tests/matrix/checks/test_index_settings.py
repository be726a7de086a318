from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from torchdoctor.matrix.checks._leads import index_variant, shut_out, source_index
from torchdoctor.probes.profile import facts_from_mapping

Examine = Callable[..., Any]
Machine = Callable[..., dict[str, Any]]

WHL = "https://download.pytorch.org/whl"
AMD = [{"vendor": "amd", "name": "AMD Radeon RX 7900 XTX", "gfx": "gfx1100", "integrated": False}]


def _setting(key: str, value: str, file: str = "/etc/pip.conf", line: int | None = 2) -> dict[str, Any]:
    return {"file": file, "line": line, "key": key, "value": value}


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        (
            "index-url",
            f"{WHL}/cpu",
            "/etc/pip.conf, line 2 (index-url) makes pip take CPU builds; recommended here is cu132.",
        ),
        ("extra-index-url", f"{WHL}/cpu", "/etc/pip.conf, line 2 (extra-index-url) makes pip take CPU builds"),
        ("extra-index-url", f"{WHL}/rocm7.2/", "makes pip take rocm7.2 builds, which are for other GPUs"),
        ("extra-index-url", f"{WHL}/nightly/cpu", "makes pip take CPU builds"),
        ("tool.uv.torch-backend", "cpu", "makes uv take CPU builds"),
        ("no-index", "true", None),
    ],
)
def test_a_setting_that_leads_elsewhere(
    examine: Examine, machine: Machine, key: str, value: str, words: str | None
) -> None:
    found = examine(machine(settings=[_setting(key, value)]))["index-configuration"]
    assert found.severity == "warning"
    assert words is None or words in found.detail
    assert found.evidence[0].value == f"{key} = {value}"
    assert found.evidence[0].source == "/etc/pip.conf:2"


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("index-url", "https://mirror.example/simple"),
        ("index-url", f"{WHL}/cu132"),
        ("extra-index-url", f"{WHL}/cu126"),  # runs here as well
        ("UV_TORCH_BACKEND", "auto"),
        ("UV_TORCH_BACKEND", "not a variant"),
        ("constraint", "torch<=2.15.0"),
        ("constraint", "torchvision<0.20"),
        ("constraint", "torch<2.0; sys_platform == 'win32'"),
        ("constraint", "torch ?? 1"),
        ("no-index", "false"),
        ("UV_CUDA_DRIVER_VERSION", "580.65.06"),
    ],
)
def test_settings_that_are_in_nobodys_way(examine: Examine, machine: Machine, key: str, value: str) -> None:
    assert "index-configuration" not in examine(machine(settings=[_setting(key, value)]))


def test_an_index_this_machine_cannot_use(examine: Examine, machine: Machine) -> None:
    old = machine(
        drivers={"nvidia": {"version": "535.183.01", "cuda": "12.2"}}, settings=[_setting("index-url", f"{WHL}/cu132")]
    )
    assert "index-configuration" not in examine(old)  # the command names its own index, which replaces this one
    backend = machine(
        drivers={"nvidia": {"version": "535.183.01"}},
        settings=[_setting("UV_TORCH_BACKEND", "cu132", "environment", None)],
    )
    found = examine(backend)["index-configuration"]
    assert found.detail.startswith(
        "the variable UV_TORCH_BACKEND makes uv take cu132 builds, which this machine cannot use"
    )


def test_an_extra_index_counts_only_where_its_builds_sort_above(examine: Examine, machine: Machine) -> None:
    drivers = {"nvidia": {"version": "535.183.01"}}  # recommended with --index-url …/cu126
    assert "index-configuration" not in examine(
        machine(drivers=drivers, settings=[_setting("extra-index-url", f"{WHL}/cpu")])
    )
    assert "index-configuration" in examine(
        machine(drivers=drivers, settings=[_setting("extra-index-url", f"{WHL}/rocm7.2")])
    )


def test_a_cuda_index_on_amd(examine: Examine, machine: Machine) -> None:
    found = examine(
        machine(gpus=AMD, drivers={}, settings=[_setting("UV_TORCH_BACKEND", "cu126", "environment", None)])
    )
    assert "which are for other GPUs" in found["index-configuration"].detail


def test_no_gpu_no_complaint(examine: Examine, machine: Machine) -> None:
    assert "index-configuration" not in examine(
        machine(gpus=[], drivers={}, settings=[_setting("index-url", f"{WHL}/cu132")])
    )


def test_the_right_build_is_there_so_it_is_a_note(examine: Examine, machine: Machine) -> None:
    settings = [_setting("extra-index-url", f"{WHL}/cpu"), _setting("constraint", "torch<2.15", "/c.txt", 4)]
    for variant in (None, "auto"):
        found = examine(machine(packages={"torch": "2.14.1+cu130"}, settings=settings), variant=variant)
        assert found["index-configuration"].severity == "note"
    wrong = examine(machine(packages={"torch": "2.14.1+cpu"}, settings=settings))["index-configuration"]
    assert wrong.severity == "warning"


def test_all_settings_in_the_way_are_named(examine: Examine, machine: Machine) -> None:
    settings = [
        _setting("extra-index-url", f"{WHL}/cpu"),
        _setting("constraint", "torch<=2.14.1", "/etc/limits.txt", 3),
        _setting("UV_CUDA_DRIVER_VERSION", "450.80.02", "environment", None),
    ]
    found = examine(machine(settings=settings))["index-configuration"]
    assert "/etc/limits.txt, line 3 (constraint) allows torch<=2.14.1 only; recommended here is 2.15.0" in found.detail
    assert "says 450.80.02, the driver is 580.95.05" in found.detail
    assert [e.fact for e in found.evidence] == ["settings[0]", "settings[1]", "settings[2]"]
    assert len(found.fix) == 3


@pytest.mark.parametrize(
    ("key", "value", "gpus", "real"),
    [
        ("NV_VARIANT_PROVIDER_FORCE_CUDA_DRIVER_VERSION", "12.8", None, "the driver speaks CUDA 13.0"),
        ("NV_VARIANT_PROVIDER_FORCE_SM_ARCH", "12_0", None, "the GPU is 8.9"),
        ("UV_AMD_GPU_ARCHITECTURE", "gfx942", AMD, "the GPU is gfx1100"),
    ],
)
def test_pretended_hardware(
    examine: Examine, machine: Machine, key: str, value: str, gpus: list[dict[str, Any]] | None, real: str
) -> None:
    profile = machine(settings=[_setting(key, value, "environment", None)], **({"gpus": gpus} if gpus else {}))
    assert real in examine(profile)["index-configuration"].detail


SOURCE = '[ { index = "pytorch-cu128", marker = "sys_platform == \'linux\'" } ]'


def test_a_source_for_another_system(examine: Examine, machine: Machine) -> None:
    settings = [
        _setting("tool.uv.sources.torch", SOURCE, "pyproject.toml", 7),
        _setting("tool.uv.index.pytorch-cu128", f"{WHL}/cu128", "pyproject.toml", 10),
    ]
    windows = machine(system={"os": "windows", "name": "Windows", "version": "11"}, settings=settings)
    assert "names no index for this system" in examine(windows)["index-configuration"].detail
    assert "index-configuration" not in examine(machine(settings=settings))


@pytest.mark.parametrize("pasted", [False, True])
def test_an_explicit_index_that_torch_is_not_taken_from(examine: Examine, machine: Machine, pasted: bool) -> None:
    settings = [
        _setting("tool.uv.index.url", f"torch-gpu {WHL}/cu128", "pyproject.toml", 8),
        _setting("tool.uv.index.explicit", "torch-gpu true", "pyproject.toml", 9),
    ]
    if not pasted:
        settings = [
            _setting("tool.uv.index.torch-gpu", f"{WHL}/cu128", "pyproject.toml", 8),
            _setting("tool.uv.index.torch-gpu.explicit", "true", "pyproject.toml", 9),
        ]
    windows = {"os": "windows", "name": "Windows", "version": "11"}
    cpu = {"version": "2.9.1", "variant": "cpu", "gpu_available": False}
    found = examine(machine(system=windows, settings=settings, torch=cpu))["index-configuration"]
    assert "torch-gpu" in found.detail and found.fix == ('[tool.uv.sources] torch = { index = "torch-gpu" }',)
    # a file is whole, a paste may leave out what takes torch from there
    assert ("index-configuration" in examine(machine(system=windows, settings=settings))) is not pasted
    source = _setting("tool.uv.sources.torch", '{ index = "torch-gpu" }', "pyproject.toml", 12)
    assert "index-configuration" not in examine(machine(system=windows, settings=[*settings, source]))
    assert "index-configuration" not in examine(machine(system=windows, settings=settings, gpus=[], torch={}))


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("project.dependencies", "torch+cpu>=2.6"),
        ("requirement", "torch+cu126==2.6.0"),
    ],
)
def test_a_variant_in_the_name(examine: Examine, machine: Machine, key: str, value: str) -> None:
    found = examine(machine(settings=[_setting(key, value, "pyproject.toml", 4)]))["index-configuration"]
    assert found.severity == "blocker"
    assert repr(value.split(">")[0].split("=")[0]) in found.detail


def test_macos_wheels_carry_no_suffix(examine: Examine, machine: Machine) -> None:
    mac = {"os": "macos", "name": "macOS", "version": "15.1", "machine": "aarch64"}
    settings = [
        _setting(
            "tool.poetry.dependencies.torch", '{ version = "^2.5.1+cpu", source = "pytorch-cpu" }', "pyproject.toml", 3
        )
    ]
    apple = [{"vendor": "apple", "name": "Apple M3", "integrated": True}]
    assert (
        "macOS wheels carry no such suffix"
        in examine(machine(system=mac, gpus=apple, settings=settings))["index-configuration"].detail
    )
    assert "index-configuration" not in examine(machine(settings=settings, gpus=[], drivers={}))


def test_a_lock_without_wheels_for_this_system(examine: Examine, machine: Machine) -> None:
    settings = [_setting("locked.platforms", "macosx_11_0_arm64", "uv.lock", 9)]
    found = examine(machine(settings=settings))["index-configuration"]
    assert found.severity == "blocker"
    assert "uv.lock, line 9 (locked.platforms) holds wheels of torch for macosx_11_0_arm64 only" in found.detail
    both = [*settings, _setting("locked.platforms", "linux_x86_64 win_amd64", "uv.lock", 20)]
    assert "index-configuration" not in examine(machine(settings=both))


def test_nothing_is_said_where_no_settings_are_known(examine: Examine, machine: Machine) -> None:
    assert "index-configuration" not in examine(machine())


@pytest.mark.parametrize(
    ("url", "variant"),
    [
        (f"{WHL}/cu124", "cu124"),
        (f"{WHL}/cu124/torch/", "cu124"),
        (f"{WHL}/nightly/rocm6.4", "rocm6.4"),
        (f"x {WHL}/cpu y", "cpu"),
        ("https://mirror.example/whl/cu124x", None),
        ("https://mirror.example/simple", None),
        (None, None),
    ],
)
def test_the_variant_of_an_index(url: str | None, variant: str | None) -> None:
    assert index_variant(url) == variant


def test_sources_are_answered_for_the_judged_machine() -> None:
    linux = facts_from_mapping({"system": {"os": "linux", "machine": "x86_64"}})
    windows = facts_from_mapping({"system": {"os": "windows", "machine": "x86_64"}})
    assert source_index(SOURCE, linux) == "pytorch-cu128"
    assert source_index(SOURCE, windows) is None
    assert shut_out(SOURCE, windows) and not shut_out(SOURCE, linux)
    assert not shut_out(SOURCE, facts_from_mapping({}))
    assert source_index('{ index = "x" }', windows) == "x"
