"""``torchdoctor capture``: this machine's raw evidence in one file, personal data removed."""

from __future__ import annotations

import os

import click
from torchdoctor.options import machine_options

__all__ = ["command"]


@click.command("capture")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    default="torchdoctor-recording.zip",
    show_default=True,
    help="Where to write the recording.",
)
@machine_options
def command(output: str, python: str | None, timeout: float) -> int:
    """Record this machine's raw evidence for a support desk.

    User and host names, home folders, addresses, serial numbers and tokens are removed; of the environment only
    variables that steer devices, libraries and installers are kept. `torchdoctor diagnose FILE` replays it anywhere.
    """
    from torchdoctor import __version__
    from torchdoctor.output import write_bytes
    from torchdoctor.probes.gather import gather
    from torchdoctor.probes.interpreter import InterpreterNotFoundError
    from torchdoctor.probes.live import LiveHost
    from torchdoctor.probes.recorder import Recorder

    if not output or os.path.isdir(output) or not os.path.isdir(os.path.dirname(output) or "."):
        raise click.ClickException(f"{output}: expected the name of a file in a folder that exists")
    recorder = Recorder(LiveHost())
    try:
        found = gather(recorder, python=python, timeout=timeout)
    except InterpreterNotFoundError as error:
        raise click.ClickException(str(error)) from None
    said = found.interpreter.recorded() if found.interpreter is not None else None
    try:
        content = recorder.to_zip(said, f"torchdoctor {__version__}")
    except ValueError as error:
        raise click.ClickException(f"{output}: not written: {error}") from None
    write_bytes(output, content)
    click.echo(output)
    for name in (*found.hung, *found.leftovers):
        click.echo(f"torchdoctor: {name} did not end in time; what it would have said is missing", err=True)
    click.echo(
        f"Recorded {len(content) // 1024 + 1} KiB. Look into it before you send it; "
        f"`torchdoctor diagnose {output}` shows what it tells.",
        err=True,
    )
    return 0
