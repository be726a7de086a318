"""What a shell session gives away about devices and drivers: ``ls /dev``, ``id``, ``lsmod``, kernel messages, ``os.environ``."""

from __future__ import annotations

import re

from torchdoctor.probes.patterns import holds, regex
from torchdoctor.probes.reports.reading import CLAIMED, MEASURED, PRINTED, Reading

__all__ = ["read_device_access"]

_VARIABLE = r"((?:CUDA|NVIDIA|HIP|ROCR|HSA|ZE|ONEAPI|SYCL|LD|TRITON)_[A-Z0-9_]{2,40})"
_ASSIGNED = regex(rf"os\.environ\[[\"']{_VARIABLE}[\"']\]\s{{0,4}}=\s{{0,4}}[\"']([^\"']{{0,400}})[\"']")
_COMMENTED = regex(
    rf"print\(os\.(?:environ\[|environ\.get\(|getenv\()[\"']{_VARIABLE}[\"'][\])]{{1,2}}\)?\s{{0,4}}#\s{{0,2}}(?:->|=>|→|prints?:?)?\s{{0,2}}['\"]?(\d{{1,2}}(?:,\d{{1,2}}){{0,15}})['\"]?\s{{0,4}}$"
)
_ASKED = regex(
    rf"^\s{{0,8}}>>> (?:print\()?os\.(?:environ(?:\[|\.get\()|getenv\()[\"']{_VARIABLE}[\"']\s{{0,4}}[\])]{{1,2}}\s{{0,4}}$"
)
_ANSWER = regex(r"^\s{0,8}['\"]([^'\"]{0,400})['\"]\s{0,4}$")

_NODE = regex(
    r"^\s{0,4}c([-rw]{2}[-xs][-rw]{2}[-xs][-rw]{2}[-xt])([.+@]?)\s{1,4}\d{1,3}\s{1,4}(\S{1,32})\s{1,4}(\S{1,32})\s.{1,60}?"
    r"((?:/dev/)?(?:dri/)?(?:kfd|dxg|(?:renderD|card)\d{1,4}|nvidia\d{1,3}|nvidiactl|nvidia-uvm))\s{0,4}$"
)
_REFUSED = regex(
    r"(/dev/(?:kfd|dri/renderD\d{1,4}))\b.{0,60}(?:EACCES|permission denied)|permission denied.{0,12}?(/dev/(?:kfd|dri/renderD\d{1,4}))\b",
    re.I,
)
# Not of nvidia-caps, nvidia-modeset or nvidia-uvm-tools, which many machines do without.
_NO_NVIDIA = regex(r"/dev/(nvidia(?:\*|ctl|-uvm|\d{1,3})?)(?![\w-])")
_ID = regex(r"\buid=(\d{1,10})(?:\([^)]{0,40}\))?\s.{0,60}\bgroups=(\S{1,2000})")
_GROUP = regex(r"(\d{1,10})(?:\(([^)]{1,40})\))?")
_PROMPT = regex(r"^\s{0,4}(?:\([\w.-]{1,40}\) ?)?(?:[\w.-]{1,40}@[\w.-]{1,60}[: ][^$#\n]{0,80})?[$#]\s{0,4}")
_LSMOD = regex(r"lsmod ?\| ?grep (?:-\w{1,3} )?['\"]?\^?(nvidia|nouveau|amdgpu)['\"]?\s{0,4}$")
_CONTAINER_PROMPT = regex(r"^\s{0,4}(?:\([\w.-]{1,40}\) ?)?[\w.-]{1,32}@[0-9a-f]{12}:[^#$\n]{0,120}[#$]")
_CLIENT = regex(r"the client has the version (\d{3}\.\d{1,4}(?:\.\d{1,4})?)")
_MODULE = regex(r"kernel module has the version (\d{3}\.\d{1,4}(?:\.\d{1,4})?)")
_POD = regex(
    r"\bkubectl (?:exec|logs|describe|apply)\b|\bnvidia\.com/gpu(?!=)|\bin (?:a|the|my) pod\b|\bkubernetes pod\b|\b(?:after|until) (?:a |the )?pod restarts?\b|\brestart(?:s|ed|ing)? (?:the|my) pod\b",
    re.I,
)

