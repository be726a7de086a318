"""torch's ``collect_env`` of every age, and the dumps that other projects made of it: vLLM, SGLang, mmcv, Transformers,
Accelerate, xFormers, Ultralytics, bitsandbytes, Lightning, and lists that people type in the same manner.
"""

from __future__ import annotations

import re

from torchdoctor.probes.reports.gpu_words import put_gpu_blocks, put_numbered_gpus
from torchdoctor.probes.reports.label_handlers import LABELS
from torchdoctor.probes.reports.labels import labelled_lines
from torchdoctor.probes.reports.packages import put_package
from torchdoctor.probes.reports.reading import CLAIMED, MEASURED, PRINTED, Reading

__all__ = ["read_dump"]

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
    ("deepspeed_env", ("deepspeed general environment info", "deepspeed info ....", "torch install path ....")),
    ("mmcv_env", ("pytorch compiling details", "sys.platform", "mmcv:")),
    ("invokeai_env", ("cuda_available", "invokeai")),
)


def read_dump(reading: Reading) -> None:
    """Facts of every labelled line, ranked higher where the text is a program's dump."""
    rank = CLAIMED
    for kind, words in _KINDS:
        hits = len(reading.words(*words))
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
        handler = LABELS.get(label)
        if handler is None:
            if label.startswith(("gpu ", "device ")):
                put_numbered_gpus(reading, index, label, value, rank)
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
        put_gpu_blocks(reading, rank)
    if labelled >= 2:
        reading.saw("free_text", 1)
