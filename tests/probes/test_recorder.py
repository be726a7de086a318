from __future__ import annotations

import json
import os
import zipfile
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from torchdoctor.probes.interpreter_script import SCRIPT
from torchdoctor.probes.live import LiveHost
from torchdoctor.probes.recorder import Recorder
from torchdoctor.probes.recording import load_recording

pytestmark = pytest.mark.skipif(os.name == "nt", reason="POSIX files and programs")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "people" / "quentin"
    (folder / "bin").mkdir(parents=True)
    return folder


def recorder(home: Path, **environ: str) -> Recorder:
    variables = {
        "USER": "quentin",
        "HOME": str(home),
        "HOSTNAME": "quentins-machine",
        "PATH": f"{home}/bin:/bin:/usr/bin",
    }
    return Recorder(LiveHost({**variables, **environ}))


def replay(recorder: Recorder, tmp_path: Path, python: Any = None) -> Any:
    (tmp_path / "out.zip").write_bytes(recorder.to_zip(python, "test"))
    return load_recording(str(tmp_path / "out.zip"))


def test_every_answer_comes_back(home: Path, tmp_path: Path) -> None:
    (home / "file").write_text("content")
    (home / "link").symlink_to("file")
    tool = home / "bin" / "tool"
    tool.write_text("#!/bin/sh\necho out; echo err >&2; exit 3\n")
    tool.chmod(0o755)
    live = recorder(home, CUDA_VISIBLE_DEVICES="0", SECRET_TOKEN="x" * 12)

    def ask(host: Any, home: str) -> list[Any]:
        return [
            host.read(f"{home}/file").value,
            host.read(f"{home}/none").status,
            host.read(f"{home}/bin").status,
            host.listing(home).value,
            host.link(f"{home}/link").value,
            host.stat(f"{home}/file").value.mode,
            host.stat("/no/such").status,
            host.run(["tool"]).value,
            host.run(["no-such-tool"]).status,
            host.find("tool") is not None,
            host.find("no-such-tool"),
            host.environ().value["CUDA_VISIBLE_DEVICES"],
            host.value("page_size").value,
            host.value("no such").status,
            host.value(f"disk_free:{home}").ok,
            host.groups().value is not None,
        ]

    before = ask(live, str(home))
    host = replay(live, tmp_path)
    assert ask(host, "/home/user") == before
    assert host.kind == "recording"
    assert "SECRET_TOKEN" not in host.environ().value


def test_part_of_a_large_file(home: Path, tmp_path: Path) -> None:
    (home / "lib.so").write_bytes(b"abcdefghij")
    live = recorder(home)
    live.read(f"{home}/lib.so", 4)
    live.read_at(f"{home}/lib.so", 4, 3)
    live.read_at(f"{home}/lib.so", 9, 1)  # not next to what is there: would leave a hole
    assert replay(live, tmp_path).read("/home/user/lib.so").value == b"abcdefg"


def test_what_the_interpreter_said_is_kept_as_such(home: Path, tmp_path: Path) -> None:
    live = recorder(home)
    live.run(["sh", "-c", SCRIPT])
    host = replay(live, tmp_path, {"version": "3.12.4", "prefix": f"{home}/venv"})
    assert host.commands() == ()
    assert host.value("python").value == {"version": "3.12.4", "prefix": "/home/user/venv"}


def test_a_hanging_program_is_recorded_as_that(home: Path, tmp_path: Path) -> None:
    live = recorder(home)
    live.run(["sleep", "30"], timeout=0.2)
    answer = replay(live, tmp_path).run(["sleep", "30"])
    assert (answer.status, answer.detail) == ("timeout", "sleep did not answer in 0.2 s")


def test_the_same_answers_give_the_same_bytes(home: Path) -> None:
    (home / "a").write_text("GPU-8932f937-d72c-4106-c12f-20bd9faed9f6")
    (home / "b").write_text("GPU-8932f937-d72c-4106-c12f-20bd9faed9f7")

    def once(names: str) -> bytes:
        live = recorder(home)
        for name in names:
            live.read(f"{home}/{name}")
        return live.to_zip(None, "test")

    assert once("ab") == once("ba")


def test_nothing_planted_is_in_the_zip(home: Path, tmp_path: Path) -> None:
    tool = home / "bin" / "nvidia-smi"
    tool.write_text(
        "#!/bin/sh\necho 'Serial Number : 1650123456789'\necho \"user quentin on quentins-machine\"\n"
        "echo 'listening on 203.0.113.77 and 10.9.8.7:22'\necho 'MAC 52:54:00:12:34:56'\n"
        "echo 'GPU-8932f937-d72c-4106-c12f-20bd9faed9f6'\necho ghp_abcdefghijklmnopqrstuvwxyz0123456789\necho sesame-open-77\n"
    )
    tool.chmod(0o755)
    (home / "pip.conf").write_text("[global]\nindex-url = https://quentin:pa55word@10.1.2.3/simple\n")
    live = recorder(
        home,
        HF_TOKEN="sesame-open-77",
        PIP_INDEX_URL="https://quentin:pa55word@pkgs.example/simple?token=deadbeef99",
        CUDA_HOME=f"{home}/cuda",
    )
    live.run(["nvidia-smi"])
    live.read(f"{home}/pip.conf")
    live.listing(str(home))
    live.stat(str(tool))
    live.environ()
    live.value("home")
    content = live.to_zip({"executable": f"{home}/venv/bin/python"}, "test")
    with zipfile.ZipFile(BytesIO(content)) as archive:
        everything = b"\n".join(archive.read(name) + name.encode() for name in archive.namelist())
    for planted in (
        "quentin", "people", "1650123456789", "203.0.113.77", "10.9.8.7", "10.1.2.3", "52:54:00:12:34:56", "8932f937",
        "ghp_abc", "sesame", "pa55word", "deadbeef99",
    ):  # fmt: skip
        assert planted.encode() not in everything, planted
    assert b"/home/user/cuda" in everything
    assert b"https://pkgs.example/simple" in everything


def test_layout(home: Path) -> None:
    (home / "x").write_text("1")
    live = recorder(home)
    live.read(f"{home}/x")
    live.run(["sh", "-c", "echo a"])
    with zipfile.ZipFile(BytesIO(live.to_zip(None, "torchdoctor 0"))) as archive:
        assert archive.namelist() == ["commands/0.txt", "recording.json", "root/home/user/x"]
        assert {i.date_time for i in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        manifest = json.loads(archive.read("recording.json"))
    assert manifest["schema"] == "torchdoctor/recording/1"
    assert manifest["commands"] == [{"argv": ["sh", "-c", "echo a"], "returncode": 0, "stdout": "commands/0.txt"}]
    assert "python" not in manifest
