"""One installed torch, looked at from outside: its version file, the code in its libraries, where it came from."""

from __future__ import annotations

import re

from torchdoctor.probes.frozen import dataclass
from torchdoctor.probes.host import Host
from torchdoctor.probes.kernels import machine_of
from torchdoctor.probes.patterns import regex

__all__ = ["TorchFolder", "local_variant", "look_into", "origin_of", "read_version", "variant_of"]

_ASSIGNED = regex(r"^(__version__|cuda|hip|rocm|xpu|debug)\s{0,4}(?::[^=\n]{0,60})?=\s{0,4}([^\n#]{0,200})", re.M)
_VARIANT = regex(r"(?:cu[0-9]{2,3}|rocm[0-9]{1,2}(?:\.[0-9]{1,2}){1,2}|cpu|xpu)\Z")
_PLAIN = regex(r"[0-9]{1,3}(?:\.[0-9]{1,3}){1,3}(?:\.post[0-9]{1,3})?\Z")
_MAIN = regex(r"(?:lib)?torch_(cuda(?:_cu|_cpp)?|hip)\.(?:so|dll)\Z")
_ANY_LIBRARY = ("libc10.so", "libtorch_global_deps.so", "libc10.dylib", "libtorch_global_deps.dylib", "c10.dll")


@dataclass(frozen=True, slots=True, kw_only=True)
class TorchFolder:
    """``version`` is that of ``torch/version.py`` with its local part; ``kernels`` ``None`` = could not be told, an empty
    tuple = its libraries hold no GPU code.
    """

    path: str
    version: str | None = None
    cuda: str | None = None
    hip: str | None = None
    xpu: str | None = None
    debug: bool | None = None
    kernels: tuple[str, ...] | None = None
    kernels_from: str | None = None
    machines: tuple[str, ...] | None = None


def look_into(host: Host, path: str) -> TorchFolder | None:
    """The torch in the folder ``path``; ``None`` where that holds no torch."""
    said = _said(host, path)
    if said is None:
        return None
    names = host.listing(f"{path}/lib").value or ()
    kernels: set[str] = set()
    libraries = [n for n in names if _MAIN.match(n)]
    known = bool(libraries)
    for name in libraries:
        code = host.code(f"{path}/lib/{name}").value
        if code is None or "built_for" not in code:
            known = False
        else:
            kernels.update(code["built_for"])
    return TorchFolder(
        path=path,
        version=said.get("__version__"),
        cuda=said.get("cuda"),
        hip=said.get("hip") or said.get("rocm"),
        xpu=said.get("xpu"),
        debug={"True": True, "False": False}.get(said.get("debug") or ""),
        kernels=tuple(sorted(kernels, key=_number)) if known and kernels else None,
        kernels_from=f"{path}/lib/{libraries[0]}" if libraries else None,
        machines=_machines(host, path, names),
    )


def read_version(host: Host, path: str) -> str | None:
    """The version in ``torch/version.py``; ``None`` where there is no such file or it names none."""
    return (_said(host, path) or {}).get("__version__")


def variant_of(torch: TorchFolder, os: str | None) -> str | None:
    """``cpu``, ``cu132``, ``rocm6.4`` … of a build; ``None`` where its files do not say (macOS wheels name none)."""
    local = local_variant(torch.version)
    if local is not None:
        return local
    if torch.cuda and (m := re.match(r"([0-9]{1,2})\.([0-9]{1,2})", torch.cuda)):
        return f"cu{m[1]}{m[2]}"
    if torch.hip and (m := re.match(r"[0-9]{1,2}\.[0-9]{1,2}", torch.hip)):
        return f"rocm{m[0]}"
    if torch.xpu:
        return "xpu"
    # An XPU build older than the xpu line says so in its local part only, so no accelerator named means CPU.
    return "cpu" if torch.version and os in ("linux", "windows") else None


def local_variant(version: str | None) -> str | None:
    """``2.5.1+cu124`` → ``cu124``; ``None`` where the local part is no variant."""
    local = (version or "").partition("+")[2]
    return local if _VARIANT.match(local) else None


def origin_of(version: str | None) -> str | None:
    """``wheel``, ``nightly``, ``vendor`` or ``source`` as far as the version tells."""
    if not version:
        return None
    public, _, local = version.partition("+")
    if re.search(r"(?:^|\.)nv[0-9]{2}", local):
        return "vendor"
    if ".dev" in public:
        return "nightly"
    if "a0" in public or local.startswith("git") or re.match(r"[0-9a-f]{7,40}\Z", local):
        return "source"
    if _PLAIN.match(public) and (not local or _VARIANT.match(local)):
        return "wheel"
    return None


def _said(host: Host, path: str) -> dict[str, str | None] | None:
    answer = host.read(f"{path}/version.py", 8192)
    if answer.value is None:
        return None
    return {m[1]: _literal(m[2]) for m in _ASSIGNED.finditer(answer.value.decode("utf-8", "replace"))}


def _literal(text: str) -> str | None:
    text = text.strip().rstrip(",")
    if text in ("None", ""):
        return None
    return text.strip("'\"")


def _machines(host: Host, path: str, names: tuple[str, ...]) -> tuple[str, ...] | None:
    for name in _ANY_LIBRARY:
        if name in names:
            head = host.read(f"{path}/lib/{name}", 4096).value
            return machine_of(head) if head else None
    return None


def _number(name: str) -> tuple[str, int, str]:
    digits = "".join(c for c in name.partition("_")[2] if c.isdecimal())
    return name.partition("_")[0], int(digits or 0), name
