"""Which GPU architectures a shared library really holds code for, read from its headers without loading it.

CUDA: the ELF section ``.nv_fatbin`` (PE: ``.nv_fatb``) is a row of containers. A container header is 16 bytes, little
endian: magic (4), version (2), header size (2), size of what follows (8). Inside are entries: kind (2; 1 = PTX,
2 = machine code), version (2), header size (4), payload size (8), the architecture as a number at byte 28, flags at
byte 40, of which bit 20 marks code for that very chip only (``sm_90a``). Between containers there may be zeros.

HIP: the section ``.hip_fatbin`` is a row of offload bundles with the targets as text; compressed bundles hide them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import field
from struct import error as StructError
from struct import unpack_from
from typing import Protocol

from torchdoctor.probes.frozen import dataclass

__all__ = ["Code", "describe", "machine_of", "needed", "read_code"]

_CONTAINER = 0xBA55ED50
_PTX, _MACHINE_CODE = 1, 2
_CHIP_ONLY = 1 << 20
_BUNDLE, _COMPRESSED = b"__CLANG_OFFLOAD_BUNDLE__", b"CCOB"
_SAMPLE = 40  # containers looked into: each costs a handful of page reads, and a large library has five hundred
_MOST = 100_000  # entries of one container, sections of one file: more is no library but a trap
_ELF_MACHINES = {3: "i686", 21: "ppc64le", 22: "s390x", 40: "armv7l", 62: "x86_64", 183: "aarch64", 243: "riscv64"}
_PE_MACHINES = {0x14C: "i686", 0x8664: "x86_64", 0xAA64: "aarch64", 0x1C4: "armv7l"}
_MACH_MACHINES = {0x01000007: "x86_64", 0x0100000C: "aarch64", 7: "i686"}


class Data(Protocol):
    """Bytes that are addressed, not read: a memory map, ``bytes`` or a ``memoryview``."""

    def __len__(self) -> int: ...
    def __getitem__(self, key: slice, /) -> bytes: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    """What was counted. ``looked`` containers of ``containers`` were looked into; ``names`` counts those that hold an
    architecture: ``sm_80``, ``sm_90a``, ``compute_120`` (PTX), ``gfx1100``.
    """

    containers: int = 0
    looked: int = 0
    names: Counter[str] = field(default_factory=Counter)

    @property
    def built_for(self) -> tuple[str, ...]:
        """The architectures the whole library was built for. One seen in a few containers only belongs to special
        kernels and does not make a GPU supported.
        """
        return tuple(n for n in _ordered(self.names) if self.names[n] * 2 > self.looked)

    @property
    def any(self) -> tuple[str, ...]:
        """Every architecture that occurs at all: what is not in it cannot run anything of this library."""
        return tuple(_ordered(self.names))


def read_code(data: Data, *, sample: int | None = _SAMPLE) -> Code | None:
    """The GPU code of a library; ``None`` where it cannot be told (compressed bundles, another kind of file, cut short).

    A library without GPU code gives a :class:`Code` of no containers. ``sample`` bounds how many containers are looked
    into, evenly spread; ``None`` looks into all.
    """
    try:
        sections = dict(_sections(data))
        if ".nv_fatbin" in sections or ".nv_fatb" in sections:
            start, size = sections.get(".nv_fatbin") or sections[".nv_fatb"]
            return _cuda(data, start, min(start + size, len(data)), sample)
        if ".hip_fatbin" in sections or ".hip_fat" in sections:
            start, size = sections.get(".hip_fatbin") or sections[".hip_fat"]
            return _hip(data, start, min(start + size, len(data)))
        return Code() if sections else None
    except (StructError, ValueError, IndexError):
        return None


def describe(data: Data, *, every: bool = False) -> dict[str, tuple[str, ...]]:
    """What :meth:`torchdoctor.probes.host.Host.code` answers; what cannot be told is left out."""
    found: dict[str, tuple[str, ...]] = {}
    code = read_code(data, sample=None if every else _SAMPLE)
    if code is not None:
        found["built_for"] = code.built_for
        if code.looked == code.containers:
            found["any"] = code.any
    needs = needed(data)
    if needs is not None:
        found["needs"] = needs
    return found


def needed(data: Data) -> tuple[str, ...] | None:
    """The libraries an ELF file asks the loader for (``libcudart.so.12``); ``None`` where that cannot be told."""
    try:
        sections = dict(_sections(data))
        if ".dynamic" not in sections or ".dynstr" not in sections:
            return None
        (start, size), (strings, _) = sections[".dynamic"], sections[".dynstr"]
        rows = bytes(data[start : start + min(size, 1 << 16)])
        found = []
        for at in range(0, len(rows) - 15, 16):
            tag, value = unpack_from("<QQ", rows, at)
            if tag == 0:
                break
            if tag == 1:
                name = bytes(data[strings + value : strings + value + 128])
                found.append(name[: name.find(b"\0")].decode("ascii", "replace"))
        return tuple(found)
    except (StructError, ValueError, IndexError):
        return None


def machine_of(head: bytes) -> tuple[str, ...] | None:
    """The machines a binary was built for, from its first kilobytes: one, or several for a universal Mach-O file;
    ``None`` where it is no binary of a known kind.
    """
    try:
        if head[:4] == b"\x7fELF":
            number = unpack_from("<H" if head[5] == 1 else ">H", head, 18)[0]
            return (_ELF_MACHINES[number],) if number in _ELF_MACHINES else None
        if head[:2] == b"MZ":
            at = unpack_from("<I", head, 0x3C)[0]
            number = unpack_from("<H", head, at + 4)[0]
            return (_PE_MACHINES[number],) if head[at : at + 4] == b"PE\0\0" and number in _PE_MACHINES else None
        if head[:4] in (b"\xcf\xfa\xed\xfe", b"\xce\xfa\xed\xfe"):
            number = unpack_from("<I", head, 4)[0]
            return (_MACH_MACHINES[number],) if number in _MACH_MACHINES else None
        if head[:4] == b"\xca\xfe\xba\xbe":
            count = unpack_from(">I", head, 4)[0]
            if count > 8:  # a Java class file has the same magic and a version here
                return None
            found = [_MACH_MACHINES.get(unpack_from(">I", head, 8 + 20 * i)[0]) for i in range(count)]
            return tuple(m for m in found if m) or None
    except (StructError, IndexError):
        pass
    return None


def _sections(data: Data) -> Iterator[tuple[str, tuple[int, int]]]:
    """(name, (offset in the file, size)) of an ELF64 or PE file."""
    head = bytes(data[0:4096])
    if head[:5] == b"\x7fELF\x02" and head[5] == 1:
        table = unpack_from("<Q", head, 40)[0]
        step, count, names_at = unpack_from("<HHH", head, 58)
        if step < 64:
            return
        rows = bytes(data[table : table + step * count])
        offset, size = unpack_from("<QQ", rows, step * names_at + 24)
        names = bytes(data[offset : offset + min(size, 1 << 20)])
        for i in range(count):
            name, kind = unpack_from("<II", rows, step * i)
            where, size = unpack_from("<QQ", rows, step * i + 24)
            if kind != 8:  # NOBITS: nothing of it is in the file
                yield names[name : names.find(b"\0", name)].decode("ascii", "replace"), (where, size)
    elif head[:2] == b"MZ":
        at = unpack_from("<I", head, 0x3C)[0]
        count, optional = unpack_from("<H", head, at + 6)[0], unpack_from("<H", head, at + 20)[0]
        first = at + 24 + optional
        for i in range(min(count, 96)):
            row = first + 40 * i
            size, where = unpack_from("<II", head, row + 16)
            yield head[row : row + 8].rstrip(b"\0").decode("ascii", "replace"), (where, size)


def _cuda(data: Data, start: int, end: int, sample: int | None) -> Code:
    places: list[tuple[int, int]] = []
    at = start
    while at + 16 <= end:
        magic, _, header, size = unpack_from("<IHHQ", data[at : at + 16])
        if magic == _CONTAINER:
            places.append((at + header, min(at + header + size, end)))
            at += header + size
            at += -at % 8
        elif magic == 0:
            at += 8
        else:
            raise ValueError("not a row of fat binaries")
    step = 1 if sample is None else max(1, len(places) // sample)
    looked = places[::step]
    names: Counter[str] = Counter()
    for begin, stop in looked:
        names.update(set(_entries(data, begin, stop)))
    return Code(containers=len(places), looked=len(looked), names=names)


def _entries(data: Data, at: int, end: int) -> Iterator[str]:
    for _ in range(_MOST):
        if at + 48 > end:
            return
        row = data[at : at + 48]
        kind, _, header, size = unpack_from("<HHIQ", row)
        arch, flags = unpack_from("<I", row, 28)[0], unpack_from("<I", row, 40)[0]
        special = "a" if flags & _CHIP_ONLY else ""
        if kind == _MACHINE_CODE:
            yield f"sm_{arch}{special}"
        elif kind == _PTX:
            yield f"compute_{arch}{special}"
        if header == 0:
            raise ValueError("an entry without a header")
        at += header + size


def _hip(data: Data, start: int, end: int) -> Code | None:
    names: Counter[str] = Counter()
    bundles, at = 0, start
    while at + 32 <= end and bundles < _SAMPLE:
        head = bytes(data[at : at + 32])
        if head.startswith(_COMPRESSED):
            return None
        if not head.startswith(_BUNDLE):
            if any(head):
                return None
            at += 4096 - at % 4096 if at % 4096 else 4096
            continue
        row, last, found = at + 32, at + 32, set()
        for _ in range(min(unpack_from("<Q", head, 24)[0], 512)):
            offset, size, length = unpack_from("<QQQ", data[row : row + 24])
            target = bytes(data[row + 24 : row + 24 + min(length, 256)]).decode("ascii", "replace")
            if "amdgcn" in target:
                found.add(target.rpartition("--")[2].partition(":")[0])
            row, last = row + 24 + length, max(last, at + offset + size)
        names.update(n for n in found if n.startswith("gfx"))
        bundles += 1
        at = last + (-last % 4096)
    return Code(containers=bundles, looked=bundles, names=names) if bundles else None


def _ordered(names: Counter[str]) -> list[str]:
    def key(name: str) -> tuple[str, int, str]:
        prefix, _, rest = name.rpartition("_")
        digits = "".join(c for c in rest if c.isdecimal())
        return (prefix, int(digits) if prefix and digits else 0, rest)

    return sorted(names, key=key)
