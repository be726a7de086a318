from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

PASTE = """$ nvidia-smi --query-gpu=name,driver_version,compute_cap --format=csv,noheader
NVIDIA GeForce RTX 4090, 550.54.14, 8.9
$ python -VV
Python 3.12.4 (main, Jun  6 2024, 18:26:44) [GCC 13.2.0]
"""


Call = Callable[..., subprocess.CompletedProcess[str]]


def test_many_inputs_keep_their_order_and_a_bad_one_its_place(call: Call, tmp_path: Path) -> None:
    good, bad, utf16 = tmp_path / "a.txt", tmp_path / "b.bin", tmp_path / "c.txt"
    good.write_text(PASTE)
    bad.write_bytes(bytes(1000))
    utf16.write_bytes(PASTE.encode("utf-16"))
    found = call("diagnose", "--format", "ndjson", str(good), str(bad), str(tmp_path / "missing.txt"), str(utf16))
    lines = [json.loads(line) for line in found.stdout.splitlines()]
    assert found.returncode == 2
    assert [line["source"]["name"].rsplit("/", 1)[-1] for line in lines] == ["a.txt", "b.bin", "missing.txt", "c.txt"]
    assert ["error" in line for line in lines] == [False, True, True, False]
    assert all(line["schema"] == "torchdoctor/report/1" for line in lines)
    assert "no such file" in lines[2]["error"]
    assert lines[0]["facts"]["drivers"]["nvidia"]["version"] == "550.54.14"
    assert lines[3]["facts"]["gpus"] == lines[0]["facts"]["gpus"]


def test_never_does_not_hide_a_bad_input(call: Call, tmp_path: Path) -> None:
    assert call("diagnose", "--format", "ndjson", "--fail-on", "never", str(tmp_path / "missing.txt")).returncode == 2


def test_standard_input(call: Call, tmp_path: Path) -> None:
    found = call("diagnose", "--format", "json", stdin=PASTE.encode())
    assert json.loads(found.stdout)["source"]["name"] == "standard input"
    assert (
        json.loads(call("diagnose", "-", "--format", "json", stdin=PASTE.encode()).stdout)["facts"]["python"]["version"]
        == "3.12.4"
    )


def test_our_own_report_gives_the_same_verdict(call: Call, tmp_path: Path) -> None:
    report = call("diagnose", "--format", "json", "-", stdin=PASTE.encode()).stdout
    path = tmp_path / "report.json"
    path.write_text(report, encoding="utf-8")
    again = json.loads(call("diagnose", "--format", "json", str(path)).stdout)
    first = json.loads(report)
    assert again["source"]["kind"] == "report"
    assert again["facts"] == first["facts"]
    assert again["recommendation"] == first["recommendation"]


def test_a_machine_profile_is_read_too(call: Call, tmp_path: Path) -> None:
    path = tmp_path / "machine.toml"
    path.write_text(
        'gpus = []\n[system]\nos = "linux"\nmachine = "x86_64"\nlibc = "glibc"\nlibc_version = "2.39"\n[python]\nversion = "3.15.0t"\n'
    )
    found = json.loads(call("diagnose", "--format", "json", str(path)).stdout)
    assert found["source"]["kind"] == "machine"
    assert found["facts"]["python"]["free_threaded"] is True
    assert found["recommendation"]["torch"] == "2.15.0"


def test_one_document_formats_take_one_input(call: Call, tmp_path: Path) -> None:
    found = call("diagnose", "--format", "json", "a", "b")
    assert found.returncode == 2
    assert "use --format ndjson for many inputs" in found.stderr
