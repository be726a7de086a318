"""CUDA toolkit, ROCm, oneAPI, the Level Zero loader and C++ compilers installed on the system; nothing is run for them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

from torchdoctor.probes.draft import Draft
from torchdoctor.probes.host import Host

__all__ = [
    "parse_cuda_header", "parse_cuda_json", "parse_cuda_text", "parse_rocm_header", "parse_rocm_version", "probe",
]  # fmt: skip

_LIBRARIES = ("/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib", "/usr/local/lib")
_NVCC = r"\brelease (\d{1,3}\.\d{1,3}), V\d"


def probe(host: Host, draft: Draft, deadline: float) -> None:
    """Facts of ``runtimes`` but ``metal``, and ``tools``: known to be none where every usual place was looked at."""
    compilers = host.value("compilers").value
    if isinstance(compilers, list):
        draft.put("tools.compilers", tuple(c for c in compilers if isinstance(c, str)), "the path")
    if host.system == "macos":
        return
    variables = host.environ().value
    _cuda(host, draft, variables or {})
    _rocm(host, draft, variables or {})
    _oneapi(host, draft, variables or {})
    if host.system == "linux":
        _level_zero(host, draft)
        if variables is not None:
            _none(host, draft)


def _cuda(host: Host, draft: Draft, variables: Mapping[str, str]) -> None:
    for folder in _cuda_folders(host, variables):
        for name, parse in (
            ("version.json", parse_cuda_json),
            ("version.txt", parse_cuda_text),
            ("include/cuda.h", parse_cuda_header),
        ):
            path = f"{folder}/{name}"
            text = _text(host, path)
            version = parse(text) if text else None
            if version:
                draft.put("runtimes.cuda", version, path)
                return
    for argv, completed in host.commands():
        if argv[0] == "nvcc" and (match := re.search(_NVCC, completed.stdout.decode("utf-8", "replace"))):
            draft.put("runtimes.cuda", match[1], "nvcc --version")


def _cuda_folders(host: Host, variables: Mapping[str, str]) -> Iterator[str]:
    for name in ("CUDA_HOME", "CUDA_PATH", "CUDA_ROOT"):
        if variables.get(name):
            yield variables[name].rstrip("/\\")
    if host.system == "windows":
        base = "C:\\Program Files\\NVIDIA GPU Computing Toolkit\\CUDA"
        versions = [n for n in host.listing(base).value or () if re.fullmatch(r"v\d{1,3}\.\d{1,3}", n)]
        yield from (f"{base}\\{n}" for n in sorted(versions, key=_numbers, reverse=True))
        return
    yield "/usr/local/cuda"
    names = [n for n in host.listing("/usr/local").value or () if re.fullmatch(r"cuda-\d{1,3}(?:\.\d{1,3})?", n)]
    yield from (f"/usr/local/{n}" for n in sorted(names, key=_numbers, reverse=True))
    yield from ("/opt/cuda", "/usr/lib/cuda", "/usr")


def parse_cuda_json(text: str) -> str | None:
    """``version.json`` of toolkits since 11.1 → ``12.4``."""
    try:
        data = json.loads(text)
        version = data["cuda"]["version"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return _two(version) if isinstance(version, str) else None


def parse_cuda_text(text: str) -> str | None:
    """``version.txt`` of older toolkits: ``CUDA Version 10.2.89``."""
    match = re.search(r"CUDA Version (\d{1,3}\.\d{1,3})", text)
    return match[1] if match else None


def parse_cuda_header(text: str) -> str | None:
    """``#define CUDA_VERSION 12040`` → ``12.4``."""
    match = re.search(r"^#define CUDA_VERSION[ \t]{1,8}(\d{4,6})\b", text, re.M)
    return f"{int(match[1]) // 1000}.{int(match[1]) % 1000 // 10}" if match else None


