"""What each label of a dump or typed list means: one small function a label."""

from __future__ import annotations

import re
from collections.abc import Callable

from torchdoctor.probes.patterns import holds, regex
from torchdoctor.probes.reports import names, values
from torchdoctor.probes.reports.gpu_words import put_named_gpus
from torchdoctor.probes.reports.machine_words import (
    hardware_words,
    l4t_of_kernel,
    put_jetson,
    put_platform,
    put_python,
    put_system,
)
from torchdoctor.probes.reports.packages import put_package
from torchdoctor.probes.reports.reading import CLAIMED, MEASURED, PRINTED, GpuList, Reading
from torchdoctor.probes.reports.torch_words import put_torch
from torchdoctor.probes.reports.values import nothing, yes_no

__all__ = ["LABELS", "Handler"]


_DRIVER = regex(r"(?<![\d.])(\d{3}(?:\.\d{1,3}){1,2})(?![\d.])")


_DRIVER_OF_DEVICE = regex(r"\bdriver=(\d{3}\.\d{2,3}(?:\.\d{2})?)(?:\s|$)")


_RELEASE = regex(r"release (\d{1,2}\.\d{1,2})(?:, V(\d{1,2}\.\d{1,2}\.\d{1,4}))?")


_NUMBER = regex(r"(\d{1,2}\.\d{1,3}(?:\.\d{1,5})?)")


_BRANCH = regex(r"^\s?R?(\d{3})\b")


Handler = Callable[[Reading, int, str, int], None]


def _torch(reading: Reading, index: int, value: str, rank: int) -> None:
    if (
        value.startswith("torch==") and "+" in value[:30]
    ):  # a program's log of what runs: no index is asked for a local version so
        value = value[7:]
        if parsed := values.parse_torch(value):
            put_torch(reading, index, parsed, rank)
        return
    if nothing(value):
        reading.draft.miss("torch.version", f"{reading.source(index)}")
        return
    if value.startswith(("{", "[", "^", "~", ">", "<", "=")) or (
        _SPEC.search(reading.lines[index]) and not _LOGGED.search(reading.lines[index])
    ):
        return  # a requirement, not what is installed
    parsed = values.parse_torch(value)
    if parsed is None or (value[:1].isalpha() and value[:1].lower() != "v" and not value.lower().startswith("torch")):
        return
    put_torch(reading, index, parsed, rank + 3 if rank >= MEASURED else rank)  # what runs, beside what a list says
    flag = re.search(r"\((True|False|Yes|No|CUDA|XPU|MPS|NA|ROCM)\)", value)
    if flag:
        word = flag[1]
        usable = yes_no(word) if word in ("True", "False", "Yes", "No") else word != "NA"
        if usable is False and reading.has("macos-", "darwin", "arm64-arm-64bit"):
            usable = None  # the tool asks for CUDA, which says nothing of Metal
        reading.put("torch.gpu_available", usable, index, rank)
    if parsed.local is None and (variant := _spelled_variant(value)):
        reading.put("torch.variant", variant, index, rank)


_LOGGED = regex(
    r"(?:^|\s)torch=\d[\w.]{2,12}\+\w"
)  # a pair of a log: no installer's requirement has one = and a local version


_SPEC = regex(r"torch\s?(?:=\S|==|>=|<=|~=|<|>)|torch[\"']?\s?=\s?[\"'{\[]")


def _spelled_variant(value: str) -> str | None:
    if match := re.search(r"\((?:built with )?CUDA ?(\d{1,2}\.\d)|\bcu(\d{3})\b", value):
        return f"cu{match[2]}" if match[2] else values.cuda_variant(match[1])
    return "cpu" if re.search(r"\bCPU[- ]only\b|\bcpu build\b|\(CPU\)|\(cpu\)", value) else None


def _torch_cuda(reading: Reading, index: int, value: str, rank: int) -> None:
    number = _NUMBER.search(value)
    if number and not nothing(value):
        reading.put("torch.cuda", number[1], index, rank)
        reading.put("torch.variant", values.cuda_variant(number[1]), index, rank)
        return
    # collect_env prints None (or "Could not collect" beside a CUDA device) where torch.version.cuda is None; N/A means
    # a ROCm build, or no torch at all.
    if value.lower() in ("none", "could not collect") and rank == MEASURED:
        reading.draft.put("torch.cuda", "", reading.source(index), rank=rank)


