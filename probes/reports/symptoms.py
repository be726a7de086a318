"""The vocabulary of error texts: symptom id → the words that prove that the error was seen.

Each row is an id, the literal that must occur in a line (lower case: the cheap test), and a pattern for the whole line
where the literal alone does not settle it, in lower case too: ignoring case makes a pattern three times as dear to compile.
Patterns are linear: bounded repeats, no nesting.
"""

from __future__ import annotations

import re

from torchdoctor.probes.frozen import dataclass
from torchdoctor.probes.patterns import holds, regex
from torchdoctor.probes.reports.generalities import general_lines
from torchdoctor.probes.reports.reading import Reading

__all__ = ["SYMPTOMS", "Row", "read_symptoms"]


@dataclass(frozen=True, slots=True)
class Row:
    """One error text."""

    id: str
    literal: str
    pattern: re.Pattern[str] | None = None


def _row(id: str, literal: str, pattern: str | None = None) -> Row:
    return Row(id, literal, regex(pattern) if pattern else None)


_IGPU = r"(?:(?:the|my|that|its) )?(?:\w{2,12} )?(?:igpu|integrated (?:gpu|graphics)|onboard graphics)"
_OFF = (
    rf"(?:(?:disabl(?:ed|es?|ing)|(?:turn|switch)(?:ed|s|ing)? off|hid(?:es?|ing|den)?) {_IGPU}\b|(?:turn|switch)(?:ed|s|ing)? {_IGPU} off\b"
    rf"|{_IGPU} (?:(?:is|was|gets|being) )?(?:disabled|turned off|switched off|off|hidden)\b)"
)
# The cure first, then what it does; or what is wrong first, then what it takes to be right.
_IGPU_OFF = (
    rf"{_OFF}(?:(?!n't|\b(?:not|never|nothing|without|no)\b).){{0,60}}\b(?:fix(?:es|ed)?|solve[sd]?|helps?|helped|works?|worked|(?:is|are|runs?) (?:fine|ok|good|stable))\b"
    rf"|\b(?:crash\w{{0,3}}|segfault\w{{0,3}}|hangs?|freezes?|fails?|only works?|works? only|n't work|not work)\b.{{0,60}}\b(?:unless|until|when|if|after|once)\b.{{0,16}}{_OFF}"
)

# "If I set HIP_VISIBLE_DEVICES=0 everything runs", "works with ROCR_VISIBLE_DEVICES=1".
_MASK = r"(?:hip|rocr)_visible_devices[`'\"]? ?(?:=|to|as) ?[`'\"]?\d\b"
_MASK_HELPS = (
    rf"{_MASK}(?:(?!n't|\b(?:not|never|nothing|no|still)\b).){{0,50}}\b(?:fix(?:es|ed)?|solve[sd]?|help(?:s|ed)|works?|worked|runs?|fine|ok)\b"
    rf"|\b(?:works?|runs?|fine|ok|fixed|solved) (?:\w{{1,8}} ){{0,3}}(?:with|by|when|if|after|once|setting) .{{0,24}}{_MASK}"
)
_OFF_DISK = r"^(?!.{0,300}(?:/dev/shm|<?/?torch_\d{1,9}_\d))"  # shared memory is no disk
_WORKS = r"(?:(?!n't|\b(?:not|no|never|fails?)\b).){0,24}\b(?:ok|fine|works?|working|shows?|lists?|sees?)\b(?! (?:no|nothing|an? error)\b)"
_SMI = r"[`'\"]?nvidia-smi[`'\"]?"
_HOST = r"the (?:bare |docker )?(?:host|node|server|vm)(?: itself| machine| side)?"
# Where it was run before or behind the program's name, or the container that it was run outside of.
_HOST_WORKS = (
    rf"{_SMI} (?:itself )?(?:on|from|in|at) {_HOST}\b{_WORKS}|\b(?:on|at) {_HOST},? (?:itself,? )?{_SMI}{_WORKS}|\bhost(?:'s)? {_SMI}{_WORKS}"
    rf"|{_SMI}{_WORKS}.{{0,24}}\b(?:on {_HOST}|outside (?:of )?(?:the container|docker))\b"
    rf"|\boutside (?:of )?(?:the container|docker),? {_SMI}{_WORKS}"
)

