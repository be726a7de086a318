"""Quoting: whatever a word holds, the shell hands over exactly that word."""

from __future__ import annotations

import shutil
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from torchdoctor.quote import QuoteError, default_shell, join, quote

HOSTILE = [
    "plain",
    "two words",
    "it's",
    'say "hi"',
    "a;touch gone",
    "$(touch gone)",
    "`touch gone`",
    "${HOME}",
    "a|b&c>d<e",
    "*?[a]",
    "~root",
    "-rf",
    "#comment",
    "\\",
    "a\\'b",
    "!history",
    "{a,b}",
    "%PATH%",
    "",
    "ünïcödé",
    "https://user:p%40ss@host/a?b=c&d=$e#f",
]


def _posix_words(line: str, count: int) -> list[str]:
    stub = 'printf "%s\\n" "$#" "$@"'
    done = subprocess.run(["sh", "-c", f"f() {{ {stub}; }}; f {line}"], capture_output=True, text=True, timeout=20)
    assert done.returncode == 0, done.stderr
    got = done.stdout.split("\n")[:-1]
    assert int(got[0]) == count
    return got[1:]


@pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX shell")
def test_posix_shell_gets_the_words() -> None:
    assert _posix_words(join(HOSTILE), len(HOSTILE)) == HOSTILE


@pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX shell")
@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.text(st.characters(blacklist_categories=("C", "Z"), blacklist_characters="\n")), min_size=1, max_size=5)
)
def test_posix_shell_gets_any_words(words: list[str]) -> None:
    assert _posix_words(join(words), len(words)) == words


@pytest.mark.parametrize("word", ["a\nb", "a\rb", "a\x00b", "\x1b[31m", "a\u2028b", "\u202eb"])
@pytest.mark.parametrize("shell", ["posix", "powershell"])
def test_control_characters_are_refused(word: str, shell: str) -> None:
    with pytest.raises(QuoteError):
        quote(word, shell)


@pytest.mark.parametrize(
    ("word", "quoted"),
    [
        ("torch==2.15.0", "torch==2.15.0"),
        ("--torch-backend=cu126", "--torch-backend=cu126"),
        ("https://host/whl/cu126", "https://host/whl/cu126"),
        ("it's", "'it''s'"),
        ("it\u2019s", "'it\u2019\u2019s'"),
        ("$(Remove-Item x)", "'$(Remove-Item x)'"),
        ("a;b", "'a;b'"),
        ("a,b", "'a,b'"),
        ("@args", "'@args'"),
        ("a b", "'a b'"),
        ("`n", "'`n'"),
        ("-x.y", "'-x.y'"),
        ("C:\\Python312\\python.exe", "C:\\Python312\\python.exe"),
        ("", "''"),
    ],
)
def test_powershell_words(word: str, quoted: str) -> None:
    assert quote(word, "powershell") == quoted


def test_powershell_refuses_what_its_two_kinds_pass_on_differently() -> None:
    with pytest.raises(QuoteError, match="double quote"):
        quote('say "hi"', "powershell")


def test_powershell_calls_a_quoted_program() -> None:
    assert (
        join(["C:\\Program Files\\python.exe", "-m", "pip"], "powershell") == "& 'C:\\Program Files\\python.exe' -m pip"
    )


@pytest.mark.skipif(shutil.which("pwsh") is None, reason="no PowerShell here")
def test_powershell_gets_the_words() -> None:
    words = [w for w in HOSTILE if w and '"' not in w]
    script = f"{join([sys.executable, '-c', 'import sys; print(ascii(sys.argv[1:]))', *words], 'powershell')}"
    done = subprocess.run(["pwsh", "-NoProfile", "-Command", script], capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == ascii(words)


def test_shell_of_a_system() -> None:
    assert [default_shell(os) for os in ("windows", "linux", "macos", None)] == [
        "powershell",
        "posix",
        "posix",
        "posix",
    ]


def test_unknown_shell() -> None:
    with pytest.raises(ValueError, match="expected one of posix, powershell"):
        quote("x", "fish")
