"""What a project asks for before anything is installed: requirement files, ``pyproject.toml``, lock files, conda's
``environment.yml``; each line that decides which torch it gets, with its file and line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from torchdoctor.probes.draft import Draft
from torchdoctor.probes.host import Host
from torchdoctor.probes.locks import LOCKS, Asked, read_lock
from torchdoctor.probes.patterns import regex
from torchdoctor.probes.settings import TORCH_FAMILY, project_lines, requirement_name
from torchdoctor.probes.toml_lines import inline_value, strings, toml_entries
from torchdoctor.probes.variables import without_credentials

__all__ = ["Asked", "ProjectError", "examine_project"]

_LIMIT = 32 << 20
_FILES = 64  # requirement files of one project
_REQUIREMENTS = regex(
    r"(?:requirements|constraints)[\w.-]{0,60}\.(?:txt|in)\Z|[\w.-]{1,60}[-_.]requirements\.(?:txt|in)\Z"
)
_CONDA = regex(r"(?:environment|conda|env)[\w.-]{0,40}\.ya?ml\Z")
_OPTION = regex(r"(--index-url|-i|--extra-index-url|--find-links|-f|--no-index|--pre)(?:[ =]{1,4}(\S{1,2000}))?\Z")
_INCLUDE = regex(r"(-r|--requirement|-c|--constraint)[ =]{0,4}(\S{1,400})\Z")
_LONG = {"-i": "index-url", "-f": "find-links"}
_CONDA_SPEC = regex(r"-\s{1,8}[\"']?(?:([\w/.-]{1,60})::)?(pytorch|pytorch-gpu|pytorch-cuda|pytorch-cpu|torchvision|torchaudio|python)(?![\w-])\s{0,4}([^\"'#\[]{0,80})")  # fmt: skip


class ProjectError(ValueError):
    """A path that holds nothing to examine; one line that says what was expected."""


def examine_project(host: Host, path: str, draft: Draft, *, holds: Callable[[str], bool] | None = None) -> Asked | None:
    """Read the project at ``path`` (a folder or one file) into ``draft``: ``request`` and ``settings``.

    ``holds`` answers an environment marker for the machine that is meant; a line whose marker does not hold there is
    passed over. Returns what was found to decide, ``None`` where torch is not mentioned. Raises :class:`ProjectError`.
    """
    files = _files(host, path)
    if not files:
        raise ProjectError(
            f"{path}: expected requirements*.txt, pyproject.toml, uv.lock, poetry.lock, pylock.toml or environment.yml"
        )
    asked: list[Asked] = []
    seen: set[str] = set()
    for file in files:
        answer = host.read(file, _LIMIT + 1)
        if answer.value is None:
            raise ProjectError(answer.detail or f"{file} cannot be read")
        if len(answer.value) > _LIMIT:
            raise ProjectError(f"{file}: expected a file of at most {_LIMIT >> 20} MiB")
        text, name = answer.value.decode("utf-8", "replace"), _base(file)
        if LOCKS.search(name):
            asked += read_lock(draft, file, text)
        elif name == "pyproject.toml" or name.endswith(("uv.toml", "pdm.toml")):
            asked += _pyproject(draft, file, text)
        elif _CONDA.search(name):
            asked += _conda(draft, file, text)
        else:
            asked += _requirements(host, draft, file, text, seen)
    draft.settings_read()
    return _decide(draft, asked, holds)


def _decide(draft: Draft, asked: list[Asked], holds: Callable[[str], bool] | None) -> Asked | None:
    here = [a for a in asked if a.marker is None or holds is None or holds(a.marker)]
    if not here:
        return None
    chosen = max(here, key=lambda a: a.strength)  # the first of the strongest
    source = f"{chosen.file}:{chosen.line}"
    draft.put("request.torch", chosen.torch, source)
    draft.put("request.variant", chosen.variant, source)
    draft.put("request.index", chosen.index, source)
    draft.put("request.installer", chosen.installer, source)
    return chosen


def _files(host: Host, path: str) -> list[str]:
    path = path.rstrip("/\\") or "/"
    listing = host.listing(path)
    if listing.value is None:
        return [path] if host.read(path, 1).value is not None else []
    names = [
        n
        for n in listing.value
        if LOCKS.search(n) or _REQUIREMENTS.search(n) or _CONDA.search(n) or n in ("pyproject.toml", "uv.toml")
    ]
    return [f"{path}/{n}" for n in names]


def _requirements(host: Host, draft: Draft, file: str, text: str, seen: set[str]) -> Iterator[Asked]:
    if file in seen or len(seen) >= _FILES:
        return
    seen.add(file)
    index = None
    constraints = _base(file).startswith("constraints")
    rows = list(_logical_lines(text))
    for number, line in rows:
        if match := _OPTION.match(line):
            key = _LONG.get(match[1], match[1].lstrip("-"))
            value = without_credentials(match[2] or "true")
            draft.setting(file, number, key, value[:400])
            if key in ("index-url", "extra-index-url"):
                index = index or value
        elif match := _INCLUDE.match(line):
            constraint = match[1] in ("-c", "--constraint")
            yield from _included(host, draft, file, match[2], constraint=constraint, seen=seen)
    for number, line in rows:
        name = requirement_name(line)
        if name not in TORCH_FAMILY or line.startswith("-"):
            continue
        draft.setting(file, number, "constraint" if constraints else "requirement", without_credentials(line)[:300])
        if name == "torch" and not constraints:
            yield _of_requirement(file, number, line, 2, "pip", index)


def _included(host: Host, draft: Draft, file: str, name: str, *, constraint: bool, seen: set[str]) -> Iterator[Asked]:
    folder = file.rpartition("/")[0] or "."
    if not _stays_inside(host, folder, name):
        return  # nothing outside the project is read
    path = f"{folder}/{name}"
    text = (host.read(path, _LIMIT).value or b"").decode("utf-8", "replace")
    if not constraint:
        yield from _requirements(host, draft, path, text, seen)
        return
    for number, line in _logical_lines(text):
        if requirement_name(line) in TORCH_FAMILY:
            draft.setting(path, number, "constraint", line[:300])


def _stays_inside(host: Host, folder: str, name: str) -> bool:
    parts = name.replace("\\", "/").split("/")
    if ":" in name or name.startswith(("/", "~")) or ".." in parts:
        return False
    for part in parts:
        folder = f"{folder}/{part}"
        target = host.link(folder).value
        if target is not None and (target.startswith("/") or ".." in target.split("/")):
            return False
    return True


def _logical_lines(text: str) -> Iterator[tuple[int, str]]:
    """Lines with their number, continued lines joined, comments and hashes cut."""
    held, start = "", 0
    for number, line in enumerate(text.splitlines(), 1):
        start = start or number
        if line.endswith("\\") and len(held) < 20_000:
            held += line[:-1]
            continue
        whole = re.split(r"(?:^|\s)#", held + line, maxsplit=1)[0].split(" --hash", 1)[0].strip()
        if whole:
            yield start, whole
        held, start = "", 0


def _of_requirement(file: str, line: int, text: str, strength: int, installer: str, index: str | None = None) -> Asked:
    body, _, marker = text.partition(";")
    match = re.match(r"\s{0,20}torch(?:\[[\w,.\s-]{0,80}\])?\s{0,8}(@?)\s{0,8}(.{0,300})", body)
    spec = match[2].strip() if match else ""
    if match and match[1]:  # a direct reference to a wheel
        wheel = re.search(r"torch-(\d[\w.]{0,30})(?:\+|%2B)?([\w.]{0,20})-", spec)
        spec, index = (f"=={wheel[1]}" + (f"+{wheel[2]}" if wheel[2] else "") if wheel else ""), spec.split(" ")[0]
    spec = spec.strip("()").strip()
    variant = re.search(r"\+(cpu|cu\d{2,3}|rocm[\d.]{1,8}|xpu)", spec)
    return Asked(
        strength=strength,
        file=file,
        line=line,
        torch=spec or None,
        variant=variant[1] if variant else None,
        index=without_credentials(index) if index else None,
        installer=installer,
        marker=marker.strip() or None,
    )


def _pyproject(draft: Draft, file: str, text: str) -> Iterator[Asked]:
    name = _base(file)
    for row in project_lines(text, name):
        draft.setting(file, row.line, row.key, row.value)
    lines = text.splitlines()
    for entry in toml_entries(text):
        listed = (entry.table == "project" and entry.key == "dependencies") or entry.table in (
            "project.optional-dependencies",
            "dependency-groups",
        )
        if listed:
            for item in strings(entry.value):
                if requirement_name(item) not in TORCH_FAMILY:
                    continue
                number = _line_of(lines, entry.line, item)
                draft.setting(file, number, f"{entry.table}.{entry.key}", without_credentials(item)[:300])
                if requirement_name(item) == "torch" and entry.table == "project":
                    yield _of_requirement(file, number, item, 1, "uv" if "tool.uv" in text else "pip")
        elif entry.key.lower() == "torch" and entry.table == "tool.poetry.dependencies":
            version = inline_value(entry.value, "version") or "".join(strings(entry.value)[:1])
            yield _of_requirement(file, entry.line, f"torch{_caret(version)}", 1, "poetry")


def _caret(version: str) -> str:
    """poetry's ``^2.5.1`` and ``~2.5`` as plain specifiers."""
    match = re.match(r"([\^~])(\d{1,4})(?:\.(\d{1,4}))?([\w.+]{0,30})\Z", version.strip())
    if match is None:
        return version if version[:1] in "<>=!~" else f"=={version}" if version[:1].isdigit() else ""
    minor = match[3] or "0"
    upper = f"{int(match[2]) + 1}" if match[1] == "^" else f"{match[2]}.{int(minor) + 1}"
    return f">={match[2]}.{minor}{match[4].partition('+')[0]},<{upper}"


