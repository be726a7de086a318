from __future__ import annotations

from collections.abc import Callable

import pytest
from torchdoctor.probes.facts import Facts
from torchdoctor.probes.reports.symptoms import SYMPTOMS

# One real text for each id: the vocabulary is only as good as what it recognises.
_TEXTS = {
    "cuda-error-802": "Error 802: system not yet initialized (Triggered internally at",
    "cuda-error-803": "Error 803: system has unsupported display driver / cuda driver combination",
    "cuda-error-804": "Error 804: forward compatibility was attempted on non supported HW",
    "cuda-error-999": "CUDA initialization: CUDA unknown error - this may be due to an incorrectly set up environment",
    "cuda-error-100": "Call to cuInit results in CUDA_ERROR_NO_DEVICE (100)",
    "cuda-error-101": "Error 101: cudaErrorInvalidDevice",
    "cuda-error-34": "numba.cuda.cudadrv.driver.CudaAPIError: [34]",
    "libcuda-stub-path": "/usr/local/cuda-11.8/targets/x86_64-linux/lib/stubs/libcuda.so",
    "found-no-nvidia-driver": "RuntimeError: Found no NVIDIA driver on your system. Please check",
    "host-driver-works": "nvidia-smi on the node itself is OK (550.127.05, L40S)",
    "driver-insufficient": "CUDA driver version is insufficient for CUDA runtime version",
    "driver-library-mismatch": "Failed to initialize NVML: Driver/library version mismatch",
    "wsl-libraries-missing": "ls: cannot access '/usr/lib/wsl/lib': No such file or directory",
    "igpu-off-helps": "Disabling the iGPU in the BIOS fixed it.",
    "nvml-library-missing": "NVIDIA-SMI couldn't find libnvidia-ml.so library in your system.",
    "nvidia-smi-failed": "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.",
    "nvidia-smi-no-devices": "No devices were found",
    "nvml-unknown-error": "Failed to initialize NVML: Unknown Error",
    "nvidia-module-absent": "modprobe: FATAL: Module nvidia not found in directory /lib/modules/6.8.0",
    "nvidia-module-key": "modprobe: ERROR: could not insert 'nvidia': Required key not available",
    "no-kernel-image": "CUDA error: no kernel image is available for execution on the device",
    "invalid-ptx": "the provided PTX was compiled with an unsupported toolchain",
    "ptxas-unknown-arch": "ptxas fatal   : Value 'sm_121a' is not defined for option 'gpu-name'",
    "nvidia-module-flavour": "NVRM: installed in this system requires use of the NVIDIA open kernel modules.",
    "mig-no-instances": "No GPU instances found: Not Found",
    "cuda-not-compiled": "AssertionError: Torch not compiled with CUDA enabled",
    "xpu-not-compiled-text": "AssertionError: Torch not compiled with XPU enabled",
    "mig-device-assert": "RuntimeError: device >= 0 && device < num_gpus INTERNAL ASSERT FAILED",
    "cuda-out-of-memory": "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2 GiB",
    "container-no-driver": "WARNING: The NVIDIA Driver was not detected.  GPU functionality will not be available.",
    "container-no-gpu-capability": 'could not select device driver "" with capabilities: [[gpu]].',
    "container-no-runtime": "docker: Error response from daemon: unknown or invalid runtime name: nvidia.",
    "container-cuda-requirement": "nvidia-container-cli: requirement error: unsatisfied condition: cuda>=12.8",
    "container-brand-requirement": "unsatisfied condition: brand = tesla",
    "container-no-libcuda": "nvidia-container-cli: initialization error: load library failed",
    "container-kfd-missing": 'error gathering device information while adding custom device "/dev/kfd": no such file or directory',
    "hip-invalid-function": "RuntimeError: HIP error: invalid device function",
    "hip-invalid-image": "HIP error: device kernel image is invalid",
    "hip-no-binary": "hipErrorNoBinaryForGpu: Unable to find code object for all current devices!",
    "hip-invalid-device": "Error 101: hipErrorInvalidDevice",
    "hip-no-device": "RuntimeError: No HIP GPUs are available",
    "tensile-missing": "rocBLAS error: Cannot read /x/TensileLibrary.dat: Illegal seek for GPU arch : gfx1032",
    "kfd-denied": "Unable to open /dev/kfd read-write: Permission denied",
    "kfd-missing": "Unable to open /dev/kfd read-write: No such file or directory",
    "rock-not-loaded": "ROCk module is NOT loaded, possibly no GPU devices",
    "pcie-atomics": "kfd: skipped device 1002:66af, PCI rejects atomics 730<0",
    "xpu-device-count-zero": "UserWarning: XPU device count is zero! (Triggered internally",
    "ze-dependency": "zeInit returns 0x78000001 (ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE)",
    "ze-uninitialized": "ZE_RESULT_ERROR_UNINITIALIZED",
    "ur-error": "RuntimeError: UR error",
    "xpu-no-engine": "RuntimeError: could not create an engine",
    "xpu-no-fp64": "RuntimeError: Required aspect fp64 is not supported on the device",
    "container-user-not-root": "(container, non-root)",
    "xpu-group-added": "sudo usermod -aG render $USER",
    "mps-backend-supported-on": "RuntimeError: The MPS backend is supported on MacOS 12.3+.",
    "mps-zero-memory": "MPS backend out of memory (MPS allocated: 0 bytes, other allocations: 0 bytes, max allowed: 7.93 GB). Tried to allocate 256 bytes",
    "mps-not-built": "current PyTorch install was not built with MPS enabled: PyTorch install was not built with MPS enabled",
    "mach-o-architecture": "(mach-o file, but is an incompatible architecture (have 'x86_64', need 'arm64'))",
    "glibc-symbol": "/lib64/libm.so.6: version `GLIBC_2.27' not found (required by libcurand.so.10)",
    "glibcxx-symbol": "version `GLIBCXX_3.4.29' not found",
    "executable-stack": "cannot enable executable stack as shared object requires: Invalid argument",
    "libstdcxx-missing": "ImportError: libstdc++.so.6: cannot open shared object file: No such file or directory",
    "missing-library": "ImportError: libcudart.so.12: cannot open shared object file: No such file or directory",
    "undefined-symbol-torch": "flash_attn_2_cuda.so: undefined symbol: _ZN3c105ErrorC2ENS_14SourceLocation",
    "undefined-symbol-companion": "OSError: /x/torchaudio/lib/libtorchaudio.so: undefined symbol: _ZNK5torch8autograd4Node4nameEv",
    "libcuda-not-found": "Error: libcuda.so: cannot open shared object file: No such file or directory",
    "ipex-needs-other-torch": "ERROR! Intel® Extension for PyTorch* needs to work with PyTorch 2.6.*, but PyTorch 2.7.1+xpu is found.",
    "build-isolation": "error: subprocess-exited-with-error",
    "cudnn-version-differs": "RuntimeError: cuDNN version incompatibility: PyTorch was compiled against (9, 1, 0)",
    "extension-procedure-missing": "ImportError: DLL load failed while importing torch_cluster_cuda: The specified procedure could not be found.",
    "flash-attention-gpu": "RuntimeError: FlashAttention only supports Ampere GPUs or newer.",
    "no-module-torch": "ModuleNotFoundError: No module named 'torch'",
    "nvidia-device-taken": "NVRM: The NVIDIA probe routine was not called for 1 device(s).",
    "oneapi-library-version": "version `LIBUR_LOADER_0.11' not found (required by libsycl.so.8)",
    "undefined-symbol-level-zero": "libur_adapter_level_zero.so.0: undefined symbol: zesInit",
    "xformers-gpu-too-new": "requires device with capability <= (9, 0) but your GPU has capability (12, 0) (too new)",
    "xformers-no-operator": "NotImplementedError: No operator found for `memory_efficient_attention_forward`",
    "nvidia-module-unknown": "modinfo: ERROR: Module nvidia not found.",
    "xformers-built-for": "xFormers was built for:",
    "undefined-symbol-nvidia": "nvidia/cusparse/lib/libcusparse.so.12: undefined symbol: __nvJitLinkAddData_12_1",
    "undefined-symbol-nccl": "libtorch_cuda.so: undefined symbol: ncclCommRegister",
    "undefined-symbol-ittnotify": "libtorch_cpu.so: undefined symbol: iJIT_NotifyEvent",
    "undefined-symbol-other": "undefined symbol: foo",
    "cudnn-load-failed": "Could not load library libcudnn_cnn_train.so.8. Error: undefined",
    "dll-load-failed": "ImportError: DLL load failed while importing _C",
    "winerror-126": "OSError: [WinError 126] The specified module could not be found. Error loading c10.dll",
    "winerror-127": "OSError: [WinError 127] The specified procedure could not be found. Error loading c10.dll",
    "winerror-1114": "OSError: [WinError 1114] DLL initialization routine failed. Error loading c10.dll",
    "winerror-193": "OSError: [WinError 193] %1 is not a valid Win32 application",
    "winerror-1455": "OSError: [WinError 1455] The paging file is too small",
    "linux-driver-package": "ii  nvidia-driver-535   535.183.01-0ubuntu0.22.04.1   amd64   NVIDIA driver metapackage",
    "illegal-instruction": "Illegal instruction (core dumped)",
    "lse-instruction": "(ldaddal, Cortex-A72)",
    "no-avx2-error": "RuntimeError: Your CPU does not support FBGEMM.",
    "amd-mask-helps": "If I set HIP_VISIBLE_DEVICES=0 everything runs.",
    "no-avx2-said": "8 core Intel CPU, no avx2",
    "no-avx-said": "this CPU does not support AVX",
    "mmap-alignment": "mmap(NULL, 6144375816, PROT_READ, MAP_PRIVATE, 3, 0xd8000) = -1 EINVAL (Invalid argument)",
    "jemalloc-page": "<jemalloc>: Unsupported system page size",
    "elf-alignment": "ELF load command alignment not page-aligned",
    "bus-error-worker": "ERROR: Unexpected bus error encountered in worker.",
    "shm-full": "OSError: [Errno 28] No space left on device: '/dev/shm/torch_1'",
    "openmp-duplicate": "OMP: Error #15: Initializing libiomp5md.dll",
    "numpy-abi": "A module that was compiled using NumPy 1.x cannot be run in",
    "torchvision-operator": "RuntimeError: operator torchvision::nms does not exist",
    "torch-c-folder": "It appears that PyTorch has loaded the `torch/_C` folder",
    "torch-c-missing": "ModuleNotFoundError: No module named 'torch._C'",
    "bnb-no-kernel": "Error no kernel image is available for execution on the device at line 62 in file /src/csrc/ops.cu",
    "bnb-library-missing": "CUDA SETUP: Required library version not found: libbitsandbytes_cuda121_nocublaslt.so",
    "mixed-cuda-text": "nvrtc: error: failed to open libnvrtc-builtins.so.12.1",
    "disk-full": "OSError: [Errno 28] No space left on device",
    "disk-quota": "OSError: [Errno 122] Disk quota exceeded",
    "hash-mismatch": "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.",
    "bad-zip": "zipfile.BadZipFile: File is not a zip file (torch-2.6.0-cp312-cp312-win_amd64.whl)",
    "incomplete-download": "IncompleteRead(1 bytes read, 2 more expected)",
    "long-path": "since this system does not have Windows Long Path support enabled.",
    "externally-managed": "error: externally-managed-environment",
    "no-wheel-said": "torch: no win_arm64 wheel for cp314",
    "no-cuda-packages": "pip list   # no nvidia-cudnn / nvidia-cublas packages",
    "poetry-no-candidate": "Unable to find installation candidates for torch (2.5.1+cpu)",
    "vc-runtime-missing": "The code execution cannot proceed because VCRUNTIME140_1.dll was not found.",
    "poetry-no-version": "Because app depends on torch (2.6.0+cpu) which doesn't match any versions, version solving failed.",
    "poetry-pin": "And because vllm (0.6.3) depends on torch (2.4.0), vllm is forbidden",
    "wheel-404": "404: https://developer.download.nvidia.com/torch-2.1.0a0-cp310-cp310-linux_aarch64.whl",
    "driver-incompatible-said": "PyTorch/CUDA driver incompatibility; fixed with a newer image",
    "gpu-model-memory": "(GPU 0; 23.52 GiB total; 0 bytes free)",
}


