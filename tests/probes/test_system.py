from __future__ import annotations

from typing import Any

import pytest
from torchdoctor.probes.system import (
    parse_compatible,
    parse_nv_tegra_release,
    parse_proc_version,
    parse_uname,
    probe,
)


@pytest.mark.parametrize(
    ("text", "kernel", "machine"),
    [
        ("Linux box 6.8.0-45-generic #45-Ubuntu SMP Fri Aug 30 12:02:04 UTC 2024 x86_64 x86_64 x86_64 GNU/Linux", "6.8.0-45-generic", "x86_64"),
        ("Linux pi 6.6.31+rpt-rpi-v8 #1 SMP PREEMPT Debian 1:6.6.31-1 (2024-05-29) aarch64 GNU/Linux", "6.6.31+rpt-rpi-v8", "aarch64"),
        ("Linux old 2.6.18-53.el5PAE #1 SMP Wed Oct 10 16:48:18 EDT 2007 i686 i686 i386 GNU/Linux", "2.6.18-53.el5PAE", "i686"),
        ("Darwin mac 24.1.0 Darwin Kernel Version 24.1.0: Thu; root:xnu-11215~1/RELEASE_ARM64_T6000 arm64", "24.1.0", "aarch64"),
        ("$ uname -a\nLinux n 5.10.0 #1 SMP riscv64 GNU/Linux\n", "5.10.0", "riscv64"),
        ("FreeBSD h 14.1-RELEASE FreeBSD 14.1-RELEASE GENERIC  amd64", "14.1-RELEASE", "x86_64"),
        ("bash: uname: command not found", None, None),
        ("", None, None),
    ],
)  # fmt: skip
def test_uname(text: str, kernel: str | None, machine: str | None) -> None:
    assert parse_uname(text) == (kernel, machine)


def test_proc_version_needs_its_own_words() -> None:
    assert (
        parse_proc_version("Linux version 5.15.90.1-microsoft-standard-WSL2 (a@b) #1")
        == "5.15.90.1-microsoft-standard-WSL2"
    )
    assert parse_proc_version("version 5.15") is None


@pytest.mark.parametrize(
    ("line", "release"),
    [
        (
            "# R36 (release), REVISION: 4.3, GCID: 1, BOARD: generic, EABI: aarch64, DATE: x\n# KERNEL_VARIANT: oot\n",
            "36.4.3",
        ),
        ("# Some Vendor Image v2\n# R32 (release), REVISION: 5, GCID: 1\n", "32.5"),
        ("# R35 (release), REVISION: 4.1\r\n", "35.4.1"),
        ("# R36 (development)\n", None),
        ("", None),
    ],
)
def test_tegra_release(line: str, release: str | None) -> None:
    assert parse_nv_tegra_release(line) == release


def test_tegra_chip_stands_between_nul_bytes() -> None:
    assert parse_compatible(b"nvidia,p3834-0008\0nvidia,tegra264\0") == "tegra264"
    assert parse_compatible(b"brcm,bcm2712\0") is None


@pytest.mark.parametrize(
    ("kernel", "wsl"),
    [
        ("5.15.167.4-microsoft-standard-WSL2", 2),
        ("4.4.0-19041-Microsoft", 1),
        ("6.6.87.2-microsoft-standard-WSL2+", 2),
        ("6.8.0-45-generic", None),  # nobody looked for /dev/dxg
    ],
)
def test_wsl_by_kernel(recorded: Any, probed: Any, kernel: str, wsl: int | None) -> None:
    assert probed(probe, recorded({"/proc/sys/kernel/osrelease": kernel + "\n"})).system.wsl == wsl


def test_wsl_with_a_kernel_of_ones_own_is_told_by_its_device(recorded: Any, probed: Any) -> None:
    own = recorded({"/proc/sys/kernel/osrelease": "6.12.1-mine\n"}, stat={"/dev/dxg": {"mode": "0666"}})
    none = recorded({"/proc/sys/kernel/osrelease": "6.12.1-mine\n"}, absent=["/dev/dxg"])
    assert (probed(probe, own).system.wsl, probed(probe, none).system.wsl) == (2, 0)


def test_jetson_known_not_to_be_one_only_after_looking(recorded: Any, probed: Any) -> None:
    assert probed(probe, recorded(absent=["/etc/nv_tegra_release", "/proc/device-tree"])).system.jetson is None
    everywhere = ["/etc/nv_tegra_release", "/proc/device-tree", "/sys/firmware/devicetree"]
    assert probed(probe, recorded(absent=everywhere)).system.jetson == ""
    board = recorded({"/proc/device-tree/compatible": b"nvidia,tegra234\0"}, absent=["/etc/nv_tegra_release"])
    facts = probed(probe, board)
    assert facts.system.jetson is None
    assert "tegra234" in facts.unknown["system.jetson"]


@pytest.mark.parametrize(
    ("content", "on"), [(b"\6\0\0\0\1", True), (b"\6\0\0\0\0", False), (b"\6\0\0\0", None), (b"\6\0\0\0\7", None)]
)
def test_secure_boot_is_the_fifth_byte(recorded: Any, probed: Any, content: bytes, on: bool | None) -> None:
    path = "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"
    assert probed(probe, recorded({path: content})).system.secure_boot is on


def test_no_efi_says_nothing_of_secure_boot(recorded: Any, probed: Any) -> None:
    assert probed(probe, recorded(absent=["/sys/firmware/efi"])).system.secure_boot is None


def test_an_empty_recording_knows_nothing(recorded: Any, probed: Any) -> None:
    facts = probed(probe, recorded(system=None))
    assert facts.system == type(facts.system)()
    assert facts.environment is None
    assert "not recorded" in facts.unknown["environment"]


def test_environment_is_what_steers_torch(recorded: Any, probed: Any) -> None:
    facts = probed(probe, recorded(environment={"CUDA_VISIBLE_DEVICES": "", "PATH": "/bin", "TMPDIR": "/scratch"}))
    assert dict(facts.environment or {}) == {"CUDA_VISIBLE_DEVICES": ""}


def test_old_release_files_and_kernel_machine(recorded: Any, probed: Any) -> None:
    old = recorded(
        {
            "/etc/redhat-release": "CentOS release 6.7 (Final)\n",
            "/proc/sys/kernel/arch": "x86_64\n",
            "/proc/sys/kernel/osrelease": "2.6.32\n",
        }
    )
    system = probed(probe, old).system
    assert (system.name, system.version, system.machine, system.kernel) == ("CentOS", "6.7", "x86_64", "2.6.32")


def test_hosts_in_whole(host: Any, probed: Any) -> None:
    alpine = probed(probe, host("alpine-container")).system
    assert (alpine.name, alpine.version, alpine.libc, alpine.libc_version, alpine.container) == (
        "Alpine Linux", "3.22.1", "musl", "1.2.5", "docker",
    )  # fmt: skip
    wsl = probed(probe, host("wsl2-ubuntu")).system
    assert (wsl.name, wsl.version, wsl.wsl, wsl.libc_version, wsl.container) == ("Ubuntu", "24.04", 2, "2.39", "")
    windows = probed(probe, host("windows-arm")).system
    assert (windows.name, windows.version, windows.machine, windows.translated, windows.vc_runtime, windows.long_paths) == (
        "Windows 11", "10.0.26100", "aarch64", True, "14.44.35211.00", False,
    )  # fmt: skip
