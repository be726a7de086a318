"""Which environment variables are read at all. An allow-list: a name that is not here is never looked at or recorded."""

from __future__ import annotations

import re
from collections.abc import Mapping

__all__ = ["allowed", "allowed_variables", "reported", "without_credentials"]

# Steers devices, libraries, interpreters and installers. Names that may hold a secret (UV_INDEX_x_PASSWORD) stay out.
_NAMES = frozenset({
    "PATH", "LD_LIBRARY_PATH", "LD_PRELOAD", "LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_INSERT_LIBRARIES",
    "GLIBC_TUNABLES", "MALLOC_CONF", "VIRTUAL_ENV", "CONDA_PREFIX", "CONDA_DEFAULT_ENV", "CONDA_EXE",
    "CONDA_OVERRIDE_CUDA", "CONDA_OVERRIDE_GLIBC", "PIXI_PROJECT_ROOT", "PYENV_VERSION", "PYENV_ROOT",
    "UV_PROJECT_ENVIRONMENT", "POETRY_ACTIVE", "PIPENV_ACTIVE", "PYTHONPATH", "PYTHONHOME", "PYTHONNOUSERSITE",
    "PYTHONUSERBASE", "PYTHON_GIL", "PYTHONSAFEPATH", "PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS",
    "PIP_NO_INDEX", "PIP_CONFIG_FILE", "PIP_PRE", "PIP_CONSTRAINT", "PIP_REQUIRE_VIRTUALENV", "PIP_NO_CACHE_DIR",
    "PIP_CACHE_DIR", "PIP_TARGET", "PIP_PREFIX", "PIP_USER", "PIP_ONLY_BINARY", "PIP_NO_BINARY", "PIP_PLATFORM",
    "PIP_PYTHON_VERSION", "PIP_DISABLE_PIP_VERSION_CHECK", "PIP_BREAK_SYSTEM_PACKAGES", "PIP_ROOT_USER_ACTION",
    "UV_INDEX", "UV_INDEX_URL", "UV_DEFAULT_INDEX", "UV_EXTRA_INDEX_URL", "UV_FIND_LINKS", "UV_NO_INDEX",
    "UV_INDEX_STRATEGY", "UV_TORCH_BACKEND", "UV_PYTHON", "UV_CONFIG_FILE", "UV_PRERELEASE", "UV_CONSTRAINT",
    "UV_OVERRIDE", "UV_SYSTEM_PYTHON", "UV_OFFLINE", "UV_CACHE_DIR", "UV_CUDA_DRIVER_VERSION",
    "UV_AMD_GPU_ARCHITECTURE", "UV_BREAK_SYSTEM_PACKAGES", "XDG_CONFIG_HOME", "XDG_CONFIG_DIRS", "TMPDIR", "TEMP",
    "TMP", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "MKL_SERVICE_FORCE_INTEL", "MKL_THREADING_LAYER", "KMP_AFFINITY",
    "KMP_DUPLICATE_LIB_OK", "ATEN_CPU_CAPABILITY", "DNNL_MAX_CPU_ISA", "ONEDNN_MAX_CPU_ISA", "GPU_DEVICE_ORDINAL",
    "GPU_MAX_HW_QUEUES", "LIBCUDA_PATH", "TRITON_PTXAS_PATH", "TRITON_LIBCUDA_PATH", "TRITON_CACHE_DIR",
    "TORCHINDUCTOR_CACHE_DIR", "CPATH", "CC", "CXX", "WSL_INTEROP", "WSL_DISTRO_NAME", "KUBERNETES_SERVICE_HOST",
    "container", "APPTAINER_CONTAINER", "APPTAINER_NAME", "SINGULARITY_CONTAINER", "SINGULARITY_NAME", "APPTAINER_NV",
    "SINGULARITY_NV", "APPTAINER_ROCM", "COLAB_RELEASE_TAG", "KAGGLE_KERNEL_RUN_TYPE", "SYSTEM_VERSION_COMPAT", "OS",
    "PROCESSOR_ARCHITECTURE", "PROCESSOR_ARCHITEW6432", "PROCESSOR_IDENTIFIER", "SystemRoot", "SYSTEMROOT", "WINDIR",
    "ProgramFiles", "PROGRAMFILES", "ProgramW6432", "PROGRAMW6432", "ProgramData", "PROGRAMDATA", "VCINSTALLDIR",
    "VCToolsVersion", "VCTOOLSVERSION", "MSYSTEM",
})  # fmt: skip
# Read to find things by, but no facts that anybody judges or reports.
_UNREPORTED = frozenset({
    "PATH", "XDG_CONFIG_HOME", "XDG_CONFIG_DIRS", "TMPDIR", "TEMP", "TMP", "PYENV_ROOT", "PYENV_VERSION", "CONDA_EXE",
    "WSL_INTEROP", "SYSTEMROOT", "SystemRoot", "WINDIR", "ProgramFiles", "PROGRAMFILES", "ProgramW6432",
    "PROGRAMW6432", "ProgramData", "PROGRAMDATA", "OS", "PROCESSOR_IDENTIFIER", "PROCESSOR_ARCHITECTURE",
    "PROCESSOR_ARCHITEW6432", "PIP_DISABLE_PIP_VERSION_CHECK",
})  # fmt: skip
_PREFIXES = (
    "CUDA_", "NVIDIA_", "NVSHMEM_", "CUDNN_", "CUBLAS_", "NCCL_", "HIP_", "HSA_", "ROCR_", "ROCM_", "AMDGPU_", "MIOPEN_",
    "RCCL_", "NV_VARIANT_", "ZE_", "ZES_", "ONEAPI_", "SYCL_", "UR_", "NEO", "IGC_", "TORCH_", "PYTORCH_", "TORCHINDUCTOR_", "GLOO_",
)  # fmt: skip
_SECRET = (
    "TOKEN", "SECRET", "PASSW", "PASSPHRASE", "CREDENTIAL", "APIKEY", "API_KEY", "PRIVATE", "_AUTH", "COOKIE", "USERNAME",
)  # fmt: skip
_USERINFO = r"(?<=://)[^/\s@\"']{1,400}@"
_QUERY = r"(?i)([?&](?:token|access_token|key|api_key|sig|signature|password|auth)=)[^&\s\"']{1,4000}"


def allowed(name: str) -> bool:
    """May the variable be read?"""
    return (name in _NAMES or name.startswith(_PREFIXES)) and not any(word in name.upper() for word in _SECRET)


def reported(name: str) -> bool:
    """Is the variable a fact of its own, or only a way to find others?"""
    return name not in _UNREPORTED


def without_credentials(text: str) -> str:
    """User, password and tokens are cut out of every URL in ``text``."""
    if "://" not in text:
        return text
    return re.sub(_QUERY, r"\1removed", re.sub(_USERINFO, "", text))


def allowed_variables(environ: Mapping[str, str]) -> dict[str, str]:
    """The allowed variables, sorted, credentials cut; an address that only says "inside Kubernetes" becomes ``set``."""
    kept = {}
    for name in sorted(environ):
        if allowed(name):
            value = without_credentials(environ[name])
            kept[name] = "set" if name in ("KUBERNETES_SERVICE_HOST", "WSL_INTEROP") and value else value
    return kept
