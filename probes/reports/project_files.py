"""Fragments of project files in a paste: ``pyproject.toml`` sources and indexes, requirement names, conda environment files."""

from __future__ import annotations

from torchdoctor.probes.patterns import regex
from torchdoctor.probes.reports.packages import canonical
from torchdoctor.probes.reports.reading import CLAIMED, PRINTED, Reading
from torchdoctor.probes.reports.request import put_index, put_request

__all__ = ["read_project_files"]

_SOURCE = regex(r"^\s{0,8}[\"']?([A-Za-z][\w.-]{0,60})[\"']?\s?=\s?(\[?\s?\{.{3,600})$")
_PLAIN = regex(
    r"^\s{0,8}[\"']?(torch(?:vision|audio|codec)?)[\"']?\s?=\s?[\"']([\^~<>=!]{0,2}\d[\w.+*,<>=! ^~-]{0,60})[\"']"
)
_DEPENDENCY = regex(
    r"^\s{0,8}(?:dependencies\s?=\s?\[\s?)?[\"'](torch[\w.+-]{0,30}?)(?:\[[\w,-]{1,40}\])?\s?\(?((?:==|>=|<=|~=|<|>|!=)[\w.+*,<>=!~ ]{1,80})?\)?(?:\s?;.{0,120})?[\"'],?\]?\s*$"
)
_MARKER = regex(r"marker\s?=\s?[\"']{1,2}(.{3,160}?)[\"']{1,2}(?:\s?[,}]|$)|sys_platform\s?[!=]=\s?'(\w{3,12})'")
_VERSION = regex(r"version\s?=\s?[\"']([^\"']{1,60})[\"']")
_INDEX_NAME = regex(r"(?:index|source)\s?=\s?[\"']([\w.-]{2,60})[\"']")
_KEY = regex(r"^\s{0,8}(name|url|priority|explicit|default|format)\s?=\s?(?:[\"']([^\"']{1,300})[\"']|(true|false))")
_SECTION = regex(r"^\s{0,8}\[\[?([\w.\"-]{3,80})\]\]?\s*$")

_INDEX_VARIANT = regex(r"(?:^|[-_])(cpu|cu\d{3}|rocm\d{1,2}(?:\.?\d)?|xpu)$")


_NO_MATCH = regex(r"depends on torch \(([\w.+^~<>=!,* ]{1,60})\) which doesn't match any versions")

_PDM_FAILED = regex(r"^\W{0,8}Install torch (\d[\w.+]{1,40}) failed\b")
_NO_CANDIDATE = regex(r"installation candidates for torch \((\d[\w.+]{1,40})\)")


def read_project_files(reading: Reading) -> None:
    """Settings that steer an installer, and what they ask for."""
    if reading.has("which doesn't match any versions"):
        for index in reading.find("doesn't match any versions"):
            if match := _NO_MATCH.search(reading.lines[index]):
                put_request(reading, index, "torch", _poetry(match[1]), PRINTED)
                reading.draft.put("request.installer", "poetry", reading.source(index), rank=PRINTED)
                reading.saw("poetry_error", 15)
    if reading.has("installation candidates for torch ("):
        for index in reading.find("installation candidates for torch ("):
            if match := _NO_CANDIDATE.search(reading.lines[index]):
                put_request(reading, index, "torch", _poetry(match[1]), PRINTED)
                reading.draft.put("request.installer", "poetry", reading.source(index), rank=PRINTED)
                reading.saw("poetry_error", 15)
                break
    if reading.has("install torch "):
        for index in reading.find("Install torch "):
            if match := _PDM_FAILED.match(reading.lines[index]):
                put_request(reading, index, "torch", f"=={match[1]}", PRINTED)
                reading.draft.put("request.installer", "pdm", reading.source(index), rank=PRINTED)
                break
    if not reading.has("index", "source", "dependencies", "torch =", "torch=", "channels", '"torch'):
        return
    section = ""
    file = "pyproject.toml"
    name: str | None = None
    for index, line in enumerate(reading.lines):
        if len(line) < 4 or len(line) > 2000:
            continue
        text = line
        if match := _SECTION.match(line):
            section, name = match[1], None
            continue
        if "pyproject.toml:" in line:
            text = line.split("pyproject.toml:", 1)[1].strip()
            if text.startswith("{"):
                text = "torch = " + text
        if (
            "{" in text
            and (match := _SOURCE.match(text))
            and ("index" in match[2] or "source" in match[2] or "url" in match[2] or "version" in match[2])
        ):
            _source(reading, index, file, section, canonical(match[1]), match[2])
        elif match := _PLAIN.match(text):
            if canonical(match[1]) == "torch":
                put_request(reading, index, "torch", _poetry(match[2]), CLAIMED + 2)
        elif match := _DEPENDENCY.match(text):
            package = match[1]
            if "+" in package:
                reading.symptom("requirement-bad-name", index, package + (match[2] or ""))
                package = package.split("+")[0]
            if canonical(package) == "torch":
                put_request(reading, index, "torch", match[2] or "", PRINTED - 4)
        if section and (match := _KEY.match(line)):
            if match[1] == "name":
                name = match[2]
            elif "index" in section or "source" in section:
                reading.draft.setting(
                    file,
                    reading.number(index),
                    f"{section}.{match[1]}",
                    (f"{name} " if name else "") + (match[2] or match[3] or ""),
                )
                if match[1] == "url":
                    put_index(reading, index, match[2] or "", CLAIMED + 3)


def _poetry(specifier: str) -> str:
    return "==" + specifier if specifier[:1].isdigit() else specifier


def _source(reading: Reading, index: int, file: str, section: str, package: str, value: str) -> None:
    key = f"{section or 'sources'}.{package}"
    reading.draft.setting(file, reading.number(index), key, value.strip()[:400])
    if package != "torch":
        return
    if match := _VERSION.search(value):
        put_request(reading, index, "torch", _poetry(match[1]), CLAIMED + 2)
    for found in _INDEX_NAME.finditer(value):
        if variant := _INDEX_VARIANT.search(found[1]):
            reading.put("request.variant", variant[1], index, CLAIMED)
    if match := _MARKER.search(value):
        reading.symptom("source-marker", index, match[0])
