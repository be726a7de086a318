"""torch's ``collect_env`` of every age, and the dumps that other projects made of it: vLLM, SGLang, mmcv, Transformers,
Accelerate, xFormers, Ultralytics, bitsandbytes, Lightning, and lists that people type in the same manner.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from torchdoctor.probes.reports import names, values
from torchdoctor.probes.reports.labels import label_of, labelled_lines
from torchdoctor.probes.reports.packages import put_package
from torchdoctor.probes.reports.reading import CLAIMED, MEASURED, PRINTED, GpuList, Reading
from torchdoctor.probes.reports.values import nothing, yes_no

__all__ = ["read_dump"]

# Words that only a program's dump holds, and the kind that they give away; the first that matches names the kind.
_KINDS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("vllm_collect_env", ("vllm version", "vllm build flags", "pytorch version              :", "vllm info")),
    ("sglang_check_env", ("sgl_kernel:", "sglang:", "sgl-kernel:")),
    (
        "collect_env",
        (
            "is debug build",
            "ipex commit",
            "pytorch cxx11 abi",
            "cuda used to build pytorch",
            "gpu models and configuration",
            "cuda_module_loading set to",
        ),
    ),
    ("bitsandbytes", ("python -m bitsandbytes", "cuda setup:", "bitsandbytes v")),
    (
        "transformers_env",
        ("`transformers` version", "- huggingface_hub version", "`diffusers` version", "🤗 diffusers version"),
    ),
    ("accelerate_env", ("`accelerate` version", "- accelerate` version")),
    ("xformers_info", ("memory_efficient_attention.", "pytorch.version", "gpu.compute_capability")),
    ("ultralytics_checks", ("ultralytics yolo", "ultralytics 8", "ultralytics 🚀")),
    ("lightning_env", ("* cuda:", "lightning-utilities", "* packages:")),
    ("mmcv_env", ("pytorch compiling details", "sys.platform", "mmcv:")),
    ("invokeai_env", ("cuda_available", "invokeai")),
)

_GPU_LINE = re.compile(r"^\s*(?:GPU|Device|Card)\s{0,3}#?((?:\d{1,3}[,\s-]{0,2}){1,64})\s{0,8}[:=|]?\s{1,24}(\S.{0,200})$|^\s*(?:GPU|Device|Card)\s{0,3}#?(\d{1,3}):(\S.{0,200})$")  # fmt: skip
_MIG = re.compile(r"^\s{1,12}MIG (\d{1,2}[gc][\w.+]{2,24})\s")
_XPU_PROPERTIES = re.compile(r"name='([^']{1,100})'")
_XPU_ID = re.compile(r"device_id=0x([0-9A-Fa-f]{3,4})")
_TOTAL_MEMORY = re.compile(r"total_memory=(\d{1,8})\s?MB")
_DRIVER = re.compile(r"(?<![\d.])(\d{3}(?:\.\d{1,3}){1,2})(?![\d.])")
_RELEASE = re.compile(r"release (\d{1,2}\.\d{1,2})(?:, V(\d{1,2}\.\d{1,2}\.\d{1,4}))?")
_NUMBER = re.compile(r"(\d{1,2}\.\d{1,3}(?:\.\d{1,5})?)")
_BRANCH = re.compile(r"^\s?R?(\d{3})\b")

Handler = Callable[[Reading, int, str, int], None]


def read_dump(reading: Reading) -> None:
    """Facts of every labelled line, ranked higher where the text is a program's dump."""
    rank = CLAIMED
    for kind, words in _KINDS:
        hits = sum(w in reading.low for w in words)
        if hits >= (
            1
            if kind in ("vllm_collect_env", "bitsandbytes", "transformers_env", "accelerate_env", "ultralytics_checks")
            else 2
        ):
            reading.saw(kind, 40 + hits)
            rank = MEASURED
            break
    else:
        if reading.has("pytorch version", "cuda used to build"):
            rank = PRINTED
    packages = reading.has("sglang:", "sgl_kernel", "related packages", "memory_efficient_attention.")
    labelled = 0
    for index, label, value in labelled_lines(reading):
        if index in reading.taken:
            continue
        handler = _LABELS.get(label)
        if handler is None:
            if label.startswith(("gpu ", "device ")):
                _gpu_numbered(reading, index, label, value, rank)
            elif (
                packages
                and rank == MEASURED
                and re.fullmatch(r"\d{1,4}\.\d{1,3}\S{0,40}", value)
                and re.fullmatch(r"[a-z][\w. -]{1,40}", label)
            ):
                put_package(reading, label.replace(" ", "-"), value, index, rank)
            continue
        labelled += 1
        handler(reading, index, value, rank)
    if rank > CLAIMED:
        _gpu_blocks(reading, rank)
    if labelled >= 2:
        reading.saw("free_text", 1)


