"""Takes personal data out of a recording: names, home folders, addresses, serial numbers, tokens.

What this machine is known to be called is replaced wherever it stands; what only looks like an address or a secret is
replaced by its shape. The same thing becomes the same word everywhere, so that a replay still sees what belongs
together.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from torchdoctor.probes.frozen import dataclass
from torchdoctor.probes.variables import without_credentials

__all__ = ["HOME", "Identity", "Redactor"]

HOME = "/home/user"


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """What the machine and its user are called: to be found nowhere in a recording."""

    users: tuple[str, ...] = ()
    homes: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    addresses: tuple[str, ...] = ()
    secrets: tuple[str, ...] = ()


# Shared by thousands of machines, so they name nobody; replacing them would tear facts apart (ID=ubuntu, group video).
_COMMON = frozenset({
    "root", "user", "users", "admin", "administrator", "nobody", "ubuntu", "debian", "fedora", "centos", "rocky",
    "alpine", "arch", "linux", "windows", "macos", "macbook", "docker", "container", "podman", "kubernetes", "runner",
    "jenkins", "jovyan", "vagrant", "coder", "builder", "guest", "test", "demo", "default", "localhost",
    "localdomain", "local", "host", "nvidia", "amd", "intel", "jetson", "orin", "raspberrypi", "pi", "render",
    "video", "ec2-user", "azureuser", "opc", "python", "python3", "torch", "cuda", "rocm", "conda", "mamba", "home",
    "system", "server", "desktop", "laptop", "computer", "workstation", "node", "worker", "main", "master", "shared",
    "public", "linuxbrew", "app", "web", "data", "work", "worker0", "node0", "gpu", "cpu", "server1", "colab",
    "kaggle", "model", "driver", "version", "memory", "device", "vendor",
    "processor", "flags", "features", "cache", "serial", "machine", "package", "library",
})  # fmt: skip
_HOME_FOLDER = re.compile(
    r"(?P<before>/home/|/Users/|\b[A-Za-z]:(?:\\\\|\\|/)Users(?:\\\\|\\|/))(?P<name>[^/\\\s:;,\"'<>|\0]{1,64})"
)
_MAC = re.compile(
    r"(?<![0-9A-Fa-f:.\-])(?:[0-9A-Fa-f]{2}([:\-]))(?:[0-9A-Fa-f]{2}\1){4}[0-9A-Fa-f]{2}(?![0-9A-Fa-f:\-])"
)
_UUID = re.compile(r"(?<![0-9A-Fa-f])[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}(?![0-9A-Fa-f])")
_GPU_UUID = re.compile(r"\b(GPU|MIG)-([0-9A-Fa-f]{6,8})(?![0-9A-Fa-f\-])")
_LONG_HEX = re.compile(r"(?<![0-9A-Fa-f])[0-9a-f]{40,128}(?![0-9A-Fa-f])")
_IP_V4 = re.compile(r"(?<![\w.+\-])(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?:25[0-5]|2[0-4]\d|1?\d?\d)){3}(?![\w+\-]|\.\d)")
_IP_V6 = re.compile(
    r"(?<![\w:.])(?:(?:[0-9A-Fa-f]{1,4}:){7}[0-9A-Fa-f]{1,4}"
    r"|(?=[0-9A-Fa-f:]{0,40}\d)(?:[0-9A-Fa-f]{1,4}:){1,6}(?::[0-9A-Fa-f]{1,4}){1,6})(?![\w:])"
)
_SERIAL = re.compile(
    r"(?im)^(?P<label>[^\n\r:=]{0,60}\b(?:serial(?:[ _\-]?(?:number|no\.?|num))?|service[ _]tag|asset[ _]tag|chassis[ _]id|"
    r"provisioning[ _]udid|hardware[ _]uuid|machine[ _]id|board[ _]part[ _]number)\b[^\n\r:=]{0,30}[:=][ \t]{0,40})(?P<value>[^\n\r]{1,200})"
)
_SERIAL_TAG = re.compile(r"(?i)(?P<label><(?:serial|board_serial|uuid)>)(?P<value>[^<\n]{1,200})")
_EMPTY_SERIAL = re.compile(
    r"(?i)[\s\"',\[\]]*(?:n/?a|none|null|unknown|not supported|not specified|default string|to be filled.*|0*)[\s\"',\[\]]*"
)
_SECRET = re.compile(
    r"(?i)\b(?P<label>(?:[A-Za-z0-9]{1,30}[_\-]){0,4}(?:password|passwd|secret|token|api[_\-]?key|access[_\-]?key|authorization|bearer)"
    r"[\"']?[ \t]{0,8}(?:[:=][ \t]{0,8}|[ \t])[\"']?(?:bearer |basic )?)(?P<value>[^\s\"',;&]{6,400})"
)
_TOKEN = re.compile(
    r"\b(?:hf_[A-Za-z0-9]{16,80}|gh[pousr]_[A-Za-z0-9]{20,255}|github_pat_[A-Za-z0-9_]{20,255}|glpat-[\w\-]{16,80}|"
    r"sk-[\w\-]{20,200}|(?:AKIA|ASIA)[0-9A-Z]{16}|xox[abprs]-[\w\-]{10,200}|pypi-[\w\-]{30,400}|"
    r"eyJ[\w\-]{10,2000}\.[\w\-]{10,2000}\.[\w\-]{0,2000}|AIza[\w\-]{30,60}|npm_[A-Za-z0-9]{30,60}|tvly-[\w\-]{16,80})\b"
)
_MAIL = re.compile(r"(?<![\w.+\-])[\w.+\-]{1,64}@[\w\-]{1,63}(?:\.[\w\-]{1,63}){1,5}\b")
_VERSION_LINE = re.compile(r"(?i)version|driver|release|cuda|firmware|bios|image|build")
# Names of things that every machine of the kind has, not of this one.
_WELL_KNOWN = frozenset({"8be4df61-93ca-11d2-aa0d-00e098032b8c", "4d36e968-e325-11ce-bfc1-08002be10318"})


class Redactor:
    """Replaces personal data in text and bytes. One object for one recording: it numbers what it replaces."""

    def __init__(self, identity: Identity) -> None:
        self._numbers: dict[str, dict[str, int]] = {}
        self._folders: dict[str, str] = {}
        own = [home.rstrip("/\\") for home in identity.homes if len(home.rstrip("/\\")) > 3]
        self._homes = [
            (re.compile(re.escape(h) + r"(?![\w.\-])"), _home_name(h)) for h in sorted(set(own), key=len, reverse=True)
        ]
        for user in identity.users:
            self._folders[user] = "user"
        for home in own:
            self._folders[re.split(r"[/\\]", home)[-1]] = "user"
        self._words: list[tuple[re.Pattern[str], str]] = []
        for secret in _longest_first(identity.secrets, 6):
            self._words.append((re.compile(re.escape(secret)), "removed"))
        for address in _longest_first(identity.addresses, 3):
            self._words.append((re.compile(rf"(?<![\w.]){re.escape(address)}(?![\w]|\.\d)"), "0.0.0.0"))
        for host in _longest_first(identity.hosts, 2):
            self._words.append((re.compile(_host_pattern(host), re.I | re.M), "host"))
        for user in _longest_first(identity.users, 2):
            self._words.append((re.compile(_user_pattern(user), re.I), "user"))
        self._plain_users = frozenset(identity.users)

    def text(self, text: str, *, addresses: bool = True) -> str:
        """``text`` without personal data. ``addresses`` off: four numbers with dots are versions here, unless they
        stand where only an address can.
        """
        text = without_credentials(text)
        for pattern, name in self._homes:
            text = pattern.sub(lambda _, name=name: name, text)  # type: ignore[misc]
        text = _HOME_FOLDER.sub(self._home, text)
        text = _SERIAL.sub(_keep_empty, text)
        text = _SERIAL_TAG.sub(_keep_empty, text)
        text = _TOKEN.sub("removed", text)
        text = _SECRET.sub(lambda m: m["label"] + "removed", text)
        for word, instead in self._words:
            text = word.sub(instead, text)
        text = _UUID.sub(self._uuid, text)
        text = _GPU_UUID.sub(lambda m: f"{m[1]}-{self._number('uuid', m[2].lower()):08d}", text)
        text = _LONG_HEX.sub(lambda m: f"{self._number('hex', m[0]):0{len(m[0])}d}", text)
        text = _MAC.sub("00:00:00:00:00:00", text)
        if addresses:
            text = _MAIL.sub("user@host", text)
        return "\n".join(_without_addresses(line, addresses) for line in text.split("\n"))

    def bytes(self, raw: bytes, *, addresses: bool = True) -> bytes:
        """The same for what a file or program held, in the encoding it came in."""
        for encoding in _encodings(raw):
            try:
                text = raw.decode(encoding)
            except UnicodeDecodeError:
                continue
            return self.text(text, addresses=addresses).encode(encoding)
        return raw

    def name(self, name: str) -> str:
        """A user or group: the user's own becomes ``user``."""
        return "user" if name in self._plain_users and name.lower() not in _COMMON else name

    def plain(self, value: Any) -> Any:
        """Every text inside plain data, keys included."""
        if isinstance(value, str):
            return self.text(value, addresses=False)
        if isinstance(value, dict):
            return {self.plain(k): self.plain(v) for k, v in value.items()}
        if isinstance(value, list | tuple):
            return [self.plain(v) for v in value]
        return value

    def _home(self, match: re.Match[str]) -> str:
        name = match["name"]
        if name.lower() in ("shared", "linuxbrew", "public", "default", "all users", "user", "<user>"):
            return match[0]
        if name not in self._folders:
            self._folders[name] = f"user{len(set(self._folders.values()) | {'user'}) + 1}"
        before = "/home/" if match["before"] == "/Users/" else match["before"]
        return before + self._folders[name]

    def _uuid(self, match: re.Match[str]) -> str:
        if match[0].lower() in _WELL_KNOWN or not match[0].strip("0-"):
            return match[0]
        return f"00000000-0000-0000-0000-{self._number('uuid', match[0].lower()):012d}"

    def _number(self, kind: str, what: str) -> int:
        numbers = self._numbers.setdefault(kind, {})
        return numbers.setdefault(what, len(numbers) + 1)


