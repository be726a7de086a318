"""What a command costs from start to exit, against ``python -c "import click"`` on the same interpreter, in turn.

    python tests/bench/startup.py [-n RUNS] [--only WORD] [--strict]

Needs torchdoctor installed (a wheel, byte-compiled) for the interpreter that runs this, and nothing else. Each pair of
runs gives one ratio; the medians are what counts. ``--strict`` exits 1 where a limit is missed.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

LINUX = {
    "os": "linux",
    "name": "Ubuntu",
    "version": "24.04",
    "machine": "x86_64",
    "libc": "glibc",
    "libc_version": "2.39",
}
PYTHON = {"implementation": "cpython", "version": "3.12.4", "free_threaded": False, "bits": 64, "machine": "x86_64"}


def machine(gpus: list[dict[str, Any]], drivers: dict[str, Any], **python: Any) -> dict[str, Any]:
    """A machine profile on Ubuntu with these GPUs and drivers."""
    return {
        "system": LINUX,
        "python": {**PYTHON, **python},
        "gpus": gpus,
        "drivers": drivers,
        "packages": {},
        "environment": {},
    }


def nvidia(name: str, pci_id: str, driver: str, **python: Any) -> dict[str, Any]:
    """A machine with one NVIDIA card."""
    card = {"vendor": "nvidia", "name": name, "pci_id": pci_id}
    return machine([card], {"nvidia": {"version": driver}}, **python)


INSTALLED = {
    "torch": {"version": "2.8.0+cu128", "variant": "cu128"},
    "packages": {"torch": "2.8.0+cu128", "torchvision": "0.23.0+cu128", "numpy": "2.3.1", "triton": "3.4.0"},
}

MACHINES = {
    "newest fits": nvidia("NVIDIA GeForce RTX 4090", "10de:2684", "580.95.05"),
    "torch installed": {**nvidia("NVIDIA GeForce RTX 4090", "10de:2684", "580.95.05"), **INSTALLED},
    "older driver": nvidia("NVIDIA GeForce RTX 4090", "10de:2684", "535.183.01"),
    "GTX 1080 Ti": nvidia("NVIDIA GeForce GTX 1080 Ti", "10de:1b06", "580.95.05"),
    "Fermi": nvidia("NVIDIA GeForce GTX 580", "10de:1080", "390.157"),
    "driver too old for 3.14": nvidia("NVIDIA GeForce RTX 3090", "10de:2204", "470.82.01", version="3.14.0"),
    "no driver": nvidia("Tesla T4", "10de:1eb8", ""),
    "Radeon RX 580": machine([{"vendor": "amd", "name": "Radeon RX 580", "pci_id": "1002:67df"}], {}),
    "Renoir": machine([{"vendor": "amd", "name": "Renoir", "pci_id": "1002:1636", "integrated": True}], {}),
    "no GPU": machine([], {}),
}
"""Machine profiles: those where the newest release answers, and those that make the matrix look at every release."""

LIMIT_MIB = 40.0


def commands(folder: Path) -> dict[str, tuple[list[str], float]]:
    """Name → arguments and the largest ratio that is fine."""
    found: dict[str, tuple[list[str], float]] = {"--help": (["--help"], 1.5)}
    for name, profile in MACHINES.items():
        file = folder / f"{name}.json"
        file.write_text(json.dumps(profile), encoding="utf-8")
        found[f"check, {name}"] = (["check", "--machine", str(file), "--format", "json"], 3.0)
    found["check this machine"] = (["check", "--format", "json"], 4.0)
    return found


def run(command: list[str]) -> tuple[float, float | None, float | None]:
    """Seconds on the wall, seconds on a processor and peak MiB of one run; the last two only where wait4 exists."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    if not hasattr(os, "wait4"):
        process.wait()
        return time.perf_counter() - start, None, None
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    peak = usage.ru_maxrss / (1 << 20 if sys.platform == "darwin" else 1 << 10)
    return wall, usage.ru_utime + usage.ru_stime, peak


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", type=int, default=15, help="pairs of runs for each command")
    parser.add_argument("--only", default="", help="only commands whose name contains this")
    parser.add_argument("--strict", action="store_true")
    args = parser.parse_args()
    yardstick = [sys.executable, "-c", "import click"]
    program = [sys.executable, "-c", "from torchdoctor.program import run; run()"]
    missed = 0
    with tempfile.TemporaryDirectory() as folder:
        run(yardstick)
        print(f"{'':34s} {'wall':>14s} {'cpu':>14s} {'ratio wall':>10s} {'cpu':>6s} {'limit':>6s} {'peak':>9s}")
        for name, (arguments, limit) in commands(Path(folder)).items():
            if args.only not in name:
                continue
            run([*program, *arguments])
            pairs = [(run([*program, *arguments]), run(yardstick)) for _ in range(args.n)]
            wall = statistics.median(a[0] / b[0] for a, b in pairs)
            cpu = statistics.median((a[1] or 0) / (b[1] or 1) for a, b in pairs)
            mine, base = (statistics.median(1e3 * p[i][0] for p in pairs) for i in (0, 1))
            mine_cpu, base_cpu = (statistics.median(1e3 * (p[i][1] or 0) for p in pairs) for i in (0, 1))
            peak = max(a[2] or 0 for a, _ in pairs)
            over = min(wall, cpu or wall) > limit or peak > LIMIT_MIB
            missed += over
            print(
                f"{name:34s} {mine:5.0f} / {base:3.0f} ms {mine_cpu:5.0f} / {base_cpu:3.0f} ms {wall:9.2f} {cpu:7.2f}"
                f" {limit:6.1f} {peak:5.1f} MiB{'  OVER' if over else ''}",
                flush=True,
            )
    return 1 if missed and args.strict else 0


if __name__ == "__main__":
    sys.exit(main())
