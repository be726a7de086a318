#!/usr/bin/env python3
"""Write docs/commands.md: for a dozen machines, the words that declare one and the commands the tool prints for it.

Run without arguments to write the page, with ``--check`` to fail where it is out of date.
"""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

from click.testing import CliRunner
from torchdoctor.commands.command import command

PAGE = Path(__file__).resolve().parents[2] / "docs" / "commands.md"
UBUNTU = ["--os", "ubuntu 24.04"]
MACHINES = (
    ("RTX 40 with a new driver", ["--gpu", "RTX 4090", "--driver", "580", "--python", "3.12", *UBUNTU]),
    ("RTX 40 with an older driver", ["--gpu", "RTX 4090", "--driver", "535", "--python", "3.12", *UBUNTU]),
    ("Pascal", ["--gpu", "GTX 1080 Ti", "--driver", "580", "--python", "3.12", *UBUNTU]),
    ("Blackwell", ["--gpu", "RTX 5090", "--driver", "580", "--python", "3.12", *UBUNTU]),
    ("Windows with an NVIDIA GPU", ["--gpu", "RTX 5090", "--driver", "580", "--python", "3.12", "--os", "windows 11"]),
    ("Windows without a GPU", ["--gpu", "none", "--python", "3.12", "--os", "windows 11"]),
    ("Radeon RX 7000", ["--gpu", "RX 7900 XTX", "--python", "3.12", *UBUNTU]),
    ("Intel Arc", ["--gpu", "Arc B580", "--python", "3.12", *UBUNTU]),
    ("Apple silicon", ["--gpu", "M2", "--python", "3.12", "--os", "macos 15.5"]),
    ("Intel Mac", ["--gpu", "none", "--python", "3.11", "--os", "macos 13.6", "--arch", "x86_64"]),
    ("Server Arm", ["--gpu", "GH200", "--driver", "550", "--python", "3.12", *UBUNTU, "--arch", "aarch64"]),
    ("Raspberry Pi 4 and 5, 64-bit", ["--gpu", "none", "--python", "3.11", "--os", "debian 12", "--arch", "aarch64"]),
    ("CPU only", ["--gpu", "none", "--python", "3.12", *UBUNTU]),
)
HEAD = """\
# Commands for a dozen machines

Each machine is declared in a few words; below them is what `torchdoctor command` prints for pip and, with
`--installer uv`, for uv. This page is written by `.ci/generate/commands.py` and checked against the tool.
"""


def page() -> str:
    """The text of the page."""
    os.environ.pop("TORCHDOCTOR_INDEX_BASE", None)
    parts = [HEAD]
    for title, words in MACHINES:
        shown = shlex.join(["torchdoctor", "command", *words])
        pip, uv = (printed([*words, "--installer", name]) for name in ("pip", "uv"))
        parts.append(f"## {title}\n\n```console\n$ {shown}\n{pip}$ {shown} --installer uv\n{uv}```\n")
    return "\n".join(parts)


def printed(words: list[str]) -> str:
    """What the command prints on standard output."""
    done = CliRunner().invoke(command, words, standalone_mode=False)
    if done.exception is not None or done.return_value:
        raise SystemExit(f"{shlex.join(words)}: {done.exception or done.output}")
    return done.stdout


def main() -> int:
    """Write the page, or compare it."""
    text = page()
    if "--check" not in sys.argv[1:]:
        PAGE.write_text(text, encoding="utf-8")
        return 0
    if PAGE.exists() and PAGE.read_text(encoding="utf-8") == text:
        return 0
    print(f"{PAGE.name} is out of date: run {Path(__file__).name}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
