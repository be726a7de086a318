"""A spinner on standard error that names what is being waited for; silent unless it takes longer than half a second."""

from __future__ import annotations

import threading
from types import TracebackType
from typing import TextIO

from torchdoctor.render.clean import ascii_text, cells, clean, fit

__all__ = ["Progress"]

_WAIT = 0.5  # seconds before anything is shown
_STEP = 0.1
_WIDTH = 60
_FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
_ASCII_FRAMES = "|/-\\"


class Progress:
    """Use as a context; :meth:`naming` may be called from any thread. Shows nothing where ``stream`` is no terminal.

    ``ascii`` is for streams that cannot show more, ``wait`` the seconds of silence at the start.
    """

    def __init__(self, stream: TextIO, *, ascii: bool = False, wait: float = _WAIT) -> None:
        self._stream, self._ascii, self._wait = stream, ascii, wait
        self._what = ""
        self._done = threading.Event()
        self._thread: threading.Thread | None = None

    def naming(self, what: str) -> None:
        """Say what is being waited for from now on."""
        self._what = clean(what)

    def __enter__(self) -> Progress:
        if self._stream.isatty():
            self._thread = threading.Thread(target=self._spin, name="progress", daemon=True)
            self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self._done.set()
        if self._thread is not None:
            self._thread.join(1)

    def _spin(self) -> None:
        if self._done.wait(self._wait):
            return
        frames, turn = (_ASCII_FRAMES if self._ascii else _FRAMES), 0
        while not self._done.is_set():
            line = fit(f"{frames[turn % len(frames)]} looking at {self._what or 'the machine'}", _WIDTH)
            line = ascii_text(line) if self._ascii else line
            # Blanks instead of an escape sequence: every terminal understands them.
            self._write(f"\r{line}{' ' * (_WIDTH - cells(line))}")
            turn += 1
            self._done.wait(_STEP)
        self._write(f"\r{' ' * _WIDTH}\r")

    def _write(self, text: str) -> None:
        try:
            self._stream.write(text)
            self._stream.flush()
        except (OSError, ValueError):  # the terminal went away: nothing to tell anybody
            self._done.set()
