"""What is installed for the examined interpreter, without importing any of it."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Iterable, Sequence
from typing import Any

from torchdoctor.probes import settings
from torchdoctor.probes.contents import describe
from torchdoctor.probes.distributions import (
    Found,
    Scan,
    canonical,
    conda_packages,
    metadata_head,
    requirements,
    scan,
)
from torchdoctor.probes.draft import Draft
from torchdoctor.probes.host import Host
from torchdoctor.probes.interpreter import Interpreter
from torchdoctor.probes.patterns import regex
from torchdoctor.probes.torch_folder import TorchFolder, look_into, origin_of, read_version, variant_of

__all__ = ["RELEVANT", "examine", "probe"]

#: Distributions that a check may use, besides everything that requires torch.
RELEVANT = regex(
    r"(?:torch(?:$|vision|audio|codec|text|data|ao|tune|-.{1,60}$)|pytorch-.{1,60}$|triton|nvidia-|cuda-|cupy|numpy$|mkl|"
    r"intel-|onemkl|oneccl|dpcpp|impi|tcmlib|umf$|rocm|hip|amd-|flash-attn|flash-attention|flashinfer|xformers|vllm|sglang|"
    r"bitsandbytes|deepspeed|apex$|transformer-engine|tensorrt|onnxruntime|jax|tensorflow|gptqmodel|auto-gptq|autoawq|"
    r"mamba-ssm|causal-conv1d|sageattention|pyg-lib|llvmlite$|numba$|opencv-|setuptools$|pip$|uv$)"
)
#: Requirements that tell something about the torch, CUDA or NumPy a package was made for.
_TELLING = regex(
    r"(?:torch|torchvision|torchaudio|torchcodec|triton|pytorch[-_]triton[-_]?\w{0,8}|numpy|nvidia[-_][\w-]{1,60}|"
    r"cuda[-_](?:toolkit|bindings|python)|cupy[-_]cuda\w{1,8}|mkl|rocm[\w-]{0,60})(?![\w.-])"
)
_TORCH = regex(r"torch(?![\w.-])")
_SECONDS = 2.0  # for looking into compiled extensions
_HOPS = 200  # parts of a path and links in it
_FAMILY = ("torch", "torchvision", "torchaudio", "torchcodec", "triton")
_CONDA_NAMES = {"pytorch": "torch", "pytorch-gpu": "torch", "pytorch-cpu": "torch"}


def probe(host: Host, draft: Draft, deadline: float, *, interpreter: Interpreter | None = None) -> None:
    """Packages, torch and installer settings of the examined environment."""
    interpreter = interpreter or Interpreter(host)
    said = interpreter.ask(deadline).value or {}
    prefix = said.get("prefix") if isinstance(said.get("prefix"), str) else None
    folders = interpreter.folders(deadline)
    if folders.value is None:
        for path in ("packages", "torch.version"):
            draft.miss(path, folders.detail or "the examined interpreter did not say where its packages are")
    else:
        examine(host, draft, folders.value, prefix=prefix, deadline=deadline)
    settings.probe(host, draft, prefix=prefix)


def examine(
    host: Host, draft: Draft, folders: Sequence[str], *, prefix: str | None = None, deadline: float | None = None
) -> None:
    """Facts of the distributions in ``folders``, which are in import order: what comes first is what is imported."""
    scans = _once([scan(host, folder) for folder in dict.fromkeys(f.rstrip("/\\") for f in folders if f)], host)
    for unread in scans:
        for name, reason in (unread.broken or {}).items():
            draft.miss(f"packages.{name}", f"{unread.folder}: {reason}")
    conda = conda_packages(host, prefix) if prefix else None
    looked = _read_metadata(host, scans)
    torch = _torch(host, draft, scans, conda)
    closed = [s for s in scans if s.missing]
    known = any(found.name == "torch" for found, _ in looked) or torch is not None
    if closed and not known:
        # What lies in a folder that could not be read may be torch: nothing is known to be missing.
        for path in ("packages", "torch.version"):
            draft.miss(path, f"{closed[0].folder}: {closed[0].missing}")
    else:
        _packages(draft, looked, conda, torch)
    # Extensions can be gigabytes: what is not opened in time stays unknown.
    until = min(deadline or math.inf, time.monotonic() + _SECONDS)
    rows = [describe(host, found, told, torch, until) for found, told in looked if _tied_to_torch(found, told)]
    rows += _without_metadata(host, scans, looked)
    rows += _conda_rows(host, conda)
    if rows or not closed:
        draft.put("distributions", rows, "metadata of the examined environment")


def _once(scans: list[Scan], host: Host) -> list[Scan]:
    """Without folders that are another's by a link: a venv on Fedora has ``lib64`` → ``lib``, and both on its path."""
    kept: list[Scan] = []
    for place in scans:
        same = [k for k in kept if place.names and k.names == place.names]
        if not same or all(_resolved(host, k.folder) != _resolved(host, place.folder) for k in same):
            kept.append(place)
    return kept


def _resolved(host: Host, path: str) -> str:
    """``path`` with every symbolic link followed, as far as the host tells."""
    parts, done = path.replace("\\", "/").split("/"), ""
    for _ in range(_HOPS):
        if not parts:
            break
        part = parts.pop(0)
        if part in ("", "."):
            continue
        if part == "..":
            done = done.rpartition("/")[0]
            continue
        target = host.link(f"{done}/{part}").value
        if target is None:
            done = f"{done}/{part}"
            continue
        done = "" if target.startswith("/") else done
        parts = [*target.split("/"), *parts]
    return "/".join([done, *parts])


