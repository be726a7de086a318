from __future__ import annotations

import json
import os
import stat
import time
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from torchdoctor.probes import recording_files
from torchdoctor.probes.gather import gather
from torchdoctor.probes.recording import RecordedHost, RecordingError, load_recording

GOOD = json.dumps({"schema": "torchdoctor/recording/1"})


@pytest.mark.parametrize(
    ("document", "complaint"),
    [
        ("{", "rec: recording.json: not valid JSON: line 1 column 2: Expecting property name enclosed in double quotes"),
        ("[]", "rec: recording.json: expected an object"),
        ("{}", 'rec: recording.json: schema: expected "torchdoctor/recording/1", found \'None\''),
        ('{"schema": "torchdoctor/recording/2"}', 'rec: recording.json: schema: expected "torchdoctor/recording/1", found \'torchdoctor/recording/2\''),
        ("[" * 100000, "rec: recording.json: not valid JSON: "),
        (GOOD[:-1] + ', "commands": [{"argv": []}]}', "rec: recording.json: commands[0].argv: expected a list of strings that starts with a program"),
        (GOOD[:-1] + ', "commands": [{"argv": ["a"], "stdout": 3}]}', "rec: recording.json: commands[0].stdout: expected the name of a file in the recording"),
        (GOOD[:-1] + ', "commands": [{"argv": ["a"], "returncode": "0"}]}', "rec: recording.json: commands[0].returncode: expected a whole number"),
        (GOOD[:-1] + ', "links": {"/a": 1}}', "rec: recording.json: links: expected an object of strings"),
        (GOOD[:-1] + ', "stat": {"/a": {"openable": "no"}}}', "rec: recording.json: stat: expected an object like"),
        (GOOD[:-1] + ', "absent": "/dev"}', "rec: recording.json: absent: expected a list of paths"),
        (GOOD[:-1] + ', "system": 1}', "rec: recording.json: system: expected a string"),
    ],
)  # fmt: skip
def test_one_line_for_each_fault(tmp_path: Path, document: str, complaint: str) -> None:
    (tmp_path / "recording.json").write_text(document)
    with pytest.raises(RecordingError) as error:
        load_recording(str(tmp_path), "rec")
    assert str(error.value).startswith(complaint)
    assert "\n" not in str(error.value)


def test_null_and_unknown_keys_are_fine(tmp_path: Path) -> None:
    (tmp_path / "recording.json").write_text('{"schema": "torchdoctor/recording/1", "system": null, "later": 1}')
    assert load_recording(str(tmp_path)).system is None


def test_utf16_manifest(tmp_path: Path) -> None:
    (tmp_path / "recording.json").write_bytes(GOOD.encode("utf-16"))
    assert load_recording(str(tmp_path)).kind == "recording"


def archive(path: Path, members: dict[str, bytes | str]) -> str:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in members.items():
            file.writestr(name, content)
    return str(path)


def test_a_zip_of_the_folder_or_of_what_is_in_it(tmp_path: Path) -> None:
    flat = archive(tmp_path / "a.zip", {"recording.json": GOOD, "root/proc/version": "v"})
    deep = archive(tmp_path / "b.zip", {"mine/": b"", "mine/recording.json": GOOD, "mine/root/proc/version": "v"})
    windows = archive(tmp_path / "c.zip", {"recording.json": GOOD, "root\\proc\\version": "v"})
    for path in (flat, deep, windows):
        assert load_recording(path).read("/proc/version").value == b"v"


def test_a_link_in_a_zip(tmp_path: Path) -> None:
    link = zipfile.ZipInfo("root/etc/os-release")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as file:
        file.writestr("recording.json", GOOD)
        file.writestr("root/usr/lib/os-release", "ID=x")
        file.writestr(link, "../usr/lib/os-release")
    assert load_recording(str(tmp_path / "a.zip")).read("/etc/os-release").value == b"ID=x"


@pytest.mark.parametrize("name", ["../out", "root/../../out", "/etc/passwd", "C:/x", "root\\..\\..\\out"])
def test_paths_that_lead_out(tmp_path: Path, name: str) -> None:
    path = archive(tmp_path / "a.zip", {"recording.json": GOOD, name: "x"})
    with pytest.raises(RecordingError, match="a path that leads out of the archive"):
        load_recording(path, "a.zip")


def test_a_bomb_is_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording_files, "_UNPACKED_LIMIT", 1 << 20)
    path = archive(tmp_path / "bomb.zip", {"recording.json": GOOD, "root/big": b"\0" * (1 << 20)})
    assert Path(path).stat().st_size < 2000
    with pytest.raises(RecordingError, match="unpacks to more than 1 MiB"):
        load_recording(path, "bomb.zip")


def test_a_bomb_that_lies_about_its_size(tmp_path: Path) -> None:
    path = Path(archive(tmp_path / "bomb.zip", {"recording.json": GOOD, "root/big": b"\0" * 100_000}))
    true, lie = (100_000).to_bytes(4, "little"), (10).to_bytes(4, "little")
    path.write_bytes(path.read_bytes().replace(true, lie))
    with pytest.raises(RecordingError, match="not a zip that can be read"):
        load_recording(str(path), "bomb.zip")


def test_a_folder_that_is_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording_files, "_UNPACKED_LIMIT", 1 << 20)
    (tmp_path / "recording.json").write_text(GOOD)
    with (tmp_path / "sparse").open("wb") as file:
        file.truncate(2 << 20)
    with pytest.raises(RecordingError, match="larger than a recording may be"):
        load_recording(str(tmp_path), "rec")


