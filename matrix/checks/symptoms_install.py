"""Findings that rest on what an installer said: wheels refused, sources that take the wrong one, pins that disagree."""

from __future__ import annotations

import re
from collections.abc import Iterator

from torchdoctor.matrix.case import Case
from torchdoctor.matrix.catalog import version_key
from torchdoctor.matrix.checks import check
from torchdoctor.matrix.checks.symptoms import seen
from torchdoctor.matrix.findings import finding
from torchdoctor.matrix.grounds import to_findings
from torchdoctor.matrix.platforms import platforms_of
from torchdoctor.matrix.requirements import machine_findings
from torchdoctor.matrix.verdict import Finding
from torchdoctor.probes.facts import regex

_REGISTRY = regex(r"[Dd]istribution `?([\w.-]{1,80})==([^ `]{1,60}) @ registry\+(\S{1,200}?)`? (?:can|with)")
_FIRST_INDEX = regex(r"`([\w.-]{1,80})` was found on (\S{1,300}), but not at the requested version")
_TORCH_INDEX = regex(r"/whl/(?:nightly/|test/)?(?:cpu|cu\d{2,3}|rocm[\d.]{1,8}|xpu)\b")
_MANYLINUX = regex(r"manylinux[\d_]{1,8}_(x86_64|aarch64)")
_HINTED = regex(r"You're on \w{3,12} \(`([\w.]{3,40})`\), but `torch` ")
_ITS_OWN = (
    "torch",
    "torchvision",
    "torchaudio",
    "torchcodec",
    "triton",
    "pytorch-triton",
    "pytorch-triton-rocm",
    "pytorch-triton-xpu",
)
_ONEAPI = ("intel-", "mkl", "dpcpp", "tbb", "tcmlib", "umf", "oneccl", "impi", "onemkl")
_REQUIRES = regex(r"^\s{0,8}(?:ERROR: )?torch \S{1,40} (?:requires|has requirement) ([\w.-]{1,80})")
_TAG = regex(
    r"manylinux_(\d{1,2})_(\d{1,3})_(\w{4,10})|manylinux(2014|2010|1)_(\w{4,10})|linux_(\w{4,10})|macosx_(\d{1,2})_(\d{1,2})_(\w{4,10})|(win32|win_amd64|win_arm64)"
)
_OWN_TAG = regex(r"\(`(cp\d{2,3})`\), but .{0,20}`torch` .{1,80}?tags?: (.{1,400})")
_LAST_ON_CHANNEL = (
    2,
    5,
    1,
)  # the release with which the pytorch channel ended (source: the end-of-channel announcement)


def _index_finding(case: Case, detail: str, rows: tuple[str, ...], *fix: str) -> Finding:
    return finding(
        "index-configuration",
        case,
        about="request",
        severity="blocker",
        detail=detail,
        evidence=(*rows, "request.index", "request.torch"),
        fix=fix,
    )


def _lists_this_machine(hint: re.Match[str]) -> bool:
    """Whether the platforms that a uv hint lists hold one of the same system and machine."""
    mine = _MANYLINUX.match(hint[1])
    return mine is not None and any(m[1] == mine[1] for m in _MANYLINUX.finditer(hint.string, hint.end()))


@check("index-configuration", seen=("uv-no-wheel", "uv-no-wheel-other"))
def uv_took_the_wrong_one(case: Case) -> Iterator[Finding]:
    """uv resolved a distribution on an index that has no wheel of it for this platform, while the right one exists."""
    for index, text in case.symptom("uv-no-wheel"):
        match = _REGISTRY.search(text)
        hint = next((m for _, t in case.symptom("uv-platform-hint") if (m := _HINTED.search(t))), None)
        if match is None or hint is None or "+" in match[2] or not _TORCH_INDEX.search(match[3]):
            continue
        if _lists_this_machine(hint):
            continue  # a wheel for this machine is there and wants more of the system than it has
        release = case.catalog.release(match[2])
        variant = case.facts.request.variant
        possible = platforms_of(case.facts).possible
        if release is None or not variant or not all(release.build(variant, p) for p in possible):
            continue
        yield _index_finding(
            case,
            f"The index holds a plain torch {match[2]} for another platform beside {match[2]}+{variant} for this one, and the lock took the plain one.",
            (f"symptoms[{index}]", *seen(case, "uv-platform-hint")[:1]),
            "give torch its index per platform: markers in [tool.uv.sources], conflicting extras declared under [tool.uv] conflicts",
            f"or without a project: uv pip install torch=={match[2]} --torch-backend={variant}",
        )
    for index, text in case.symptom("uv-no-wheel-other"):
        match = _REGISTRY.search(text)
        if match is None or case.facts.system.libc == "musl" or not _TORCH_INDEX.search(match[3]):
            continue
        name = match[1].lower().replace("_", "-")
        if name in _ITS_OWN or name.startswith(("nvidia-", "intel-", "rocm")):
            continue
        yield _index_finding(
            case,
            f"{match[1]} was taken from the index of torch, which mirrors only some of its wheels.",
            (f"symptoms[{index}]",),
            'mark the index explicit = true and name it for torch only: [tool.uv.sources] torch = { index = "…" }',
        )