@pytest.mark.parametrize(
    "line",
    [
        'if "no kernel image is available" in str(error):',
        "    elif 'no kernel image is available' in message:",
        'assert "no kernel image is available" not in log',
        'with pytest.raises(RuntimeError, match=r"no kernel image is available"):',
        "E   AssertionError: expected 'no kernel image is available' in message",
        "$ grep -rn 'no kernel image is available' logs/",
        'docker logs x | findstr "no kernel image is available"',
    ],
)
def test_what_is_looked_for_was_not_said(facts_of: Callable[[str], Facts], line: str) -> None:
    assert not facts_of(f"{line}\n").symptoms
    said = facts_of(f"{line}\nCUDA error: no kernel image is available for execution on the device\n").symptoms or ()
    assert [(s.id, s.line) for s in said] == [("no-kernel-image", 2)]


@pytest.mark.parametrize("id", sorted({row.id for row in SYMPTOMS}))
def test_each_id_is_recognised_in_its_text(facts_of: Callable[[str], Facts], id: str) -> None:
    facts = facts_of(f"something before\n{_TEXTS[id]}\n")
    assert facts.symptoms is not None
    found = {s.id: s for s in facts.symptoms}
    assert id in found
    assert found[id].line == 2
    text = found[id].text
    assert text and text in _TEXTS[id]


