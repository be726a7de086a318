from __future__ import annotations

from collections.abc import Callable

import pytest
from torchdoctor.probes.facts import Facts
from torchdoctor.probes.reports.pasted import read_text

_NEW = """Collecting environment information...
PyTorch version: 2.6.0+cu126
Is debug build: False
CUDA used to build PyTorch: 12.6
ROCM used to build PyTorch: N/A

OS: Ubuntu 24.10 (x86_64)
GCC version: (Ubuntu 14.2.0-4ubuntu2) 14.2.0
Libc version: glibc-2.40

Python version: 3.12.9 | packaged by Anaconda, Inc. | (main, Feb  6 2025, 18:56:27) [GCC 11.2.0] (64-bit runtime)
Python platform: Linux-6.11.0-21-generic-x86_64-with-glibc2.40
Is CUDA available: True
CUDA runtime version: 12.4.131
GPU models and configuration: 
GPU 0: NVIDIA GeForce RTX 4090
GPU 1: NVIDIA GeForce RTX 3090

Nvidia driver version: 570.124.04
cuDNN version: Could not collect

CPU:
Architecture:                         x86_64
Model name:                           AMD Ryzen 9 7900X 12-Core Processor
Vendor ID:                            AuthenticAMD

Versions of relevant libraries:
[pip3] numpy==1.26.4
[pip3] torch==2.6.0
[pip3] torchvision==0.21.0
[conda] mkl                       2023.1.0         h213fc3f_46344
"""  # noqa: W291


