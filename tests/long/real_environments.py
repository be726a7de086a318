#!/usr/bin/env python3
"""Real environments, examined and judged: an empty one, one with torch, the same with a torchvision of another pairing.

Usage: real_environments.py [--python PYTHON] [--torch REQUIREMENT] [--vision REQUIREMENT] [--folder FOLDER] [-- PIP OPTIONS]

Each environment is made anew with PYTHON (default: the one that runs this) and filled with pip; everything after ``--``
goes to pip (``--index-url https://download.pytorch.org/whl/cpu``). ``torchdoctor`` must be importable by the Python that
runs this. Exit status 0 where every expectation is met. Needs an index and some hundred megabytes; not part of CI.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

Expect = Callable[[dict[str, Any]], str | None]


def make(folder: Path, python: str) -> Path:
    """A new virtual environment; its interpreter."""
    subprocess.run([python, "-m", "venv", str(folder)], check=True)
    return folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def pip(python: Path, *arguments: str) -> None:
    """Install with pip into an environment."""
    subprocess.run([str(python), "-m", "pip", "install", "-q", "--no-input", *arguments], check=True)


def examine(python: Path, *arguments: str) -> tuple[int, dict[str, Any], float]:
    """Exit status, report and seconds of ``torchdoctor check`` over an environment."""
    environment = {k: v for k, v in os.environ.items() if k not in ("VIRTUAL_ENV", "CONDA_PREFIX")}
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "torchdoctor", "check", "--python", str(python), "--format", "json", *arguments],
        capture_output=True,
        text=True,
        env=environment,
        cwd=python.parent,
    )
    seconds = time.perf_counter() - start
    if done.returncode == 2:
        raise SystemExit(f"torchdoctor: {done.stderr.strip()}")
    return done.returncode, json.loads(done.stdout), seconds


def blockers(report: dict[str, Any]) -> list[str]:
    """The ids that are in the way of what is installed."""
    return [f["id"] for f in report["findings"] if f["severity"] == "blocker"]


def is_empty(report: dict[str, Any]) -> str | None:
    """Nothing of torch is there, and that is known."""
    if report["facts"]["torch"]["version"] is not None or "torch" in (report["facts"]["packages"] or {"torch": ""}):
        return f"expected no torch, found {report['facts']['torch']}"
    return f"expected no blocker about packages, found {blockers(report)}" if blockers(report) else None


def same_as_torch(said: dict[str, Any]) -> Expect:
    """What the files told is what torch says of itself, and nothing is in the way."""

    def expect(report: dict[str, Any]) -> str | None:
        torch = report["facts"]["torch"]
        for key, theirs in (("version", said["version"]), ("cuda", said["cuda"]), ("hip", said["hip"])):
            if torch[key] != theirs:
                return f"torch.{key}: found {torch[key]!r}, torch says {theirs!r}"
        return f"expected nothing in the way, found {blockers(report)}" if blockers(report) else None

    return expect


def found(id: str) -> Expect:
    """That finding, as a blocker or a warning."""

    def expect(report: dict[str, Any]) -> str | None:
        ids = [f["id"] for f in report["findings"] if f["severity"] != "note"]
        return None if id in ids else f"expected {id}, found {ids}"

    return expect


def ask(python: Path) -> dict[str, Any]:
    """What torch says when it is imported."""
    script = "import json, torch; v = torch.version; print(json.dumps({'version': torch.__version__, 'cuda': v.cuda, 'hip': v.hip}))"
    done = subprocess.run([str(python), "-c", script], check=True, capture_output=True, text=True, cwd=python.parent)
    said: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return said


def main() -> int:
    """Make, fill, examine, compare; see the module's text."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--torch", default="torch")
    parser.add_argument("--vision", default="torchvision==0.19.1", help="one that does not pair with --torch")
    parser.add_argument("--folder", type=Path)
    parser.add_argument("pip", nargs="*", metavar="PIP OPTION")
    given = parser.parse_args()
    failed = 0

    def report(name: str, python: Path, expect: Expect, *arguments: str) -> None:
        nonlocal failed
        status, told, seconds = examine(python, *arguments)
        wrong = expect(told)
        failed += wrong is not None
        torch = told["facts"]["torch"]["version"] or "no torch"
        print(
            f"{name:34} {torch:16} verdict {told['verdict']:9} exit {status}  {seconds:5.2f} s  {wrong or 'as expected'}",
            flush=True,
        )

    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        python = make(Path(folder) / "environment", given.python)
        report("empty", python, is_empty)
        pip(python, given.torch, *given.pip)
        said = ask(python)
        report("torch", python, same_as_torch(said))
        report("torch, asked itself", python, same_as_torch(said), "--live")
        pip(python, "--no-deps", given.vision, *given.pip)
        report(f"with {given.vision}", python, found("companion-mismatch"))
        second = Path(folder) / "second"
        pip(python, "--no-deps", "--target", str(second), given.torch, *given.pip)
        os.environ["PYTHONPATH"] = str(second)
        report("two copies of one release", python, found("duplicate-install"))
        (next(second.glob("torch-*.dist-info")) / "METADATA").write_bytes(b"\xff\xfe")
        report("the same, metadata broken", python, found("duplicate-install"))
    print(f"{failed} of 6 not as expected")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
