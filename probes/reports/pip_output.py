"""What pip says: what it could not find, what it was offered, what it installed, what conflicts."""

from __future__ import annotations

import re

from torchdoctor.probes.patterns import regex
from torchdoctor.probes.reports import values
from torchdoctor.probes.reports.machine_words import put_python
from torchdoctor.probes.reports.packages import canonical, pip_name, put_package
from torchdoctor.probes.reports.reading import CLAIMED, MEASURED, PRINTED, Reading
from torchdoctor.probes.reports.request import put_index, put_request
from torchdoctor.probes.reports.torch_words import put_torch

__all__ = ["read_pip"]

_REQUIREMENT = regex(r"([A-Za-z0-9][\w.-]{0,80})(\[[\w,-]{0,40}\])?\s?([<>=!~^][\w.+*,<>=!~ -]{1,120})?")
_CONFLICT = regex(r"^\s{0,8}(?:ERROR: )?([A-Za-z0-9][\w.-]{0,80}) (\S{1,40}) (?:requires|has requirement) ([A-Za-z0-9][\w.-]{0,80})(\[[\w,-]{0,40}\])?\s?\(?([<>=!~][^,]{0,20}(?:,[<>=!~ ][^,]{0,20}){0,4})?\)?, (?:but you have|but you'll have) ([A-Za-z0-9][\w.-]{0,80}) (\S{1,40})")  # fmt: skip
_MISSING = regex(
    r"^\s{0,8}([A-Za-z0-9][\w.-]{0,80}) (\S{1,40}) requires ([A-Za-z0-9][\w.-]{0,80}), which is not installed"
)
_UV_CONFLICT = regex(
    r"^\s{0,8}The package `([A-Za-z0-9][\w.-]{0,80})` requires `([A-Za-z0-9][\w.-]{0,80}?)(?:\[[\w,-]{0,40}\])?([<>=!~][^`]{0,60})`, but `(\d\S{0,40})` is installed"
)
_SATISFIED = regex(
    r"Requirement already satisfied: ([A-Za-z0-9][\w.-]{0,80})[^()]{0,160} in (\S.{0,300}?) (?:\(from [^()]{1,200}\) )?\((\d[\w.+!-]{0,40})\)"
)
_INSTALLED = regex(r"Successfully installed ((?:[A-Za-z0-9][\w.+!-]{1,120} ?){1,400})")
_UNINSTALLED = regex(r"Successfully uninstalled ([A-Za-z0-9][\w.+!-]{1,120})")
_NAME_VERSION = regex(r"^(.{1,80})-(\d[\w.+!]{0,40})$")
_LOOKING = regex(r"Looking in (indexes|links): (.{1,500})")
_WHEEL = regex(
    r"\b([A-Za-z0-9][\w.]{0,60})-(\d[\w.!+%]{0,60})-((?:cp|pp|py)\d[\w.]{0,20})-([\w.]{2,40})-(\w[\w.]{2,100})\.whl"
)
_FROM = regex(r"^(?:#\d{1,4} [\d.]{1,10})?\s{2,16}([A-Za-z][\w.-]{0,60})\S{0,60}(?: \(?)?.{0,40}?from (?:https?|file):")
_OURS = regex(r"torch|nvidia-|nvidia_|triton|pytorch|intel-|intel_|rocm|xformers|flash|mkl|vllm", re.I)
_PIP_VERSION = regex(r"\bpip \d[\d.]{1,10} from (\S.{0,300}?) ?\(python (\d\.\d{1,2})\)")
_SDIST_STUB = regex(r"torch-0\.1\.2(?:\.post\d)?\.tar\.gz")
_OTHER_PYTHON = regex(
    r"Package '?([A-Za-z0-9][\w.-]{0,80})'? requires a different Python: (\d\.\d{1,2}(?:\.\d{1,2})?\S{0,12}) not in '([^']{1,80})'"
)
_IGNORED = "Ignored the following versions that require a different python version:"
_IGNORED_VERSION = regex(r"(\d[\w.+!-]{0,40}) Requires-Python ([<>=!~][^;\s]{1,60})")
_DEPENDS = regex(
    r"^\s{0,12}([A-Za-z0-9][\w.-]{0,80}) (\d\S{0,40}) depends on (torch(?:vision|audio)?)(==|>=|<=|~=|<|>|!=)(\S{1,60})"
)


