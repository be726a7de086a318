"""Lock files of uv, poetry, pdm and PEP 751: which torch is locked, from where, with wheels for which platforms."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from torchdoctor.probes.draft import Draft
from torchdoctor.probes.frozen import dataclass
from torchdoctor.probes.patterns import regex
from torchdoctor.probes.settings import TORCH_FAMILY
from torchdoctor.probes.toml_lines import inline_value, strings, toml_entries
from torchdoctor.probes.variables import without_credentials

__all__ = ["LOCKS", "Asked", "read_lock"]

#: Names of lock files.
LOCKS = regex(r"(?:uv\.lock|poetry\.lock|pdm\.lock|pylock(?:\.[\w-]{1,40})?\.toml)\Z")
_BLOCK = regex(r"^\[\[packages?\]\][ \t]{0,8}$", re.M)
_LOCKED_NAME = regex(r"^name\s{0,4}=\s{0,4}[\"']([\w.-]{1,80})[\"']", re.M)
_WHEEL = regex(r"torch-[\w.+%-]{1,80}?-(?:cp|py|pp)[\w.]{1,20}-[\w.]{1,20}-([\w.]{1,120})\.whl")


@dataclass(frozen=True, slots=True)
class Asked:
    """What decides which torch is installed. ``strength`` orders the kinds: a lock beats a requirement."""

    strength: int
    file: str
    line: int
    torch: str | None
    variant: str | None = None
    index: str | None = None
    installer: str | None = None
    marker: str | None = None


def read_lock(draft: Draft, file: str, text: str) -> Iterator[Asked]:
    """The torch family of one lock file: settings of ``draft``, and each torch with the marker it is locked under."""
    installer = {"uv.lock": "uv", "poetry.lock": "poetry", "pdm.lock": "pdm"}.get(_base(file), "pip")
    starts = [m.start() for m in _BLOCK.finditer(text)]
    for start, end in pairwise([*starts, len(text)]):
        named = _LOCKED_NAME.search(text, start, min(end, start + 4000))
        if named is None or named[1].lower() not in TORCH_FAMILY:
            continue
        yield from _locked(draft, file, text[start:end], text.count("\n", 0, start), named[1].lower(), installer)


def _locked(draft: Draft, file: str, block: str, before: int, name: str, installer: str) -> Iterator[Asked]:
    version, url, markers, line = "", None, None, before + 1
    for entry in toml_entries(block):
        if entry.key == "version" and entry.table in ("package", "packages"):
            version, line = "".join(strings(entry.value)), before + entry.line
        elif entry.key in ("source", "index"):
            url = (
                inline_value(entry.value, "registry")
                or inline_value(entry.value, "url")
                or "".join(strings(entry.value)[:1])
            )
        elif entry.key == "url" and entry.table.endswith(".source"):
            url = "".join(strings(entry.value))
        elif entry.key in ("resolution-markers", "marker", "markers"):
            markers = " or ".join(f"({m})" for m in strings(entry.value)[:8]) or None
    url = without_credentials(url) if url and "://" in url else None
    draft.setting(file, line, "locked", f"{name}=={version}" + (f" @ {url}" if url else ""))
    if name != "torch":
        return
    platforms = sorted(set(_WHEEL.findall(block)))
    if platforms:
        draft.setting(file, line, "locked.platforms", " ".join(platforms)[:600])
    yield Asked(
        strength=3,
        file=file,
        line=line,
        torch=f"=={version}",
        variant=_local(version) or _of_index(url),
        index=url if _of_index(url) else None,
        installer=installer,
        marker=markers,
    )


def _local(version: str) -> str | None:
    match = re.match(r"[^+]{1,40}\+(cpu|cu\d{2,3}|rocm[\d.]{1,8}|xpu)\Z", version)
    return match[1] if match else None


def _of_index(url: str | None) -> str | None:
    match = re.search(r"/(?:whl|nightly|test)/(cpu|cu\d{2,3}|rocm[\d.]{1,8}|xpu)(?:/|\Z)", url or "")
    return match[1] if match else None


def _base(path: str) -> str:
    return path.replace("\\", "/").rpartition("/")[2]