def _longest_first(words: Iterable[str], shortest: int) -> list[str]:
    kept = {w for w in words if len(w) >= shortest and w.lower() not in _COMMON and not w.isdigit()}
    return sorted(kept, key=lambda w: (-len(w), w))


def _host_pattern(host: str) -> str:
    name = re.escape(host)
    if len(host) < 5:  # "mac" is a word, a name only where a name stands
        return rf"(?<=^Linux ){name}(?= \d)|(?<=@){name}(?![A-Za-z0-9])"
    if len(host) >= 8 and not host.isalpha():
        return name  # in a container it is the start of a longer id
    return rf"(?<![A-Za-z0-9]){name}(?![A-Za-z0-9])"


def _user_pattern(user: str) -> str:
    name = re.escape(user)
    if len(user) < 5:  # "max" is a label of lscpu and a file of cgroups, a name only as a whole part of a path
        return rf"(?<=[/\\]){name}(?=[/\\:\s\"']|$)"
    return rf"(?<![A-Za-z0-9]){name}(?![A-Za-z0-9])"


def _home_name(home: str) -> str:
    return re.sub(r"[^/\\]+$", "user", home) if "\\" in home else HOME


def _keep_empty(match: re.Match[str]) -> str:
    value = match["value"]
    if _EMPTY_SERIAL.fullmatch(value):
        return match[0]
    # In JSON the quotes and the comma belong to the document.
    quote = value[:1] if value[:1] in ('"', "'") else ""
    rest = value.rstrip()[len(value.rstrip(" \t,\"'")) :] if quote else ""
    return f"{match['label']}{quote}removed{rest}"