@check("index-configuration", seen=("uv-first-index",))
def first_index_wins(case: Case) -> Iterator[Finding]:
    """uv looked no further than the index of torch, which mirrors an old release of another project."""
    for index, text in case.symptom("uv-first-index"):
        match = _FIRST_INDEX.search(text)
        if match is None or not _TORCH_INDEX.search(match[2]):
            continue
        name = match[1].lower().replace("_", "-")
        if name in _ITS_OWN or name.startswith(("nvidia-", "intel-", "rocm")):
            continue
        yield _index_finding(
            case,
            f"{match[1]} is on the index of torch too, in other versions; uv takes a project from the first index that has it.",
            (f"symptoms[{index}]",),
            'mark the index explicit = true and name it for torch only: [tool.uv.sources] torch = { index = "…" }',
            "or install torch by itself first: uv pip install torch --torch-backend=auto, then the rest without that index",
        )
        return


@check("index-configuration", seen=("requirement-bad-name", "poetry-no-candidate", "uv-no-wheel"))
def names_and_locals(case: Case) -> Iterator[Finding]:
    """A requirement whose name holds a local version, or a local version that this platform's wheels do not have."""
    for index, text in case.symptom("requirement-bad-name"):
        yield _index_finding(
            case,
            f"{text!r} names another project: the source table for torch does not apply to it.",
            (f"symptoms[{index}]",),
            'write "torch>=…" and choose the variant by the index in [tool.uv.sources]',
        )
    for index, text in case.symptom("poetry-no-candidate", "uv-no-wheel"):
        # a CUDA pin has no wheel there whatever the index; the plain wheel is what +cpu means
        local = re.search(r"torch \(\S{1,40}\+(\w{2,12})|torch==\S{1,40}\+(cpu)\b", text)
        if local and case.facts.system.os == "macos":
            yield _index_finding(
                case,
                f"Wheels for macOS carry no local version: +{local[1] or local[2]} is only for the other systems.",
                (f"symptoms[{index}]", "system.os"),
                "split the dependency by markers: without source and local version for darwin, with them for linux and win32",
            )


@check("no-wheel-for-platform", "index-configuration", seen=("pip-no-version",))
def pip_found_none(case: Case) -> Iterator[Finding]:
    """pip was offered the release without its local version, or nothing at all on a platform that the index does not serve."""
    request = case.facts.request
    rows = seen(case, "pip-no-version")
    if not rows or request.versions_offered is None or request.package not in (None, "torch"):
        return
    offered = request.versions_offered
    if request.torch and request.variant and request.torch in offered and not any("+" in v for v in offered):
        if (
            not _mac(case)
            and not _names_torch_index(request.index)
            and _published(case, request.torch, request.variant)
        ):
            yield _index_finding(
                case,
                f"The index that was asked has torch {request.torch} without local versions; +{request.variant} is on the index of that variant.",
                rows[:1],
                f"add --index-url https://download.pytorch.org/whl/{request.variant}",
            )
            return
        yield finding(
            "no-wheel-for-platform",
            case,
            about="request",
            severity="blocker",
            detail=f"torch {request.torch} is there for this platform, a +{request.variant} build of it is not.",
            evidence=(*rows[:1], "request.torch", "request.variant", "request.versions_offered"),
            fix=(f"ask for torch=={request.torch} without +{request.variant}",),
            lies_in="packages",
        )
    elif not offered and not _names_torch_index(request.index) and (platform := _off_the_default_index(case)):
        os, machine = ("Windows", "Arm") if platform == "windows_arm64" else platform.capitalize().split("_", 1)
        emulated = ("or use an x86-64 Python under emulation",) if platform == "windows_arm64" else ()
        yield finding(
            "no-wheel-for-platform",
            case,
            about="request",
            severity="blocker",
            detail=f"The default package index has no torch wheels for {os} on {machine}.",
            evidence=(*rows[:1], "system.os", "system.machine", "request.versions_offered"),
            fix=(
                f"pip install torch --index-url https://download.pytorch.org/whl/cpu ({machine} wheels, CPU only)",
                *emulated,
            ),
            lies_in="system",
        )