def _cuda(reading: Reading, index: int, value: str, rank: int) -> None:
    # "CUDA: 12.6 (https://download.pytorch.org/whl/cu126)": a number alone may be the toolkit's or the driver's
    if variant := values.variant_of_url(value):
        reading.put("torch.variant", variant, index, rank)
    elif (number := _NUMBER.fullmatch(value)) and reading.has("nvrm version:"):
        reading.put("drivers.nvidia.cuda", number[1], index, PRINTED)  # nvidia-container-cli shows the driver's


def _torch_hip(reading: Reading, index: int, value: str, rank: int) -> None:
    number = _NUMBER.search(value)
    if number and not nothing(value):
        reading.put("torch.hip", value.split()[0], index, rank)
        reading.put("torch.variant", "rocm" + ".".join(number[1].split(".")[:2]), index, rank)


def _torch_xpu(reading: Reading, index: int, value: str, rank: int) -> None:
    if not nothing(value) and value[:1].isdigit():
        reading.put("torch.variant", "xpu", index, rank)


def _available(reading: Reading, index: int, value: str, rank: int) -> None:
    usable = yes_no(value)
    if usable is None:
        return
    if usable:  # any accelerator that answers makes the machine usable
        reading.put("torch.gpu_available", True, index, rank + 1)
    elif not reading.has("macos-", "darwin", "arm64-arm-64bit"):  # who asks for CUDA there learns nothing of Metal
        reading.put("torch.gpu_available", False, index, rank)


def _mps_built(reading: Reading, index: int, value: str, rank: int) -> None:
    if yes_no(value):
        reading.put("torch.variant", "mps", index, rank)


def _mps_available(reading: Reading, index: int, value: str, rank: int) -> None:
    _available(reading, index, value, rank)
    if yes_no(value) is False:
        reading.put("torch.gpu_available", False, index, rank)
    if yes_no(value) is False and reading.low.count("built? true") + reading.low.count("is_built() == true"):
        reading.symptom("mps-built-unavailable", index)


def _system(reading: Reading, index: int, value: str, rank: int) -> None:
    put_system(reading, index, value, rank)
    put_platform(reading, index, value, rank)
    hardware_words(reading, index, value, rank)
    if rank == CLAIMED:
        put_named_gpus(reading, index, value, rank, labelled=False)


def _kernel(reading: Reading, index: int, value: str, rank: int) -> None:
    # near the start, and not behind another label: a line of the kernel's log is no version
    match = re.match(r"[^:]{0,24}?(?<![\d.])(\d{1,2}\.\d{1,3}[\w.+~-]{0,80})", value)
    if match is None:
        return
    kernel = match[1]
    if reading.draft.value("system.os") in (None, "linux"):
        reading.put("system.kernel", kernel, index, rank)
        if "microsoft" in kernel.lower():
            reading.put("system.wsl", 2 if "WSL2" in kernel or "standard" in kernel else 1, index, rank)
            reading.put("system.os", "linux", index, rank + 1)
        if "-tegra" in kernel:
            reading.put("system.jetson", l4t_of_kernel(kernel), index, rank)
        if "x86_64" in value or "aarch64" in value:
            reading.put("system.machine", "x86_64" if "x86_64" in value else "aarch64", index, rank)


def _libc(reading: Reading, index: int, value: str, rank: int) -> None:
    match = re.search(r"(glibc|musl|libc)?[ -]?(\d{1,2}\.\d{1,2}(?:\.\d{1,2})?)", value.lower())
    if match is None or nothing(value):
        return
    libc = match[1] if match[1] in ("glibc", "musl") else "glibc"
    reading.put("system.libc", libc, index, rank)
    if match[2] in (
        "2.2.5",
        "2.9",
        "2.3.4",
        "2.10",
    ):  # not the system's: the oldest symbols an interpreter binary asks for
        return
    reading.put("system.libc_version", match[2], index, rank)


