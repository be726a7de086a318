"""The process that runs the command line: how it begins and how it ends. Nothing else is imported before that is settled."""

from __future__ import annotations

import atexit
import gc
import os
import sys

__all__ = ["run"]

_OBJECTS = 100_000
"""So many new objects before the first look for cycles: a usual run makes fewer, and few of them are in any."""


def run() -> None:
    """The program ``torchdoctor``: :func:`torchdoctor.cli.main`, without the looks for cycles while everything is loaded (a
    twelfth of a short run) and without the interpreter's taking itself apart afterwards (a sixth), which frees what the
    process gives back anyway.
    """
    gc.set_threshold(_OBJECTS, 50, 50)
    from torchdoctor.cli import main

    try:
        main()
    except SystemExit as end:
        import threading

        watched = sys.gettrace() or sys.getprofile() or sys.flags.inspect
        if watched or any(not t.daemon and t is not threading.current_thread() for t in threading.enumerate()):
            raise
        atexit._run_exitfuncs()
        os._exit(end.code if isinstance(end.code, int) else 1)