@pytest.mark.parametrize(
    "text",
    [
        "Error 8021: something else",
        "PCIe atomics are supported",
        "No devices were found faulty in the lab",
        "libfoo.so: loaded",
        "usermod -aG docker $USER",
        "the CPU supports AVX and AVX2",
        "failed to load adapter with error: libur_adapter_cuda.so.0: cannot open shared object file",
        "MPS backend out of memory (MPS allocated: 8.1 GB, other allocations: 1 GB, max allowed: 9.07 GB). Tried to allocate 256.00 MB",
        "404 people like torch",
    ],
)
def test_what_proves_nothing(facts_of: Callable[[str], Facts], text: str) -> None:
    quiet = {"disk-full", "cuda-error-802"} if "8021" in text else set()
    found = {s.id for s in facts_of(text).symptoms or ()} - quiet
    assert found <= {"dll-load-failed"}


def test_an_id_is_kept_once_at_its_first_line(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of("Illegal instruction\nProgram received signal SIGILL\n")
    assert [(s.id, s.line) for s in facts.symptoms or ()] == [("illegal-instruction", 1)]


def test_the_text_is_short_and_holds_no_credentials(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of("Errno 28 at https://me:secret@host.example/ " + "x" * 1000)
    assert facts.symptoms is not None
    text = facts.symptoms[0].text or ""
    assert len(text) <= 400 and "secret" not in text


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("Crash in the first matmul unless I disable the integrated gpu in the BIOS", True),
        ("After turning the iGPU off in BIOS everything is fine.", True),
        ("It only works when I disable the integrated graphics in UEFI", True),
        ("With the iGPU disabled it works", True),
        ("hangs until the onboard graphics is switched off", True),
        ("Disabling the iGPU does not help", False),
        ("I turned off the iGPU and nothing works", False),
        ("I disabled the integrated graphics to save power", False),
    ],
)
def test_what_helps_once_the_integrated_gpu_is_off(facts_of: Callable[[str], Facts], text: str, seen: bool) -> None:
    assert ("igpu-off-helps" in [s.id for s in facts_of(text).symptoms or ()]) is seen


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("ERROR: Cannot create container for service worker: Unknown runtime specified nvidia", True),
        ('Error: default OCI runtime "nvidia" not found: invalid argument', True),
        ('exec: "nvidia-container-runtime-hook": executable file not found in $PATH: unknown.', True),
        ('exec: "nvidia-smi": executable file not found in $PATH: unknown.', False),
        ('Error: default OCI runtime "crun" not found: invalid argument', False),
    ],
)
def test_an_engine_without_the_toolkit(facts_of: Callable[[str], Facts], text: str, seen: bool) -> None:
    assert ("container-no-runtime" in [s.id for s in facts_of(text).symptoms or ()]) is seen


