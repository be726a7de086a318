"""Interactive sessions: interpreter banners, ``python --version``, paths in tracebacks, what ``platform`` and ``struct`` answer."""

from __future__ import annotations

import re

from torchdoctor.probes.patterns import regex
from torchdoctor.probes.reports import values
from torchdoctor.probes.reports.gpu_words import put_named_gpus, xpu_fields
from torchdoctor.probes.reports.machine_words import put_python
from torchdoctor.probes.reports.prompts import is_prompt, next_text
from torchdoctor.probes.reports.reading import CLAIMED, PRINTED, GpuList, Reading
from torchdoctor.probes.reports.torch_session import put_torch_answers
from torchdoctor.probes.reports.torch_words import put_torch

__all__ = ["put_path", "read_session"]

_BANNER = regex(r"(?:^|[\s(\"'`])Python (\d\.\d{1,2}\.\d{1,2}\S{0,20} (?:\||\(|experimental|free-threading).{0,200})$")
_PLAIN = regex(
    r"(?:^|[\s,;/(-])[Pp]ython[ =:@v-]{0,3}(\d\.\d{1,2}(?:\.\d{1,2}(?:(?:a|b|rc)\d{1,2})?)?t?)(?:\s|$|[,;/)&\]+])"
)
_SHORT = regex(r"(?:^|[\s(/,])(?:py|cp|python)(3)\.?(\d{1,2})(t)?(?:[\s),;:/]|$)")
_SITE = regex(
    r"[/\\][Pp]ython(3)\.?(\d{1,2})(t)?(?:-(32|arm64|64))?[/\\](?:[Ll]ib[/\\])?(?:site|dist)-packages|[/\\]python(3)\.(\d{1,2})(t)?[/\\]"
)
# How pdm and hatch list an interpreter: its path, then what it is.
_BESIDE_PATH = regex(r"[/\\]python[\d.]{0,5}(?:\.exe)? \((3\.\d{1,2}(?:\.\d{1,2})?)\)$")
_VENV = regex(r"[/\\](\.?venv|\.virtualenvs|virtualenvs|env)[/\\]", re.I)
_CONDA = regex(
    r"[/\\](?:ana|mini)conda3?[/\\]|[/\\]mini(?:forge|mamba)3?[/\\]|[/\\]conda[/\\]envs[/\\]|[/\\]envs[/\\][\w.-]{1,40}[/\\]",
    re.I,
)


_BARE_TORCH = regex(
    r"^\s{0,8}'?(\d{1,2}\.\d{1,2}\.\d{1,2}(?:a\d|rc\d{1,2})?(?:\.dev\d{8})?\+(?:cpu|cu\d|rocm\d|xpu)[\w.]{0,40})'?(?:\s|$)"
)
_BARE_BANNER = regex(
    r"^\s{0,4}'?(\d\.\d{1,2}\.\d{1,2}\S{0,12} (?:\||\(|experimental|free-threading).{0,160}\[(?:GCC|Clang|MSC|PyPy).{0,60})"
)
_NAMES_LIST = regex(r"^\s{0,4}\['[^'\]]{2,80}'(?:, ?'[^'\]]{2,80}'){0,31}\]\s{0,4}$")
_SAID_WIDTH = regex(
    r"calcsize\(['\"][Pp]['\"]\) ?\* ?8\)?['\"`\s]{0,4}(?:prints|gives|returns|says|shows|is|=|->|:)\s{0,2}(32|64)\b"
)
_CAPABILITY = regex(r"^\s{0,4}\((\d{1,2}), (\d)\)\s{0,4}$")
_ARCHS = regex(r"\['((?:sm|compute|gfx)[_0-9a-f][^\]]{2,600})'\]")


