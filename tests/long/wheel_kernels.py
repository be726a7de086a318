#!/usr/bin/env python3
"""Real wheels, opened: the GPU architectures read from their libraries against what is known of those releases.

Usage: wheel_kernels.py [--folder FOLDER] [--measured FILE] [--keep] [RELEASE:MACHINE:PYTHON …]

Each wheel (``2.15.0:x86_64:312``) is downloaded with pip into FOLDER, which needs up to 1 GB a wheel and as much again
for its library; what is there already is not downloaded. Compared are the architectures of the whole library with the
matrix, and, with ``--measured`` (rows of torch, platform, library, machine_code, ptx), every count. Reading must take
under 0.3 s and under 60 MiB. Exit status 0 where all agree. Not part of CI.
"""

from __future__ import annotations

import argparse
import json
import mmap
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

from torchdoctor.matrix.catalog import Catalog
from torchdoctor.probes.kernels import read_code

WHEELS = (
    "2.15.0:x86_64:312", "2.15.0:aarch64:312", "2.14.1:x86_64:312", "2.10.0:x86_64:312", "2.7.1:x86_64:312",
    "2.5.1:x86_64:312", "2.1.2:x86_64:311",
)  # fmt: skip
SECONDS, MEBIBYTES = 0.3, 60
_TAGS = ("manylinux_2_28_{}", "manylinux2014_{}", "manylinux1_{}")

# Run in a fresh process: the cost of reading one library, from a cold cache where the system lets us (best of three,
# other programs use the disk too).
_READ = """
import json, os, sys, time
from torchdoctor.probes.live import LiveHost
def peak():
    try:
        with open("/proc/self/status") as file:
            return next(int(line.split()[1]) / 1024 for line in file if line.startswith("VmHWM"))
    except OSError:
        import resource
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 << 20 if sys.platform == "darwin" else 1024)
def once():
    start = time.perf_counter()
    code = LiveHost().code(sys.argv[1]).value
    return time.perf_counter() - start, code
cold = []
for _ in range(3 if hasattr(os, "posix_fadvise") else 0):
    fd = os.open(sys.argv[1], os.O_RDONLY); os.fsync(fd); os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED); os.close(fd)
    cold.append(once()[0])
warm, code = once()
print(json.dumps({"built_for": code["built_for"], "cold": min(cold, default=warm), "warm": warm, "peak": peak()}))
"""


def fetch(release: str, machine: str, python: str, folder: Path) -> Path:
    """The wheel of a release, downloaded where it is not there yet."""
    here = folder / f"{release}-{machine}"
    found = sorted(here.glob("torch-*.whl"))
    if not found:
        platforms = [a for tag in _TAGS for a in ("--platform", tag.format(machine))]
        interpreter = ["--python-version", python, "--implementation", "cp", "--abi", f"cp{python}"]
        command = [sys.executable, "-m", "pip", "--isolated", "download", "-q", "--no-deps", "--only-binary=:all:"]
        subprocess.run(
            [*command, *interpreter, *platforms, "-d", str(here), f"torch=={release}"],
            check=True,
            env={**os.environ, "PIP_CONFIG_FILE": os.devnull},
        )
        found = sorted(here.glob("torch-*.whl"))
    return found[0]


def libraries(wheel: Path) -> list[Path]:
    """The CUDA libraries of a wheel, unpacked beside it."""
    out = []
    with zipfile.ZipFile(wheel) as archive:
        for name in ("torch/lib/libtorch_cuda.so", "torch/lib/libtorch_cuda_linalg.so"):
            path = wheel.parent / name
            if not path.exists():
                archive.extract(name, wheel.parent)
            out.append(path)
    return out


def counts(library: Path) -> dict[str, int]:
    """Containers per architecture over the whole library."""
    with library.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        code = read_code(data, sample=None)
    return dict(code.names) if code else {}


def compare(release: str, machine: str, library: Path, measured: list[dict[str, Any]]) -> list[str]:
    """What differs for one library: its architectures, its counts, what reading it cost."""
    ran = subprocess.run([sys.executable, "-c", _READ, str(library)], check=True, capture_output=True, text=True)
    said = json.loads(ran.stdout)
    wrong = []
    names = tuple(said["built_for"])
    main = library.name == "libtorch_cuda.so"
    found = Catalog().release(release)
    platform = f"linux_{machine}"
    build = found.build(found.default_index[platform], platform) if found else None
    if main and (build is None or set(build.kernels or ()) != set(names)):
        wrong.append(f"the matrix has {' '.join(build.kernels or ()) if build else 'no such build'}")
    rows = [r for r in measured if (r["torch"], r["platform"], r["library"]) == (release, platform, library.name)]
    for row in rows:
        if {**row["machine_code"], **row["ptx"]} != counts(library):
            wrong.append(f"measured before: {row['machine_code']}")
    if max(said["cold"], said["warm"]) > SECONDS:
        wrong.append(f"took {said['cold']:.3f} s")
    if said["peak"] > MEBIBYTES:
        wrong.append(f"took {said['peak']:.0f} MiB")
    told = "same counts as measured" if rows else "not measured before"
    print(
        f"{release:8} {machine:8} {library.name:26} {' '.join(names)}; cold {said['cold']:.3f} s, warm {said['warm']:.3f} s, "
        f"process at most {said['peak']:.0f} MiB; {'; '.join(wrong) or told}"
    )
    return wrong


def main() -> int:
    """Compare every wheel; see the module's text."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wheels", nargs="*", default=WHEELS, metavar="RELEASE:MACHINE:PYTHON")
    parser.add_argument("--folder", type=Path, default=Path("wheels"))
    parser.add_argument("--measured", type=Path)
    parser.add_argument("--keep", action="store_true", help="keep the unpacked libraries")
    given = parser.parse_args()
    measured = json.loads(given.measured.read_text())["rows"] if given.measured else []
    failed = 0
    for text in given.wheels:
        release, machine, python = text.split(":")
        for library in libraries(fetch(release, machine, python, given.folder)):
            failed += bool(compare(release, machine, library, measured))
            if not given.keep:
                library.unlink()
    print(f"{failed} of {2 * len(given.wheels)} libraries differ")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