@pytest.mark.parametrize(
    ("text", "id", "seen"),
    [
        ("On the host nvidia-smi works (driver 535)", "host-driver-works", True),
        ("On the host `nvidia-smi` shows my 3090", "host-driver-works", True),
        ("host nvidia-smi is fine", "host-driver-works", True),
        ("nvidia-smi works fine on the host", "host-driver-works", True),
        ("outside the container, nvidia-smi works", "host-driver-works", True),
        ("nvidia-smi works", "host-driver-works", False),
        ("nvidia-smi on the host does not work", "host-driver-works", False),
        ("on the host nvidia-smi shows no devices", "host-driver-works", False),
        ("unable to write to file </torch_12_238_0>: No space left on device (28)", "disk-full", False),
        ("OSError: [Errno 28] No space left on device: '/tmp/torch'", "disk-full", True),
        ("cuInit(0) returns 999 after the resume", "cuda-error-999", True),
        ("ImportError: DLL load failed while importing amp_C: The specified procedure could not be found.", "extension-procedure-missing", True),
        ("works only with ROCR_VISIBLE_DEVICES=1", "amd-mask-helps", True),
        ("with HIP_VISIBLE_DEVICES=0 it still does not work", "amd-mask-helps", False),
        ("RuntimeError: this CPU does not support AVX2", "no-avx2-error", True),
        ("the CPU does not support AVX2", "no-avx2-error", False),
        ("libtorch_xpu.so: undefined symbol: _ZN4sycl3_V16detail9join_implE", "oneapi-library-version", True),
        ("/opt/intel/oneapi/compiler/2024.2/lib/libsycl.so.8: undefined symbol: urEventRelease", "oneapi-library-version", True),
        ("libc10.so: undefined symbol: _ZN3c105ErrorC2E", "oneapi-library-version", False),
        ("nvidia-smi on the host fails as well", "host-driver-works", False),
        ("from pytorch3d import _C\nImportError: DLL load failed while importing _C: The specified procedure could not be found.", "extension-procedure-missing", True),
        ("from torch._C import *\nImportError: DLL load failed while importing _C: The specified procedure could not be found.", "extension-procedure-missing", False),
    ],
)  # fmt: skip
def test_what_the_words_around_decide(facts_of: Callable[[str], Facts], text: str, id: str, seen: bool) -> None:
    assert (id in [s.id for s in facts_of(text).symptoms or ()]) is seen


