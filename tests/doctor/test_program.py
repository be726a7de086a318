from __future__ import annotations

import subprocess
import sys


def _run(code: str, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *options, "-c", code], capture_output=True, text=True, timeout=60)


def test_the_program_ends_at_once_with_its_status_and_nothing_lost() -> None:
    ends = "import atexit, sys; atexit.register(print, 'at the end', flush=True); from torchdoctor.program import run; "
    found = _run(ends + "sys.argv[1:] = ['--version']; run()")
    assert found.returncode == 0
    assert found.stdout.splitlines() == [found.stdout.splitlines()[0], "at the end"]
    wrong = _run(ends + "sys.argv[1:] = ['nonsense']; run()")
    assert (wrong.returncode, wrong.stdout) == (2, "at the end\n")
    assert "nonsense" in wrong.stderr


def test_a_profiler_gets_to_say_what_it_saw() -> None:
    shown = subprocess.run(
        [sys.executable, "-m", "cProfile", "-s", "tottime", "-m", "torchdoctor", "--version"],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert "function calls" in shown.stdout


def test_a_thread_that_is_no_daemon_is_waited_for() -> None:
    code = (
        "import sys, threading, time; from torchdoctor.program import run; sys.argv[1:] = ['--version']; "
        "threading.Thread(target=lambda: (time.sleep(0.3), print('done', flush=True))).start(); run()"
    )
    assert _run(code).stdout.endswith("done\n")


def test_loading_is_not_interrupted_by_looks_for_cycles() -> None:
    shown = _run(
        "import atexit, gc, sys; atexit.register(lambda: print(gc.get_threshold()[0], gc.get_stats()[2]['collections'], flush=True)); "
        "from torchdoctor.program import run; sys.argv[1:] = ['--version']; run()"
    )
    threshold, collections = shown.stdout.split()[-2:]
    assert int(threshold) >= 50_000
    assert int(collections) <= 1
