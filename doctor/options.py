"""The command-line options that several commands share, and how they become :class:`torchdoctor.api.Options`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from torchdoctor.api import Options

__all__ = [
    "FORMATS",
    "INSTALLER_NAMES",
    "format_options",
    "gate_options",
    "machine_options",
    "request_options",
    "to_options",
]

F = TypeVar("F", bound=Callable[..., Any])

FORMATS = ("text", "json", "ndjson", "markdown", "html", "github")
INSTALLER_NAMES = ("pip", "uv", "uv-project", "poetry", "pdm", "pixi", "conda", "requirements", "dockerfile")
_WITH = ("torchvision", "torchaudio", "torchcodec")


def _all(*decorators: Callable[[F], F]) -> Callable[[F], F]:
    def decorate(function: F) -> F:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return decorate


def request_options(function: F) -> F:
    """``--torch``, ``--variant``, ``--with``, ``--installer`` and what shapes a printed command."""
    return _all(
        click.option(
            "--torch",
            metavar="SPEC",
            help="Release asked for: 2.15, 2.14.1 or '>=2.8,<2.12' (default: the newest that works).",
        ),
        click.option(
            "--variant", metavar="NAME", default="auto", show_default=True, help="auto, cpu, cu132, rocm7.2, xpu, mps …"
        ),
        click.option(
            "--with",
            "companions",
            metavar="NAME",
            multiple=True,
            type=click.Choice(_WITH),
            help="Companion that pairs with torch: " + ", ".join(_WITH) + "; repeatable.",
        ),
        click.option(
            "--installer",
            metavar="NAME",
            type=click.Choice(INSTALLER_NAMES),
            help="Command for: " + ", ".join(INSTALLER_NAMES) + ".",
        ),
        click.option(
            "--index-base",
            metavar="URL",
            envvar="TORCHDOCTOR_INDEX_BASE",
            help="Mirror in place of the public torch indexes.",
        ),
        click.option(
            "--shell",
            metavar="NAME",
            type=click.Choice(("posix", "powershell")),
            help="Quote commands for posix or powershell.",
        ),
    )(function)


def _a_number(ctx: click.Context, param: click.Parameter, value: float) -> float:
    if value != value:  # what "nan" is read as lies in every range
        raise click.BadParameter("'nan' is no number of seconds", ctx, param)
    return value


def machine_options(function: F) -> F:
    """``--python`` and ``--timeout``: which interpreter, how long to look."""
    return _all(
        click.option(
            "--python",
            metavar="PATH",
            help="Interpreter to examine (default: the active environment's); beside --gpu or --os a version: 3.12.",
        ),
        click.option(
            "--timeout",
            metavar="SECONDS",
            type=click.FloatRange(min=0.1, max=600),
            default=10.0,
            show_default=True,
            callback=_a_number,
            help="Budget for all probing.",
        ),
    )(function)


def gate_options(function: F) -> F:
    """``--require``, ``--ignore``, ``--config`` and ``--fail-on``."""
    return _all(
        click.option(
            "--require",
            "requires",
            metavar="WHAT",
            multiple=True,
            type=click.Choice(("gpu", "cuda", "rocm", "xpu", "mps")),
            help="Fail unless the machine can use it: gpu, cuda, rocm, xpu, mps; repeatable.",
        ),
        click.option("--ignore", metavar="ID", multiple=True, help="Treat a known finding as a note; repeatable."),
        click.option("--config", metavar="FILE", help="pyproject.toml with [tool.torchdoctor] ignore = […]."),
        click.option(
            "--fail-on",
            type=click.Choice(("blocker", "warning", "never")),
            default="blocker",
            show_default=True,
            help="Exit 1 from this severity on.",
        ),
    )(function)


def format_options(function: F) -> F:
    """``--format``, ``--output``, ``-q`` and ``-v``."""
    return _all(
        click.option(
            "--format",
            "format_",
            metavar="NAME",
            type=click.Choice(FORMATS),
            default="text",
            show_default=True,
            help=", ".join(FORMATS) + ".",
        ),
        click.option("--output", metavar="FILE", default="-", help="Write the report there; - is standard output."),
        click.option("--all", "every", is_flag=True, help="Examine every candidate, not only down to the one taken."),
        click.option("-q", "--quiet", is_flag=True, help="Only the verdict line."),
        click.option("-v", "--verbose", is_flag=True, help="Each fact with its source, each probe's time."),
    )(function)


def to_options(values: dict[str, Any]) -> Options:
    """Options of the API from what click parsed. Raises ``click.ClickException`` for what cannot be used."""
    from torchdoctor.api import Options

    ignore = tuple(values.get("ignore") or ())
    if ignore:
        _known(ignore, "--ignore")
    if values.get("config"):
        configured = _configured(values["config"])
        _known(configured, f"{values['config']}: tool.torchdoctor.ignore:")
        ignore += configured
    return Options(
        torch=values.get("torch"),
        variant=values.get("variant"),
        requires=tuple(dict.fromkeys(values.get("requires") or ())),
        companions=tuple(dict.fromkeys(values.get("companions") or ())),
        ignore=ignore,
        installer=values.get("installer"),
        index_base=values.get("index_base"),
        shell=values.get("shell"),
        python=values.get("python"),
        timeout=values.get("timeout") or 10.0,
        every=bool(values.get("every")),
        data_age=_data_age(),
    )


def _data_age() -> int:
    from datetime import date

    from torchdoctor.matrix.catalog import MATRIX_DATE

    return (date.today() - date.fromisoformat(MATRIX_DATE)).days


def _known(ids: tuple[str, ...], where: str) -> None:
    from difflib import get_close_matches

    from torchdoctor.matrix.findings import finding_kinds

    kinds = finding_kinds()
    for id in ids:
        if id not in kinds:
            near = get_close_matches(id, kinds, n=1)
            raise click.ClickException(f"{where} {id}: no such finding" + (f" (nearest: {near[0]})" if near else ""))


def _configured(path: str) -> tuple[str, ...]:
    from torchdoctor.probes.profile import read_toml

    try:
        with open(path, encoding="utf-8") as file:
            data = read_toml(file.read())
    except OSError as error:
        raise click.ClickException(f"{path}: cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise click.ClickException(f"{path}: not valid TOML: {error}") from None
    table = data.get("tool", {}).get("torchdoctor", {}) if isinstance(data.get("tool", {}), dict) else {}
    ignore = table.get("ignore", []) if isinstance(table, dict) else []
    if not isinstance(ignore, list) or not all(isinstance(i, str) for i in ignore):
        raise click.ClickException(f"{path}: tool.torchdoctor.ignore: expected a list of finding ids")
    return tuple(ignore)
