"""Lists of distributions: ``pip list``, ``freeze``, ``show``, ``inspect``, ``check``, ``conda list``, requirement lines, poetry's log."""

from __future__ import annotations

import re

from torchdoctor.probes.patterns import holds, regex
from torchdoctor.probes.reports import values
from torchdoctor.probes.reports.packages import canonical, put_package
from torchdoctor.probes.reports.reading import CLAIMED, MEASURED, PRINTED, Reading
from torchdoctor.probes.reports.request import put_request
from torchdoctor.probes.reports.torch_words import put_torch

__all__ = ["put_installed", "read_packages"]

_DUMPED = regex(
    r"^\s{0,4}\[(pip\d?|conda|uv|pixi)\] ([A-Za-z0-9][\w.-]{0,80}?)(?:==|\s{1,60})(\d[\w.+!-]{0,60})(?:\s{1,40}(\S{1,60})(?:\s{1,40}(\S{1,60}))?)?\s*$"
)
_FREEZE = regex(
    r"^\s{0,8}(?:[-*+] )?[\"']?([A-Za-z][\w.-]{0,80}?)(?:\[[\w,-]{1,40}\])?\s?(===?)\s?(\d[\w.+!]{0,60})[\"']?(?: ?;.{0,120}| ?\\| ?#.{0,120}|,)?\s*$"
)
# name @ address of a wheel: what pip freeze prints for what was installed from a file or an address
_DIRECT = regex(r"^\s{0,8}([A-Za-z][\w.-]{0,80}) ?@ ?(?:file|https?):\S{1,400}?/[A-Za-z][\w.]{0,80}-(\d[\w.+%!]{0,60})-(?:cp|py)\d[\w.]{0,20}-\S{1,200}\.whl(?:#\S{0,200})?\s*$")  # fmt: skip
_SINGLE = regex(r"^\s{0,8}(?:- )([A-Za-z][\w.-]{0,80}?)=(\d[\w.]{0,40})(?:=(\S{1,60}))?\s*$")
# conda list --export, and the addresses of conda list --explicit
_EXPORTED = regex(r"^\s{0,4}([a-z0-9_][\w.-]{0,80})=(\d[\w.]{0,40})=([\w.]{1,60})\s*$")
_EXPLICIT = regex(r"^\s{0,4}https?://\S{1,160}/(?:linux|win|osx|noarch)[\w-]{0,12}/([a-z0-9_][\w.-]{0,80}?)-(\d[\w.]{0,40})-([\w.]{1,60}?)\.(?:conda|tar\.bz2)(?:#\w{0,80})?\s*$")  # fmt: skip
_COLUMN = regex(r"^\s{0,8}([A-Za-z][\w.-]{0,80})\s{2,80}(\d[\w.+!-]{0,60})(?:\s{1,80}(\S.{0,200}))?\s*$")
_LOOSE = regex(r"(?:^|[\s,/(|])(py ?torch|torch|torchvision|torchaudio|torchcodec|triton|pytorch-triton|numpy|xformers|flash-attn|flash_attn|vllm|ipex|intel[-_]extension[-_]for[-_]pytorch|mkl|bitsandbytes|triton-windows|transformers|intel-sycl-rt)(?: version)?(?:: ?|-v?| = | ?-> ?| )v?(\d{1,4}(?:\.\d{1,4}){0,2}[\w.+]{0,50})(?=\s|$|[,;:)/\]])")  # fmt: skip
# The longest name of a list leaves one space before its version.
_LONGEST = regex(r"^\s{0,8}([A-Za-z][\w.-]{9,80}) (\d[\w.+!-]{0,60})(?:\s{2,80}(\S.{0,200}))?\s*$")
_CONDA_PLAN = regex(
    r"^\s{0,8}([a-z][\w.-]{0,60})\s{1,40}([\w.-]{1,40}/[\w.-]{1,20}|pkgs/\w{1,12}/[\w-]{1,20})::([a-z][\w.-]{0,60}?)-(\d[\w.]{0,30})-(\S{1,60})"
)
_POETRY = regex(
    r"^\s{0,6}[-•]? ?(?:Installing|Updating|Downgrading) ([A-Za-z][\w.-]{0,80}) \((?:\S{1,40} -> )?(\d[\w.+]{0,60})\)"
)
_SDK = regex(r"\b(rocm-sdk-(?:libraries|device)-gfx[\w-]{3,12}?)(?=[\s=:,)(]|$)(?:[=\s]{1,4}(\d[\w.]{2,30}))?")