#: Texts of programs and kernels that say one thing only: needle in lower case, symptom.
_SAID: tuple[tuple[str, str], ...] = (
    ("gpu access blocked by the operating system", "nvml-blocked-by-os"),
    ("driver not initialized (amdgpu not found in modules)", "rock-not-loaded"),
    ("unresolvable cdi devices nvidia.com/gpu", "container-no-gpu-capability"),
    ("killed by signal: bus error", "bus-error-worker"),
    ("could not insert 'nvidia'", "nvidia-module-key"),
    ("nvidia-smi: command not found", "nvidia-smi-not-found"),
    ("command 'nvidia-smi' not found", "nvidia-smi-not-found"),
    ("command not found: nvidia-smi", "nvidia-smi-not-found"),
    ("nvidia-smi: not found", "nvidia-smi-not-found"),
    ("unknown command: nvidia-smi", "nvidia-smi-not-found"),
    ("'nvidia-smi' is not recognized", "nvidia-smi-not-found"),
)


def read_device_access(reading: Reading) -> None:
    """Variables read in a session, device nodes and who may open them, modules, mismatching halves, containers."""
    for needle, symptom in _SAID:
        if needle in reading.low:
            index = next((i for i, line in enumerate(reading.lines) if needle in line.lower()), None)
            if index is not None and (
                symptom != "nvidia-module-key" or "key was rejected" in reading.lines[index].lower()
            ):
                reading.symptom(symptom, index)
    if reading.has("os.environ", "os.getenv"):
        _python_variables(reading)
    if reading.has("/dev/nvidia", "renderd", "/dev/kfd", "/dev/dri", "/dev/dxg"):
        _nodes(reading)
        if reading.has("eacces", "permission denied"):
            _refused(reading)
    if reading.has("libcuda.so.1"):
        _libcuda(reading)
    if "sudo " in reading.text and reading.has(*_SUDO_LISTERS):
        _listed_by_root(reading)
    if reading.has("lsmod"):
        _modules(reading)
    if reading.has("nvidia") and reading.has("dpkg", "rpm", "pacman", "apt ", "kernel modules:"):
        _driver_packages(reading)
    if reading.has("the client has the version"):
        _halves(reading)
    if reading.has("secureboot "):
        _secure_boot(reading)
    _container(reading)


def _refused(reading: Reading) -> None:
    """An open that the kernel refused, as a trace or a program prints it."""
    for index, line in enumerate(reading.lines):
        if ("/dev/dri/" in line or "/dev/kfd" in line) and (match := _REFUSED.search(line[:2000])):
            node = match[1] or match[2]
            reading.put(f"devices.{node}.present", True, index, PRINTED)
            reading.put(f"devices.{node}.openable", False, index, PRINTED)


_CACHED = r"=> /(?:usr/)?lib(?:64)?/(?:[\w-]{1,40}/)?libcuda\.so"
_DRIVER_FILE = r"/(?:usr/)?lib(?:64)?/(?:[\w-]{1,40}/)?libcuda\.so[.\d]{0,16} -> libcuda\.so\.\d{3}\.\d"


def _libcuda(reading: Reading) -> None:
    """The loader takes the libcuda of a distribution: its cache names that one first, or the file of a driver is there and
    the cache is not shown.
    """
    rows = [i for i in reading.find("libcuda.so.1") if "=>" in reading.lines[i]]
    if rows:
        if re.search(_CACHED, reading.lines[rows[0]]):
            reading.symptom("libcuda-of-linux-driver", rows[0])
        return
    for index in reading.find("libcuda.so.1 -> "):
        if re.search(_DRIVER_FILE, reading.lines[index][:1000]):
            reading.symptom("libcuda-of-linux-driver", index)
            return


def _python_variables(reading: Reading) -> None:
    for index, line in enumerate(reading.lines):
        if "os." not in line:
            continue
        if match := _COMMENTED.search(line[:2000]):
            _put(reading, match[1], match[2], index)
        elif match := _ASSIGNED.search(line[:2000]):
            if not line.lstrip().startswith("#"):
                _put(reading, match[1], match[2], index)
        elif (
            (match := _ASKED.match(line))
            and index + 1 < len(reading.lines)
            and (answer := _ANSWER.match(reading.lines[index + 1]))
        ):
            _put(reading, match[1], answer[1], index + 1)


def _put(reading: Reading, name: str, value: str, index: int) -> None:
    # Unlike Reading.put: an empty value is an answer here.
    reading.draft.put(f"environment.{name}", value, reading.source(index), rank=PRINTED)


