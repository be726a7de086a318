"""What one distribution holds: its tags and variant, and for a compiled extension its libraries and their GPU code."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from torchdoctor.probes.distributions import Found, record_files, wheel_tags
from torchdoctor.probes.host import Host
from torchdoctor.probes.kernels import machine_of
from torchdoctor.probes.patterns import regex
from torchdoctor.probes.torch_folder import TorchFolder, local_variant, read_version

__all__ = ["describe"]

_EXTENSIONS = (".so", ".pyd", ".dll", ".dylib")
_BUNDLED = regex(r"(?:\.libs|\.dylibs)/|/(?:nvidia|cuda|rocm)/lib")
_LIBRARIES = 24  # named in the facts
_LOOKED = 12  # libraries of one distribution whose code is looked for
_CUDA_LIBRARY = regex(r"lib(?:cudart|cublas|cublasLt|cudnn|cusparse|cusolver|cufft|nvrtc|nccl|c10_cuda|torch_cuda)\b")
#: Their ``version.py`` keeps the local part that the default package index cuts off.
_SAY_VARIANT = ("torchvision", "torchaudio")


def describe(
    host: Host, found: Found, requires: tuple[str, ...], torch: TorchFolder | None, deadline: float | None
) -> dict[str, Any]:
    """One row of ``distributions``: what ``found`` says of itself, and for a compiled extension what its files hold."""
    tags, pure = wheel_tags(host, found)
    said = read_version(host, f"{found.folder}/{found.name}") if found.name in _SAY_VARIANT else None
    row: dict[str, Any] = {
        "name": found.name,
        "version": found.version,
        "location": found.folder,
        "requires": sorted(requires),
        "tags": tags,
        "variant": local_variant(said) or local_variant(found.version),
    }
    if found.name == "torch":
        del row["requires"]  # the matrix knows them; a report would grow by thirty lines
        if torch is not None and torch.path == f"{found.folder}/torch":
            row["machines"] = torch.machines
        return row
    if pure is not False or found.name.startswith(("nvidia-", "triton", "pytorch-triton")):
        return row
    libraries = record_files(host, found, _EXTENSIONS)
    if libraries is None:
        return row
    own = [path for path in libraries if not _BUNDLED.search(path)]
    row["libraries"] = own[:_LIBRARIES]
    row |= _code(host, found, own[:_LOOKED], deadline, complete=len(own) <= _LOOKED)
    return row


def _code(
    host: Host, found: Found, libraries: Sequence[str], deadline: float | None, *, complete: bool
) -> dict[str, Any]:
    kernels, needs, machines, known = set[str](), set[str](), set[str](), complete
    for path in libraries:
        if deadline is not None and time.monotonic() > deadline:
            known = False
            break
        full = f"{found.folder}/{path}"
        head = host.read(full, 4096).value
        if head:
            machines.update(machine_of(head) or ())
        code = host.code(full, every=True).value or {}
        needs.update(n for n in code.get("needs", ()) if _CUDA_LIBRARY.match(n))
        if "any" in code:
            kernels.update(code["any"])
        else:
            known = False
    row: dict[str, Any] = {}
    if known and kernels:
        row["kernels"] = sorted(kernels, key=lambda n: (n.partition("_")[0], len(n), n))
    if libraries and needs:
        row["needs"] = sorted(needs)
    if machines:
        row["machines"] = sorted(machines)
    return row