def _rocm(host: Host, draft: Draft, variables: Mapping[str, str]) -> None:
    folders = [variables[name].rstrip("/\\") for name in ("ROCM_PATH", "ROCM_HOME", "HIP_PATH") if variables.get(name)]
    if host.system == "windows":
        for folder in folders:
            if match := re.search(r"[\\/]ROCm[\\/](\d{1,3}\.\d{1,3})(?:\\|/|$)", folder):
                draft.put("runtimes.rocm", match[1], "HIP_PATH")
        return
    names = [n for n in host.listing("/opt").value or () if re.fullmatch(r"rocm-\d{1,3}(?:\.\d{1,3}){1,2}", n)]
    folders += ["/opt/rocm", *(f"/opt/{n}" for n in sorted(names, key=_numbers, reverse=True)), "/usr"]
    for folder in folders:
        files = (
            (f"{folder}/.info/version", parse_rocm_version),
            (f"{folder}/.info/version-dev", parse_rocm_version),
            (f"{folder}/include/rocm-core/rocm_version.h", parse_rocm_header),
        )
        for path, parse in files[2:] if folder == "/usr" else files:
            text = _text(host, path)
            version = parse(text) if text else None
            if version:
                draft.put("runtimes.rocm", version, path)
                return


def parse_rocm_version(text: str) -> str | None:
    """``7.2.0-43`` → ``7.2.0``."""
    match = re.match(r"\s{0,8}(\d{1,3}\.\d{1,3}(?:\.\d{1,3})?)(?![\d.])", text)
    return match[1] if match else None


def parse_rocm_header(text: str) -> str | None:
    """The three numbers of ``rocm_version.h``."""
    parts = [
        re.search(rf"^#define ROCM_VERSION_{name}[ \t]{{1,8}}(\d{{1,3}})\b", text, re.M)
        for name in ("MAJOR", "MINOR", "PATCH")
    ]
    return ".".join(part[1] for part in parts if part) if all(parts) else None


def _oneapi(host: Host, draft: Draft, variables: Mapping[str, str]) -> None:
    windows = host.system == "windows"
    root = variables.get("ONEAPI_ROOT", "").rstrip("/\\") or (
        "C:\\Program Files (x86)\\Intel\\oneAPI" if windows else "/opt/intel/oneapi"
    )
    folder = f"{root}\\compiler" if windows else f"{root}/compiler"
    names = [n for n in host.listing(folder).value or () if re.fullmatch(r"20\d\d(?:\.\d{1,3}){1,2}", n)]
    if names:
        draft.put("runtimes.oneapi", max(names, key=_numbers), folder)


def _level_zero(host: Host, draft: Draft) -> None:
    for folder in _LIBRARIES:
        names = [n for n in host.listing(folder).value or () if n.startswith("libze_loader.so.")]
        versions = [
            match[1] for n in names if (match := re.fullmatch(r"libze_loader\.so\.(\d{1,3}(?:\.\d{1,3}){2})", n))
        ]
        if versions:
            draft.put("runtimes.level_zero", max(versions, key=_numbers), folder)
            return


def _none(host: Host, draft: Draft) -> None:
    missing = {
        "cuda": _empty(host, "/usr/local", "cuda")
        and _absent(host, "/opt/cuda", "/usr/lib/cuda", "/usr/include/cuda.h"),
        "rocm": _empty(host, "/opt", "rocm") and _absent(host, "/usr/include/rocm-core"),
        "oneapi": _absent(host, "/opt/intel/oneapi"),
    }
    for name, none in missing.items():
        if none and draft.value(f"runtimes.{name}") is None:
            draft.put(f"runtimes.{name}", "", "the usual folders")


def _empty(host: Host, folder: str, start: str) -> bool:
    listing = host.listing(folder)
    return listing.absent or (listing.ok and not any(n.startswith(start) for n in listing.value or ()))


def _absent(host: Host, *paths: str) -> bool:
    return all(host.stat(path).absent for path in paths)


def _text(host: Host, path: str) -> str | None:
    raw = host.read(path.replace("/", "\\") if "\\" in path else path, 1 << 18).value
    return None if raw is None else raw.decode("utf-8", "replace")


def _two(version: str) -> str | None:
    match = re.match(r"(\d{1,3}\.\d{1,3})(?:\.|$)", version)
    return match[1] if match else None


def _numbers(name: str) -> tuple[int, ...]:
    return tuple(int(n) for n in re.findall(r"\d{1,6}", name))