# ---- torch


def _torch(reading: Reading, index: int, value: str, rank: int) -> None:
    if nothing(value):
        reading.draft.miss("torch.version", f"{reading.source(index)}")
        return
    if value.startswith(("{", "[", "^", "~", ">", "<", "=")) or _SPEC.search(reading.lines[index]):
        return  # a requirement, not what is installed
    parsed = values.parse_torch(value)
    if parsed is None or (value[:1].isalpha() and value[:1].lower() != "v" and not value.lower().startswith("torch")):
        return
    put_torch(reading, index, parsed, rank + 3 if rank >= MEASURED else rank)  # what runs, beside what a list says
    flag = re.search(r"\((True|False|Yes|No|CUDA|XPU|MPS|NA|ROCM)\)", value)
    if flag:
        word = flag[1]
        usable = yes_no(word) if word in ("True", "False", "Yes", "No") else word != "NA"
        reading.put("torch.gpu_available", usable, index, rank)
    if parsed.local is None and (variant := _spelled_variant(value)):
        reading.put("torch.variant", variant, index, rank)


_SPEC = re.compile(r"torch\s?(?:=\S|==|>=|<=|~=|<|>)|torch[\"']?\s?=\s?[\"'{\[]")


def _spelled_variant(value: str) -> str | None:
    if match := re.search(r"\((?:built with )?CUDA ?(\d{1,2}\.\d)|\bcu(\d{3})\b", value):
        return f"cu{match[2]}" if match[2] else values.cuda_variant(match[1])
    return "cpu" if re.search(r"\bCPU[- ]only\b|\bcpu build\b|\(CPU\)|\(cpu\)", value) else None


def put_torch(reading: Reading, index: int, parsed: values.TorchVersion, rank: int) -> None:
    """The installed torch and, where its local part names one, its variant."""
    reading.put("torch.version", parsed.full, index, rank)
    if parsed.variant:
        reading.put("torch.variant", parsed.variant, index, rank + 2)
    put_package(reading, "torch", parsed.full, index, rank)
    local = parsed.local or ""
    if re.search(r"(?:^|\.)nv\d\d\.\d\d", local):
        reading.put("torch.origin", "vendor", index, rank)
    elif "git" in local and not parsed.variant:
        reading.put("torch.origin", "source", index, rank)
    elif ".dev" in parsed.version:
        reading.put("torch.origin", "nightly", index, rank)


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
    else:
        reading.put("torch.gpu_available", False, index, rank)


def _mps_built(reading: Reading, index: int, value: str, rank: int) -> None:
    if yes_no(value):
        reading.put("torch.variant", "mps", index, rank)


def _mps_available(reading: Reading, index: int, value: str, rank: int) -> None:
    _available(reading, index, value, rank)
    if yes_no(value) is False and reading.low.count("built? true") + reading.low.count("is_built() == true"):
        reading.symptom("mps-built-unavailable", index)


# ---- system and interpreter


def put_system(reading: Reading, index: int, value: str, rank: int) -> bool:
    """An operating system by name. Returns whether one was named."""
    found = values.parse_system(value)
    if found is None:
        return False
    for path in ("os", "name", "version", "machine", "wsl"):
        reading.put(f"system.{path}", getattr(found, path), index, rank)
    low = value.lower()
    if found.name == "Alpine Linux":
        reading.put("system.libc", "musl", index, rank)
    if "64-bit" in low and found.os == "linux" and found.machine is None:
        reading.draft.miss("system.machine", f"{reading.source(index)}: 64-bit, of no named architecture")
    return True


