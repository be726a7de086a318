"""``torchdoctor command``: the install command and nothing else, for ``$(…)``, scripts and Dockerfiles."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click
from torchdoctor.options import gate_options, machine_options, request_options, to_options
from torchdoctor.subject import subject_options, tell

if TYPE_CHECKING:
    from torchdoctor.api import Options, Report

__all__ = ["command"]


@click.command("command")
@click.argument("packages", nargs=-1, metavar="")
@subject_options
@click.option(
    "--verify", is_flag=True, help="Ask the installer first whether that build can be had; contacts the index."
)
@request_options
@machine_options
@gate_options
def command(packages: tuple[str, ...], machines: tuple[str, ...], overlay: bool, verify: bool, **values: Any) -> int:
    """Print only the install command. Exits 1 and prints nothing where the request cannot be met.

    With several --machine: one project file that serves them all.
    """
    from torchdoctor.installers import leaves_out, render_command
    from torchdoctor.output import emit
    from torchdoctor.subject import subject, unmet

    if packages:
        raise click.UsageError(f"{packages[0]!a}: command takes no package; a companion of torch is --with torchvision")
    options = to_options(values)
    flags = {name: values[name] for name in ("gpus", "driver", "os", "arch")}
    if len(machines) > 1:
        if overlay or any(flags.values()):
            raise click.UsageError(
                "several --machine declare everything: leave out --overlay, --gpu, --driver, --os, --arch"
            )
        return _several(machines, options)
    report = subject(options, machines=machines, overlay=overlay, **flags)
    status = unmet(report)
    if status:
        return status
    recommendation = report.verdict.recommendation
    assert recommendation is not None
    if verify:
        from torchdoctor.verify import verified

        recommendation = verified(report, options, tell)
    installer = options.installer or "pip"
    text = render_command(
        recommendation,
        installer,
        system=report.facts.system,
        interpreter=report.facts.python,
        python=None if machines or any(flags.values()) else options.python,
        shell=options.shell,
        index_base=options.index_base,
        installed=report.facts.packages,
        credentials=True,
    )
    emit([text.rstrip("\n") + "\n"], "-")
    if recommendation.variant == "cpu" and report.facts.gpus:
        idle = ", ".join(gpu.name or gpu.vendor or "?" for gpu in report.facts.gpus)
        tell(f"a build for the CPU only, {idle} stays unused: torchdoctor check tells why")
    said = leaves_out(installer, recommendation)
    if said not in text:  # a file says it in its first line
        tell(said)
    return 0


def _several(machines: tuple[str, ...], options: Options) -> int:
    from torchdoctor.installers import PROJECT_FILES, InstallerError, render_project
    from torchdoctor.output import emit
    from torchdoctor.subject import subject, unmet

    if options.installer not in PROJECT_FILES:
        raise click.UsageError(f"several --machine need a project file: --installer {', '.join(PROJECT_FILES)}")
    reports = [subject(options, machines=(machine,)) for machine in machines]
    status = max(unmet(report) for report in reports)
    if status:
        return status
    try:
        text = render_project([_target(r) for r in reports], options.installer, index_base=options.index_base)
    except InstallerError as error:
        shared = _shared(reports, options)
        if shared is None:
            raise
        text = render_project([_target(r) for r in shared], options.installer, index_base=options.index_base)
        first = shared[0].verdict.recommendation
        assert first is not None
        tell(f"{error}; torch {first.torch} ({first.variant}) is the best that every one of them can run")
    emit([text], "-")
    return 0


def _target(report: Report) -> Any:
    from torchdoctor.installers import Target

    recommendation = report.verdict.recommendation
    assert recommendation is not None
    return Target(recommendation=recommendation, system=report.facts.system, python=report.facts.python)


def _shared(reports: list[Report], options: Options) -> list[Report] | None:
    """The same machines with the best candidate that all of them accept, ``None`` where there is none. A build that would
    leave the GPU of one of them unused serves them as little as none.
    """
    from torchdoctor import api

    every = [api.judged(r.facts, r.source, replace(options, every=True)).verdict.candidates for r in reports]
    accepted = [{(c.torch, c.variant) for c in candidates if c.accepted} for candidates in every]
    common = set.intersection(*accepted)
    accelerated = any(r.verdict.recommendation and r.verdict.recommendation.variant != "cpu" for r in reports)
    for candidate in every[0]:
        if (candidate.torch, candidate.variant) in common and not (accelerated and candidate.variant == "cpu"):
            asked = replace(options, torch=candidate.torch, variant=candidate.variant)
            return [api.judged(r.facts, r.source, asked) for r in reports]
    return None