def _python(reading: Reading, index: int, value: str, rank: int) -> None:
    if values.parse_python(value) is not None:
        put_python(reading, index, value, rank)
    elif "emulat" in value.lower() and ("x64" in value.lower() or "x86" in value.lower()):
        reading.put("python.machine", "x86_64", index, rank)


def _python_name(reading: Reading, index: int, value: str, rank: int) -> None:
    if value.lower() in ("cpython", "pypy", "graalpy"):
        reading.put("python.implementation", value.lower(), index, rank)


def _machine(reading: Reading, index: int, value: str, rank: int) -> None:
    match = values.machine_in(value)
    if match:
        reading.put("system.machine", match, index, rank)
    hardware_words(reading, index, value, rank)
    put_named_gpus(reading, index, value, rank)
    if driver := _DRIVER_OF_DEVICE.search(value):
        reading.put("drivers.nvidia.version", driver[1], index, rank)


def _gpu(reading: Reading, index: int, value: str, rank: int) -> None:
    if not value or nothing(value):
        return
    put_named_gpus(reading, index, value, rank)


def _cpu_or_gpu(reading: Reading, index: int, value: str, rank: int) -> None:
    put_named_gpus(reading, index, value, rank, labelled=False)
    _cpu(reading, index, value.split(" / ")[0], rank)


def _nvidia_driver(reading: Reading, index: int, value: str, rank: int) -> None:
    if match := _DRIVER.search(value):
        reading.put("drivers.nvidia.version", match[1], index, rank)
    elif (match := _BRANCH.match(value)) and not nothing(value):
        reading.put("drivers.nvidia.version", match[1], index, rank - 1)


def _any_driver(reading: Reading, index: int, value: str, rank: int) -> None:
    low = value.lower()
    if holds(low, ("adrenalin", "amd", "amdgpu", "radeon")) or re.search(r"\d{2}\.\d\.\d{4,5}\.\d{3,5}", value):
        if match := re.search(r"\d{1,2}(?:\.\d{1,6}){1,3}", value):
            reading.put("drivers.amdgpu.version", match[0], index, rank)
        return
    if re.search(r"\b(?:i915|xe)\b", low):
        _kernel_driver(reading, index, value, rank)
        return
    _nvidia_driver(reading, index, value, rank)


def _kernel_driver(reading: Reading, index: int, value: str, rank: int) -> None:
    match = re.search(r"\b(i915|xe|amdgpu|nvidia|nouveau|radeon)\b", value)
    if match and match[1] in ("i915", "xe"):
        reading.put("drivers.intel.kernel_driver", match[1], index, rank)


def _intel_runtime(reading: Reading, index: int, value: str, rank: int) -> None:
    line = reading.lines[index]
    if loader := re.search(r"(?:libze1|level-zero)\s?[=: ]\s{0,4}(\d\.\d{1,3}\.\d{1,3})", line):
        reading.put("runtimes.level_zero", loader[1], index, rank)
    if match := re.search(r"(?<![\d.])(\d{2}\.\d{2}\.\d{4,6}(?:\.\d{1,3})?)", line):
        reading.put("drivers.intel.compute_runtime", match[1], index, rank)


def _nvcc(reading: Reading, index: int, value: str, rank: int) -> None:
    if match := _RELEASE.search(value):
        reading.put("runtimes.cuda", match[2] or match[1], index, rank)
    elif not nothing(value) and (number := _NUMBER.match(value)):
        reading.put("runtimes.cuda", number[1], index, rank)


def _rocm(reading: Reading, index: int, value: str, rank: int) -> None:
    if "module" in value:
        return  # the kernel module has numbers of its own
    if not nothing(value) and (number := _NUMBER.search(value)) and "sdk" not in value.lower().split("hip")[0]:
        reading.put("runtimes.rocm", number[1], index, rank)


def _gfx(reading: Reading, index: int, value: str, rank: int) -> None:
    gfx = names.gfx_target(value)
    if gfx:
        reading.gpu_lists.append(GpuList(rank, False, [({"vendor": "amd", "gfx": gfx}, reading.source(index))]))
    elif cc := (names.compute_capability(value) or _plain_capability(value)):
        reading.gpu_lists.append(
            GpuList(rank, False, [({"vendor": "nvidia", "compute_capability": cc}, reading.source(index))])
        )


