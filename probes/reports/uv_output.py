"""What uv says: the interpreter it took, the wheel that does not fit, and its hints about tags."""

from __future__ import annotations

import re
from collections.abc import Iterator

from torchdoctor.probes.patterns import regex
from torchdoctor.probes.profile import normal_machine
from torchdoctor.probes.reports.packages import canonical, put_package
from torchdoctor.probes.reports.reading import MEASURED, PRINTED, Reading
from torchdoctor.probes.reports.request import put_index, put_request

__all__ = ["put_platform_tag", "read_uv"]

_USING = regex(r"Using (CPython|PyPy|GraalPy) (\d\.\d{1,2}\.\d{1,2}(?:(?:a|b|rc)\d{1,2})?)(\+freethreaded|t)?")
_ENVIRONMENT = regex(r"Using Python (\d\.\d{1,2}\.\d{1,2}) environment")
_INTERPRETER = regex(
    r"`?(cpython|pypy)-(\d\.\d{1,2}\.\d{1,2})(\+freethreaded)?-(linux|windows|macos)-(x86_64|aarch64|x86|armv7)-(gnu|musl|none|gnueabihf)"
)
_CANNOT = regex(
    r"[Dd]istribution `?([A-Za-z0-9][\w.-]{0,80})==(\S{1,60}) @ (registry\+)?(\S{1,200}?)`? (?:can't be installed|with neither wheels)"
)
_ABI = regex(
    r"(?:You're using|You require) (CPython|PyPy|GraalPy) (\d\.\d{1,2})(?:\.\d{1,2})? \(`((?:cp|pp)\d{2,3})(t)?`\), but (?:we only found wheels for )?`([\w.-]{1,80})` \(v([^)]{1,60})\) (?:only has wheels )?with the following Python (ABI|implementation) tags?: (.{1,400})"
)
_PLATFORM = regex(
    r"You're on (\w{3,12}) \(`([\w.]{3,40})`\), but `([\w.-]{1,80})` \(v([^)]{1,60})\) only has wheels for the following platforms?: (.{1,600})"
)
_NO_PLATFORM = regex(
    r"(?:Because|and) (?:all versions of )?([\w.-]{1,80})(==|>=|<=)?(\S{1,60})? ha(?:s|ve) no wheels with a matching (platform|Python ABI|Python implementation|Python version) tag(?: \(e\.g\., `([\w.]{3,60})`\))?"
)
_WHEELS_FOR = regex(
    r"Wheels are available for `([\w.-]{1,80})` \(v?([^)]{1,60})\) (?:on the following platforms?|with the following Python (?:ABI|implementation) tags?): (.{1,600})"
)
_REQUIRE = regex(
    r"(?:you require|your project depends on|project depends on) ([\w.-]{1,80})((?:==|>=|<=|<|>|~=|!=)[\w.+*]{1,40})"
)
_NO_VERSION = regex(
    r"there (?:is|are) no versions? of ([\w.-]{1,80})((?:\{[^}]{0,20}\})?(?:==|>=|<=|<|>|~=)[\w.+*,<>=~]{1,60})?"
)
_CURRENT = regex(r"current Python version \((\d\.\d{1,2}\.\d{1,2})\) does not satisfy")
_DEBUG_ADD = regex(r"Adding direct dependency: ([\w.-]{1,80})((?:>=|==|<|>)[\w.+,<>= ]{1,60})")
_DEPENDS = regex(r"([\w.-]{1,80})(?:==|>=)(\S{1,40}) depends on (torch(?:vision|audio)?)(==|>=|<=|<|~=)(\S{1,40})")
_COMPANIONS = ("torchvision", "torchaudio", "torchcodec", "torchtext")
_TAG = regex(r"(?:manylinux_(\d{1,2})_(\d{1,3})|manylinux(1|2010|2014)|musllinux_(\d{1,2})_(\d{1,3})|linux)_(x86_64|aarch64|armv7l|i686|ppc64le|s390x)$|macosx_(\d{1,2})_(\d{1,2})_(x86_64|arm64|universal2)$|(win32|win_amd64|win_arm64)$")  # fmt: skip
_ADDED = regex(r"^\s{0,6}([+~-]) ([a-z0-9][\w.-]{0,80})==(\S{1,60})")


