"""How long an environment takes to examine: 400 distributions of every size, beyond what starting takes.

    python tests/bench/installed.py [-n RUNS] [--distributions N] [--strict]

Needs torchdoctor importable and nothing else. ``--strict`` exits 1 where the median is over 0.15 s.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from pathlib import Path

from torchdoctor.probes.draft import Draft
from torchdoctor.probes.installed import examine
from torchdoctor.probes.live import LiveHost

LIMIT = 0.15


def build(root: Path, count: int) -> None:
    """An environment of ``count`` distributions: a torch, a few extensions, many others with long descriptions."""
    for number in range(count):
        name, requires = f"package_{number}", ["click>=8", "rich", "typing-extensions; python_version < '3.11'"]
        if number % 20 == 0:
            requires.append("torch>=2.0")
        if number < 12:
            name = ("torch", "torchvision", "torchaudio", "triton", "numpy", "nvidia_cublas_cu12", "nvidia_cudnn_cu12",
                    "nvidia_nccl_cu12", "vllm", "xformers", "accelerate", "torchmetrics")[number]  # fmt: skip
        info = root / f"{name}-1.{number}.0.dist-info"
        info.mkdir(parents=True)
        heads = [f"Name: {name}", f"Version: 1.{number}.0", *(f"Classifier: Topic :: {n}" for n in range(30))]
        heads += [f"Requires-Dist: {r}" for r in requires]
        (info / "METADATA").write_text("\n".join(["Metadata-Version: 2.1", *heads]) + "\n\n" + "words " * 6000)
        (info / "WHEEL").write_text("Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        (info / "RECORD").write_text("".join(f"{name}/module_{n}.py,sha256=x,100\n" for n in range(300)))
        (root / name).mkdir()
    (root / "torch" / "version.py").write_text("__version__ = '2.5.1+cu124'\ncuda = '12.4'\n")


def main() -> int:
    """Measure and print; see the module's text."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", type=int, default=15, help="runs")
    parser.add_argument("--distributions", type=int, default=400)
    parser.add_argument("--strict", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        build(Path(folder), given.distributions)
        times = []
        for _ in range(given.n):
            draft = Draft()
            start = time.perf_counter()
            examine(LiveHost(), draft, [folder])
            times.append(time.perf_counter() - start)
        facts = draft.build()
    assert facts.packages is not None and facts.packages["torch"] == "1.0.0"
    median = statistics.median(times)
    print(
        f"{given.distributions} distributions: first {times[0]:.3f} s, median {median:.3f} s, worst {max(times):.3f} s (limit {LIMIT} s)"
    )
    return 1 if given.strict and median > LIMIT else 0


if __name__ == "__main__":
    sys.exit(main())
