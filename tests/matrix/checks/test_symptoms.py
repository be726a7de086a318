"""Findings that an error text proves: each rule fires on its text, names it, and keeps still where something speaks against it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from torchdoctor.matrix.checks.symptoms import PROOFS
from torchdoctor.matrix.verdict import Finding

Examine = Callable[..., dict[str, Finding]]
Machine = Callable[..., dict[str, Any]]


def _seen(*ids: str, text: str = "the text", **groups: Any) -> dict[str, Any]:
    return {"symptoms": [{"id": id, "text": text, "line": 7} for id in ids], **groups}


_NEEDS: dict[str, dict[str, Any]] = {
    "windows-runtime-missing": _seen("winerror-126", text=r"Error loading C:\x\torch\lib\fbgemm.dll"),
    "downstream-arch-missing": _seen("bnb-library-missing", text="libbitsandbytes_cuda121_nocublaslt.so"),
    "libcuda-not-found": _seen("libcuda-not-found", system={"os": "linux", "wsl": 2}),
    "mps-not-built": _seen("mps-not-built", system={"os": "macos", "machine": "aarch64"}, cpu={"model": "Apple M1"}),
    "nvidia-smi-not-found": _seen(
        "nvidia-smi-not-found",
        system={"os": "linux"},
        torch={"version": "2.6.0+cu124", "gpu_available": False},
        gpus=[{"vendor": "nvidia", "name": "GeForce RTX 3060", "pci_id": "10de:2503"}],
    ),
}


@pytest.mark.parametrize("proof", PROOFS, ids=lambda p: f"{p.finding} {p.symptoms[0]}")
def test_each_rule_fires_and_names_the_line(examine: Examine, proof: Any) -> None:
    profile = _NEEDS.get(proof.finding) or _NEEDS.get(proof.symptoms[0]) or _seen(proof.symptoms[0])
    if proof.symptoms == ("found-no-nvidia-driver",):
        profile = _seen("found-no-nvidia-driver", "docker-run-without-gpu")
    found = examine(profile)[proof.finding]
    assert found.severity == "blocker"
    assert any(e.fact.startswith("symptoms[") for e in found.evidence)
    assert found.fix and found.detail


@pytest.mark.parametrize(
    ("profile", "id"),
    [
        (_seen("cuda-error-802", torch={"version": "2.9.0+cu130", "gpu_available": True}), "fabric-manager-not-ready"),
        (_seen("driver-too-old-text", torch={"version": "2.9.0+cu130", "gpu_available": True}), "driver-too-old"),
        (_seen("nvidia-smi-failed", system={"os": "linux", "container": "docker"}), "driver-not-loaded"),
        (_seen("nvidia-smi-failed", system={"os": "linux", "wsl": 2}), "driver-not-loaded"),
        (_seen("bus-error-worker", resources={"shm": 254 * 2**30}), "shm-too-small"),
        (_seen("found-no-nvidia-driver"), "container-no-gpu"),
        (_seen("winerror-1114", text="Error loading torch\\lib\\cublas64_11.dll"), "windows-runtime-missing"),
        (_seen("bnb-library-missing", text="libbitsandbytes_cuda121.so"), "downstream-arch-missing"),
    ],
)
def test_what_speaks_against_a_rule(examine: Examine, profile: dict[str, Any], id: str) -> None:
    assert id not in examine(profile)


def test_a_driver_before_cuda_11_has_no_wheel_as_its_cure(examine: Examine) -> None:
    old = examine(_seen("driver-too-old-text", drivers={"nvidia": {"cuda": "10.2"}}))["driver-too-old"]
    new = examine(_seen("driver-too-old-text", drivers={"nvidia": {"cuda": "12.2"}}))["driver-too-old"]
    assert (old.lies_in, new.lies_in) == ("system", "packages")


def test_missing_code_outweighs_missing_atomics(examine: Examine) -> None:
    amd = {"gpus": [{"vendor": "amd", "name": "Radeon VII", "gfx": "gfx906"}]}
    assert examine(_seen("pcie-atomics", **amd))["pcie-atomics-missing"].severity == "blocker"
    assert examine(_seen("pcie-atomics", "hip-invalid-function", **amd))["pcie-atomics-missing"].severity == "warning"


def test_nothing_seen_is_nothing_found(examine: Examine, machine: Machine) -> None:
    ids = {p.finding for p in PROOFS}
    assert not ids & {id for id, f in examine(machine()).items() if f.severity != "note"}


# ---- what torch said of a GPU


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
    assert examine(profile)["gpu-below-minimum"].lies_in == "hardware"
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


# ---- what an installer said


def _uv(package: str, index: str = "https://download.pytorch.org/whl/cu124") -> str:
    return f"error: Distribution `{package} @ registry+{index}` can't be installed because it doesn't have a source distribution"


def test_uv_took_the_plain_one(examine: Examine) -> None:
    profile: dict[str, Any] = {
        "symptoms": [
            {"id": "uv-no-wheel", "text": _uv("torch==2.5.1"), "line": 1},
            {
                "id": "uv-platform-hint",
                "text": "hint: You're on Windows (`win_amd64`), but `torch` (v2.5.1) only has wheels for `linux_aarch64`",
                "line": 2,
            },
        ],
        "system": {"os": "windows", "machine": "x86_64"},
        "request": {"torch": "2.5.1", "variant": "cu124", "index": "https://download.pytorch.org/whl/cu124"},
    }
    assert examine(profile)["index-configuration"].lies_in == "environment"
    del profile["symptoms"][1]  # without the hint the reason is not known
    assert "index-configuration" not in examine(profile)


@pytest.mark.parametrize(
    ("package", "libc", "found"),
    [
        ("markupsafe==3.0.2", "glibc", True),
        ("nvidia-cublas-cu12==12.4.5.8", "glibc", False),
        ("markupsafe==3.0.2", "musl", False),
    ],
)
def test_everything_was_taken_from_the_index_of_torch(examine: Examine, package: str, libc: str, found: bool) -> None:
    profile = _seen("uv-no-wheel-other", text=_uv(package), system={"os": "linux", "libc": libc})
    assert ("index-configuration" in examine(profile)) is found


def _pip(
    os: str | None, index: str | None, offered: list[str], torch: str = "2.4.0", variant: str | None = "cu121"
) -> dict[str, Any]:
    return _seen(
        "pip-no-version",
        system={"os": os},
        request={"torch": torch, "variant": variant, "index": index, "versions_offered": offered, "package": "torch"},
    )


@pytest.mark.parametrize(
    ("profile", "ids"),
    [
        (_pip("linux", None, ["2.3.1", "2.4.0"]), {"index-configuration"}),
        (_pip(None, None, ["2.3.1", "2.4.0"]), {"index-configuration"}),
        (_pip("macos", None, ["2.3.1", "2.4.0"]), {"no-wheel-for-platform"}),
        (
            _pip("linux", "https://download.pytorch.org/whl/torch_stable.html", ["2.3.1", "2.4.0"]),
            {"no-wheel-for-platform"},
        ),
        (_pip("linux", None, ["2.3.1", "2.4.0", "2.4.0+cpu"]), set()),
        (_pip("linux", None, ["2.3.1"]), set()),
    ],
)
def test_a_local_version_that_was_not_offered(examine: Examine, profile: dict[str, Any], ids: set[str]) -> None:
    assert {"index-configuration", "no-wheel-for-platform"} & set(examine(profile)) == ids


def test_the_default_index_serves_no_windows_on_arm(examine: Examine) -> None:
    profile = _seen(
        "pip-no-version",
        system={"os": "windows", "machine": "aarch64"},
        request={"versions_offered": [], "package": "torch"},
    )
    assert "no-wheel-for-platform" in examine(profile)
    profile["system"]["machine"] = "x86_64"
    assert "no-wheel-for-platform" not in examine(profile)


@pytest.mark.parametrize(
    ("platform", "machine", "libc", "id"),
    [
        ("manylinux_2_28_x86_64", "x86_64", "2.17", "glibc-too-old"),
        ("manylinux_2_28_x86_64", "x86_64", "2.31", None),
        ("linux_aarch64", "x86_64", "2.31", "no-wheel-for-platform"),
        ("linux_aarch64", None, None, None),
    ],
)
def test_a_refused_wheel(
    examine: Examine, platform: str, machine: str | None, libc: str | None, id: str | None
) -> None:
    found = examine(
        _seen(
            "wheel-refused",
            system={"os": "linux", "machine": machine, "libc_version": libc},
            request={"platform": platform},
        )
    )
    assert {"glibc-too-old", "no-wheel-for-platform"} & set(found) == ({id} if id else set())


def test_free_threaded(examine: Examine) -> None:
    python = {"version": "3.13.8", "free_threaded": True}
    companion = {"python": python, "request": {"package": "torchao", "versions_offered": []}}
    assert examine(companion)["free-threaded-unsupported"].about == "request"
    assert "free-threaded-unsupported" in examine(_seen("torch-c-folder", python=python))
    assert "free-threaded-unsupported" not in examine(
        _seen("torch-c-folder", python={"version": "3.13.8", "free_threaded": False})
    )


@pytest.mark.parametrize(("asked", "found"), [("2.6", True), ("2.5.1", False), ("2.4", False)])
def test_the_ended_channel(examine: Examine, asked: str, found: bool) -> None:
    assert (
        "conda-channel-ended" in examine(_seen("conda-not-found", "conda-pytorch-channel", request={"torch": asked}))
    ) is found


@pytest.mark.parametrize(
    ("line", "id"),
    [
        (
            "torch 2.6.0+xpu requires intel-sycl-rt==2025.0.2, but you have intel-sycl-rt 2025.0.4",
            "xpu-oneapi-conflict",
        ),
        ("torch 2.6.0 requires triton==3.2.0, but you have triton 3.3.0", "companion-mismatch"),
        ("torch 2.6.0 requires sympy==1.13.1, but you have sympy 1.12", None),
    ],
)
def test_what_torch_itself_requires(examine: Examine, line: str, id: str | None) -> None:
    assert {"xpu-oneapi-conflict", "companion-mismatch"} & set(examine(_seen("conflict-of-torch", text=line))) == (
        {id} if id else set()
    )


def test_a_cpu_build_where_a_gpu_build_was_asked_for(examine: Examine) -> None:
    profile = {
        "torch": {"version": "1.10.0", "variant": "cpu"},
        "request": {"variant": "cu101"},
        "system": {"os": "windows"},
    }
    assert "wrong-variant" in examine(profile)
    assert "wrong-variant" not in examine({**profile, "request": {"variant": "cpu"}})
    assert "wrong-variant" not in examine({**profile, "system": {"os": "macos"}})
    grace = _seen("no-cuda-packages", gpus=[_gpu("10.0", "NVIDIA GB200")], system={"os": "linux", "machine": "aarch64"})
    assert "wrong-variant" in examine(grace)


@pytest.mark.parametrize(
    ("library", "id"),
    [
        ("libtorch_cuda.so", "downstream-abi-mismatch"),
        ("libmkl_sycl.so.3", "xpu-oneapi-missing"),
        ("libgomp.so.1", None),
    ],
)
def test_missing_libraries(examine: Examine, library: str, id: str | None) -> None:
    found = examine(_seen("missing-library", text=f"ImportError: {library}: cannot open shared object file"))
    assert {"downstream-abi-mismatch", "xpu-oneapi-missing"} & set(found) == ({id} if id else set())


# ---- what an error means on this machine


def test_no_device_in_wsl(examine: Examine) -> None:
    assert "wsl-driver-not-visible" in examine(_seen("cuda-error-100", system={"os": "linux", "wsl": 2}))
    assert "wsl-driver-not-visible" not in examine(_seen("cuda-error-100", system={"os": "linux", "wsl": 0}))


def test_a_slice_that_was_not_named(examine: Examine) -> None:
    gpus = [{"vendor": "nvidia", "name": "NVIDIA A100-SXM4-80GB MIG 3g.40gb", "compute_capability": "8.0"}] * 2
    assert "devices-hidden" in examine(_seen("mig-device-assert", gpus=gpus))
    assert "devices-hidden" not in examine(
        _seen("mig-device-assert", gpus=gpus, environment={"CUDA_VISIBLE_DEVICES": "MIG-1"})
    )


def test_permissions(examine: Examine) -> None:
    amd, intel = [{"vendor": "amd", "gfx": "gfx1100"}], [{"vendor": "intel", "name": "Intel(R) Graphics"}]
    assert "rocm-permission" in examine(_seen("accounts-differ", gpus=amd))
    assert "xpu-permission" in examine(_seen("xpu-device-count-zero", "xpu-group-added", "xpu-devices-2"))
    assert "xpu-permission" in examine(_seen("xpu-device-count-zero", "container-user-not-root", gpus=intel))
    assert "xpu-permission" not in examine(_seen("xpu-device-count-zero", gpus=intel))


def test_an_older_runtime_lists_fewer(examine: Examine) -> None:
    gpus = [{"vendor": "intel", "name": "Intel Arc Pro B60", "pci_id": "8086:e211", "integrated": False}] * 2
    assert "xpu-driver-too-old" in examine(_seen("xpu-devices-1", "xpu-devices-2", gpus=gpus))
    assert "xpu-driver-too-old" not in examine(_seen("xpu-devices-2", gpus=gpus))


@pytest.mark.parametrize(
    ("model", "found"),
    [("Intel 13500H", True), ("12th Gen Intel(R) Core(TM) i7-12700H", True), ("Intel(R) Core(TM) Ultra 7 258V", False)],
)
def test_old_integrated_graphics(examine: Examine, model: str, found: bool) -> None:
    assert ("xpu-gpu-unsupported" in examine(_seen("ur-error", cpu={"model": model}))) is found


@pytest.mark.parametrize(
    ("cpu", "machine", "found"),
    [
        ({"model": "Raspberry Pi 4"}, None, True),
        ({"model": "Cortex-A72", "level": "armv8.0-a"}, "aarch64", True),
        ({"model": "Raspberry Pi 5"}, "aarch64", False),
        ({"model": "Raspberry Pi 4"}, "armv7l", False),
        ({"model": "Neoverse-V2", "features": ["atomics"]}, "aarch64", False),
    ],
)
def test_illegal_instructions_on_arm(examine: Examine, cpu: dict[str, Any], machine: str | None, found: bool) -> None:
    assert ("arm-lacks-lse" in examine(_seen("illegal-instruction", cpu=cpu, system={"machine": machine}))) is found


def test_illegal_instructions_on_x86(examine: Examine) -> None:
    assert "cpu-lacks-avx2" in examine(_seen("illegal-instruction", "no-avx2-said"))
    assert "cpu-lacks-avx" in examine(_seen("illegal-instruction", "no-avx-said"))
    assert not {"cpu-lacks-avx", "cpu-lacks-avx2"} & set(examine(_seen("no-avx2-said")))


def test_jetson(examine: Examine) -> None:
    board = {"os": "linux", "machine": "aarch64", "jetson": "35.4.1"}
    public = {"version": "2.9.1+cpu", "variant": "cpu", "gpu_available": False}
    assert "jetson-needs-vendor-wheel" in examine({"system": board, "torch": public})
    assert "jetson-needs-vendor-wheel" not in examine({"system": board, "torch": {**public, "origin": "vendor"}})
    assert "jetson-needs-vendor-wheel" not in examine({"system": {**board, "jetson": "38.4"}, "torch": public})
    assert "jetson-needs-vendor-wheel" not in examine({"system": board})
    wheel = _seen("wheel-404", system=board, python={"version": "3.10.12"})
    assert "python-unsupported" in examine(wheel)
    assert "python-unsupported" not in examine({**wheel, "python": {"version": "3.8.10"}})


def test_a_driver_that_the_report_blames(examine: Examine) -> None:
    profile = _seen(
        "driver-incompatible-said",
        drivers={"nvidia": {"version": "570"}},
        packages={"torch": "2.11.0"},
        system={"os": "linux", "machine": "x86_64"},
    )
    assert "driver-too-old" in examine(profile)
    profile["drivers"]["nvidia"]["version"] = "580.95.05"
    assert "driver-too-old" not in examine(profile)
