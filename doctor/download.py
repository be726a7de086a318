"""``install --download DIR``: the wheels for a declared machine, fetched on this one, to install where there is no network."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Sequence

from torchdoctor.install import Failed, Request
from torchdoctor.installers.target import index_of, label, minor, pins
from torchdoctor.probes.profile import normal_machine
from torchdoctor.tags import foreign_options, platforms

__all__ = ["download", "same_markers"]

_UV_GLIBC = (17, 28, *range(31, 41))  # the glibc 2.x that `uv pip compile --python-platform` names
_SYS = {"linux": "linux", "win32": "windows", "darwin": "macos"}


def download(request: Request, folder: str) -> list[str]:
    """Fetch torch's family, then everything else with torch held; returns the names of the new files.

    Raises :class:`~torchdoctor.install.Failed` with pip's status.
    """
    if request.environment.pip is None:
        raise Failed(f"{request.environment.python} has no pip, which fetches the wheels", 2)
    before = _wheels(folder)
    os.makedirs(folder, exist_ok=True)
    wanted = pins(request.target.recommendation, label(request.target))
    url = index_of(request.target.recommendation, request.index_base)
    index = ["--index-url", url] if url is not None else []
    with tempfile.TemporaryDirectory(prefix="torchdoctor-") as scratch:
        held = os.path.join(scratch, "torch.txt")
        with open(held, "w", encoding="utf-8") as file:
            file.writelines(f"{pin}\n" for pin in wanted)
        _fetch(request, folder, scratch, wanted, index)
        if request.others or request.files:
            files = [word for name in request.files for word in ("--requirement", name)]
            _fetch(request, folder, scratch, [*request.others, *files], ["--constraint", held, "--find-links", folder])
    return sorted(_wheels(folder) - before)


def _fetch(request: Request, folder: str, scratch: str, wanted: Sequence[str], how: Sequence[str]) -> None:
    target = request.target
    line = [request.environment.python, "-I", "-m", "pip", "download", "--disable-pip-version-check", "--dest", folder]
    options = foreign_options(target.system, target.python)
    if not same_markers(request):
        # pip reads "platform_system == 'Linux'" for the machine it runs on, so the list is made by a resolver that does not.
        line += ["--no-deps", "--requirement", _resolved(request, scratch, wanted, how)]
        _run([*line, *options, *how])
        return
    _run([*line, *wanted, *options, *how])


def same_markers(request: Request) -> bool:
    """Are the target's system, processor and Python those of the interpreter that would install?"""
    here = (_SYS.get(sys.platform), normal_machine(platform.machine()), "{}.{}".format(*request.environment.version))
    target = request.target
    return here == (target.system.os, target.system.machine, minor(target.python))


def _resolved(request: Request, scratch: str, wanted: Sequence[str], how: Sequence[str]) -> str:
    if request.uv is None:
        raise Failed(
            "the declared machine differs from this one: resolving for it needs uv, which is not on the path", 2
        )
    listed, out = os.path.join(scratch, "in.txt"), os.path.join(scratch, "out.txt")
    plain = [word for word in wanted if word != "--requirement"]
    files = [plain.pop(plain.index(name)) for name in request.files if name in plain]
    with open(listed, "w", encoding="utf-8") as file:
        file.writelines(f"{word}\n" for word in plain)
    options = {"--index-url": "--default-index"}
    line = [request.uv, "pip", "compile", "--quiet", "--no-header", "--no-annotate", "--output-file", out]
    line += ["--python-platform", _uv_platform(request), "--python-version", minor(request.target.python) or ""]
    _run([*line, *(options.get(word, word) for word in how), listed, *files])
    return out


def _uv_platform(request: Request) -> str:
    system = request.target.system
    machine = {"aarch64": "aarch64", "x86_64": "x86_64"}.get(system.machine or "", system.machine or "")
    if system.os == "linux":
        tag = next(t for t in platforms(system) if t.startswith("manylinux_"))
        number = int(tag.split("_")[2])
        named = max((n for n in _UV_GLIBC if n <= number), default=None)
        if named is None:
            raise Failed(f"uv cannot resolve for glibc 2.{number}", 2)
        return f"{machine}-manylinux_2_{named}"
    return f"{machine}-apple-darwin" if system.os == "macos" else f"{machine}-pc-windows-msvc"


def _run(line: Sequence[str]) -> None:
    sys.stderr.flush()
    try:
        status = subprocess.run(line, stdout=sys.stderr.fileno(), check=False).returncode
    except OSError as error:
        raise Failed(f"{line[0]} cannot be run: {error.strerror}", 2) from None
    if status:
        raise Failed(
            f"{'uv' if 'compile' in line else 'pip'} failed with status {status}",
            status if status > 0 else 128 - status,
        )


def _wheels(folder: str) -> set[str]:
    try:
        return set(os.listdir(folder))
    except FileNotFoundError:
        return set()
