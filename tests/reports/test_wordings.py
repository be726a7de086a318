"""Reports that say the same in other words than the re-typed ones: old and new tools, forms, other languages."""

from __future__ import annotations

import pytest
from torchdoctor.api import diagnose_text

_CASES: dict[str, tuple[str, set[str], str]] = {}


def _case(name: str, findings: set[str], text: str, verdict: str = "") -> None:
    _CASES[name] = (text, findings, verdict)


_case(
    "a form with headings",
    {"gfx-unsupported"},
    "### Operating System\n\nUbuntu 24\n\n### GPU\n\nAMD Radeon RX 7600 XT\n\n### ROCm Version\n\nROCk module version 6.16.6 is loaded\n\n"
    "RuntimeError: HIP error: invalid device function\n",
)
_case(
    "uv before and after pip on a translated Mac",
    {"rosetta-python"},
    "% uv sync\nerror: Distribution `torch==2.5.1 @ registry+https://index.example/simple` can't be installed because it doesn't have a "
    "source distribution or wheel for the current platform\n% pip install torch==2.5.1\nERROR: Could not find a version that satisfies the "
    "requirement torch==2.5.1 (from versions: 2.0.0, 2.0.1, 2.1.0, 2.1.1, 2.1.2, 2.2.0, 2.2.1, 2.2.2)\nApple M3 Max - MacOS 15.2\n",
    "blocked",
)
_case(
    "uv names a platform that is too old",
    {"glibc-too-old"},
    "error: Distribution `torch==2.7.0 @ registry+https://index.example/simple` can't be installed because it doesn't have a source "
    "distribution or wheel for the current platform\n\nhint: You're on Linux (`manylinux_2_27_x86_64`), but `torch` (v2.7.0) only has wheels "
    "for the following platforms: `manylinux_2_28_aarch64`, `manylinux_2_28_x86_64`, `win_amd64`; consider adding your platform\n",
    "blocked",
)
_case(
    "a local version without its index",
    {"index-configuration"},
    "ERROR: Could not find a version that satisfies the requirement torch==2.4.0+cu121 (from versions: 1.13.0, 1.13.1, 2.0.0, 2.0.1, "
    "2.1.0, 2.1.1, 2.1.2, 2.2.0, 2.2.1, 2.2.2, 2.3.0, 2.3.1, 2.4.0)\n",
    "mismatch",
)
_case(
    "error 802 beside a device list",
    {"fabric-manager-not-ready"},
    "CUDA initialization: Unexpected error from cudaGetDeviceCount(). Error 802: system not yet initialized\n"
    "GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-1)\nGPU 1: NVIDIA H100 80GB HBM3 (UUID: GPU-2)\n",
    "blocked",
)
_case(
    "error 803",
    {"driver-library-mismatch"},
    "Error 803: system has unsupported display driver / cuda driver combination\n - OS: Ubuntu 20.04.1\n",
    "blocked",
)
_case(
    "a localised loader error over two lines",
    {"windows-runtime-missing"},
    'OSError: [WinError 1114] 动态链接库(DLL)初始化例程失败。 \nError loading "E:\\py\\lib\\site-packages\\torch\\lib\\c10.dll" or one of its dependencies.\n'
    "Windows 10 64 位\nPyTorch 2.9.0 + CPU-only wheel\n",
    "blocked",
)
_case(
    "a CUDA library that fails to initialise says nothing of the runtime",
    set(),
    'OSError: [WinError 1114] A DLL initialization routine failed. Error loading "C:\\x\\site-packages\\torch\\lib\\cublas64_11.dll"\n',
)
_case(
    "a public wheel on a board that needs the vendor's",
    {"jetson-needs-vendor-wheel"},
    "PyTorch version: 2.9.1+cpu\nIs debug build: False\nCUDA used to build PyTorch: None\n\nOS: Ubuntu 22.04.5 LTS (aarch64)\n"
    "Python version: 3.10.19 (main, Oct 28 2025, 12:13:28) [Clang 20.1.4 ] (64-bit runtime)\n"
    "Python platform: Linux-5.15.136-tegra-aarch64-with-glibc2.35\nIs CUDA available: False\nGPU models and configuration: GPU 0: Orin (nvgpu)\n",
    "mismatch",
)
_case(
    "a healthy transformers environment",
    set(),
    "- `transformers` version: 4.44.2\n- Platform: Linux-5.15.0-113-generic-x86_64-with-glibc2.35\n- Python version: 3.10.14\n"
    "- Huggingface_hub version: 0.24.6\n- PyTorch version (GPU?): 2.4.0+cu121 (True)\n- GPU type: NVIDIA A100-SXM4-80GB\n",
    "ok",
)
_case(
    "a CPU build beside a card",
    {"wrong-variant"},
    "Ultralytics 8.3.40 🚀 Python-3.11.9 torch-2.5.1+cpu CPU (13th Gen Intel Core(TM) i7-13700K)\n"
    "I have an NVIDIA GeForce RTX 4070 with driver 560.94 on Windows 11\n",
    "mismatch",
)
_case(
    "docker without the toolkit",
    {"container-no-gpu"},
    'docker: Error response from daemon: could not select device driver "" with capabilities: [[gpu]].\n',
    "blocked",
)
_case(
    "docker run without its flag",
    {"container-no-gpu"},
    "docker run -it pytorch/pytorch:2.5.1-cuda12.4-cudnn9-runtime bash\nRuntimeError: Found no NVIDIA driver on your system.\n",
    "blocked",
)
_case(
    "uv wraps its reason",
    {"python-unsupported"},
    "  × No solution found when resolving dependencies:\n  ╰─▶ Because torch==2.4.1 has no wheels with a matching Python ABI tag (e.g.,\n"
    "      `cp313`) and you require torch==2.4.1, we can conclude that your\n      requirements are unsatisfiable.\n",
    "blocked",
)
_case(
    "uv names two pins",
    {"companion-pin-conflict"},
    "  ╰─▶ Because vllm==0.6.3 depends on torch==2.4.0 and your project depends on torch==2.5.1, we can conclude that your project and "
    "vllm==0.6.3 are incompatible.\n",
    "mismatch",
)
_case(
    "pip names two pins",
    {"companion-pin-conflict"},
    "ERROR: Cannot install torch==2.5.1 and vllm==0.6.3 because these package versions have conflicting dependencies.\n\n"
    "The conflict is caused by:\n    The user requested torch==2.5.1\n    vllm 0.6.3 depends on torch==2.4.0\n",
    "mismatch",
)
_case("kfd refuses", {"rocm-permission"}, "Unable to open /dev/kfd read-write: Permission denied\n", "mismatch")
_case(
    "every device masked",
    {"devices-hidden"},
    "$ echo $CUDA_VISIBLE_DEVICES\n-1\n>>> torch.cuda.is_available()\nFalse\n>>> torch.__version__\n'2.6.0+cu124'\n"
    "GPU 0: NVIDIA GeForce RTX 4090 (UUID: GPU-1)\nDriver Version: 550.90.07\n",
    "mismatch",
)
_case(
    "an old extension on a new libc",
    {"glibc-too-new"},
    "ImportError: libtorch_cpu.so: cannot enable executable stack as shared object requires: Invalid argument\ntorch 2.4.1, glibc 2.41\n",
    "mismatch",
)
_case(
    "an interpreter of 32 bits",
    {"python-32bit"},
    "Python 3.9.13 (tags/v3.9.13:6de2ca5, May 17 2022, 16:24:45) [MSC v.1929 32 bit (Intel)] on win32\n"
    "ERROR: Could not find a version that satisfies the requirement torch (from versions: none)\n",
    "blocked",
)
_case(
    "32-bit Arm",
    {"arm32"},
    "Linux raspberrypi 6.1.21-v7l+ #1642 SMP Mon Apr  3 17:22:30 BST 2023 armv7l GNU/Linux\n"
    "ERROR: Could not find a version that satisfies the requirement torch (from versions: none)\n",
    "blocked",
)
_case(
    "a Mac that works",
    set(),
    "PyTorch version: 2.3.1\nOS: macOS 14.5 (arm64)\nPython version: 3.11.9 (main, Apr  2 2024, 08:25:04) [Clang 15.0.0 "
    "(clang-1500.3.9.4)] (64-bit runtime)\nPython platform: macOS-14.5-arm64-arm-64bit\nCPU:\nApple M3 Pro\n"
    ">>> torch.backends.mps.is_available()\nTrue\n",
    "ok",
)
_case(
    "adapters that SYCL could not load are no fault",
    set(),
    "<LOADER>[INFO]: failed to load adapter 'libur_adapter_cuda.so.0' with error: libur_adapter_cuda.so.0: cannot open shared object "
    "file: No such file or directory\ntorch 2.9.0+xpu\n",
)
_case(
    "another project's name",
    set(),
    "ERROR: Could not find a version that satisfies the requirement pytorch==1.0.1 (from versions: 0.1.2, 1.0.2)\n",
)


@pytest.mark.parametrize("name", _CASES)
def test_wordings(name: str) -> None:
    text, findings, verdict = _CASES[name]
    found = diagnose_text(text, "report.txt").verdict
    assert {f.id for f in found.findings if f.severity != "note"} == findings
    if verdict:
        assert found.status == verdict
