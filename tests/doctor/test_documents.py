from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from torchdoctor.api import InputError, diagnose, diagnose_text, read_machine
from torchdoctor.documents import LINE_LIMIT, is_zip, read_document, stream


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("digits.json", '{"system": {"page_size": ' + "9" * 5000 + "}}", "too many digits"),
        ("digits.toml", "[system]\npage_size = " + "9" * 5000, "too many digits"),
        ("twice.json", '{"system": {"os": "linux"}, "system": {"os": "windows"}}', "'system' is given twice"),
        ("deep.json", '{"system": ' + "[" * 100_000, "nested too deeply"),
        ("cut.json", '{"system": {"os": "linux"', "line 1 column 26"),
        ("next.json", '{"schema": "torchdoctor/report/2", "facts": {}}', "expected torchdoctor/report/1"),
        ("facts.json", '{"schema": "torchdoctor/report/1", "facts": [1]}', "facts: expected an object"),
        ("gpus.json", '{"schema": "torchdoctor/report/1", "facts": {"gpus": 5}}', "gpus: expected a list"),
    ],
)
def test_a_profile_is_refused_in_one_line_that_names_it(tmp_path: Path, name: str, content: str, says: str) -> None:
    path = tmp_path / name
    path.write_text(content)
    for read in (read_machine, diagnose):
        with pytest.raises(InputError) as error:
            read(str(path))
        assert str(error.value).startswith(f"{path}: "), error.value
        assert str(error.value).count(name) == 1
        assert says in str(error.value)
        assert "\n" not in str(error.value)


def test_a_mangled_report_is_no_free_text() -> None:
    with pytest.raises(InputError, match="not valid JSON"):
        diagnose_text('{"schema": "torchdoctor/report/1", "facts": {"gpus"', "standard input")
    assert diagnose_text('{"an": "error" in a log', "standard input").source[0] != "machine"


def test_a_folder_is_named_once(tmp_path: Path) -> None:
    with pytest.raises(InputError) as error:
        read_document(str(tmp_path))
    assert str(error.value) == f"{tmp_path}: is a folder, expected a file"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes")
def test_a_pipe_is_read_whole_and_one_without_a_writer_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    monkeypatch.setattr("torchdoctor.documents._WRITER", 0.1)
    with pytest.raises(InputError, match="nothing was written"):
        read_document(str(pipe))
    monkeypatch.setattr("torchdoctor.documents._WRITER", 5.0)
    writer = threading.Thread(target=pipe.write_bytes, args=(b"PK\x03\x04 is how it begins",))
    writer.start()
    assert not is_zip(str(pipe))
    assert read_document(str(pipe)) == b"PK\x03\x04 is how it begins"
    writer.join()


def test_a_stream_is_told_from_a_document() -> None:
    line = json.dumps({"schema": "torchdoctor/report/1", "facts": {}})
    assert stream(line, "x.json") is None
    assert stream('{"a": 1}\n{"b": 2}\n', "x.json") is None
    found = list(stream(f"{line}\n\n[]\n" + "{" + "x" * LINE_LIMIT + f"\n{line}\n", "x") or ())
    assert [place for place, _ in found] == ["x: line 1", "x: line 3", "x: line 4", "x: line 5"]
    assert found[0][1] == found[3][1] == line
    assert "expected a report" in str(found[1][1])
    assert "longer than 4 MiB" in str(found[2][1])


def test_of_a_stream_the_good_lines_are_judged_and_the_bad_ones_named(tmp_path: Path) -> None:
    line = json.dumps({"schema": "torchdoctor/report/1", "facts": {"system": {"os": "linux"}}})
    path = tmp_path / "many.ndjson"
    path.write_text(f"{line}\nnot json\n{line}\n")
    found = subprocess.run(
        [sys.executable, "-m", "torchdoctor", "diagnose", str(path), "--format", "ndjson"],
        capture_output=True,
        timeout=60,
    )
    rows = [json.loads(row) for row in found.stdout.splitlines()]
    assert found.returncode == 2
    assert [row["source"]["name"] for row in rows] == [f"{path}: line {n}" for n in (1, 2, 3)]
    assert rows[0]["facts"] == rows[2]["facts"]
    assert "line 2: not valid JSON" in rows[1]["error"]