def _line_of(lines: list[str], start: int, item: str) -> int:
    return next((n for n in range(start, min(len(lines), start + 400) + 1) if item in lines[n - 1]), start)


def _conda(draft: Draft, file: str, text: str) -> Iterator[Asked]:
    section, pip_indent = "", None
    for number, line in enumerate(text.splitlines(), 1):
        bare = re.split(r"(?:^|\s)#", line, maxsplit=1)[0].rstrip()
        item, indent = bare.strip(), len(bare) - len(bare.lstrip())
        if not item:
            continue
        if not bare.startswith((" ", "-")):
            section, pip_indent = bare.partition(":")[0].strip(), None
            continue
        if pip_indent is not None and indent <= pip_indent:
            pip_indent = None
        if section == "channels" and item.startswith("- "):
            draft.setting(file, number, "channel", without_credentials(item[2:].strip("\"' "))[:200])
        elif section == "dependencies" and pip_indent is not None:
            requirement = item.lstrip("- ").strip("\"'")
            if requirement_name(requirement) in TORCH_FAMILY:
                draft.setting(file, number, "requirement", requirement[:300])
                if requirement_name(requirement) == "torch":
                    yield _of_requirement(file, number, requirement, 2, "pip")
        elif section == "dependencies" and re.match(r"-\s{0,8}pip\s{0,4}:\Z", item):
            pip_indent = indent
        elif section == "dependencies" and (match := _CONDA_SPEC.match(item)):
            yield from _conda_item(draft, file, number, match)


