from __future__ import annotations

from typing import Any

import pytest
from torchdoctor.probes.containers import container_kind, from_cgroup, from_mountinfo, normal_kind, root_is_a_disk

_DISK = "27 1 254:0 / / rw,relatime - ext4 /dev/vda rw\n"
_OVERLAY = "638 535 0:52 / / rw,relatime - overlay overlay rw,lowerdir=/var/lib/docker/overlay2/l/A\n"


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("10:memory:/kubepods/burstable/pod12/ab", "kubernetes"),
        ("0::/kubepods.slice/kubepods-burstable.slice/x.scope", "kubernetes"),
        ("0::/machine.slice/libpod-00aa.scope/container", "podman"),
        ("12:pids:/docker/ee6e3c05", "docker"),
        ("1:name=systemd:/system.slice/docker-ab12.scope", "docker"),
        ("9:cpu:/lxc/box/init.scope", "lxc"),
        ("9:cpu:/lxc.payload.box/init.scope", "lxc"),
        ("0::/system.slice/docker.service", None),  # the engine itself, on the host
        ("0::/user.slice/user-1000.slice/session-2.scope", None),
        ("0::/", None),
        ("", None),
    ],
)
def test_cgroup(line: str, kind: str | None) -> None:
    assert from_cgroup("13:pids:/init.scope\n" + line + "\n") == kind


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        (_OVERLAY, "docker"),
        ("1 2 0:5 / / rw - overlay overlay rw,upperdir=/var/lib/containers/storage/overlay/x/diff\n", "podman"),
        ("838 589 253:0 /var/lib/lxc/box/rootfs / rw,relatime - ext4 /dev/mapper/root rw\n", "lxc"),
        (_DISK, None),
        ("30 1 253:0 /var/lib/lxc/box /mnt rw - ext4 /dev/sda1 rw\n", None),  # not the root
        ("short line\n", None),
    ],
)
def test_mountinfo(line: str, kind: str | None) -> None:
    assert from_mountinfo(line) == kind


def test_a_whole_disk_as_root_is_no_container() -> None:
    assert root_is_a_disk(_DISK)
    assert not root_is_a_disk(_OVERLAY)
    assert not root_is_a_disk("")


def test_engines_names() -> None:
    assert [normal_kind(w) for w in ("systemd-nspawn\n", "oci", "Podman", "newengine")] == [
        "nspawn",
        "oci",
        "podman",
        "newengine",
    ]


def test_order_of_the_marks(recorded: Any) -> None:
    # Kubernetes starts containerd's or Docker's containers: the outer one counts.
    both = recorded({"/.dockerenv": ""}, environment={"KUBERNETES_SERVICE_HOST": "set"})
    assert container_kind(both) == ("kubernetes", "KUBERNETES_SERVICE_HOST")
    podman = recorded({"/run/.containerenv": "engine=podman\n", "/.dockerenv": ""})
    assert container_kind(podman) == ("podman", "/run/.containerenv")
    pid1 = recorded({"/proc/1/environ": b"TERM=xterm\0container=podman\0"})
    assert container_kind(pid1) == ("podman", "/proc/1/environ")
    image = {"/proc/1/environ": b"container=oci\0", "/run/.containerenv": ""}
    assert container_kind(recorded(image)) == ("podman", "/run/.containerenv")  # images say oci under any engine
    assert container_kind(recorded({"/proc/1/environ": b"container=oci\0"})) == ("oci", "/proc/1/environ")
    nspawn = recorded({"/run/systemd/container": "systemd-nspawn\n"})
    assert container_kind(nspawn) == ("nspawn", "/run/systemd/container")
    apptainer = recorded(environment={"APPTAINER_CONTAINER": "/images/x.sif"})
    assert container_kind(apptainer)[0] == "apptainer"


def test_what_a_tool_or_the_kernel_said(recorded: Any) -> None:
    assert container_kind(recorded(commands={"systemd-detect-virt": "podman\n"})) == ("podman", "systemd-detect-virt")
    assert container_kind(recorded(commands={"virt-what": "xen\nxen-hvm\naws\n"})) == (None, "")
    assert container_kind(recorded({"/proc/self/status": "Name:\tcat\nenvID:\t101\n"}))[0] == "openvz"
    assert container_kind(recorded({"/proc/self/status": "Name:\tcat\nenvID:\t0\n"}))[0] is None


def test_a_left_over_mark_in_a_virtual_machine(recorded: Any) -> None:
    files = {"/.dockerenv": "", "/proc/1/cgroup": "0::/init.scope\n", "/proc/self/mountinfo": _DISK}
    assert container_kind(recorded(files, absent=["/run/.containerenv"])) == ("", "no container mark")
    files["/proc/self/mountinfo"] = _OVERLAY
    assert container_kind(recorded(files, absent=["/run/.containerenv"]))[0] == "docker"


def test_none_is_said_only_after_looking(recorded: Any) -> None:
    bare = {"/proc/1/cgroup": "0::/init.scope\n"}
    assert container_kind(recorded(bare))[0] is None
    assert container_kind(recorded(bare, absent=["/run/.containerenv", "/.dockerenv"]))[0] == ""
    assert container_kind(recorded()) == (None, "")