def read_pip(reading: Reading) -> None:
    """Facts, request and symptoms of pip's own lines."""
    if not reading.has(
        "pip",
        "satisf",
        "matching distribution",
        ".whl",
        "which is incompatible",
        "requires",
        "successfully",
        "looking in",
        "depends on",
        ".tar.gz",
    ):
        return
    for index, line in enumerate(reading.lines):
        if len(line) < 12:
            continue
        if "Could not find a version" in line or "No matching distribution" in line:
            _not_found(reading, index, line)
        elif ", but you" in line or "which is not installed" in line or ", but `" in line:
            _conflict(reading, index, line)
        elif "already satisfied" in line:
            if match := _SATISFIED.match(
                line, line.index("Requirement already satisfied") if "Requirement already satisfied" in line else 0
            ):
                put_package(reading, match[1], match[3], index, PRINTED)
                if canonical(match[1]) == "torch":
                    reading.symptom("torch-location", index)
                _path_facts(reading, index, match[2])
        elif "uccessfully" in line:
            _done(reading, index, line)
        elif "requires a different Python" in line:
            _other_python(reading, index, line)
        elif (
            "Could not install packages" in line
            or "Couldn't install torch" in line
            or "DO NOT MATCH THE HASHES" in line
        ):
            reading.saw("pip_error", 12)
            if "DO NOT MATCH" in line:
                _altered(reading, index)
        elif "Looking in " in line:
            if match := _LOOKING.search(line):
                for url in match[2].split(","):
                    put_index(reading, index, url.strip(), PRINTED + 2)
        elif "depends on torch" in line:
            if match := _DEPENDS.match(line):
                reading.symptom("pin-conflict", index)
        elif "pip " in line and (match := _PIP_VERSION.search(line)):
            put_python(reading, index, match[2], PRINTED)
            _path_facts(reading, index, match[1])
        if ".whl" in line:
            _wheel(reading, index, line)
        if "torch-0.1.2" in line and _SDIST_STUB.search(line):
            reading.symptom("pip-stub-sdist", index)
            put_request(reading, index, "torch", None, PRINTED)
            reading.saw("pip_error", 12)


def _not_found(reading: Reading, index: int, line: str) -> None:
    reading.saw("pip_error", 15)
    _, found, rest = line.partition("satisfies the requirement ")
    asked, listed, tail = rest.partition("(from versions:")
    if not found:
        asked = line.partition("distribution found for ")[2]
    match = _REQUIREMENT.match(asked.lstrip("'\""))
    if match is None:
        return
    name, specifier = pip_name(match[1]), (match[3] or "").strip()
    put_request(reading, index, name, specifier, MEASURED if listed else MEASURED - 1)
    reading.symptom("pip-no-version", index)
    if not listed:
        return
    if tail.strip().startswith("none") and not name.startswith(("torch", "nvidia-", "triton", "pytorch-")):
        _only_torch_index(reading, index)
    if name == "torch" and reading.draft.value("request.versions_offered") is None:
        _ignored(reading, index, specifier)
    versions = [v.strip() for v in tail.partition(")")[0].split(",")]
    offered = tuple(v for v in versions if v[:1].isdigit())
    if name == "torch":
        reading.draft.put("request.versions_offered", offered, reading.source(index), rank=MEASURED - (not offered))
    else:
        reading.draft.put("request.versions_offered", offered, reading.source(index), rank=PRINTED - 4)


