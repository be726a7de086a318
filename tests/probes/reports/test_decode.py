from __future__ import annotations

import pytest
from torchdoctor.probes.reports.decode import MAX_BYTES, NotText, decode


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"plain", "plain"),
        (b"\xef\xbb\xbfwith a mark", "with a mark"),
        ("Größe".encode("utf-16"), "Größe"),
        (b"\xff\xfe" + "a\r\n".encode("utf-16-le"), "a\r\n"),
        (b"\xfe\xff" + "ab".encode("utf-16-be"), "ab"),
        (b"\xff\xfe\x00\x00" + "ab".encode("utf-32-le"), "ab"),
        (b"bad \xff byte", "bad \ufffd byte"),
        (b"", ""),
        (b"one NUL at the end of a long enough line\x00", "one NUL at the end of a long enough line\x00"),
    ],
)
def test_text_is_read(data: bytes, text: str) -> None:
    assert decode(data, "f") == text


def test_what_windows_tools_print_into_a_pipe_has_no_mark() -> None:
    assert decode("wsl --version 2.6.2.0".encode("utf-16-le"), "f") == "wsl --version 2.6.2.0"


@pytest.mark.parametrize("data", [b"\x00" * 100, b"\x7fELF" + b"\x00\x01" * 300, bytes(range(256)) + b"\x00" * 64])
def test_binary_is_refused_by_name(data: bytes) -> None:
    with pytest.raises(NotText, match=r"^photo\.png: not a text file: expected UTF-8"):
        decode(data, "photo.png")


def test_too_large_is_refused() -> None:
    with pytest.raises(NotText, match="expected at most 64 MiB"):
        decode(b"x" * (MAX_BYTES + 1), "f")


def test_what_is_packed_is_no_text() -> None:
    import random

    packed = b"\x89PNG\r\n\x1a\n" + random.Random(1).randbytes(5000)
    with pytest.raises(NotText, match="expected UTF-8"):
        decode(packed, "screen.png")
    coloured = b"\x1b[31mERROR\x1b[0m: no torch\a\r\n" * 20
    assert "ERROR" in decode(coloured, "log")
    assert decode("显卡 GPU\n".encode("gbk") * 50, "x").endswith("GPU\n")
