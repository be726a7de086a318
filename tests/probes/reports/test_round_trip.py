"""Facts → printed as each kind of text that we can print → read again: the same facts."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from torchdoctor.probes.facts import Facts
from torchdoctor.probes.profile import facts_from_mapping, facts_to_mapping
from torchdoctor.probes.reports.pasted import read_text

_FEW = settings(max_examples=40, deadline=None)

_NUMBER = st.integers(0, 30)
_RELEASES = st.builds("{}.{}.{}".format, st.integers(1, 3), _NUMBER, st.integers(0, 4))
_CUDA = st.sampled_from(["cu118", "cu121", "cu126", "cu128", "cu130", "cu132"])
_DRIVERS = st.builds("{}.{}.{:02d}".format, st.integers(410, 620), st.integers(10, 250), st.integers(1, 99))
_PYTHONS = st.builds("3.{}.{}".format, st.integers(9, 15), st.integers(0, 20))
_NVIDIA = st.sampled_from(
    [
        "NVIDIA GeForce RTX 4090",
        "Tesla V100-PCIE-32GB",
        "NVIDIA H100 80GB HBM3",
        "NVIDIA L4",
        "TITAN Xp",
        "NVIDIA GH200 480GB",
    ]
)
_AMD = st.sampled_from(
    [("AMD Radeon RX 7900 XTX", "gfx1100"), ("AMD Instinct MI300X", "gfx942"), ("AMD Radeon VII", "gfx906")]
)
_SYSTEMS = st.sampled_from(
    [
        ("Ubuntu", "24.04", "Ubuntu 24.04.1 LTS"),
        ("Fedora Linux", "43", "Fedora Linux 43"),
        ("Debian GNU/Linux", "12", "Debian GNU/Linux 12 (bookworm)"),
    ]
)
_GLIBC = st.builds("2.{}".format, st.integers(17, 43))
_PACKAGES = st.dictionaries(
    st.sampled_from(
        ["numpy", "torchvision", "torchaudio", "triton", "transformers", "nvidia-cublas-cu12", "flash-attn"]
    ),
    _RELEASES,
    min_size=1,
    max_size=6,
)


def _read(text: str) -> Facts:
    return read_text(text, "printed").draft.build()


@given(
    _RELEASES,
    _CUDA,
    _DRIVERS,
    _PYTHONS,
    st.lists(_NVIDIA, min_size=1, max_size=8),
    _SYSTEMS,
    _GLIBC,
    st.booleans(),
    _PACKAGES,
    st.booleans(),
)
@_FEW
def test_collect_env(
    torch: str,
    variant: str,
    driver: str,
    python: str,
    gpus: list[str],
    system: tuple[str, str, str],
    glibc: str,
    usable: bool,
    packages: dict[str, str],
    sections: bool,
) -> None:
    def pad(label: str) -> str:
        return f"{label:28s} :" if sections else f"{label}:"

    lines = [
        f"{pad('PyTorch version')} {torch}+{variant}", f"{pad('Is debug build')} False", f"{pad('CUDA used to build PyTorch')} {variant[2:-1]}.{variant[-1]}",
        f"{pad('ROCM used to build PyTorch')} N/A", "", f"{pad('OS')} {system[2]} (x86_64)", f"{pad('Libc version')} glibc-{glibc}", "",
        f"{pad('Python version')} {python} (main, Jun 11 2023, 05:26:28) [GCC 11.4.0] (64-bit runtime)",
        f"{pad('Python platform')} Linux-6.8.0-40-generic-x86_64-with-glibc{glibc}", f"{pad('Is CUDA available')} {usable}",
        f"{pad('GPU models and configuration')} ", *(f"GPU {i}: {name}" for i, name in enumerate(gpus)), "", f"{pad('Nvidia driver version')} {driver}", "",
        "Versions of relevant libraries:", *(f"[pip3] {name}=={version}" for name, version in packages.items()),
    ]  # fmt: skip
    facts = _read("\n".join(lines))
    assert (facts.torch.version, facts.torch.variant, facts.torch.gpu_available) == (
        f"{torch}+{variant}",
        variant,
        usable,
    )
    assert (facts.drivers.nvidia.version, facts.python.version, facts.python.bits) == (driver, python, 64)
    assert (facts.system.name, facts.system.libc_version, facts.system.machine) == (system[0], glibc, "x86_64")
    assert [g.name for g in facts.gpus or ()] == gpus
    assert {k: v for k, v in (facts.packages or {}).items() if k != "torch"} == packages


@given(
    _DRIVERS,
    st.sampled_from(["12.4", "13.0", "11.8"]),
    st.lists(
        st.tuples(st.sampled_from(["NVIDIA L4", "NVIDIA B200", "Tesla T4"]), st.integers(1000, 190000)),
        min_size=1,
        max_size=8,
    ),
    st.booleans(),
)
@_FEW
def test_nvidia_smi_table(driver: str, cuda: str, gpus: list[tuple[str, int]], new: bool) -> None:
    labels = ("KMD Version", "CUDA UMD Version") if new else ("Driver Version", "CUDA Version")
    lines = [f"| NVIDIA-SMI {driver}              {labels[0]}: {driver}     {labels[1]}: {cuda}     |"]
    for index, (name, memory) in enumerate(gpus):
        lines += [
            f"|   {index}  {name:30s}  On  |   00000000:{index:02X}:00.0 Off |                    0 |",
            f"| N/A   26C    P0            139W / 1000W |       0MiB / {memory:6d}MiB |      0%      Default |",
            "|                                         |                        |             Disabled |",
        ]
    facts = _read("\n".join(lines))
    assert (facts.drivers.nvidia.version, facts.drivers.nvidia.cuda) == (driver, cuda)
    assert [(g.name, g.memory) for g in facts.gpus or ()] == [(n, m * 1024**2) for n, m in gpus]


@given(
    _DRIVERS,
    st.lists(
        st.tuples(_NVIDIA, st.sampled_from(["7.0", "8.9", "12.0"]), st.integers(1, 200000)), min_size=1, max_size=8
    ),
)
@_FEW
def test_nvidia_smi_csv(driver: str, gpus: list[tuple[str, str, int]]) -> None:
    rows = [f"{name}, {driver}, {cc}, {memory} MiB" for name, cc, memory in gpus]
    facts = _read("\n".join(["name, driver_version, compute_cap, memory.total [MiB]", *rows]))
    assert facts.drivers.nvidia.version == driver
    assert [(g.name, g.compute_capability, g.memory) for g in facts.gpus or ()] == [
        (n, c, m * 1024**2) for n, c, m in gpus
    ]


@given(st.lists(_NVIDIA, min_size=1, max_size=16))
@_FEW
def test_nvidia_smi_listing(gpus: list[str]) -> None:
    facts = _read("\n".join(f"GPU {i}: {name} (UUID: GPU-{i:08x})" for i, name in enumerate(gpus)))
    assert [g.name for g in facts.gpus or ()] == gpus


@given(st.lists(_AMD, min_size=1, max_size=8))
@_FEW
def test_rocminfo(gpus: list[tuple[str, str]]) -> None:
    lines = [
        "  Name:                    AMD EPYC 9654 96-Core Processor",
        "  Marketing Name:          AMD EPYC 9654 96-Core Processor",
        "  Device Type:             CPU",
    ]
    for name, gfx in gpus:
        lines += [
            f"  Name:                    {gfx}    ",
            f"  Marketing Name:          {name}   ",
            "  Device Type:             GPU",
            f"      Name:                    amdgcn-amd-amdhsa--{gfx}:xnack-",
        ]
    assert [(g.name, g.gfx) for g in _read("\n".join(lines)).gpus or ()] == gpus


@given(_PACKAGES, _RELEASES, _CUDA, st.sampled_from(["list", "freeze", "show", "conda"]))
@_FEW
def test_package_lists(packages: dict[str, str], torch: str, variant: str, kind: str) -> None:
    every = {**packages, "torch": f"{torch}+{variant}"}
    text = {
        "list": "Package       Version\n------------- -------\n" + "\n".join(f"{n:30s} {v}" for n, v in every.items()),
        "freeze": "$ pip freeze\n" + "\n".join(f"{n}=={v}" for n, v in every.items()),
        "show": "\n---\n".join(f"Name: {n}\nVersion: {v}\nLocation: /x/site-packages" for n, v in every.items()),
        "conda": "# Name                    Version                   Build  Channel\n"
        + "\n".join(f"{n:30s} {v:30s} pypi_0    pypi" for n, v in every.items()),
    }[kind]
    facts = _read(text)
    assert facts.packages == every
    assert (facts.torch.version, facts.torch.variant) == (f"{torch}+{variant}", variant)


@given(_RELEASES, st.none() | _CUDA, st.lists(_RELEASES, max_size=30))
@_FEW
def test_pip_error(torch: str, variant: str | None, offered: list[str]) -> None:
    asked = torch + (f"+{variant}" if variant else "")
    facts = _read(
        f"ERROR: Could not find a version that satisfies the requirement torch=={asked} (from versions: {', '.join(offered) or 'none'})\n"
    )
    assert (facts.request.torch, facts.request.variant, facts.request.versions_offered) == (
        torch,
        variant,
        tuple(offered),
    )
    assert facts.torch.version is None


@given(_RELEASES, st.integers(9, 15), st.booleans())
@_FEW
def test_uv_abi_hint(torch: str, minor: int, free: bool) -> None:
    facts = _read(
        f"hint: You're using CPython 3.{minor} (`cp3{minor}{'t' if free else ''}`), but `torch` (v{torch}) only has wheels with the following Python ABI tag: `cp312`\n"
    )
    assert (facts.python.version, facts.python.free_threaded, facts.python.implementation) == (
        f"3.{minor}",
        free,
        "cpython",
    )


_PROFILES = st.fixed_dictionaries(
    {},
    optional={
        "system": st.fixed_dictionaries(
            {},
            optional={
                "os": st.sampled_from(["linux", "windows", "macos"]),
                "wsl": st.integers(0, 2),
                "libc_version": _GLIBC,
                "translated": st.booleans(),
            },
        ),
        "python": st.fixed_dictionaries(
            {}, optional={"version": _PYTHONS, "free_threaded": st.booleans(), "bits": st.sampled_from([32, 64])}
        ),
        "gpus": st.lists(
            st.fixed_dictionaries(
                {"vendor": st.just("nvidia")}, optional={"name": st.text(max_size=20), "memory": st.integers(0, 2**40)}
            ),
            max_size=3,
        ),
        "packages": _PACKAGES,
        "environment": st.dictionaries(st.sampled_from(["CUDA_VISIBLE_DEVICES", "A.B"]), st.text(max_size=10)),
        "devices": st.dictionaries(
            st.sampled_from(["/dev/kfd", "/dev/dri/renderD128"]),
            st.fixed_dictionaries({"present": st.booleans()}, optional={"group": st.text(max_size=5)}),
        ),
        "torch": st.fixed_dictionaries(
            {}, optional={"kernels": st.lists(st.sampled_from(["sm_80", "sm_90"]), max_size=3), "version": _RELEASES}
        ),
        "symptoms": st.sets(st.sampled_from(["a", "b"])).map(
            lambda ids: [{"id": i, "text": f"text of {i}", "line": 3} for i in sorted(ids)]
        ),
    },
)


@given(_PROFILES)
@_FEW
def test_our_own_report(profile: dict[str, Any]) -> None:
    facts = facts_from_mapping(profile)
    document = json.dumps(
        {"schema": "torchdoctor/report/1", "facts": facts_to_mapping(facts), "sources": {}, "unknown": {}}
    )
    before, after = facts_to_mapping(facts), facts_to_mapping(_read(document))
    empty = [k for k in ("symptoms",) if before[k] == []]  # seen nothing and not looked are one: nothing was seen
    assert {k: v for k, v in after.items() if k not in empty} == {k: v for k, v in before.items() if k not in empty}


@given(
    st.text(max_size=400)
    | st.lists(
        st.sampled_from(
            [
                "GPU 0: ",
                "torch==",
                "|",
                "Error 802",
                "\x1b[3",
                "CUDA",
                "\n",
                "(",
                "`",
                "{",
                '"',
                "2.6.0",
                "  ",
                "pip install ",
            ]
        ),
        max_size=60,
    ).map("".join)
)
@settings(max_examples=150, deadline=None)
def test_any_text_can_be_read(text: str) -> None:
    facts = _read(text)
    assert all(source.startswith("line ") or "line" not in source for source in facts.sources.values())
