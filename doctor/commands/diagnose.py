"""``torchdoctor diagnose``: somebody else's machine, from what they sent."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import click
from torchdoctor.options import format_options, gate_options, request_options, to_options

__all__ = ["command"]

_ASK = """Paste what was sent: the output of `python -m torch.utils.collect_env`, nvidia-smi, pip or uv, an error text …
End with {end} on a line of its own."""


@click.command("diagnose")
@click.argument("files", nargs=-1, metavar="[FILE|-]…")
@request_options
@click.option("--python", hidden=True, default=None)
@gate_options
@format_options
def command(files: tuple[str, ...], **values: Any) -> int:
    """Diagnose another machine from a pasted report, a recording (folder or zip), a machine profile or a report JSON.

    - reads standard input. Many inputs: --format ndjson prints one report a line, in order.
    """
    from torchdoctor.output import emit, render, report_json
    from torchdoctor.report import error_report, failed

    options = to_options(values)
    format_, to_file = values["format_"], values["output"] != "-"
    if len(files) > 1 and format_ in ("json", "html"):
        raise click.UsageError(f"--format {format_} holds one report; use --format ndjson for many inputs")
    state = {"status": 0}

    def texts() -> Iterator[str]:
        for name in files or ("-",):
            try:
                report = _one(name, options)
            except Exception as error:
                if len(files) < 2 and not _expected(error):
                    raise
                state["status"] = 2
                said = str(error) if _expected(error) else f"{name}: internal error: {type(error).__name__}: {error}"
                if format_ == "ndjson":  # one input that defeats us must not cost the others their answer
                    yield report_json(error_report("report", name, said), indent=None)
                else:
                    click.echo(f"torchdoctor: {' '.join(said.split())}", err=True)
                continue
            if failed(report, values["fail_on"]) and state["status"] != 2:
                state["status"] = 1
            if len(files) > 1 and format_ == "text":
                yield f"== {name}\n"
            yield render(
                report,
                format_,
                quiet=values["quiet"],
                verbose=values["verbose"],
                to_file=to_file,
                installer=options.installer,
            )

    emit(texts(), values["output"])
    return state["status"]


def _expected(error: Exception) -> bool:
    from torchdoctor.cli import is_input_error

    return is_input_error(error)


def _one(name: str, options: Any) -> Any:
    from torchdoctor import api

    if name != "-":
        return api.diagnose(name, options)
    if sys.stdin is None or sys.stdin.closed:
        raise api.InputError("standard input: closed, expected a report")
    if sys.stdin.isatty():
        click.echo(_ASK.format(end="Ctrl-Z and Enter" if sys.platform == "win32" else "Ctrl-D"), err=True)
    data = sys.stdin.buffer.read(api.LIMIT + 1)
    if len(data) > api.LIMIT:
        raise api.InputError(f"standard input: larger than {api.LIMIT >> 20} MiB, expected a report")
    if data[:4] == b"PK\x03\x04":
        raise api.InputError("standard input: a zip, expected text (name the file of a recording)")
    return api.diagnose_text(data, "standard input", options)