def _system(reading: Reading, index: int, value: str, rank: int) -> None:
    put_system(reading, index, value, rank)
    put_platform(reading, index, value, rank)
    hardware_words(reading, index, value, rank)
    if rank == CLAIMED:
        put_named_gpus(reading, index, value, rank, labelled=False)


def put_platform(reading: Reading, index: int, value: str, rank: int) -> None:
    """A ``platform.platform()`` string."""
    found = values.parse_platform(value)
    if found is None:
        return
    reading.put("system.os", found.os, index, rank)
    reading.put("system.kernel", found.kernel, index, rank)
    reading.put("system.wsl", found.wsl, index, rank)
    reading.put("system.page_size", found.page_size, index, rank)
    reading.put("system.libc", found.libc if found.libc != "libc" else None, index, rank - 1)
    if found.os == "macos":
        reading.put("python.machine", found.machine, index, rank)
        # 10.16 is what an interpreter linked with an old SDK is told on every later macOS
        if found.version and found.version != "10.16":
            reading.put("system.version", found.version, index, rank - 1)
    reading.put("system.machine", found.machine, index, rank - 1)
    if found.libc == "glibc" and _reads_confstr(reading):
        reading.put("system.libc_version", found.libc_version, index, rank - 1)
    if found.tegra and found.kernel:
        reading.put("system.jetson", _l4t_of_kernel(found.kernel), index, rank - 1)


def _reads_confstr(reading: Reading) -> bool:
    # Up to Python 3.8 platform.platform() searched the interpreter's binary for the newest symbol version instead.
    version = reading.draft.value("python.version")
    match = re.match(r"3\.(\d{1,2})", version or "")
    return match is not None and int(match[1]) >= 9


def _l4t_of_kernel(kernel: str) -> str | None:
    # The L4T major that ships this kernel line: 4.9 with JetPack 4, 5.10 with 5, 5.15 with 6, 6.8 with 7.
    return {"4.9": "32", "5.10": "35", "5.15": "36", "6.8": "38"}.get(".".join(kernel.split(".")[:2]))


def _kernel(reading: Reading, index: int, value: str, rank: int) -> None:
    match = re.search(r"\d{1,2}\.\d{1,3}[\w.+~-]{0,80}", value)
    if match is None:
        return
    kernel = match[0]
    if reading.draft.value("system.os") in (None, "linux"):
        reading.put("system.kernel", kernel, index, rank)
        if "microsoft" in kernel.lower():
            reading.put("system.wsl", 2 if "WSL2" in kernel or "standard" in kernel else 1, index, rank)
            reading.put("system.os", "linux", index, rank + 1)
        if "-tegra" in kernel:
            reading.put("system.jetson", _l4t_of_kernel(kernel), index, rank)
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


def put_python(reading: Reading, index: int, value: str, rank: int) -> None:
    """An interpreter by its banner or bare version."""
    found = values.parse_python(value)
    if found is None:
        return
    for path in ("version", "free_threaded", "bits", "implementation", "machine", "environment"):
        fact = getattr(found, path)
        if path == "version" and fact and fact.count(".") == 1:
            reading.put("python.version", fact, index, rank - 1)  # a fuller version is the better answer
        else:
            reading.put(f"python.{path}", fact, index, rank)
    reading.put("system.os", found.os, index, rank - 1)
    low = value.lower()
    if "amd64" in low or "x64" in low:
        reading.put("python.machine", "x86_64", index, rank)
    if "emulat" in low or "rosetta" in low:
        reading.put("python.machine", "x86_64", index, rank)
    if "aarch64" in low or "arm64" in low:
        reading.put("python.machine", "aarch64", index, rank)


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


# ---- GPUs and drivers