def _plain_capability(value: str) -> str | None:
    match = re.match(r"\(?(\d{1,2})(?:\.|, ?)(\d)\)?(?:$|[^\d.])", value.strip())
    return f"{match[1]}.{match[2]}" if match else None


def _capability_seen(reading: Reading, index: int, value: str, rank: int) -> None:
    # torch.cuda.get_device_capability() of a ROCm build is the gfx target's major and minor: no compute capability.
    if reading.has("+rocm", "gfx", "radeon", "hip "):
        return
    _gfx(reading, index, value, rank)


def _cpu(reading: Reading, index: int, value: str, rank: int) -> None:
    if not value or nothing(value) or value.isdigit():
        return
    model = value.strip()
    if model.startswith(("iMac", "MacBook", "Mac mini", "Mac Pro", "Mac Studio")):
        hardware_words(reading, index, value, rank)  # the computer's name, not its processor's
        return
    if (len(model) > 3 and not model[0].isdigit()) or "gen intel" in model.lower():
        reading.put("cpu.model", model, index, rank)
    if "Intel " in model and reading.has("macos", "mac os", "imac", "macbook") and not reading.has("windows", "linux"):
        reading.put("system.machine", "x86_64", index, CLAIMED)
    hardware_words(reading, index, value, rank)
    put_named_gpus(reading, index, value, CLAIMED, labelled=False)


def _vendor(reading: Reading, index: int, value: str, rank: int) -> None:
    reading.put("cpu.vendor", value, index, rank)


def _flags(reading: Reading, index: int, value: str, rank: int) -> None:
    if value.count(" ") >= 5:
        reading.put("cpu.features", tuple(dict.fromkeys(value.split())), index, rank)


def _jetson(reading: Reading, index: int, value: str, rank: int) -> None:
    put_jetson(reading, index, "L4T " + value if value[:1] in "R3" else "JetPack " + value, rank)


def _jetpack(reading: Reading, index: int, value: str, rank: int) -> None:
    put_jetson(reading, index, "JetPack " + value, rank)


def _wsl(reading: Reading, index: int, value: str, rank: int) -> None:
    if value[:1] in ("1", "2"):
        reading.put("system.wsl", int(value[0]), index, rank)
        reading.put("system.os", "linux", index, rank + 1)


def _free_threaded(reading: Reading, index: int, value: str, rank: int) -> None:
    if "--disable-gil" in value or "Py_GIL_DISABLED=1" in value or (value == "1" and "GIL" in reading.lines[index]):
        reading.put("python.free_threaded", True, index, rank)


def _metal(reading: Reading, index: int, value: str, rank: int) -> None:
    reading.put("runtimes.metal", value if not nothing(value) else None, index, rank)


def _container(reading: Reading, index: int, value: str, rank: int) -> None:
    low = value.lower()
    for word in ("docker", "podman", "kubernetes", "lxc", "apptainer", "singularity"):
        if word in low:
            reading.put("system.container", word, index, rank)
            return


def _companion(package: str) -> Handler:
    def put(reading: Reading, index: int, value: str, rank: int) -> None:
        if (parsed := values.parse_torch(value)) and not nothing(value):
            put_package(reading, package, parsed.full, index, rank)

    return put


def _table(*rows: tuple[Handler, str]) -> dict[str, Handler]:
    return {label: handler for handler, labels in rows for label in labels.split("|")}


