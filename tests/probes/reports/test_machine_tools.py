from __future__ import annotations

from collections.abc import Callable

import pytest
from torchdoctor.probes.facts import Facts


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


def test_nvidias_driver_in_a_version_of_windows(facts_of: Callable[[str], Facts]) -> None:
    table = "Name                       DriverVersion\n----                       -------------\nNVIDIA GeForce RTX 4090    {}\nIntel(R) UHD Graphics 770  31.0.101.5590\n"
    facts = facts_of(table.format("32.0.15.8129"))
    assert (facts.drivers.nvidia.version, facts.system.os) == ("581.29", "windows")
    assert facts_of(table.format("10.0.19041.1")).drivers.nvidia.version is None


@pytest.mark.parametrize(
    ("text", "machine", "bits"),
    [
        ("$ uname -m; python3 -V\nriscv64\nPython 3.12.3", "riscv64", None),
        ("u@h:~$ uname -sm && python3 --version && pip install torch\nLinux ppc64le\nPython 3.11.7", "ppc64le", None),
        ("$ python3 -V; uname -m\nPython 3.12.3\naarch64", "aarch64", None),
        ("milkv:~$ arch\nriscv64", "riscv64", None),
        ("$ getconf LONG_BIT\n32", None, 32),
        ("$ getconf LONG_BIT\n64", None, None),
        ("what I get of `uname -m`\naarch64", "aarch64", None),
        ("$ hostname; uname -m\naarch64\nx86_64", "x86_64", None),  # a machine may be called anything
        ("$ arch\nis the answer", None, None),
    ],
)
def test_commands_of_one_line_in_a_chain(
    facts_of: Callable[[str], Facts], text: str, machine: str | None, bits: int | None
) -> None:
    facts = facts_of(text)
    assert (facts.system.machine, facts.python.bits) == (machine, bits)


def test_a_user_land_of_another_width_than_the_kernel(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of("$ dpkg --print-architecture; getconf PAGESIZE; uname -m\narmhf\n4096\naarch64\n")
    assert (facts.python.machine, facts.system.machine, facts.system.page_size) == ("armv7l", "aarch64", 4096)


@pytest.mark.parametrize(
    "command", ["sw_vers -productVersion", "sw_vers --productVersion", "sysctl -n kern.osproductversion"]
)
def test_the_version_of_macos_alone(facts_of: Callable[[str], Facts], command: str) -> None:
    facts = facts_of(f"$ {command}\n13.7\n")
    assert (facts.system.os, facts.system.version) == ("macos", "13.7")


@pytest.mark.parametrize(
    ("command", "after", "driver"),
    [
        ("lspci -k -s 03:00.0", "$ python", ""),
        ("lspci -nnk", "04:00.0 Audio device: Intel", ""),
        ("lspci -nnk | grep -A1 VGA", "$ python", None),  # grep may have cut the block
        ("lspci -nn", "$ python", None),
        ("lspci -k", "\tKernel driver in use: xe", "xe"),
    ],
)
def test_a_device_that_nothing_drives(
    facts_of: Callable[[str], Facts], command: str, after: str, driver: str | None
) -> None:
    block = "03:00.0 VGA compatible controller: Intel Corporation Battlemage G21 [Arc B580]\n\tSubsystem: ASRock\n"
    facts = facts_of(f"$ {command}\n{block}{after}\n")
    assert facts.gpus is not None and facts.gpus[0].driver == driver


def test_a_label_before_a_line_of_lspci(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(
        "lspci: 01:00.0 VGA compatible controller [0300]: NVIDIA Corporation AD104 [GeForce RTX 4070] [10de:2786]\n"
    )
    assert facts.gpus is not None and facts.gpus[0].pci_id == "10de:2786"


def test_a_card_set_aside_for_a_virtual_machine(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(
        "0b:00.0 VGA compatible controller [0300]: NVIDIA Corporation GA102 [GeForce RTX 3080] [10de:2206]\n\tKernel driver in use: vfio-pci\n"
    )
    assert facts.gpus is not None and facts.gpus[0].driver == "vfio-pci"


def test_the_package_of_the_c_library(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of("ii  libc6:amd64    2.31-0ubuntu9.16 amd64        GNU C Library: Shared libraries\n")
    assert (facts.system.libc, facts.system.libc_version) == ("glibc", "2.31")