def put_named_gpus(
    reading: Reading, index: int, value: str, rank: int, *, labelled: bool = True, complete: bool = False
) -> None:
    """The GPUs that a line names, with the gfx target, compute capability and PCI id beside them."""
    found = names.find_gpus(value, labelled=labelled)
    gfx = names.gfx_target(value)
    if not found:
        if gfx and labelled:
            cards = [
                {"vendor": "amd", "gfx": g, "integrated": names.is_integrated(reading.lines[index])}
                for g in names.gfx_targets(value)
            ]
            reading.gpu_lists.append(GpuList(rank, complete, [(card, reading.source(index)) for card in cards]))
        return
    rows = GpuList(rank, complete)
    for named in found:
        fields = dict(named.fields)
        around = value[named.start : named.end + 90]
        if fields["vendor"] == "nvidia":
            fields["compute_capability"] = names.compute_capability(around)
            if match := re.search(r"\|\s?(\d{1,2}\.\d)\s*$", value):
                fields["compute_capability"] = fields["compute_capability"] or match[1]
        elif fields["vendor"] == "amd":
            fields["gfx"] = names.gfx_target(around) or (gfx if len(found) == 1 else None)
        fields["pci_id"] = names.pci_id(around) or (
            names.intel_device_id(around) if fields["vendor"] == "intel" else None
        )
        owner = {"10de": "nvidia", "1002": "amd", "8086": "intel"}.get((fields["pci_id"] or "")[:4])
        if owner != fields["vendor"]:
            fields["pci_id"] = None
        fields["integrated"] = names.is_integrated(around)
        fields = {k: v for k, v in fields.items() if v is not None}
        rows.gpus.extend((dict(fields), reading.source(index)) for _ in range(named.count))
    reading.gpu_lists.append(rows)


def _gpu(reading: Reading, index: int, value: str, rank: int) -> None:
    if not value or nothing(value):
        return
    put_named_gpus(reading, index, value, rank)


def _cpu_or_gpu(reading: Reading, index: int, value: str, rank: int) -> None:
    put_named_gpus(reading, index, value, rank, labelled=False)
    _cpu(reading, index, value.split(" / ")[0], rank)


def _gpu_numbered(reading: Reading, index: int, label: str, value: str, rank: int) -> None:
    """``GPU 0,1: NVIDIA H100 NVL`` and ``GPU 0,1 Compute Capability: 9.0``."""
    numbers = re.match(r"(?:gpu|device) #?((?:\d{1,3}[, ]{0,2}){1,64})(.{0,40})$", label)
    if numbers is None or nothing(value):
        return
    count = len(re.findall(r"\d+", numbers[1]))
    rest = numbers[2].strip()
    source = reading.source(index)
    if rest == "":
        fields = names.gpu_from_name(value.split("(UUID")[0].split("  ")[0].strip())
        if fields.get("vendor") is None and rank == CLAIMED:
            return
        fields.setdefault("vendor", "nvidia")
        if fields.get("vendor") == "nvidia":
            fields["compute_capability"] = names.compute_capability(value)
        fields = {k: v for k, v in fields.items() if v is not None}
        last = reading.gpu_lists[-1] if reading.gpu_lists else None
        if last is None or last.rank != rank + 1 or not last.complete or index - last.last > 3:
            last = GpuList(rank + 1, True)
            reading.gpu_lists.append(last)
        last.gpus.extend((dict(fields), source) for _ in range(count))
        last.last = index
    elif rest == "compute capability" and (match := re.match(r"(\d{1,2}\.\d)", value)):
        rows = GpuList(
            rank, False, [({"vendor": "nvidia", "compute_capability": match[1]}, source) for _ in range(count)]
        )
        reading.gpu_lists.append(rows)


def _gpu_blocks(reading: Reading, rank: int) -> None:
    """The block below "GPU models and configuration" where its lines carry no number, MIG slices, and Intel's bullets."""
    lines = reading.lines
    for index, line in enumerate(lines):
        low = line.lower()
        if "gpu models and configuration" in low:
            first = line.partition(":")[2].strip()
            rows = GpuList(rank + 1, True)
            if first and not nothing(first) and not re.match(r"GPU \d", first):
                _bare_gpu(rows, first, reading.source(index))
            if not re.match(r"GPU \d", first):
                for at in range(index + 1, min(index + 65, len(lines))):
                    text = lines[at].strip()
                    if not text or ":" in text.replace("sramecc", "").replace(":xnack", "") or text.startswith("MIG "):
                        break
                    _bare_gpu(rows, text, reading.source(at))
            else:
                label = label_of(first)
                if label:
                    _gpu_numbered(reading, index, label[0], label[1], rank)
            if rows.gpus:
                reading.gpu_lists.append(rows)
        elif low.startswith(("intel gpu models onboard", "intel gpu models detected")):
            rows = GpuList(rank + 1, True)
            for at in range(index + 1, min(index + 33, len(lines))):
                text = lines[at].strip()
                if not text.startswith("*"):
                    break
                rows.gpus.append((xpu_fields(text.lstrip("* ")), reading.source(at)))
            if rows.gpus:
                reading.gpu_lists.append(rows)
        elif _MIG.match(line):
            reading.symptom("mig-slice", index)


