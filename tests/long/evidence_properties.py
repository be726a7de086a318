#!/usr/bin/env python3
"""Properties that hold over every recorded machine of an evidence folder, and over broken variants of each.

Usage: evidence_properties.py [FOLDER] [--variants N] [--seed N]      default folder: ../shared/evidence beside the checkout

1. No probe raises.
2. Nothing unreadable becomes a default: with every file denied, emptied or gone, no fact is known.
3. Two replays give the same bytes.
4. Mutations (cut off, CRLF, UTF-16, a line dropped, a label localised, NUL bytes): no crash, no vendor that was not there.

Exit status 0 where all hold, also (with a word) where the folder is not there.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import shlex
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from torchdoctor.probes.facts import Facts
from torchdoctor.probes.gather import gather
from torchdoctor.probes.profile import facts_to_mapping
from torchdoctor.probes.recording import RecordedHost
from torchdoctor.probes.recording_files import Store

FOLDER = Path(__file__).resolve().parents[3] / "shared" / "evidence"
SYSTEMS = {"windows": "windows", "apple": "macos"}
NOT_ARGV = ("as found", "variant", "host paths", "/")
LABELS = ("Bezeichnung", "Nom du périphérique", "驱动程序版本", "Версия")


class Machine:
    """One evidence folder: its files and commands, held in memory."""

    def __init__(self, folder: Path) -> None:
        self.name = f"{folder.parent.name}/{folder.name}"
        self.system = SYSTEMS.get(folder.parent.name, "linux")
        meta = json.loads((folder / "meta.json").read_text())
        self.files: dict[str, bytes] = {}
        self.links: dict[str, str] = {}
        for path in sorted(folder.rglob("*")):
            name = path.relative_to(folder).as_posix()
            if name.endswith("symlinks.json"):
                rows = json.loads(path.read_text())
                self.links |= (
                    {"/" + k.lstrip("/"): v for k, v in rows.items() if isinstance(v, str)}
                    if isinstance(rows, dict)
                    else {}
                )
            elif path.is_file() and name != "meta.json":
                self.files[name] = path.read_bytes()
        self.commands: list[dict[str, Any]] = []
        for item in meta.get("evidence", []):
            file, words = item.get("file", ""), (item.get("command") or "").strip()
            if file.startswith("commands/") and words and not words.startswith(NOT_ARGV) and "(" not in words:
                try:
                    self.commands.append({"argv": shlex.split(words), "returncode": 0, "stdout": file, "stderr": None})
                except ValueError:
                    continue

    def facts(self, files: dict[str, bytes], **manifest: Any) -> Facts:
        """Replay the machine with these files."""
        document = {"system": self.system, "commands": self.commands, "links": self.links, **manifest}
        members = {name: lambda content=content: content for name, content in files.items()}
        return gather(RecordedHost(Store(name=self.name, members=members), document), timeout=60).facts


def failures(facts: Facts) -> list[str]:
    """What a probe or parser that raised left behind."""
    return [
        f"{path}: {why}"
        for path, why in facts.unknown.items()
        if " probe failed: " in why or "could not be read: " in why
    ]


def known(facts: Facts) -> dict[str, Any]:
    """Facts that are not unknown, by path."""
    found: dict[str, Any] = {}

    def walk(path: str, value: Any) -> None:
        if isinstance(value, dict) and value:
            for key, inner in value.items():
                walk(f"{path}.{key}" if path else key, inner)
        elif value is not None and value != {}:
            found[path] = value

    walk("", facts_to_mapping(facts))
    return found


def vendors(facts: Facts) -> set[str]:
    return {gpu.vendor for gpu in facts.gpus or () if gpu.vendor}


def check_machine(machine: Machine) -> tuple[Facts, list[str]]:
    """Properties 1 to 3: the facts, and what does not hold."""
    faults: list[str] = []
    complain = faults.append
    facts = machine.facts(machine.files)
    for failure in failures(facts):
        complain(failure)
    if json.dumps(facts_to_mapping(facts)) != json.dumps(facts_to_mapping(machine.facts(machine.files))):
        complain("two replays differ")
    paths = ["/" + name[5:] for name in machine.files if name.startswith("root/")]
    unreadable = {
        "denied": machine.facts({}, denied=paths, commands=[]),
        "emptied": machine.facts(dict.fromkeys(machine.files, b"")),
        "gone": machine.facts({}, commands=[], links={}),
    }
    for how, empty in unreadable.items():
        for failure in failures(empty):
            complain(f"{how}: {failure}")
        # That a file is there is a fact of its own: a mark of a container, a loader, a device node, a bound driver;
        # and a Mac runs macOS.
        marks = (
            "system.os",
            "system.name",
            "system.container",
            "system.libc",
            "devices",
            "drivers.nvidia.loaded",
            "drivers.nvidia.installed",
        )
        for path, value in known(empty).items():
            if not path.startswith(marks) and not (how != "gone" and path == "gpus"):
                complain(f"{how}: {path} became {value!r}")
    return facts, faults


def variants(machine: Machine, random_: random.Random) -> Iterator[tuple[str, dict[str, bytes]]]:
    """One broken copy for each kind of damage, each in a file drawn anew."""
    names = [name for name, content in machine.files.items() if content.strip()]
    if not names:
        return
    for kind, damage in DAMAGES.items():
        name = random_.choice(names)
        yield f"{kind} {name}", {**machine.files, name: damage(machine.files[name], random_)}


def _cut(content: bytes, random_: random.Random) -> bytes:
    return content[: random_.randrange(len(content))]


def _crlf(content: bytes, random_: random.Random) -> bytes:
    return content.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")


def _utf16(content: bytes, random_: random.Random) -> bytes:
    return content.decode("utf-8", "replace").encode("utf-16" if random_.random() < 0.5 else "utf-16-le")


def _drop(content: bytes, random_: random.Random) -> bytes:
    lines = content.splitlines(keepends=True)
    del lines[random_.randrange(len(lines))]
    return b"".join(lines)


def _localise(content: bytes, random_: random.Random) -> bytes:
    lines = content.decode("utf-8", "replace").split("\n")
    labelled = [i for i, line in enumerate(lines) if re.search(r"[A-Za-z]{3,}[^:=\n]{0,40}[:=]", line)]
    if not labelled:
        return content
    index = random_.choice(labelled)
    lines[index] = re.sub(r"[A-Za-z]{3,}[^:=\n]{0,40}(?=[:=])", random_.choice(LABELS), lines[index], count=1)
    return "\n".join(lines).encode()


def _nul(content: bytes, random_: random.Random) -> bytes:
    damaged = bytearray(content)
    for _ in range(1 + len(damaged) // 200):
        damaged[random_.randrange(len(damaged))] = 0
    return bytes(damaged)


DAMAGES: dict[str, Callable[[bytes, random.Random], bytes]] = {
    "cut": _cut, "crlf": _crlf, "utf-16": _utf16, "line dropped": _drop, "label localised": _localise, "nul": _nul,
}  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDER)
    parser.add_argument("--variants", type=int, default=2000, help="at least so many broken copies in all")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    folders = sorted(path.parent for path in args.folder.glob("*/*/meta.json"))
    if not folders:
        print(f"skipped: no evidence under {args.folder}")
        return 0
    faults: list[str] = []
    random_ = random.Random(args.seed)
    tried: Counter[str] = Counter()
    rounds = -(-args.variants // (len(DAMAGES) * len(folders)))
    for folder in folders:
        machine = Machine(folder)
        name = machine.name
        whole, found = check_machine(machine)
        faults += [f"{name}: {fault}" for fault in found]
        for _ in range(max(rounds, 1)):
            for what, files in variants(machine, random_):
                tried[what.split(" ")[0]] += 1
                try:
                    facts = machine.facts(files)
                except Exception as error:
                    faults.append(f"{name}: {what}: {type(error).__name__}: {error}")
                    continue
                faults += [f"{name}: {what}: {failure}" for failure in failures(facts)]
                strange = vendors(facts) - vendors(whole)
                if strange:
                    faults.append(f"{name}: {what}: vendor {sorted(strange)}")
                maker, before = facts.cpu.vendor or "", whole.cpu.vendor or ""
                # A name with letters shot out of it is still the same name; another name is not.
                if maker and before and maker.lower() != before.lower() and not what.startswith("nul"):
                    faults.append(f"{name}: {what}: processor of {maker}")
    for fault in faults:
        print(fault)
    print(f"{len(folders)} machines, {sum(tried.values())} variants {dict(tried)}: {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
