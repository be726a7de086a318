"""Reports to where they were asked for: rendered for the stream at hand, files written whole or not at all."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Mapping
from typing import Any

import click
from torchdoctor.report import Report

__all__ = ["emit", "render", "terminal_width", "wants_color", "write_bytes", "write_text"]


def wants_color(stream: Any) -> bool:
    """Colour only on a terminal; ``NO_COLOR``, ``FORCE_COLOR`` and ``TERM=dumb`` decide before that."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR", "0") not in ("", "0"):
        return True
    return bool(stream.isatty()) and os.environ.get("TERM") != "dumb"


def terminal_width(stream: Any) -> int:
    """Columns to write for: those of the terminal, at most 100; 80 elsewhere. ``COLUMNS`` decides before that."""
    set_to = os.environ.get("COLUMNS", "")
    if set_to.isdecimal() and int(set_to):
        return max(40, min(int(set_to), 200))
    try:
        return max(40, min(os.get_terminal_size(stream.fileno()).columns, 100))
    except (OSError, ValueError, AttributeError):
        return 80


def render(
    report: Report,
    format_: str,
    *,
    quiet: bool = False,
    verbose: bool = False,
    to_file: bool = False,
    installer: str | None = None,
) -> str:
    """A report in one of the formats, ending in a newline."""
    document = report.to_dict()
    if format_ == "json":
        return report_json(document, indent=2)
    if format_ == "ndjson":
        return report_json(document, indent=None)
    if format_ == "text":
        from torchdoctor.render.text import render_text

        stream = sys.stdout
        return render_text(
            document,
            width=80 if to_file else terminal_width(stream),
            color=not to_file and wants_color(stream),
            ascii=not to_file and not is_utf8(stream),
            verbose=verbose,
            quiet=quiet,
            installer=installer,
            timings=report.timings,
        )
    if format_ == "markdown":
        from torchdoctor.render.markdown import render_markdown

        return render_markdown(document)
    if format_ == "html":
        from torchdoctor.render.html import render_html

        return render_html(document)
    from torchdoctor.render.github import render_github, summary

    _job_summary(summary(document))
    return render_github(document)


def _job_summary(text: str) -> None:
    """Add ``text`` to the summary of the GitHub job that runs this; nothing where there is none."""
    path = os.environ.get("GITHUB_STEP_SUMMARY")
    if not path:
        return
    try:
        with open(path, "a", encoding="utf-8") as file:
            file.write(text + "\n")
    except OSError as error:
        click.echo(f"torchdoctor: warning: {path}: the job summary cannot be written: {error.strerror}", err=True)


def report_json(document: Mapping[str, Any], *, indent: int | None) -> str:
    """JSON that any stream can carry: beyond ASCII only where standard output is UTF-8."""
    return json.dumps(document, indent=indent, ensure_ascii=not is_utf8(sys.stdout)) + "\n"


def is_utf8(stream: Any) -> bool:
    """Whether the stream's encoding can carry every character."""
    return (getattr(stream, "encoding", None) or "").lower().replace("-", "") in ("utf8", "utf8sig")


def emit(texts: Iterable[str], output: str) -> None:
    """Write texts to a file (whole or not at all) or, for ``-``, to standard output as they come."""
    if output == "-":
        try:
            for text in texts:
                _write(text)
            sys.stdout.flush()
        except BrokenPipeError:
            # The reader has seen enough (head, a closed pager): no fault, and the status still tells the verdict.
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return
    write_text(output, "".join(texts))


def _write(text: str) -> None:
    if os.name == "nt" and sys.stdout.isatty():
        click.echo(text, nl=False)  # older consoles of Windows show colours only by way of it
        return
    try:
        sys.stdout.write(text)
    except UnicodeEncodeError:
        encoding = sys.stdout.encoding or "ascii"
        sys.stdout.write(text.encode(encoding, "replace").decode(encoding))


def write_text(path: str, text: str) -> None:
    """:func:`write_bytes` in UTF-8; half a character pair, which no encoding has, becomes a question mark."""
    write_bytes(path, text.encode("utf-8", "replace"))


def write_bytes(path: str, content: bytes) -> None:
    """Write a file beside its place and move it there, so that a failure leaves nothing half-written. A link stays one,
    a file keeps its mode, and one that may not be written is left alone.
    """
    import tempfile

    try:
        if os.path.exists(path) and not os.path.isfile(path):  # /dev/stderr, a pipe
            with open(path, "wb") as direct:
                direct.write(content)
            return
        place = os.path.realpath(path)
        if os.path.exists(place):
            with open(place, "ab"):
                mode = os.stat(place).st_mode & 0o777
        else:
            mask = os.umask(0)
            os.umask(mask)
            mode = 0o666 & ~mask
        handle, temporary = tempfile.mkstemp(dir=os.path.dirname(place), prefix=".torchdoctor-")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
            os.chmod(temporary, mode)
            os.replace(temporary, place)
        except BaseException:
            os.unlink(temporary)
            raise
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise click.ClickException(f"{path}: cannot be written: {reason}") from None
