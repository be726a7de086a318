"""Build the manual page: ``python docs/tools/man.py [FILE]`` writes ``build/man/torchdoctor.1`` from what click knows."""

from __future__ import annotations

import sys
from pathlib import Path

import click

ROOT = Path(__file__).parents[2]
_STATUS = (
    ("0", "Nothing at or above --fail-on."),
    ("1", "At least one finding there, or a --require that is not met."),
    ("2", "The call or an input is wrong."),
    ("3", "No candidate could be judged."),
    ("130", "Interrupted."),
)
_VARIABLES = (
    ("NO_COLOR, FORCE_COLOR, TERM", "Whether the text is coloured."),
    ("COLUMNS", "The width to write for."),
    ("TORCHDOCTOR_INDEX_BASE", "A mirror in place of the public torch indexes."),
)


def manual() -> str:
    """The page in the man macros, one subsection a command."""
    from torchdoctor import __version__
    from torchdoctor.cli import COMMANDS, cli
    from torchdoctor.matrix.catalog import MATRIX_DATE

    lines = [
        f'.TH TORCHDOCTOR 1 "{MATRIX_DATE}" "torchdoctor {__version__}" "User Commands"',
        ".SH NAME",
        "torchdoctor \\- which torch fits this machine, what is in the way, and the command that installs it",
        ".SH SYNOPSIS",
        ".B torchdoctor",
        "[\\fICOMMAND\\fR] [\\fIOPTIONS\\fR]",
        ".SH DESCRIPTION",
        *_paragraphs(cli.help or ""),
        ".SH COMMANDS",
    ]
    with click.Context(cli, info_name="torchdoctor") as parent:
        for name in COMMANDS:
            command = cli.get_command(parent, name)
            assert command is not None
            context = click.Context(command, info_name=name, parent=parent)
            pieces = " ".join(command.collect_usage_pieces(context))
            lines += [f".SS {_text(f'{name} {pieces}')}", *_paragraphs(command.help or "")]
            for param in command.get_params(context):
                record = param.get_help_record(context)
                if record is not None and record[0].startswith("-") and "--help" not in record[0]:
                    lines += [".TP", f"\\fB{_text(record[0])}\\fR", _text(record[1]) or "\\&"]
    for title, rows in (("EXIT STATUS", _STATUS), ("ENVIRONMENT", _VARIABLES)):
        lines.append(f".SH {title}")
        for term, meaning in rows:
            lines += [".TP", f"\\fB{_text(term)}\\fR", _text(meaning)]
    return "\n".join(lines) + "\n"


def _paragraphs(text: str) -> list[str]:
    lines: list[str] = []
    for block in text.strip().split("\n\n"):
        lines += [".PP", _text(" ".join(block.split()))]
    return lines[1:]


def _text(text: str) -> str:
    safe = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{safe}" if safe.startswith((".", "'")) else safe


def main(argv: list[str]) -> int:
    """Write the page."""
    file = Path(argv[0]) if argv else ROOT / "build" / "man" / "torchdoctor.1"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(manual(), encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
