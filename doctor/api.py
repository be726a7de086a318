"""The public API: a machine, a recording or a pasted report in, a :class:`Report` out.

The only place where probes and matrix meet. Nothing here prints or exits.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from torchdoctor.documents import LIMIT, InputError, decode_document, is_zip, json_object, read_document
from torchdoctor.matrix.case import Asked
from torchdoctor.matrix.catalog import Catalog
from torchdoctor.matrix.judge import judge
from torchdoctor.matrix.verdict import Recommendation
from torchdoctor.probes.facts import Facts
from torchdoctor.probes.frozen import dataclass
from torchdoctor.report import SCHEMA, Report

if TYPE_CHECKING:
    from pathlib import Path

__all__ = [
    "LIMIT",
    "InputError",
    "Options",
    "Report",
    "check",
    "diagnose",
    "diagnose_text",
    "examine",
    "judged",
    "read_machine",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What a caller may ask beside the machine: the request, gates, how to write commands, the probing budget.
    ``data_age`` is how many days ago the matrix was compiled, where the caller wants old data to be said.
    """

    torch: str | None = None
    variant: str | None = None
    requires: tuple[str, ...] = ()
    companions: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    installer: str | None = None
    index_base: str | None = None
    shell: str | None = None
    python: str | None = None
    timeout: float = 10.0
    every: bool = False
    data_age: int | None = None


_catalog: Catalog | None = None


def _shared_catalog() -> Catalog:
    global _catalog
    if _catalog is None:
        _catalog = Catalog()
    return _catalog


def diagnose(source: str | Path | Facts | None = None, options: Options | None = None) -> Report:
    """Judge this machine (``None``), known facts, or the file, folder or zip at a path: a recording, a machine profile, a
    report of ours or any pasted text. Raises :class:`InputError`.
    """
    options = options or Options()
    if source is None:
        return check(options)
    if isinstance(source, Facts):
        return judged(source, ("machine", ""), options)
    name = os.fspath(source)
    if os.path.isdir(name) or is_zip(name):
        return _recording(name, options)
    return diagnose_text(read_document(name), name, options)


def check(options: Options, *, progress: Callable[[str], None] | None = None, ask: bool = False) -> Report:
    """Judge the machine this runs on. ``ask`` also runs the installed torch, in a child with a deadline."""
    facts, spent, leftovers = examine(options, progress=progress, ask=ask)
    report = judged(facts, ("live", "this machine"), options)
    return replace(report, timings=spent, leftovers=leftovers)


def examine(
    options: Options, *, progress: Callable[[str], None] | None = None, ask: bool = False
) -> tuple[Facts, Mapping[str, float], tuple[str, ...]]:
    """The facts of the machine this runs on, the seconds each probe took, and what could not be ended."""
    from torchdoctor.probes.gather import gather
    from torchdoctor.probes.live import LiveHost

    host = LiveHost()
    found = gather(host, python=options.python, timeout=options.timeout, progress=progress, meanwhile=_warm_up)
    facts = found.facts
    if ask:
        from torchdoctor.probes.ask_torch import with_answer

        facts = with_answer(facts, LiveHost(), found.interpreter, options.timeout)
    return facts, found.timings, (*found.leftovers, *found.hung)


def _warm_up() -> None:
    """Load what judging needs while the examined interpreter starts: the answer itself is thrown away."""
    judged(Facts(), ("live", ""), Options())


def diagnose_text(data: bytes | str, name: str, options: Options | None = None) -> Report:
    """Judge one document: a machine profile, one of our reports, or text that somebody pasted."""
    options = options or Options()
    text = data if isinstance(data, str) else decode_document(data, name)
    start = text.lstrip()[:1]
    if start == "{":
        loaded = json_object(text)
        if loaded is not None and _is_ours(loaded):
            return _of_json(loaded, name, options)
        if loaded is None and (name.endswith(".json") or '"torchdoctor/' in text[:4096]):
            # Cut off or mangled: what a person is to send again, not a text to look for words in.
            read_machine_text(text, name)
    elif name.endswith(".toml") and not name.endswith(("pyproject.toml", "uv.toml")):
        facts, _ = read_machine_text(text, name)
        return judged(facts, ("machine", name), options)
    from torchdoctor.probes.profile import ProfileError
    from torchdoctor.probes.reports.pasted import read_text

    try:
        pasted = read_text(text, name)
    except ProfileError as error:
        raise InputError(str(error)) from None
    return judged(pasted.draft.build(), (pasted.kind, name), options, report=True)