def read_session(reading: Reading) -> None:
    """What an interpreter printed about itself and about torch."""
    if not reading.has(
        "python",
        "torch",
        "cp3",
        "py3",
        "sm_",
        "arch_list",
        "_xpudeviceproperties",
        "platform.",
        "sys.version",
        "calcsize",
        "py_gil",
    ):
        return
    for index, line in enumerate(reading.lines):
        if len(line) < 2:
            continue
        if "ython" in line:
            _python(reading, index, line)
        elif "[" in line and (banner := _BARE_BANNER.match(line)):
            put_python(reading, index, banner[1], PRINTED + 2)
        if "calcsize" in line and (width := _SAID_WIDTH.search(line)):
            reading.put("python.bits", int(width[1]), index, PRINTED + 2)
        if "platform" in line or "calcsize" in line or "Py_GIL" in line or "maxsize" in line or "capability()" in line:
            _asked(reading, index, line)
        if "packages" in line or "python3" in line or ":\\" in line:
            put_path(reading, index, line, PRINTED - 2)
        if "torch" in line or "is_available" in line:
            put_torch_answers(reading, index, line)
        if (
            "+" in line
            and (match := _BARE_TORCH.match(line))
            and (parsed := values.parse_torch(match[1]))
            and parsed.variant
        ):
            put_torch(reading, index, parsed, PRINTED + 2)
        if "('" in line or "['" in line or "name='" in line:
            _lists(reading, index, line)
        elif "env" in line and (match := _SHORT.search(line)):
            reading.put("python.version", f"{match[1]}.{match[2]}", index, CLAIMED - 3)
        if "pypy" in line.lower() and re.search(r"\bpypy\d?(?:\.\d{1,2})?\b", line.lower()):
            _pypy(reading, index, line)


def _pypy(reading: Reading, index: int, line: str) -> None:
    if re.search(r"\bpypy\d?(?:\.\d{1,2})? -m |\(pypy\d|PyPy \d", line):
        reading.put("python.implementation", "pypy", index, PRINTED + 1)
        if match := re.search(r"pypy(3\.\d{1,2})", line):
            reading.put("python.version", match[1], index, PRINTED - 2)


def _python(reading: Reading, index: int, line: str) -> None:
    if match := _BANNER.search(line):
        put_python(reading, index, match[1], PRINTED + 2)
        return
    if re.search(r"python\d?\.?\d{0,2}t(?: |\.exe)", line) and (match := re.search(r"\bpython(3\.\d{1,2})t\b", line)):
        reading.put("python.free_threaded", True, index, PRINTED)
        reading.put("python.version", match[1], index, PRINTED - 2)
    if ".python-version" in line and (match := re.search(r"(\d\.\d{1,2}(?:\.\d{1,2})?)(t|\+freethreaded)?", line)):
        reading.put("python.version", match[1], index, PRINTED - 1)
        if match[2]:
            reading.put("python.free_threaded", True, index, PRINTED)
    if (match := _SHORT.search(line)) and ("env" in line or "conda" in line):
        reading.put("python.version", f"{match[1]}.{match[2]}", index, CLAIMED - 3)
    if line.endswith(")") and (match := _BESIDE_PATH.search(line)):
        put_python(reading, index, match[1], PRINTED)
    if match := _PLAIN.search(line):
        if "Requires-Python" in line or "requires" in line or ">=" in line[: match.start() + 9]:
            return
        rank = PRINTED if line.lstrip().startswith("Python ") and len(line.split()) == 2 else CLAIMED - 1
        put_python(reading, index, line[match.start(1) :][:40], rank)
        _python_words(reading, index, line, rank)


def _python_words(reading: Reading, index: int, line: str, rank: int) -> None:
    low = line.lower()
    if "32-bit python" in low or "32 bit python" in low or "python 32" in low or "(32-bit" in low or "32-bit)" in low:
        reading.put("python.bits", 32, index, rank)
    if "free-threaded" in low or "freethreaded" in low or "free threaded" in low or "nogil" in low or "no-gil" in low:
        reading.put("python.free_threaded", True, index, rank)