def test_a_whole_dump(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(_NEW)
    assert (facts.torch.version, facts.torch.variant, facts.torch.cuda) == ("2.6.0+cu126", "cu126", "12.6")
    assert facts.torch.gpu_available is True
    assert (facts.system.os, facts.system.name, facts.system.version) == ("linux", "Ubuntu", "24.10")
    assert (facts.system.machine, facts.system.libc, facts.system.libc_version) == ("x86_64", "glibc", "2.40")
    assert (facts.system.kernel, facts.system.wsl) == ("6.11.0-21-generic", 0)
    assert (facts.python.version, facts.python.bits, facts.python.environment) == ("3.12.9", 64, "conda")
    assert facts.python.free_threaded is False
    assert facts.gpus is not None
    assert [g.name for g in facts.gpus] == ["NVIDIA GeForce RTX 4090", "NVIDIA GeForce RTX 3090"]
    assert facts.drivers.nvidia.version == "570.124.04"
    assert facts.runtimes.cuda == "12.4.131"
    assert facts.cpu.model == "AMD Ryzen 9 7900X 12-Core Processor"
    assert facts.packages is not None
    assert facts.packages["torchvision"] == "0.21.0"
    assert facts.packages["mkl"] == "2023.1.0"
    assert facts.sources["drivers.nvidia.version"] == "line 19: Nvidia driver version: 570.124.04"
    assert read_text(_NEW, "x").kind == "collect_env"


def test_an_old_dump_says_yes_and_no(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(
        "PyTorch version: 1.3.1\nIs debug build: No\nCUDA used to build PyTorch: 10.1.243\n\nOS: Ubuntu 16.04.4 LTS\nPython version: 3.6\n"
        "Is CUDA available: No\nCUDA runtime version: 10.0.130\nGPU models and configuration:\nGPU 0: TITAN Xp\n\nNvidia driver version: 410.48\n"
    )
    assert (facts.torch.variant, facts.torch.gpu_available, facts.python.version) == ("cu101", False, "3.6")
    assert facts.gpus is not None and facts.gpus[0].name == "TITAN Xp"


def test_retyped_with_full_width_colons(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(
        "PyTorch version 1.5.0\nOs: Ubuntu 18.04.3 LTS\nIs CUDA available: No\nGPU models and configuration:\nGPU 0： Tesla P100-PCIE-16GB\n"
    )
    assert facts.gpus is not None and facts.gpus[0].name == "Tesla P100-PCIE-16GB"


def test_no_cuda_in_torch_is_a_cpu_build(facts_of: Callable[[str], Facts]) -> None:
    dump = "PyTorch version: 2.2.2\nIs debug build: False\nCUDA used to build PyTorch: {}\nROCM used to build PyTorch: N/A\nOS: {}\nPython platform: {}\n"
    assert (
        facts_of(dump.format("Could not collect", "Microsoft Windows 11", "Windows-10-10.0.22631-SP0")).torch.variant
        == "cpu"
    )
    assert facts_of(dump.format("None", "macOS 15.1 (arm64)", "macOS-15.1-arm64-arm-64bit")).torch.variant == "mps"
    assert facts_of(dump.format("None", "macOS 13.1 (x86_64)", "macOS-13.1-x86_64-i386-64bit")).torch.variant == "cpu"
    assert facts_of(dump.format("N/A", "Ubuntu 22.04", "")).torch.variant is None


def test_torch_that_could_not_be_imported(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(
        "PyTorch version: N/A\nIs debug build: N/A\nCUDA used to build PyTorch: N/A\nIs CUDA available: N/A\nNvidia driver version: Could not collect\n"
    )
    assert facts.torch.version is None and facts.torch.gpu_available is None and facts.drivers.nvidia.version is None
    assert "torch.version" in facts.unknown


def test_rocm(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(
        "PyTorch version: 2.6.0+rocm6.2.4\nIs debug build: False\nCUDA used to build PyTorch: N/A\nROCM used to build PyTorch: 6.2.41134-65d174c3e\n"
        "Is CUDA available: True\nGPU models and configuration: AMD Instinct MI300X (gfx942:sramecc+:xnack-)\nNvidia driver version: Could not collect\n"
    )
    assert (facts.torch.variant, facts.torch.hip) == ("rocm6.2.4", "6.2.41134-65d174c3e")
    assert facts.gpus is not None
    assert (facts.gpus[0].vendor, facts.gpus[0].name, facts.gpus[0].gfx) == ("amd", "AMD Instinct MI300X", "gfx942")


def test_intel(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(
        "PyTorch version: 2.9.0+xpu\nIs debug build: False\nCUDA used to build PyTorch: None\nIs CUDA available: False\nIs XPU available: True\n"
        "XPU used to build PyTorch: 20250201\nIntel GPU driver version:\n* libze1:\t1.21.9.0-1136~22.04\n* intel-opencl-icd:\t25.18.33578.15-1146~22.04\n"
        "Intel GPU models onboard:\n* Intel(R) Data Center GPU Max 1100\n* Intel(R) Data Center GPU Max 1100\n"
    )
    assert (facts.torch.variant, facts.torch.gpu_available) == ("xpu", True)
    assert facts.drivers.intel.compute_runtime == "25.18.33578.15"
    assert facts.runtimes.level_zero == "1.21.9"
    assert facts.gpus is not None and len(facts.gpus) == 2


def test_libc_of_an_old_interpreter_is_not_the_systems(facts_of: Callable[[str], Facts]) -> None:
    dump = "PyTorch version: 1.7.0+cu110\nIs debug build: True\nLibc version: {}\nPython version: {} (default)  [GCC 8.2.0] (64-bit runtime)\nPython platform: {}\n"
    old = facts_of(dump.format("glibc-2.2.5", "3.6.4", "Linux-4.14.0-x86_64-with-centos-7.5.1804-Core"))
    assert old.system.libc_version is None
    mixed = facts_of(dump.format("glibc-2.31", "3.8.10", "Linux-5.10.120-tegra-aarch64-with-glibc2.29"))
    assert mixed.system.libc_version == "2.31"


def test_rosetta(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(
        "PyTorch version: 2.6.0a0+git1eba9b3\nIs debug build: False\nCUDA used to build PyTorch: None\nOS: macOS 15.3 (x86_64)\n"
        "Python version: 3.12.8 | packaged by Anaconda, Inc. | (main) [Clang 14.0.6 ] (64-bit runtime)\n"
        "Python platform: macOS-10.16-x86_64-i386-64bit\nCPU:\nApple M2 Pro\n"
    )
    assert (facts.system.version, facts.system.machine, facts.python.machine) == ("15.3", "aarch64", "x86_64")
    assert facts.system.translated is True


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("vLLM Version: 0.9.1\nPyTorch version              : 2.7.0+cu128\n", "vllm_collect_env"),
        (
            "Python: 3.12.9 (main)\nCUDA available: True\nGPU 0,1: NVIDIA H100 NVL\nsglang: 0.4.4\nsgl_kernel: 0.0.5\nPyTorch: 2.5.1+cu124\n",
            "sglang_check_env",
        ),
        ("- `transformers` version: 4.44.2\n- PyTorch version (GPU?): 2.4.0+cu121 (True)\n", "transformers_env"),
        ("- `Accelerate` version: 0.33.0\n- PyTorch version (GPU?): 2.4.0+cu121 (True)\n", "accelerate_env"),
        (
            "memory_efficient_attention.cutlassF: available\npytorch.version: 2.4.0+cu121\ngpu.compute_capability: 8.6\n",
            "xformers_info",
        ),
        (
            "Ultralytics YOLOv8.2.81 Python-3.10.12 torch-2.3.1+cu121 CUDA:0 (Tesla T4, 15102MiB)\n",
            "ultralytics_checks",
        ),
        ("python -m bitsandbytes\nCUDA SETUP: Detected CUDA version 121\n", "bitsandbytes"),
        ("sys.platform: linux\nPyTorch: 1.5.0\nPyTorch compiling details: PyTorch built with:\n", "mmcv_env"),
    ],
)
def test_kinds_of_dumps(text: str, kind: str) -> None:
    assert read_text(text, "x").kind == kind


def test_sglang_counts_its_devices(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(
        "CUDA available: True\nGPU 0,1: NVIDIA H100 NVL\nGPU 0,1 Compute Capability: 9.0\nCUDA Driver Version: 565.57.01\nNVCC: Cuda compilation tools, release 11.8, V11.8.89\nPyTorch: 2.5.1+cu124\nsglang: 0.4.4\nsgl_kernel: 0.0.5\n"
    )
    assert facts.gpus is not None
    assert [(g.name, g.compute_capability) for g in facts.gpus] == [("NVIDIA H100 NVL", "9.0")] * 2
    assert (facts.drivers.nvidia.version, facts.runtimes.cuda) == ("565.57.01", "11.8.89")
    assert facts.packages is not None and facts.packages["sgl-kernel"] == "0.0.5"


def test_transformers_flag(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(
        "- `transformers` version: 4.44.2\n- PyTorch version (GPU?): 2.4.0+cu121 (False)\n- GPU type: NVIDIA A100-SXM4-80GB\n"
    )
    assert facts.torch.gpu_available is False
    assert facts.gpus is not None and facts.gpus[0].name == "NVIDIA A100-SXM4-80GB"


def test_a_requirement_is_not_an_installation(facts_of: Callable[[str], Facts]) -> None:
    for line in (
        '"torch (>=2.6.0, <3.0.0)",',
        'torch = { version = "^2.5.1+cpu", source = "pytorch-cpu" }',
        "  - pytorch=2.6*",
        "torch>=2.0",
    ):
        assert facts_of(line).torch.version is None, line


def test_typed_lists(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(
        "- OS: Ubuntu\n- Python: 3.11\n- GPU: 3x NVIDIA RTX 4090 24 GB\n- Driver: R580\n- torch: 2.11.0+cu130\n"
    )
    assert (facts.system.os, facts.python.version, facts.drivers.nvidia.version) == ("linux", "3.11", "580")
    assert facts.gpus is not None and len(facts.gpus) == 3


def test_a_markdown_table(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(
        "| OS | Windows 11, build 10.0.26200 |\n| dGPU (target) | AMD Radeon RX 7900 XT - gfx1100 (Navi 31) |\n| torch | 2.10.0+rocm7.13.0a20260508 |\n"
    )
    assert (facts.system.os, facts.torch.variant) == ("windows", "rocm7.13.0")
    assert facts.gpus is not None and facts.gpus[0].gfx == "gfx1100"


def test_a_form(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(
        "### Operating System\n\nUbuntu 24.04\n\n**GPU**\nAMD Radeon RX 7600\n\n### Empty\n\n### Python version\n\n3.12.3\n"
    )
    assert (facts.system.version, facts.python.version) == ("24.04", "3.12.3")
    assert facts.gpus is not None and facts.gpus[0].name == "AMD Radeon RX 7600"
