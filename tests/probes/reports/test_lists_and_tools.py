"""Package lists, project files, conda, and the tools of AMD, Intel, Apple and Linux."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from torchdoctor.probes.facts import Facts
from torchdoctor.probes.profile import ProfileError, facts_to_mapping
from torchdoctor.probes.reports.pasted import read_command, read_text


def test_pip_list(facts_of: Callable[[str], Facts]) -> None:
    text = "Package                Version\n---------------------- ------------\nnumpy                  2.1.0\ntorch                  2.5.1+cu124\nsome-thing             1.0\n"
    facts = facts_of(text)
    assert facts.packages == {"numpy": "2.1.0", "torch": "2.5.1+cu124", "some-thing": "1.0"}
    assert read_text(text, "x").kind == "pip_freeze"


def test_a_piece_of_pip_list_without_its_heading(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(
        "torch                     2.3.1+cu121\ntorchaudio                2.3.1+cu121\nusage                     12 percent\n"
    )
    assert facts.packages == {"torch": "2.3.1+cu121", "torchaudio": "2.3.1+cu121"}


def test_freeze_and_requirements(facts_of: Callable[[str], Facts]) -> None:
    lines = "numpy==2.1.0\ntorch==2.6.0\ntorchvision==0.21.0\ntransformers==4.51.3\n"
    assert facts_of(lines).torch.version == "2.6.0"
    asked = facts_of("requirements.txt:\n" + lines)
    assert (asked.torch.version, asked.request.torch) == (None, "2.6.0")


def test_pip_show(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(
        "Name: torch\nVersion: 2.9.0+cu130\nLocation: /root/e/lib/python3.13t/site-packages\nRequires: filelock\n"
    )
    assert (facts.torch.version, facts.python.version, facts.python.free_threaded) == ("2.9.0+cu130", "3.13", True)


def test_pip_inspect_whole_and_cut(facts_of: Callable[[str], Facts]) -> None:
    environment = {
        "implementation_name": "cpython",
        "platform_machine": "ARM64",
        "platform_release": "11",
        "python_full_version": "3.12.5",
        "sys_platform": "win32",
    }
    whole = json.dumps(
        {"installed": [{"metadata": {"name": "torch", "version": "2.9.0"}}], "environment": environment}, indent=2
    )
    for text in (whole, whole[whole.index('"environment"') :]):
        facts = facts_of(text)
        assert (facts.system.os, facts.python.machine, facts.python.version, facts.system.version) == (
            "windows",
            "aarch64",
            "3.12.5",
            "11",
        )
    assert facts_of(whole).packages == {"torch": "2.9.0"}


def test_conda_list(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(
        "# packages in environment at /opt/conda:\n#\n# Name                    Version                   Build  Channel\npytorch                   2.3.1           "
        "py3.11_cuda12.1_cudnn8.9.2_0    pytorch\npython                    3.11.9               h955ad1f_0\nmkl                       2023.1.0         h213fc3f_46344\n"
    )
    assert (facts.torch.version, facts.torch.variant, facts.torch.origin) == ("2.3.1", "cu121", "conda")
    assert facts.packages is not None and facts.packages["mkl"] == "2023.1.0"
    assert facts.python.version == "3.11.9"


def test_conda_plan_and_virtual_packages(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(
        "  cpuonly            pytorch/noarch::cpuonly-2.0-0\n  pytorch            pytorch/win-64::pytorch-1.10.0-py3.6_cpu_0\n"
        "virtual packages : __cuda=12.4=0\n                   __glibc=2.27=0\n                   __archspec=1=x86_64\n"
    )
    assert (facts.torch.version, facts.torch.variant, facts.system.os) == ("1.10.0", "cpu", "windows")
    assert (facts.system.libc_version, facts.drivers.nvidia.cuda) == ("2.27", "12.4")


def test_conda_cannot_find(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(
        "Channels:\n - pytorch\nPackagesNotFoundError: The following packages are not available from current channels:\n\n  - pytorch=2.6*\n"
    )
    ids = [s.id for s in facts.symptoms or ()]
    assert "conda-not-found" in ids and "conda-pytorch-channel" in ids
    assert (facts.request.torch, facts.torch.version) == ("2.6", None)


def test_poetry_log(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of("  - Installing nvidia-cublas-cu12 (12.6.4.1)\n  - Updating torch (2.5.0 -> 2.6.0)\n")
    assert facts.packages == {"nvidia-cublas-cu12": "12.6.4.1", "torch": "2.6.0"}


def test_pyproject(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(
        '[project]\ndependencies = [\n  "torch>=2.6,<3",\n]\n[tool.uv.sources]\ntorch = [ { index = "pytorch-cu128", marker = "sys_platform == \'linux\'" } ]\n'
        '[[tool.uv.index]]\nname = "pytorch-cu128"\nurl = "https://download.pytorch.org/whl/cu128"\nexplicit = true\n'
    )
    assert (facts.request.torch, facts.request.variant) == (">=2.6,<3", "cu128")
    assert facts.settings is not None
    assert any("sys_platform" in (s.value or "") for s in facts.settings)
    assert facts.torch.version is None


def test_a_bad_requirement_name(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of('dependencies = [\n  "torch+cpu>=2.6,<3",\n]\n')
    assert "requirement-bad-name" in [s.id for s in facts.symptoms or ()]
    assert facts.request.torch == ">=2.6,<3"


_ROCMINFO = """ROCk module version 6.10.5 is loaded
*******
Agent 1
*******
  Name:                    AMD RYZEN AI MAX+ 395 w/ Radeon 8060S
  Marketing Name:          AMD RYZEN AI MAX+ 395 w/ Radeon 8060S
  Device Type:             CPU