def test_damaged_archives(tmp_path: Path) -> None:
    path = Path(archive(tmp_path / "a.zip", {"recording.json": GOOD, "root/x": "some text that is long enough" * 20}))
    whole = path.read_bytes()
    for broken in (
        whole[:60],
        whole[:-20],
        b"PK\3\4" + b"\0" * 50,
        whole.replace(whole[120:124], b"\xff\xff\xff\xff", 1),
    ):
        path.write_bytes(broken)
        with pytest.raises(RecordingError, match=r"a\.zip: "):
            load_recording(str(path), "a.zip")


def test_no_manifest_and_no_file(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match=r"rec: holds no recording\.json"):
        load_recording(str(tmp_path), "rec")
    with pytest.raises(RecordingError, match=r"none\.zip: cannot be read: No such file"):
        load_recording(str(tmp_path / "none.zip"), "none.zip")


def test_the_same_member_twice(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as file:
        file.writestr("recording.json", GOOD)
        file.writestr("root/x", "1")
        with pytest.warns(UserWarning, match="Duplicate"):
            file.writestr("root/x", "2")
    with pytest.raises(RecordingError, match=r"root/x: is in the archive twice"):
        load_recording(str(tmp_path / "a.zip"))


_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-5, 5)
    | st.text(max_size=8)
    | st.sampled_from(["/dev/kfd", "/proc", "..", "C:\\Windows"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


_KEYS = st.sampled_from(
    ["system", "machine", "python", "environment", "commands", "listings", "links", "stat", "groups", "values", "registry",
     "subkeys", "kernels", "absent", "denied", "failed", "programs", "programs_absent"]
)  # fmt: skip


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.dictionaries(_KEYS, _JSON, max_size=6))
def test_any_manifest_is_read_or_refused_in_one_line(tmp_path: Path, manifest: dict[str, Any]) -> None:
    (tmp_path / "recording.json").write_text(json.dumps({"schema": "torchdoctor/recording/1", **manifest}))
    complaint = None
    try:
        host = load_recording(str(tmp_path), "rec")
    except RecordingError as error:
        complaint = str(error)
    if complaint is not None:
        assert complaint.startswith("rec: recording.json: ")
        assert "\n" not in complaint
        return
    facts = gather(host).facts
    assert not [why for why in facts.unknown.values() if "probe failed" in why]


def _folder(path: Path, **manifest: Any) -> str:
    path.mkdir(exist_ok=True)
    (path / "recording.json").write_text(json.dumps({"schema": "torchdoctor/recording/1", **manifest}))
    return str(path)


def test_a_folder_without_a_manifest_is_not_walked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def walked(*args: object, **options: object) -> None:
        raise AssertionError("walked")

    monkeypatch.setattr(os, "walk", walked)
    with pytest.raises(RecordingError, match=r"holds no recording\.json"):
        load_recording(str(tmp_path))
    os.symlink("/etc/passwd", tmp_path / "recording.json")
    with pytest.raises(RecordingError, match=r"holds no recording\.json"):
        load_recording(str(tmp_path))


def test_an_encrypted_entry_is_named(tmp_path: Path) -> None:
    path = tmp_path / "x.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("recording.json", GOOD)
    raw = bytearray(path.read_bytes())
    raw[6] |= 1
    raw[raw.find(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(raw)
    with pytest.raises(RecordingError, match=r"x\.zip: recording\.json: is encrypted"):
        load_recording(str(path))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"schema": "torchdoctor/recording/1", "x": ' + "9" * 5000 + "}", "a number has too many digits"),
        ('{"schema": "torchdoctor/recording/1", "x": ' + "[" * 100_000 + "}", "nested too deeply"),
        ('{"schema": "torchdoctor/recording/1", "system": "linux", "system": "windows"}', "'system' is given twice"),
    ],
)
def test_a_manifest_is_refused_in_one_line(tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "recording.json").write_text(text)
    with pytest.raises(RecordingError) as error:
        load_recording(str(tmp_path))
    assert str(error.value).startswith(f"{tmp_path}: recording.json: ")
    assert says in str(error.value)


@pytest.mark.parametrize("links", [{"/a": "/a/" + "x/" * 20_000}, {"/a": "b", "/b": "a"}, {"/a": "/a/a", "/": "/"}])
def test_links_that_lead_round_or_grow_end(tmp_path: Path, links: dict[str, str]) -> None:
    host = load_recording(_folder(tmp_path / "r", links=links))
    assert isinstance(host, RecordedHost)
    start = time.process_time()
    assert host.read("/a/file").status == "unrecorded"
    assert host.listing("/" + "a/" * 50_000).value is None
    assert time.process_time() - start < 5


def test_devices_and_links_of_a_folder_are_not_opened(tmp_path: Path) -> None:
    folder = tmp_path / "r"
    _folder(folder)
    (folder / "root" / "proc").mkdir(parents=True)
    os.mkfifo(folder / "root" / "proc" / "cpuinfo")
    os.symlink("/etc/passwd", folder / "root" / "proc" / "version")
    host = load_recording(str(folder))
    assert host.read("/proc/cpuinfo").value is None
    assert host.read("/proc/version").value is None
    assert host.link("/proc/version").value == "/etc/passwd"
