"""What people typed: installs, exports, docker runs, Dockerfile and compose lines, and the answers of small commands."""

from __future__ import annotations

import re

from torchdoctor.probes.patterns import holds, regex
from torchdoctor.probes.reports import values
from torchdoctor.probes.reports.machine_words import put_jetson, put_system
from torchdoctor.probes.reports.packages import canonical
from torchdoctor.probes.reports.reading import CLAIMED, PRINTED, Reading
from torchdoctor.probes.reports.request import put_index, put_request
from torchdoctor.probes.reports.torch_words import put_torch

__all__ = ["read_commands"]

_INSTALL = regex(
    r"\b(pip3?(?:\.\d{1,2})?|uv pip|uv add|uv|poetry add|poetry|pdm add|pixi add|conda|mamba|micromamba|pip\.exe|easy_install)\s{1,4}(?:-[\w-]{1,30}\s{1,3}){0,4}(install|add|sync|lock|create)\b(.{0,1200})"
)
_TOKEN = regex(r"\"[^\"]{0,300}\"|'[^']{0,300}'|[^\s\"']{1,400}")
_REQUIREMENT = regex(
    r"([A-Za-z][\w.-]{0,60})(\[[\w,-]{0,40}\])?\s?((?:===|==|~=|>=|<=|!=|<|>|=|@\s?)[\w.*+!,<>=~ -]{1,80})?$"
)
_INDEX_OPTION = regex(
    r"(?:--(?:extra-)?index-url|--index|--find-links|--default-index|--pip-args|-i|-f)[ =]{1,3}[\"']?((?:\w{1,40}=)?https?://[^\s\"',;)]{3,300})"
)
_BACKEND = regex(r"--torch-backend[ =]([\w.]{2,12})")
_ENV = regex(
    r"(?:^|[\s;])(?:export |set |ENV |setx |Environment=\"?|\$env:|-e |--env |env |SET |[-] )?((?:CUDA|NVIDIA|HIP|ROCR|HSA|GPU|ZE|ONEAPI|SYCL|LD|PYTORCH|TORCH|PIP|UV|TRITON|KMP|NUMEXPR|OMP|CONDA|PYTHON|DYLD|VIRTUAL|TMP|TEMP|XPU|IPEX|UR)_?[A-Z0-9_]{0,50})\s?(?:=|: )\s?(\"[^\"]{0,400}\"|'[^']{0,400}'|[^\s\"'`;&|,)]{0,400})"
)
_GPU_NAMES = regex(r"GPU-|MIG-|NoDevFiles|none\b|all\b")
_PROGRAM = regex(r"(?:python|torchrun|accelerate|deepspeed|uv|pytest|srun)\b")
_ENV_NAMES = regex(
    r"^(?:CUDA_(?:VISIBLE_DEVICES|DEVICE_ORDER|HOME|PATH|MODULE_LOADING)|NVIDIA_\w{1,40}|HIP_VISIBLE_DEVICES|ROCR_VISIBLE_DEVICES|GPU_DEVICE_ORDINAL|HSA_\w{1,40}|ZE_\w{1,40}|ONEAPI_DEVICE_SELECTOR|SYCL_\w{1,40}|LD_LIBRARY_PATH|LD_PRELOAD|DYLD_\w{1,30}|PYTORCH_\w{1,50}|TORCH_\w{1,50}|PIP_\w{1,30}|UV_\w{1,30}|TRITON_\w{1,40}|KMP_\w{1,30}|PYTHONPATH|PYTHONHOME|TMPDIR|TMP|TEMP|XPU_\w{1,30})$"
)
_ADVISED = regex(r"\b(?:use|using|passing|setting|try|consider|e\.g\.|with|unset)\s{1,2}$", re.I)
_GPU_FLAG = regex(r"--gpus\b|--runtime[ =]nvidia|--device[ =]|nvidia\.com/gpu|\.\.\.")
_ECHO = regex(
    r"\becho \"?\$\{?([A-Z][A-Z0-9_]{2,50})\}?\"?\s*$|\becho %([A-Z][A-Z0-9_]{2,50})%\s*$|^PS [^>\n]{0,120}> ?\$env:([A-Z][A-Z0-9_]{2,50})\s*$"
)
# Set and empty: a line of env's output, an item of docker inspect's list.
_EMPTY = regex(
    r"(?:^\s{0,4}(?:export |declare -x |ENV |Environment=|- )?|[\[,] ?[\"'])([A-Z]{2,6}_VISIBLE_DEVICES)=(?:[\"'](?=\s{0,2}[,\]])|\s*$)"
)
_ITEM = regex(r"[\[,] ?[\"']([A-Z][A-Z0-9_]{2,50})=([^\"'\n]{1,400})[\"'](?=\s{0,2}[,\]])")
_ROW = regex(r"^\s{0,4}([A-Z][A-Z0-9_]{2,50})\s{2,60}(\S.{0,300}?)\s*$")
_OF_POD = regex(r"^\s{0,40}- name: [\"']?([A-Z][A-Z0-9_]{2,50})[\"']?\s*$")
_POD_VALUE = regex(r"^\s{0,40}value: [\"']?([^\"'\n]{0,300}?)[\"']?\s*$")
_GREP_ENV = regex(
    r"\b(?:env|printenv|set) ?\| ?grep (?:-\w )?\"?([A-Z][A-Z0-9_]{2,50})\"?\s*$|\bprintenv ([A-Z][A-Z0-9_]{2,50})\s*$"
)
_PROMPT = regex(
    r"^\s{0,4}(?:\([\w.-]{1,40}\) ?)?(?:[\w.-]{1,40}@[\w.-]{1,60}[:\s][^$#%>\n]{0,80})?[$#%>❯]\s|^\s{0,4}(?:PS )?[A-Z]:\\[^>\n]{0,120}>|^\s{0,4}>>> |^\s{0,4}[/~][\w/.-]{0,60} [#$] "
)
_IMAGE_WORD = regex(r"^\s{0,8}FROM |\b[Dd]ocker(?:file)?:? |\b[Pp]odman |\b[Ii]mage\b|docker\.io/")
_IMAGE = regex(r"(?:[\w.-]{1,60}/){0,4}[\w.-]{2,60}:\w[\w.-]{0,80}")
_TORCH_IMAGE = regex(r"(\d\.\d{1,2}\.\d)-cuda(\d{2}\.\d)-cudnn\d")  # the project's own images
_IMAGE_DRIVER = regex(r"\bnvidia[-_](\d{3})\b")
_JETPACK_PACKAGE = regex(r"(?<![\d.])([4-7])\.\d{1,2}(?:\.\d{1,2})?[-+]b\d{1,4}\b")
_L4T_PACKAGE = regex(r"(?<![\d.])(\d{2}\.\d{1,2}(?:\.\d{1,2})?)-20\d{10,12}\b")
_DOCKER = regex(
    r"\bdocker (?:run|exec|compose|build|pull)|^FROM [\w./-]{3,80}(?::|\s|$)|\bdocker container|\bin docker\b|\bdocker-compose\b|in a container|OCI runtime|dockerenv|Docker image",
    re.I,
)


