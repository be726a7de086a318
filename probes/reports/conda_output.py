"""What conda says when it cannot find a package, and its plan of an installation."""

from __future__ import annotations

from torchdoctor.probes.patterns import regex
from torchdoctor.probes.reports import values
from torchdoctor.probes.reports.reading import MEASURED, PRINTED, Reading
from torchdoctor.probes.reports.request import put_request

__all__ = ["read_conda"]

_PLATFORM = regex(
    r"(?:^|[\s,(])[Pp]latform\s{0,4}:\s{0,4}(linux-64|linux-aarch64|osx-64|osx-arm64|win-64|win-arm64|linux-ppc64le)|/(linux-64|linux-aarch64|osx-64|osx-arm64|win-64)(?:::|/|\s|$)"
)
_MISSING = regex(r"^\s{0,8}- ([a-z][\w.-]{0,60}?)(?:\s?(==|=|>=|<=|<|>)\s?([\w.*]{1,30}))?(?:[=\s]\S{1,40})?\s*$")
_NOT_THERE = regex(
    r"\b(pytorch|pytorch-cuda|torchvision|torchaudio)(?: ?={1,2} ?|-| )(\d{1,2}\.\d{1,2}(?:\.\d{1,2})?)\S{0,40}(?: \*)? {0,2}(?:,? which )?does not exist"
)
_ABSENT = regex(
    r"nothing provides (?:requested )?(pytorch|pytorch-cuda|torchvision|torchaudio)(?:\s{1,4}={0,2}(\d[\d.]{0,12}\d))?"
)
# pixi and rattler
_NO_CANDIDATES = regex(
    r"[Nn]o candidates were found for (pytorch|pytorch-cuda|torchvision|torchaudio)(?: ?={0,2} ?(\d[\d.]{0,12}\d))?"
)
_VIRTUAL = regex(r"\b__(cuda|linux|glibc|osx|win|archspec)={1,2}([\w.]{1,20})(?:=([\w.-]{1,24}))?")
_PLATFORMS = {
    "linux-64": ("linux", "x86_64"), "linux-aarch64": ("linux", "aarch64"), "linux-ppc64le": ("linux", "ppc64le"), "osx-64": ("macos", "x86_64"),
    "osx-arm64": ("macos", "aarch64"), "win-64": ("windows", "x86_64"), "win-arm64": ("windows", "aarch64"),
}  # fmt: skip


def read_conda(reading: Reading) -> None:
    """Platform, the request and ``conda-not-found`` where a package is missing from its channels."""
    if not reading.has(
        "conda",
        "mamba",
        "packagesnotfounderror",
        "nothing provides",
        "resolvepackagenotfound",
        "package plan",
        "linux-64",
        "win-64",
        "osx-",
        "candidates were found for",
    ):
        return
    missing = -1
    channel = False
    for index, line in enumerate(reading.lines):
        if "__" in line and (virtual := _VIRTUAL.search(line)):
            _virtual(reading, index, virtual[1], virtual[2], virtual[3])
        if ("-64" in line or "-aarch64" in line or "osx-arm64" in line) and (match := _PLATFORM.search(line)):
            os, machine = _PLATFORMS[match[1] or match[2]]
            reading.put("system.os", os, index, PRINTED)
            reading.put("python.machine", machine, index, PRINTED)
            reading.put("system.machine", machine, index, PRINTED - 2)
        if "PackagesNotFoundError" in line or "ResolvePackageNotFound" in line or "nothing provides" in line:
            missing = index
            reading.saw("conda_error", 20)
        if "does not exist" in line and (gone := _NOT_THERE.search(line)):
            reading.saw("conda_error", 15)
            reading.symptom("conda-not-found", index)
            if gone[1] == "pytorch":
                put_request(reading, index, "torch", f"=={gone[2]}", MEASURED - 3)
        if (
            "anaconda.org/pytorch" in line
            or line.strip() in ("- pytorch", "-c pytorch")
            or "-c pytorch" in line
            or "--channel pytorch" in line
        ):
            channel = True
            reading.draft.put("request.installer", "conda", reading.source(index), rank=PRINTED - 2)
        if ("nothing provides" in line and (absent := _ABSENT.search(line))) or (
            "candidates were found" in line and (absent := _NO_CANDIDATES.search(line))
        ):
            reading.saw("conda_error", 15)
            reading.symptom("conda-not-found", index)
            if absent[1] == "pytorch" and absent[2]:
                put_request(reading, index, "torch", f"=={absent[2]}", MEASURED - 3)
        if (
            0 <= missing < index <= missing + 12
            and (match := _MISSING.match(line))
            and not line.strip().startswith("- http")
        ):
            if match[1] in ("pytorch", "torch", "pytorch-cuda", "torchvision", "torchaudio"):
                reading.symptom("conda-not-found", index)
            if match[1] == "pytorch-cuda" and match[3]:
                reading.put("request.variant", values.cuda_variant(match[3]), index, PRINTED)
            if match[1] == "pytorch" and match[3]:
                version = match[3].rstrip("*").rstrip(".")
                put_request(reading, index, "torch", f"=={version}", MEASURED - 3)
    if channel:
        for index in reading.find("pytorch"):
            reading.symptom("conda-pytorch-channel", index)
            break


def _virtual(reading: Reading, index: int, name: str, version: str, build: str | None) -> None:
    """conda's virtual packages: what it found of the machine."""
    if name == "glibc":
        reading.put("system.libc", "glibc", index, MEASURED)
        reading.put("system.libc_version", version, index, MEASURED)
    elif name == "cuda":
        reading.put("drivers.nvidia.cuda", version, index, MEASURED)
    elif name == "linux":
        reading.put("system.os", "linux", index, MEASURED)
        reading.put("system.kernel", version, index, PRINTED)
    elif name == "osx":
        reading.put("system.os", "macos", index, MEASURED)
        reading.put("system.version", version, index, MEASURED)
    elif name == "win":
        reading.put("system.os", "windows", index, MEASURED)
    elif build in ("aarch64", "x86_64", "ppc64le"):
        reading.put("system.machine", build, index, PRINTED)
