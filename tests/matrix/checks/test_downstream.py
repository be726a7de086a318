from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from torchdoctor.matrix.checks.downstream import made_for
from torchdoctor.matrix.verdict import Finding

Examine = Callable[..., dict[str, Finding]]
Machine = Callable[..., dict[str, Any]]

TORCH = {"torch": "2.5.1+cu124"}


@pytest.mark.parametrize(
    ("version", "torch", "cuda", "cxx11"),
    [
        ("2.6.3+cu123torch2.4cxx11abiFALSE", (2, 4), (12, 3), False),
        ("2.7.4+cu12torch2.5cxx11abiTRUE", (2, 5), (12, -1), True),
        ("2.1.2+pt25cu124", (2, 5), (12, 4), None),
        ("0.3.0+cu121", None, (12, 1), None),
        ("1.0", None, None, None),
        ("1.0+local", None, None, None),
        (None, None, None, None),
    ],
)
def test_what_a_version_says_it_was_made_for(
    version: str | None, torch: tuple[int, int] | None, cuda: tuple[int, int] | None, cxx11: bool | None
) -> None:
    made = made_for(version)
    assert (made.torch, made.cuda, made.cxx11) == (torch, cuda, cxx11)


def _why(findings: dict[str, Finding], id: str = "downstream-abi-mismatch") -> str | None:
    return findings[id].detail if id in findings else None


@pytest.mark.parametrize(
    ("name", "version", "words"),
    [
        ("flash-attn", "2.6.3+cu123torch2.4cxx11abiFALSE", "compiled for torch 2.4"),
        ("flash-attn", "2.7.4+cu12torch2.5cxx11abiFALSE", None),
        ("flash-attn", "2.7.4+cu12torch2.5cxx11abiTRUE", "the new C++ ABI"),
        ("flash-attn", "2.7.4+cu11torch2.5cxx11abiFALSE", "compiled for CUDA 11"),
        ("torch-scatter", "2.1.2+pt25cu118", "compiled for CUDA 11"),
        ("llama-cpp-python", "0.3.0+cu118", None),  # CUDA code that has nothing to do with torch
        ("flash-attn", "2.7.4", None),
    ],
)
def test_an_extension_made_for_another_torch(
    examine: Examine, machine: Machine, name: str, version: str, words: str | None
) -> None:
    found = _why(examine(machine(packages={**TORCH, name: version})))
    assert found is None if words is None else words in (found or "")


@pytest.mark.parametrize(
    ("tags", "found"),
    [
        (["cp312-cp312-linux_x86_64"], False),
        (["cp311-cp311-linux_x86_64"], True),
        (["cp39-abi3-manylinux_2_28_x86_64"], False),
        (["cp313-abi3-manylinux_2_28_x86_64"], True),
        (["py3-none-any"], False),
        (["cp311-cp311-linux_x86_64", "cp312-cp312-linux_x86_64"], False),
        (["nonsense"], False),
    ],
)
def test_a_wheel_for_another_python(examine: Examine, machine: Machine, tags: list[str], found: bool) -> None:
    rows = [{"name": "thing", "version": "1.0", "tags": tags}]
    assert ("downstream-abi-mismatch" in examine(machine(distributions=rows))) == found


def test_cuda_libraries_a_cpu_torch_does_not_have(examine: Examine, machine: Machine) -> None:
    rows = [{"name": "xformers", "version": "0.0.28", "needs": ["libtorch_cuda.so", "libc10.so"]}]
    cpu = examine(machine(packages={"torch": "2.5.1+cpu"}, distributions=rows))
    assert "needs libtorch_cuda.so" in (_why(cpu) or "")
    assert _why(examine(machine(packages=TORCH, distributions=rows))) is None


@pytest.mark.parametrize(
    ("kernels", "capability", "found"),
    [
        (["sm_80", "sm_90"], "8.9", False),
        (["sm_90"], "8.9", True),
        (["sm_90"], "12.0", False),  # torch itself has no code for it: that is said elsewhere
        ([], "8.9", False),
    ],
)
def test_code_of_an_extension_for_a_gpu_that_torch_can_use(
    examine: Examine, machine: Machine, kernels: list[str], capability: str, found: bool
) -> None:
    rows = [{"name": "flash-attn", "version": "2.7.4", "kernels": kernels}]
    gpus = [{"vendor": "nvidia", "name": "a card", "compute_capability": capability}]
    profile = machine(packages=TORCH, distributions=rows, gpus=gpus)
    assert ("downstream-arch-missing" in examine(profile)) == found


@pytest.mark.parametrize(
    ("files", "found"),
    [
        (["bitsandbytes/libbitsandbytes_cuda118.so", "bitsandbytes/libbitsandbytes_cuda121.so"], True),
        (["bitsandbytes/libbitsandbytes_cuda118.so", "bitsandbytes/libbitsandbytes_cuda124.so"], False),
        (["bitsandbytes/libbitsandbytes_cpu.so"], False),
    ],
)
def test_bitsandbytes_has_a_binary_for_each_cuda(
    examine: Examine, machine: Machine, files: list[str], found: bool
) -> None:
    rows = [{"name": "bitsandbytes", "version": "0.43.0", "libraries": files}]
    assert ("downstream-abi-mismatch" in examine(machine(packages=TORCH, distributions=rows))) == found


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("/x/flash_attn_2_cuda.cpython-312.so: undefined symbol: _ZN3c105ErrorC2E", "flash_attn_2_cuda was compiled"),
        ("undefined symbol: _ZN3c105ErrorC2E", "a compiled extension was compiled"),
        ("/x/torch/lib/libtorch_cpu.so: undefined symbol: _ZN3c105ErrorC2E", None),  # torch's own trouble
    ],
)
def test_a_symbol_of_torch_that_is_missing(examine: Examine, machine: Machine, text: str, words: str | None) -> None:
    found = _why(examine(machine(symptoms=[{"id": "undefined-symbol-torch", "text": text}])))
    assert found is None if words is None else (found or "").startswith(words)