def judged(
    facts: Facts, source: tuple[str, str], options: Options, *, report: bool = False, project: bool = False
) -> Report:
    """Facts to a report; for a ``project`` what its files ask for is judged instead of what is installed.
    Raises :class:`~torchdoctor.matrix.request.RequestError` for a request nobody can read.
    """
    asked = Asked(
        torch=options.torch,
        variant=options.variant,
        requires=options.requires,
        companions=options.companions,
        ignore=options.ignore,
        data_age=options.data_age,
    )
    if project:
        from torchdoctor.matrix.project import judge_project

        found = judge_project(facts, asked, catalog=_shared_catalog(), every=options.every)
    else:
        found = judge(facts, asked, catalog=_shared_catalog(), every=options.every, report=report)
    verdict = found.verdict
    return Report(
        source=source,
        facts=found.facts,
        verdict=verdict,
        commands=_commands(verdict.recommendation, found.facts, options),
        alternative_commands=_commands(verdict.alternative, found.facts, options),
    )


def _commands(recommendation: Recommendation | None, facts: Facts, options: Options) -> dict[str, str]:
    if recommendation is None:
        return {}
    from torchdoctor.installers import render_command

    names: Iterable[str] = dict.fromkeys(("pip", "uv", options.installer or "pip"))
    return {
        name: render_command(
            recommendation,
            name,
            system=facts.system,
            interpreter=facts.python,
            python=options.python,
            shell=options.shell,
            index_base=options.index_base,
            installed=facts.packages,
        )
        for name in names
    }


# ---- reading


def read_machine(path: str) -> tuple[Facts, list[str]]:
    """Facts of a machine profile and the warnings about keys nobody knows. Raises :class:`InputError`."""
    return read_machine_text(decode_document(read_document(path), path), path)


def read_machine_text(text: str, name: str) -> tuple[Facts, list[str]]:
    """The same from text; TOML where the name says so or the text is no JSON object."""
    from torchdoctor.probes.profile import ProfileError, facts_from_mapping, facts_from_text

    toml = name.endswith(".toml") or (not name.endswith(".json") and text.lstrip()[:1] != "{")
    loaded = None if toml else json_object(text)
    try:
        if loaded is None:
            return facts_from_text(text, name, toml=toml)
        warnings: list[str] = []
        ours = str(loaded.get("schema", "")).startswith("torchdoctor/")
        facts = facts_from_mapping(_facts_of(loaded, name) if ours else loaded, warnings=warnings)
    except ProfileError as error:
        raise InputError(str(error) if loaded is None else f"{name}: {error}") from None
    return facts, [f"{name}: {w}" for w in warnings]


def _is_ours(loaded: Mapping[str, Any]) -> bool:
    """One of our reports, or a machine profile: an object whose keys are groups of facts."""
    if str(loaded.get("schema", "")).startswith("torchdoctor/"):
        return True
    groups = Facts.__dataclass_fields__
    known = [k for k in loaded if k in groups]
    return (
        bool(known)
        and len(known) * 2 > len(loaded)
        and all(isinstance(loaded[k], dict | list) or loaded[k] is None for k in known)
    )


def _of_json(loaded: Mapping[str, Any], name: str, options: Options) -> Report:
    from torchdoctor.probes.profile import ProfileError, facts_from_mapping

    ours = "schema" in loaded
    try:
        facts = facts_from_mapping(_facts_of(loaded, name) if ours else loaded)
    except ProfileError as error:
        raise InputError(f"{name}: {error}") from None
    if ours:
        keep = {k: v for k, v in _strings(loaded.get("sources")).items() if not v.startswith("matrix: ")}
        facts = facts.replace(sources=keep, unknown=_strings(loaded.get("unknown")))
    return judged(facts, ("report" if ours else "machine", name), options)


def _facts_of(loaded: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """The facts of one of our reports."""
    if loaded.get("schema") != SCHEMA:
        raise InputError(f"{name}: schema {str(loaded['schema'])[:60]!r}: expected {SCHEMA} or a machine profile")
    if not isinstance(loaded.get("facts"), dict):
        raise InputError(f"{name}: facts: expected an object in a report of ours")
    facts: Mapping[str, Any] = loaded["facts"]
    return facts


def _strings(value: Any) -> dict[str, str]:
    return {k: v for k, v in value.items() if isinstance(v, str)} if isinstance(value, dict) else {}


def _recording(name: str, options: Options) -> Report:
    from torchdoctor.probes.gather import gather
    from torchdoctor.probes.recording import RecordingError, load_recording

    try:
        host = load_recording(name, name)
    except RecordingError as error:
        raise InputError(str(error)) from None
    found = gather(host, timeout=max(options.timeout, 60.0))
    return judged(found.facts, ("recording", name), options)
