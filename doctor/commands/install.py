"""``torchdoctor install``: the recommendation, carried out in the examined environment."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click
from torchdoctor.options import gate_options, machine_options, request_options, to_options
from torchdoctor.subject import subject_options, tell

if TYPE_CHECKING:
    from torchdoctor.api import Options, Report
    from torchdoctor.install import Plan, Request

__all__ = ["command"]


@click.command("install")
@click.argument("packages", nargs=-1, metavar="[PKG]…")
@click.option(
    "-r",
    "--requirement",
    "files",
    metavar="FILE",
    multiple=True,
    help="Requirements to install after torch; repeatable.",
)
@click.option(
    "--dry-run",
    is_flag=True,
    help="Show what would change, change nothing. Asks the installer, which contacts the index.",
)
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@click.option(
    "--verify", is_flag=True, help="Ask the installer first whether that build can be had; else the next candidate."
)
@click.option("--download", metavar="DIR", help="Fetch the wheels into DIR for the machine judged, install nothing.")
@click.option("--find-links", metavar="DIR", help="Install from the wheels in DIR, without any index.")
@subject_options
@request_options
@machine_options
@gate_options
def command(
    packages: tuple[str, ...],
    files: tuple[str, ...],
    dry_run: bool,
    yes: bool,
    verify: bool,
    download: str | None,
    find_links: str | None,
    machines: tuple[str, ...],
    overlay: bool,
    **values: Any,
) -> int:
    """Install torch's family from its index, then PKG and FILE from your usual one with torch held as it is.

    Shows what will change and asks. On failure the environment is put back. The installer's exit status is kept.
    """
    from torchdoctor.install import FAMILY, Failed, plan
    from torchdoctor.room import shortage
    from torchdoctor.subject import subject, unmet

    if download is not None and find_links is not None:
        raise click.UsageError("--download fetches for later, --find-links installs what was fetched: give one of them")
    others = _others(packages)
    values["companions"] = tuple(dict.fromkeys((*values["companions"], *(p for p in packages if p in FAMILY[1:]))))
    options = to_options(values)
    if options.installer not in (None, "pip", "uv"):
        raise click.UsageError(f"--installer {options.installer}: install runs pip or uv")
    report = subject(
        options, machines=machines, overlay=overlay, **{k: values[k] for k in ("gpus", "driver", "os", "arch")}
    )
    status = unmet(report)
    if status:
        return status
    request = _request(report, options, others, files, find_links, verify)
    for found in report.verdict.findings:
        if found.severity == "warning":
            tell(f"warning: {found.id}: {found.detail or found.title}")
    try:
        if download is not None:
            return _download(request, download)
        refused = _refused(request)
        if refused is not None:
            raise click.ClickException(refused)
        planned = plan(request, tell)
    except Failed as error:
        tell(str(error))
        return error.status
    if planned.nothing:
        click.echo(f"{_words(request)} is installed: nothing to change")
        return 0
    _show(planned)
    short = shortage(request.target, request.environment)
    if short is not None:
        raise click.ClickException(short)
    if dry_run:
        return 0
    if not yes and not _agreed():
        return 1
    return _carry_out(planned)


def _others(packages: tuple[str, ...]) -> tuple[str, ...]:
    from torchdoctor.install import FAMILY

    for package in packages:
        if not package.strip() or not package.isprintable() or package.startswith("-"):
            raise click.UsageError(f"{package!a}: expected a package")
        if package not in FAMILY and _name_of(package) in FAMILY:
            raise click.UsageError(
                f"{package!a}: which {_name_of(package)} is chosen to fit; ask for a release with --torch"
            )
    return tuple(p for p in packages if p not in FAMILY)


def _name_of(package: str) -> str:
    """The name in a requirement: ``torch>=2`` → ``torch``."""
    end = next((i for i, c in enumerate(package) if not (c.isalnum() or c in "._-")), len(package))
    return package[:end].lower().replace("_", "-")


def _request(
    report: Report,
    options: Options,
    others: tuple[str, ...],
    files: tuple[str, ...],
    find_links: str | None,
    verify: bool,
) -> Request:
    import os

    from torchdoctor.environment import NotUsableError, inspect, scan
    from torchdoctor.install import Request
    from torchdoctor.installers import Target
    from torchdoctor.installers.target import checked
    from torchdoctor.verify import examined_command, verified

    for path in (*files, *((find_links,) if find_links else ())):
        if not os.path.exists(path):
            raise click.UsageError(f"{path}: no such file or folder")
    recommendation = report.verdict.recommendation
    assert recommendation is not None
    if verify:
        recommendation = verified(report, options, tell)
    try:
        environment = inspect(examined_command(options))
    except NotUsableError as error:
        raise click.ClickException(str(error)) from None
    facts = report.facts
    target = Target(
        recommendation=checked(recommendation),
        system=facts.system,
        python=facts.python,
        installed=scan(environment.folders),
    )
    return Request(
        target=target,
        environment=environment,
        installer=options.installer or "pip",
        others=others,
        files=files,
        index_base=options.index_base,
        find_links=find_links,
        uv=_uv(),
        gpu=report.source[0] == "live" and recommendation.variant != "cpu" and not _blocked(report),
    )


def _blocked(report: Report) -> bool:
    return any(f.severity == "blocker" and f.about == "machine" for f in report.verdict.findings)


def _uv() -> str | None:
    import os
    import shutil

    beside = os.path.join(os.path.dirname(sys.executable), "uv")
    return shutil.which("uv") or (beside if os.access(beside, os.X_OK) else None)


def _refused(request: Request) -> str | None:
    from torchdoctor.environment import refusal

    if request.installer == "uv" and request.uv is None:
        return "uv is not on the path"
    return _another_machine(request) or refusal(request.environment, request.installer)


def _another_machine(request: Request) -> str | None:
    """A build for another system or Python than those at hand is to be fetched, not installed."""
    from torchdoctor.download import same_markers

    target = request.target
    if target.python.version is None or target.system.os is None or same_markers(request):
        return None
    declared = " ".join(t for t in (target.system.os, target.system.machine, "Python", target.python.version) if t)
    return (
        f"{request.environment.python} is not the machine declared ({declared}): "
        "--overlay takes system and Python from here, --download fetches the wheels for there"
    )


def _words(request: Request) -> str:
    recommendation = request.target.recommendation
    return f"torch {recommendation.torch} ({recommendation.variant})"


def _show(planned: Plan) -> None:
    from torchdoctor.installers.known import second_host
    from torchdoctor.installers.target import index_of, without_credentials
    from torchdoctor.room import disk_needed, gigabytes, wheel_size

    request = planned.request
    recommendation = request.target.recommendation
    index = request.find_links or index_of(recommendation, request.index_base)
    tell(f"{_words(request)} into {request.environment.python}")
    tell(f"  from {without_credentials(index) if index else 'the default package index'}")
    if (host := second_host(recommendation)) is not None and request.find_links is None:
        tell(f"  its ROCm packages lie on {host}, which must be reachable too")
    for row in planned.rows():
        tell(f"  {row}")
    if request.others or request.files:
        tell(f"  then {', '.join((*request.others, *request.files))} from your usual index, with torch held as it is")
    if not planned.wanted and planned.known:
        return
    size = wheel_size(request.target)
    shown = f"torch's wheel is about {gigabytes(size)}, what it depends on comes on top" if size else "size not known"
    tell(f"  download: {shown}")
    needed = disk_needed(request.target)
    tell(f"  disk: {gigabytes(needed)} needed, {gigabytes(request.environment.free())} free")


def _agreed() -> bool:
    click.echo("Go ahead? [y/N] ", err=True, nl=False)
    answer = sys.stdin.readline()
    if not answer:
        click.echo("", err=True)
        raise click.ClickException("nobody to ask: --yes installs without a question")
    if answer.strip().lower() in ("y", "yes"):
        return True
    tell("nothing was changed")
    return False


def _carry_out(planned: Plan) -> int:
    from torchdoctor.environment import scan
    from torchdoctor.install import Failed, perform

    request = planned.request
    try:
        rows = perform(planned, tell)
    except Failed as error:
        tell(str(error))
        return error.status
    for row in rows:
        click.echo(row)
    return _checked(request, scan(request.environment.folders)["torch"])


def _checked(request: Request, version: str) -> int:
    """Does what was installed import, and does it see the GPU?"""
    from torchdoctor.outcome import outcome

    problem, seen = outcome(request.environment.python)
    if problem is not None:
        tell(f"torch {version} is installed but {problem}")
        return 1
    if request.gpu and seen is False:
        tell(f"torch {version} is installed and works, but uses no GPU: torchdoctor check tells why")
        return 1
    click.echo(f"torch {version} works" + (" on the GPU" if seen else ""))
    return 0


def _download(request: Request, folder: str) -> int:
    from torchdoctor.download import download

    for name in download(request, folder):
        click.echo(name)
    return 0