def _read_metadata(host: Host, scans: Iterable[Scan]) -> list[tuple[Found, tuple[str, ...]]]:
    """The distributions a check may use, each with its telling requirements; all others are dropped."""
    kept = []
    for found in (f for s in scans for f in s.found):
        relevant, head = RELEVANT.match(found.name), metadata_head(host, found)
        if not relevant and b"torch" not in head:
            continue
        told = tuple(r for r in requirements(head) if _TELLING.match(r))
        if relevant or any(_TORCH.match(r) for r in told):
            kept.append((found, told))
    return kept


def _packages(
    draft: Draft,
    looked: Iterable[tuple[Found, tuple[str, ...]]],
    conda: dict[str, tuple[str, str, str]] | None,
    torch: TorchFolder | None,
) -> None:
    draft.mapping("packages", "metadata of the examined environment")
    for found, _ in looked:
        if found.version is not None:
            draft.put(f"packages.{found.name}", found.version, found.metadata)
    for name, (version, _, file) in sorted((conda or {}).items()):
        name = _CONDA_NAMES.get(name, canonical(name))
        if RELEVANT.match(name) or name in ("pytorch-cuda", "cudatoolkit", "llvm-openmp", "cudnn"):
            draft.put(f"packages.{name}", version, file)
    if torch is not None and torch.version and draft.value("packages.torch") is None:
        draft.put("packages.torch", torch.version, f"{torch.path}/version.py")


def _torch(
    host: Host, draft: Draft, scans: Sequence[Scan], conda: dict[str, tuple[str, str, str]] | None
) -> TorchFolder | None:
    """The torch that an import would take: the first folder that has one."""
    for place in scans:
        if "torch" not in place.names:
            continue
        torch = look_into(host, f"{place.folder}/torch")
        if torch is None:
            continue
        source = f"{torch.path}/version.py"
        draft.put("torch.version", torch.version, source)
        draft.put("torch.variant", variant_of(torch, host.system), source)
        draft.put("torch.cuda", torch.cuda, source)
        draft.put("torch.hip", torch.hip, source)
        draft.put("torch.debug", torch.debug, source)
        draft.put("torch.path", torch.path, source)
        draft.put("torch.kernels", torch.kernels, torch.kernels_from or source)
        if torch.kernels is None and torch.kernels_from is not None:
            draft.miss("torch.kernels", f"{torch.kernels_from}: its GPU code could not be listed")
        draft.put("torch.origin", _origin(host, place, torch, conda), source)
        return torch
    return None


def _origin(host: Host, place: Scan, torch: TorchFolder, conda: dict[str, tuple[str, str, str]] | None) -> str | None:
    mine = [f for f in place.found if f.name == "torch"]
    for found in mine:
        direct = host.read(f"{found.metadata}/direct_url.json", 4096).value or b""
        if re.search(rb'"editable"\s{0,4}:\s{0,4}true', direct) or found.metadata.endswith("/torch.egg-info"):
            return "editable"
    named = origin_of(torch.version)
    if named in ("vendor", "nightly", "source"):
        return named
    if conda and {"pytorch", "libtorch", "pytorch-gpu", "pytorch-cpu"} & conda.keys():
        by_pip = any(host.read(f"{f.metadata}/WHEEL", 64).ok and _installer(host, f) != "conda" for f in mine)
        if not by_pip:
            return "conda"
    return named if mine else None


def _installer(host: Host, found: Found) -> str:
    return (host.read(f"{found.metadata}/INSTALLER", 64).value or b"").decode("ascii", "replace").strip()


def _tied_to_torch(found: Found, requires: tuple[str, ...]) -> bool:
    return found.name in _FAMILY or any(not r.startswith("numpy") for r in requires) or "torch" in found.name


def _without_metadata(
    host: Host, scans: Sequence[Scan], looked: Iterable[tuple[Found, tuple[str, ...]]]
) -> list[dict[str, Any]]:
    """A torch folder that no metadata speaks of is an installation all the same."""
    spoken_of = {found.folder for found, _ in looked if found.name == "torch"}
    rows = []
    for place in scans:
        if "torch" in place.names and place.folder not in spoken_of:
            version = read_version(host, f"{place.folder}/torch")
            if version:
                rows.append({"name": "torch", "version": version, "location": place.folder})
    return rows


def _conda_rows(host: Host, conda: dict[str, tuple[str, str, str]] | None) -> list[dict[str, Any]]:
    rows = []
    for name in ("pytorch", "pytorch-gpu", "libtorch", "torchvision", "torchaudio", "mkl"):
        if conda and name in conda:
            version, build, file = conda[name]
            text = (host.read(file, 32 << 10).value or b"").decode("utf-8", "replace")
            match = re.search(r'"(?:channel|schannel)"\s{0,4}:\s{0,4}"([^"]{1,300})"', text)
            channel = match[1].removesuffix("/noarch").rstrip("/") if match else None
            if channel:
                channel = re.sub(r"/(?:linux|osx|win)-[\w]{1,12}\Z", "", channel).rpartition("/")[2]
            rows.append({"name": name, "version": version, "build": build, "channel": channel})
    return rows
