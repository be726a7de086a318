"""Devices, modules and variables in a shell session."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from torchdoctor.probes.facts import Facts
from torchdoctor.probes.reports.pasted import read_text


def facts(text: str) -> Facts:
    return read_text(text, "paste").draft.build()


def symptoms(text: str) -> list[str | None]:
    return [s.id for s in facts(text).symptoms or ()]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (">>> os.environ['CUDA_VISIBLE_DEVICES']\n'-1'", "-1"),
        (">>> os.environ.get(\"CUDA_VISIBLE_DEVICES\")\n''", ""),
        (">>> print(os.getenv('CUDA_VISIBLE_DEVICES'))\n'0,1'", "0,1"),
        ('os.environ["CUDA_VISIBLE_DEVICES"] = "3"\nimport torch', "3"),
        ('# os.environ["CUDA_VISIBLE_DEVICES"] = "3"', None),
        (">>> os.environ['CUDA_VISIBLE_DEVICES']\nKeyError: 'CUDA_VISIBLE_DEVICES'", None),
        (">>> os.environ.get('CUDA_VISIBLE_DEVICES')\n>>> torch.cuda.is_available()", None),
    ],
)
def test_variables_in_python(text: str, value: str | None) -> None:
    found = facts(text)
    assert (found.environment or {}).get("CUDA_VISIBLE_DEVICES") == value
    if value is not None:
        assert (found.source("environment.CUDA_VISIBLE_DEVICES") or "").startswith("line ")


LISTED = "$ ls -l /dev/dri\ncrw-rw----{} 1 root render 226, 128 Jan  5 10:00 renderD128\n"
ME = "$ id\nuid=1000(me) gid=1000(me) groups=1000(me),27(sudo){}\n"


@pytest.mark.parametrize(
    ("text", "openable"),
    [
        (LISTED.format("") + ME.format(""), False),
        (LISTED.format("") + ME.format(",992(render)"), True),
        (LISTED.format("+") + ME.format(""), None),  # an access list may say otherwise
        (LISTED.format(""), None),
        (LISTED.format("") + "$ id\nuid=0(root) gid=0(root) groups=0(root)\n", None),
        (LISTED.format("").replace("rw-rw----", "rw-rw-rw-") + ME.format(""), None),
    ],
)
def test_who_may_open_a_node(text: str, openable: bool | None) -> None:
    device = (facts(text).devices or {})["/dev/dri/renderD128"]
    assert (device.present, device.openable, device.group) == (True, openable, "render")


@pytest.mark.parametrize(
    ("line", "node"),
    [
        ('openat(AT_FDCWD, "/dev/kfd", O_RDWR|O_CLOEXEC) = -1 EACCES (Permission denied)', "/dev/kfd"),
        ("Failed to open /dev/dri/renderD128: Permission denied", "/dev/dri/renderD128"),
        ("Permission denied: '/dev/kfd'", "/dev/kfd"),
    ],
)
def test_an_open_that_was_refused(line: str, node: str) -> None:
    device = (facts(line).devices or {})[node]
    assert (device.present, device.openable) == (True, False)


def test_nodes_of_graphics_cards_and_of_wsl() -> None:
    devices = (
        facts(
            "crw-rw---- 1 root video 226, 0 Nov 30 12:00 /dev/dri/card0\n"
            "crw-rw-rw- 1 root root 10, 63 Nov 30 12:00 /dev/dxg\n"
        ).devices
        or {}
    )
    assert {path: (d.present, d.group) for path, d in devices.items()} == {
        "/dev/dri/card0": (True, "video"),
        "/dev/dxg": (True, "root"),
    }


def test_no_nvidia_nodes() -> None:
    none = facts("$ ls /dev/nvidia*\nls: cannot access '/dev/nvidia*': No such file or directory")
    assert [s.id for s in none.symptoms or ()] == ["nvidia-nodes-looked-for"]
    devices = none.devices or {}
    assert {path: d.present for path, d in devices.items()} == {
        "/dev/nvidiactl": False,
        "/dev/nvidia0": False,
        "/dev/nvidia-uvm": False,
    }
    one = facts("ls: cannot access '/dev/nvidia-uvm': No such file or directory").devices or {}
    assert list(one) == ["/dev/nvidia-uvm"]
    for other in ("nvidia-caps", "nvidia-modeset", "nvidia-uvm-tools"):  # most machines do without
        beside = facts(f"ls: cannot access '/dev/{other}': No such file or directory")
        assert (beside.devices or {}, beside.symptoms or ()) == ({}, ())


@pytest.mark.parametrize(
    ("text", "loaded"),
    [
        ("me@host:~$ lsmod | grep nvidia\nme@host:~$ uname -r\n", False),
        ("$ lsmod | grep -i nvidia\n$ \n", False),
        ("$ lsmod | grep nvidia\nnvidia_uvm  1765376  0\n", True),
        ("I ran lsmod | grep nvidia\n\nand then", None),
        ("$ lsmod | grep nvidia", None),  # cut off
    ],
)
def test_modules(text: str, loaded: bool | None) -> None:
    assert facts(text).drivers.nvidia.loaded is loaded


@pytest.mark.parametrize(
    ("text", "id"),
    [
        ("$ lsmod | grep nouveau\nnouveau  3096576  4", "nouveau-loaded"),
        ("Failed to initialize NVML: GPU access blocked by the operating system", "nvml-blocked-by-os"),
        ("ERROR:root:Driver not initialized (amdgpu not found in modules)", "rock-not-loaded"),
        ("Error: setting up CDI devices: unresolvable CDI devices nvidia.com/gpu=all", "container-no-gpu-capability"),
        ("DataLoader worker (pid 41) is killed by signal: Bus error.", "bus-error-worker"),
        ("modprobe: ERROR: could not insert 'nvidia': Key was rejected by service", "nvidia-module-key"),
        ("bash: nvidia-smi: command not found", "nvidia-smi-not-found"),
    ],
)
def test_texts(text: str, id: str) -> None:
    assert id in symptoms(text)


def test_texts_that_only_look_alike() -> None:
    assert symptoms("modprobe: ERROR: could not insert 'nvidia': No such device") == []
    assert symptoms("$ lsmod | grep nouveau\n$ ") == []


def test_halves() -> None:
    text = (
        "NVRM: API mismatch: the client has the version 550.107.02, but\n"
        "NVRM: this kernel module has the version 550.54.15.  Please\n"
    )
    found = facts(text)
    assert (found.drivers.nvidia.library, found.drivers.nvidia.version) == ("550.107.02", "550.54.15")
    assert "driver-library-mismatch" in symptoms(text)
    assert symptoms(text.replace("550.107.02", "550.54.15")) == []


@pytest.mark.parametrize(("word", "on"), [("enabled", True), ("disabled", False)])
def test_secure_boot(word: str, on: bool) -> None:
    assert facts(f"$ mokutil --sb-state\nSecureBoot {word}\n").system.secure_boot is on


@pytest.mark.parametrize(
    ("text", "container"),
    [
        ("root@3f2a1b9c0d4e:/workspace# nvidia-smi", "docker"),
        ("root@deadbeef:/workspace# nvidia-smi", None),
        ("me@workstation1:~$ nvidia-smi", None),
        ("$ kubectl exec -it trainer -- nvidia-smi", "kubernetes"),
        ("podman run --device nvidia.com/gpu=all image", None),
    ],
)
def test_container(text: str, container: str | None) -> None:
    assert facts(text).system.container == container


def test_every_fact_names_its_line() -> None:
    found: Any = facts("\n\nSecureBoot enabled\n")
    assert found.source("system.secure_boot") == "line 3: SecureBoot enabled"


@pytest.mark.parametrize(
    "line",
    [
        "bash: nvidia-smi: command not found",
        "zsh: command not found: nvidia-smi",
        "sh: 1: nvidia-smi: not found",
        "fish: Unknown command: nvidia-smi",
        "'nvidia-smi' is not recognized as an internal or external command,",
        "nvidia-smi : The term 'nvidia-smi' is not recognized as the name of a cmdlet",
    ],
)
def test_every_shell_that_finds_no_nvidia_smi(line: str) -> None:
    assert "nvidia-smi-not-found" in [s.id for s in facts(f"$ nvidia-smi\n{line}\n").symptoms or ()]


@pytest.mark.parametrize(
    ("text", "installed"),
    [
        ("$ pacman -Q | grep nvidia\nnvidia-dkms 565.77-4\nnvidia-utils 565.77-3", True),
        ("$ pacman -Qs nvidia\nlocal/nvidia-open 570.86.16-2\n    NVIDIA open kernel modules", True),
        ("$ dpkg -l | grep nvidia\nii  nvidia-driver  535.216.01-1~deb12u1  amd64  NVIDIA metapackage", True),
        ("$ dpkg -l | grep nvidia\nii  nvidia-dkms-550-open:amd64  550.120-0ubuntu0.22.04.1  amd64  NVIDIA DKMS package", True),
        ("$ dpkg -l | grep nvidia\nrc  nvidia-driver-535  535.183.01-0ubuntu0.22.04.1  amd64  NVIDIA driver metapackage", None),
        ("$ dpkg -l | grep nvidia\nii  nvidia-container-toolkit  1.17.8-1  amd64  NVIDIA Container toolkit", None),
        ("$ rpm -qa | grep nvidia\nakmod-nvidia-565.77-1.fc41.x86_64", True),
        ("$ rpm -qa | grep nvidia\nkmod-nvidia-6.12.6-200.fc41.x86_64-565.77-1.fc41.x86_64", None),  # of a named kernel
        ("$ apt list --installed | grep nvidia\nnvidia-driver-550/jammy-updates,now 550.120-0ubuntu0.22.04.1 amd64 [installed]", True),
        ("$ apt list 'nvidia-driver*'\nnvidia-driver-550/jammy-updates 550.120-0ubuntu0.22.04.1 amd64", None),
        ("nvidia-driver-550 550.120-0ubuntu0.22.04.1", None),  # no list says so
        ("\tKernel modules: nvidiafb, nouveau, nvidia_drm, nvidia", True),
        ("\tKernel modules: nvidia, nouveau", True),
        ("\tKernel modules: nvidiafb, nouveau", None),
    ],
)  # fmt: skip
def test_the_driver_among_the_packages(text: str, installed: bool | None) -> None:
    assert facts(text).drivers.nvidia.installed is installed


OURS, THEIRS = (
    "\tlibcuda.so.1 (libc6,x86-64) => /usr/lib/wsl/lib/libcuda.so.1",
    "\tlibcuda.so.1 (libc6,x86-64) => /lib/x86_64-linux-gnu/libcuda.so.1",
)
FILE = "lrwxrwxrwx 1 root root 20 Nov  8 10:11 /usr/lib/x86_64-linux-gnu/libcuda.so.1 -> libcuda.so.535.183.01"


@pytest.mark.parametrize(
    ("lines", "seen"),
    [
        ([THEIRS], True),
        ([THEIRS, OURS], True),  # the loader takes the first
        ([OURS, THEIRS], False),
        ([OURS], False),
        ([FILE], True),
        ([FILE, OURS, THEIRS], False),  # the cache outranks a file
        (["/usr/lib/wsl/lib/libcuda.so.1 -> libcuda.so.1.1"], False),
    ],
)
def test_which_libcuda_the_loader_takes(lines: list[str], seen: bool) -> None:
    assert ("libcuda-of-linux-driver" in symptoms("\n".join(["$ ldconfig -p", *lines]))) is seen


@pytest.mark.parametrize(
    ("user", "root", "seen"),
    [
        ("$ sycl-ls\n[opencl:cpu][opencl:0] Intel(R) OpenCL\n", "$ sudo sycl-ls\n[level_zero:gpu][level_zero:0] Intel Arc\n", True),
        ("$ rocminfo\nUnable to open /dev/kfd\n", "$ sudo rocminfo\n  Name:                    gfx1100\n", True),
        ("$ clinfo -l\nPlatform #0: Intel\n", "$ sudo clinfo -l\nPlatform #0: Intel\n `-- Device #0: Intel Arc\n", True),
        ("$ sycl-ls\n[level_zero:gpu][level_zero:0] Arc\n", "$ sudo sycl-ls\n[level_zero:gpu][level_zero:0] Arc\n", False),
        ("$ sycl-ls\n", "$ sudo sycl-ls\n[level_zero:gpu][level_zero:0] Arc\n", False),  # its answer is not shown
        ("", "$ sudo sycl-ls\n[level_zero:gpu][level_zero:0] Arc\n", False),
    ],
)  # fmt: skip
def test_a_list_that_root_alone_sees_filled(facts_of: Callable[[str], Facts], user: str, root: str, seen: bool) -> None:
    assert ("root-lists-more" in [s.id for s in facts_of(user + root + "$ \n").symptoms or ()]) is seen
