"""Environments made of small stand-in distributions: metadata, and libraries with generated headers."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

Entry = tuple[str, ...]


def fat_binary(containers: Sequence[Iterable[str]], padding: int = 0) -> bytes:
    """A ``.nv_fatbin`` section: one container per item, each with entries such as ``sm_80``, ``sm_90a``, ``compute_90``."""
    out = b""
    for names in containers:
        body = b""
        for name in names:
            prefix, _, arch = name.partition("_")
            number, special = int(arch.rstrip("a")), arch.endswith("a")
            head = bytearray(64)
            struct.pack_into("<HHIQ", head, 0, 2 if prefix == "sm" else 1, 257, 64, 16)
            struct.pack_into("<I", head, 28, number)
            struct.pack_into("<I", head, 40, (1 << 20) if special else 0x11)
            body += bytes(head) + b"\x7fcode-goes-here!"
        out += struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(body)) + body + b"\0" * padding
    return out


def hip_bundle(targets: Iterable[str], code: int = 64) -> bytes:
    """A ``.hip_fatbin`` section with one uncompressed offload bundle."""
    rows, offset = b"", 4096
    names = [f"hipv4-amdgcn-amd-amdhsa--{t}".encode() for t in targets]
    for name in names:
        rows += struct.pack("<QQQ", offset, code, len(name)) + name
        offset += code
    return (
        b"__CLANG_OFFLOAD_BUNDLE__"
        + struct.pack("<Q", len(names))
        + rows.ljust(4096 - 32, b"\0")
        + b"\x7f" * code * len(names)
    )


def elf(sections: Mapping[str, bytes] = {}, needs: Sequence[str] = (), machine: int = 62) -> bytes:
    """An ELF64 file with these sections; ``needs`` become entries of its dynamic section. 62 is x86-64, 183 AArch64."""
    body = dict(sections)
    if needs:
        strings, rows = b"\0", b""
        for name in needs:
            rows += struct.pack("<QQ", 1, len(strings))
            strings += name.encode() + b"\0"
        body[".dynamic"], body[".dynstr"] = rows + struct.pack("<QQ", 0, 0), strings
    names = b"\0"
    offsets, data, at = {}, b"", 64
    for name, content in body.items():
        offsets[name] = (len(names), at, len(content))
        names += name.encode() + b"\0"
        data += content
        at += len(content)
    own = len(names)
    names += b".shstrtab\0"
    data += names
    table = bytes(64)
    for where, start, size in offsets.values():
        table += struct.pack("<IIQQQQIIQQ", where, 1, 0, 0, start, size, 0, 0, 8, 0)
    table += struct.pack("<IIQQQQIIQQ", own, 3, 0, 0, at, len(names), 0, 0, 1, 0)
    count = len(offsets) + 2
    head = (
        b"\x7fELF\x02\x01\x01"
        + bytes(9)
        + struct.pack("<HHIQQQIHHHHHH", 3, machine, 1, 0, 0, 64 + len(data), 0, 64, 0, 0, 64, count, count - 1)
    )
    return head + data + table


@dataclass
class Site:
    """A folder of installed distributions."""

    root: Path
    written: list[str] = field(default_factory=list)

    def add(
        self,
        name: str,
        version: str,
        *,
        requires: Sequence[str] = (),
        tag: str = "py3-none-any",
        files: Mapping[str, bytes | str] = {},
        installer: str = "pip",
    ) -> Path:
        """Install a distribution; anything but a pure tag makes it a binary one."""
        escaped = name.replace("-", "_")
        info = self.root / f"{escaped}-{version}.dist-info"
        info.mkdir(parents=True)
        lines = [
            "Metadata-Version: 2.1",
            f"Name: {name}",
            f"Version: {version}",
            *(f"Requires-Dist: {r}" for r in requires),
        ]
        (info / "METADATA").write_text("\n".join(lines) + "\n\nA description.\n", encoding="utf-8")
        pure = "true" if tag == "py3-none-any" else "false"
        (info / "WHEEL").write_text(f"Wheel-Version: 1.0\nRoot-Is-Purelib: {pure}\nTag: {tag}\n")
        (info / "INSTALLER").write_text(installer + "\n")
        for path, content in files.items():
            full = self.root / path
            full.parent.mkdir(parents=True, exist_ok=True)
            full.write_bytes(content if isinstance(content, bytes) else content.encode())
        record = [f"{path},sha256=x,{(self.root / path).stat().st_size}" for path in files]
        (info / "RECORD").write_text("\n".join([*record, f"{info.name}/METADATA,,"]) + "\n")
        return info

    def torch(
        self,
        version: str = "2.5.1+cu124",
        *,
        metadata: str | None = None,
        cuda: str | None = None,
        hip: str | None = None,
        kernels: Sequence[Iterable[str]] | None = None,
        targets: Iterable[str] | None = None,
        tag: str = "cp312-cp312-linux_x86_64",
        machine: int = 62,
        requires: Sequence[str] = (),
        installer: str = "pip",
        dist: bool = True,
    ) -> Path:
        """Install a stand-in for torch. ``kernels`` are the containers of its CUDA library, ``targets`` those of HIP."""
        if cuda is None and "+cu" in version:
            digits = version.partition("+cu")[2]
            cuda = f"{digits[:-1]}.{digits[-1]}"
        files: dict[str, bytes | str] = {
            "torch/__init__.py": "",
            "torch/version.py": f"__version__ = '{version}'\ndebug = False\ncuda: Optional[str] = {cuda!r}\n"
            f"git_version = 'abc'\nhip: Optional[str] = {hip!r}\n",
            "torch/lib/libc10.so": elf(machine=machine),
        }
        if kernels is not None:
            files["torch/lib/libtorch_cuda.so"] = elf({".nv_fatbin": fat_binary(kernels)}, machine=machine)
        if targets is not None:
            sections = {".pad": b"\0" * (4096 - 64), ".hip_fatbin": hip_bundle(targets)}
            files["torch/lib/libtorch_hip.so"] = elf(sections, machine=machine)
        if dist:
            return self.add(
                "torch",
                metadata or version.partition("+")[0],
                requires=requires,
                tag=tag,
                files=files,
                installer=installer,
            )
        for path, content in files.items():
            (self.root / path).parent.mkdir(parents=True, exist_ok=True)
            (self.root / path).write_bytes(content if isinstance(content, bytes) else content.encode())
        return self.root / "torch"


@pytest.fixture
def site(tmp_path: Path) -> Callable[..., Site]:
    """``site("name")`` makes an empty folder of packages."""

    def make(name: str = "site-packages") -> Site:
        root = tmp_path / name
        root.mkdir()
        return Site(root)

    return make


@pytest.fixture
def binaries() -> dict[str, Callable[..., Any]]:
    """The generators: ``elf``, ``fat_binary``, ``hip_bundle``."""
    return {"elf": elf, "fat_binary": fat_binary, "hip_bundle": hip_bundle}
