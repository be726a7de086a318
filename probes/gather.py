"""Runs the probes side by side within a time budget and puts what they found together.

A probe module has ``probe(host, draft, deadline)``; ``deadline`` is a value of ``time.monotonic()``. Each writes into a
draft of its own; one that raises or hangs costs its own facts only. A vendor's probe that looked at the whole machine
says ``draft.no_gpus(…)`` for its own vendor; only where every vendor's probe did is the machine known to have none.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import field
from importlib import import_module
from types import ModuleType

from torchdoctor.probes.draft import Draft
from torchdoctor.probes.facts import Facts
from torchdoctor.probes.frozen import dataclass
from torchdoctor.probes.gpus import Reading, merge_gpus
from torchdoctor.probes.host import Host
from torchdoctor.probes.interpreter import Interpreter
from torchdoctor.probes.profile import ProfileError

__all__ = ["Gathered", "gather"]

# In the order of merging: what comes first wins where two say something of the same fact.
_PROBES = (
    "system", "cpu", "python_build", "nvidia", "amd", "intel", "apple", "runtimes", "installed", "resources",
)  # fmt: skip
_PC_VENDORS = ("nvidia", "amd", "intel")
_NEEDS_INTERPRETER = ("python_build", "installed", "resources")
_FACTS = {
    "system": ("system.os", "system.version", "system.libc_version", "system.container"),
    "cpu": ("cpu.level", "cpu.features"),
    "python_build": ("python.version",),
    "nvidia": ("gpus", "drivers.nvidia.version", "drivers.nvidia.cuda"),
    "amd": ("gpus", "drivers.amdgpu.version"),
    "intel": ("gpus", "drivers.intel.kernel_driver"),
    "apple": ("gpus", "runtimes.metal"),
    "runtimes": ("runtimes.cuda", "runtimes.rocm", "runtimes.oneapi"),
    "installed": ("packages", "torch.version"),
    "resources": ("resources.disk_free", "resources.memory"),
}
_MARGIN = 0.25  # seconds before the deadline at which probes are to give up by themselves


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """``timings`` are seconds per probe (absent for one that hangs), ``leftovers`` the programs that could not be
    ended, ``hung`` the probes that were given up; while there are any, the process should end without joining threads.
    """

    facts: Facts
    timings: Mapping[str, float] = field(default_factory=dict)
    leftovers: tuple[str, ...] = ()
    hung: tuple[str, ...] = ()
    interpreter: Interpreter | None = None


class _Run:
    __slots__ = ("done", "draft", "error", "module", "name", "seconds")

    def __init__(self, name: str, module: ModuleType) -> None:
        self.name, self.module = name, module
        self.draft = Draft()
        self.seconds: float | None = None
        self.error: str | None = None
        self.done = False


def gather(
    host: Host,
    *,
    python: str | None = None,
    timeout: float = 10.0,
    progress: Callable[[str], None] | None = None,
    meanwhile: Callable[[], object] | None = None,
) -> Gathered:
    """The facts of ``host`` within ``timeout`` seconds. ``progress`` is told the name of each probe that is waited for;
    ``meanwhile`` is called once while live probes wait for programs: imports that are needed afterwards cost no time.

    Raises :class:`~torchdoctor.probes.interpreter.InterpreterNotFoundError` where ``python`` names nothing.
    """
    start = time.monotonic()
    deadline = start + timeout
    interpreter = Interpreter(host, python)
    interpreter.check()
    runs = [_Run(name, _module(name)) for name in _PROBES]
    soft = deadline - min(_MARGIN, timeout / 10)
    leftovers: tuple[str, ...] = ()
    try:
        if host.kind == "live":
            _side_by_side(runs, host, interpreter, soft, deadline, progress, meanwhile)
        else:
            for run in runs:
                if progress is not None:
                    progress(run.name)
                _one(run, host, interpreter, soft)
        hung = tuple(run.name for run in runs if not run.done)
    finally:
        # Also where the caller was interrupted: nothing that was started stays behind.
        close = getattr(host, "close", None)
        leftovers = tuple(close()) if close is not None else ()
    readings: list[list[Reading]] = []
    merged = _merge(runs, host, timeout, readings)
    _add_recorded(host, merged, readings)
    merged.gpus[:] = merge_gpus(readings)
    return Gathered(
        facts=_built(merged),
        timings={run.name: run.seconds for run in runs if run.seconds is not None},
        leftovers=leftovers,
        hung=hung,
        interpreter=interpreter,
    )


def _built(draft: Draft) -> Facts:
    # A damaged recording may hold a value of any kind: it costs the fact it is in.
    while True:
        try:
            return draft.build()
        except ProfileError as error:
            path, told, _ = str(error).partition(": expected ")
            if not told or not draft.drop(path, f"what was found is no such value: {error}"):
                raise


def _module(name: str) -> ModuleType:
    return import_module(f"torchdoctor.probes.{name}")


def _one(run: _Run, host: Host, interpreter: Interpreter, deadline: float) -> None:
    start = time.monotonic()
    try:
        if run.name in _NEEDS_INTERPRETER:
            run.module.probe(host, run.draft, deadline, interpreter=interpreter)
        else:
            run.module.probe(host, run.draft, deadline)
    except Exception as error:
        run.error = f"the {run.name} probe failed: {type(error).__name__}: {str(error)[:160]}"
    run.seconds = time.monotonic() - start
    run.done = True


def _side_by_side(
    runs: list[_Run],
    host: Host,
    interpreter: Interpreter,
    soft: float,
    deadline: float,
    progress: Callable[[str], None] | None,
    meanwhile: Callable[[], object] | None,
) -> None:
    # Daemon threads: one that waits on a wedged driver cannot be ended and must not keep the process from ending.
    threads = [
        threading.Thread(target=_one, args=(run, host, interpreter, soft), daemon=True, name=run.name) for run in runs
    ]
    for thread in threads:
        thread.start()
    if meanwhile is not None:
        meanwhile()
    for thread, run in zip(threads, runs, strict=True):
        if progress is not None and not run.done:
            progress(run.name)
        thread.join(max(deadline - time.monotonic(), 0.0))


def _merge(runs: list[_Run], host: Host, timeout: float, readings: list[list[Reading]]) -> Draft:
    merged = Draft()
    none: dict[str, str] = {}
    for run in runs:
        if not run.done:
            # Its thread still writes into the draft; half a list of GPUs would be worse than none.
            for path in _FACTS[run.name]:
                merged.miss(path, f"the {run.name} probe did not answer in {timeout:g} s")
            continue
        source = run.draft.forget_no_gpus()
        if source is not None:
            none[run.name] = source
        if run.error is not None:
            run.draft.gpus.clear()
            none.pop(run.name, None)
            for path in _FACTS[run.name]:
                merged.miss(path, run.error)
        _take_gpus(run.draft, readings)
        merged.merge(run.draft)
    needed = ("apple",) if host.system == "macos" else _PC_VENDORS
    if not readings and all(vendor in none for vendor in needed):
        merged.no_gpus(none[needed[0]])
    return merged


def _take_gpus(draft: Draft, readings: list[list[Reading]]) -> None:
    if draft.gpus:
        readings.append(list(draft.gpus))
        draft.gpus.clear()


def _add_recorded(host: Host, merged: Draft, readings: list[list[Reading]]) -> None:
    """Any recorded command of a recognised kind counts, also one that no live probe would have run."""
    commands = host.commands()
    if not commands:
        return
    from torchdoctor.probes.reports.pasted import read_command

    for argv, completed in commands:
        for raw in (completed.stdout, completed.stderr or b""):
            if not raw.strip():
                continue
            try:
                found = read_command(argv, decode(raw))
            except Exception as error:
                merged.miss("symptoms", f"the output of {argv[0]} could not be read: {type(error).__name__}")
                continue
            if found is not None:
                found.forget_no_gpus()
                _take_gpus(found, readings)
                merged.merge(found, rank=-100)


def decode(raw: bytes) -> str:
    """Text of what a program printed: UTF-16 with or without its mark, else UTF-8 with bad bytes replaced."""
    if raw[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return raw.decode("utf-16", "replace")
    if raw[:3] == b"\xef\xbb\xbf":
        return raw[3:].decode("utf-8", "replace")
    head = raw[:512]
    if len(head) >= 4 and head[1::2].count(0) > len(head) // 4 and head[::2].count(0) < len(head) // 16 + 1:
        return raw.decode("utf-16-le", "replace")
    return raw.decode("utf-8", "replace")
