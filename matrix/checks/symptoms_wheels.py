"""Findings that rest on an installer's words about wheels: refused, left out for another Python, none for this platform."""

from __future__ import annotations

import re
from collections.abc import Iterator

from torchdoctor.matrix.case import Case
from torchdoctor.matrix.catalog import version_key
from torchdoctor.matrix.checks import check
from torchdoctor.matrix.checks.symptoms import seen
from torchdoctor.matrix.findings import finding
from torchdoctor.matrix.grounds import to_findings
from torchdoctor.matrix.requirements import machine_findings
from torchdoctor.matrix.verdict import Finding
from torchdoctor.probes.facts import regex

_TAG = regex(
    r"manylinux_(\d{1,2})_(\d{1,3})_(\w{4,10})|manylinux(2014|2010|1)_(\w{4,10})|linux_(\w{4,10})|macosx_(\d{1,2})_(\d{1,2})_(\w{4,10})|(win32|win_amd64|win_arm64)"
)

_OWN_TAG = regex(r"\(`(cp\d{2,3})`\), but .{0,20}`torch` .{1,80}?tags?: (.{1,400})")


@check("no-wheel-for-platform", "python-unsupported", seen=("no-wheel-said",))
def said_so(case: Case) -> Iterator[Finding]:
    """The report itself says that there is no wheel for this platform and interpreter."""
    for index, text in case.symptom("no-wheel-said"):
        rows = (f"symptoms[{index}]", "system.os", "system.machine", "python.version")
        yield finding(
            "no-wheel-for-platform",
            case,
            about="request",
            severity="blocker",
            detail="No wheel was found for this platform.",
            evidence=rows,
            fix=("take a Python version that has a wheel for this platform (see the recommendation)",),
        )
        if re.search(r"\bcp3\d{1,2}\b|this python", text.lower()):
            yield finding(
                "python-unsupported",
                case,
                about="request",
                severity="warning",
                # Both are said: another Python or another platform would do.
                detail="There is no wheel for this Python on this platform.",
                evidence=rows,
                fix=("make an environment with a Python version that has one (see the recommendation)",),
            )


@check("python-unsupported", seen=("uv-abi-hint",))
def uv_lists_other_pythons(case: Case) -> Iterator[Finding]:
    """uv lists the Python tags that torch has on this platform's index, and this interpreter's is not among them."""
    for index, text in case.symptom("uv-abi-hint"):
        match = _OWN_TAG.search(text)
        if match is None or match[1] in re.findall(r"`(cp\d{2,3}t?)`", match[2]) or "`cp" not in match[2]:
            continue
        yield finding(
            "python-unsupported",
            case,
            about="request",
            severity="blocker",
            detail=f"The wheels of that release are for {match[2].strip()[:120]}; this interpreter is {match[1]}.",
            evidence=(f"symptoms[{index}]", "python.version", "request.torch"),
            fix=(
                "uv python pin with a version of that list, then uv sync",
                "or take a release with a wheel for this Python",
            ),
        )


@check("python-unsupported", seen=("pip-other-python",))
def pip_leaves_out(case: Case) -> Iterator[Finding]:
    """pip says that torch, as it was asked for, requires another Python than this."""
    for index, text in case.symptom("pip-other-python")[:1]:
        yield finding(
            "python-unsupported",
            case,
            about="request",
            severity="blocker",
            detail=f"pip left the wheel out: {text}.",
            evidence=(f"symptoms[{index}]", "python.version", "request.torch"),
            fix=(
                "make an environment with a Python that this release has wheels for",
                "or take a release with a wheel for this Python (see the recommendation)",
            ),
        )


@check(
    "python-32bit",
    "musl",
    "arm32",
    "python-implementation",
    seen=("pip-no-version", "pip-stub-sdist", "uv-no-wheel", "uv-no-tag", "wheel-refused"),
)
def no_build_at_all(case: Case) -> Iterator[Finding]:
    """The installer found nothing, and nothing was ever published for this interpreter."""
    if not seen(case, "pip-no-version", "pip-stub-sdist", "uv-no-wheel", "uv-no-tag", "wheel-refused"):
        return
    outcomes = [o for o in machine_findings(case.facts) if o.id != "no-wheel-for-platform"]
    yield from to_findings(case, outcomes, about="machine", severity="blocker", cure=None)


_WHEEL_PYTHON = regex(r"cp(3)(\d{1,2})$")

_WHEEL_SYSTEMS = (
    ("win", "windows"),
    ("macosx", "macos"),
    ("manylinux", "linux"),
    ("musllinux", "linux"),
    ("linux", "linux"),
)


