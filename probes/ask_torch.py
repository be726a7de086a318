"""Ask the installed torch itself, in a child process with a deadline: a broken torch can crash or hang, ours must not.

A crash, a signal or a hang is an answer like any other and becomes a symptom.
"""

from __future__ import annotations

import dataclasses
import json
import time
from collections.abc import Mapping, Sequence
from typing import Any

from torchdoctor.probes.draft import Draft
from torchdoctor.probes.facts import Facts
from torchdoctor.probes.host import Completed, Host
from torchdoctor.probes.interpreter import Interpreter

__all__ = ["SCRIPT", "ask_torch", "read_answer", "with_answer"]

#: Runs on every Python that a torch of the matrix supports; prints one JSON line a step, so that a crash keeps the others.
#: Not isolated: what counts is what the user's own program would import, short of the current folder.
SCRIPT = """
import sys
sys.path[:] = [p for p in sys.path if p not in ("", ".")]
import json
def say(**k):
    sys.stdout.write(json.dumps(k) + "\\n"); sys.stdout.flush()
try:
    import torch
except BaseException as e:
    say(step="import", error="%s: %s" % (type(e).__name__, e)); sys.exit(0)
v = torch.version
say(step="import", version=torch.__version__, cuda=v.cuda, hip=getattr(v, "hip", None), path=torch.__file__)
t = None
try:
    if torch.cuda.is_available(): t = "cuda"
    say(step="available", cuda=torch.cuda.is_available(), archs=list(torch.cuda.get_arch_list()) if t else None)
except BaseException as e:
    say(step="available", error="%s: %s" % (type(e).__name__, e))
try:
    if t is None and getattr(torch, "xpu", None) and torch.xpu.is_available(): t = "xpu"
    b = getattr(getattr(torch, "backends", None), "mps", None)
    if t is None and b is not None and b.is_available(): t = "mps"
except BaseException as e:
    say(step="available", error="%s: %s" % (type(e).__name__, e))
say(step="device", device=t or "cpu")
try:
    x = torch.ones(64, 64, device=t or "cpu")
    say(step="kernel", device=t or "cpu", value=float((x @ x).sum().item()))
except BaseException as e:
    say(step="kernel", device=t or "cpu", error="%s: %s" % (type(e).__name__, e))
"""

_SIGNALS = {4: "SIGILL", 6: "SIGABRT", 7: "SIGBUS", 8: "SIGFPE", 9: "SIGKILL", 11: "SIGSEGV"}
_SOURCE = "torch itself"
_NOT_INSTALLED = "ModuleNotFoundError: No module named 'torch'"  # no failure of a torch
_EXPECTED = 64.0 * 64 * 64


def ask_torch(host: Host, command: Sequence[str], draft: Draft, deadline: float) -> None:
    """Run the interpreter of ``command`` and note what torch says by ``deadline`` (monotonic seconds)."""
    left = deadline - time.monotonic()
    answer = host.run([*command, "-c", SCRIPT], timeout=max(left, 0.0))
    if answer.value is None:
        if answer.status == "timeout":
            draft.symptom("torch-hangs", f"torch did not answer in {max(left, 0.0):.0f} s when it was asked to run")
        draft.miss("torch.gpu_available", answer.detail or answer.status)
        return
    read_answer(answer.value, draft)


def with_answer(facts: Facts, host: Host, interpreter: Interpreter | None, timeout: float) -> Facts:
    """``facts`` with what torch itself says; it knows better than its files."""
    command = interpreter.command() if interpreter is not None else ()
    draft = Draft()
    if command:
        ask_torch(host, command, draft, time.monotonic() + timeout)
    else:
        draft.miss("torch.gpu_available", "no Python interpreter was found to ask")
    said = draft.build()
    new = {f.name: getattr(said.torch, f.name) for f in dataclasses.fields(said.torch)}
    # Its files list every architecture they hold; its own list is what it was configured with.
    keep = {k: v for k, v in new.items() if v is not None and not (k == "kernels" and facts.torch.kernels)}
    return facts.replace(
        torch=dataclasses.replace(facts.torch, **keep),
        symptoms=(*(facts.symptoms or ()), *(said.symptoms or ())),
        sources={**facts.sources, **{f"torch.{k}": _SOURCE for k in keep}},
        unknown={**facts.unknown, **said.unknown},
    )


def read_answer(done: Completed, draft: Draft) -> None:
    """What the child printed and how it ended → facts and symptoms."""
    steps = _steps(done.stdout)
    said = {step["step"]: step for step in steps}
    imported = said.get("import", {})
    if isinstance(imported.get("version"), str):
        draft.put("torch.version", imported["version"], _SOURCE, rank=2)
        draft.put("torch.cuda", imported.get("cuda") or None, _SOURCE, rank=2)
        draft.put("torch.hip", imported.get("hip") or None, _SOURCE, rank=2)
    available = said.get("available", {})
    device = said.get("device", {}).get("device")
    kernel = said.get("kernel", {})
    if device in ("cuda", "xpu", "mps"):
        draft.put("torch.gpu_available", "error" not in kernel and "value" in kernel, _SOURCE, rank=2)
    elif device == "cpu":
        draft.put("torch.gpu_available", False, _SOURCE, rank=2)
    archs = available.get("archs")
    if isinstance(archs, list) and archs and all(isinstance(a, str) for a in archs):
        draft.put("torch.kernels", tuple(archs), _SOURCE, rank=1)
    for step in steps:
        if isinstance(step.get("error"), str) and step["error"] != _NOT_INSTALLED:
            draft.symptom(f"torch-{step['step']}-failed", step["error"][:2000])
            _recognise(step["error"], draft)
    value = kernel.get("value")
    if isinstance(value, float | int) and value != _EXPECTED:
        draft.symptom("torch-wrong-result", f"64x64 ones times itself sums to {value}, expected {_EXPECTED:.0f}")
    _ending(done, said, draft)
    _recognise((done.stderr or b"").decode("utf-8", "replace"), draft)


def _recognise(text: str, draft: Draft) -> None:
    """The known error texts in what torch printed."""
    from torchdoctor.probes.reports.symptoms import SYMPTOMS

    for line in text.splitlines()[:400]:
        low = line.lower()
        for row in SYMPTOMS:
            if row.literal in low and (row.pattern is None or row.pattern.search(line[:4096])):
                draft.symptom(row.id, line.strip()[:2000])


def _steps(output: bytes) -> list[Mapping[str, Any]]:
    steps: list[Mapping[str, Any]] = []
    for line in output.splitlines():
        try:
            step = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(step, dict) and isinstance(step.get("step"), str):
            steps.append(step)
    return steps


def _ending(done: Completed, said: Mapping[str, Mapping[str, Any]], draft: Draft) -> None:
    code = done.returncode
    if code in (0, None):
        return
    assert code is not None
    number = -code if code < 0 else code - 128 if 128 < code < 160 else 0
    when = f"after the step {list(said)[-1]!r}" if said else "before it was imported"
    name = _SIGNALS.get(number) or (
        f"signal {number}" if number else f"exit status {code:#x}" if code > 255 else f"exit status {code}"
    )
    id = "illegal-instruction" if number == 4 or code == 0xC000001D else "torch-crashed"
    draft.symptom(id, f"the process that ran torch ended with {name} {when}")
    if said.get("device", {}).get("device") not in (None, "cpu"):
        draft.put("torch.gpu_available", False, _SOURCE, rank=3)