def _conda_item(draft: Draft, file: str, number: int, match: re.Match[str]) -> Iterator[Asked]:
    channel, name, spec = match[1], match[2], _conda_spec(match[3])
    draft.setting(file, number, "conda.dependencies", f"{name}{spec}")
    if channel:
        draft.setting(file, number, "channel.of.pytorch", channel)
    if name == "python" and spec:
        draft.put("request.python", spec.lstrip("=").removesuffix(".*"), f"{file}:{number}")
    if name in ("pytorch", "pytorch-gpu", "pytorch-cpu"):
        variant = "cpu" if name == "pytorch-cpu" else None
        yield Asked(strength=1, file=file, line=number, torch=spec or None, variant=variant, installer="conda")


def _conda_spec(text: str) -> str:
    """conda's ``=2.6`` (any 2.6) and ``==2.6.0`` (that one) as plain specifiers; the build string is dropped."""
    text = text.strip().rstrip("*").rstrip(".")
    match = re.match(r"(=|==|>=|<=|~=|>|<)?\s{0,4}(\d[\w.]{0,30})", text)
    if match is None:
        return ""
    return (
        f"=={match[2]}.*"
        if match[1] in ("=", None) and match[2].count(".") < 2
        else f"{'==' if match[1] in ('=', None) else match[1]}{match[2]}"
    )


def _base(path: str) -> str:
    return path.replace("\\", "/").rpartition("/")[2]
