"""``python -m torchdoctor``: without the current folder, whose modules (a ``json.py``) are not ours to run."""

import os
import sys


def _leave_current_folder() -> None:
    # -m puts it first. Where the package itself lies there it has to stay.
    try:
        here = os.getcwd()
    except OSError:
        here = ""
    if sys.path and sys.path[0] in ("", here) and not __file__.startswith(os.path.join(here, "")):
        del sys.path[0]


if __name__ == "__main__":
    _leave_current_folder()
    from torchdoctor.program import run

    run()