_INSTALLING = regex(
    r"\b(?:pip3?|conda|uv|mamba|poetry|pdm|pixi)\b.{0,40}\b(?:install|add)\b|\b(?:try|trying|tried|want|how) to install\b|\bhow (?:do|can|should|would) (?:i|we|you) install\b|\b(?:cannot|can't|could not|couldn't) install\b|^\W{0,8}install(?!ed\b)"
)
_HAD_FROM = regex(r"\s{0,4}(?:[-*•] )?(?:py)?torch[: ]{1,2}\d\S{2,30} \((?:came|comes|installed|got|from|via)\b")
_GAVE = regex(
    r"\btorch\b.{0,40}?(?:\b(?:gave|gives|got|is|shows|reports|brought|pulled|installed)\b|→|->|=>).{0,24}?(\d\.\d{1,2}\.\d{1,2}\+(?:cpu|cu\d{3}|rocm[\d.]{1,8}|xpu))\b"
)
# "torch 2.5.1+cpu before, now 2.5.1+cu124"
_NOW = regex(
    r"\btorch\b.{0,40}\b(?:before|earlier|previously),? (?:and |but )?now (?:it is |it's |i have |on )?(?:torch )?(\d\.\d{1,2}\.\d{1,2}[\w.+]{0,20})"
)
# "pip show torch → Version: 2.1.2+cpu"
_SHOWN = regex(
    r"\bpip3? show torch\b[`'\"]?.{0,12}?(?:→|->|=>|:| says| gives| prints| shows) {0,3}(?:version:? ?)?(\d\.\d{1,2}\.\d{1,2}[\w.+]{0,30})"
)
# What a sentence about an install says that is there: "(torch 2.9.1+cu130)".
_ASIDE = regex(
    r"\((?:installed |it is |it's |have )?(?:py)?torch(?: version)? (\d\.\d{1,2}\.\d{1,2}\+(?:cpu|cu\d{3}|rocm[\d.]{1,8}|xpu))\)"
)
# "2.0.1 + cpu"; "torch2.0.1+cpu", "torch (2.6.0+cu126)": a local version says that it is no other number.
_APART = regex(r"\b(\d\.\d{1,2}\.\d{1,2}) ?\+ ?(cpu|cu\d{3}|rocm\d[\d.]{1,6}|xpu)\b")
_CLOSE = regex(r"\b(?:py)?torch ?\(?(\d\.\d{1,2}\.\d{1,2}\+(?:cpu|cu\d{3}|rocm\d[\d.]{1,6}|xpu))\b", re.I)
_BESIDE = regex(r"[ ,]{0,2}\(?(cu\d{3}|rocm\d\.\d{1,2}(?:\.\d)?|xpu)\b")  # "torch 2.5.1 cu121", "torch 2.4.0 (cu121)"
_HEAD = regex(
    r"^\s{0,4}(?:Package\s{1,80}Version|# Name\s{1,40}Version|List of packages in environment|# packages in environment)"
)
_LOOSE_WORDS = (
    "torch",
    "numpy",
    "ipex",
    "triton",
    "flash",
    "vllm",
    "mkl",
    "xformers",
    "sycl",
    "bitsandbytes",
    "transformers",
)


_MADE_MARKS = ("+pt", "+cu")


