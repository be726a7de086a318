from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from torchdoctor.probes.host import ABSENT, DENIED, FAILED, TIMEOUT, UNRECORDED
from torchdoctor.probes.recording import load_recording

GOOD = json.dumps({"schema": "torchdoctor/recording/1"})


def test_what_nobody_recorded_is_not_absent(recorded: Any) -> None:
    host = recorded({"/proc/version": "Linux"})
    for answer in (
        host.read("/proc/cpuinfo"), host.listing("/dev"), host.link("/x"), host.stat("/dev/kfd"), host.groups(),
        host.run(["nvidia-smi"]), host.environ(), host.registry("HKLM\\X"), host.subkeys("HKLM\\X"),
        host.value("page_size"), host.code("/lib/x.so"),
    ):  # fmt: skip
        assert (answer.status, answer.value) == (UNRECORDED, None)
        assert answer.detail.startswith("not recorded: ")
    assert host.read("/proc/version").value == b"Linux"
    assert host.read_at("/proc/version", 2, 2).value == b"nu"


def test_absent_and_denied_reach_below(recorded: Any) -> None:
    host = recorded(absent=["/dev/kfd", "/opt"], denied=["/proc/1/environ"])
    assert host.stat("/dev/kfd").status == ABSENT
    assert host.read("/opt/rocm/.info/version").status == ABSENT
    assert host.read("/proc/1/environ").status == DENIED
    assert host.stat("/dev/kfd2").status == UNRECORDED


def test_a_complete_listing_proves_what_is_missing(recorded: Any) -> None:
    host = recorded({"/sys/bus/a/x/vendor": "1", "/sys/part/y/vendor": "2"}, listings={"/sys/bus/a": ["x", "z"]})
    assert host.listing("/sys/bus/a").value == ("x", "z")
    assert host.listing("/sys/bus/a").ok
    assert host.read("/sys/bus/a/gone/vendor").status == ABSENT
    assert host.read("/sys/bus/a/z/vendor").status == UNRECORDED
    assert host.stat("/sys/bus/a/z").ok
    part = host.listing("/sys/part")
    assert (part.status, part.value) == (UNRECORDED, ("y",))
    assert host.stat("/sys/part/y").ok


def test_links_are_followed_inside_the_recording(recorded: Any) -> None:
    host = recorded(
        {"/sys/devices/pci0/0000:01:00.0/vendor": "0x10de\n", "/usr/lib/os-release": "ID=x\n"},
        links={
            "/sys/class/drm/card0": "../../devices/pci0/0000:01:00.0/drm/card0",
            "/sys/devices/pci0/0000:01:00.0/drm/card0/device": "../../../0000:01:00.0",
            "/etc/os-release": "../usr/lib/os-release",
            "/loop": "/loop",
            "/out": "../../../../../../etc/passwd",
            "/sys/bus/pci/driver": "../../../../bus/pci/drivers/nvidia",
        },
    )
    assert host.read("/sys/class/drm/card0/device/vendor").value == b"0x10de\n"
    assert host.read("/etc/os-release").value == b"ID=x\n"
    assert host.link("/sys/bus/pci/driver").value == "../../../../bus/pci/drivers/nvidia"
    assert host.read("/loop").value is None
    assert host.read("/out").status == UNRECORDED


def test_a_real_link_in_a_folder_is_not_followed_out_of_it(tmp_path: Path) -> None:
    (tmp_path / "outside").write_text("secret")
    root = tmp_path / "rec" / "root"
    root.mkdir(parents=True)
    (tmp_path / "rec" / "recording.json").write_text(GOOD)
    (root / "leak").symlink_to(tmp_path / "outside")
    (root / "file").write_text("inside")
    (root / "alias").symlink_to("file")
    host = load_recording(str(tmp_path / "rec"))
    assert host.read("/leak").value is None
    assert host.read("/alias").value == b"inside"


def test_stat_and_groups(recorded: Any) -> None:
    host = recorded(stat={"/dev/kfd": {"mode": "0660", "group": "render", "openable": False}}, groups=["user"])
    node = host.stat("/dev/kfd").value
    assert node is not None
    assert (node.mode, node.group, node.owner, node.openable) == ("0660", "render", None, False)
    assert host.groups().value == ("user",)


def test_commands_match_by_base_name(recorded: Any) -> None:
    host = recorded(
        commands={
            "/usr/bin/nvidia-smi -L": "GPU 0\n",
            "sudo LC_ALL=C dmidecode -t 1": "x",
            "nvidia-smi.exe -q": (9, b"", b"bad"),
        }
    )
    assert host.run(["nvidia-smi", "-L"]).value.stdout == b"GPU 0\n"
    assert host.run(["/opt/bin/nvidia-smi", "-L"]).ok
    assert host.run(["dmidecode", "-t", "1"]).ok
    assert host.run(["nvidia-smi"]).status == UNRECORDED
    done = host.run(["C:\\Windows\\System32\\nvidia-smi.EXE", "-q"]).value
    assert (done.returncode, done.stderr) == (9, b"bad")
    assert [argv for argv, _ in host.commands()] == [
        ("nvidia-smi", "-L"),
        ("dmidecode", "-t", "1"),
        ("nvidia-smi", "-q"),
    ]


def test_a_command_that_did_not_answer(recorded: Any) -> None:
    row = {"argv": ["nvidia-smi"], "status": "timeout", "detail": "nvidia-smi did not answer in 5 s"}
    answer = recorded(rows=[row]).run(["nvidia-smi"])
    assert (answer.status, answer.detail) == (TIMEOUT, "nvidia-smi did not answer in 5 s")
    missing = recorded(programs_absent=["rocminfo"])
    assert missing.run(["rocminfo"]).status == ABSENT


def test_values_and_registry(recorded: Any) -> None:
    host = recorded(
        machine="aarch64",
        values={"shm": 5, "glibc": {"status": "absent", "detail": "no glibc"}},
        registry={
            "HKLM\\A\\0000": {"MemorySize": {"hex": "0000ffff"}, "DriverDesc": "x", "Odd": {"hex": "zz"}},
            "HKLM\\B": None,
        },
        kernels={"libtorch_cuda.so": ["sm_80"], "/x/libc.so": {"built_for": ["sm_90"], "needs": ["libz.so"]}},
        python={"version": "3.12.4"},
    )
    assert host.value("shm").value == 5
    assert (host.value("glibc").status, host.value("glibc").detail) == (ABSENT, "no glibc")
    assert host.value("uname.machine").value == "aarch64"
    assert host.value("python").value == {"version": "3.12.4"}
    assert host.registry("hklm\\a\\0000").value == {"MemorySize": b"\0\0\xff\xff", "DriverDesc": "x", "Odd": None}
    assert host.registry("HKLM\\B").status == ABSENT
    assert host.subkeys("HKLM\\A").value == ("0000",)
    assert host.subkeys("HKLM\\A").status == UNRECORDED
    assert host.code("/any/where/libtorch_cuda.so").value == {"built_for": ("sm_80",)}
    assert host.code("/x/libc.so").value == {"built_for": ("sm_90",), "needs": ("libz.so",)}


def test_windows_paths(recorded: Any) -> None:
    host = recorded({"/C/Windows/a.txt": "x"}, system="windows", absent=["C:\\Windows\\System32\\nvcuda.dll"])
    assert host.read("c:\\Windows\\a.txt").value == b"x"
    assert host.stat("C:/Windows/System32/nvcuda.dll").status == ABSENT


def test_failed_reads_stay_failed(recorded: Any) -> None:
    assert recorded(failed={"/proc/x": "/proc/x: Input/output error"}).read("/proc/x").status == FAILED