SYMPTOMS: tuple[Row, ...] = (
    # CUDA driver and runtime
    _row("cuda-error-802", "system not yet initialized"),
    _row("cuda-error-802", "error 802", r"cu[di].{0,200}error 802|error 802 ?:"),
    _row("cuda-error-802", "cuda_error_system_not_ready"),
    _row("cuda-error-802", "cudaerrorsystemnotready"),
    _row("cuda-error-803", "error 803", r"cu[di].{0,200}error 803|error 803 ?:"),
    _row("cuda-error-803", "system has unsupported display driver / cuda driver combination"),
    _row("cuda-error-804", "forward compatibility was attempted on non supported hw"),
    _row("cuda-error-804", "error 804", r"cu[di].{0,200}error 804|error 804 ?:"),
    _row("cuda-error-804", "cuda_error_compat_not_supported_on_device"),
    _row("cuda-error-999", "cuda unknown error"),
    _row("cuda-error-999", "error 999", r"cu[di].{0,200}error 999|error 999 ?: ?unknown"),
    _row("cuda-error-999", "cuda_error_unknown"),
    _row("cuda-error-999", "cuda runtime error (999)"),
    _row("cuda-error-999", "error=999 "),
    _row("cuda-error-999", "cuinit", r"\bcuinit\b.{0,24}\b(?:returns?|returned|gives|gave|failed with|fails with|->|→|=|:) ?(?:error )?999\b"),
    _row("cuda-error-100", "cuda_error_no_device"),
    _row("cuda-error-100", "no cuda-capable device is detected"),
    _row("cuda-error-101", "cudaerrorinvaliddevice"),
    _row("cuda-error-34", "cuda driver is a stub library"),
    _row("cuda-error-34", "cuda_error_stub_library"),
    _row("cuda-error-34", "error 34", r"cu[di].{0,200}error 34\b|error 34 ?: ?cuda"),
    _row("cuda-error-34", "cudaapierror: [34]"),
    _row("libcuda-stub-path", "/stubs/libcuda.so"),
    _row("found-no-nvidia-driver", "found no nvidia driver on your system"),
    _row("host-driver-works", "nvidia-smi", _HOST_WORKS),
    _row("host-driver-works", "nvidia.com/gpu", r"\b(?:allocatable|capacity)\b.{0,40}nvidia\.com/gpu:? {0,8}[1-9]"),
    _row("driver-insufficient", "cuda driver version is insufficient for cuda runtime version"),
    _row("driver-library-mismatch", "nvml/rm version mismatch"),
    _row("driver-library-mismatch", "librmversionmismatch"),
    _row("driver-library-mismatch", "driver/library version mismatch"),
    _row("nvml-library-missing", "couldn't find libnvidia-ml.so"),
    _row("wsl-libraries-missing", "/usr/lib/wsl/lib", r"cannot access '?/usr/lib/wsl/lib\S{0,30}: no such file"),
    _row("linux-driver-package", "nvidia-driver-", r"^\s{0,4}ii\s{1,4}nvidia-driver-\d{3}|^\s{0,4}nvidia-driver-\d{3}\S{0,30}/\S{1,60} .{0,80}\[installed"),
    _row("linux-driver-package", "libnvidia-compute-", r"^\s{0,4}ii\s{1,4}libnvidia-compute-\d{3}|^\s{0,4}libnvidia-compute-\d{3}\S{0,30}/\S{1,60} .{0,80}\[installed"),
    _row("nvidia-smi-failed", "couldn't communicate with the nvidia driver"),
    _row("nvidia-smi-no-devices", "no devices were found", r"^\s{0,8}no devices were found\.?\s*$"),
    _row("nvml-unknown-error", "failed to initialize nvml: unknown error"),
    _row("nvidia-module-unknown", "module nvidia not found", r"modinfo.{0,40}module nvidia"),
    _row("nvidia-module-absent", "module nvidia not found", r"modprobe.{0,40}module nvidia"),
    _row("nvidia-module-key", "required key not available"),
    _row("nvidia-module-key", "key was rejected by service", r"'nvidia(?:[_-]\w{1,12})?'"),
    _row("nvidia-module-flavour", "requires use of the nvidia open kernel modules"),
    _row("mig-no-instances", "no gpu instances found"),
    _row("nvidia-device-taken", "the nvidia probe routine was not called for"),
    _row("no-kernel-image", "no kernel image is available for execution", r"^(?!.{0,300}csrc[/\\]{1,4}ops\.cu)"),
    _row("bnb-no-kernel", "no kernel image is available for execution", r"csrc[/\\]{1,4}ops\.cu"),
    _row("no-kernel-image", "cudaerrornokernelimagefordevice"),
    _row("invalid-ptx", "the provided ptx was compiled with an unsupported toolchain"),
    _row("ptxas-unknown-arch", "is not defined for option 'gpu-name'", r"value 'sm_\d{2,3}[af]?' is not defined"),
    _row("cuda-not-compiled", "torch not compiled with cuda enabled"),
    _row("xpu-not-compiled-text", "torch not compiled with xpu enabled"),
    _row("mig-device-assert", "device >= 0 && device < num_gpus"),
    _row("cuda-out-of-memory", "cuda out of memory"),
    # containers
    _row("container-no-driver", "the nvidia driver was not detected"),
    _row("container-no-gpu-capability", "could not select device driver", r"could not select device driver.{0,60}\bgpu\b"),
    _row("container-no-runtime", "unknown or invalid runtime name: nvidia"),
    _row("container-no-runtime", "unknown runtime specified nvidia"),
    _row("container-no-runtime", "oci runtime", r'oci runtime "nvidia" not found'),
    _row("container-no-runtime", "executable file not found in $path", r"nvidia-container-(?:runtime|toolkit|cli)\S{0,12} ?: executable file not found"),
    _row("container-cuda-requirement", "unsatisfied condition: cuda"),
    _row("container-brand-requirement", "unsatisfied condition: brand"),
    _row("container-no-libcuda", "nvidia-container-cli: initialization error"),
    _row("container-kfd-missing", "adding custom device", r"adding custom device .{0,4}/dev/(?:kfd|dri).{0,20}no such file"),
    # ROCm
    _row("hip-invalid-function", "invalid device function"),
    _row("hip-invalid-image", "device kernel image is invalid"),
    _row("hip-invalid-image", "hiperrorinvalidimage"),
    _row("hip-no-binary", "hiperrornobinaryforgpu"),
    _row("hip-no-binary", "no kernel image is available for execution on the device", r"hip error|hiperror"),
    _row("hip-no-binary", "unable to find code object for all current devices"),
    _row("hip-invalid-device", "hiperrorinvaliddevice"),
    _row("hip-no-device", "no hip gpus are available"),
    _row("hip-no-device", "hiperrornodevice"),
    _row("tensile-missing", "tensilelibrary", r"cannot read .{0,300}tensilelibrary\S{0,60}: (?:no such file|illegal seek)"),
    _row("kfd-denied", "unable to open /dev/kfd read-write: permission denied"),
    _row("kfd-denied", "/dev/kfd", r"/dev/kfd.{0,40}permission denied|permission denied.{0,40}/dev/kfd"),
    *(_row("amd-mask-helps", word, _MASK_HELPS) for word in ("hip_visible_devices", "rocr_visible_devices")),
    *(_row("igpu-off-helps", word, _IGPU_OFF) for word in ("igpu", "integrated gpu", "integrated graphics", "onboard graphics")),
    _row("kfd-missing", "unable to open /dev/kfd read-write: no such file"),
    _row("rock-not-loaded", "rock module is not loaded"),
    _row("pcie-atomics", "pcie atomic", r"pcie atomic(?:s| ops)?\S{0,2}.{0,40}(?:not supported|unsupported|disabled|missing)"),
    _row("pcie-atomics", "rejects atomics"),
    _row("pcie-atomics", "without pcie atomics"),
    _row("pcie-atomics", "no pcie atomics"),
    _row("pcie-atomics", "atomic", r"pcie atomics (?:are )?not"),
    # Intel
    _row("xpu-device-count-zero", "xpu device count is zero"),
    _row("xpu-device-count-zero", "no xpu devices are available"),
    _row("ze-dependency", "ze_result_error_dependency_unavailable"),
    _row("ze-dependency", "0x78000001"),
    _row("ze-uninitialized", "ze_result_error_uninitialized"),
    _row("ur-error", "ur error", r"\bur error"),
    _row("xpu-no-engine", "could not create an engine"),
    _row("xpu-no-fp64", "double type is not supported"),
    _row("xpu-no-fp64", "aspect fp64 is not supported"),
    _row("xpu-no-fp64", "required aspect fp64"),
    _row("container-user-not-root", "non-root", r"\bnon-root\b"),
    _row("xpu-group-added", "usermod", r"usermod\b.{0,40}\b(?:render|video)\b"),
    # Apple
    _row("mps-backend-supported-on", "mps backend is supported on mac"),
    _row("mps-backend-supported-on", "mps not available because the current macos version is not"),
    _row("mps-zero-memory", "mps backend out of memory", r"mps allocated: 0 bytes.{0,60}tried to allocate [\d.]{1,8} (?:bytes|kb)"),
    _row("mps-not-built", "pytorch install was not built with mps enabled"),
    _row("mach-o-architecture", "incompatible architecture", r"\(have '\w{3,8}', need '\w{3,8}"),
    # loader and processor
    _row("glibc-symbol", "glibc_2.", r"version .?glibc_2\.\d{1,2}.? not found"),
    _row("glibcxx-symbol", "glibcxx_3.", r"version .?glibcxx_3\.[\d.]{1,6}.? not found"),
    _row("executable-stack", "cannot enable executable stack"),
    _row("libstdcxx-missing", "libstdc++.so.6: cannot open shared object file"),
    _row("missing-library", "cannot open shared object file", r"^(?!.{0,300}(?:onnxruntime|tensorrt|nvinfer|tensorflow|jaxlib|paddle|cupy|ctranslate2)).{0,2000}?\b(lib(?!ur_adapter|av|sw)[\w+.-]{2,80}\.so(?:\.\d{1,3}){0,3}): cannot open shared object file"),
    _row("missing-library", "image not found", r"library not loaded"),
    _row("undefined-symbol-companion", "undefined symbol", r"torch(?:audio|vision|codec|text)\S{0,120}: undefined symbol"),
    _row("undefined-symbol-torch", "undefined symbol", r"^(?!.*torch(?:audio|vision|codec|text)).*undefined symbol: ?_?_?z\w{0,12}(?:c10|at[0-9]|torch|caffe2)"),
    _row("undefined-symbol-nvidia", "undefined symbol", r"(?:nvidia|cuda)\S{0,120}/lib\w{2,40}\.so\S{0,20}: undefined symbol|undefined symbol: \w{1,300}, version lib(?:cu|nv|nccl)\w{2,30}\.so|undefined symbol: (?:__nvjitlink|cublas|cudnn|cusparse|_zn5cudnn|ncclcommregister)"),
    _row("undefined-symbol-nccl", "undefined symbol: nccl"),
    _row("undefined-symbol-ittnotify", "undefined symbol: ijit_"),
    _row("undefined-symbol-level-zero", "undefined symbol: ze", r"libur_adapter_level_zero\S{0,24}: undefined symbol: ze[a-z]"),
    _row("undefined-symbol-other", "undefined symbol"),
    _row("cudnn-load-failed", "could not load library libcudnn", r"^(?!.*libcuda\.so).*could not load"),
    _row("libcuda-not-found", "libcuda.so", r"libcuda\.so(?:\.1)?: cannot open shared object"),
    _row("ipex-needs-other-torch", "needs to work with pytorch"),
    _row("cudnn-version-differs", "cudnn version incompatibility"),
    _row("oneapi-library-version", "libur_loader_", r"version .?libur_loader_[\d.]{1,8}.? not found"),
    _row("oneapi-library-version", "/oneapi/", r"/oneapi/[\w./-]{1,200}\.so[\d.]{0,12}: version .{1,60} not found \(required by"),
    _row("dll-load-failed", "dll load failed"),
    _row("extension-procedure-missing", "importing _c: the specified procedure could not be found"),
    _row("extension-procedure-missing", "dll load failed while importing", r"importing (?:_ext|amp_c|apex_c|syncbn|fused_\w{2,30}|torch_\w{2,40}|\w{0,40}_cuda\w{0,12}): the specified procedure could not be found"),
    _row("winerror-126", "winerror 126"),
    _row("winerror-126", "error 126"),
    _row("winerror-126", "could not find module", r"torch[\\/]{1,2}lib[\\/]{1,2}\w{2,40}\.dll.{0,4}\(or one of its dependencies\)"),
    _row("winerror-127", "winerror 127"),
    _row("winerror-1114", "winerror 1114"),
    _row("winerror-193", "winerror 193"),
    _row("winerror-1455", "winerror 1455"),
    _row("oneapi-library-version", "/oneapi/", r"/oneapi/[\w./-]{1,200}\.so[\d.]{0,12}: undefined symbol"),
    _row("oneapi-library-version", "undefined symbol: _zn", r"undefined symbol: _znk?4sycl\w{1,400}"),
    _row("oneapi-library-version", "version libsycl.so", r"undefined symbol: \w{1,400}, version libsycl\.so"),
    _row("illegal-instruction", "illegal instruction"),
    _row("illegal-instruction", "sigill"),
    # the C library translates the name of a signal
    _row("illegal-instruction", "instruction non permise"),
    _row("illegal-instruction", "ungültiger maschinenbefehl"),
    _row("illegal-instruction", "instrucción ilegal"),
    _row("illegal-instruction", "instrução ilegal"),
    _row("illegal-instruction", "istruzione non consentita"),
    _row("illegal-instruction", "недопустимая инструкция"),
    _row("illegal-instruction", "非法指令"),
    _row("illegal-instruction", "exited with signal: some(4)"),
    _row("illegal-instruction", "status_illegal_instruction"),
    _row("illegal-instruction", "0xc000001d"),
    _row("illegal-instruction", "exit code 132"),
    _row("lse-instruction", "ldadd", r"\bldadd(?:al|a|l)?\b"),
    _row("no-avx2-said", "avx2", r"\b(?:no|without|lacks?|missing|not support(?:ed)?|doesn't (?:have|support)|does not (?:have|support)) avx2\b|avx2 (?:is )?(?:not (?:supported|available)|missing)"),
    _row("no-avx2-error", "your cpu does not support fbgemm"),
    _row("no-avx2-error", "avx2", r"^\W{0,12}(?:[\w.]{0,60}(?:error|exception)|fatal|abort(?:ed)?)\b.{0,120}\b(?:cpu|processor|machine|host)\b.{0,24}(?:not support|lacks?|without) avx2\b"),
    _row("no-avx-said", "avx", r"\b(?:no|without|lacks?|doesn't (?:have|support)|does not (?:have|support)) avx\b(?!2)|avx (?:is )?not (?:supported|available)"),
    _row("mmap-alignment", "einval", r"mmap\(.{0,160}\) = -1 einval"),
    _row("jemalloc-page", "unsupported system page size"),
    _row("elf-alignment", "not page-aligned", r"elf load command"),
    _row("bus-error-worker", "unexpected bus error encountered in worker"),
    _row("shm-full", "unable to write to file </torch_"),
    _row("shm-full", "no space left on device", r"/dev/shm|torch_\d{1,9}_\d{1,12}"),
    _row("openmp-duplicate", "omp: error #15"),
    # packages
    _row("numpy-abi", "a module that was compiled using numpy 1.x cannot be run in"),
    _row("numpy-abi", "numpy is not available", r"runtimeerror: numpy is not available"),
    _row("numpy-abi", "_array_api not found"),
    _row("torchvision-operator", "operator torchvision::nms does not exist"),
    _row("xformers-built-for", "was built for", r"xformers|built for:?\s{0,8}pytorch \d"),
    _row("torchvision-operator", "couldn't load custom c++ ops"),
    _row("torch-c-folder", "torch has loaded the `torch/_c` folder"),
    _row("torch-c-missing", "no module named 'torch._c'"),
    _row("no-module-torch", "no module named 'torch'"),
    _row("no-module-torch", "no module named torch", r"no module named torch\s*$"),
    _row("build-isolation", "getting requirements to build wheel"),
    _row("build-isolation", "metadata-generation-failed"),
    _row("build-isolation", "subprocess-exited-with-error"),
    _row("build-isolation", "egg_info"),
    _row("build-isolation", "setup.py"),
    _row("build-isolation", "build dependencies"),
    _row("flash-attention-gpu", "flashattention only supports ampere gpus or newer"),
    _row("xformers-gpu-too-new", "but your gpu has capability", r"\(too new\)"),
    _row("xformers-no-operator", "no operator found for `memory_efficient_attention"),
    _row("bnb-library-missing", "libbitsandbytes_cuda", r"(?:not found|could not find|can(?:not|'t) find|no such file|unable to find)\b.{0,200}libbitsandbytes_cuda\w{2,24}|libbitsandbytes_cuda\w{2,24}\.\w{2,5}\S{0,2}.{0,40}(?:not found|cannot open shared object|no such file|does not exist)"),
    _row("mixed-cuda-text", "nvrtc: error: failed to open", None),
    _row("disk-full", "errno 28", _OFF_DISK),
    _row("disk-full", "no space left on device", _OFF_DISK),
    _row("disk-full", "not enough free disk space"),
    _row("disk-full", "there is not enough space on the disk"),
    _row("disk-quota", "errno 122"),
    _row("hash-mismatch", "do not match the hashes from the requirements file"),
    _row("hash-mismatch", "hash mismatch for"),
    _row("bad-zip", "badzipfile"),
    _row("bad-zip", "file is not a zip file"),
    _row("bad-zip", "invalid wheel", r"has an invalid wheel|bad crc-32"),
    _row("incomplete-download", "incompleteread"),
    _row("incomplete-download", "incomplete-download"),
    _row("long-path", "windows long path support enabled"),
    _row("long-path", "enable-long-paths"),
    _row("long-path", "winerror 206"),
    _row("externally-managed", "externally-managed-environment"),
    _row("no-wheel-said", "no win", r"no (?:win_arm64|win_amd64|manylinux\S{0,24}|macosx\S{0,24}|musllinux\S{0,24}) wheels?"),
    _row("no-cuda-packages", "nvidia-c", r"no (?:nvidia-)?(?:cudnn|cublas)|without (?:nvidia-)?(?:cudnn|cublas)"),
    _row("no-cuda-packages", "cudnn", r"\bno (?:nvidia-)?cudnn ?/ ?(?:nvidia-)?cublas"),
    _row("poetry-no-candidate", "unable to find installation candidates for torch"),
    _row("vc-runtime-missing", "vcruntime140", r"\bvcruntime140(?:_1)?\.dll (?:was |is )?(?:not (?:be )?found|missing)|(?:not find|missing) vcruntime140(?:_1)?\.dll"),
    _row("vc-runtime-missing", "msvcp140", r"\bmsvcp140(?:_\w{1,12})?\.dll (?:was |is )?(?:not (?:be )?found|missing)|(?:not find|missing) msvcp140(?:_\w{1,12})?\.dll"),
    _row("poetry-no-version", "which doesn't match any versions", r"depends on torch \("),
    _row("poetry-pin", "version solving failed", r"depends on .{0,80}\btorch \((?!.{0,60}match any versions)"),
    _row("poetry-pin", "is forbidden", r"depends on torch \("),
    _row("wheel-404", "404", r"404.{0,200}torch-\S{5,160}\.whl"),
    _row("driver-incompatible-said", "driver incompatib"),
    _row("gpu-model-memory", "0 bytes free"),
)  # fmt: skip