def read_uv(reading: Reading) -> None:
    """Interpreter, platform, request and symptoms of uv's own lines."""
    if not reading.has(
        "uv ",
        "uv.",
        "can't be installed",
        "with neither wheels",
        "unsatisfiable",
        "using cpython",
        "resolved ",
        "no solution found",
        "╰─▶",
        "because ",
        "hint: ",
        "you're on",
        "you're using",
        "freethreaded",
    ):
        return
    for index, line in enumerate(reading.lines):
        if "sing " in line:
            _interpreter(reading, index, line)
        if "cpython-" in line or "pypy-" in line:
            _debug_interpreter(reading, index, line)
        if "Adding direct dependency: torch" in line:
            _debug_request(reading, index, line)
        if line.lstrip().startswith("+ ") and "==" in line and (added := _ADDED.match(line)) and added[1] == "+":
            put_package(reading, added[2], added[3], index, PRINTED)
    for index, text in _messages(reading):
        if "can't be installed" in text or "with neither wheels" in text:
            _cannot(reading, index, text)
        if "You're " in text or "You require " in text:
            _hint(reading, index, text)
        if "no wheels with a matching" in text or "no wheels for the current" in text:
            _no_tag(reading, index, text)
        if "was found on http" in text and "not at the requested version" in text:
            reading.saw("uv_error", 15)
            reading.symptom("uv-first-index", index, text[text.find("hint:") + 1 and text.find("hint:") :])
        if "Wheels are available for" in text and _WHEELS_FOR.search(text):
            reading.symptom("uv-wheels-for", index, text)
        if "current Python version (" in text and (held := _CURRENT.search(text)):
            reading.put("python.version", held[1], index, MEASURED - 1)
            if "torch==" in text and (match := re.search(r"\btorch==([\w.+]{1,40}) depends on Python", text)):
                put_request(reading, index, "torch", f"=={match[1]}", MEASURED - 1)
                reading.symptom("uv-no-tag", index, text)
        if "No solution found" in text or "╰─▶" in text or "Because " in text:
            _no_solution(reading, index, text)


def _messages(reading: Reading) -> Iterator[tuple[int, str]]:
    """(index of the first line, text) of each error and hint; uv wraps them to the width of the terminal."""
    index, lines = 0, reading.lines
    while index < len(lines):
        line = lines[index]
        if not any(
            w in line for w in ("╰─▶", "hint:", "error: ", "can't be installed", "with neither wheels", "Because ")
        ):
            index += 1
            continue
        parts, at = [line.strip()], index + 1
        while at < min(index + 16, len(lines)) and (text := lines[at].strip()):
            if text.startswith(("hint:", "error:", "$", "╰─▶", "× ", "DEBUG", "help:")) or not lines[at].startswith(
                " "
            ):
                break
            parts.append(text)
            at += 1
        yield index, " ".join(parts)[:4000]
        index = at


def _cannot(reading: Reading, index: int, text: str) -> None:
    match = _CANNOT.search(text)
    if match is None:
        return
    reading.saw("uv_error", 20)
    reading.draft.put("request.installer", "uv", reading.source(index), rank=MEASURED)
    name = canonical(match[1])
    reading.symptom("uv-no-wheel" if name == "torch" else "uv-no-wheel-other", index, text)
    if name == "torch":
        put_request(reading, index, "torch", "==" + match[2], MEASURED - 1)
        put_index(reading, index, match[4], PRINTED + 2)
    else:
        put_index(reading, index, match[4], PRINTED)


def _no_tag(reading: Reading, index: int, text: str) -> None:
    match = _NO_PLATFORM.search(text)
    if match is None:
        return
    reading.saw("uv_error", 20)
    reading.symptom("uv-no-tag", index, text)
    if canonical(match[1]) == "torch":
        put_request(reading, index, "torch", (match[2] or "") + (match[3] or ""), MEASURED - 1)
    if match[5] is None:
        return
    if match[4] == "platform":
        put_platform_tag(reading, index, match[5], MEASURED)
    elif tag := re.match(r"cp(3)(\d{1,2})(t)?$", match[5]):
        reading.put("python.version", f"{tag[1]}.{tag[2]}", index, MEASURED - 1)
        reading.put("python.implementation", "cpython", index, MEASURED - 1)
        if tag[3] or match[4] == "Python ABI":
            reading.put("python.free_threaded", tag[3] is not None, index, MEASURED - 1)


def _no_solution(reading: Reading, index: int, text: str) -> None:
    if "No solution found" in text or "unsatisfiable" in text or "incompatible" in text:
        reading.saw("uv_error", 15)
    wanted = [m for m in _REQUIRE.finditer(text) if canonical(m[1]) == "torch"]
    if wanted:
        put_request(reading, index, "torch", wanted[0][2], MEASURED - 2)
    holders = {
        m[1]
        for m in _DEPENDS.finditer(text)
        if canonical(m[1]) not in ("torch", "torchvision", "torchaudio") and m[3] == "torch"
    }
    companions = {
        (m[1], m[5].rstrip(",."))
        for m in _DEPENDS.finditer(text)
        if m[3] == "torch" and m[4] == "==" and m[1] in _COMPANIONS
    }
    if (
        companions
        and wanted
        and wanted[0][2].startswith("==")
        and all(v != wanted[0][2][2:].rstrip(",.") for _, v in companions)
    ):
        reading.symptom("conflict-of-companion", index, text)
    others = len(_DEPENDS.findall(text)) + len(wanted)
    if holders and others >= 2:
        reading.symptom("pin-conflict", index, text)
    if (match := _NO_VERSION.search(text)) and canonical(match[1]) == "torch" and match[2]:
        put_request(reading, index, "torch", match[2], MEASURED - 2)
        if match[2].startswith("==") and "+" in match[2]:
            reading.symptom("uv-no-local-version", index, text)