_VARIABLE_WORDS = ("cuda_", "nvidia_", "hip_", "rocr_", "gpu_", "hsa_", "ze_", "oneapi_", "sycl_", "ld_", "dyld_", "pytorch_", "torch_", "pip_", "uv_",
                   "triton_", "kmp_", "pythonpath", "pythonhome", "tmp", "temp", "xpu_")  # fmt: skip


def read_commands(reading: Reading) -> None:
    """Requests, environment variables, containers and images."""
    absent = _not_exported(reading)
    variables = reading.words(*_VARIABLE_WORDS)
    containers = reading.words("docker", "podman", "image", "from ", "container", "oci runtime")
    l4t, jetpack = reading.has("nvidia-l4t-"), reading.has("nvidia-jetpack")
    for index, line in enumerate(reading.lines):
        if len(line) < 4:
            continue
        if ("install" in line or " add" in line or " sync" in line or " lock" in line or "create" in line) and (
            match := _INSTALL.search(line)
        ):
            _install(reading, index, line, match)
        elif "http" in line and ("index" in line.lower() or "url" in line or "-f " in line or "-i " in line):
            _urls(reading, index, line, CLAIMED)
        if variables and ("=" in line or ": " in line) and holds(line.lower(), variables):
            _environment(reading, index, line, absent)
        if ("echo " in line or "$env:" in line) and (match := _ECHO.search(line)):
            _echoed(reading, index, match[1] or match[2] or match[3], absent)
        if variables and holds(line.lower(), variables):
            _listed(reading, index, line)
        if containers and holds(line.lower(), containers):
            _image(reading, index, line)
            if ("docker run" in line or "podman run" in line) and not _GPU_FLAG.search(_command(reading, index)):
                reading.symptom("docker-run-without-gpu", index)
        if "nvidia-" in line and "image" in line.lower() and (match := _IMAGE_DRIVER.search(line)):
            reading.put("drivers.nvidia.version", match[1], index, CLAIMED - 1)
        if "L4T" in line or "JetPack" in line or "nv_tegra_release" in line or "(release), REVISION" in line:
            put_jetson(reading, index, line, CLAIMED)
        elif jetpack and (match := _JETPACK_PACKAGE.search(line)):
            put_jetson(reading, index, f"JetPack {match[1]}", CLAIMED)
        elif l4t and (match := _L4T_PACKAGE.search(line)):
            put_jetson(reading, index, f"L4T {match[1]}", CLAIMED)


