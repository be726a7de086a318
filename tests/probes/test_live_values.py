from __future__ import annotations

import os
import sys

import pytest
from torchdoctor.probes.host import ABSENT
from torchdoctor.probes.live import LiveHost

pytestmark = pytest.mark.skipif(os.name == "nt", reason="POSIX files and programs")


def test_single_values() -> None:
    host = LiveHost(os.environ)
    assert host.value("executable").value == sys.executable
    assert (host.value("page_size").value or 0) >= 4096
    assert (host.value("disk_free:/").value or 0) > 0
    assert host.value("disk_free:/no/such").status == ABSENT
    assert host.value("no such value").status == ABSENT
    assert host.value("bits").value in (32, 64)
    assert host.value("absolute:/a/../b").value == "/b"


@pytest.mark.skipif(sys.platform == "win32", reason="there is a registry")
def test_no_registry_elsewhere() -> None:
    assert LiveHost({}).registry("HKLM\\SOFTWARE").status == ABSENT
    assert LiveHost({}).subkeys("HKLM\\SOFTWARE").status == ABSENT