def xpu_fields(text: str) -> dict[str, object]:
    """A GPU from a device name or a ``_XpuDeviceProperties(…)`` text."""
    fields: dict[str, object] = {"vendor": "intel"}
    match = _XPU_PROPERTIES.search(text)
    name = match[1] if match else re.sub(r"^\[\d+\]:?\s?", "", text).strip()
    fields["name"] = name
    if match := _XPU_ID.search(text):
        fields["pci_id"] = f"8086:{match[1].lower():0>4}"
    elif pci := names.intel_device_id(text):
        fields["pci_id"] = pci
    if match := _TOTAL_MEMORY.search(text):
        fields["memory"] = int(match[1]) * 1024**2
    return fields


def _bare_gpu(rows: GpuList, text: str, source: str) -> None:
    fields = names.gpu_from_name(text)
    if fields.get("vendor"):
        rows.gpus.append((fields, source))


def _nvidia_driver(reading: Reading, index: int, value: str, rank: int) -> None:
    if match := _DRIVER.search(value):
        reading.put("drivers.nvidia.version", match[1], index, rank)
    elif (match := _BRANCH.match(value)) and not nothing(value):
        reading.put("drivers.nvidia.version", match[1], index, rank - 1)


def _any_driver(reading: Reading, index: int, value: str, rank: int) -> None:
    low = value.lower()
    if any(w in low for w in ("adrenalin", "amd", "amdgpu", "radeon")) or re.search(
        r"\d{2}\.\d\.\d{4,5}\.\d{3,5}", value
    ):
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


# ---- processor


def _cpu(reading: Reading, index: int, value: str, rank: int) -> None:
    if not value or nothing(value) or value.isdigit():
        return
    model = value.strip()
    if (len(model) > 3 and not model[0].isdigit()) or "gen intel" in model.lower():
        reading.put("cpu.model", model, index, rank)
    hardware_words(reading, index, value, rank)
    put_named_gpus(reading, index, value, CLAIMED, labelled=False)


def _vendor(reading: Reading, index: int, value: str, rank: int) -> None:
    reading.put("cpu.vendor", value, index, rank)


def _flags(reading: Reading, index: int, value: str, rank: int) -> None:
    if value.count(" ") >= 5:
        reading.put("cpu.features", tuple(dict.fromkeys(value.split())), index, rank)


_APPLE = re.compile(r"\b(?:Apple |Mac(?:Book)?[\w ]{0,24}?\(?)?\b(M[1-9](?: (?:Pro|Max|Ultra))?)\b")


def hardware_words(reading: Reading, index: int, value: str, rank: int) -> None:
    """Machines whose name settles more than it says: Apple silicon, Raspberry Pi, Jetson, DGX Spark."""
    low = value.lower()
    if ("apple" in low or "mac" in low) and (match := _APPLE.search(value)):
        reading.put("cpu.model", f"Apple {match[1]}", index, rank)
        reading.put("system.machine", "aarch64", index, MEASURED + 2)
        reading.put("system.os", "macos", index, CLAIMED - 1)
        reading.gpu_lists.append(
            GpuList(
                rank - 1,
                False,
                [({"vendor": "apple", "name": f"Apple {match[1]}", "integrated": True}, reading.source(index))],
            )
        )
    if "raspberry pi" in low:
        if match := re.search(r"raspberry pi \d[\w+. ]{0,8}", low):
            reading.put("cpu.model", "Raspberry Pi" + value[match.start() + 12 : match.end()].rstrip(), index, rank - 1)
        reading.put("system.os", "linux", index, CLAIMED - 1)
    if "jetpack" in low or "l4t" in low or "tegra" in low:
        put_jetson(reading, index, value, rank)