def _command(reading: Reading, index: int) -> str:
    """The command that begins at ``index`` with its continued lines."""
    parts = [reading.lines[index]]
    while parts[-1].rstrip().endswith(("\\", "`")) and index + len(parts) < len(reading.lines) and len(parts) < 40:
        parts.append(reading.lines[index + len(parts)])
    return " ".join(parts)


def _not_exported(reading: Reading) -> set[str]:
    """Variables of which ``env | grep NAME`` printed nothing."""
    found: set[str] = set()
    if "grep" not in reading.text and "printenv" not in reading.text:
        return found
    for index, line in enumerate(reading.lines[:-1]):
        if match := _GREP_ENV.search(line):
            name = match[1] or match[2]
            below = reading.lines[index + 1]
            if not below.strip() or (
                (_PROMPT.match(below) or below.strip() in (">", "$", "#", "%")) and name not in below
            ):
                found.add(name)
    return found


def _install(reading: Reading, index: int, line: str, match: re.Match[str]) -> None:
    tool = match[1].split(" ")[0].split(".")[0]
    installer = {"pip3": "pip", "mamba": "conda", "micromamba": "conda", "easy": "pip"}.get(tool, tool)
    if match[1] in ("uv add", "uv") or match[1] == "uv pip":
        installer = "uv"
    low = line.lower()
    works = re.match(r"\s{0,4}(?:works|worked|fixed|workaround|solution|ok)\b", low) is not None
    if match[2] == "create" and installer != "conda":
        return
    rest = match[3]
    if works:
        return
    tokens = [t.strip("\"'") for t in _TOKEN.findall(rest)]
    packages = _requirements(tokens)
    rank = PRINTED - 2 if "torch" in packages or "pytorch" in packages else CLAIMED
    if "torch" in packages or "pytorch" in packages or "-r" in tokens or "sync" in match[2] or packages:
        reading.draft.put("request.installer", installer, reading.source(index), rank=rank)
    if installer == "conda":
        _conda(reading, index, packages, rest, rank)
        return
    if "torch" in packages:
        put_request(reading, index, "torch", packages["torch"], rank)
    elif len(packages) == 1:
        name = next(iter(packages))
        if name.startswith("torch") or name in (
            "xformers",
            "vllm",
            "flash-attn",
            "bitsandbytes",
            "triton",
            "intel-extension-for-pytorch",
        ):
            put_request(reading, index, name, packages[name], rank)
    for name, version in packages.items():
        if name in ("torchvision", "torchaudio", "torchcodec") and version.startswith("=="):
            reading.symptom(f"asked-{name}", index, f"{name}{version}")
    _urls(reading, index, rest, rank)
    if (backend := _BACKEND.search(rest)) and backend[1] != "auto":
        reading.put("request.variant", backend[1], index, rank)


