"""``--verify``: does the index hold that wheel for that interpreter? The installer that would fetch it is asked."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import replace

from torchdoctor.api import Options, Report
from torchdoctor.environment import Environment, NotUsableError, inspect
from torchdoctor.installers.target import InstallerError, Target, index_of, label, pins, without_credentials
from torchdoctor.matrix.verdict import Recommendation

__all__ = ["examined_command", "offered", "verified", "verified_report"]

_MOST = 8  # candidates asked for: an index that lacks so many is another kind of index
_MISSING = ("No matching distribution found", "Could not find a version that satisfies")


def verified(report: Report, options: Options, say: Callable[[str], None]) -> Recommendation:
    """The first accepted candidate that the index really holds, in the matrix's order; ``say`` tells what was passed over.

    Where the installer cannot be asked or does not answer, the recommendation stands, and that is said.
    """
    from torchdoctor import api

    best = report.verdict.recommendation
    assert best is not None
    try:
        environment = inspect(examined_command(options))
    except NotUsableError as error:
        say(f"not verified: {error}")
        return best
    foreign = report.source[0] != "live"
    tried: set[tuple[str, str]] = set()
    asked_for: list[str] = []
    every = None
    recommendation: Recommendation | None = best
    while recommendation is not None and len(asked_for) < _MOST:
        tried.add((recommendation.torch, recommendation.variant))
        words = f"torch {recommendation.torch} ({recommendation.variant})"
        asked_for.append(words)
        target = Target(recommendation=recommendation, system=report.facts.system, python=report.facts.python)
        found, why = offered(target, environment, index_base=options.index_base, foreign=foreign)
        if found is None:
            say(f"{words} is not verified: {why}")
            return best if recommendation is best else recommendation
        if found:
            return recommendation
        say(f"{words} is not on the index for this interpreter; taking the next candidate")
        if every is None:
            every = api.judged(report.facts, report.source, replace(options, every=True))
        recommendation = _next(every, options, tried)
    say(f"none of {', '.join(asked_for)} is on the index; the matrix's choice stands, unverified")
    return best


def verified_report(report: Report, options: Options, say: Callable[[str], None]) -> Report:
    """``report`` with the recommendation that the index really holds, and its commands."""
    from torchdoctor.installers import render_command

    best = report.verdict.recommendation
    if best is None:
        return report
    chosen = verified(report, options, say)
    if chosen is best:
        return report
    commands = {
        name: render_command(
            chosen,
            name,
            system=report.facts.system,
            interpreter=report.facts.python,
            python=options.python,
            shell=options.shell,
            index_base=options.index_base,
            installed=report.facts.packages,
        )
        for name in report.commands
    }
    words = f"torch {chosen.torch} ({chosen.variant})"
    summary = f"install {words}: the index does not hold torch {best.torch} ({best.variant}) for this interpreter"
    verdict = replace(report.verdict, recommendation=chosen, summary=summary)
    return replace(report, verdict=verdict, commands=commands)


def _next(every: Report, options: Options, tried: set[tuple[str, str]]) -> Recommendation | None:
    from torchdoctor import api

    # They are newest first; a build that leaves the GPU unused comes after all that use it.
    for candidate in sorted(every.verdict.candidates, key=lambda c: c.variant == "cpu"):
        if not candidate.accepted or (candidate.torch, candidate.variant) in tried:
            continue
        tried.add((candidate.torch, candidate.variant))
        asked = replace(options, torch=candidate.torch, variant=candidate.variant, every=False)
        recommendation = api.judged(every.facts, every.source, asked).verdict.recommendation
        if recommendation is not None:
            return recommendation
    return None


def offered(
    target: Target, environment: Environment, *, index_base: str | None = None, foreign: bool = False
) -> tuple[bool | None, str]:
    """Does pip find torch and its companions? ``None`` with a reason where it cannot be asked. ``foreign`` resolves for the
    target's tags instead of those of pip's own interpreter.
    """
    from torchdoctor.tags import foreign_options

    if not environment.pip_at_least(22, 2):
        return None, f"pip {environment.pip or 'is missing'}: 22.2 or newer can tell without installing"
    line = [environment.python, "-I", "-m", "pip", "install", "--disable-pip-version-check", "--dry-run", "--no-color"]
    line += ["--retries", "1"]  # a try that failed is printed only before another
    line += ["--no-deps", "--ignore-installed", *pins(target.recommendation, label(target))]
    url = index_of(target.recommendation, index_base)
    line += ["--index-url", url] if url is not None else []
    with tempfile.TemporaryDirectory(prefix="torchdoctor-") as folder:
        line += ["--report", os.path.join(folder, "report.json")]
        if foreign:
            try:
                tags = foreign_options(target.system, target.python)
            except InstallerError as error:
                return None, str(error)
            line += [*tags, "--target", folder]
        ran = subprocess.run(line, capture_output=True, text=True, errors="replace", check=False)
    if ran.returncode == 0:
        return True, ""
    lines = [text.strip() for text in (ran.stdout + ran.stderr).splitlines() if text.strip()]
    # "From versions: none" is also what an unreachable index looks like: look for the page that could not be had. An
    # index answers 403 or 404 for what it does not hold.
    unread = [t for t in lines if "Could not fetch URL" in t or "Retrying" in t]
    silent = [t for t in unread if not any(f"{code} Client Error" in t for code in (403, 404))]
    if not silent and any(known in text for text in lines for known in _MISSING):
        return False, ""
    last = (silent or lines or [f"pip failed with status {ran.returncode}"])[-1]
    return None, without_credentials(last)


def examined_command(options: Options) -> tuple[str, ...]:
    """The program (and leading arguments) of the interpreter that is examined. Raises :class:`NotUsableError`."""
    from torchdoctor.probes.interpreter import Interpreter, InterpreterNotFoundError
    from torchdoctor.probes.live import LiveHost

    interpreter = Interpreter(LiveHost(), options.python)
    try:
        interpreter.check()
    except InterpreterNotFoundError as error:
        raise NotUsableError(str(error)) from None
    command = interpreter.command()
    if not command:
        raise NotUsableError("no interpreter was found: name one with --python")
    return command