def _off_the_default_index(case: Case) -> str | None:
    """The platform of this machine, where some release has a build for it and the default index never had one."""
    possible = platforms_of(case.facts).possible
    if len(possible) != 1:
        return None
    releases = tuple(case.catalog.releases())
    if any(r.default_index.get(possible[0]) for r in releases):
        return None
    return possible[0] if any(b.platform == possible[0] for r in releases for b in r.builds) else None


def _mac(case: Case) -> bool:
    return case.facts.system.os == "macos" or (case.facts.request.platform or "").startswith("macos")


def _published(case: Case, version: str, variant: str) -> bool:
    """Whether that pair exists for any system but macOS; releases before the matrix are taken to have had their variants."""
    release = case.catalog.release(version)
    if release is None:
        return version_key(version) < version_key(case.catalog.oldest())
    return any(b.variant == variant and not b.platform.startswith("macos") for b in release.builds)


def _names_torch_index(url: str | None) -> bool:
    return url is not None and ("download.pytorch.org" in url or _TORCH_INDEX.search(url) is not None)


@check("no-wheel-for-platform", "python-unsupported", seen=("no-wheel-said",))
def said_so(case: Case) -> Iterator[Finding]:
    """The report itself says that there is no wheel for this platform and interpreter."""
    for index, text in case.symptom("no-wheel-said"):
        rows = (f"symptoms[{index}]", "system.os", "system.machine", "python.version")
        yield finding(
            "no-wheel-for-platform",
            case,
            about="request",
            severity="blocker",
            detail="No wheel was found for this platform.",
            evidence=rows,
            fix=("take a Python version that has a wheel for this platform (see the recommendation)",),
        )
        if re.search(r"\bcp3\d{1,2}\b|this python", text.lower()):
            yield finding(
                "python-unsupported",
                case,
                about="request",
                severity="warning",
                # Both are said: another Python or another platform would do.
                detail="There is no wheel for this Python on this platform.",
                evidence=rows,
                fix=("make an environment with a Python version that has one (see the recommendation)",),
            )


@check("python-unsupported", seen=("uv-abi-hint",))
def uv_lists_other_pythons(case: Case) -> Iterator[Finding]:
    """uv lists the Python tags that torch has on this platform's index, and this interpreter's is not among them."""
    for index, text in case.symptom("uv-abi-hint"):
        match = _OWN_TAG.search(text)
        if match is None or match[1] in re.findall(r"`(cp\d{2,3}t?)`", match[2]) or "`cp" not in match[2]:
            continue
        yield finding(
            "python-unsupported",
            case,
            about="request",
            severity="blocker",
            detail=f"The wheels of that release are for {match[2].strip()[:120]}; this interpreter is {match[1]}.",
            evidence=(f"symptoms[{index}]", "python.version", "request.torch"),
            fix=(
                "uv python pin with a version of that list, then uv sync",
                "or take a release with a wheel for this Python",
            ),
        )


@check("python-unsupported", seen=("pip-other-python",))
def pip_leaves_out(case: Case) -> Iterator[Finding]:
    """pip says that torch, as it was asked for, requires another Python than this."""
    for index, text in case.symptom("pip-other-python")[:1]:
        yield finding(
            "python-unsupported",
            case,
            about="request",
            severity="blocker",
            detail=f"pip left the wheel out: {text}.",
            evidence=(f"symptoms[{index}]", "python.version", "request.torch"),
            fix=(
                "make an environment with a Python that this release has wheels for",
                "or take a release with a wheel for this Python (see the recommendation)",
            ),
        )