def _nodes(reading: Reading) -> None:
    groups, root = _groups(reading)
    for index, line in enumerate(reading.lines):
        if (
            ("cannot access" in line or "No such file" in line)
            and "/dev/nvidia" in line
            and (match := _NO_NVIDIA.search(line))
        ):
            named = match[1]
            for node in ("nvidiactl", "nvidia0", "nvidia-uvm") if named in ("nvidia*", "nvidia") else (named,):
                reading.put(f"devices./dev/{node}.present", False, index, MEASURED)
            if named != "nvidia-uvm":
                reading.symptom("nvidia-nodes-looked-for", index)  # who looks for them counts on a GPU
        elif line.lstrip().startswith("crw") and (match := _NODE.match(line)):
            mode, extra, owner, group, name = match.groups()
            path = (
                name
                if name.startswith("/dev/")
                else f"/dev/dri/{name}"
                if name.startswith(("renderD", "card"))
                else f"/dev/{name}"
            )
            reading.put(f"devices.{path}.present", True, index, MEASURED)
            reading.put(f"devices.{path}.group", group, index, MEASURED)
            # An access list (+) may open it to others: then nothing follows from the mode.
            if groups is not None and not root and extra != "+" and mode[6:8] != "rw" and owner == "root":
                reading.put(f"devices.{path}.openable", group in groups and mode[3:5] == "rw", index, PRINTED)


def _groups(reading: Reading) -> tuple[set[str] | None, bool]:
    """The groups of the user who typed ``id``, and whether that is root; ``None`` where the text does not show them."""
    if "groups=" not in reading.text:  # the answer of id without options
        return _listed_groups(reading), False
    for line in reading.find("groups="):
        if match := _ID.search(reading.lines[line]):
            found = _GROUP.findall(match[2])
            return {name for row in found for name in row if name}, match[1] == "0"
    return None, False


def _listed_groups(reading: Reading) -> set[str] | None:
    """The answer of ``groups``: names on one line, or ``user : names``."""
    for index in (*reading.find("groups"), *reading.find(" id -")):
        if not re.search(
            r"[$#%>] (?:groups|id -n?Gn?)(?: \w{1,32})?\s{0,4}$", reading.lines[index]
        ) or index + 1 >= len(reading.lines):
            continue
        names = reading.lines[index + 1].rpartition(" : ")[2].split()
        if names and all(re.fullmatch(r"[a-z_][\w.-]{0,31}", n) for n in names):
            return set(names) if "root" not in names[:1] else None
    return None


_LISTERS = ("sycl-ls", "rocminfo", "clinfo", "rocm-smi", "xpu-smi", "amd-smi")
_SUDO_LISTERS = tuple(f"sudo {name}" for name in _LISTERS)
_LISTER = regex(
    r"[$#%>] (?P<root>sudo (?:-E )?)?(?:\S{0,80}/)?(?P<tool>sycl-ls|rocminfo|clinfo|rocm-smi|xpu-smi|amd-smi)(?: [\w-][\w -]{0,40})?\s*$"
)
_LISTED_GPU = regex(
    r"\[(?:ext_oneapi_)?(?:level_zero|opencl):gpu|\bName:\s{1,40}gfx\d{3,4}|\bDevice Type:?\s{1,60}(?:CL_DEVICE_TYPE_)?GPU\b|\bDevice #\d|\bGPU\[\d|\| Device Name:|^GPU: \d"
)


def _listed_by_root(reading: Reading) -> None:
    """A program that lists devices was run twice, and only under sudo it listed a GPU."""
    answers: dict[str, dict[bool, tuple[int, bool]]] = {}
    for index, line in enumerate(reading.lines):
        match = _LISTER.search(line[:300]) if holds(line, _LISTERS) else None
        if match is None:
            continue
        listed = said = False
        for below in reading.lines[index + 1 : index + 200]:
            if _PROMPT.match(below):
                break
            said = said or bool(below.strip())
            listed = listed or _LISTED_GPU.search(below[:300]) is not None
        if said:  # an answer that is not shown says nothing
            answers.setdefault(match["tool"], {})[match["root"] is not None] = (index, listed)
    for runs in answers.values():
        if True in runs and False in runs and runs[True][1] and not runs[False][1]:
            reading.symptom("root-lists-more", runs[True][0])
            return


