from __future__ import annotations

import threading
import time
from types import SimpleNamespace
from typing import Any

import pytest
from torchdoctor.probes import gather as gathering
from torchdoctor.probes.draft import Draft
from torchdoctor.probes.gather import decode, gather
from torchdoctor.probes.host import Answer
from torchdoctor.probes.interpreter import InterpreterNotFoundError
from torchdoctor.probes.live import LiveHost


@pytest.fixture
def probes(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Replaces all probes by the functions given by name."""
    order = gathering._PROBES

    def install(**functions: Any) -> None:
        modules = {name: SimpleNamespace(probe=function) for name, function in functions.items()}
        monkeypatch.setattr(gathering, "_PROBES", tuple(name for name in order if name in modules))
        monkeypatch.setattr(gathering, "_module", modules.__getitem__)

    return install


def fine(host: Any, draft: Draft, deadline: float, **more: Any) -> None:
    draft.put("system.os", "linux", "here")


def test_a_probe_that_raises_costs_its_own_facts_only(probes: Any, recorded: Any) -> None:
    def broken(host: Any, draft: Draft, deadline: float) -> None:
        draft.put("drivers.nvidia.version", "580.95.05", "there")
        draft.gpu("there", vendor="nvidia")
        raise KeyError("oops")

    probes(system=fine, nvidia=broken)
    for host in (recorded(), LiveHost({})):
        found = gather(host)
        assert found.facts.system.os == "linux"
        assert found.facts.drivers.nvidia.version == "580.95.05"
        assert found.facts.gpus is None  # half a list would be worse than none
        assert found.facts.unknown["gpus"] == "the nvidia probe failed: KeyError: 'oops'"


def test_a_probe_that_hangs_is_given_up(probes: Any) -> None:
    stop = threading.Event()

    def hangs(host: Any, draft: Draft, deadline: float) -> None:
        draft.gpu("there", vendor="nvidia")
        stop.wait(30)

    probes(system=fine, nvidia=hangs)
    start = time.monotonic()
    found = gather(LiveHost({}), timeout=0.3)
    stop.set()
    assert time.monotonic() - start < 1.3
    assert (found.hung, found.facts.system.os, found.facts.gpus) == (("nvidia",), "linux", None)
    assert found.facts.unknown["gpus"] == "the nvidia probe did not answer in 0.3 s"
    assert set(found.timings) == {"system"}


def test_a_value_of_a_wrong_kind_costs_its_fact_only(probes: Any, recorded: Any) -> None:
    def odd(host: Any, draft: Draft, deadline: float) -> None:
        draft.put("system.page_size", "four thousand", "there")
        draft.put("system.kernel", "6.8.0", "there")
        draft.put("cpu.features", ("avx", 2), "there")
        draft.gpu("there", vendor="nvidia", memory="lots", name="A100")

    probes(system=odd)
    facts = gather(recorded()).facts
    assert (facts.system.page_size, facts.system.kernel, facts.cpu.features) == (None, "6.8.0", None)
    assert facts.gpus is not None
    assert (facts.gpus[0].name, facts.gpus[0].memory) == ("A100", None)
    assert facts.unknown["system.page_size"].endswith(
        "system.page_size: expected a whole number, found a string ('four thousand')"
    )
    assert {"cpu.features", "gpus[0].memory"} <= set(facts.unknown)


def test_none_of_any_vendor_is_needed_for_none(probes: Any, recorded: Any) -> None:
    def none(host: Any, draft: Draft, deadline: float) -> None:
        draft.no_gpus("/sys/bus/pci/devices")

    def silent(host: Any, draft: Draft, deadline: float) -> None: ...

    probes(nvidia=none, amd=none, intel=none)
    assert gather(recorded()).facts.gpus == ()
    probes(nvidia=none, amd=silent, intel=none)
    assert gather(recorded()).facts.gpus is None
    probes(apple=none)
    assert gather(recorded(system="macos")).facts.gpus == ()
    probes(nvidia=none)
    assert gather(recorded(system="macos")).facts.gpus is None


def test_the_first_answer_wins_whatever_the_timing(probes: Any) -> None:
    def late(host: Any, draft: Draft, deadline: float) -> None:
        time.sleep(0.05)
        draft.put("system.machine", "aarch64", "the first")

    def early(host: Any, draft: Draft, deadline: float) -> None:
        draft.put("system.machine", "x86_64", "the second")

    probes(system=late, cpu=early)
    assert gather(LiveHost({})).facts.system.machine == "aarch64"


def test_progress_and_timings(probes: Any, recorded: Any) -> None:
    probes(system=fine, python_build=fine)
    seen: list[str] = []
    found = gather(recorded(), progress=seen.append)
    assert seen == ["system", "python_build"]
    assert sorted(found.timings) == ["python_build", "system"]


def test_what_is_done_meanwhile(probes: Any, recorded: Any) -> None:
    started = threading.Event()
    done = threading.Event()

    def waits(host: Any, draft: Draft, deadline: float) -> None:
        started.set()
        draft.put("system.os", "linux" if done.wait(5) else "late", "here")

    probes(system=waits)

    def meanwhile() -> None:
        assert started.wait(5)
        done.set()

    assert gather(LiveHost({}), meanwhile=meanwhile).facts.system.os == "linux"


def test_an_interruption_leaves_nothing_behind(probes: Any, tmp_path: Any) -> None:
    started = threading.Event()

    def asks(host: Any, draft: Draft, deadline: float) -> None:
        started.set()
        host.run(["sleep", "3600"], timeout=3600)

    class Closing(LiveHost):
        closed: tuple[str, ...] | None = None

        def close(self) -> tuple[str, ...]:
            self.closed = super().close()
            return self.closed

    def interrupt() -> None:
        started.wait(5)
        time.sleep(0.1)
        raise KeyboardInterrupt

    probes(nvidia=asks)
    host = Closing({"PATH": "/bin:/usr/bin"})
    with pytest.raises(KeyboardInterrupt):
        gather(host, meanwhile=interrupt)
    assert host.closed == ()
    assert host.run(["true"]).status == "timeout"


def test_an_interpreter_that_is_not_there() -> None:
    with pytest.raises(InterpreterNotFoundError, match=r"--python /no/such: no such interpreter or environment"):
        gather(LiveHost({}), python="/no/such")


def test_children_of_a_probe_are_ended_at_the_deadline(probes: Any, tmp_path: Any) -> None:
    tool = tmp_path / "nvidia-smi"
    tool.write_text("#!/bin/sh\nexec sleep 3600\n")
    tool.chmod(0o755)
    answers: list[Answer[Any]] = []

    def asks(host: Any, draft: Draft, deadline: float) -> None:
        answers.append(host.run(["nvidia-smi"], timeout=3600))

    probes(system=fine, nvidia=asks)
    found = gather(LiveHost({"PATH": f"{tmp_path}:/bin:/usr/bin"}), timeout=0.4)
    assert (found.hung, found.leftovers) == (("nvidia",), ())


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b"plain", "plain"),
        ("grün".encode("utf-16"), "grün"),
        ("WSL version: 2.6.2.0\r\n".encode("utf-16-le"), "WSL version: 2.6.2.0\r\n"),
        (b"\xef\xbb\xbfmark", "mark"),
        (b"bad \xff byte", "bad \ufffd byte"),
        (b"a\0b\0", "a\0b\0".replace("\0", "")),
        (b"", ""),
    ],
)
def test_decode(raw: bytes, text: str) -> None:
    assert decode(raw) == text
