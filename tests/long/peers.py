#!/usr/bin/env python3
"""Other people's answers: the processor of every archspec target dump, the distribution of every file tree of distro.

Usage: peers.py [--archspec FOLDER] [--distro FOLDER] [--fetch]

The folders are unpacked source distributions, whose test data the wheels do not hold. ``--fetch`` has pip download them;
without it and without folders the comparison is skipped, with a word. Exit status 0 where every answer agrees.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from torchdoctor.probes import cpu, x86
from torchdoctor.probes.distribution import distribution, release_file_names
from torchdoctor.probes.draft import Draft
from torchdoctor.probes.facts import Facts
from torchdoctor.probes.recording import RecordedHost
from torchdoctor.probes.recording_files import Store


def probe_cpu(system: str, files: dict[str, bytes], **manifest: Any) -> Facts:
    """What our processor probe says of these files."""
    members = {name: lambda content=content: content for name, content in files.items()}
    draft = Draft()
    cpu.probe(RecordedHost(Store(name="peer", members=members), {"system": system, **manifest}), draft, 1e9)
    return draft.build()


def compare_archspec(folder: Path) -> Iterator[tuple[str, object, object]]:
    """Dump, ours, theirs: the x86-64 level, or the core by its name."""
    data = json.loads((folder / "archspec/json/cpu/microarchitectures.json").read_text())["microarchitectures"]
    for dump in sorted((folder / "archspec/json/tests/targets").iterdir()):
        target = dump.name.rpartition("-")[2]
        theirs = expected(data, target)
        if theirs is None:
            continue  # POWER, RISC-V: no level of ours, no core that a wheel asks for
        yield dump.name, ours(dump), theirs


def expected(data: dict[str, Any], target: str) -> str | None:
    """``x86-64-v3`` from the ancestors of a target, or ``part 0xd40`` of an Arm core."""
    seen, todo = [], [target]
    while todo:
        name = todo.pop()
        seen.append(name)
        todo += data[name]["from"]
    levels = [int(m[1]) for name in seen if (m := re.fullmatch(r"x86_64_v([234])", name))]
    if levels or "x86_64" in seen:
        return f"x86-64-v{max(levels, default=1)}"
    return canonical(target) if "aarch64" in seen else None


def ours(dump: Path) -> str | None:
    """The same from our probe."""
    text = dump.read_bytes()
    if dump.name.startswith("windows"):
        return x86.level(x86.flags_of_leaves(registers(text.decode())))
    if dump.name.startswith("darwin"):
        machine = "arm64" if b"hw.optional.arm" in text or b"Apple" in text else "x86_64"
        rows = (line.partition(": ") for line in text.decode().splitlines())
        values = {f"sysctl:{k}": int(v) if v.isdecimal() else v for k, _, v in rows if v}
        facts = probe_cpu("macos", {}, values={**values, "uname.machine": machine})
    else:
        facts = probe_cpu("linux", {"root/proc/cpuinfo": text})
    level = facts.cpu.level or ""
    return level if level.startswith("x86") else canonical(facts.cpu.model or "")


def registers(text: str) -> dict[str, int]:
    """archspec's lines ``leaf, subleaf, eax, ebx, ecx, edx`` by our names."""
    found = {}
    for line in text.splitlines():
        numbers = [int(n) for n in re.findall(r"\d+", line)]
        if len(numbers) == 6:
            for register, value in zip(("eax", "ebx", "ecx", "edx"), numbers[2:], strict=True):
                found[f"{numbers[0]:x}.{numbers[1]}.{register}"] = value
    return found


def canonical(name: str) -> str:
    """``Neoverse-V2`` and ``neoverse_v2`` are one core, ``Apple M1 Pro`` and ``M1 Icestorm`` an M1."""
    plain = re.sub(r"[^a-z0-9]", "", name.lower())
    apple = re.match(r"(?:apple)?(m\d+)(?:pro|max|ultra|icestorm|firestorm|blizzard|avalanche|$)", plain)
    return apple[1] if apple else plain


def compare_distro(folder: Path) -> Iterator[tuple[str, object, object]]:
    """Tree, ours, theirs: name and version."""
    sys.path.insert(0, str(folder / "src"))
    import distro

    for tree in sorted((folder / "tests/resources/distros").iterdir()):
        their = distro.LinuxDistribution(
            include_lsb=False, include_uname=False, include_oslevel=False, root_dir=str(tree)
        )
        etc = tree / "etc"
        os_release = read(etc / "os-release") or read(tree / "usr/lib/os-release")
        names = release_file_names(tuple(p.name for p in etc.iterdir() if p.is_file())) if etc.is_dir() else []
        found = distribution(
            os_release,
            release_files={name: read(etc / name) or "" for name in names},
            debian_version=read(etc / "debian_version"),
        )
        yield tree.name, found, (their.name() or None, their.version() or None)


def read(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except OSError:
        return None


def fetched(name: str, into: Path) -> Path | None:
    """Have pip download a source distribution; nothing where it cannot."""
    argv = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", name, "-d", str(into), name]
    if subprocess.run(argv, capture_output=True, check=False).returncode != 0:
        return None
    archive = next(into.glob(f"{name}-*.tar.gz"))
    with tarfile.open(archive) as tar:
        tar.extractall(into, filter="data")
    return next(path for path in into.glob(f"{name}-*") if path.is_dir())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--archspec", type=Path)
    parser.add_argument("--distro", type=Path)
    parser.add_argument("--fetch", action="store_true")
    args = parser.parse_args()
    differ = 0
    comparisons: dict[str, Callable[[Path], Iterator[tuple[str, object, object]]]] = {
        "archspec": compare_archspec,
        "distro": compare_distro,
    }
    with tempfile.TemporaryDirectory() as folder:
        for name, compare in comparisons.items():
            source = getattr(args, name) or (fetched(name, Path(folder)) if args.fetch else None)
            if source is None:
                print(f"{name}: skipped, its source distribution is not here (--{name} FOLDER or --fetch)")
                continue
            rows = list(compare(source))
            for what, mine, theirs in rows:
                if mine == "appleprocessor":  # all that macOS 11 said of itself; archspec takes it for the first chip
                    print(f"{name}: {what}: names no chip")
                elif mine != theirs:
                    differ += 1
                    print(f"{name}: {what}: ours {mine!r}, theirs {theirs!r}")
            print(f"{name}: {len(rows)} compared")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
