"""``torchdoctor check``: this machine, or a declared one."""

from __future__ import annotations

import sys
from typing import Any

import click
from torchdoctor.options import format_options, gate_options, machine_options, request_options, to_options

__all__ = ["command"]


@click.command("check")
@click.option("--machine", metavar="FILE", help="Do not probe: take the facts from a JSON or TOML profile.")
@request_options
@machine_options
@gate_options
@format_options
def command(machine: str | None, **values: Any) -> int:
    """Diagnose this machine: what is in the way, what to install."""
    from torchdoctor import api
    from torchdoctor.output import emit, render
    from torchdoctor.report import failed

    options = to_options(values)
    if machine is not None:
        facts, warnings = api.read_machine(machine)
        for warning in warnings:
            click.echo(f"torchdoctor: warning: {warning}", err=True)
        report = api.judged(facts, ("machine", machine), options)
    else:
        report = _live(options)
    to_file = values["output"] != "-"
    text = render(
        report,
        values["format_"],
        quiet=values["quiet"],
        verbose=values["verbose"],
        to_file=to_file,
        installer=options.installer,
    )
    emit([text], values["output"])
    if failed(report, values["fail_on"]):
        return 1
    return 3 if report.verdict.status == "unknown" and not report.verdict.candidates else 0


def _live(options: Any) -> Any:
    from torchdoctor import api

    if not sys.stderr.isatty():
        return api.check(options)
    from torchdoctor.render.progress import Progress

    with Progress(sys.stderr) as progress:
        return api.check(options, progress=progress.naming)