@check(
    "python-32bit",
    "musl",
    "arm32",
    "python-implementation",
    seen=("pip-no-version", "pip-stub-sdist", "uv-no-wheel", "uv-no-tag", "wheel-refused"),
)
def no_build_at_all(case: Case) -> Iterator[Finding]:
    """The installer found nothing, and nothing was ever published for this interpreter."""
    if not seen(case, "pip-no-version", "pip-stub-sdist", "uv-no-wheel", "uv-no-tag", "wheel-refused"):
        return
    outcomes = [o for o in machine_findings(case.facts) if o.id != "no-wheel-for-platform"]
    yield from to_findings(case, outcomes, about="machine", severity="blocker", cure=None)


_WHEEL_PYTHON = regex(r"cp(3)(\d{1,2})$")
_WHEEL_SYSTEMS = (
    ("win", "windows"),
    ("macosx", "macos"),
    ("manylinux", "linux"),
    ("musllinux", "linux"),
    ("linux", "linux"),
)


@check("python-unsupported", "no-wheel-for-platform", seen=("wheel-refused",))
def wheel_of_another(case: Case) -> Iterator[Finding]:
    """pip refused a wheel file: its tags name another Python or another system than this."""
    facts = case.facts
    rows = seen(case, "wheel-refused")
    if not rows:
        return
    tag, here = _WHEEL_PYTHON.match(facts.request.python or ""), (facts.python.version or "").split(".")[:2]
    if tag and len(here) == 2 and here != [tag[1], tag[2]]:
        yield finding(
            "python-unsupported",
            case,
            about="request",
            severity="blocker",
            title="The wheel is for another Python",
            detail=f"The wheel is for Python {tag[1]}.{tag[2]}, this is {facts.python.version}.",
            evidence=(*rows[:1], "request.python", "python.version"),
            fix=(
                "let pip choose the file: name the release and the index instead (see the recommendation)",
                f"or make an environment with Python {tag[1]}.{tag[2]}",
            ),
        )
    platform = facts.request.platform or ""
    system = next((os for word, os in _WHEEL_SYSTEMS if platform.startswith(word)), None)
    if system and facts.system.os and facts.system.os != system:
        yield finding(
            "no-wheel-for-platform",
            case,
            about="request",
            severity="blocker",
            title="The wheel is for another system",
            detail=f"The wheel is for {system}, this is {facts.system.os}.",
            evidence=(*rows[:1], "request.platform", "system.os"),
            fix=("let pip choose the file: name the release and the index instead (see the recommendation)",),
        )


@check("glibc-too-old", "no-wheel-for-platform", seen=("wheel-refused",))
def wheel_refused(case: Case) -> Iterator[Finding]:
    """pip refused a wheel file: its platform tag asks for more than this system has."""
    facts = case.facts
    tag = _TAG.search((facts.request.platform or "").split(".")[0])
    if tag is None or not case.symptom("wheel-refused"):
        return
    rows = (*seen(case, "wheel-refused")[:1], "system.libc_version", "system.machine", "system.os")
    machine = (
        tag[3]
        or tag[5]
        or tag[6]
        or tag[9]
        or {"win32": "i686", "win_amd64": "x86_64", "win_arm64": "aarch64"}.get(tag[10] or "")
    )
    here = facts.python.machine or facts.system.machine
    if tag[1] and facts.system.libc_version and version_key(facts.system.libc_version) < (int(tag[1]), int(tag[2])):
        yield finding(
            "glibc-too-old",
            case,
            about="request",
            severity="blocker",
            detail=f"The wheel is for glibc {tag[1]}.{tag[2]} and newer, this system has {facts.system.libc_version}.",
            evidence=rows,
            fix=("use a container or a system with a newer glibc",),
            lies_in="system",
        )
    elif (
        machine
        and here
        and here != "armv7l"
        and {"arm64": "aarch64"}.get(machine, machine) != here
        and machine != "universal2"
    ):
        yield finding(
            "no-wheel-for-platform",
            case,
            about="request",
            severity="blocker",
            detail=f"The wheel is for {machine}, the interpreter is built for {here}.",
            evidence=rows,
            fix=("take the wheel of this architecture",),
        )


@check("free-threaded-unsupported")
def free_threaded(case: Case) -> Iterator[Finding]:
    """A companion that offers nothing to a free-threaded interpreter, or torch's extensions of the other build found by it."""
    facts, request = case.facts, case.facts.request
    if not facts.python.free_threaded:
        return
    alone = request.package not in (None, "torch") and request.versions_offered == ()
    if not alone and not case.symptom("torch-c-folder", "torch-c-missing"):
        return
    what = (
        f"{request.package} has no wheel for this free-threaded Python."
        if alone
        else "A free-threaded interpreter found the extension modules of the build with the GIL, which it cannot load."
    )
    yield finding(
        "free-threaded-unsupported",
        case,
        about="request" if alone else "installed",
        severity="blocker",
        detail=what,
        evidence=(
            "python.version",
            "python.free_threaded",
            "request.package",
            *seen(case, "torch-c-folder", "torch-c-missing", "pip-no-version")[:1],
        ),
        fix=("use the interpreter with the GIL (the same version without t)",),
    )


