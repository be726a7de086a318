"""How many pasted reports one process judges in a second, and whether its memory grows.

    python tests/bench/reports.py [FOLDER] [-n REPORTS] [--strict]

FOLDER holds reports, as text files or as folders with an ``input.txt`` (default: those of the tests). They are judged over and
over, each with a line of its own so that no two are equal. Needs torchdoctor, and nothing else. With ``-n 50000`` the
resident memory after 5,000 reports is compared with that at the end; ``--strict`` exits 1 where a limit is missed.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from pathlib import Path

from torchdoctor.api import diagnose_text

REPORTS = Path(__file__).parents[1] / "reports" / "reports.json"
SETTLED = 5_000
LEAST_PER_SECOND = 200.0
MOST_GROWTH = 0.10


def texts(folder: Path) -> list[tuple[str, str]]:
    """Name and text of every report below a folder, or in the list of the tests."""
    if folder.is_file():
        return [(row["id"], row["text"]) for row in json.loads(folder.read_text(encoding="utf-8"))]
    inputs = sorted(folder.glob("*/input.txt")) or sorted(p for p in folder.rglob("*.txt") if p.is_file())
    return [(str(p.relative_to(folder)), p.read_text(encoding="utf-8", errors="replace")) for p in inputs]


def resident() -> float | None:
    """Resident memory in MiB now (Linux), else the peak so far (other POSIX), ``None`` on Windows."""
    status = Path("/proc/self/status")
    if status.is_file():
        line = next(x for x in status.read_text().splitlines() if x.startswith("VmRSS:"))
        return int(line.split()[1]) / 1024
    try:
        import resource
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1 << 20 if sys.platform == "darwin" else 1 << 10)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=REPORTS)
    parser.add_argument("-n", type=int, default=2_000, help="how many reports to judge")
    parser.add_argument("--strict", action="store_true")
    args = parser.parse_args()
    reports = texts(args.folder)
    if not reports:
        print(f"{args.folder}: no reports there", file=sys.stderr)
        return 2
    settled = args.n if args.n <= SETTLED else SETTLED
    rates: list[float] = []
    best_of: dict[str, float] = {}
    before = None
    start, wall, done = time.process_time(), time.perf_counter(), 0
    while done < args.n:
        for name, text in reports:
            began = time.process_time()
            diagnose_text(f"{text}\nrun {done}\n", name).to_dict()
            took = time.process_time() - began
            best_of[name] = min(best_of.get(name, took), took)
            done += 1
            if done == settled:
                before = resident()
            if done == args.n:
                break
        rates.append(len(reports) / max(time.process_time() - start, 1e-9))
        start = time.process_time()
    wall = time.perf_counter() - wall
    rate = statistics.median(rates[1:-1] or rates)
    best = len(best_of) / sum(best_of.values())
    print(
        f"{done} reports of {len(reports)} kinds, in a second: {rate:.0f} of processor time, {done / wall:.0f} on the"
    )
    print(f"wall; {best:.0f} undisturbed (the best time of each). The slowest:")
    for name, took in sorted(best_of.items(), key=lambda x: -x[1])[:5]:
        print(f"  {took * 1e3:6.1f} ms  {name}")
    missed = best < LEAST_PER_SECOND
    after = resident()
    if before is not None and after is not None:
        growth = after / before - 1
        print(f"resident: {before:.1f} MiB after {settled}, {after:.1f} MiB after {done} ({growth:+.1%})")
        missed = missed or growth > MOST_GROWTH
    return 1 if missed and args.strict else 0


if __name__ == "__main__":
    sys.exit(main())
