"""Distributions as JSON: ``pip list --format=json``, ``uv pip list --format json``, ``conda list --json``, ``pixi list --json``,
``pip inspect``.
"""

from __future__ import annotations

import json
import re

from torchdoctor.probes.patterns import regex
from torchdoctor.probes.profile import normal_machine
from torchdoctor.probes.reports import values
from torchdoctor.probes.reports.package_list import put_installed
from torchdoctor.probes.reports.packages import canonical
from torchdoctor.probes.reports.reading import MEASURED, PRINTED, Reading

__all__ = ["read_package_json"]

_OBJECT = regex(r"\{[^{}]{10,2000}\}")
_NAME = regex(r"\"name\": ?\"([A-Za-z][\w.-]{0,80})\"")
_VERSION = regex(r"\"version\": ?\"(\d[\w.+!-]{0,60})\"")
_BUILD = regex(r"\"build(?:_string)?\": ?\"([\w.]{1,60})\"")
_ROW = regex(r"^\s{0,8}\[\"([A-Za-z][\w.-]{0,80})\", ?\"(\d[\w.+!-]{0,60})\"(?:, ?\"([\w.]{1,60})\")?\],?\s*$")
_OURS = ("torch", "pytorch")


def read_package_json(reading: Reading) -> None:
    """Each object that has a name and a version, where torch is one of them; and rows that ``jq`` made of such objects."""
    if "{" in reading.text and reading.has('"python_full_version"', '"installed"', '"metadata"'):
        _inspect(reading)
    if reading.has('"name"') and reading.has('"version"'):
        _objects(reading)
    if reading.has('["torch', '["pytorch'):
        rows = [(i, m) for i, line in enumerate(reading.lines) if line.lstrip()[:2] == '["' and (m := _ROW.match(line))]
        _put(reading, [(i, m[1], m[2], m[3]) for i, m in rows])


def _objects(reading: Reading) -> None:
    found: list[tuple[int, str, str, str | None]] = []
    line, at = 0, 0
    for match in _OBJECT.finditer(reading.text):
        name, version = _NAME.search(match[0]), _VERSION.search(match[0])
        if name is None or version is None:
            continue
        line += reading.text.count("\n", at, match.start() + name.start())
        at = match.start() + name.start()
        build = _BUILD.search(match[0])
        found.append((line, name[1], version[1], build[1] if build else None))
    _put(reading, found)


def _put(reading: Reading, rows: list[tuple[int, str, str, str | None]]) -> None:
    if not any(name.lower() in _OURS and values.parse_torch(version) for _, name, version, _ in rows):
        return
    for index, name, version, build in rows:
        put_installed(reading, index, canonical(name), version, PRINTED + 4, build=build)
    reading.saw("conda_list" if any(build for *_, build in rows) else "pip_freeze", 10)


def _inspect(reading: Reading) -> None:
    """``pip inspect``: the environment block, also where the paste holds only a part of the document."""
    start = reading.text.find("{")
    try:
        document = json.loads(reading.text[start:]) if len(reading.text) < 8_000_000 else None
    except (ValueError, RecursionError):
        document = None
    if isinstance(document, dict) and isinstance(document.get("installed"), list):
        for entry in document["installed"]:
            data = entry.get("metadata") if isinstance(entry, dict) else None
            if isinstance(data, dict) and isinstance(data.get("name"), str) and isinstance(data.get("version"), str):
                put_installed(reading, 0, data["name"], data["version"], MEASURED)
    keys = {}
    for index, line in enumerate(reading.lines):
        if match := re.match(r'^\s{0,12}"(\w{5,40})": "([^"]{0,80})"', line):
            keys[match[1]] = (index, match[2])
    if "python_full_version" not in keys and "sys_platform" not in keys:
        return
    reading.saw("pip_inspect", 30)

    def put(path: str, key: str, convert: dict[str, str] | None = None) -> None:
        if key in keys:
            index, value = keys[key]
            reading.put(path, convert.get(value.lower(), value.lower()) if convert else value, index, MEASURED + 2)

    put("python.version", "python_full_version")
    put("python.implementation", "implementation_name", {"cpython": "cpython"})
    put("system.os", "sys_platform", {"win32": "windows", "darwin": "macos", "linux": "linux"})
    if "platform_machine" in keys:
        index, value = keys["platform_machine"]
        reading.put("system.machine", normal_machine(value), index, MEASURED)
        reading.put("python.machine", normal_machine(value), index, MEASURED)
    if "platform_release" in keys:
        index, value = keys["platform_release"]
        path = "system.version" if reading.draft.value("system.os") == "windows" else "system.kernel"
        reading.put(path, value, index, MEASURED)