def _other_python(reading: Reading, index: int, line: str) -> None:
    """pip took a wheel or a source whose metadata leaves this interpreter out."""
    match = _OTHER_PYTHON.search(line)
    if match is None:
        return
    reading.saw("pip_error", 12)
    reading.put("python.version", match[2], index, MEASURED - 1)
    if canonical(match[1]) == "torch":
        reading.symptom("pip-other-python", index, f"torch requires Python {match[3]}, this is {match[2]}")


_EXACT = regex(r"\s*==\s*(\d{1,4}(?:\.\d{1,6}){0,3})(\+[\w.]{1,40})?\s*")


def _ignored(reading: Reading, index: int, specifier: str) -> None:
    """The line above says which releases pip left out because of the interpreter; those that were asked for are among them."""
    for at in range(index - 1, max(-1, index - 4), -1):
        if _IGNORED not in reading.lines[at]:
            continue
        left_out = [m for m in _IGNORED_VERSION.finditer(reading.lines[at]) if _fits(m[1], specifier)]
        if left_out:
            last = left_out[-1]
            reading.symptom("pip-other-python", at, f"torch {last[1]} requires Python {last[2]}")
        return


def _fits(version: str, specifier: str) -> bool:
    """Whether a release is one that was asked for; one plain number, the usual request, needs no library to tell."""
    if asked := _EXACT.fullmatch(specifier):
        if asked[2]:
            return version == asked[1] + asked[2]
        # a plain number asks for no local version, and takes any
        wanted, have = asked[1].split("."), version.partition("+")[0].split(".")
        longest = max(len(wanted), len(have))
        return wanted + ["0"] * (longest - len(wanted)) == have + ["0"] * (longest - len(have))
    from packaging.specifiers import InvalidSpecifier, SpecifierSet
    from packaging.version import InvalidVersion

    try:
        return SpecifierSet(specifier).contains(version)
    except (InvalidSpecifier, InvalidVersion):
        return False


def _altered(reading: Reading, index: int) -> None:
    """Which downloads had another hash; one that has nothing to do with torch is not our affair."""
    found = [m[1] for line in reading.lines[index + 1 : index + 40] if (m := _FROM.match(line))]
    if found and not any(_OURS.match(name) for name in found):
        reading.symptom("hash-mismatch-elsewhere", index)


def _only_torch_index(reading: Reading, index: int) -> None:
    """Another project was looked for on torch's index alone, in the place of the default one."""
    for at in range(index - 1, max(-1, index - 400), -1):
        if match := _LOOKING.search(reading.lines[at]):
            urls = [u.strip() for u in match[2].split(",")]
            if match[1] == "indexes" and urls and all("download.pytorch.org/whl/" in u for u in urls):
                reading.symptom("pip-other-on-torch-index", index)
            return


def _conflict(reading: Reading, index: int, line: str) -> None:
    if match := _CONFLICT.search(line):
        reading.saw("pip_error", 8)
        holder, wanted, found = canonical(match[1]), canonical(match[3]), canonical(match[6])
        put_package(reading, match[1], match[2], index, PRINTED)
        put_package(reading, match[6], match[7].rstrip("."), index, PRINTED + 1)
        if found == "torch" and (parsed := values.parse_torch(match[7])):
            reading.put("torch.version", parsed.full, index, PRINTED)
            reading.put("torch.variant", parsed.variant, index, PRINTED)
        if holder == "torch" and (parsed := values.parse_torch(match[2])):
            reading.put("torch.version", parsed.full, index, PRINTED)
            reading.put("torch.variant", parsed.variant, index, PRINTED)
        kind = "conflict-of-torch" if holder == "torch" else "conflict-on-torch" if wanted == "torch" else "conflict"
        if kind == "conflict" and not holder.startswith("torch") and wanted in ("torchvision", "torchaudio"):
            kind = "conflict-on-torch"
        if kind == "conflict-on-torch" and holder in ("torchvision", "torchaudio", "torchcodec", "torchtext"):
            kind = "conflict-of-companion"
        reading.symptom(kind, index, line)
    elif "` is installed" in line and (match := _UV_CONFLICT.match(line)):
        reading.saw("uv_error", 8)
        holder, found = canonical(match[1]), canonical(match[2])
        put_package(reading, match[2], match[4], index, PRINTED + 1)
        if found == "torch" and (parsed := values.parse_torch(match[4])):
            put_torch(reading, index, parsed, PRINTED)
            companion = holder in ("torchvision", "torchaudio", "torchcodec", "torchtext")
            reading.symptom("conflict-of-companion" if companion else "conflict-on-torch", index, line)
    elif match := _MISSING.search(line):
        put_package(reading, match[1], match[2], index, PRINTED)


