"""``torchdoctor profile``: a machine profile from a few words."""

from __future__ import annotations

import json
from typing import Any

import click

__all__ = ["command"]


@click.command("profile")
@click.option(
    "--gpu", "gpus", metavar="NAME", multiple=True, help="A GPU: 'RTX 4090', 10de:2684, gfx1100, none; repeatable."
)
@click.option("--driver", metavar="VERSION", help="The driver of the GPU: 535, 550.54.14, none.")
@click.option("--python", metavar="VERSION", help="The interpreter: 3.12, 3.13t.")
@click.option(
    "--os", metavar="NAME", help="The system: 'ubuntu 24.04', 'windows 11', 'macos 15' (default: this machine's)."
)
@click.option("--arch", metavar="NAME", help="The processor: x86_64, aarch64.")
@click.option(
    "-o", "--output", metavar="FILE", default="-", help="JSON, or TOML for a name in .toml; - is standard output."
)
def command(
    gpus: tuple[str, ...], driver: str | None, python: str | None, os: str | None, arch: str | None, output: str
) -> int:
    """Write a machine profile from a few words, for --machine FILE.

    What is not said is left out: not known, and never guessed.
    """
    from torchdoctor.api import Options
    from torchdoctor.output import emit
    from torchdoctor.probes.facts import System
    from torchdoctor.probes.profile import facts_to_mapping
    from torchdoctor.profile_flags import FlagError, facts_from_flags
    from torchdoctor.subject import this_system

    here = System()
    if os is None:
        here = this_system(Options())
        said = " ".join(t for t in (here.name or here.os, here.version, arch or here.machine) if t)
        click.echo(f"torchdoctor: the system is this machine's ({said}); --os names another", err=True)
    try:
        facts = facts_from_flags(gpus=gpus, driver=driver, python=python, os=os, machine=arch, here=here)
    except FlagError as error:
        raise click.UsageError(str(error)) from None
    data = _known(facts_to_mapping(facts))
    emit([_toml(data) if output.endswith(".toml") else json.dumps(data, indent=2) + "\n"], output)
    return 0


def _known(value: Any) -> Any:
    """Without what is not known; an empty list or string says "none" and stays."""
    if isinstance(value, dict):
        kept = {k: _known(v) for k, v in value.items() if v is not None}
        return {k: v for k, v in kept.items() if v != {}}
    return [_known(v) for v in value] if isinstance(value, list) else value


def _toml(data: dict[str, Any], path: str = "") -> str:
    from torchdoctor.installers.toml import string

    plain, tables = [], []
    for key, value in data.items():
        name = f"{path}{key}"
        if isinstance(value, dict):
            tables.append(f"\n[{name}]\n{_toml(value, name + '.')}" if _leaves(value) else _toml(value, name + "."))
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            tables += [f"\n[[{name}]]\n{_toml(row, name + '.')}" for row in value]
        else:
            plain.append(f"{key} = {string(value) if isinstance(value, str) else json.dumps(value)}\n")
    return "".join(plain + tables).lstrip("\n") if not path else "".join(plain + tables)


def _leaves(table: dict[str, Any]) -> bool:
    return any(not isinstance(v, dict) for v in table.values())
