"""Bytes that somebody sent → text, or one clear line why not."""

from __future__ import annotations

__all__ = ["MAX_BYTES", "NotText", "decode"]

#: A document over this size is refused (64 MiB).
MAX_BYTES = 64 * 1024 * 1024

_BOMS = ((b"\xff\xfe\x00\x00", "utf-32-le"), (b"\x00\x00\xfe\xff", "utf-32-be"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))  # fmt: skip
_CONTROLS = bytes(code for code in range(32) if code not in b"\a\b\t\n\v\f\r\x1b")
_SAMPLE = 64 * 1024


class NotText(ValueError):
    """The bytes are not a text that can be read; the message names the input and says what was expected."""


def decode(data: bytes, name: str) -> str:
    """Text of ``data``: UTF-8 with bad bytes replaced, or UTF-16/32 with its mark.

    Raises :class:`NotText` for a document over :data:`MAX_BYTES` and for binary data (full of NUL bytes or control characters, without a mark).
    """
    if len(data) > MAX_BYTES:
        raise NotText(f"{name}: {len(data)} bytes: expected at most {MAX_BYTES // (1024 * 1024)} MiB")
    for mark, codec in _BOMS:
        if data.startswith(mark):
            return data[len(mark) :].decode(codec, "replace")
    data = data.removeprefix(b"\xef\xbb\xbf")
    sample = data[:_SAMPLE]
    # Device-tree strings and cut logs hold a NUL or another control character here and there; a binary file is full of
    # them, a picture or an archive too, where NULs alone are few.
    if (len(sample) - len(sample.translate(None, _CONTROLS))) * 20 > len(sample):
        if _utf16_without_mark(sample):
            return data.decode("utf-16-le", "replace")
        raise NotText(f"{name}: not a text file: expected UTF-8, or UTF-16 with its mark")
    return data.decode("utf-8", "replace")


def _utf16_without_mark(sample: bytes) -> bool:
    # What Windows tools print into a pipe: every second byte of ASCII text is NUL, never the first of a pair.
    odd, even = sample[1::2], sample[::2]
    return len(sample) >= 4 and odd.count(0) * 10 > len(odd) * 9 and even.count(0) == 0