_BY_LITERAL: dict[str, list[Row]] = {}
for _r in SYMPTOMS:
    _BY_LITERAL.setdefault(_r.literal, []).append(_r)


#: Packages whose compiled half is called _C.
_WITH_A_C = (
    "detectron2",
    "pytorch3d",
    "groundingdino",
    "nvdiffrast",
    "gsplat",
    "simple_knn",
    "diff_gaussian",
    "kaolin",
    "torchsparse",
    "vllm",
)


def read_symptoms(reading: Reading) -> None:
    """Every error text of the table, at its first line."""
    found: dict[int, list[Row]] = {}
    listed: set[int] | None = None
    low = reading.low
    for literal, rows in _BY_LITERAL.items():
        if literal not in low:
            continue
        if rows[0].id == "bad-zip" and not reading.has(".whl", "pip ", "uv ", "wheel"):
            continue  # data sets and checkpoints are archives too
        if literal.startswith("importing _c:") and not reading.has(*_WITH_A_C):
            continue  # torch has an extension of that name, too
        at = low.find(literal)
        for row in rows:
            if listed is None:
                listed = general_lines(reading)
            index = _first(reading, row, at, listed)
            if index is not None:
                found.setdefault(index, []).append(row)
    for index in sorted(found):
        for row in found[index]:
            text = reading.lines[index]
            if row.id.startswith("winerror") and "Error loading" not in text and index + 1 < len(reading.lines):
                text = f"{text.strip()} {reading.lines[index + 1].strip()}"  # a localised message may break the line
            reading.symptom(row.id, index, text)


