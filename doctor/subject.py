"""Which machine a command judges: the one at hand, a declared one, or an image for a declared target."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from torchdoctor.api import Options, Report

__all__ = ["subject", "subject_options", "tell", "this_system", "unmet"]

F = TypeVar("F", bound=Callable[..., Any])


def subject_options(function: F) -> F:
    """``--machine`` with ``--overlay``, and the flags that declare a machine without a file."""
    for option in reversed(
        (
            click.option(
                "--machine",
                "machines",
                metavar="FILE",
                multiple=True,
                help="Judge the machine that this JSON or TOML profile declares; nothing is probed.",
            ),
            click.option(
                "--overlay",
                is_flag=True,
                help="Take what is not declared from this machine (an image for a declared target).",
            ),
            click.option(
                "--gpu",
                "gpus",
                metavar="NAME",
                multiple=True,
                help="Judge a machine with this GPU instead of the one at hand: 'RTX 4090', none; repeatable.",
            ),
            click.option("--driver", metavar="VERSION", help="Its driver: 535, 550.54.14, none."),
            click.option(
                "--os",
                metavar="NAME",
                help="Its system: 'ubuntu 24.04', 'windows 11', 'macos 15.5' (default: the one here).",
            ),
            click.option("--arch", metavar="NAME", help="Its processor: x86_64, aarch64."),
        )
    ):
        function = option(function)
    return function


def subject(
    options: Options,
    *,
    machines: tuple[str, ...] = (),
    overlay: bool = False,
    gpus: tuple[str, ...] = (),
    driver: str | None = None,
    os: str | None = None,
    arch: str | None = None,
    probe: Callable[[Options], Report] | None = None,
) -> Report:
    """The report on the machine that the options name. ``probe`` judges the machine at hand (with progress shown).

    Raises :class:`~torchdoctor.api.InputError` or ``click.UsageError``.
    """
    from torchdoctor import api

    if len(machines) > 1:
        raise click.UsageError(
            "--machine: one at a time here; several make one project file with command --installer NAME"
        )
    machine = machines[0] if machines else None
    flags = bool(gpus or driver or os or arch)
    if machine is not None and flags:
        raise click.UsageError("--machine declares the machine already: leave out --gpu, --driver, --os and --arch")
    if overlay and machine is None and not flags:
        raise click.UsageError("--overlay needs a declared machine: --machine FILE, or --gpu, --driver, --os")
    if machine is None and not flags:
        return (probe or api.check)(options)
    if machine is not None:
        declared, warnings = api.read_machine(machine)
        for warning in warnings:
            tell(f"warning: {warning}")
    else:
        declared, options = _from_flags(options, gpus, driver, os, arch, overlay)
    if not overlay:
        return api.judged(declared, ("machine", machine or "flags"), options)
    from torchdoctor.overlay import overlay as lay_over

    probed, spent, leftovers = api.examine(options)
    report = api.judged(lay_over(declared, probed), ("machine", machine or "flags"), options)
    return replace(report, timings=spent, leftovers=leftovers)


def _from_flags(
    options: Options, gpus: tuple[str, ...], driver: str | None, os: str | None, arch: str | None, overlay: bool
) -> tuple[Any, Options]:
    from torchdoctor.probes.facts import System
    from torchdoctor.profile_flags import FlagError, facts_from_flags, is_python_version

    python = options.python
    version = python if python is not None and is_python_version(python) else None
    if version is not None:
        options = replace(options, python=None)  # a version to judge, not a program to run or to name in a command
    here = System() if overlay or os is not None else this_system(options)
    try:
        return facts_from_flags(gpus=gpus, driver=driver, python=version, os=os, machine=arch, here=here), options
    except FlagError as error:
        raise click.UsageError(str(error)) from None


def this_system(options: Options) -> Any:
    """The system at hand, for a machine that is declared without one."""
    from torchdoctor import api

    return api.examine(options)[0].system


def unmet(report: Report) -> int:
    """The exit status of a command that acts on the recommendation: 0, or 1 after saying on standard error what stands
    in the way of it: no candidate, a requirement that is not met, a blocker about the request.
    """
    verdict = report.verdict
    in_the_way = [f for f in verdict.findings if f.severity == "blocker" and f.about == "request"]
    failed = [r for r in verdict.requires if r.met is not True]
    if verdict.recommendation is not None and not in_the_way and not failed:
        return 0
    shown = in_the_way or [f for f in verdict.findings if f.severity == "blocker"]
    tell(verdict.summary)
    for finding in shown:
        tell(f"{finding.id}: {finding.title}")
    for require in failed:
        tell(f"--require {require.what} is not met ({', '.join(require.why) or 'not known'})")
    return 1 if shown or failed else 3


def tell(text: str) -> None:
    """One line on standard error; what a machine file smuggled into it cannot steer a terminal."""
    click.echo("torchdoctor: " + "".join(c if c.isprintable() else "?" for c in text), err=True)