def read_packages(reading: Reading) -> None:
    """Installed distributions, and pins that only ask for one."""
    freeze: list[tuple[int, str, str]] = []
    columns: list[tuple[int, str, str, str]] = []
    of_conda: list[tuple[int, str, str]] = []
    headed = False
    heads = reading.has("package", "# name")
    sdk = reading.has("rocm-sdk-", "rocm_sdk_")
    made = reading.has(*_MADE_MARKS)
    loose = reading.words(*_LOOSE_WORDS)
    for index, line in enumerate(reading.lines):
        if len(line) < 4 or index in reading.taken:
            continue
        if line.lstrip().startswith("[") and (match := _DUMPED.match(line)):
            if match[1] == "conda":
                of_conda.append((index, match[2], f"{match[4] or ''} {match[5] or ''}"))
            rank = MEASURED + (1 if match[1] != "conda" else 0)
            put_installed(reading, index, match[2], match[3], rank, build=match[4] if match[1] == "conda" else None)
            reading.taken.add(index)
        elif "==" in line and (match := _FREEZE.match(line)):
            freeze.append((index, match[1], match[3]))
        elif ".whl" in line and "@" in line[:100] and (match := _DIRECT.match(line)):
            freeze.append((index, match[1], match[2].replace("%2B", "+").replace("%2b", "+")))
        elif "::" in line and (match := _CONDA_PLAN.match(line)):
            reading.saw("conda_list", 15)
            put_installed(reading, index, match[3], match[4], PRINTED, build=match[5])
        elif match := _of_conda(line):
            put_installed(reading, index, match[1], match[2], PRINTED, build=match[3])
            reading.saw("conda_list", 4 if match[3] else 3)
        elif ("  " in line and (match := _COLUMN.match(line))) or (
            (headed or "nvidia-" in line or "intel-ext" in line) and (match := _LONGEST.match(line))
        ):
            columns.append((index, match[1], match[2], match[3] or ""))
        elif heads and _HEAD.match(line):
            headed = True
        elif ("nstalling" in line or "pdating" in line or "owngrading" in line) and (match := _POETRY.match(line)):
            if canonical(match[1]) == "torch" and reading.has("unable to find installation candidates for torch ("):
                put_request(reading, index, "torch", f"=={match[2]}", PRINTED)
            else:
                put_package(reading, match[1], match[2], index, PRINTED - 2)
            reading.draft.put("request.installer", "poetry", reading.source(index), rank=PRINTED)
        if "+" in line and made and holds(line, _MADE_MARKS):
            for found in _MADE_FOR.finditer(line[:1000]):
                put_package(reading, found[1], found[2], index, CLAIMED)
        if sdk and holds(line, ("rocm-sdk-", "rocm_sdk_")):
            for found in _SDK.finditer(line.replace("_", "-")):
                put_package(reading, found[1], found[2] or _sdk_version(line), index, PRINTED)
        if loose and holds(line.lower(), loose):
            _loose(reading, index, line)
    _two_sources(reading, of_conda)
    _columns(reading, columns, headed)
    _frozen(reading, freeze)


def _of_conda(line: str) -> re.Match[str] | None:
    """``- name=version=build`` of an environment file, ``name=version=build`` of an export, an explicit list's address."""
    if "http" in line:
        return _EXPLICIT.match(line) if ".conda" in line or ".tar.bz2" in line else None
    if "=" not in line or "==" in line:
        return None
    return _SINGLE.match(line) if line.lstrip()[:1] == "-" else _EXPORTED.match(line)


def _sdk_version(line: str) -> str:
    match = re.search(r"\b(\d{1,2}\.\d{1,2}\.\d{1,2}[a-z]{0,2}\d{0,8})\b", line)
    return match[1] if match else "unknown"


def put_installed(
    reading: Reading, index: int, name: str, version: str, rank: int, *, build: str | None = None
) -> None:
    """One distribution of a list; ``build`` is conda's, which tells the variant."""
    name = canonical(name)
    put_package(reading, name, version, index, rank)
    if name == "torch":
        parsed = values.parse_torch(version)
        if parsed:
            put_torch(reading, index, parsed, rank)
        _conda_build(reading, index, build, rank)
    elif name == "pytorch-mutex" and build:
        reading.put("torch.variant", "cpu" if "cpu" in build else None, index, rank)
    elif name == "cpuonly":
        reading.put("torch.variant", "cpu", index, rank)
    elif name == "python" and re.match(r"\d\.\d", version):
        reading.put("python.version", version, index, rank - 2)
        reading.put("python.environment", "conda", index, rank - 2)


def _conda_build(reading: Reading, index: int, build: str | None, rank: int) -> None:
    """``py3.10_cuda11.8_cudnn8.7.0_0``, ``cpu_py310h…``, ``py3.6_cpu_0``."""
    if not build or build in ("pypi_0", "pypi"):
        return
    reading.put("torch.origin", "conda", index, rank)
    if match := re.search(r"cuda_?(\d{2})(\d)(?:py|_|$)|cuda(\d{1,2}\.\d)", build):
        reading.put(
            "torch.variant", f"cu{match[1]}{match[2]}" if match[1] else values.cuda_variant(match[3]), index, rank
        )
    elif "cpu" in build:
        reading.put("torch.variant", "cpu", index, rank)