@check("python-unsupported", "no-wheel-for-platform", seen=("wheel-refused",))
def wheel_of_another(case: Case) -> Iterator[Finding]:
    """pip refused a wheel file: its tags name another Python or another system than this."""
    facts = case.facts
    rows = seen(case, "wheel-refused")
    if not rows:
        return
    tag, here = _WHEEL_PYTHON.match(facts.request.python or ""), (facts.python.version or "").split(".")[:2]
    if tag and len(here) == 2 and here != [tag[1], tag[2]]:
        yield finding(
            "python-unsupported",
            case,
            about="request",
            severity="blocker",
            title="The wheel is for another Python",
            detail=f"The wheel is for Python {tag[1]}.{tag[2]}, this is {facts.python.version}.",
            evidence=(*rows[:1], "request.python", "python.version"),
            fix=(
                "let pip choose the file: name the release and the index instead (see the recommendation)",
                f"or make an environment with Python {tag[1]}.{tag[2]}",
            ),
        )
    platform = facts.request.platform or ""
    system = next((os for word, os in _WHEEL_SYSTEMS if platform.startswith(word)), None)
    if system and facts.system.os and facts.system.os != system:
        yield finding(
            "no-wheel-for-platform",
            case,
            about="request",
            severity="blocker",
            title="The wheel is for another system",
            detail=f"The wheel is for {system}, this is {facts.system.os}.",
            evidence=(*rows[:1], "request.platform", "system.os"),
            fix=("let pip choose the file: name the release and the index instead (see the recommendation)",),
        )


@check("glibc-too-old", "no-wheel-for-platform", seen=("wheel-refused",))
def wheel_refused(case: Case) -> Iterator[Finding]:
    """pip refused a wheel file: its platform tag asks for more than this system has."""
    facts = case.facts
    tag = _TAG.search((facts.request.platform or "").split(".")[0])
    if tag is None or not case.symptom("wheel-refused"):
        return
    rows = (*seen(case, "wheel-refused")[:1], "system.libc_version", "system.machine", "system.os")
    machine = (
        tag[3]
        or tag[5]
        or tag[6]
        or tag[9]
        or {"win32": "i686", "win_amd64": "x86_64", "win_arm64": "aarch64"}.get(tag[10] or "")
    )
    here = facts.python.machine or facts.system.machine
    if tag[1] and facts.system.libc_version and version_key(facts.system.libc_version) < (int(tag[1]), int(tag[2])):
        yield finding(
            "glibc-too-old",
            case,
            about="request",
            severity="blocker",
            detail=f"The wheel is for glibc {tag[1]}.{tag[2]} and newer, this system has {facts.system.libc_version}.",
            evidence=rows,
            fix=("use a container or a system with a newer glibc",),
            lies_in="system",
        )
    elif (
        machine
        and here
        and here != "armv7l"
        and {"arm64": "aarch64"}.get(machine, machine) != here
        and machine != "universal2"
    ):
        yield finding(
            "no-wheel-for-platform",
            case,
            about="request",
            severity="blocker",
            detail=f"The wheel is for {machine}, the interpreter is built for {here}.",
            evidence=rows,
            fix=("take the wheel of this architecture",),
        )


_COMPANION = regex(r"(?:versions of |`| )(torch[a-z]{2,12})(?:==|`| )")


@check("free-threaded-unsupported")
def free_threaded(case: Case) -> Iterator[Finding]:
    """A companion that offers nothing to a free-threaded interpreter, or torch's extensions of the other build found by it."""
    facts, request = case.facts, case.facts.request
    if not facts.python.free_threaded:
        return
    alone = request.package not in (None, "torch") and request.versions_offered == ()
    for index, text in case.symptom("uv-no-tag", "uv-abi-hint"):
        if "ABI tag" in text and (match := _COMPANION.search(text)):
            yield finding(
                "free-threaded-unsupported",
                case,
                about="request",
                severity="blocker",
                detail=f"{match[1]} has no wheel for this free-threaded Python.",
                evidence=("python.version", "python.free_threaded", f"symptoms[{index}]"),
                fix=("use the interpreter with the GIL (the same version without t)",),
            )
            return
    if not alone and not case.symptom("torch-c-folder", "torch-c-missing"):
        return
    what = (
        f"{request.package} has no wheel for this free-threaded Python."
        if alone
        else "A free-threaded interpreter found the extension modules of the build with the GIL, which it cannot load."
    )
    yield finding(
        "free-threaded-unsupported",
        case,
        about="request" if alone else "installed",
        severity="blocker",
        detail=what,
        evidence=(
            "python.version",
            "python.free_threaded",
            "request.package",
            *seen(case, "torch-c-folder", "torch-c-missing", "pip-no-version")[:1],
        ),
        fix=("use the interpreter with the GIL (the same version without t)",),
    )
