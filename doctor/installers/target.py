"""What every installer is given: the decision, the machine it is for, and how the answer is to be written."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import field, replace

from torchdoctor.matrix.verdict import Recommendation
from torchdoctor.probes.facts import Python, System
from torchdoctor.probes.frozen import dataclass
from torchdoctor.quote import QuoteError

__all__ = [
    "Group",
    "InstallerError",
    "Style",
    "Target",
    "any_of",
    "checked",
    "checked_url",
    "groups",
    "index_name",
    "index_of",
    "keep_apart",
    "label",
    "marker",
    "minor",
    "no_control",
    "on_own_index",
    "pins",
    "replaces_same_version",
    "requires_python",
    "without_credentials",
]

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}", re.ASCII)
_VERSION = re.compile(r"[0-9][0-9A-Za-z.!+_-]{0,127}", re.ASCII)
_URL = re.compile(r"(?:https?|file)://[A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=%]{1,2000}", re.ASCII)
_USERINFO = re.compile(r"(://)[^/?#@]{1,500}@")
_SYS_PLATFORM = {"linux": "linux", "windows": "win32", "macos": "darwin"}
_PLATFORM_MACHINE = {
    ("windows", "x86_64"): "AMD64",
    ("windows", "aarch64"): "ARM64",
    ("macos", "aarch64"): "arm64",
}


class InstallerError(ValueError):
    """The decision cannot be written for this installer; the text says why, in one line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """One machine and the build chosen for it. ``installed`` are the distributions already there, where known."""

    recommendation: Recommendation
    system: System = field(default_factory=System)
    python: Python = field(default_factory=Python)
    installed: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """How to write: ``shell`` as in :mod:`torchdoctor.quote`, ``python`` an interpreter to name, ``index_base`` a
    mirror that stands in for the public root of torch's indexes.
    """

    shell: str = "posix"
    python: str | None = None
    index_base: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """The targets one environment marker speaks of, and the one build they all take."""

    marker: str
    target: Target


def checked(recommendation: Recommendation) -> Recommendation:
    """The same, once its names, versions and URLs are known to be such. Raises :class:`InstallerError`."""
    for name, version in recommendation.packages.items():
        if not _NAME.fullmatch(name):
            raise InstallerError(f"{name!a} is not a package name")
        if not _VERSION.fullmatch(version):
            raise InstallerError(f"{version!a} is not a version of {name}")
    for url in (recommendation.index_url, *recommendation.extra_index_urls):
        if url is not None:
            checked_url(url)
    return recommendation


def checked_url(url: str) -> str:
    """``url`` if it can be one of an index (http, https or file), else :class:`InstallerError`."""
    if not _URL.fullmatch(url):
        raise InstallerError(f"{without_credentials(url)!a} is not the URL of an index (http, https or file)")
    return url


def without_credentials(url: str) -> str:
    """``url`` without the user and password it may hold."""
    return _USERINFO.sub(r"\1", url)


def index_of(recommendation: Recommendation, index_base: str | None) -> str | None:
    """The index to ask, ``None`` for the default one. A mirror replaces the public root and nothing else."""
    from torchdoctor.matrix.catalog import INDEX_ROOT

    url = recommendation.index_url
    if url is None or index_base is None or not (url + "/").startswith(INDEX_ROOT + "/"):
        return url
    return checked_url(index_base).rstrip("/") + url[len(INDEX_ROOT) :]


def on_own_index(target: Target) -> Target:
    """The same build taken from torch's own index where the default index was good enough: every build published
    there is on the index of its variant too, those for macOS on that of ``cpu``.
    """
    from torchdoctor.matrix.catalog import INDEX_ROOT

    if target.recommendation.index_url is not None:
        return target
    folder = "cpu" if target.system.os == "macos" else target.recommendation.variant
    return replace(target, recommendation=replace(target.recommendation, index_url=f"{INDEX_ROOT}/{folder}"))


def label(target: Target) -> str | None:
    """The local version (``cu126``) that wheels of torch carry on their own index, ``None`` where they carry none or
    it is not known.
    """
    if target.recommendation.index_url is None or target.system.os == "macos":
        return None
    if target.recommendation.variant != "cpu":
        return target.recommendation.variant
    labelled = target.system.machine == "x86_64" and target.system.os in ("linux", "windows")
    return "cpu" if labelled else None


def pins(recommendation: Recommendation, torch_label: str | None = None) -> list[str]:
    """Exact requirements, torch first; with a label torch is held to that very build."""
    rows = {"torch": recommendation.torch, **recommendation.packages}
    if torch_label is not None and "+" not in rows["torch"]:
        rows["torch"] += f"+{torch_label}"
    return [f"{name}=={version}" for name, version in rows.items()]


