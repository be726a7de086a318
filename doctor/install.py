"""Doing it: torch's family from its index, everything else from the usual one while torch is held, and the way back.

Two steps, because one command cannot say "this package from there, the others from here": a package that resolves torch
anew from the usual index is how a CPU build replaces a working one.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from torchdoctor.environment import Environment, NotUsableError, changes, scan, snapshot
from torchdoctor.installers.target import Target, index_of, label, pins, replaces_same_version, without_credentials

__all__ = ["FAMILY", "Failed", "Plan", "Request", "perform", "plan"]

FAMILY = ("torch", "torchvision", "torchaudio", "torchcodec")

# Of the caller's settings, those that would add another source to torch's own step.
_OTHER_SOURCES = ("PIP_EXTRA_INDEX_URL", "UV_EXTRA_INDEX_URL", "UV_INDEX", "UV_TORCH_BACKEND")


class Failed(RuntimeError):
    """Something went wrong on the way. ``status`` is the installer's own where it is what failed."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What to install where. ``others`` and ``files`` (requirements) follow torch; ``find_links`` replaces every index;
    ``gpu`` says that torch has to see one afterwards.
    """

    target: Target
    environment: Environment
    installer: str = "pip"
    others: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    index_base: str | None = None
    find_links: str | None = None
    uv: str | None = None
    gpu: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What the first step will change: name → version now there, or ``None``; ``known`` is false for a pip that cannot
    tell beforehand.
    """

    request: Request
    wanted: Mapping[str, str]
    known: bool = True

    @property
    def nothing(self) -> bool:
        """Is everything asked for already there?"""
        return self.known and not self.wanted and not self.request.others and not self.request.files

    def rows(self) -> list[str]:
        """One line a change."""
        before = scan(self.request.environment.folders)
        if not self.known:
            return [f"{pin} (what else changes, this pip cannot tell beforehand)" for pin in self.pins()]
        return changes({n: before[n] for n in self.wanted if n in before}, self.wanted)

    def pins(self) -> list[str]:
        """The exact requirements of torch's step."""
        return pins(self.request.target.recommendation, label(self.request.target))


def plan(request: Request, say: Callable[[str], None]) -> Plan:
    """Ask the installer what torch's step would do. Raises :class:`Failed` with the installer's status."""
    if request.installer == "uv":
        return Plan(request=request, wanted=_uv_says(request, say))
    if not request.environment.pip_at_least(22, 2):
        return Plan(request=request, wanted={}, known=False)
    wanted: dict[str, str] = {}
    for line in _torch_lines(request):
        wanted |= _pip_says(line, _without_other_sources(request), say)
    return Plan(request=request, wanted=wanted)


def perform(planned: Plan, say: Callable[[str], None]) -> list[str]:
    """Install; returns what changed, one line a package. Raises :class:`Failed` after putting everything back."""
    request = planned.request
    environment = request.environment
    try:
        touched = set(planned.wanted) if planned.known and not (request.others or request.files) else None
        kept = snapshot(environment, touched)
    except NotUsableError as error:
        raise Failed(str(error), 1) from None
    try:
        if planned.wanted or not planned.known:
            for line in _torch_lines(request):
                _run(line, _without_other_sources(request))
        _right_build(request)
        if request.others or request.files:
            with tempfile.TemporaryDirectory(prefix="torchdoctor-") as folder:
                _run(_other_line(request, _constraints(request, folder)), dict(os.environ))
            _right_build(request)
    except BaseException as error:
        if isinstance(error, Exception) and not isinstance(error, Failed | OSError):
            kept.drop()
            raise
        left = kept.restore()
        kept.drop()
        back = "everything is as it was before" if not left else "not put back: " + "; ".join(left)
        if isinstance(error, KeyboardInterrupt):
            say(f"interrupted; {back}")
            raise
        raise Failed(f"{error}; {back}", getattr(error, "status", 1)) from None
    kept.drop()
    return changes(kept.before, scan(environment.folders))


# ---- the lines that are run


def _installer(request: Request) -> list[str]:
    if request.installer == "uv":
        return [request.uv or "uv", "pip", "install", "--python", request.environment.python]
    # -I: a pip.py in the current folder is not the pip that is meant.
    return [request.environment.python, "-I", "-m", "pip", "install", "--disable-pip-version-check"]


def _sources(request: Request) -> list[str]:
    if request.find_links is not None:
        return ["--no-index", "--find-links", request.find_links]
    url = index_of(request.target.recommendation, request.index_base)
    if url is None:
        return []
    return ["--default-index" if request.installer == "uv" else "--index-url", url]


