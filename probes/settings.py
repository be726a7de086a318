"""Settings of pip, uv, poetry and pdm that steer which torch an installer takes, each with its file and line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from torchdoctor.probes.draft import Draft
from torchdoctor.probes.host import Host
from torchdoctor.probes.patterns import regex
from torchdoctor.probes.toml_lines import Entry, inline_value, strings, toml_entries
from torchdoctor.probes.variables import without_credentials

__all__ = ["TORCH_FAMILY", "Line", "pip_lines", "probe", "project_lines", "requirement_name"]

#: Distributions whose index, pin or lock decides which torch is installed.
TORCH_FAMILY = ("torch", "torchvision", "torchaudio", "torchcodec", "triton")

_PIP_KEYS = frozenset(
    [
        "index-url",
        "extra-index-url",
        "find-links",
        "no-index",
        "pre",
        "constraint",
        "only-binary",
        "no-binary",
        "platform",
        "python-version",
        "abi",
        "target",
        "prefix",
    ]
)
_UV_KEYS = frozenset(
    [
        "index-url",
        "extra-index-url",
        "find-links",
        "no-index",
        "index-strategy",
        "torch-backend",
        "prerelease",
        "default-index",
        "constraint-dependencies",
        "override-dependencies",
        "no-sources",
    ]
)
_VARIABLES = regex(
    r"(?:PIP_(?:INDEX_URL|EXTRA_INDEX_URL|FIND_LINKS|NO_INDEX|PRE|CONSTRAINT|ONLY_BINARY|NO_BINARY|PLATFORM|PYTHON_VERSION|"
    r"TARGET|PREFIX|CONFIG_FILE)|UV_(?:INDEX|INDEX_URL|DEFAULT_INDEX|EXTRA_INDEX_URL|FIND_LINKS|NO_INDEX|INDEX_STRATEGY|"
    r"TORCH_BACKEND|CUDA_DRIVER_VERSION|AMD_GPU_ARCHITECTURE|CONSTRAINT|OVERRIDE|PRERELEASE|CONFIG_FILE)|"
    r"NV_VARIANT_PROVIDER_FORCE_\w{1,60})\Z"
)
_NAME = regex(r"\s{0,20}([A-Za-z0-9][A-Za-z0-9._-]{0,80})")
_UPWARDS = 12  # folders from the current one towards the root
_FILE = 1 << 20


class Line(NamedTuple):
    """One setting: the line it stands on, its dotted key, its value without credentials."""

    line: int
    key: str
    value: str


def probe(host: Host, draft: Draft, *, prefix: str | None = None) -> None:
    """Settings of the machine, the user, the examined environment (``prefix``), the current folder and the variables."""
    variables = host.environ().value
    home = host.value("home").value
    looked = False
    for path in _pip_files(host, variables or {}, home, prefix):
        looked |= _put(host, draft, path, pip_lines)
    for path in _uv_files(host, variables or {}, home):
        looked |= _put(host, draft, path, lambda text: project_lines(text, "uv.toml"))
    folder = host.value("cwd").value
    if isinstance(folder, str):
        looked |= _current_folder(host, draft, folder, home)
    for name, value in sorted((variables or {}).items()):
        if _VARIABLES.match(name) and value:
            draft.setting("environment", None, name, without_credentials(value)[:400])
            if name in ("PIP_CONSTRAINT", "UV_CONSTRAINT", "UV_OVERRIDE"):
                for path in value.split():
                    _constraints(host, draft, path)
    if looked or variables is not None:
        draft.settings_read()


def pip_lines(text: str) -> Iterator[Line]:
    """The settings of a pip configuration file that matter here. Values over several lines give one entry each."""
    section, key = "", ""
    for number, line in enumerate(text.splitlines(), 1):
        bare = line.strip()
        if not bare or bare[0] in "#;":
            continue
        if bare.startswith("["):
            section, key = bare.strip("[] ").lower(), ""
            continue
        if line[0] not in " \t":
            name, equals, value = line.partition("=")
            if not equals:
                name, equals, value = line.partition(":")
            key, bare = name.strip().lower().replace("_", "-"), value.strip()
        if key in _PIP_KEYS and section in ("global", "install", "download", "wheel", ""):
            for part in bare.split():
                yield Line(number, key, without_credentials(part)[:400])


def project_lines(text: str, name: str) -> Iterator[Line]:
    """The settings of ``uv.toml``, ``pyproject.toml`` or ``pdm.toml`` that steer which torch is taken."""
    names: dict[tuple[str, int], str] = {}
    entries = list(toml_entries(text))
    for entry in entries:
        if entry.key == "name":
            names[entry.table, entry.number] = "".join(strings(entry.value))[:80]
    for entry in entries:
        table, key = _qualified(entry, name)
        value = without_credentials(entry.value)
        if table in ("tool.uv.index", "tool.poetry.source", "tool.pdm.source"):
            label = names.get((entry.table, entry.number)) or str(entry.number)
            if key == "url":
                yield Line(entry.line, f"{table}.{label}", "".join(strings(value))[:400])
            elif key in ("explicit", "default", "priority", "type"):
                yield Line(entry.line, f"{table}.{label}.{key}", value.strip("\"'")[:40])
        elif table in ("tool.uv", "tool.uv.pip") and key in _UV_KEYS:
            yield from _values(entry, f"{table}.{key}", value)
        elif table == "tool.uv.sources" and key.lower() in TORCH_FAMILY:
            yield Line(entry.line, f"{table}.{key}", value[:600])
        elif table in ("tool.uv.sources.torch", "tool.uv.sources.torchvision") and key in (
            "index",
            "url",
            "git",
            "path",
        ):
            yield Line(entry.line, table, f'{{ {key} = "{"".join(strings(value))[:300]}" }}')
        elif _is_poetry_dependency(table) and key.lower() in TORCH_FAMILY:
            yield Line(entry.line, f"{table}.{key}", value[:600])
        elif table == "tool.uv" and key == "index":  # a list of inline tables
            for label, url in _inline_indexes(value):
                yield Line(entry.line, f"tool.uv.index.{label}", url[:400])


def requirement_name(text: str) -> str | None:
    """The canonical name a requirement line begins with; ``None`` where it begins with none."""
    match = _NAME.match(text)
    return re.sub(r"[-_.]+", "-", match[1]).lower() if match else None


def _qualified(entry: Entry, name: str) -> tuple[str, str]:
    # ``uv.toml`` is the ``tool.uv`` table of a ``pyproject.toml``; dotted keys belong to the table they name.
    table = entry.table if name != "uv.toml" else f"tool.uv.{entry.table}".rstrip(".")
    head, dot, key = entry.key.rpartition(".")
    return (f"{table}.{head}".lstrip(".") if dot else table), key


def _values(entry: Entry, key: str, value: str) -> Iterator[Line]:
    several = strings(value) if value.startswith("[") else None
    for part in several if several is not None else [value.strip("\"'")]:
        if "dependencies" not in key or requirement_name(part) in TORCH_FAMILY:
            yield Line(entry.line, key, part[:400])


def _is_poetry_dependency(table: str) -> bool:
    return table.startswith("tool.poetry.") and table.endswith("dependencies")


def _inline_indexes(value: str) -> Iterator[tuple[str, str]]:
    for number, part in enumerate(value.split("{")[1:]):
        url = inline_value("{" + part, "url")
        if url:
            yield inline_value("{" + part, "name") or str(number), url


def _put(host: Host, draft: Draft, path: str, parse: object) -> bool:
    answer = host.read(path, _FILE)
    if answer.value is None:
        if not answer.absent and answer.status == "denied":
            draft.miss("settings", f"{path} may not be read")
        return answer.absent
    text = answer.value.decode("utf-8", "replace")
    assert callable(parse)
    for row in parse(text):
        draft.setting(path, row.line, row.key, row.value)
        if row.key == "constraint":
            _constraints(host, draft, row.value, beside=path)
    return True


def _constraints(host: Host, draft: Draft, path: str, beside: str = "") -> None:
    """The lines of a constraints file that bind the torch family."""
    if "://" in path or not path:
        return
    if not path.startswith(("/", "~")) and path[1:2] != ":":
        path = f"{beside.rpartition('/')[0]}/{path}" if beside else path
    answer = host.read(path, _FILE)
    for number, line in enumerate((answer.value or b"").decode("utf-8", "replace").splitlines(), 1):
        if requirement_name(line) in TORCH_FAMILY:
            draft.setting(path, number, "constraint", line.partition("#")[0].strip()[:200])


def _pip_files(host: Host, variables: Mapping[str, str], home: object, prefix: str | None) -> list[str]:
    """The configuration files pip would read, from the weakest to the strongest level."""
    name = "pip.ini" if host.system == "windows" else "pip.conf"
    chosen = variables.get("PIP_CONFIG_FILE")
    if chosen in ("/dev/null", "nul", "NUL"):  # this very value switches all of them off
        return []
    files: list[str] = []
    if host.system == "windows":
        files.append(f"{variables.get('ProgramData') or variables.get('PROGRAMDATA') or 'C:/ProgramData'}/pip/{name}")
    elif host.system == "macos":
        files.append("/Library/Application Support/pip/pip.conf")
    else:
        files += [
            f"{d}/pip/pip.conf" for d in reversed((variables.get("XDG_CONFIG_DIRS") or "/etc/xdg").split(":")) if d
        ]
        files.append("/etc/pip.conf")
    if isinstance(home, str):
        if host.system == "windows":
            files += [f"{home}/pip/{name}", f"{home}/AppData/Roaming/pip/{name}"]
        else:
            files.append(f"{home}/.pip/pip.conf")
            if host.system == "macos":
                files.append(f"{home}/Library/Application Support/pip/pip.conf")
            files.append(f"{variables.get('XDG_CONFIG_HOME') or home + '/.config'}/pip/pip.conf")
    if prefix:
        files.append(f"{prefix}/{name}")
    if chosen:
        files.append(chosen)
    return list(dict.fromkeys(files))


def _uv_files(host: Host, variables: Mapping[str, str], home: object) -> list[str]:
    if variables.get("UV_CONFIG_FILE"):
        return [variables["UV_CONFIG_FILE"]]
    files = []
    if host.system == "windows":
        files.append(f"{variables.get('ProgramData') or 'C:/ProgramData'}/uv/uv.toml")
    else:
        files += [f"{d}/uv/uv.toml" for d in (variables.get("XDG_CONFIG_DIRS") or "/etc/xdg").split(":") if d]
        files.append("/etc/uv/uv.toml")
    if isinstance(home, str):
        if host.system == "windows":
            files.append(f"{home}/AppData/Roaming/uv/uv.toml")
        else:
            files.append(f"{variables.get('XDG_CONFIG_HOME') or home + '/.config'}/uv/uv.toml")
    return files


def _current_folder(host: Host, draft: Draft, folder: str, home: object) -> bool:
    """The nearest ``uv.toml`` or ``pyproject.toml``, from the current folder upwards."""
    folder = folder.replace("\\", "/").rstrip("/")
    for _ in range(_UPWARDS):
        found = False
        for name in ("uv.toml", "pyproject.toml", "pdm.toml"):
            path = f"{folder}/{name}"
            if host.read(path, 16).value is not None:
                found |= _put(host, draft, path, lambda text, name=name: project_lines(text, name))
        if found:
            return True
        folder = folder.rpartition("/")[0]
        if not folder or folder == home:
            break
    return False
