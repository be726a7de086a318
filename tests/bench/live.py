"""Where a live ``check`` spends its time: each stage, each probe, and the whole against ``import click``.

    python tests/bench/live.py [-n RUNS]

Needs torchdoctor installed and byte-compiled for the interpreter that runs this. Medians, milliseconds.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time

# Runs in a process of its own: what counts is the first import.
STAGES = """
import time
clock = time.perf_counter
marks = [("start", clock())]
def mark(name): marks.append((name, clock()))
import click
mark("import click")
from torchdoctor.cli import main
from torchdoctor.commands import check
mark("import the command")
from torchdoctor import api
mark("import matrix and report")
from torchdoctor.probes.gather import gather, _module, _PROBES
from torchdoctor.probes.live import LiveHost
for name in _PROBES: _module(name)
mark("import the probes")
found = gather(LiveHost(), meanwhile=api._warm_up)
mark("probe, load the matrix meanwhile")
report = api.judged(found.facts, ("live", "this machine"), api.Options())
mark("judge")
from torchdoctor.output import render
render(report, "json")
mark("render")
import json
print(json.dumps([{n: 1e3 * (b - a) for (_, a), (n, b) in zip(marks, marks[1:])},
                  {n: 1e3 * s for n, s in found.timings.items()}]))
"""


def timed(argv: list[str]) -> float:
    """Milliseconds from start to exit."""
    start = time.perf_counter()
    subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    return 1e3 * (time.perf_counter() - start)


def show(title: str, rows: list[dict[str, float]]) -> None:
    """The medians of one table."""
    print(title)
    for name in rows[0]:
        print(f"  {name:34s} {statistics.median(row.get(name, 0.0) for row in rows):7.1f}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", type=int, default=9)
    args = parser.parse_args()
    python = sys.executable
    program = [python, "-c", "from torchdoctor.program import run; run()", "check", "--format", "json"]
    yardstick = [python, "-c", "import click"]
    timed(program)
    pairs = [(timed(program), timed(yardstick)) for _ in range(args.n)]
    runs = [
        json.loads(subprocess.run([python, "-c", STAGES], capture_output=True, check=True).stdout)
        for _ in range(args.n)
    ]
    show("stages", [run[0] for run in runs])
    show("probes, side by side (those that need the interpreter wait for it)", [run[1] for run in runs])
    mine, base = (statistics.median(pair[i] for pair in pairs) for i in (0, 1))
    ratio = statistics.median(a / b for a, b in pairs)
    print(f"check {mine:.0f} ms, import click {base:.0f} ms: {ratio:.2f} times")
    return 0


if __name__ == "__main__":
    sys.exit(main())