def replaces_same_version(target: Target) -> bool:
    """Does an installer take the request for met although another build of that number is installed?"""
    wanted = {"torch": target.recommendation.torch, **target.recommendation.packages}
    for name, version in wanted.items():
        number, _, local = (target.installed or {}).get(name, "").partition("+")
        if number != version.partition("+")[0]:
            continue
        served = "" if target.recommendation.index_url is None else target.recommendation.variant
        # A wheel without a label says nothing of its variant except on torch itself.
        if local not in (served, target.recommendation.variant) and (local or (name == "torch" and label(target))):
            return True
    return False


def marker(system: System, python: str | None = None) -> str:
    """The PEP 508 marker of a system: ``sys_platform == 'linux' and platform_machine == 'x86_64'``."""
    if system.os not in _SYS_PLATFORM or system.machine is None:
        missing = "system.machine" if system.os in _SYS_PLATFORM else "system.os"
        raise InstallerError(f"{missing} is not known: no marker can name that machine")
    machine = _PLATFORM_MACHINE.get((system.os, system.machine), system.machine)
    if not _NAME.fullmatch(machine):
        raise InstallerError(f"{machine!a} is not the name of a machine")
    text = f"sys_platform == '{_SYS_PLATFORM[system.os]}' and platform_machine == '{machine}'"
    return f"{text} and python_version == '{python}'" if python else text


def groups(targets: Sequence[Target]) -> tuple[Group, ...]:
    """One group a platform, split by interpreter where the builds differ by it. Raises :class:`InstallerError` where
    two machines that no marker tells apart take different builds.
    """
    by_platform: dict[str, list[Target]] = {}
    for target in targets:
        by_platform.setdefault(marker(target.system), []).append(target)
    found = []
    for text, members in by_platform.items():
        if len({_decision(t) for t in members}) == 1:
            found.append(Group(marker=text, target=members[0]))
            continue
        by_python: dict[str, list[Target]] = {}
        for target in members:
            by_python.setdefault(minor(target.python) or "?", []).append(target)
        for python, same in by_python.items():
            decisions = sorted({_words(t) for t in same})
            if len(decisions) > 1 or python == "?":
                every = " and ".join(decisions if len(decisions) > 1 else sorted({_words(t) for t in members}))
                raise InstallerError(
                    f"no one project file serves all: {every} on machines that no marker tells apart ({text})"
                )
            found.append(Group(marker=marker(same[0].system, python), target=same[0]))
    return tuple(found)


def keep_apart(found: Sequence[Group], installer: str) -> None:
    """Raise :class:`InstallerError` where builds of several indexes, searched together, could be taken for one another:
    a package of one number in two variants, pinned without a label. Only wheels for macOS are never on two indexes.
    """
    for group in found:
        mine = group.target.recommendation
        if group.target.system.os == "macos":
            continue
        for other in found:
            theirs = other.target.recommendation
            if theirs.variant == mine.variant:
                continue
            shared = [
                n
                for n, v in mine.packages.items()
                if theirs.packages.get(n) == v and not (n == "torch" and label(group.target))
            ]
            if shared:
                raise InstallerError(
                    f"{installer} cannot keep {shared[0]} {mine.packages[shared[0]]} for {mine.variant} apart from the one "
                    f"for {theirs.variant}: use uv-project or poetry, or write one file a machine"
                )


def _decision(target: Target) -> tuple[object, ...]:
    r = target.recommendation
    return (r.torch, r.variant, r.index_url, tuple(sorted(r.packages.items())))


def _words(target: Target) -> str:
    return f"torch {target.recommendation.torch} ({target.recommendation.variant})"


def minor(python: Python) -> str | None:
    """``3.12.4`` → ``3.12``."""
    parts = (python.version or "").split(".")
    return (
        ".".join(parts[:2])
        if len(parts) >= 2 and all(p.isdecimal() and p.isascii() and len(p) < 6 for p in parts[:2])
        else None
    )


def requires_python(targets: Sequence[Target]) -> str | None:
    """The range of interpreters of these machines, ``>=3.12,<3.13``; ``None`` where one is not known."""
    minors = [minor(t.python) for t in targets]
    known = sorted(tuple(int(p) for p in m.split(".")) for m in minors if m)
    if len(known) != len(minors) or not known:
        return None
    return f">={known[0][0]}.{known[0][1]},<{known[-1][0]}.{known[-1][1] + 1}"


def any_of(markers: Sequence[str]) -> str:
    """One marker that holds where any of these does."""
    return markers[0] if len(markers) == 1 else " or ".join(f"({m})" for m in markers)


def index_name(recommendation: Recommendation) -> str:
    """The name a project file gives the index: ``pytorch-cu126``, ``pytorch-rocm7-2``."""
    return "pytorch-" + recommendation.variant.replace(".", "-")


def no_control(word: str) -> str:
    """``word`` if it is printable, else :class:`~torchdoctor.quote.QuoteError`."""
    if not word.isprintable():
        raise QuoteError(f"{word!a} holds a character that cannot be printed in a command")
    return word
