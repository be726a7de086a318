from __future__ import annotations

import os
from pathlib import Path

import pytest
from torchdoctor.probes.host import ABSENT, DENIED, FAILED
from torchdoctor.probes.live import LiveHost

pytestmark = pytest.mark.skipif(os.name == "nt", reason="POSIX files and programs")


def test_files(tmp_path: Path) -> None:
    host = LiveHost({})
    (tmp_path / "a").write_bytes(b"0123456789")
    os.mkfifo(tmp_path / "pipe")
    assert host.read(f"{tmp_path}/a", 4).value == b"0123"
    assert host.read_at(f"{tmp_path}/a", 8, 100).value == b"89"
    assert host.read(f"{tmp_path}/none").status == ABSENT
    assert host.read(f"{tmp_path}/a/below").status == ABSENT
    assert host.read(f"{tmp_path}/pipe").status == FAILED  # would wait for a writer
    assert host.read("/dev/zero").status == FAILED
    assert host.read("bad\0path").status == FAILED
    assert host.listing(str(tmp_path)).value == ("a", "pipe")
    assert host.listing(f"{tmp_path}/none").status == ABSENT


def test_links_and_nodes(tmp_path: Path) -> None:
    host = LiveHost({})
    (tmp_path / "link").symlink_to("../elsewhere")
    assert host.link(f"{tmp_path}/link").value == "../elsewhere"
    assert host.link(str(tmp_path)).status == FAILED
    assert host.stat(f"{tmp_path}/link").status == ABSENT  # it dangles
    node = host.stat("/dev/null").value
    assert node is not None
    assert (node.mode, node.openable) == ("0666", True)


def test_denied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: str, *args: object, **more: object) -> None:
        raise PermissionError(13, "Permission denied")

    # Root may read everything, so the system's answer is played.
    monkeypatch.setattr(os, "stat", refuse)
    monkeypatch.setattr(os, "listdir", refuse)
    assert LiveHost({}).read("/proc/1/environ").status == DENIED
    assert LiveHost({}).listing("/root").status == DENIED
    assert LiveHost({}).stat("/dev/kfd").status == DENIED


def test_only_allowed_variables() -> None:
    host = LiveHost(
        {
            "CUDA_VISIBLE_DEVICES": "0",
            "HF_TOKEN": "x",
            "SSH_CLIENT": "1",
            "PIP_INDEX_URL": "https://a:b@c.example/simple",
        }
    )
    assert host.environ().value == {"CUDA_VISIBLE_DEVICES": "0", "PIP_INDEX_URL": "https://c.example/simple"}