def _requirements(tokens: list[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    skip = False
    for token in tokens[:200]:
        if skip:
            skip = False
            continue
        if token in ("-r", "-c", "-f", "-i", "--index-url", "--extra-index-url", "--find-links", "--index", "-n", "--name", "--target", "-t", "--extra", "--group", "--python", "-p", "-c"):  # fmt: skip
            skip = True
            continue
        if token in ("&&", "||", "|", ";", "#", "->", "then"):
            break
        if token.startswith("#"):
            break
        if token.startswith("-") or "/" in token or "\\" in token or token.endswith(".whl"):
            continue
        if match := _REQUIREMENT.match(token):
            found.setdefault(
                canonical(match[1]) if match[1].lower() != "pytorch" else "pytorch", (match[3] or "").strip()
            )
    return found


def _conda(reading: Reading, index: int, packages: dict[str, str], rest: str, rank: int) -> None:
    spec = packages.get("pytorch") or packages.get("torch")
    if spec is not None:
        version = spec.lstrip("=").split("=")[0]
        put_request(reading, index, "torch", f"=={version}" if version and version[0].isdigit() else spec, rank)
    for name, _prefix in (("pytorch-cuda", "cu"), ("cudatoolkit", "cu")):
        if number := packages.get(name, "").lstrip("="):
            variant = values.cuda_variant(number)
            reading.put("request.variant", variant, index, rank)
    if "cpuonly" in packages:
        reading.put("request.variant", "cpu", index, rank)
    if re.search(r"-c\s{1,3}pytorch\b|pytorch::|--channel[ =]pytorch\b", rest):
        reading.put("request.index", "https://conda.anaconda.org/pytorch", index, rank)


def _urls(reading: Reading, index: int, text: str, rank: int) -> None:
    for match in _INDEX_OPTION.finditer(text[:2000]):
        url = match[1].split("=", 1)[1] if "=http" in match[1] else match[1]
        put_index(reading, index, url, rank, beside=match[0].startswith(("-f", "--find-links")))


def _environment(reading: Reading, index: int, line: str, absent: set[str]) -> None:
    for match in _ENV.finditer(line[:2000]):
        name, value = match[1], match[2].strip("\"'")
        if not _ENV_NAMES.match(name) or name in absent or value.startswith("$(") or ("://" in value and "@" in value):
            continue
        if _ADVISED.search(line[max(0, match.start() - 24) : match.start(1)]):
            continue
        tail = line[match.end() : match.end() + 30].lower()
        if re.match(r"\s{0,4}(?:->|→|=>|:)\s{0,3}(?:pass|works|ok)", tail):
            reading.symptom("mask-works", index)
            continue
        if name.endswith("VISIBLE_DEVICES") and _command_follows(line[: match.start(2)], value):
            if _PROGRAM.match(value):  # a shell that reads "NAME= command" sets it to nothing for that command
                reading.draft.put(f"environment.{name}", "", reading.source(index), rank=PRINTED)
            continue
        alone = not value and line.strip().removeprefix("export ").removeprefix("ENV ") == f"{name}="
        if (match[2] in ('""', "''") or alone) and name.endswith("VISIBLE_DEVICES"):
            # Set and empty: unlike Reading.put, that is an answer.
            reading.draft.put(f"environment.{name}", "", reading.source(index), rank=PRINTED)
            continue
        if value in ("", "<none>", "N/A") and ":" in line[match.start() : match.end()]:
            continue
        reading.put(f"environment.{name}", value, index, PRINTED)


def _command_follows(before: str, value: str) -> bool:
    """``NAME= word``: the word is no value, unless it names a device."""
    return before.endswith("= ") and before[-3:-2] != " " and value[:1].isalpha() and not _GPU_NAMES.match(value)


def _listed(reading: Reading, index: int, line: str) -> None:
    """Variables in lists: of a container's settings, of PowerShell's ``Name  Value`` columns, of a pod."""
    for match in _EMPTY.finditer(line[:4000]):
        reading.draft.put(f"environment.{match[1]}", "", reading.source(index), rank=PRINTED)
    for match in _ITEM.finditer(line[:4000]):
        if _ENV_NAMES.match(match[1]):
            reading.put(f"environment.{match[1]}", match[2], index, PRINTED)
    if (row := _ROW.match(line)) and _ENV_NAMES.match(row[1]) and _in_columns(reading, index):
        reading.put(f"environment.{row[1]}", row[2], index, PRINTED)
    elif (pod := _OF_POD.match(line)) and _ENV_NAMES.match(pod[1]):
        below = reading.lines[index + 1] if index + 1 < len(reading.lines) else ""
        if value := _POD_VALUE.match(below):
            reading.draft.put(f"environment.{pod[1]}", value[1], reading.source(index + 1), rank=PRINTED)


def _in_columns(reading: Reading, index: int) -> bool:
    """Whether the line stands below PowerShell's heading of a list of variables."""
    above = reading.lines[max(0, index - 60) : index]
    return any(line.split() == ["Name", "Value"] for line in above)


def _echoed(reading: Reading, index: int, name: str, absent: set[str]) -> None:
    # an empty line may be an empty variable or an unset one: nothing follows from it
    if index + 1 >= len(reading.lines) or name in absent or not _ENV_NAMES.match(name):
        return
    value = reading.lines[index + 1].strip()
    if value and not _PROMPT.match(reading.lines[index + 1]) and len(value) < 400:
        reading.put(f"environment.{name}", value, index + 1, PRINTED - 1)


def _image(reading: Reading, index: int, line: str) -> None:
    if _DOCKER.search(line):
        word = "podman" if "podman" in line.lower() else "docker"
        if not (_PROMPT.match(line) and "docker build" in line):
            reading.put("system.container", word, index, CLAIMED - 1)
    if not _IMAGE_WORD.search(line):
        return
    for token in line[:1500].split():
        token = token.strip("()\"',`")
        if (
            _IMAGE.fullmatch(token)
            and not token.split(":")[1].isdigit()
            and token[1:3] != ":\\"
            and not token.lower().startswith(("docker:", "error:"))
        ):
            _image_facts(reading, index, token)
            return


def _image_facts(reading: Reading, index: int, image: str) -> None:
    tag = image.split(":")[1].lower()
    name = image.split(":")[0].lower()
    reading.put("system.container", "docker", index, CLAIMED - 1)
    if "windowsservercore" not in image and "nanoserver" not in image:
        reading.put("system.os", "linux", index, CLAIMED - 2)
    if match := re.search(r"ubuntu-?(\d{2}\.\d{2})|rockylinux-?(\d)|ubi(\d)", tag):
        name_of = "Ubuntu" if match[1] else "Rocky Linux" if match[2] else "Red Hat Enterprise Linux"
        reading.put("system.name", name_of, index, CLAIMED - 2)
        reading.put("system.version", match[1] or match[2] or match[3], index, CLAIMED - 2)
    if "alpine" in tag or name.endswith("alpine"):
        reading.put("system.os", "linux", index, CLAIMED + 3)
        reading.put("system.name", "Alpine Linux", index, CLAIMED + 3)
        reading.put("system.libc", "musl", index, CLAIMED + 3)
    elif name.endswith(
        (
            "ubuntu",
            "debian",
            "centos",
            "fedora",
            "rockylinux",
            "almalinux",
            "amazonlinux",
            "nixos",
            "ubi8/ubi",
            "ubi9/ubi",
        )
    ):
        put_system(
            reading,
            index,
            image.rsplit("/", 1)[-1]
            .replace(":", " ")
            .replace("amazonlinux", "amazon linux")
            .replace("rockylinux", "rocky linux"),
            CLAIMED - 2,
        )
    if (
        name.endswith("pytorch/pytorch")
        and (held := _TORCH_IMAGE.match(tag))
        and (parsed := values.parse_torch(f"{held[1]}+{values.cuda_variant(held[2])}"))
    ):
        put_torch(reading, index, parsed, CLAIMED - 4)
    if (name.endswith("python") or "python" in tag) and (
        match := re.search(r"(?:python)?(3\.\d{1,2}(?:\.\d{1,2})?)(?![\d.]*-cuda)", tag)
    ):
        reading.put("python.version", match[1], index, CLAIMED + 1)
    if ("-py3." in tag or "_py3." in tag) and (match := re.search(r"[-_]py(3\.\d{1,2})", tag)):
        reading.put("python.version", match[1], index, CLAIMED - 1)