def _debug_request(reading: Reading, index: int, line: str) -> None:
    match = _DEBUG_ADD.search(line)
    if match is None or canonical(match[1]) != "torch":
        return
    reading.saw("uv_error", 10)
    exact = re.match(r">=([\w.]{1,20}), <([\w.]{1,20})\+$", match[2])
    put_request(reading, index, "torch", f"=={exact[1]}" if exact and exact[1] == exact[2] else match[2], PRINTED)


def _interpreter(reading: Reading, index: int, line: str) -> None:
    if match := _USING.search(line):
        reading.put("python.version", match[2], index, MEASURED)
        reading.put("python.implementation", match[1].lower(), index, MEASURED)
        if match[3]:
            reading.put("python.free_threaded", True, index, MEASURED)
    elif match := _ENVIRONMENT.search(line):
        reading.put("python.version", match[1], index, MEASURED)


def _debug_interpreter(reading: Reading, index: int, line: str) -> None:
    match = _INTERPRETER.search(line)
    if match is None or "Skipping" in line or "Ignoring" in line:
        return
    rank = MEASURED + 1 if "active virtual environment" in line or "Using" in line else PRINTED
    reading.put("python.implementation", match[1], index, rank)
    reading.put("python.version", match[2], index, rank)
    reading.put("python.free_threaded", match[3] is not None, index, rank)
    reading.put("system.os", match[4], index, rank)
    machine = {"x86": "i686", "armv7": "armv7l"}.get(match[5], match[5])
    reading.put("python.machine", machine, index, rank)
    reading.put("python.bits", 32 if machine in ("i686", "armv7l") else 64, index, rank)
    if match[4] == "linux":
        reading.put("system.libc", "musl" if match[6] == "musl" else "glibc", index, rank)
    if machine != "i686":
        reading.put("system.machine", machine, index, rank - 2)


def _hint(reading: Reading, index: int, line: str) -> None:
    if match := _ABI.search(line):
        reading.saw("uv_error", 15)
        reading.put("python.implementation", match[1].lower(), index, MEASURED)
        reading.put("python.version", match[2], index, MEASURED - 1)
        # where the tag is an ABI tag, a build without the t is known to be one with the GIL
        if match[4] or match[7] == "ABI":
            reading.put("python.free_threaded", match[4] is not None, index, MEASURED)
        reading.symptom("uv-abi-hint", index, line)
    elif match := _PLATFORM.search(line):
        reading.saw("uv_error", 15)
        put_platform_tag(reading, index, match[2], MEASURED)
        reading.symptom("uv-platform-hint", index, line)


def put_platform_tag(reading: Reading, index: int, tag: str, rank: int, *, of_wheel: bool = False) -> None:
    """What a platform tag says of the machine: its own (``of_wheel`` false), or one whose wheel was accepted there."""
    match = _TAG.search(tag.split(".")[0])
    if match is None:
        return
    if match[6]:
        reading.put("system.os", "linux", index, rank)
        reading.put("system.machine", match[6], index, rank - 1)
        reading.put("system.libc", "musl" if match[4] else "glibc" if "many" in tag else None, index, rank)
        if not of_wheel and match[1]:
            reading.put("system.libc_version", f"{match[1]}.{match[2]}", index, rank)
    elif match[9]:
        reading.put("system.os", "macos", index, rank)
        machine = normal_machine(match[9]) if match[9] != "universal2" else None
        reading.put("python.machine", machine, index, rank)
        reading.put("system.machine", machine, index, rank - 2)
        if not of_wheel and int(match[7]) > 10:
            reading.put("system.version", match[7] if match[8] == "0" else f"{match[7]}.{match[8]}", index, rank - 2)
    else:
        reading.put("system.os", "windows", index, rank)
        machine = {"win32": "i686", "win_amd64": "x86_64", "win_arm64": "aarch64"}[match[10]]
        reading.put("python.machine", machine, index, rank)
        if machine == "i686":
            reading.put("python.bits", 32, index, rank)
        else:
            reading.put("system.machine", machine, index, rank - 2)