@check("conda-channel-ended", seen=("conda-not-found",))
def channel_ended(case: Case) -> Iterator[Finding]:
    """conda looked for a release on the pytorch channel that came after the channel's end."""
    rows = seen(case, "conda-not-found")
    if not rows or not case.symptom("conda-pytorch-channel"):
        return
    asked = re.search(r"\d{1,2}\.\d{1,2}(?:\.\d{1,2})?", case.facts.request.torch or "")
    if asked is None or version_key(asked[0]) <= _LAST_ON_CHANNEL[: asked[0].count(".") + 1]:
        return
    yield finding(
        "conda-channel-ended",
        case,
        about="request",
        severity="blocker",
        detail="The pytorch channel ended with 2.5.1; later releases were never published there.",
        evidence=(*rows[:1], "request.torch"),
        fix=(
            "install torch with pip into the environment (see the recommendation)",
            "or take it from conda-forge: conda install -c conda-forge pytorch",
        ),
    )


@check("xpu-oneapi-conflict", "companion-mismatch", seen=("conflict-of-torch",))
def conflicts_of_torch(case: Case) -> Iterator[Finding]:
    """pip lists what torch itself requires in another version: oneAPI runtimes, or its triton."""
    for index, text in case.symptom("conflict-of-torch"):
        match = _REQUIRES.search(text)
        if match is None:
            continue
        name = match[1].lower().replace("_", "-")
        if name.startswith(_ONEAPI):
            yield finding(
                "xpu-oneapi-conflict",
                case,
                about="installed",
                severity="blocker",
                detail=f"Another package brought a {name} that is not the one this torch pins.",
                evidence=(
                    f"symptoms[{index}]",
                    f"packages.{name}",
                    "torch.version",
                    "packages.intel-extension-for-pytorch",
                ),
                fix=(
                    "remove intel-extension-for-pytorch, then reinstall torch from https://download.pytorch.org/whl/xpu",
                ),
                lies_in="packages",
            )
        elif "triton" in name:
            yield finding(
                "companion-mismatch",
                case,
                about="installed",
                severity="blocker",
                detail="The installed triton is not the one that belongs to this torch.",
                evidence=(f"symptoms[{index}]", f"packages.{name}", "torch.version"),
                fix=("pip install --force-reinstall the same torch: it brings its own triton",),
            )


@check("wrong-variant")
def asked_for_a_gpu_build(case: Case) -> Iterator[Finding]:
    """A GPU build was asked for and a CPU build arrived, or a CUDA machine got a torch without any CUDA packages."""
    facts, installed = case.facts, case.installed
    wanted = facts.request.variant or ""
    gpu_build = wanted.startswith(("cu", "rocm", "xpu"))
    if (
        installed is not None
        and installed.variant == "cpu"
        and gpu_build
        and not facts.torch.gpu_available
        and facts.system.os != "macos"
    ):
        rows: tuple[str, ...] = ("torch.version", "torch.variant", "request.variant", "packages.torch")
        detail = f"{wanted} was asked for, the torch that was installed is a CPU build."
    elif (
        case.symptom("no-cuda-packages")
        and not facts.torch.gpu_available
        and (installed is None or installed.variant in (None, "cpu"))
        and case.gpus("nvidia")
        and (facts.system.machine == "aarch64" or facts.system.os == "windows")
    ):
        rows = (*seen(case, "no-cuda-packages")[:1], "gpus[0].name", "system.machine")
        detail = "torch came without CUDA packages: the default index served its CPU build for this platform."
    elif (
        case.symptom("cuda-not-compiled")
        and facts.system.os != "macos"
        and (case.gpus("nvidia") or facts.drivers.nvidia.version)
        and (installed is None or installed.variant in (None, "cpu"))
    ):
        rows = (*seen(case, "cuda-not-compiled")[:1], "gpus[0].name", "drivers.nvidia.version", "torch.version")
        detail = "torch says that it was built without CUDA, and the machine has an NVIDIA GPU."
    elif (
        installed is None
        and wanted == "cpu"
        and facts.request.package == "torch"
        and facts.torch.gpu_available is False
        and facts.drivers.nvidia.version
        and case.gpus("nvidia")
    ):
        rows = ("request.index", "request.variant", "torch.gpu_available", "gpus[0].name")
        detail = "torch was taken from the index of CPU builds, and the machine has an NVIDIA GPU."
    elif case.symptom("xpu-not-compiled-text") and case.gpus("intel"):
        rows = (*seen(case, "xpu-not-compiled-text")[:1], "gpus[0].name", "torch.version")
        detail = "torch says that it was built without XPU support, and the machine has an Intel GPU."
    else:
        return
    yield finding(
        "wrong-variant",
        case,
        about="installed",
        severity="blocker",
        detail=detail,
        evidence=rows,
        fix=("uninstall torch, then install it from the index of the variant (see the recommendation)",),
    )