def _modules(reading: Reading) -> None:
    for index, line in enumerate(reading.lines):
        match = _LSMOD.search(line) if "lsmod" in line else None
        if match is None or index + 1 >= len(reading.lines):
            continue
        after = reading.lines[index + 1]
        if after.strip().startswith(match[1]):
            if match[1] == "nouveau":
                reading.symptom("nouveau-loaded", index + 1)
            elif match[1] == "nvidia":
                reading.put("drivers.nvidia.loaded", True, index + 1, PRINTED)
        elif match[1] == "nvidia" and _PROMPT.match(line) and _PROMPT.match(after):
            # Asked and answered with nothing: the next prompt follows at once.
            reading.put("drivers.nvidia.loaded", False, index, PRINTED)


# The packages that hold the driver itself: of Debian and Ubuntu, of Fedora and RHEL, of Arch, of openSUSE.
_PACKAGE = regex(
    r"(?:local/)?(?:nvidia-driver(?:-\d{3})?(?:-server|-open){0,2}|nvidia-dkms(?:-\d{3})?(?:-server|-open){0,2}|nvidia-kernel-dkms|nvidia(?:-open)?(?:-dkms|-lts)?"
    r"|(?:akmod|kmod|dkms)-nvidia(?:-open)?(?:-dkms)?|xorg-x11-drv-nvidia|nvidia-(?:open-)?driver-G\d{2}(?:-signed)?(?:-kmp-\w{1,12})?|nvidia-video-G\d{2})"
    r"(?P<version>-(?:\d:)?\d{3}\.\d{2}\S{0,80})?(?:[/:]\S{0,80})?"
)
_DRIVER_NUMBER = regex(r"(?:\d:)?\d{3}\.\d{2}")
_OFFERS_NVIDIA = regex(r"^\s{0,12}Kernel modules: (?:.{0,100}[ ,])?nvidia(?:,|\s|$)")


def _driver_packages(reading: Reading) -> None:
    """The driver among the distribution's packages, or its module among those that the kernel has for the device."""
    listed = reading.has("dpkg", "rpm -q", "pacman -q", "apt list")
    for index, line in enumerate(reading.lines):
        if "nvidia" not in line or len(line) > 400:
            continue
        if (listed and _packaged(line)) or ("Kernel modules:" in line and _OFFERS_NVIDIA.match(line)):
            reading.put("drivers.nvidia.installed", True, index, PRINTED)


def _packaged(line: str) -> bool:
    words = line.split(None, 4)
    if words[0] == "ii":  # dpkg: installed; what is removed with its configuration left is rc
        del words[0]
    match = _PACKAGE.fullmatch(words[0]) if words else None
    if match is None or ("/" in words[0] and not words[0].startswith("local/") and "[installed" not in line):
        return False  # apt lists what it could install, too
    return match["version"] is not None or (len(words) > 1 and _DRIVER_NUMBER.match(words[1]) is not None)


def _halves(reading: Reading) -> None:
    for index in reading.find("API mismatch"):
        text = " ".join(reading.lines[index : index + 4])
        client, module = _CLIENT.search(text), _MODULE.search(text)
        if client and module and client[1] != module[1]:
            reading.symptom("driver-library-mismatch", index)
            reading.put("drivers.nvidia.library", client[1], index, PRINTED)
            reading.put("drivers.nvidia.version", module[1], index, PRINTED)


def _secure_boot(reading: Reading) -> None:
    for index, line in enumerate(reading.lines):
        words = line.split()
        if len(words) == 2 and words[0] == "SecureBoot" and words[1] in ("enabled", "disabled"):
            reading.put("system.secure_boot", words[1] == "enabled", index, MEASURED)


def _container(reading: Reading) -> None:
    for index in reading.find(" ➜ /workspaces/"):  # the prompt of the images for development containers
        reading.put("system.container", "docker", index, CLAIMED)
        break
    if "@" in reading.text:
        for index, line in enumerate(reading.lines):
            if "@" in line and _CONTAINER_PROMPT.match(line):
                # Docker names a container after its id: twelve hexadecimal digits.
                reading.put("system.container", "docker", index, CLAIMED + 2)
                return
    if reading.has("kubectl", "nvidia.com/gpu", " pod"):
        for index, line in enumerate(reading.lines):
            if _POD.search(line[:2000]):
                reading.put("system.container", "kubernetes", index, CLAIMED - 1)
                return
