"""A package index on loopback with tiny stand-in wheels, and environments that take milliseconds to copy."""

from __future__ import annotations

import base64
import hashlib
import http.server
import io
import os
import shutil
import subprocess
import sys
import threading
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

TAG = f"cp{sys.version_info[0]}{sys.version_info[1]}"

# As much of torch as a check of an installation touches.
_TORCH = """
class version: cuda = hip = None
class cuda:
    is_available = staticmethod(lambda: False)
class _Tensor:
    def __matmul__(self, other): return self
    def sum(self): return self
    def item(self): return 64.0 * 64 * 64
def ones(*shape, device): return _Tensor()
"""


def wheel(
    name: str, version: str, *, tag: str = "py3-none-any", needs: tuple[str, ...] = (), unpacked: int = 0
) -> tuple[str, bytes]:
    """(file name, bytes) of a wheel whose module knows its own version."""
    module = name.replace("-", "_")
    body = f"__version__ = {version!r}\n{_TORCH if name == 'torch' else ''}".encode() + b"#" * unpacked
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n" + "".join(
        f"Requires-Dist: {n}\n" for n in needs
    )
    info = f"{module}-{version}.dist-info"
    files = {
        f"{module}/__init__.py": body,
        f"{info}/METADATA": metadata.encode(),
        f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: stand-in\nRoot-Is-Purelib: false\nTag: {tag}\n".encode(),
    }
    record = ""
    for path, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record += f"{path},sha256={digest},{len(data)}\n"
    files[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in files.items():
            archive.writestr(zipfile.ZipInfo(path), data, zipfile.ZIP_DEFLATED)
    return f"{module}-{version}-{tag}.whl", out.getvalue()


@dataclass
class Index:
    """The stand-in indexes: ``default`` plays the default package index, ``whl/VARIANT`` torch's own."""

    base: str
    folders: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    files: dict[str, bytes] = field(default_factory=dict)
    broken: set[str] = field(default_factory=set)  # files whose transfer stops half-way
    asked: list[str] = field(default_factory=list)

    @property
    def default(self) -> str:
        return f"{self.base}/default"

    @property
    def root(self) -> str:
        """What stands in for the public root of torch's indexes."""
        return f"{self.base}/whl"

    def add(self, folder: str, name: str, version: str, **how: object) -> None:
        file, data = wheel(name, version, **how)  # type: ignore[arg-type]
        self.files[file] = data
        self.folders.setdefault(folder, {}).setdefault(name, []).append(file)

    def page(self, path: str) -> bytes | None:
        """A PEP 503 page or a file, ``None`` where there is none."""
        parts = path.strip("/").split("/")
        if parts[0] == "files":
            return self.files.get(parts[1])
        folder, name = "/".join(parts[:-1]), parts[-1]
        if "/".join(parts) in self.folders:
            return "".join(f'<a href="{n}/">{n}</a>\n' for n in self.folders["/".join(parts)]).encode()
        rows = self.folders.get(folder, {}).get(name)
        if rows is None:
            return None
        links = [
            f'<a href="/files/{f.replace("+", "%2B")}#sha256={hashlib.sha256(self.files[f]).hexdigest()}">{f}</a>'
            for f in rows
        ]
        return ("<!DOCTYPE html><html><body>\n" + "<br>\n".join(links) + "\n</body></html>").encode()


def _fill(index: Index) -> None:
    """Releases 2.14.1 and 2.15.0 as published: labels on torch's own indexes, none on the default one."""
    platforms = ("manylinux_2_28_x86_64", "manylinux_2_28_aarch64", "win_amd64")
    for interpreter in dict.fromkeys(("cp311", "cp312", TAG)):
        for torch, vision, variants in (
            ("2.14.1", "0.29.1", ("cpu", "cu126", "cu132")),
            ("2.15.0", "0.29.2", ("cpu", "cu132")),
        ):
            for variant in variants:
                for platform in platforms:
                    tag = f"{interpreter}-{interpreter}-{platform}"
                    index.add(f"whl/{variant}", "torch", f"{torch}+{variant}", tag=tag, needs=("leafpad>=1",))
                    index.add(
                        f"whl/{variant}", "torchvision", f"{vision}+{variant}", tag=tag, needs=(f"torch=={torch}",)
                    )
            mac = f"{interpreter}-{interpreter}-macosx_14_0_arm64"
            index.add("whl/cpu", "torch", torch, tag=mac, needs=("leafpad>=1",))
            for platform in (*platforms, "macosx_14_0_arm64"):
                tag = f"{interpreter}-{interpreter}-{platform}"
                index.add("default", "torch", torch, tag=tag, needs=("leafpad>=1",))
                index.add("default", "torchvision", vision, tag=tag, needs=(f"torch=={torch}",))
        tag = f"{interpreter}-{interpreter}-manylinux_2_28_x86_64"
        index.add("whl/rocm7.2", "torch", "2.14.1+rocm7.2", tag=tag, needs=("leafpad>=1", "triton-rocm==3.8.0"))
    index.add("whl/rocm7.2", "triton-rocm", "3.8.0")
    index.add("default", "triton-rocm", "0.0.1")  # a stranger of the same name
    for folder in ("default", "whl/cpu", "whl/cu126", "whl/cu132", "whl/rocm7.2"):
        index.add(folder, "leafpad", "1.0")
    index.add("default", "leafpad", "1.1")
    index.add("default", "torchaudio", "2.11.1")
    index.add("default", "on-torch", "1.0", needs=("torch>=2.0", "leafpad"))
    index.add("default", "on-newest", "1.0", needs=("torch==2.15.0",))
    index.add("default", "plain", "1.0")
    index.add("default", "plain", "2.0")
    index.add("default", "bulky", "1.0", unpacked=4 << 20)


@pytest.fixture(scope="session")
def _server() -> Iterator[Index]:
    index = Index(base="")

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            path = self.path.split("?")[0].replace("%2B", "+").replace("%2b", "+")
            index.asked.append(path)
            body = index.page(path)
            if body is None:
                self.send_response(403)  # what torch's own index answers for a file that does not exist
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            self.send_response(200)
            self.send_header("Content-Type", "text/html" if not path.endswith(".whl") else "application/octet-stream")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.command == "HEAD":
                return
            if path.rsplit("/", 1)[-1] in index.broken:
                self.wfile.write(body[: len(body) // 2])
                self.close_connection = True
                return
            self.wfile.write(body)

        do_HEAD = do_GET

        def log_message(self, format: str, *args: object) -> None: ...

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    index.base = f"http://127.0.0.1:{server.server_port}"
    _fill(index)
    # No daemon thread: a command that meets one takes it for a probe that hangs, and leaves hard.
    threading.Thread(target=server.serve_forever).start()
    yield index
    server.shutdown()
    server.server_close()


@pytest.fixture
def index(_server: Index) -> Iterator[Index]:
    """The index, whole again after each test."""
    _server.asked.clear()
    yield _server
    _server.broken.clear()


@pytest.fixture
def clean_environment(index: Index, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Variables for a child: this machine's installer settings out of the way, the stand-in as default index."""
    for name in list(os.environ):
        if name.startswith(
            ("PIP_", "UV_", "POETRY_", "PDM_", "VIRTUAL_ENV", "CONDA_", "TORCHDOCTOR_", "PYTHON")
        ) or name.lower().endswith("_proxy"):
            monkeypatch.delenv(name, raising=False)
    home = tmp_path / "home"
    home.mkdir(exist_ok=True)
    for name, value in {
        "HOME": str(home),
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_INDEX_URL": index.default,
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PIP_NO_COMPILE": "1",
        "PIP_RETRIES": "0",
        "PIP_CACHE_DIR": str(home / "pip"),
        "UV_DEFAULT_INDEX": index.default,
        "UV_CACHE_DIR": str(home / "uv"),
        "UV_NO_CONFIG": "1",
        "UV_PYTHON_DOWNLOADS": "never",
        "UV_PYTHON": sys.executable,
        "UV_HTTP_RETRIES": "0",
        "NO_PROXY": "127.0.0.1",
        "no_proxy": "127.0.0.1",
    }.items():
        monkeypatch.setenv(name, value)
    return dict(os.environ)


def _linked(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


@pytest.fixture(scope="session")
def _venv(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("template") / "venv"
    import importlib.util

    found = importlib.util.find_spec("pip")
    quick = found is not None and found.origin is not None
    how = ["--without-pip"] if quick else []
    subprocess.run([sys.executable, "-m", "venv", *how, str(path)], check=True, capture_output=True)
    if quick:
        assert found is not None and found.origin is not None
        # Our own pip with its byte code: ensurepip takes seconds to unpack and compile another.
        package = Path(found.origin).parent
        site = next(path.glob("lib/python*/site-packages"))
        for part in (package, *package.parent.glob("pip-*.dist-info")):
            shutil.copytree(part, site / part.name, copy_function=_linked)
    for script in (path / "bin").glob("pip*"):
        script.unlink()  # its first line would lead every copy back to this one
    return path


@dataclass
class Environment:
    """A virtual environment with pip in it."""

    path: Path

    @property
    def python(self) -> str:
        return str(self.path / ("Scripts/python.exe" if os.name == "nt" else "bin/python"))

    @property
    def site(self) -> Path:
        return next(self.path.glob("lib/python*/site-packages"))

    def freeze(self) -> dict[str, str]:
        """What is installed, read from the folder itself: name → version, pip and setuptools left out."""
        found = {}
        for info in self.site.glob("*.dist-info"):
            name, _, version = info.name.removesuffix(".dist-info").partition("-")
            if name not in ("pip", "setuptools"):
                found[name.replace("_", "-").lower()] = version
        return found

    def files(self) -> set[str]:
        """Every file in it but caches of byte code."""
        return {
            str(p.relative_to(self.site)) for p in self.site.rglob("*") if p.is_file() and "__pycache__" not in p.parts
        }

    def run(self, *argv: str, **how: object) -> subprocess.CompletedProcess[str]:
        return subprocess.run(argv, capture_output=True, text=True, timeout=120, **how)  # type: ignore[call-overload,no-any-return]

    def unpack(self, index: Index, *wheels: str) -> None:
        """Install wheels the quick way: the first file of the index whose name begins so."""
        for start in wheels:
            name = next(f for f in index.files if f.startswith(start))
            with zipfile.ZipFile(io.BytesIO(index.files[name])) as archive:
                archive.extractall(self.site)

    def pip(self, *argv: str) -> None:
        subprocess.run([self.python, "-m", "pip", "install", "-q", *argv], check=True, capture_output=True, timeout=120)


@pytest.fixture
def environment(_venv: Path, tmp_path: Path, clean_environment: dict[str, str]) -> Environment:
    """A fresh virtual environment; hard links make it cheap."""
    path = tmp_path / "venv"
    shutil.copytree(_venv, path, symlinks=True, copy_function=_linked)
    return Environment(path)


@pytest.fixture(scope="session")
def tool() -> Callable[[str], str]:
    """The path of ``uv``, ``poetry`` or ``pdm``. CI has them; elsewhere a missing one skips the test."""

    def find(name: str) -> str:
        beside = Path(sys.executable).parent / name
        path = str(beside) if beside.exists() else shutil.which(name)
        if path is None:
            if os.environ.get("CI"):
                pytest.fail(f"{name} is not on PATH, and CI has to run it")
            pytest.skip(f"{name} is not on PATH")
        return path

    return find


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch) -> Callable[..., subprocess.CompletedProcess[str]]:
    """``call("check", "--machine", FILE, stdin=b"…", NO_COLOR="1")``: a whole command line in this process, its streams as UTF-8."""
    from torchdoctor import cli

    def leave(status: int) -> None:
        raise SystemExit(status)

    def run(*args: str, stdin: bytes = b"", **variables: str) -> subprocess.CompletedProcess[str]:
        streams = {name: io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for name in ("stdout", "stderr")}
        with monkeypatch.context() as patch:
            patch.setattr(cli, "_leave", leave)
            for name, value in variables.items():
                patch.setenv(name, value)
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8"))
            for name, stream in streams.items():
                patch.setattr(sys, name, stream)
            with pytest.raises(SystemExit) as end:
                cli.main(list(args))
        said = {}
        for name, stream in streams.items():
            stream.flush()
            said[name] = stream.buffer.getvalue().decode("utf-8")
        assert isinstance(end.value.code, int)
        return subprocess.CompletedProcess(args, end.value.code, said["stdout"], said["stderr"])

    return run
