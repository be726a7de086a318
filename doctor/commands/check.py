"""``torchdoctor check``: this machine, or a declared one."""

from __future__ import annotations

import sys
from typing import Any

import click
from torchdoctor.options import format_options, gate_options, machine_options, request_options, to_options
from torchdoctor.subject import subject_options, tell

__all__ = ["command"]


@click.command("check")
@click.argument("path", metavar="[PATH]", required=False)
@click.option(
    "--live", "live", is_flag=True, help="Also ask the installed torch itself, in a child process with a deadline."
)
@click.option("--verify", is_flag=True, help="Ask the installer whether that build can be had; contacts the index.")
@subject_options
@request_options
@machine_options
@gate_options
@format_options
def command(path: str | None, live: bool, machines: tuple[str, ...], overlay: bool, verify: bool, **values: Any) -> int:
    """Diagnose this machine: what is in the way, what to install.

    With PATH (a project's folder, requirement or lock file) say whether what it would install fits the machine.
    """
    from torchdoctor.output import emit, render
    from torchdoctor.report import failed
    from torchdoctor.subject import subject

    options = to_options(values)
    flags = {name: values[name] for name in ("gpus", "driver", "os", "arch")}
    if live and (machines or any(flags.values())):
        raise click.UsageError("--live asks the torch of this machine: not with a declared one")
    report = subject(options, machines=machines, overlay=overlay, **flags, probe=lambda o: _live(o, ask=live))
    if path is not None:
        report = _project(path, report.facts, options)
    if verify:
        from torchdoctor.verify import verified_report

        report = verified_report(report, options, tell)
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


def _project(path: str, facts: Any, options: Any) -> Any:
    from torchdoctor.project import check_project

    return check_project(path, facts, options)


def _live(options: Any, *, ask: bool = False) -> Any:
    from torchdoctor import api

    if not sys.stderr.isatty():
        return api.check(options, ask=ask)
    from torchdoctor.output import is_utf8
    from torchdoctor.render.progress import Progress

    with Progress(sys.stderr, ascii=not is_utf8(sys.stderr)) as progress:
        return api.check(options, progress=progress.naming, ask=ask)
