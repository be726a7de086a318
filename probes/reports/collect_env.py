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

#: The kind of a dump, how many of its words must be there, and the words.
_KINDS: tuple[tuple[str, int, tuple[str, ...]], ...] = (
    ("vllm_collect_env", 1, ("vllm version", "vllm build flags", "pytorch version              :", "vllm info")),
    ("sglang_check_env", 2, ("sgl_kernel:", "sglang:", "sgl-kernel:")),
    (
        "collect_env",
        2,
        (
            "is debug build",
            "ipex commit",
            "pytorch cxx11 abi",
            "cuda used to build pytorch",
            "gpu models and configuration",
            "cuda_module_loading set to",
        ),
    ),
    ("bitsandbytes", 1, ("python -m bitsandbytes", "cuda setup:", "bitsandbytes v")),
    (
        "transformers_env",
        1,
        ("`transformers` version", "- huggingface_hub version", "`diffusers` version", "🤗 diffusers version"),
    ),
    ("accelerate_env", 1, ("`accelerate` version", "- accelerate` version")),
    ("xformers_info", 2, ("memory_efficient_attention.", "pytorch.version", "gpu.compute_capability")),
    ("ultralytics_checks", 1, ("ultralytics yolo", "ultralytics 8", "ultralytics 🚀")),
    ("lightning_env", 2, ("* cuda:", "lightning-utilities", "* packages:")),
    ("deepspeed_env", 2, ("deepspeed general environment info", "deepspeed info ....", "torch install path ....")),
    ("mmcv_env", 2, ("pytorch compiling details", "sys.platform", "mmcv:")),
    ("invokeai_env", 2, ("cuda_available", "invokeai")),
)
_WORDS = tuple(dict.fromkeys(word for _, _, words in _KINDS for word in words))


def read_dump(reading: Reading) -> None:
    """Facts of every labelled line, ranked higher where the text is a program's dump."""
    rank = CLAIMED
    present = reading.words(*_WORDS)
    for kind, needed, words in _KINDS if present else ():
        hits = sum(word in present for word in words)
        if hits >= needed:
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
