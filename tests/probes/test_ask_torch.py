from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from torchdoctor.probes.ask_torch import ask_torch, read_answer
from torchdoctor.probes.draft import Draft
from torchdoctor.probes.facts import Facts
from torchdoctor.probes.host import Completed
from torchdoctor.probes.live import LiveHost

GOOD = (
    {"step": "import", "version": "2.5.1+cu124", "cuda": "12.4", "hip": None},
    {"step": "available", "cuda": True, "archs": ["sm_80", "sm_90"]},
    {"step": "device", "device": "cuda"},
    {"step": "kernel", "device": "cuda", "value": 262144.0},
)


def _said(*steps: dict[str, Any], returncode: int = 0, stderr: bytes = b"", noise: str = "") -> Facts:
    draft = Draft()
    out = noise + "".join(json.dumps(s) + "\n" for s in steps)
    read_answer(Completed(returncode=returncode, stdout=out.encode(), stderr=stderr), draft)
    return draft.build()


def _ids(facts: Facts) -> list[str | None]:
    return [s.id for s in facts.symptoms or ()]


def test_a_torch_that_works() -> None:
    facts = _said(*GOOD, noise="site says hello\n{not json\n[1]\n")
    assert facts.torch.gpu_available is True
    assert facts.torch.version == "2.5.1+cu124"
    assert facts.torch.kernels == ("sm_80", "sm_90")
    assert facts.source("torch.version") == "torch itself"
    assert not facts.symptoms


def test_a_cpu_torch_has_no_gpu() -> None:
    facts = _said(GOOD[0], {"step": "available", "cuda": False, "archs": None}, {"step": "device", "device": "cpu"})
    assert facts.torch.gpu_available is False
    assert not facts.symptoms


def test_a_kernel_that_cannot_run_is_recognised() -> None:
    error = "RuntimeError: CUDA error: no kernel image is available for execution on the device"
    facts = _said(*GOOD[:3], {"step": "kernel", "device": "cuda", "error": error})
    assert facts.torch.gpu_available is False
    assert _ids(facts) == ["torch-kernel-failed", "no-kernel-image"]


def test_an_import_that_fails_says_why() -> None:
    error = "ImportError: libcudart.so.13: cannot open shared object file: No such file or directory"
    facts = _said({"step": "import", "error": error})
    assert facts.torch.version is None
    assert facts.torch.gpu_available is None
    assert _ids(facts) == ["torch-import-failed", "missing-library"]


@pytest.mark.parametrize(
    ("code", "id", "words"),
    [
        (-4, "illegal-instruction", "SIGILL"),
        (132, "illegal-instruction", "SIGILL"),
        (0xC000001D, "illegal-instruction", "0xc000001d"),
        (139, "torch-crashed", "SIGSEGV"),
        (-11, "torch-crashed", "SIGSEGV"),
        (-7, "torch-crashed", "SIGBUS"),
        (1, "torch-crashed", "exit status 1"),
    ],
)
def test_a_crash_is_an_answer(code: int, id: str, words: str) -> None:
    facts = _said(GOOD[0], returncode=code)
    assert facts.symptoms is not None
    assert facts.symptoms[0].id == id
    assert words in (facts.symptoms[0].text or "")
    assert "after the step 'import'" in (facts.symptoms[0].text or "")


def test_a_crash_in_the_kernel_means_the_gpu_is_of_no_use() -> None:
    assert _said(*GOOD[:3], returncode=-11).torch.gpu_available is False


def test_a_wrong_result_is_told() -> None:
    facts = _said(*GOOD[:3], {**GOOD[3], "value": 0.0})
    assert _ids(facts) == ["torch-wrong-result"]


def test_warnings_of_torch_are_recognised() -> None:
    stderr = (
        b"torch/cuda/__init__.py: UserWarning: CUDA initialization: Found no NVIDIA driver on your system.\nhello\n"
    )
    assert _ids(_said(*GOOD[:1], stderr=stderr)) == ["found-no-nvidia-driver"]


def _child(tmp_path: Path, body: str) -> LiveHost:
    (tmp_path / "torch.py").write_text(body)
    return LiveHost({"PYTHONPATH": str(tmp_path), "PATH": "/usr/bin:/bin"})


def _ask(host: LiveHost, seconds: float) -> Facts:
    draft = Draft()
    ask_torch(host, [sys.executable], draft, time.monotonic() + seconds)
    return draft.build()


FAKE = """
class _V: cuda = None; hip = None
class _C:
    @staticmethod
    def is_available(): return False
version = _V; cuda = _C; __version__ = "2.5.1+cpu"
class _T:
    def __matmul__(self, o): return self
    def sum(self): return self
    def item(self): return 262144
def ones(*a, device): return _T()
"""


def test_a_child_that_answers(tmp_path: Path) -> None:
    facts = _ask(_child(tmp_path, FAKE), 20)
    assert facts.torch.version == "2.5.1+cpu"
    assert facts.torch.gpu_available is False
    assert not facts.symptoms


def test_a_child_that_dies(tmp_path: Path) -> None:
    facts = _ask(_child(tmp_path, "import os, signal\nos.kill(os.getpid(), signal.SIGILL)\n"), 20)
    assert _ids(facts) == ["illegal-instruction"]
    assert "before it was imported" in ((facts.symptoms or ())[0].text or "")


def test_a_child_that_hangs_is_ended(tmp_path: Path) -> None:
    start = time.monotonic()
    facts = _ask(_child(tmp_path, "import time\ntime.sleep(60)\n"), 1.0)
    assert time.monotonic() - start < 10
    assert _ids(facts) == ["torch-hangs"]
    assert "torch.gpu_available" in facts.unknown


def test_no_torch_at_all(tmp_path: Path) -> None:
    facts = _ask(_child(tmp_path, "raise ModuleNotFoundError(\"No module named 'torch'\")\n"), 20)
    assert _ids(facts) == []
    assert facts.torch.version is None


def test_an_interpreter_that_is_not_there() -> None:
    draft = Draft()
    ask_torch(LiveHost({}), ["/gone/python"], draft, time.monotonic() + 5)
    assert "torch.gpu_available" in draft.build().unknown
