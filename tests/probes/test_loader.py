"""Where the loader would look."""

from __future__ import annotations

import re
from typing import Any

from torchdoctor.probes.loader import cached, candidates, version_behind

CACHE = b"glibc-ld.so.cache1.1\0\0\0libcuda.so.1\0/opt/driver/lib/libcuda.so.1\0libcuda.so.1\0/usr/lib/i386-linux-gnu/libcuda.so.1\0libcuda.so\0/x/libcuda.so\0"


def test_cache() -> None:
    assert cached(CACHE, "libcuda.so.1") == ("/opt/driver/lib/libcuda.so.1",)
    assert cached(b"", "libcuda.so.1") == cached(b"\0/libcuda.so.1", "libcuda.so.1") == ()


def test_variable_then_cache_then_usual(recorded: Any) -> None:
    host = recorded({"/etc/ld.so.cache": CACHE}, environment={"LD_LIBRARY_PATH": "/a/:relative::/b"})
    assert candidates(host, "libcuda.so.1", ("/usr/lib", "/opt/driver/lib")) == (
        "/a/libcuda.so.1", "/b/libcuda.so.1", "/opt/driver/lib/libcuda.so.1", "/usr/lib/libcuda.so.1",
    )  # fmt: skip


def test_links_are_followed_and_a_ring_ends(recorded: Any) -> None:
    pattern = re.compile(r"libx\.so\.(\d+\.\d+)")
    links = {"/l/libx.so.1": "alt/libx.so.1", "/l/alt/libx.so.1": "/store/libx.so.5.2", "/r/libx.so.1": "libx.so.1"}
    host = recorded(links=links)
    assert version_behind(host, "/l/libx.so.1", pattern) == "5.2"
    assert version_behind(host, "/r/libx.so.1", pattern) is None
    assert version_behind(host, "/none/libx.so.1", pattern) is None