def _done(reading: Reading, index: int, line: str) -> None:
    if match := _UNINSTALLED.search(line):
        if (pair := _NAME_VERSION.match(match[1])) and canonical(pair[1]) != "torch":
            put_package(reading, pair[1], pair[2], index, CLAIMED - 1)
        if (pair := _NAME_VERSION.match(match[1])) and canonical(pair[1]) == "torch":
            reading.symptom("torch-uninstalled", index)
        return
    if match := _INSTALLED.search(line):
        for item in match[1].split():
            if pair := _NAME_VERSION.match(item):
                name = canonical(pair[1])
                put_package(reading, name, pair[2], index, PRINTED)
                if name == "torch" and (parsed := values.parse_torch(pair[2])):
                    reading.put("torch.version", parsed.full, index, PRINTED)
                    reading.put("torch.variant", parsed.variant, index, PRINTED)


def _wheel(reading: Reading, index: int, line: str) -> None:
    """A wheel's file name: what was fetched, refused, or put on the command line."""
    match = _WHEEL.search(line)
    if match is None:
        return
    name, version, python, _, platform = match.groups()
    version = version.replace("%2B", "+")
    refused = "is not a supported wheel" in line
    if refused:
        reading.symptom("wheel-refused", index)
        reading.saw("pip_error", 15)
        if canonical(name) == "torch":
            parsed = values.parse_torch(version)
            put_request(reading, index, "torch", f"=={parsed.full}" if parsed else None, PRINTED)
            reading.put("request.python", python, index, PRINTED)
            reading.put("request.platform", platform, index, PRINTED)
        return
    if canonical(name) != "torch" or "404" in line or re.match(r"\s{0,4}(?:works|worked|fixed|ok)\b", line.lower()):
        return
    fetched = "ownloading" in line or "Using cached" in line or "Processing" in line
    if fetched or re.search(r"\binstall\b|^\s{0,4}\S{1,20}: torch", line):
        parsed = values.parse_torch(version)
        if fetched and parsed:
            put_request(reading, index, "torch", f"=={parsed.full}", PRINTED - 2)
        reading.put("request.platform", platform, index, PRINTED)
        tag = re.match(r"cp(\d)(\d{1,2})$", python)
        if fetched and tag:
            reading.put("python.version", f"{tag[1]}.{tag[2]}", index, PRINTED - 1)
            reading.put("python.implementation", "cpython", index, PRINTED - 1)
        if fetched:
            _platform_tag(reading, index, platform)
    if re.match(r"\s{0,4}[A-Za-z]{3,20}: torch-", line) and (parsed := values.parse_torch(version)):
        # "Windows: torch-2.11.0-cp314-cp314-win_amd64.whl (115 MB)": what is installed there
        reading.put("torch.version", parsed.full, index, PRINTED - 3)
        reading.put("python.version", re.sub(r"cp(\d)(\d{1,2})t?", r"\1.\2", python), index, PRINTED - 3)
        _platform_tag(reading, index, platform)


def _platform_tag(reading: Reading, index: int, tag: str) -> None:
    from torchdoctor.probes.reports.uv_output import put_platform_tag

    put_platform_tag(reading, index, tag, PRINTED - 1, of_wheel=True)


def _path_facts(reading: Reading, index: int, path: str) -> None:
    from torchdoctor.probes.reports.python_session import put_path

    put_path(reading, index, path, PRINTED - 1)
