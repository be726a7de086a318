"""One word or one command line, quoted for the shell it is printed for.

Whatever the words hold, the shell hands exactly them to the program: no expansion, no second command. Control characters
are refused rather than quoted, since a command that spans lines is not one command in a Dockerfile or a chat window.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

__all__ = ["SHELLS", "QuoteError", "default_shell", "join", "quote"]

SHELLS = ("posix", "powershell")

_POSIX_PLAIN = re.compile(r"[A-Za-z0-9@%+=:,./_-]+", re.ASCII)
# No comma, @, % or ~: they make arrays, splats and aliases there.
_POWERSHELL_PLAIN = re.compile(r"[A-Za-z0-9+=:./\\_-]+", re.ASCII)
# PowerShell takes the typographic quotes for the plain one.
_POWERSHELL_QUOTES = re.compile("['\u2018\u2019\u201a\u201b]")


class QuoteError(ValueError):
    """A word that no shell line can carry."""


def default_shell(os: str | None) -> str:
    """The shell that a command for this system is printed for: ``powershell`` on Windows, else ``posix``."""
    return "powershell" if os == "windows" else "posix"


def quote(word: str, shell: str = "posix") -> str:
    """``word`` as one argument. Raises :class:`QuoteError` for control characters, ``ValueError`` for another shell."""
    if not word.isprintable():
        raise QuoteError(f"{word!a} holds a character that cannot be printed in a command")
    if shell == "posix":
        return word if _POSIX_PLAIN.fullmatch(word) else "'" + word.replace("'", "'\"'\"'") + "'"
    if shell != "powershell":
        raise ValueError(f"shell {shell!r}: expected one of {', '.join(SHELLS)}")
    if '"' in word:
        # Windows PowerShell drops inner double quotes on the way to a program, PowerShell 7 does not.
        raise QuoteError(f"{word!a} holds a double quote, which the two PowerShells pass on differently")
    # An unquoted -name.rest or -name:rest reaches a program as two arguments.
    split = word.startswith("-") and not word.startswith("--") and any(c in word for c in ".:")
    if _POWERSHELL_PLAIN.fullmatch(word) and not split:
        return word
    return "'" + _POWERSHELL_QUOTES.sub(lambda m: m.group() * 2, word) + "'"


def join(words: Iterable[str], shell: str = "posix") -> str:
    """A command line of ``words``; the first is the program."""
    quoted = [quote(w, shell) for w in words]
    if shell == "powershell" and quoted and quoted[0].startswith("'"):
        quoted.insert(0, "&")  # a quoted program name alone is a string there, not a call
    return " ".join(quoted)
