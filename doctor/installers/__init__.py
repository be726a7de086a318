"""One decision, written for each installer. A file an installer: ``render`` and what it leaves out.

To add one: a module here with ``render(targets, style) -> str`` and ``leaves_out(recommendation) -> str``, and its
name in :data:`INSTALLERS`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

from torchdoctor.installers.known import second_host
from torchdoctor.installers.target import InstallerError, Style, Target, checked, without_credentials
from torchdoctor.matrix.verdict import Recommendation
from torchdoctor.probes.facts import Python, System
from torchdoctor.quote import default_shell

__all__ = [
    "INSTALLERS",
    "PROJECT_FILES",
    "InstallerError",
    "Style",
    "Target",
    "leaves_out",
    "render_command",
    "render_project",
]

INSTALLERS = ("pip", "uv", "uv-project", "poetry", "pdm", "pixi", "conda", "requirements", "dockerfile")
PROJECT_FILES = ("uv-project", "poetry", "pdm", "pixi", "requirements")
"""Those that write a file, which can serve several machines at once."""

_COMMENTED = (
    *PROJECT_FILES,
    "dockerfile",
)  # what they leave out is said in a comment, for the others beside the command


def render_command(
    recommendation: Recommendation,
    installer: str = "pip",
    *,
    system: System | None = None,
    python: str | None = None,
    shell: str | None = None,
    index_base: str | None = None,
    interpreter: Python | None = None,
    installed: Mapping[str, str] | None = None,
    credentials: bool = False,
) -> str:
    """The decision for one installer: a command line, or the text of a file for :data:`PROJECT_FILES`.

    ``system`` and ``interpreter`` describe the machine, ``python`` is the path of an interpreter to name, ``shell``
    defaults to that of the system, ``index_base`` replaces the public root of torch's indexes. With ``installed`` (name →
    version) a build that an installer would mistake for the wanted one is replaced. Credentials in URLs are cut unless
    ``credentials``. Raises :class:`InstallerError` or :class:`~torchdoctor.quote.QuoteError`.
    """
    system = system or System()
    if index_base is not None and not credentials:
        index_base = without_credentials(index_base)
    target = Target(recommendation=recommendation, system=system, python=interpreter or Python(), installed=installed)
    style = Style(shell=shell or default_shell(system.os), python=python, index_base=index_base)
    return _render(installer, (target,), style)


def render_project(targets: Sequence[Target], installer: str, *, index_base: str | None = None) -> str:
    """One project file that serves every target. Raises :class:`InstallerError` saying why none can."""
    if installer not in PROJECT_FILES:
        raise InstallerError(f"{installer} serves one machine at a time; for several use {', '.join(PROJECT_FILES)}")
    return _render(installer, tuple(targets), Style(index_base=index_base))


def leaves_out(installer: str, recommendation: Recommendation) -> str:
    """What the command does not do, in one or two sentences."""
    said = str(_module(installer).leaves_out(recommendation))
    host = second_host(recommendation)
    if host is not None and installer != "conda":
        said += f" The ROCm packages are linked from torch's index but lie on {host}: both hosts must be reachable."
    return said


def _render(installer: str, targets: tuple[Target, ...], style: Style) -> str:
    for target in targets:
        checked(target.recommendation)
    text = str(_module(installer).render(targets, style))
    if installer in _COMMENTED:
        said = dict.fromkeys(leaves_out(installer, t.recommendation) for t in targets)
        text = "".join(f"# {line}\n" for line in said) + text
    return text


def _module(installer: str) -> Any:
    if installer not in INSTALLERS:
        raise InstallerError(f"installer {installer!a}: expected one of {', '.join(INSTALLERS)}")
    return import_module(f"torchdoctor.installers.{installer.replace('-', '_')}")
