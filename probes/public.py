"""What a report may show of a line that somebody sent: it may be pasted in public.

What this machine or its user is called is not known here; :mod:`torchdoctor.probes.redaction` knows that of a recording.
"""

from __future__ import annotations

import re

from torchdoctor.probes.patterns import holds, regex

__all__ = ["no_credentials", "public"]

# Shorter texts hold nothing that names anybody, but for one with an at sign (me@pc:~$) or three points (an address).
_SHORTEST = 12

_TOKENS = ("hf_", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "sk-", "AKIA", "ASIA", "xox", "pypi-", "eyJ", "AIza", "npm_")  # fmt: skip
_LABELS = ("token", "secret", "passw", "api", "access", "serial")
_PRIVATE = ("192.168.", "169.254.", "172.", "10.")
_CREDENTIALS = regex(r"://(?:[^/@\s'\"]{1,256}@){1,4}")  # a password may hold an at sign
# user@host:~$, [user@host folder]$
_PROMPT = regex(
    r"(?<![\w.+/@\-])[A-Za-z_][\w.\-]{0,31}@[A-Za-z][\w.\-]{0,62}"
    r"(?=[:\]$#%>]|\s{1,2}~|\s{1,2}[^\s\]]{1,60}\][$#])"
)
_UNAME = regex(r"(?:(?<=\bLinux )|(?<=\bDarwin ))[\w.\-]{1,64}(?= \d{1,2}\.\d{1,3}\.\d\S{0,80} (?:#\d|Darwin\b))")
_MAIL = regex(r"(?<![\w.+\-/:])[\w.+\-]{1,64}@[\w\-]{1,63}(?:\.[\w\-]{1,63}){0,4}\.[A-Za-z]{2,24}\b")
_TOKEN = regex(
    r"\b(?:hf_[A-Za-z0-9]{16,80}|gh[pousr]_[A-Za-z0-9]{20,255}|github_pat_[A-Za-z0-9_]{20,255}|"
    r"glpat-[\w\-]{16,80}|sk-[\w\-]{20,200}|(?:AKIA|ASIA)[0-9A-Z]{16}|xox[abprs]-[\w\-]{10,200}|"
    r"pypi-[\w\-]{30,400}|eyJ[\w\-]{10,2000}\.[\w\-]{10,2000}\.[\w\-]{0,2000}|AIza[\w\-]{30,60}|"
    r"npm_[A-Za-z0-9]{30,60})"
)
# A value only where it has a digit: "unexpected token: identifier" is a message.
_LABELLED = regex(
    r"(?i)((?:token|secret|passw(?:or)?d|api[_\-]?key|access[_\-]?key|serial(?: number)?)[\"']?"
    r"\s{0,8}[:=]\s{0,8}[\"']?)(?=[^\s\"',;&]{0,40}\d)[^\s\"',;&]{6,400}"
)
_UUID = regex(r"(?<![0-9A-Fa-f])[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}(?![0-9A-Fa-f])")
_CARD = regex(r"(?<![0-9A-Fa-f:.\-])[0-9A-Fa-f]{2}([:\-])(?:[0-9A-Fa-f]{2}\1){4}[0-9A-Fa-f]{2}(?![0-9A-Fa-f:\-])")
# Four numbers are a version too: only where nothing but an address can stand, or in a private network.
_HOST = regex(r"://(?!127\.0\.0\.1|0\.0\.0\.0)\d{1,3}(?:\.\d{1,3}){3}(?![\w.])")
_ADDRESS = regex(
    r"(?<![\w.+\-])(?:(?:192\.168|169\.254|172\.(?:1[6-9]|2\d|3[01]))\.\d{1,3}\.\d{1,3}(?![\w+\-]|\.\d)"
    r"|10(?:\.\d{1,3}){3}(?=:\d{2,5}\b))"
)


def public(text: str) -> str:
    """``text`` without user and host of a shell's prompt, the host in what ``uname -a`` prints, mail addresses, tokens,
    serial numbers, device UUIDs and addresses of networks. A text that holds nothing of the kind costs a few searches for fixed words.
    """
    if len(text) < _SHORTEST and "@" not in text and text.count(".") < 3:
        return text
    if "@" in text:
        text = _MAIL.sub("user@host", _PROMPT.sub("user@host", text))
    if holds(text, _TOKENS):
        text = _TOKEN.sub("removed", text)
    if (":" in text or "=" in text) and holds(text.lower(), _LABELS):
        text = _LABELLED.sub(r"\1removed", text)
    if text.count("-") > 3:
        numbers: dict[str, int] = {}  # two devices stay two

        def number(match: re.Match[str]) -> str:
            return f"00000000-0000-0000-0000-{numbers.setdefault(match[0].lower(), len(numbers) + 1):012d}"

        text = _UUID.sub(number, text)
    if text.count(":") > 4 or text.count("-") > 4:
        text = _CARD.sub("00:00:00:00:00:00", text)
    points = text.count(".")
    if points > 1 and ("Linux " in text or "Darwin " in text):
        text = _UNAME.sub("host", text)
    if points > 2:
        if "://" in text:
            text = _HOST.sub("://0.0.0.0", text)
        if holds(text, _PRIVATE):
            text = _ADDRESS.sub("0.0.0.0", text)
    return text


def no_credentials(text: str) -> str:
    """``text`` without user and password in its URLs."""
    return _CREDENTIALS.sub("://", text) if "@" in text else text
