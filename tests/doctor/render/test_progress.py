from __future__ import annotations

import io
import time

from torchdoctor.render.progress import Progress


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def _wait_for(stream: io.StringIO, text: str) -> None:
    end = time.monotonic() + 3
    while text not in stream.getvalue() and time.monotonic() < end:
        time.sleep(0.01)


def test_silent_when_it_is_quick() -> None:
    stream = _Terminal()
    with Progress(stream, wait=5) as progress:
        progress.naming("nvidia")
    assert stream.getvalue() == ""


def test_names_what_is_waited_for_and_cleans_up() -> None:
    stream = _Terminal()
    with Progress(stream, wait=0.01) as progress:
        progress.naming("nvidia\x1b[31m")
        _wait_for(stream, "nvidia")
        progress.naming("amd")
        _wait_for(stream, "amd")
    shown = stream.getvalue()
    assert "looking at nvidia\\x1b[31m" in shown and "looking at amd" in shown
    assert "\x1b" not in shown and shown.endswith(f"\r{' ' * 60}\r")


def test_ascii_terminals_get_ascii() -> None:
    stream = _Terminal()
    with Progress(stream, wait=0.01, ascii=True) as progress:
        progress.naming("Gerät")
        _wait_for(stream, "Ger")
    assert stream.getvalue().isascii()


def test_nothing_on_a_pipe() -> None:
    stream = io.StringIO()
    with Progress(stream, wait=0.0) as progress:
        progress.naming("nvidia")
        time.sleep(0.05)
    assert stream.getvalue() == ""


def test_a_terminal_that_goes_away_is_no_failure() -> None:
    stream = _Terminal()
    with Progress(stream, wait=0.01):
        stream.close()
        time.sleep(0.05)