def _columns(reading: Reading, columns: list[tuple[int, str, str, str]], headed: bool) -> None:
    # Two columns are a package list only below its heading, or where the names are those of one.
    known = sum(canonical(name) in _FAMILIAR for _, name, _, _ in columns)
    if headed or known >= 2:
        _two_sources(reading, [(index, name, rest) for index, name, _, rest in columns])
    if not columns or not (headed or known >= 2 or (known and len(columns) <= 3)):
        return
    for index, name, version, rest in columns:
        if not headed and canonical(name) not in _FAMILIAR and not canonical(name).startswith(("nvidia-", "torch")):
            continue
        build = rest.split()[0] if rest else None
        conda = build is not None and ("_" in build or build.startswith("h")) and "/" not in build
        put_installed(reading, index, name, version, PRINTED + 4, build=build if conda else None)
        if rest and "/" in rest and canonical(name) == "torch":
            reading.put("torch.origin", "editable", index, PRINTED)
    reading.saw("conda_list" if headed and "# Name" in reading.text else "pip_freeze", 10)


def _two_sources(reading: Reading, rows: list[tuple[int, str, str]]) -> None:
    """conda's own pytorch, and a torch that pip put over it: conda lists both, of one environment."""
    conda = any(
        name.lower() in ("pytorch", "pytorch-gpu", "pytorch-cpu") and "pypi" not in rest for _, name, rest in rows
    )
    if conda:
        for index, name, rest in rows:
            if name.lower() == "torch" and rest.startswith("pypi_0"):
                reading.symptom("torch-from-pip-over-conda", index)
                return


_FAMILIAR = frozenset({
    "torch", "torchvision", "torchaudio", "torchcodec", "torchmetrics", "torchao", "triton", "pytorch-triton", "triton-windows", "numpy", "transformers",
    "xformers", "flash-attn", "vllm", "accelerate", "bitsandbytes", "nvidia-cublas-cu12", "nvidia-cudnn-cu12", "intel-extension-for-pytorch",
    "pytorch-triton-xpu", "pytorch-triton-rocm", "triton-rocm", "triton-xpu", "mkl", "cudatoolkit", "pytorch-cuda", "pytorch-mutex", "python", "pip",
    "setuptools", "peft", "diffusers", "deepspeed", "lightning", "pytorch-lightning", "safetensors", "huggingface-hub", "scipy", "pandas",
})  # fmt: skip


def _frozen(reading: Reading, freeze: list[tuple[int, str, str]]) -> None:
    """Pinned lines: a freeze where there are many, or the word says so; else pins that ask."""
    if not freeze:
        return
    asks = reading.has(
        "requirements.txt", "requirements", "dependencies = [", "--hash", "pip install -r", "pyproject", "dependencies:"
    )
    listing = reading.has("pip freeze", "pip list", "pip3 freeze", "uv pip freeze", "uv pip list") or (
        len(freeze) >= 4 and not asks
    )
    since = _listed_since(reading, freeze) if listing and asks else 0
    for index, name, version in freeze:
        if listing and index >= since:
            put_installed(reading, index, name, version, PRINTED + 3)
        elif canonical(name) == "torch":
            put_request(reading, index, "torch", "==" + version, PRINTED - 4)
        elif not asks:
            put_package(reading, name, version, index, CLAIMED)
    if listing:
        reading.saw("pip_freeze", 12)


def _listed_since(reading: Reading, freeze: list[tuple[int, str, str]]) -> int:
    """Where a text shows what is required and then what is installed: the line of the command, if pins follow it."""
    for index, line in enumerate(reading.lines):
        if ("freeze" in line or "pip list" in line) and any(at > index for at, _, _ in freeze):
            return index
    return 0


_RESOLVING = ("requires", "requirement", "satisf", "collecting", "because ", "you require", "conclude", "[[")