*******
Agent 2
*******
  Name:                    gfx1151                            
  Marketing Name:          Radeon 8060S Graphics              
  Device Type:             GPU
      Name:                    amdgcn-amd-amdhsa--gfx1151         
      Name:                    amdgcn-amd-amdhsa--gfx11-generic   
  Name:                    aie2p
  Marketing Name:          RyzenAI-npu5
"""  # noqa: W291


def test_rocminfo(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(_ROCMINFO)
    assert facts.gpus is not None
    assert [(g.name, g.gfx) for g in facts.gpus] == [("Radeon 8060S Graphics", "gfx1151")]
    assert facts.drivers.amdgpu.version == "6.10.5"
    assert facts.cpu.model == "AMD RYZEN AI MAX+ 395 w/ Radeon 8060S"
    assert read_text(_ROCMINFO, "x").kind == "rocminfo"


def test_rocm_smi(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(
        "GPU[0]\t\t: Card Series: \t\tAMD Instinct MI250X\nGPU[0]\t\t: GFX Version: \t\tgfx9010\nGPU[0]\t\t: VRAM Total Memory (B): 68702699520\n"
    )
    assert facts.gpus is not None
    assert (facts.gpus[0].name, facts.gpus[0].gfx, facts.gpus[0].memory) == (
        "AMD Instinct MI250X",
        "gfx90a",
        68702699520,
    )


def test_what_rocblas_holds(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(
        "rocBLAS error: Cannot read /x/TensileLibrary.dat: Illegal seek for GPU arch : gfx900\nList of available TensileLibrary Files :\n"
        '".../TensileLibrary_lazy_gfx908.dat"\n".../TensileLibrary_lazy_gfx1030.dat"\n'
    )
    assert facts.torch.kernels == ("gfx908", "gfx1030")
    assert facts.gpus is not None and facts.gpus[0].gfx == "gfx900"


@pytest.mark.parametrize(
    ("line", "name", "pci"),
    [
        ("[level_zero:gpu][level_zero:0] Intel(R) Graphics [0xe211]", "Intel(R) Graphics [0xe211]", "8086:e211"),
        (
            "[ext_oneapi_level_zero:gpu:0] Intel(R) Level-Zero, Intel(R) Arc(TM) A770 Graphics 1.3 [1.3.29735]",
            "Intel(R) Arc(TM) A770 Graphics",
            None,
        ),
        (
            "[level_zero:gpu][level_zero:0] Intel(R) oneAPI Unified Runtime over Level-Zero, Intel(R) Arc(TM) B580 Graphics 20.1.0 [1.6.33578+15]",
            "Intel(R) Arc(TM) B580 Graphics",
            None,
        ),
    ],
)
def test_sycl_ls(facts_of: Callable[[str], Facts], line: str, name: str, pci: str | None) -> None:
    facts = facts_of(
        line + "\n[opencl:cpu][opencl:0] Intel(R) OpenCL, 12th Gen Intel(R) Core(TM) i9 OpenCL 3.0 [2024.18]\n"
    )
    assert facts.gpus is not None
    assert [(g.name, g.pci_id) for g in facts.gpus] == [(name, pci)]


def test_xpu_smi(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(
        "| 0         | Device Name: Intel(R) Data Center GPU Max 1100                       |\n|           | PCI Device ID: 0xbda                                                 |\n"
    )
    assert facts.gpus is not None
    assert (facts.gpus[0].name, facts.gpus[0].pci_id) == ("Intel(R) Data Center GPU Max 1100", "8086:0bda")


def test_mac_tools(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(
        "ProductName:\tmacOS\nProductVersion:\t12.7.6\nBuildVersion:\t21H1320\nGraphics/Displays:\n    Apple M1:\n      Chipset Model: Apple M1\n      Metal Support: Metal 3\n"
    )
    assert (facts.system.os, facts.system.version, facts.system.machine, facts.runtimes.metal) == (
        "macos",
        "12.7.6",
        "aarch64",
        "Metal 3",
    )
    assert facts.gpus is not None and facts.gpus[0].name == "Apple M1"


def test_linux_tools(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(
        "$ uname -a\nLinux host 3.10.0-1160.el7.x86_64 #1 SMP Wed Nov 18 03:43:48 UTC 2020 x86_64 x86_64 x86_64 GNU/Linux\n$ ldd --version\nldd (GNU libc) 2.17\n"
        '$ cat /etc/os-release\nNAME="CentOS Linux"\nVERSION="7 (Core)"\nVERSION_ID="7"\n$ modinfo -F version nvidia\n580.105.08\n'
        "/dev/shm: 254GB total\nls: cannot access '/dev/kfd': No such file or directory\n"
    )
    system = facts.system
    assert (system.name, system.version, system.kernel, system.machine) == (
        "CentOS Linux",
        "7",
        "3.10.0-1160.el7.x86_64",
        "x86_64",
    )
    assert (system.libc, system.libc_version) == ("glibc", "2.17")
    assert (facts.drivers.nvidia.version, facts.drivers.nvidia.installed) == ("580.105.08", True)
    assert facts.resources.shm == 254 * 1024**3
    assert facts.devices is not None and facts.devices["/dev/kfd"].present is False


def test_processor_dumps(facts_of: Callable[[str], Facts]) -> None:
    text = "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel name\t: Intel(R) Core(TM)2 Duo CPU\nflags\t\t: fpu vme de pse tsc msr sse2 ssse3\n"
    facts = facts_of(text)
    assert (facts.cpu.model, facts.system.os) == ("Intel(R) Core(TM)2 Duo CPU", "linux")
    assert facts.cpu.features == ("fpu", "vme", "de", "pse", "tsc", "msr", "sse2", "ssse3")
    assert read_text(text, "x").kind == "cpuinfo"


def test_arm_parts(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(
        "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd08\nFeatures\t: fp asimd evtstrm crc32 cpuid aes\n"
    )
    assert (facts.cpu.model, facts.system.machine) == ("Cortex-A72", "aarch64")


def test_lspci(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(
        "00:02.0 VGA compatible controller [0300]: Intel Corporation Device [8086:b080] (rev 04)\n\tKernel driver in use: xe\n"
        "01:00.0 VGA compatible controller [0300]: NVIDIA Corporation AD102 [GeForce RTX 4090] [10de:2684] (rev a1)\n\tKernel driver in use: nouveau\n"
    )
    assert facts.gpus is not None
    assert [(g.vendor, g.name, g.pci_id, g.driver) for g in facts.gpus] == [
        ("nvidia", "GeForce RTX 4090", "10de:2684", "nouveau"),
        ("intel", None, "8086:b080", "xe"),
    ]
    assert facts.drivers.intel.kernel_driver == "xe"


@pytest.mark.parametrize(
    ("text", "release"),
    [
        ("# R36 (release), REVISION: 4.3, GCID: 1, BOARD: generic", "36.4.3"),
        ("L4T R38.4 / JetPack 7", "38.4"),
        ("JetPack Version: 5.1.2", "35"),
    ],
)
def test_jetson(facts_of: Callable[[str], Facts], text: str, release: str) -> None:
    facts = facts_of(text)
    assert facts.system.jetson == release
    assert facts.gpus is not None and (facts.gpus[0].vendor, facts.gpus[0].integrated) == ("nvidia", True)


# ---- our own documents, and recorded commands


def test_our_own_report_keeps_its_facts_and_sources(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(
        "PyTorch version: 2.6.0+cu126\nGPU: NVIDIA GeForce RTX 4090\nexport CUDA_VISIBLE_DEVICES=0\nErrno 28\n"
    )
    report = json.dumps(
        {
            "schema": "torchdoctor/report/1",
            "facts": facts_to_mapping(facts),
            "sources": dict(facts.sources),
            "unknown": {"cpu.model": "no"},
        }
    )
    pasted = read_text(report, "r.json")
    again = pasted.draft.build()
    assert pasted.kind == "report"
    assert facts_to_mapping(again) == facts_to_mapping(facts)
    assert again.sources["torch.version"] == facts.sources["torch.version"]
    assert again.unknown == {"cpu.model": "no"}


def test_a_malformed_document_of_ours_is_named() -> None:
    with pytest.raises(ProfileError, match=r"^bad\.json: system\.wsl: expected a whole number"):
        read_text('{"system": {"wsl": "two"}}', "bad.json")


@pytest.mark.parametrize("text", ['{"other": 1}', "[1, 2]", "{not json", '{"facts": 3}', "{" * 100_000])
def test_other_json_is_read_as_text(text: str) -> None:
    assert read_text(text, "x").kind == "free_text"


def test_recorded_commands() -> None:
    draft = read_command(
        ["nvidia-smi", "--query-gpu=name,driver_version,compute_cap", "--format=csv,noheader"],
        "NVIDIA L4, 550.54.15, 8.9\n",
    )
    assert draft is not None
    facts = draft.build()
    assert facts.gpus is not None and facts.gpus[0].compute_capability == "8.9"
    assert read_command(["rocminfo"], _ROCMINFO) is not None
    assert read_command(["true"], "") is None
    assert read_command(["date"], "Mon Nov 30 10:00:00 UTC 2026\n") is None