def put_jetson(reading: Reading, index: int, value: str, rank: int) -> None:
    """The L4T release, or the JetPack that gives its major away."""
    match = re.search(
        r"(?:L4T|Release)?[ :]{0,3}\bR(\d{2})\.(\d{1,2}(?:\.\d{1,2})?)|\bL4T[ :]{0,3}(\d{2})\.(\d{1,2}(?:\.\d{1,2})?)",
        value,
    )
    match = match or re.search(r"R(\d{2}) \(release\), REVISION: (\d{1,2}(?:\.\d{1,2})?)", value)
    if match:
        major, minor = (match[1], match[2]) if match[1] else (match[3], match[4])
        reading.put("system.jetson", f"{major}.{minor}", index, rank + 1)
    elif match := re.search(r"JetPack(?: Version)?[ :]{0,3}(\d)", value, re.I):
        release = {"4": "32", "5": "35", "6": "36", "7": "38"}.get(match[1])
        reading.put("system.jetson", release, index, rank - 1)
    if match:
        reading.put("system.os", "linux", index, rank - 1)
        reading.put("system.machine", "aarch64", index, rank - 1)


def _jetson(reading: Reading, index: int, value: str, rank: int) -> None:
    put_jetson(reading, index, "L4T " + value if value[:1] in "R3" else "JetPack " + value, rank)


def _jetpack(reading: Reading, index: int, value: str, rank: int) -> None:
    put_jetson(reading, index, "JetPack " + value, rank)


def _wsl(reading: Reading, index: int, value: str, rank: int) -> None:
    if value[:1] in "12":
        reading.put("system.wsl", int(value[0]), index, rank)
        reading.put("system.os", "linux", index, rank + 1)


def _free_threaded(reading: Reading, index: int, value: str, rank: int) -> None:
    if "--disable-gil" in value or "Py_GIL_DISABLED=1" in value:
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


_LABELS: dict[str, Handler] = _table(
    (_torch, "pytorch version|pytorch|torch|torch version|pytorch version gpu|pytorch version (gpu|pytorch version (gpu?|pytorch version (accelerator?|"
             "pytorch version (accelerator|pytorch.version|installed torch|torch. version|torch. version  |pytorch info|torch installed"),
    (_torch_cuda, "cuda used to build pytorch|torch.version.cuda|cuda version of torch"),
    (_cuda, "cuda|cuda version"),
    (_torch_hip, "rocm used to build pytorch|torch.version.hip|rocm reported by torch"),
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
    (_free_threaded, "python build flags|configure options"),
    (_machine, "arch|architecture|machine|system type|hardware|hardware model|machine type|board|device|system info|hw"),
    (_gpu, "gpu|gpus|gpu name|gpu type|graphics|graphics card|video card|vga|dgpu|dgpu (target|gpu model|gpu(s|card|accelerator|accelerators|gpu device|"
           "name|card name|gpu.name|cuda device|device name|gpu info|rocm device detected|nvidia gpu|amd gpu|gpu 型号|xpu type|using gpu type"),
    (_cpu_or_gpu, "cpu / gpu|cpu/gpu"),
    (_gpu, "igpu (also present|igpu"),
    (_nvidia_driver, "nvidia driver version|nvidia driver|cuda driver version|driver version|nvidia-driver"),
    (_any_driver, "driver|gpu driver|gpu driver version|graphics driver|amd driver|display driver|adrenaline|adrenalin"),
    (_kernel_driver, "kernel driver|drm driver|kernel driver in use"),
    (_intel_runtime, "libze1|libze-intel-gpu1|intel-level-zero-gpu|compute-runtime|compute runtime|intel compute runtime|intel l0 / neo|neo|level zero|level-zero|intel-opencl-icd"),
    (_nvcc, "cuda runtime version|nvcc|cuda compilation tools|cuda toolkit|nvcc -v|cuda toolkit version"),
    (_rocm, "rocm|rocm version|rocm-version|hip sdk|system rocm|hip version"),
    (_gfx, "gpu arch|gfx|gfx version|target|compute capability|gpu.compute capability|gpu compute capability|gfx target|arch name"),
    (_capability_seen, "capability|device capability|torch.cuda.get device capability"),
    (_cpu, "cpu|processor|cpu model|model name|cpu name|model name |处理器|型号名称"),
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