def _loose(reading: Reading, index: int, line: str) -> None:
    """``torch 2.6.0``, ``flash-attn 2.6.3``, ``torch-1.12.0+rocm5.1.1`` in what a person typed."""
    if "+" in line:
        line = _APART.sub(r"\1+\2", line[:2000])
    low = line.lower()
    if "+" in low and (gave := _GAVE.search(low)) and (parsed := values.parse_torch(gave[1])):
        put_torch(reading, index, parsed, CLAIMED - 2)
    if "now " in low and (now := _NOW.search(low)) and (parsed := values.parse_torch(now[1])):
        put_torch(reading, index, parsed, CLAIMED - 1)
        return
    if "show torch" in low and (shown := _SHOWN.search(low)) and (parsed := values.parse_torch(shown[1])):
        put_torch(reading, index, parsed, PRINTED)
        return
    found = list(_LOOSE.finditer(low[:1000]))
    close = _CLOSE.search(line[:1000]) if "+" in line else None
    if (not found and not close and "pip install torch" not in line) or holds(
        low.replace("requirements.txt", ""), _RESOLVING
    ):
        return
    if (
        "depends" in low
        or ".whl" in low
        or ".tar.gz" in low
        or "://" in low
        or (_INSTALLING.search(low) is not None and not _HAD_FROM.match(low))
        or "distribution" in low
    ) and not re.match(r"\s{0,4}pip install torch\s{1,4}\(\d", low):
        if (aside := _ASIDE.search(line[:1000])) and (parsed := values.parse_torch(aside[1])):
            put_torch(reading, index, parsed, CLAIMED - 1)
        return
    if _OF_ANOTHER.search(low) or _NOT_OF_THIS.search(_sentences_on_torch(low)):
        if not re.search(r"^\s{0,4}torch[: ]", low):
            return
        if re.search(r"->\s{0,3}(?:works|correct|ok|pass)|tested|nightly", low):
            return
    if close and "nstalling" not in line and (parsed := values.parse_torch(close[1])):
        put_torch(reading, index, parsed, CLAIMED - 1)
    for match in found:
        name, version = match[1].lower(), match[2].rstrip(".")
        if name in ("pytorch", "py torch"):
            name = "torch"
        if name == "ipex":
            name = "intel-extension-for-pytorch"
        if name == "torch":
            parsed = values.parse_torch(version) or (
                values.TorchVersion(version, None, None) if re.fullmatch(r"\d\.\d{1,2}", version) else None
            )
            if parsed:
                put_torch(reading, index, parsed, CLAIMED - 1)
                low_tail = low[match.end() :][:60]
                if beside := _BESIDE.match(low_tail):
                    reading.put("torch.variant", beside[1], index, CLAIMED - 1)
                elif "cpu" in low_tail.split() or "(cpu" in low_tail:
                    reading.put("torch.variant", "cpu", index, CLAIMED - 1)
        else:
            put_package(reading, name, version, index, CLAIMED)
    noted = re.match(r"\s{0,4}pip install torch\s{1,4}\((\d[\w.+]{2,30})\)", line)
    if noted and (parsed := values.parse_torch(noted[1])):
        put_torch(reading, index, parsed, CLAIMED)
        reading.draft.put("request.installer", "pip", reading.source(index), rank=PRINTED)


# What a line says of releases in general or of another one; the second holds for the sentence that it stands in.
_OF_ANOTHER = regex(r"nightly:|falls? back|fallback|trying|tested:|\bworks\b|correct\b|->\s*$|\(torch==")
_NOT_OF_THIS = regex(r"instead|supports?\b|needs?\b|minimum|\.\.\.")
_SENTENCE_END = regex(r"[.!?;]\s{1,4}(?=[a-z(])")


# An extension's version that names the torch it was built for: 2.1.2+pt21cu121, 2.8.3+cu12torch2.8cxx11abiTRUE.
_MADE_FOR = regex(
    r"(?:^|[\s,(`])([A-Za-z][\w-]{3,40})(?:-v?|==| |: ?)(\d{1,3}(?:\.\d{1,3}){1,3}\+(?:pt\d{2,3}(?:cu\d{2,3}|cpu)|cu\d{2,3}torch\d\.\d{1,2}\w{0,16}))(?=[\s,;).`]|$)"
)


def _sentences_on_torch(low: str) -> str:
    """Of a line of several sentences those that speak of torch."""
    return " ".join([s for s in _SENTENCE_END.split(low) if "torch" in s]) if "torch" in low else low
