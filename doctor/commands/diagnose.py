"""``torchdoctor diagnose``: somebody else's machine, from what they sent."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click
from torchdoctor.options import format_options, gate_options, request_options, to_options

if TYPE_CHECKING:
    from torchdoctor.api import Options, Report

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
    from torchdoctor.render.clean import clean
    from torchdoctor.report import error_report, failed
    from torchdoctor.subject import tell

    options = to_options(values)
    format_, to_file = values["format_"], values["output"] != "-"
    if len(files) > 1 and format_ in ("json", "html"):
        raise click.UsageError(f"--format {format_} holds one report; use --format ndjson for many inputs")
    state = {"status": 0}

    def texts() -> Iterator[str]:
        between = ""
        for name, report in _reports(files or ("-",), options, format_):
            if isinstance(report, str):
                state["status"] = 2
                if format_ == "ndjson":
                    yield report_json(error_report("report", name, report), indent=None)
                else:
                    tell(" ".join(report.split()))
                continue
            if failed(report, values["fail_on"]) and state["status"] != 2:
                state["status"] = 1
            if format_ == "text" and (len(files) > 1 or name not in (*files, "-")):
                yield f"{between}== {clean(name)}\n"
                between = "" if values["quiet"] else "\n"
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


def _reports(names: tuple[str, ...], options: Options, format_: str) -> Iterator[tuple[str, Report | str]]:
    """(name, report or why there is none) of every input; a stream of reports has one a line."""
    from torchdoctor import api
    from torchdoctor.cli import excuse
    from torchdoctor.documents import decode_document, is_zip, read_document, stream

    for name in names:
        try:
            if name != "-" and (os.path.isdir(name) or is_zip(name)):
                yield name, api.diagnose(name, options)
                continue
            shown = "standard input" if name == "-" else name
            text = decode_document(_standard_input() if name == "-" else read_document(name), shown)
            lines = stream(text, shown)
            if lines is None:
                yield name, api.diagnose_text(text, shown, options)
                continue
            if format_ in ("json", "html"):
                raise api.InputError(f"{shown}: a stream of reports, expected one (use --format ndjson)")
        except Exception as error:
            yield name, excuse(error)
            continue
        for place, line in lines:
            try:
                if not isinstance(line, str):
                    raise line
                yield place, api.diagnose_text(line, place, options)
            except Exception as error:
                yield place, excuse(error)


def _standard_input() -> bytes:
    from torchdoctor.documents import LIMIT, InputError

    if sys.stdin is None or sys.stdin.closed:
        raise InputError("standard input: closed, expected a report")
    if sys.stdin.isatty():
        click.echo(_ASK.format(end="Ctrl-Z and Enter" if sys.platform == "win32" else "Ctrl-D"), err=True)
    try:
        data = sys.stdin.buffer.read(LIMIT + 1)
    except OSError as error:
        raise InputError(f"standard input: cannot be read: {error.strerror}") from None
    if len(data) > LIMIT:
        raise InputError(f"standard input: larger than {LIMIT >> 20} MiB, expected a report")
    if data[:4] == b"PK\x03\x04":
        raise InputError("standard input: a zip, expected text (name the file of a recording)")
    return data