def _without_addresses(line: str, addresses: bool) -> str:
    # A line that speaks of versions keeps its numbers, unless they stand where only an address can.
    if "." in line:
        versions = not addresses or _VERSION_LINE.search(line)
        line = _IP_V4.sub(lambda m: m[0] if versions and not _surely_address(m) else "0.0.0.0", line)
    return _IP_V6.sub("::", line) if line.count(":") > 2 else line


def _surely_address(match: re.Match[str]) -> bool:
    if match[0] in ("0.0.0.0", "127.0.0.1"):
        return False
    before, after = match.string[max(match.start() - 3, 0) : match.start()], match.string[match.end() : match.end() + 6]
    private = match[0].startswith(("192.168.", "169.254.")) or re.match(r"172\.(?:1[6-9]|2\d|3[01])\.", match[0])
    return bool(private) or before.endswith(("://", "@")) or bool(re.match(r":\d{2,5}\b|/\d{1,2}\b", after))


def _encodings(raw: bytes) -> tuple[str, ...]:
    if raw[:2] in (b"\xff\xfe", b"\xfe\xff") and len(raw) % 2 == 0:
        return ("utf-16-le" if raw[:2] == b"\xff\xfe" else "utf-16-be", "latin-1")
    if len(raw) > 3 and len(raw) % 2 == 0 and raw[1:64:2].count(0) > len(raw[:64]) // 4:
        return ("utf-16-le", "latin-1")
    return ("utf-8", "latin-1")