@pytest.mark.parametrize(
    "text",
    [
        "Instruction non permise (core dumped)",
        "Ungültiger Maschinenbefehl (Speicherabzug geschrieben)",
        "非法指令 (核心已转储)",
    ],
)
def test_a_signal_in_another_language(facts_of: Callable[[str], Facts], text: str) -> None:
    assert [s.id for s in facts_of(text).symptoms or ()] == ["illegal-instruction"]


@pytest.mark.parametrize(
    "text",
    [
        "Library not found: /v/lib/python3.12/site-packages/bitsandbytes/libbitsandbytes_cuda130.so.",
        "Could not find the bitsandbytes CUDA binary at WindowsPath('C:/v/bitsandbytes/libbitsandbytes_cuda129.dll')",
        "Configured CUDA binary not found at /v/bitsandbytes/libbitsandbytes_cuda128.so",
        "CUDA SETUP: Required library version not found: libbitsandbytes_cuda118_nocublaslt.so. Maybe you need to compile it",
        "OSError: /v/bitsandbytes/libbitsandbytes_cuda117.so: cannot open shared object file: No such file or directory",
    ],
)
def test_every_wording_of_a_missing_library(facts_of: Callable[[str], Facts], text: str) -> None:
    assert "bnb-library-missing" in [s.id for s in facts_of(text).symptoms or ()]


def test_a_library_that_loads_is_not_missing(facts_of: Callable[[str], Facts]) -> None:
    text = "CUDA SETUP: Loading binary /v/bitsandbytes/libbitsandbytes_cuda117.so...\nnot found: nothing\n"
    assert "bnb-library-missing" not in [s.id for s in facts_of(text).symptoms or ()]


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("ii  libnvidia-compute-550:amd64  550.120-0ubuntu0.24.04.1  amd64  NVIDIA libcompute package", True),
        ("nvidia-driver-535/jammy-updates,now 535.183.01-0ubuntu0.22.04.1 amd64 [installed]", True),
        ("rc  nvidia-driver-470  470.256.02-0ubuntu0.22.04.1  amd64  NVIDIA driver metapackage", False),
        ("sudo apt install nvidia-driver-550", False),
        ("nvidia-driver-535/jammy-updates 535.183.01-0ubuntu0.22.04.1 amd64", False),
    ],
)
def test_an_installed_driver_package(facts_of: Callable[[str], Facts], text: str, seen: bool) -> None:
    assert ("linux-driver-package" in [s.id for s in facts_of(text).symptoms or ()]) is seen


@pytest.mark.parametrize(
    "text",
    [
        "NVMLError_LibRmVersionMismatch",
        "RM has detected an NVML/RM version mismatch.",
        "Failed to initialize NVML: Driver/library version mismatch",
    ],
)
def test_two_halves_of_a_driver(facts_of: Callable[[str], Facts], text: str) -> None:
    assert [s.id for s in facts_of(text).symptoms or ()] == ["driver-library-mismatch"]