def _torch_lines(request: Request) -> list[list[str]]:
    wanted = pins(request.target.recommendation, label(request.target))
    lines = [[*_installer(request), *wanted, *_sources(request)]]
    if replaces_same_version(request.target):
        # Another build of that number is there, which an installer takes for the wanted one.
        again = ["--reinstall"] if request.installer == "uv" else ["--force-reinstall"]
        lines.insert(0, [*_installer(request), *again, "--no-deps", *wanted, *_sources(request)])
    return lines


def _other_line(request: Request, constraints: str) -> list[str]:
    line = [*_installer(request), "--constraint", constraints, *request.others]
    for file in request.files:
        line += ["--requirement", file]
    return line + (_sources(request) if request.find_links is not None else [])


def _constraints(request: Request, folder: str) -> str:
    there = scan(request.environment.folders)
    path = os.path.join(folder, "torch.txt")
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(f"{name}=={there[name]}\n" for name in FAMILY if name in there)
    return path


def _without_other_sources(request: Request) -> dict[str, str]:
    drop = _OTHER_SOURCES if index_of(request.target.recommendation, request.index_base) or request.find_links else ()
    return {k: v for k, v in os.environ.items() if k not in drop}


# ---- asking and running


def _run(line: Sequence[str], variables: Mapping[str, str]) -> None:
    """Run the installer; what it prints goes to standard error, since ours is the result."""
    sys.stderr.flush()
    try:
        status = subprocess.run(line, env=dict(variables), stdout=_stderr(), check=False).returncode
    except OSError as error:
        raise Failed(f"{line[0]} cannot be run: {error.strerror}", 2) from None
    if status:
        raise Failed(f"{_program(line)} failed with status {status}", status if status > 0 else 128 - status)


def _stderr() -> int | None:
    try:
        return sys.stderr.fileno()
    except (OSError, ValueError):
        return None


def _program(line: Sequence[str]) -> str:
    return "uv" if "--python" in line else "pip"


def _asked(
    line: Sequence[str], variables: Mapping[str, str], say: Callable[[str], None]
) -> subprocess.CompletedProcess[str]:
    try:
        ran = subprocess.run(line, env=dict(variables), capture_output=True, text=True, errors="replace", check=False)
    except OSError as error:
        raise Failed(f"{line[0]} cannot be run: {error.strerror}", 2) from None
    if ran.returncode:
        for text in _telling(ran.stderr):
            say(text)
        say("asked: " + " ".join(without_credentials(word) for word in line))
        status = ran.returncode if ran.returncode > 0 else 128 - ran.returncode
        raise Failed(f"{_program(line)} failed with status {status}; nothing was changed", status)
    return ran


def _telling(printed: str) -> list[str]:
    """The last lines of what an installer printed, of its attempts to reach an index only the first."""
    lines: list[str] = []
    for text in printed.strip().splitlines():
        if "Retrying (Retry(" in text and any("Retrying (Retry(" in line for line in lines):
            continue
        lines.append(text)
    return lines[-20:]


def _pip_says(line: Sequence[str], variables: Mapping[str, str], say: Callable[[str], None]) -> dict[str, str]:
    ran = _asked([*line, "--dry-run", "--quiet", "--report", "-"], variables, say)
    try:
        rows = json.loads(ran.stdout)["install"]
        return {row["metadata"]["name"].lower().replace("_", "-"): row["metadata"]["version"] for row in rows}
    except (ValueError, KeyError, TypeError):
        raise Failed("pip gave no report that can be read; nothing was changed", 1) from None


def _uv_says(request: Request, say: Callable[[str], None]) -> dict[str, str]:
    wanted: dict[str, str] = {}
    for line in _torch_lines(request):
        ran = _asked([*line, "--dry-run", "--color", "never"], _without_other_sources(request), say)
        for text in ran.stderr.splitlines():
            name, separator, version = text.strip().removeprefix("+ ").partition("==")
            if text.strip().startswith("+ ") and separator:
                wanted[name] = version.split()[0]
    return wanted


def _right_build(request: Request) -> None:
    """The build that landed is the one meant. A configured extra index may have offered another."""
    recommendation = request.target.recommendation
    version = scan(request.environment.folders).get("torch")
    if version is None:
        raise Failed("torch is not in the environment although the installer reported success", 1)
    number, _, local = version.partition("+")
    if number != recommendation.torch or local not in ("", recommendation.variant):
        meant = f"torch {recommendation.torch} ({recommendation.variant})"
        raise Failed(f"torch {version} was installed instead of {meant}: another configured index offers it", 1)