def _first(reading: Reading, row: Row, at: int, listed: set[int]) -> int | None:
    """Index of the first line that says the row's text; a pattern is tried on at most 200 lines that hold the literal."""
    for _ in range(200):
        index = reading.low.count("\n", 0, at)
        said = row.pattern is None or row.pattern.search(reading.lines[index][:4096].lower())
        if said and index not in listed and not _looked_for(reading, at):
            return index
        end = reading.low.find("\n", at)
        at = reading.low.find(row.literal, end) if end >= 0 else -1
        if at < 0:
            break
    return None


_LOOKED_FOR = regex(
    r"\b(?:grep|findstr|select-string)\b[^|;&]{0,80}$|\b(?:if|elif|assert|while|and|or|not) \(?[\"'][^\"']{0,200}$"
    r"|\bmatch ?= ?r?[\"'][^\"']{0,200}$|\bexpected [\"'][^\"']{0,200}$"
)


def _looked_for(reading: Reading, at: int) -> bool:
    """A program that compares, a test that expects or a command that looks for the text at ``at`` has not said it."""
    start = max(reading.low.rfind("\n", 0, at) + 1, at - 300)
    before = reading.low[start:at]
    return holds(before, ('"', "'", "grep", "findstr", "select-string")) and _LOOKED_FOR.search(before) is not None
