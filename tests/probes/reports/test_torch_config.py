from __future__ import annotations

from collections.abc import Callable

from torchdoctor.probes.facts import Facts

_CUDA = (
    "PyTorch built with:\n  - GCC 9.3\n  - CUDA Runtime 11.8\n  - NVCC architecture flags: -gencode;arch=compute_50,code=sm_50;"
    "-gencode;arch=compute_90,code=sm_90;-gencode;arch=compute_90,code=compute_90\n"
    "  - Build settings: BUILD_TYPE=Release, CUDA_VERSION=11.8, TORCH_VERSION=2.2.1, USE_CUDA=ON, USE_ROCM=OFF, \n"
)


def test_a_cuda_build(facts_of: Callable[[str], Facts]) -> None:
    torch = facts_of(_CUDA).torch
    assert (torch.version, torch.variant, torch.kernels) == ("2.2.1", "cu118", ("sm_50", "sm_90", "compute_90"))


def test_a_build_without_a_gpu(facts_of: Callable[[str], Facts]) -> None:
    settings = "  - Build settings: BUILD_TYPE=Release, TORCH_VERSION=2.7.0, USE_CUDA=0, USE_ROCM=0, USE_XPU={}, \n"
    assert facts_of("OS: Ubuntu 22.04\n" + settings.format(0)).torch.variant == "cpu"
    assert facts_of("OS: Ubuntu 22.04\n" + settings.format(1)).torch.variant is None


def test_settings_without_a_version_say_nothing_of_torch(facts_of: Callable[[str], Facts]) -> None:
    assert facts_of("cmake -DTORCH_VERSION=$V -DUSE_CUDA=OFF\n").torch.version is None
