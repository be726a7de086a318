"""Name and version of a Linux distribution, from text that the host read.

``/etc/os-release`` is parsed here, which is what nearly every machine has; the one-line files of older systems are
given to ``distro``, imported only then.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

__all__ = ["distribution", "parse_os_release", "release_file_names"]

# Not about the distribution, or about another one: an appliance's, a derivative's, a compatibility package's file.
_IGNORED = frozenset({
    "debian_version", "lsb-release", "oem-release", "os-release", "system-release", "plesk-release",
    "iredmail-release", "board-release", "ec2_version", "nv_tegra_release",
})  # fmt: skip
_LINE_LIMIT = 400


def release_file_names(listing: tuple[str, ...]) -> list[str]:
    """Which files of ``/etc`` name the distribution in one line, in the order in which they count."""
    ending = [name for name in listing if name.endswith(("release", "version")) and name not in _IGNORED]
    return sorted(name for name in ending if re.match(r"\w{1,60}[-_](?:release|version)$", name))


def parse_os_release(text: str) -> dict[str, str]:
    """Keys in upper case; quotes and escapes resolved, comments and lines without an assignment passed over."""
    found: dict[str, str] = {}
    for line in text.splitlines():
        line = line.strip().lstrip("\ufeff")
        key, equals, value = line.partition("=")
        if not equals or not key.isidentifier() or not key.isascii():
            continue
        found[key.upper()] = _unquote(value)
    return found


def _unquote(value: str) -> str:
    value = value.strip()
    if value[:1] == "'":
        end = value.find("'", 1)
        return value[1:end] if end > 0 else value[1:]
    if value[:1] == '"':
        at = 1
        while at < len(value) and value[at] != '"':
            at += 2 if value[at] == "\\" else 1
        return re.sub(r'\\([\\"$`])', r"\1", value[1:at]) if "\\" in value else value[1:at]
    return re.sub(r"\\(.)", r"\1", value.split(" #")[0].split()[0]) if value else ""


def distribution(
    os_release: str | None,
    *,
    release_files: Mapping[str, str] | None = None,
    lsb_release: str | None = None,
    lsb_file: str | None = None,
    debian_version: str | None = None,
) -> tuple[str | None, str | None]:
    """Name and version. ``release_files`` are the one-line files in the order in which they count, ``lsb_release`` what
    ``lsb_release -a`` printed, ``lsb_file`` ``/etc/lsb-release``. ``None`` where nothing says it.
    """
    own = parse_os_release(os_release or "")
    lsb = _colons(lsb_release or "")
    file = parse_os_release(lsb_file or "")
    name, version = own.get("NAME") or lsb.get("distributor id"), own.get("VERSION_ID") or lsb.get("release")
    if not (name and version):
        for file_name, text in (release_files or {}).items():
            found = _bare(file_name, text) or _one_line(text)
            if found[0]:
                name, version = name or found[0], version or found[1]
                break
    # A pretty name may hold the version that VERSION_ID lacks.
    for pretty in (own.get("PRETTY_NAME"), lsb.get("description")):
        if not version and pretty and any(c.isdigit() for c in pretty):
            version = _one_line(pretty)[1]
    if not version and "debian" in (own.get("ID", ""), *own.get("ID_LIKE", "").split()):
        version = (debian_version or "").strip().split("\n")[0][:60]
    if (
        not (name or version or file)
        and debian_version
        and re.fullmatch(r"\d{1,2}(?:\.\d{1,2}){0,2}", debian_version.strip())
    ):
        return "Debian GNU/Linux", debian_version.strip()  # Debian itself before it had an os-release
    return name or file.get("DISTRIB_ID") or own.get("ID") or None, version or file.get("DISTRIB_RELEASE") or None


def _bare(file_name: str, text: str) -> tuple[str, str] | None:
    """``alpine-release`` holds its version and no name."""
    version = text.strip()
    if file_name == "alpine-release" and re.fullmatch(r"\d{1,4}(?:\.\d{1,4}){1,3}(?:_\w{1,12})?", version):
        return "Alpine Linux", version
    return None


def _colons(text: str) -> dict[str, str]:
    rows = (line.partition(":") for line in text.splitlines())
    return {key.strip().lower(): value.strip() for key, colon, value in rows if colon}


def _one_line(text: str) -> tuple[str | None, str | None]:
    """``CentOS release 6.7 (Final)`` → ``CentOS``, ``6.7``; only the first line counts."""
    line = text.strip("\n").split("\n")[0].strip()[:_LINE_LIMIT]
    if not line or not line.isprintable() or line.startswith("#"):
        return None, None
    try:
        import distro
    except ImportError:  # where recordings are only replayed, such as a browser's Python
        return None, None
    # The parser alone: the class around it would read this machine's files.
    found = distro.LinuxDistribution._parse_distro_release_content(line)
    version = found.get("version_id")
    if version and not re.fullmatch(r"\d{1,10}(?:\.\d{1,10}){0,4}(?:[-+.~]?[a-z]{1,8}[-.]?\d{0,6})?", version):
        return None, None  # "x86_64-pc-linux-gnu" taken for a version
    return found.get("name") or None, version or None
