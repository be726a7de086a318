"""Every check of installed things on an environment with the fault and on one without it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Doctor = Callable[..., Any]
Ids = Callable[..., dict[str, str]]
Sites = Callable[..., Any]

AMPERE_ON = [["sm_75", "sm_80", "sm_86", "sm_90", "sm_100", "sm_120"]] * 4
LINUX312 = "cp312-cp312-linux_x86_64"


def _detail(verdict: Any, id: str) -> str:
    return str(next(f.detail for f in verdict.findings if f.id == id))


# ---- companions


@pytest.mark.parametrize(
    ("torch", "name", "version"),
    [
        ("2.5.1+cpu", "torchvision", "0.20.1"),
        ("2.14.1+cu126", "torchvision", "0.29.1"),
        ("2.15.0+cu132", "torchvision", "0.29.1"),
        ("2.15.0+cu132", "torchvision", "0.29.2"),
        ("2.15.0+cu132", "torchaudio", "2.11.1"),
        ("2.13.0+cu130", "torchaudio", "2.11.0"),
        ("2.8.0+cu128", "torchaudio", "2.8.0"),
        ("2.8.0+cu128", "torchvision", "0.31.0"),  # newer than the matrix: nothing is known of it
        ("2.10.0+cu128", "torchcodec", "0.10.0"),
        ("2.15.0+cu132", "torchcodec", "0.17.0"),
    ],
)
def test_companions_that_pair(site: Sites, doctor: Doctor, ids: Ids, torch: str, name: str, version: str) -> None:
    place = site()
    place.torch(torch, kernels=AMPERE_ON if "cu" in torch else None)
    place.add(name, version)
    gpus = () if "cpu" in torch else ("4090",)
    assert ids(doctor(place, gpus=gpus)) == {}


@pytest.mark.parametrize(
    ("torch", "name", "version", "severity", "words"),
    [
        (
            "2.5.1+cpu",
            "torchvision",
            "0.19.0",
            "blocker",
            "torchvision 0.19.0 was made for torch 2.4.0, 2.5.1 is installed.",
        ),
        (
            "2.13.0+cpu",
            "torchvision",
            "0.29.1",
            "blocker",
            "torchvision 0.29.1 needs torch 2.14.0 or newer, 2.13.0 is installed.",
        ),
        (
            "2.10.0+cpu",
            "torchaudio",
            "2.11.1",
            "blocker",
            "torchaudio 2.11.1 needs torch 2.11 or newer, 2.10.0 is installed.",
        ),
        (
            "2.8.0+cpu",
            "torchaudio",
            "2.7.0",
            "blocker",
            "torchaudio 2.7.0 was made for torch 2.7.0, 2.8.0 is installed.",
        ),
        (
            "2.5.1+cpu",
            "torchvision",
            "0.12.0",
            "blocker",
            "torchvision 0.12.0 was made for a torch older than 1.13, 2.5.1 is installed.",
        ),
        (
            "2.5.0+cpu",
            "torchvision",
            "0.20.1",
            "warning",
            "torchvision 0.20.1 was made for torch 2.5.1, 2.5.0 is installed.",
        ),
        ("2.8.0+cpu", "torchcodec", "0.2.1", "warning", "torchcodec 0.2.1 follows another torch line"),
    ],
)
def test_companions_that_do_not_pair(
    site: Sites, doctor: Doctor, ids: Ids, torch: str, name: str, version: str, severity: str, words: str
) -> None:
    place = site()
    place.torch(torch)
    place.add(name, version)
    verdict = doctor(place, gpus=())
    assert ids(verdict) == {"companion-mismatch": severity}
    assert _detail(verdict, "companion-mismatch").startswith(words)


def test_both_companions_are_put_right_by_one_command(site: Sites, doctor: Doctor) -> None:
    place = site()
    place.torch("2.5.1+cu121", kernels=[["sm_80", "sm_86", "sm_90"]])
    place.add("torchvision", "0.19.0")
    place.add("torchaudio", "2.4.0")
    found = next(f for f in doctor(place).findings if f.id == "companion-mismatch")
    assert found.fix == (
        "pip install torch==2.5.1 torchvision==0.20.1 torchaudio==2.5.1 --index-url https://download.pytorch.org/whl/cu121",
    )


@pytest.mark.parametrize(
    ("torch", "vision", "severity"),
    [
        ("0.20.1+cu124", "2.5.1+cu124", None),
        ("0.20.1+cu121", "2.5.1+cu124", None),  # same major: torchvision compares majors since 0.16
        ("0.20.1+cu118", "2.5.1+cu124", "blocker"),
        ("0.20.1+cpu", "2.5.1+cu124", "blocker"),
        ("0.15.2+cu117", "2.0.1+cu118", "blocker"),
    ],
)
def test_variants_of_companions(
    site: Sites, doctor: Doctor, ids: Ids, torch: str, vision: str, severity: str | None
) -> None:
    place = site()
    place.torch(vision, kernels=[["sm_80", "sm_86", "sm_90"]])
    place.add(
        "torchvision",
        torch.partition("+")[0],
        tag=LINUX312,
        files={"torchvision/version.py": f"__version__ = '{torch}'\n"},
    )
    found = ids(doctor(place, python="3.12.4"))
    assert found.get("companion-mismatch") == severity


def test_a_cpu_torchvision_without_gpu_is_a_warning(site: Sites, doctor: Doctor, ids: Ids) -> None:
    place = site()
    place.torch("2.5.1+cu124", kernels=[["sm_80"]])
    place.add("torchvision", "0.20.1+cpu")
    assert ids(doctor(place, gpus=())) == {"companion-mismatch": "warning"}


@pytest.mark.parametrize(("triton", "found"), [("3.1.0", {}), ("3.3.0", {"companion-mismatch": "warning"})])
def test_triton_belongs_to_torch(site: Sites, doctor: Doctor, ids: Ids, triton: str, found: dict[str, str]) -> None:
    place = site()
    place.torch("2.5.1+cu124", kernels=[["sm_80", "sm_90"]])
    place.add("triton", triton)
    assert ids(doctor(place)) == found


def test_a_vendor_build_with_companions_of_its_own_is_left_alone(site: Sites, doctor: Doctor, ids: Ids) -> None:
    place = site()
    place.torch("2.6.0a0+ecf3bae40a.nv25.01", cuda="12.8", kernels=AMPERE_ON)
    place.add("torchvision", "0.20.0a0")
    place.add("triton", "3.1.0")
    place.add("numpy", "2.1.0")
    place.add("nvidia-dali-cuda120", "1.45.0")
    place.add("some-trainer", "1.0", requires=["torch>=2.6"])
    verdict = doctor(
        place, gpus=("h100",), driver="570.86.10", environment={"LD_LIBRARY_PATH": "/usr/local/cuda/lib64"}
    )
    assert ids(verdict) == {}
    assert "vendor-build" in {f.id for f in verdict.findings}
    assert verdict.status == "ok"


# ---- pins, copies, NumPy


def test_a_pin_that_holds_and_one_that_does_not(site: Sites, doctor: Doctor, ids: Ids) -> None:
    place = site()
    place.torch("2.5.1+cu124", kernels=[["sm_80", "sm_90"]])
    place.add("accelerate", "1.0", requires=["torch>=2.0.0"])
    place.add("mac-only", "1.0", requires=["torch==2.2.2; sys_platform == 'darwin'"])
    assert ids(doctor(place)) == {}
    place.add("tensordict", "0.5.0", requires=["torch>=2.6"])
    verdict = doctor(place)
    assert ids(verdict) == {"companion-pin-conflict": "warning"}
    assert _detail(verdict, "companion-pin-conflict") == "tensordict 0.5.0 requires torch>=2.6; 2.5.1 is installed."


def test_a_pin_of_a_compiled_package_is_in_the_way(site: Sites, doctor: Doctor, ids: Ids, binaries: Any) -> None:
    place = site()
    place.torch("2.5.1+cu124", kernels=[["sm_80", "sm_90"]])
    place.add(
        "vllm",
        "0.6.3",
        requires=["torch (==2.4.0)"],
        tag="cp38-abi3-manylinux1_x86_64",
        files={"vllm/_C.abi3.so": binaries["elf"]()},
    )
    assert ids(doctor(place)) == {"companion-pin-conflict": "blocker"}


def test_two_torches(site: Sites, doctor: Doctor, ids: Ids) -> None:
    user, system = site("user"), site("system")
    user.torch("2.6.0+cu124", kernels=[["sm_80", "sm_90"]])
    assert ids(doctor(user, system)) == {}
    system.torch("2.8.0+cu128", kernels=[["sm_80", "sm_90"]])
    verdict = doctor(user, system)
    assert ids(verdict) == {"duplicate-install": "blocker"}
    assert "An import takes 2.6.0." in _detail(verdict, "duplicate-install")


def test_two_copies_of_one_release_are_a_warning(site: Sites, doctor: Doctor, ids: Ids) -> None:
    user, system = site("user"), site("system")
    user.torch("2.6.0+cu124", kernels=[["sm_80", "sm_90"]])
    system.torch("2.6.0+cu124", dist=False)
    verdict = doctor(user, system)
    assert ids(verdict).get("duplicate-install") in ("warning", "blocker")
    assert str(system.root) in _detail(verdict, "duplicate-install")


@pytest.mark.parametrize(
    ("torch", "numpy", "os", "found"),
    [
        ("2.2.2+cpu", "2.0.0", "linux", {"numpy-abi": "blocker"}),
        ("2.2.2+cpu", "1.26.4", "linux", {}),
        ("2.3.0+cpu", "2.0.0", "linux", {}),
        ("2.3.0+cpu", "2.0.0", "windows", {"numpy-abi": "blocker"}),
        ("2.4.0+cpu", "2.0.0", "windows", {"numpy-abi": "blocker"}),
        ("2.4.1+cpu", "2.0.0", "windows", {}),
        ("2.2.2", "2.0.0", "macos", {"numpy-abi": "blocker"}),
    ],
)
def test_numpy_2_has_a_floor_for_each_system(
    site: Sites, doctor: Doctor, ids: Ids, torch: str, numpy: str, os: str, found: dict[str, str]
) -> None:
    place = site()
    place.torch(torch, tag="cp311-cp311-linux_x86_64")
    place.add("numpy", numpy)
    assert ids(doctor(place, gpus=(), system={"os": os, "version": "14.5"}, python="3.11.4")) == found


# ---- CUDA packages


def test_packages_of_two_majors_in_one_folder(site: Sites, doctor: Doctor, ids: Ids) -> None:
    place = site()
    place.torch("2.15.0+cu132", kernels=AMPERE_ON)
    place.add("nvidia-cudnn-cu13", "9.26.0.51")
    place.add("nvidia-cublas", "13.2.0.9")
    assert ids(doctor(place)) == {}
    place.add("nvidia-cublas-cu12", "12.8.4.1")  # a left-over with a folder of its own
    assert ids(doctor(place)) == {}
    place.add("nvidia-cudnn-cu12", "9.10.2.21")
    verdict = doctor(place)
    assert ids(verdict) == {"mixed-cuda-major": "warning"}
    found = next(f for f in verdict.findings if f.id == "mixed-cuda-major")
    assert "nvidia/cudnn" in found.detail
    assert found.fix[0] == "pip uninstall -y nvidia-cublas-cu12 nvidia-cudnn-cu12"


def test_a_package_of_the_other_major(site: Sites, doctor: Doctor, ids: Ids) -> None:
    place = site()
    place.torch("2.15.0+cu132", kernels=AMPERE_ON)
    place.add("cuda-thing", "1.0", requires=["torch", "nvidia-cublas-cu12"])
    assert ids(doctor(place)) == {}  # required, but not there: a marker may have shut it out
    place.add("nvidia-cublas-cu12", "12.8.4.1")
    assert ids(doctor(place)) == {"mixed-cuda-major": "warning"}


def test_left_over_cuda_packages_beside_a_cpu_build_are_a_note(site: Sites, doctor: Doctor, ids: Ids) -> None:
    place = site()
    place.torch("2.5.1+cpu")
    place.add("nvidia-cublas-cu12", "12.4.5.8")
    place.add("nvidia-cudnn-cu12", "9.1.0.70")
    verdict = doctor(place, gpus=())
    assert ids(verdict) == {}
    assert "unused-nvidia-packages" in {f.id for f in verdict.findings}


@pytest.mark.parametrize(
    ("name", "noted"), [("cupy-cuda12x", True), ("cupy-cuda13x", False), ("faiss-gpu-cu12", False)]
)
def test_a_name_of_the_other_major_is_a_note(site: Sites, doctor: Doctor, ids: Ids, name: str, noted: bool) -> None:
    place = site()
    place.torch("2.15.0+cu132", kernels=AMPERE_ON)
    place.add(name, "13.6.0")
    verdict = doctor(place)
    assert ids(verdict) == {}
    assert ("mixed-cuda-major" in {f.id for f in verdict.findings}) is noted


@pytest.mark.parametrize(
    ("needs", "found"),
    [
        ("libcudart.so.13", {}),
        ("libcudart.so.12", {"downstream-abi-mismatch": "blocker", "mixed-cuda-major": "blocker"}),
    ],
)
def test_an_extension_that_loads_another_cuda(
    site: Sites, doctor: Doctor, ids: Ids, binaries: Any, needs: str, found: dict[str, str]
) -> None:
    place = site()
    place.torch("2.15.0+cu132", kernels=AMPERE_ON)
    library = binaries["elf"]({".text": b"x"}, needs=[needs, "libtorch_cuda.so"])
    place.add(
        "vllm",
        "0.21.0",
        requires=["torch==2.15.0"],
        tag="cp38-abi3-manylinux_2_28_x86_64",
        files={"vllm/_C.abi3.so": library},
    )
    assert ids(doctor(place)) == found


# ---- extensions


@pytest.mark.parametrize(
    ("name", "version", "why"),
    [
        ("flash-attn", "2.6.3+cu123torch2.5cxx11abifalse", None),
        ("flash-attn", "2.6.3+cu123torch2.4cxx11abifalse", "torch 2.4"),
        ("flash-attn", "2.6.3+cu118torch2.5cxx11abifalse", "CUDA 11"),
        ("flash-attn", "2.6.3+cu123torch2.5cxx11abitrue", "the new C++ ABI"),
        ("torch-scatter", "2.1.2+pt25cu124", None),
        ("torch-scatter", "2.1.2+pt24cu124", "torch 2.4"),
        ("torch-sparse", "0.6.18+pt25cu118", "CUDA 11"),
        ("xformers", "0.0.28.post3+cu121", None),
        ("xformers", "0.0.28.post3+cu118", "CUDA 11"),
        ("mamba-ssm", "2.2.4", None),
        ("own-extension", "1.0+cu118", "CUDA 11"),
    ],
)
def test_what_an_extension_was_compiled_for(
    site: Sites, doctor: Doctor, ids: Ids, name: str, version: str, why: str | None
) -> None:
    place = site()
    place.torch("2.5.1+cu124", kernels=[["sm_80", "sm_90"]])
    place.add(name, version, requires=["torch"])
    verdict = doctor(place)
    assert ids(verdict) == ({} if why is None else {"downstream-abi-mismatch": "blocker"})
    if why:
        assert f"was compiled for {why};" in _detail(verdict, "downstream-abi-mismatch")


@pytest.mark.parametrize(
    ("tag", "bad"),
    [
        (LINUX312, False),
        ("cp311-cp311-linux_x86_64", True),
        ("cp310-abi3-linux_x86_64", False),
        ("cp313-abi3-linux_x86_64", True),
        ("py3-none-linux_x86_64", False),
    ],
)
def test_an_extension_for_another_python(site: Sites, doctor: Doctor, ids: Ids, tag: str, bad: bool) -> None:
    place = site()
    place.torch("2.5.1+cu124", kernels=[["sm_80", "sm_90"]])
    place.add(
        "xformers", "0.0.28.post3", requires=["torch==2.5.1"], tag=tag, files={"xformers/_C.so": b"not a library"}
    )
    assert ids(doctor(place)) == ({"downstream-abi-mismatch": "blocker"} if bad else {})


@pytest.mark.parametrize(
    ("kernels", "gpu", "missing"),
    [
        ([["sm_80"], ["sm_90"]], "h100", False),
        ([["sm_80"]], "4090", False),  # 8.9 runs 8.0 code
        ([["sm_90a"]], "h100", False),
        ([["sm_90a"]], "5090", True),
        ([["sm_80"], ["sm_80"]], "h100", True),
        ([["sm_80", "compute_80"]], "5090", False),
        ([], "5090", False),
    ],
)
def test_code_of_an_extension(
    site: Sites, doctor: Doctor, ids: Ids, binaries: Any, kernels: list[list[str]], gpu: str, missing: bool
) -> None:
    place = site()
    place.torch("2.15.0+cu132", kernels=AMPERE_ON)
    library = binaries["elf"]({".nv_fatbin": binaries["fat_binary"](kernels)} if kernels else {".text": b"x"})
    place.add("flash-attn", "2.8.3", requires=["torch"], tag=LINUX312, files={"flash_attn_2_cuda.so": library})
    assert ids(doctor(place, gpus=(gpu,))) == ({"downstream-arch-missing": "blocker"} if missing else {})


def test_an_extension_is_not_blamed_for_what_torch_lacks(site: Sites, doctor: Doctor, ids: Ids, binaries: Any) -> None:
    place = site()
    place.torch("2.6.0+cu124", kernels=[["sm_80", "sm_90"]])
    library = binaries["elf"]({".nv_fatbin": binaries["fat_binary"]([["sm_80"]])})
    place.add("flash-attn", "2.7.4", requires=["torch"], tag=LINUX312, files={"flash_attn_2_cuda.so": library})
    assert ids(doctor(place, gpus=("5090",))) == {"gpu-newer-than-wheel": "blocker"}


@pytest.mark.parametrize(("held", "found"), [("124", {}), ("121", {"downstream-abi-mismatch": "warning"})])
def test_bitsandbytes_has_a_binary_for_each_cuda(
    site: Sites, doctor: Doctor, ids: Ids, held: str, found: dict[str, str]
) -> None:
    place = site()
    place.torch("2.5.1+cu124", kernels=[["sm_80", "sm_90"]])
    place.add(
        "bitsandbytes",
        "0.44.1",
        requires=["torch"],
        tag="py3-none-manylinux_2_24_x86_64",
        files={f"bitsandbytes/libbitsandbytes_cuda{held}.so": b"x", "bitsandbytes/libbitsandbytes_cpu.so": b"x"},
    )
    assert ids(doctor(place)) == found


@pytest.mark.parametrize(
    ("vision", "severity"),
    [("0.24.1+rocm7.11.0a20260112", None), ("0.24.1+rocm7.10.0", "warning"), ("0.24.1+cpu", "blocker")],
)
def test_rocm_builds_are_compared_by_their_line(
    site: Sites, doctor: Doctor, ids: Ids, vision: str, severity: str | None
) -> None:
    place = site()
    place.torch("2.9.1+rocm7.11", hip="7.11.26015")
    place.add("torchvision", vision)
    assert ids(doctor(place, gpus=("7900",), driver=None)).get("companion-mismatch") == severity


def test_cuda_code_that_has_nothing_to_do_with_torch(doctor: Doctor, site: Sites, ids: Ids) -> None:
    place = site()
    place.torch("2.5.1+cu124", kernels=[["sm_80", "sm_90"]])
    place.add("intel-thing", "1.0+cu118")  # relevant by its name, not compiled against torch
    assert ids(doctor(place)) == {}


# ---- machines, interpreters, loaders


def test_binaries_of_another_machine(site: Sites, doctor: Doctor, ids: Ids) -> None:
    place = site()
    place.torch("2.5.1", machine=183, tag="cp312-cp312-manylinux2014_aarch64")
    verdict = doctor(place, gpus=())
    assert ids(verdict) == {"wheel-arch-mismatch": "blocker"}
    assert "aarch64" in _detail(verdict, "wheel-arch-mismatch")
    assert ids(doctor(place, gpus=(), machine="aarch64")) == {}


@pytest.mark.parametrize(
    ("tag", "found"),
    [
        ("cp313-cp313t-manylinux_2_28_x86_64", {}),
        ("cp313-cp313-manylinux_2_28_x86_64", {"free-threaded-unsupported": "blocker"}),
        ("cp310-abi3-manylinux_2_28_x86_64", {"free-threaded-unsupported": "blocker"}),
        ("py3-none-any", {}),
    ],
)
def test_a_free_threaded_interpreter(site: Sites, doctor: Doctor, ids: Ids, tag: str, found: dict[str, str]) -> None:
    place = site()
    place.torch("2.9.0+cu130", kernels=AMPERE_ON, tag="cp313-cp313t-manylinux_2_28_x86_64")
    place.add("torchao", "0.14.1", requires=["torch"], tag=tag)
    assert ids(doctor(place, python="3.13.8", free_threaded=True)) == found


def test_a_torch_for_another_python(site: Sites, doctor: Doctor, ids: Ids) -> None:
    place = site()
    place.torch("2.5.1+cpu", tag="cp311-cp311-linux_x86_64")
    verdict = doctor(place, gpus=(), python="3.12.4")
    assert ids(verdict) == {"downstream-abi-mismatch": "blocker"}
    assert "torch 2.5.1 is a wheel for cp311, the interpreter is Python 3.12." in _detail(
        verdict, "downstream-abi-mismatch"
    )
    assert ids(doctor(place, gpus=(), python="3.11.9")) == {}


def test_a_release_without_free_threaded_wheels(site: Sites, doctor: Doctor, ids: Ids) -> None:
    place = site()
    place.torch("2.6.0+cpu", tag="cp313-cp313-linux_x86_64")
    found = ids(doctor(place, gpus=(), python="3.13.1", free_threaded=True))
    assert found == {"free-threaded-unsupported": "blocker"}


@pytest.mark.parametrize(
    ("variables", "cuda", "found"),
    [
        ({"LD_LIBRARY_PATH": "/usr/local/cuda-12.1/lib64:"}, None, {"system-cuda-shadowing": "warning"}),
        ({"LD_LIBRARY_PATH": "/usr/local/cuda/lib64"}, "12.1", {"system-cuda-shadowing": "warning"}),
        ({"LD_LIBRARY_PATH": "/usr/local/cuda/lib64"}, None, {}),
        ({"LD_LIBRARY_PATH": "/usr/local/cuda-12.6/lib64"}, None, {}),  # newer serves
        ({"LD_LIBRARY_PATH": "/usr/local/cuda-11.8/lib64"}, None, {}),  # other sonames
        ({"LD_LIBRARY_PATH": "/usr/local/nvidia/lib:/usr/local/nvidia/lib64"}, "12.1", {}),
        ({"LD_LIBRARY_PATH": "/usr/local/cuda/lib64/stubs"}, None, {"libcuda-stub": "warning"}),
        ({"LIBRARY_PATH": "/usr/local/cuda/lib64/stubs"}, None, {}),
        ({"KMP_DUPLICATE_LIB_OK": "TRUE"}, None, {}),
    ],
)
def test_the_loader_path(
    site: Sites, doctor: Doctor, ids: Ids, variables: dict[str, str], cuda: str | None, found: dict[str, str]
) -> None:
    place = site()
    place.torch("2.5.1+cu124", kernels=[["sm_80", "sm_90"]])
    assert ids(doctor(place, environment=variables, runtimes={"cuda": cuda})) == found


@pytest.mark.parametrize(
    ("text", "id", "found"),
    [
        ("OMP: Error #15: Initializing libiomp5.dylib", "openmp-duplicate", "openmp-duplicate"),
        (
            "libcusparse.so.12: undefined symbol: __nvJitLinkAddData_12_1",
            "undefined-symbol-nvidia",
            "system-cuda-shadowing",
        ),
        (
            "x/flash_attn_2_cuda.so: undefined symbol: _ZN3c105ErrorC2E",
            "undefined-symbol-torch",
            "downstream-abi-mismatch",
        ),
        ("libcudart.so.13: cannot open shared object file", "missing-library", "mixed-cuda-major"),
        ("No space left on device", "disk-full", "disk-space"),
        ("THESE PACKAGES DO NOT MATCH THE HASHES", "hash-mismatch", "download-corrupted"),
    ],
)
def test_error_texts_on_a_sound_environment(
    site: Sites, doctor: Doctor, ids: Ids, text: str, id: str, found: str
) -> None:
    place = site()
    place.torch("2.5.1+cu124", kernels=[["sm_80", "sm_90"]])
    assert ids(doctor(place)) == {}
    assert ids(doctor(place, symptoms=[{"id": id, "text": text, "line": 1}]))[found] == "blocker"


@pytest.mark.parametrize(("torch", "found"), [("2.2.2+cu121", True), ("2.5.1+cu124", False)])
def test_the_complaint_of_numpy_is_torchs_where_torch_was_compiled_for_numpy_1(
    site: Sites, doctor: Doctor, ids: Ids, torch: str, found: bool
) -> None:
    place = site()
    place.torch(torch, kernels=[["sm_80", "sm_90"]])
    says = "A module that was compiled using NumPy 1.x cannot be run in"
    assert ("numpy-abi" in ids(doctor(place, symptoms=[{"id": "numpy-abi", "text": says, "line": 1}]))) == found


# ---- other ecosystems


@pytest.mark.parametrize(("version", "found"), [("2.8.0", {}), ("2.7.10", {"ipex-version-mismatch": "blocker"})])
def test_ipex_follows_the_line_of_torch(
    site: Sites, doctor: Doctor, ids: Ids, version: str, found: dict[str, str]
) -> None:
    place = site()
    place.torch("2.8.0+cpu")
    place.add("intel-extension-for-pytorch", version)
    assert ids(doctor(place, gpus=())) == found


@pytest.mark.parametrize(
    ("package", "gpu", "bad"),
    [
        ("rocm-sdk-libraries-gfx1151", "890m", True),
        ("rocm-sdk-libraries-gfx1150", "890m", False),
        ("rocm-sdk-device-gfx110x-all", "7900", False),
        ("rocm-sdk-device-gfx94x-dcgpu", "7900", True),
        ("rocm-sdk-core", "7900", False),
    ],
)
def test_rocm_sdk_packages_of_a_target(
    site: Sites, doctor: Doctor, ids: Ids, package: str, gpu: str, bad: bool
) -> None:
    place = site()
    place.add(package, "7.11.0a20260112")
    found = ids(doctor(place, gpus=(gpu,), driver=None))
    assert ("rocm-sdk-arch-mismatch" in found) is bad


def _conda(folder: Path, *packages: str, channel: str = "pytorch") -> Path:
    meta = folder / "conda-meta"
    meta.mkdir()
    for name in packages:
        (meta / f"{name}.json").write_text(json.dumps({"channel": f"https://conda.anaconda.org/{channel}/linux-64"}))
    return folder


@pytest.mark.parametrize(
    ("torch", "mkl", "channel", "bad"),
    [
        ("2.0.1", "2024.1.0", "pytorch", True),
        ("2.0.1", "2024.0.0", "pytorch", False),
        ("2.0.1", "2024.1.0", "conda-forge", False),
        ("2.5.1", "2024.1.0", "pytorch", False),
    ],
)
def test_mkl_beside_builds_of_the_channel(
    site: Sites, doctor: Doctor, ids: Ids, tmp_path: Path, torch: str, mkl: str, channel: str, bad: bool
) -> None:
    place = site()
    place.torch(torch, cuda="11.8", kernels=[["sm_80", "sm_90"]], installer="conda", tag="cp310-cp310-linux_x86_64")
    prefix = _conda(tmp_path, f"pytorch-{torch}-py3.10_cuda11.8_cudnn8.7.0_0", f"mkl-{mkl}-h0_1", channel=channel)
    found = ids(doctor(place, prefix=prefix, python="3.10.4"))
    assert found == ({"conda-mkl-conflict": "blocker"} if bad else {})


def test_the_pytorch_channel_ended(doctor: Doctor, site: Sites, ids: Ids) -> None:
    place = site()
    request = {"torch": "2.6", "installer": "conda", "index": "https://conda.anaconda.org/pytorch"}
    assert ids(doctor(place, request=request)) == {"conda-channel-ended": "blocker"}
    assert ids(doctor(place, request={**request, "torch": "2.5.1"})) == {}
    assert ids(doctor(place, request={**request, "index": "https://conda.anaconda.org/conda-forge"})) == {}


# ---- room on disk


@pytest.mark.parametrize(
    ("resources", "gpus", "small"),
    [
        ({"disk_free": 5_000_000_000, "tmp_free": 50_000_000_000}, ("4090",), True),
        ({"disk_free": 50_000_000_000, "tmp_free": 500_000_000}, ("4090",), True),
        ({"disk_free": 50_000_000_000, "tmp_free": 50_000_000_000}, ("4090",), False),
        ({"disk_free": 5_000_000_000, "tmp_free": 500_000_000}, (), False),
        ({"disk_free": 500_000_000}, (), True),
        ({}, ("4090",), False),
    ],
)
def test_room_for_what_would_be_installed(
    site: Sites, doctor: Doctor, ids: Ids, resources: dict[str, int], gpus: tuple[str, ...], small: bool
) -> None:
    assert ("disk-space" in ids(doctor(site(), gpus=gpus, resources=resources))) is small


def test_a_full_disk_does_not_matter_to_what_is_installed(site: Sites, doctor: Doctor, ids: Ids) -> None:
    place = site()
    place.torch("2.15.0+cu132", kernels=AMPERE_ON)
    assert ids(doctor(place, resources={"disk_free": 1000})) == {}


# ---- healthy as a whole


def test_a_cuda_build_on_a_machine_without_gpu(site: Sites, doctor: Doctor, ids: Ids) -> None:
    place = site()
    place.torch("2.15.0+cu132", kernels=AMPERE_ON)
    place.add("torchaudio", "2.11.1")
    place.add("torchvision", "0.29.2")
    place.add("triton", "3.9.0")
    place.add("numpy", "2.4.1")
    verdict = doctor(place, gpus=(), driver="")
    assert ids(verdict) == {}
    assert verdict.status == "ok"


def test_a_custom_build_is_judged_by_its_code(site: Sites, doctor: Doctor, ids: Ids) -> None:
    place = site()
    place.torch("2.16.0a0+git0123abc", cuda="13.2", kernels=[["sm_61"]])
    assert ids(doctor(place, gpus=("1080",))) == {}
    assert "gpu-newer-than-wheel" in ids(doctor(place, gpus=("4090",)))


@pytest.mark.parametrize(
    ("targets", "found"), [(["gfx1100", "gfx90a"], {}), (["gfx90a"], {"gfx-unsupported": "blocker"})]
)
def test_a_custom_rocm_build_is_judged_by_its_targets(
    site: Sites, doctor: Doctor, ids: Ids, targets: list[str], found: dict[str, str]
) -> None:
    place = site()
    place.torch("2.16.0a0+git0123abc", hip="7.2.26043", targets=targets)
    assert ids(doctor(place, gpus=("7900",), driver=None)) == found