LABELS: dict[str, Handler] = _table(
    (_torch, "pytorch version|pytorch|torch|torch version|pytorch version gpu|pytorch version (gpu|pytorch version (gpu?|pytorch version (accelerator?|"
             "pytorch version (accelerator|pytorch.version|installed torch|torch. version|torch. version  |pytorch info|torch installed"),
    (_torch_cuda, "cuda used to build pytorch|torch.version.cuda|cuda version of torch|torch cuda version"),
    (_cuda, "cuda|cuda version"),
    (_torch_hip, "rocm used to build pytorch|torch.version.hip|rocm reported by torch|torch hip version"),
    (_torch_xpu, "xpu used to build pytorch"),
    (_available, "is cuda available|cuda available|torch.cuda.is available|torch cuda available|gpu available|is xpu available|pytorch.cuda|"
                 "cuda is available|is rocm available|pytorch xpu available|available|torch.cuda.is available()|torch.xpu.is available()|"
                 "pytorch detects gpu|torch.cuda.is available(|torch.xpu.is available("),
    (_mps_built, "is mps (metal performance shader) built|is mps metal performance shader built|mps built|torch.backends.mps.is built|torch.backends.mps.is built("),
    (_mps_available, "is mps available|mps available|torch.backends.mps.is available|torch.backends.mps.is available("),
    (_system, "os|os version|os name|operating system|system|platform|host os|distribution|distro|os platform|os name|host|python platform|image|environment|pretty name"),
    (_kernel, "kernel|kernel version|linux kernel"),
    (_libc, "libc version|libc|glibc|glibc version"),
    (_python, "python version|python|sys.version|python banner|python ver|python-version|.python-version|cpython|python interpreter|python full version"),
    (_python_name, "sys.implementation.name|implementation"),
    (_free_threaded, "python build flags|configure options|py gil disabled"),
    (_machine, "arch|architecture|machine|system type|hardware|hardware model|machine type|board|device|system info|hw"),
    (_gpu, "gpu|gpus|my gpu|my card|gpu name|gpu type|graphics|graphics card|video card|vga|dgpu|dgpu (target|gpu model|gpu(s|card|accelerator|accelerators|gpu device|"
           "name|card name|gpu.name|cuda device|device name|gpu info|rocm device detected|nvidia gpu|amd gpu|gpu 型号|xpu type|using gpu type"),
    (_cpu_or_gpu, "cpu / gpu|cpu/gpu"),
    (_gpu, "igpu (also present|igpu"),
    (_nvidia_driver, "nvrm version|nvidia driver version|nvidia driver|cuda driver version|driver version|nvidia-driver"),
    (_any_driver, "driver|gpu driver|gpu driver version|graphics driver|amd driver|display driver|adrenaline|adrenalin"),
    (_kernel_driver, "kernel driver|drm driver|kernel driver in use"),
    (_intel_runtime, "libze1|libze-intel-gpu1|intel-level-zero-gpu|compute-runtime|compute runtime|intel compute runtime|intel l0 / neo|neo|level zero|level-zero|intel-opencl-icd"),
    (_nvcc, "cuda runtime version|nvcc|cuda compilation tools|cuda toolkit|nvcc -v|cuda toolkit version|nvcc version"),
    (_rocm, "rocm|rocm version|rocm-version|hip sdk|system rocm|hip version"),
    (_gfx, "gpu arch|gfx|gfx version|target|compute capability|gpu.compute capability|gpu compute capability|gfx target|arch name"),
    (_capability_seen, "capability|device capability|torch.cuda.get device capability"),
    (_cpu, "cpu|processor|processor name|cpu model|model name|cpu name|model name |处理器|型号名称"),
    (_vendor, "vendor id|vendor id |厂商 id|manufacturer"),
    (_flags, "flags|features|标记|标志"),
    (_jetson, "l4t|l4t release|l4t version"),
    (_jetpack, "jetpack|jetpack version"),
    (_wsl, "wsl version|wsl"),
    (_metal, "metal|metal support|metal family"),
    (_container, "container|container runtime|docker|runtime environment"),
    (_companion("torchvision"), "torchvision"),
    (_companion("torchaudio"), "torchaudio"),
    (_companion("torchcodec"), "torchcodec"),
    (_companion("triton"), "triton"),
    (_companion("triton-xpu"), "triton-xpu"),
    (_companion("numpy"), "numpy|numpy version"),
    (_companion("vllm"), "vllm|vllm version"),
    (_companion("sglang"), "sglang"),
    (_companion("flash-attn"), "flash-attn|flash attn|flash attention"),
    (_companion("xformers"), "xformers"),
    (_companion("intel-extension-for-pytorch"), "ipex|ipex version|intel-extension-for-pytorch|intel extension for pytorch"),
    (_companion("intel-sycl-rt"), "intel-sycl-rt"),
    (_companion("bitsandbytes"), "bitsandbytes|bitsandbytes version"),
    (_companion("torchao"), "torchao"),
)  # fmt: skip
