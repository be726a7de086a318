from __future__ import annotations

from typing import Any

import pytest
from torchdoctor.probes.interpreter import Interpreter
from torchdoctor.probes.resources import cgroup_folders, parse_limit, parse_meminfo, probe


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("2147483648\n", 2147483648),
        ("max\n", None),
        ("9223372036854771712\n", None),  # version 1's "no limit"
        ("0\n", None),
        ("-1", None),
        ("²", None),
        ("9" * 400, None),
        ("", None),
    ],
)
def test_limits(text: str, limit: int | None) -> None:
    assert parse_limit(text) == limit


def test_meminfo() -> None:
    assert parse_meminfo("MemTotal:       16318480 kB\nMemFree: 1 kB\n") == 16318480 * 1024
    assert parse_meminfo("MemFree: 1 kB\n") is None


def test_where_a_limit_may_stand() -> None:
    assert cgroup_folders("0::/user.slice/a.scope\n") == [
        "/sys/fs/cgroup/user.slice/a.scope/memory.max",
        "/sys/fs/cgroup/memory.max",
    ]
    assert cgroup_folders("0::/\n") == ["/sys/fs/cgroup/memory.max"]
    assert cgroup_folders("9:cpu,memory:/docker/ab\n3:cpuset:/\n") == [
        "/sys/fs/cgroup/memory/docker/ab/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.limit_in_bytes",
    ]  # fmt: skip
    assert cgroup_folders("0::/../../etc\nnonsense\n") == []


def test_the_smallest_limit_counts(host: Any, probed: Any) -> None:
    facts = probed(probe, host("alpine-container"))
    assert (facts.resources.memory, facts.source("resources.memory")) == (2147483648, "/sys/fs/cgroup/memory.max")
    assert facts.resources.shm is None
    assert "not recorded" in facts.unknown["resources.shm"]


def test_free_space_where_packages_go(recorded: Any, probed: Any) -> None:
    values = {"disk_free": 5, "tmp_free": 7, "shm": 67108864, "disk_free:/data/env/site-packages": 11}
    machine = recorded(values=values, python={"version": "3.12.4", "purelib": "/data/env/site-packages"})
    resources = probed(probe, machine, interpreter=Interpreter(machine)).resources
    assert (resources.disk_free, resources.tmp_free, resources.shm, resources.memory) == (11, 7, 67108864, None)
    assert probed(probe, machine).resources.disk_free == 5


def test_a_value_that_is_no_size(recorded: Any, probed: Any) -> None:
    facts = probed(probe, recorded(values={"disk_free": "lots", "tmp_free": -1, "shm": True}))
    assert facts.resources == type(facts.resources)()


def test_memory_of_a_mac(recorded: Any, probed: Any) -> None:
    mac = recorded(system="macos", values={"sysctl:hw.memsize": 17179869184})
    assert probed(probe, mac).resources.memory == 17179869184
