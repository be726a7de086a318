"""What torch and its runtimes said of a GPU: which code is missing, and where that lies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from torchdoctor.matrix.verdict import Finding

Examine = Callable[..., dict[str, Finding]]


def _seen(*ids: str, text: str = "the text", **groups: Any) -> dict[str, Any]:
    return {"symptoms": [{"id": id, "text": text, "line": 7} for id in ids], **groups}


def _gpu(cc: str, name: str = "a card") -> dict[str, Any]:
    return {"vendor": "nvidia", "name": name, "compute_capability": cc}


@pytest.mark.parametrize(
    ("cc", "kernels", "id"),
    [
        ("12.0", ["sm_50", "sm_90"], "gpu-newer-than-wheel"),
        ("6.1", ["sm_75", "sm_90", "sm_120"], "gpu-below-minimum"),
        ("11.0", ["sm_80", "sm_90", "sm_100", "sm_120"], "gpu-arch-missing"),
        ("8.0", ["sm_37", "sm_75", "compute_37"], "gpu-newer-than-wheel"),
        ("12.1", ["sm_80", "sm_120"], None),
        ("8.9", ["sm_80", "sm_86"], None),
    ],
)
def test_the_warning_and_its_list(examine: Examine, cc: str, kernels: list[str], id: str | None) -> None:
    found = examine(
        _seen(
            "torch-gpu-incompatible",
            gpus=[_gpu(cc)],
            torch={"kernels": kernels},
            system={"os": "linux", "machine": "x86_64"},
        )
    )
    three = {"gpu-newer-than-wheel", "gpu-below-minimum", "gpu-arch-missing"}
    assert three & set(found) == ({id} if id else set())


@pytest.mark.parametrize(
    ("cc", "id"), [("6.1", "gpu-below-minimum"), ("12.1", None), ("8.9", None), ("13.0", "gpu-newer-than-wheel")]
)
def test_the_warning_and_its_bounds(examine: Examine, cc: str, id: str | None) -> None:
    profile = _seen("torch-gpu-warning", "torch-capability-range", text="(7.0) - (12.0)", gpus=[_gpu(cc)])
    assert {"gpu-newer-than-wheel", "gpu-below-minimum"} & set(examine(profile)) == ({id} if id else set())


@pytest.mark.parametrize(
    ("gpus", "torch", "ids"),
    [
        (["5.0"], {}, {"gpu-below-minimum"}),
        (["12.0"], {}, {"gpu-newer-than-wheel"}),
        (["8.6"], {}, set()),  # may be another package's kernel
        (["7.5", "6.1"], {"version": "1.5.0"}, set()),
        (["3.7", "3.5"], {"version": "1.3.1"}, {"gpu-below-minimum", "mixed-gpu-generations"}),
        (["6.1"], {"version": "1.8.0"}, set()),
    ],
)
def test_no_kernel_image(examine: Examine, gpus: list[str], torch: dict[str, Any], ids: set[str]) -> None:
    found = examine(_seen("no-kernel-image", gpus=[_gpu(cc) for cc in gpus], torch=torch))
    assert {"gpu-below-minimum", "gpu-newer-than-wheel", "mixed-gpu-generations"} & set(found) == ids


def test_a_card_no_wheel_carries_on_this_architecture_lies_in_the_hardware(examine: Examine) -> None:
    profile = _seen(
        "torch-gpu-incompatible",
        gpus=[_gpu("7.5", "NVIDIA T4G")],
        torch={"kernels": ["sm_80", "sm_90"]},
        system={"os": "linux", "machine": "aarch64"},
    )
    assert examine(profile)["gpu-arch-missing"].lies_in == "hardware"  # on x86-64 that build has it
    assert "gpu-below-minimum" not in examine(profile)
    profile["system"]["machine"] = "x86_64"
    assert examine(profile)["gpu-below-minimum"].lies_in == "packages"


def test_two_interpreters(examine: Examine) -> None:
    profile = _seen(
        "torch-gpu-incompatible",
        gpus=[_gpu("12.0", "RTX 5090")],
        torch={"version": "2.7.0+cu128", "variant": "cu128", "kernels": ["sm_37", "sm_90"]},
        system={"os": "windows", "machine": "x86_64"},
    )
    assert "wrong-interpreter" in examine(profile)
    profile["torch"] = {"version": "2.6.0+cu124", "variant": "cu124", "kernels": ["sm_50", "sm_90"]}
    assert "wrong-interpreter" not in examine(profile)


def test_before_cuda_11_there_is_no_minor_version_compatibility(examine: Examine) -> None:
    torch = {"version": "1.5.0", "variant": "cu102", "gpu_available": False}
    assert "driver-too-old" in examine({"torch": torch, "drivers": {"nvidia": {"version": "410.104", "cuda": "10.0"}}})
    assert "driver-too-old" not in examine(
        {"torch": torch, "drivers": {"nvidia": {"version": "440.33", "cuda": "10.2"}}}
    )
    assert "driver-too-old" not in examine(
        {"torch": {**torch, "gpu_available": True}, "drivers": {"nvidia": {"cuda": "10.0"}}}
    )


@pytest.mark.parametrize(
    ("gfx", "environment", "lies_in", "first"),
    [
        ("gfx1032", {}, "environment", "try HSA_OVERRIDE_GFX_VERSION=10.3.0"),
        ("gfx1032", {"HSA_OVERRIDE_GFX_VERSION": "10.3.0"}, "hardware", "no published build"),
        ("gfx803", {}, "hardware", "no published build"),
    ],
)
def test_a_generation_whose_code_another_chip_may_run(
    examine: Examine, gfx: str, environment: dict[str, str], lies_in: str, first: str
) -> None:
    card = {"vendor": "amd", "name": "a Radeon", "gfx": gfx}
    found = examine(_seen("tensile-missing", gpus=[card], environment=environment))["gfx-unsupported"]
    assert found.lies_in == lies_in
    assert found.fix[0].startswith(first)


def test_hip_without_code(examine: Examine) -> None:
    amd = {"vendor": "amd", "name": "AMD Radeon RX 7600", "gfx": "gfx1102"}
    assert examine(_seen("hip-invalid-function", gpus=[amd]))["gfx-unsupported"].lies_in == "packages"
    assert (
        examine(_seen("hip-invalid-device", gpus=[{"vendor": "amd", "name": "AMD Renoir", "gfx": "gfx90c"}]))[
            "gfx-unsupported"
        ].lies_in
        == "hardware"
    )
    covered = _seen("hip-invalid-function", gpus=[amd], torch={"version": "2.9.0+rocm6.4", "kernels": ["gfx1102"]})
    assert "gfx-unsupported" not in examine(covered)
    two = _seen("hip-invalid-function", gpus=[amd, {"vendor": "amd", "gfx": "gfx1036", "integrated": True}])
    assert "gfx-unsupported" not in examine(two)


@pytest.mark.parametrize(("version", "id"), [("12.7.6", "macos-too-old"), ("26.3.1", None)])
def test_metal_by_the_releases_own_minimum(examine: Examine, version: str, id: str | None) -> None:
    profile = _seen(
        "mps-backend-supported-on", "mps-not-available", text="The MPS backend is supported on MacOS 12.3+.",
        system={"os": "macos", "version": version, "machine": "aarch64"}, torch={"version": "2.5.1", "gpu_available": False},
    )  # fmt: skip
    assert ("macos-too-old" in examine(profile)) is (id is not None)


@pytest.mark.parametrize(
    ("cc", "version", "variant", "system", "id"),
    [
        ("12.0", "2.6.0", "cu126", {}, "gpu-newer-than-wheel"),
        ("8.9", "2.6.0", "cu126", {}, None),
        ("6.1", "2.8.0", "cu128", {}, None),  # the build for Windows has it
        ("6.0", "2.8.0", "cu128", {}, "gpu-below-minimum"),
    ],
)
def test_a_build_that_serves_the_card_on_no_system(
    examine: Examine, cc: str, version: str, variant: str, system: dict[str, Any], id: str | None
) -> None:
    found = examine({"torch": {"version": version, "variant": variant}, "gpus": [_gpu(cc)], "system": system})
    assert {"gpu-newer-than-wheel", "gpu-below-minimum", "gpu-arch-missing"} & set(found) == ({id} if id else set())


@pytest.mark.parametrize(("ids", "severity"), [((), "warning"), (("no-kernel-image",), "blocker")])
def test_a_card_without_code_beside_one_that_is_served(examine: Examine, ids: tuple[str, ...], severity: str) -> None:
    gpus = [{"vendor": "nvidia", "name": f"GPU {cc}", "compute_capability": cc} for cc in ("12.0", "6.1")]
    found = examine(_seen(*ids, gpus=gpus, torch={"version": "2.10.0", "variant": "cu130"}))
    assert found["gpu-below-minimum"].severity == severity
    assert "6.1" in found["gpu-below-minimum"].detail