@check("downstream-abi-mismatch", "xpu-oneapi-missing", seen=("winerror-126", "missing-library"))
def missing_libraries(case: Case) -> Iterator[Finding]:
    """A library that only another build of torch, or the oneAPI runtime, would bring."""
    for index, text in case.symptom("winerror-126"):
        if re.search(r"(?:c10|torch)_xpu\.dll|intel-ext-pt-\w{2,12}\.dll", text.lower()):
            yield finding(
                "xpu-oneapi-missing",
                case,
                about="installed",
                severity="blocker",
                detail="The XPU build's DLLs do not find the SYCL runtime that they need.",
                evidence=(f"symptoms[{index}]", "torch.version"),
                fix=(
                    "reinstall torch from https://download.pytorch.org/whl/xpu without --no-deps: it brings the runtime as packages",
                ),
            )
    for index, text in case.symptom("missing-library"):
        match = re.search(r"\b(lib[\w+.-]{2,80}\.so(?:\.\d{1,3}){0,3})", text)
        if match is None:
            continue
        name = match[1]
        if re.match(r"lib(?:torch_cuda|c10_cuda|torch_hip|c10_hip|torch_xpu|c10_xpu|torch_cpu|c10|torch)\.so", name):
            yield finding(
                "downstream-abi-mismatch",
                case,
                about="installed",
                severity="blocker",
                detail=f"An extension needs {name}, which the installed torch does not have: it was built for another variant.",
                evidence=(f"symptoms[{index}]", "torch.version", "torch.variant"),
                fix=("install the torch that the extension was built for, or the extension's build for this torch",),
            )
        elif re.match(r"lib(?:mkl_sycl|mkl_|sycl|ze_loader|ur_|pi_level|OpenCL|svml|imf|intlc|ccl)", name):
            yield finding(
                "xpu-oneapi-missing",
                case,
                about="installed",
                severity="blocker",
                detail=f"{name} of the oneAPI runtime is not on the loader's path.",
                evidence=(f"symptoms[{index}]", "torch.version", "packages.intel-extension-for-pytorch"),
                fix=(
                    "install torch from https://download.pytorch.org/whl/xpu, which brings its oneAPI runtime as packages",
                    "with an old intel-extension-for-pytorch: source /opt/intel/oneapi/setvars.sh of the release it names",
                ),
            )


@check("no-wheel-for-platform")
def no_gpu_build_here(case: Case) -> Iterator[Finding]:
    """A CPU build beside an NVIDIA GPU where that release has no CUDA build for this platform at all."""
    installed = case.installed
    possible = platforms_of(case.facts).possible
    if installed is None or installed.release is None or installed.variant != "cpu" or len(possible) != 1:
        return
    if not case.gpus("nvidia") or case.facts.torch.gpu_available or possible[0].startswith("macos"):
        return
    if case.facts.system.jetson:
        return  # no public build is for its GPU anyway
    if any(b.vendor == "nvidia" for b in installed.release.on(possible[0])):
        return
    yield finding(
        "no-wheel-for-platform",
        case,
        about="installed",
        severity="blocker",
        detail=f"torch {installed.version} has no CUDA build for {possible[0].replace('_', ' on ', 1)}: only the CPU build could be installed.",
        evidence=("torch.version", "torch.variant", "system.machine", "gpus[0].name"),
        fix=("install a release that has one (see the recommendation)",),
        lies_in="packages",
    )
