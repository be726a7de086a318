"""The command line: a lazy group, so that a command costs only what it needs. The only place that exits."""

from __future__ import annotations

import os
import sys
from importlib import import_module

try:
    import click
    from torchdoctor import __version__
except KeyboardInterrupt:  # while it loads there is nothing to end and nothing to say
    os._exit(130)

__all__ = ["main"]

COMMANDS = {
    "check": "Diagnose this machine: what is in the way, what to install (the default).",
    "diagnose": "The same for another machine, from a pasted report, a recording or a report.",
    "command": "Print only the install command.",
    "install": "Run that command in the examined environment.",
    "capture": "Record this machine's raw evidence for a support desk.",
    "explain": "What a finding means, how it is established, how to fix it.",
    "releases": "The compatibility matrix as a table.",
    "gpus": "What the matrix knows of a GPU.",
    "profile": "Write a machine profile from a few words.",
    "completion": "Shell completion for bash, zsh, fish and PowerShell.",
}
"""Name → one line of help; the command itself lives in ``torchdoctor.commands.NAME`` and is imported when it runs."""


class _Commands(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command = import_module(f"torchdoctor.commands.{cmd_name}").command
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        # The one-liners stand here, so that --help imports no command.
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if ctx.resilient_parsing:
            # Completion: nothing typed yet means "which commands are there", not "check".
            return super().parse_args(ctx, args)
        own = ("--help", "-h", "--version")
        if not args or (args[0].startswith("-") and args[0] not in own):
            args = ["check", *args]
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS:
            from difflib import get_close_matches

            near = get_close_matches(args[0], COMMANDS, n=1)
            hint = f" (did you mean {near[0]}?)" if near else " (see torchdoctor --help)"
            raise click.UsageError(f"no such command: {args[0]}{hint}")
        return super().resolve_command(ctx, args)


def _version(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        from torchdoctor.matrix.catalog import MATRIX_DATE

        click.echo(f"torchdoctor {__version__} (matrix of {MATRIX_DATE})")
        ctx.exit()


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option(
    "--version",
    is_flag=True,
    callback=_version,
    expose_value=False,
    is_eager=True,
    help="Version and date of the matrix.",
)
def cli() -> None:
    """Which torch fits this machine, what is in the way, and the command that installs it.

    Without a command: check this machine. Works offline; nothing is contacted unless a command says so.
    """


def main(args: list[str] | None = None) -> None:
    """Run the command line and exit: 0, 1 (something in the way), 2 (wrong call or input), 3, or 130 (interrupted)."""
    status = 0
    _open_streams()
    try:
        result = cli.main(args=args, prog_name="torchdoctor", standalone_mode=False)
        status = result if isinstance(result, int) else 0
    except click.exceptions.Exit as error:
        status = error.exit_code
    except (click.Abort, KeyboardInterrupt):
        status = 130
    except click.ClickException as error:
        status = 2
        _complain(error.format_message())
    except BrokenPipeError:
        # The reader went away (head, a closed pager): not our failure.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    except OSError as error:
        status = 2
        _complain(f"{error.filename or 'standard output'}: {error.strerror or error}")
    except Exception as error:
        status = 2
        _complain(excuse(error))
    _leave(status)


def _open_streams() -> None:
    """A caller may have closed standard output or error (``>&-``): what goes there is lost, the status tells."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115


def excuse(error: Exception) -> str:
    """One line on what was wrong with an input; with us, where it is no fault of an input, and where that happened."""
    if is_input_error(error):
        return str(error)
    if isinstance(error, click.ClickException):
        return error.format_message()
    if os.environ.get("TORCHDOCTOR_TRACEBACK"):
        raise error
    import traceback

    at = traceback.extract_tb(error.__traceback__)
    where = f"{os.path.basename(at[-1].filename)}:{at[-1].lineno}" if at else "?"
    return f"a fault of torchdoctor itself ({type(error).__name__}: {str(error)[:200]}, {where}): please report it"


def is_input_error(error: Exception) -> bool:
    # Looked up by module, since most runs never import these.
    for module, name in (
        ("torchdoctor.api", "InputError"),
        ("torchdoctor.probes.interpreter", "InterpreterNotFoundError"),
        ("torchdoctor.probes.recording_files", "RecordingError"),
        ("torchdoctor.matrix.request", "RequestError"),
        ("torchdoctor.installers.target", "InstallerError"),
        ("torchdoctor.quote", "QuoteError"),
    ):
        loaded = sys.modules.get(module)
        if loaded is not None and isinstance(error, getattr(loaded, name)):
            return True
    return False


def _complain(message: str) -> None:
    line = " ".join(message.split())
    shown = "".join(c if c.isprintable() else "?" for c in line)
    try:
        print(f"torchdoctor: {shown}", file=sys.stderr)
    except UnicodeEncodeError:
        print(f"torchdoctor: {shown.encode('ascii', 'replace').decode()}", file=sys.stderr)
    except (OSError, ValueError):
        pass  # nobody listens: the status tells


def _leave(status: int) -> None:
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError) as error:
        # The interpreter would try again on its way out, and complain.
        os._exit(status if isinstance(error, BrokenPipeError) else status or 2)
    import threading

    if any(t.daemon and t is not threading.current_thread() for t in threading.enumerate()):
        # A probe that hangs in the kernel can be neither ended nor joined; the answer is out.
        os._exit(status)
    sys.exit(status)