def put_path(reading: Reading, index: int, text: str, rank: int) -> None:
    """What a site-packages path gives away: Python line, free-threading, kind of environment, system."""
    match = _SITE.search(text)
    if match:
        minor, free = (match[2], match[3]) if match[1] else (match[6], match[7])
        reading.put("python.version", f"3.{minor}", index, rank - 4)
        if free:
            reading.put("python.free_threaded", True, index, rank + 6)
        if match[4] == "32":
            reading.put("python.bits", 32, index, rank)
        if match[4] == "arm64":
            reading.put("python.machine", "aarch64", index, rank)
    elif re.search(r"[/\\]Python3\d{1,2}-32[/\\]", text):
        reading.put("python.bits", 32, index, rank)
    if "packages" in text:
        if _CONDA.search(text):
            reading.put("python.environment", "conda", index, rank)
        elif _VENV.search(text):
            reading.put("python.environment", "venv", index, rank)
    if re.search(r"\b[A-Z]:[\\/]{1,2}(?!/)\w|^\s{0,4}(?:PS )?[A-Z]:\\>", text):
        reading.put("system.os", "windows", index, rank - 6)
    elif "/Library/Frameworks/" in text or re.search(r"(?:^|[\s\"'(])/Users/\w", text):
        reading.put("system.os", "macos", index, rank - 6)
    elif "/usr/lib/x86_64-linux-gnu" in text or "x86_64-linux-gnu" in text:
        reading.put("system.os", "linux", index, rank - 5)
        reading.put("system.machine", "x86_64", index, rank - 5)
    elif "aarch64-linux-gnu" in text:
        reading.put("system.os", "linux", index, rank - 5)
        reading.put("system.machine", "aarch64", index, rank - 5)
    elif re.search(r"(?:^|[\s\"'(:])/(?:home|root|usr|opt)/\w", text):
        reading.put("system.os", "linux", index, rank - 8)


def _asked(reading: Reading, index: int, line: str) -> None:
    """Questions whose answer stands alone on the next line: what the interpreter was built for, what the GPU is."""
    answer_at = next_text(reading, index) if is_prompt(line) else None
    if answer_at is None:
        return
    answer = reading.lines[answer_at].strip().strip("'\"")
    if ("platform.machine()" in line or "get_platform()" in line) and (
        machine := values.machine_in(answer.replace("win-", ""))
    ):
        reading.put("python.machine", machine, answer_at, PRINTED + 3)
        reading.put("system.machine", machine, answer_at, CLAIMED - 1)
        if answer.startswith("macosx"):
            reading.put("system.os", "macos", answer_at, PRINTED)
        elif answer.startswith("win"):
            reading.put("system.os", "windows", answer_at, PRINTED)
    elif "win32" in answer and "get_platform()" in line:
        reading.put("python.bits", 32, answer_at, PRINTED + 3)
        reading.put("system.os", "windows", answer_at, PRINTED)
    elif "libc_ver()" in line and (libc := re.search(r"'(glibc)', '(2\.\d{1,2})'", reading.lines[answer_at])):
        reading.put("system.libc", libc[1], answer_at, PRINTED)
        reading.put("system.libc_version", libc[2], answer_at, PRINTED)
        reading.put("system.os", "linux", answer_at, PRINTED)
    elif "python_version()" in line and re.fullmatch(r"3\.\d{1,2}\.\d{1,2}\S{0,6}", answer):
        put_python(reading, answer_at, answer, PRINTED + 2)
    elif "Py_GIL_DISABLED" in line and answer in ("0", "1"):
        reading.put("python.free_threaded", answer == "1", answer_at, PRINTED + 3)
    elif "architecture()" in line and (bits := re.search(r"\b(32|64)bit\b", answer)):
        reading.put("python.bits", int(bits[1]), answer_at, PRINTED + 3)
    elif "calcsize" in line and answer in ("32", "64"):
        reading.put("python.bits", int(answer), answer_at, PRINTED + 3)
    elif "maxsize" in line and "2**32" in line.replace(" ", "") and answer in ("True", "False"):
        reading.put("python.bits", 64 if answer == "True" else 32, answer_at, PRINTED + 3)
    elif "get_device_capability" in line and (match := _CAPABILITY.match(answer)) and not reading.has("rocm", "gfx"):
        row = ({"vendor": "nvidia", "compute_capability": f"{match[1]}.{match[2]}"}, reading.source(answer_at))
        reading.gpu_lists.append(GpuList(PRINTED + 2, False, [row]))


def _lists(reading: Reading, index: int, line: str) -> None:
    if match := _ARCHS.search(line):
        archs = tuple(a.strip(" '\"") for a in match[1].split(","))
        reading.draft.put("torch.kernels", archs, reading.source(index), rank=PRINTED + 5)
    elif "_XpuDeviceProperties(" in line:
        rows = GpuList(PRINTED + 6, True, [(xpu_fields(line), reading.source(index))])
        reading.gpu_lists.append(rows)
        if match := re.search(r"driver_version='([\w.+]{3,40})'", line):
            reading.put("runtimes.level_zero", match[1].split("+")[0], index, PRINTED - 4)
    elif _NAMES_LIST.match(line) and index not in reading.taken:
        put_named_gpus(reading, index, line, PRINTED + 4, complete=True)
