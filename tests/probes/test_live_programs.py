from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from torchdoctor.probes.host import ABSENT, TIMEOUT
from torchdoctor.probes.live import LiveHost

pytestmark = pytest.mark.skipif(os.name == "nt", reason="POSIX files and programs")


def program(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text)
    path.chmod(0o755)
    return path


def alive(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


def test_programs_come_from_absolute_entries_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(tmp_path, "tool", "#!/bin/sh\necho here\n")
    monkeypatch.chdir(tmp_path)
    assert LiveHost({"PATH": f".{os.pathsep}"}).find("tool") is None
    assert LiveHost({"PATH": "."}).run(["tool"]).status == ABSENT
    host = LiveHost({"PATH": f"relative{os.pathsep}{tmp_path}"})
    assert host.find("tool") == f"{tmp_path}/tool"
    assert host.find("./tool") is None
    done = host.run(["tool"]).value
    assert done is not None
    assert (done.returncode, done.stdout) == (0, b"here\n")


def test_both_streams_and_the_status(tmp_path: Path) -> None:
    program(tmp_path, "tool", "#!/bin/sh\ncat\npwd\necho problem >&2\nexit 9\n")
    done = LiveHost({"PATH": f"{tmp_path}:/bin:/usr/bin"}).run(["tool"]).value  # its input is empty
    assert done is not None
    assert (done.returncode, done.stdout, done.stderr) == (9, b"/\n", b"problem\n")


def test_a_program_that_hangs_is_ended_with_its_children(tmp_path: Path) -> None:
    program(tmp_path, "tool", f"#!/bin/sh\nsleep 3600 &\necho $! > {tmp_path}/pid\nwait\n")
    host = LiveHost({"PATH": f"{tmp_path}:/bin:/usr/bin"})
    start = time.monotonic()
    answer = host.run(["tool"], timeout=0.4)
    assert (answer.status, answer.detail) == (TIMEOUT, "tool did not answer in 0.4 s")
    assert time.monotonic() - start < 2
    child = int((tmp_path / "pid").read_text())
    for _ in range(50):
        if not alive(child):
            break
        time.sleep(0.02)
    assert not alive(child)
    assert host.close() == ()


def test_a_grandchild_that_keeps_the_pipe_costs_no_time(tmp_path: Path) -> None:
    program(tmp_path, "tool", "#!/bin/sh\nsleep 3600 &\necho answer\n")
    start = time.monotonic()
    done = LiveHost({"PATH": f"{tmp_path}:/bin:/usr/bin"}).run(["tool"], timeout=0.5).value
    assert done is not None
    assert done.stdout == b"answer\n"
    assert time.monotonic() - start < 2


def test_close_ends_what_runs_and_starts_nothing_more(tmp_path: Path) -> None:
    import threading

    program(tmp_path, "tool", f"#!/bin/sh\necho $$ > {tmp_path}/pid\nexec sleep 3600\n")
    host = LiveHost({"PATH": f"{tmp_path}:/bin:/usr/bin"})
    thread = threading.Thread(target=host.run, args=(["tool"], 60.0), daemon=True)
    thread.start()
    while not ((tmp_path / "pid").exists() and (tmp_path / "pid").read_text()):
        time.sleep(0.01)
    assert host.close() == ()
    thread.join(5)
    assert not alive(int((tmp_path / "pid").read_text()))
    assert host.run(["tool"]).status == TIMEOUT


def test_what_the_kernel_holds_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import signal

    from torchdoctor.probes import live_programs

    program(tmp_path, "nvidia-smi", f"#!/bin/sh\necho $$ > {tmp_path}/pid\nexec sleep 3600\n")
    monkeypatch.setattr(live_programs, "_signal_group", lambda child: None)  # as in uninterruptible sleep
    host = LiveHost({"PATH": f"{tmp_path}:/bin:/usr/bin"})
    assert host.run(["nvidia-smi"], timeout=0.3).status == TIMEOUT
    pid = int((tmp_path / "pid").read_text())
    try:
        assert host.close() == (f"nvidia-smi (process {pid})",)
    finally:
        os.kill(pid, signal.SIGKILL)
