"""Is this a container, and of which kind: from the marks that engines leave, surest first."""

from __future__ import annotations

import re
from collections.abc import Iterator

from torchdoctor.probes.host import Host

__all__ = ["container_kind", "from_cgroup", "from_mountinfo", "normal_kind", "root_is_a_disk"]

# What systemd and the engines write → our word.
_KINDS = {
    "docker": "docker", "podman": "podman", "lxc": "lxc", "lxc-libvirt": "lxc", "systemd-nspawn": "nspawn",
    "rkt": "rkt", "wsl": "", "proot": "proot", "pouch": "pouch", "singularity": "apptainer",
    "apptainer": "apptainer", "kubernetes": "kubernetes", "kube": "kubernetes", "containerd": "containerd",
    "crio": "kubernetes", "openvz": "openvz", "toolbox": "podman", "distrobox": "podman",
}  # fmt: skip
_KUBERNETES_FILE = "/var/run/secrets/kubernetes.io/serviceaccount/namespace"
# One mark a line of /proc/1/cgroup; on version 2 in its own name space it says nothing ("0::/").
_CGROUP = (
    ("kubepods", r"(?:^|[/:])kubepods(?:[.\-/]|$)", "kubernetes"),
    ("libpod", r"(?:^|/)libpod[-_]", "podman"),
    ("docker", r"(?:^|/)(?:docker[-/]|docker$)|/system\.slice/docker-", "docker"),
    ("lxc", r"(?:^|/)(?:lxc|lxc\.payload\.?)[./]|(?:^|/)machine\.slice/machine-lxc", "lxc"),
    ("containerd", r"(?:^|/)(?:cri-containerd|containerd)[-:/]", "containerd"),
)
# What images say of themselves under any engine; a mark of the engine is better.
_VAGUE = ("oci", "containerd")


def container_kind(host: Host) -> tuple[str | None, str]:
    """The kind and its source; an empty kind is "known not to be in one", ``None`` "nobody can tell"."""
    mountinfo = _text(host.read("/proc/self/mountinfo", 1 << 18).value or b"")
    vague: tuple[str, str] | None = None
    for kind, source in _marks(host, mountinfo):
        if kind not in _VAGUE:
            return kind, source
        vague = vague or (kind, source)
    if vague is not None:
        return vague
    # "In none" needs every mark to be known to be missing.
    none = host.read("/proc/1/cgroup", 1 << 16).value is not None and host.stat("/run/.containerenv").absent
    if none and (root_is_a_disk(mountinfo) or host.stat("/.dockerenv").absent):
        return "", "no container mark"
    return None, ""


def _marks(host: Host, mountinfo: str) -> Iterator[tuple[str, str]]:
    """Every mark of a container, surest first."""
    variables = host.environ().value or {}
    if variables.get("KUBERNETES_SERVICE_HOST"):
        yield "kubernetes", "KUBERNETES_SERVICE_HOST"
    if host.stat(_KUBERNETES_FILE).ok:
        yield "kubernetes", _KUBERNETES_FILE
    for path in ("/run/host/container-manager", "/run/systemd/container"):
        answer = host.read(path, 4096)
        if answer.value:
            yield normal_kind(_text(answer.value)), path
    for entry in (host.read("/proc/1/environ", 1 << 16).value or b"").split(b"\0"):
        if entry.startswith(b"container="):
            yield normal_kind(_text(entry[10:])), "/proc/1/environ"
    if variables.get("APPTAINER_CONTAINER") or variables.get("SINGULARITY_CONTAINER"):
        yield "apptainer", "APPTAINER_CONTAINER"
    for path, kind in (("/run/.containerenv", "podman"), ("/.singularity.d", "apptainer"), ("/.dockerenv", "docker")):
        # The last is left behind in machines made from an image.
        if host.stat(path).ok and not (kind == "docker" and root_is_a_disk(mountinfo)):
            yield kind, path
    if variables.get("container"):
        yield normal_kind(variables["container"]), "container"
    if cgroup := from_cgroup(_text(host.read("/proc/1/cgroup", 1 << 16).value or b"")):
        yield cgroup, "/proc/1/cgroup"
    if mounted := from_mountinfo(mountinfo):
        yield mounted, "/proc/self/mountinfo"
    status = _text(host.read("/proc/self/status", 4096).value or b"")
    if "envID:" in status and re.search(r"^envID:[ \t]{1,8}[1-9]", status, re.M):
        yield "openvz", "/proc/self/status"
    for argv, completed in host.commands():
        if argv[0] in ("systemd-detect-virt", "virt-what"):
            for word in _text(completed.stdout).split():
                if _KINDS.get(word):
                    yield _KINDS[word], argv[0]


def normal_kind(word: str) -> str:
    """What an engine calls itself → our word; an unknown engine keeps its own name."""
    word = word.strip().lower()[:40]
    return _KINDS.get(word, word)


def from_cgroup(text: str) -> str | None:
    """The kind that a cgroup path names, if one does; the innermost engine of the first line that names any."""
    kinds = [row for row in _CGROUP if row[0] in text]
    for line in text.splitlines()[:100] if kinds else ():
        path = line.split(":", 2)[-1][:4000]
        for _, pattern, kind in kinds:
            if re.search(pattern, path):
                return kind
    return None


def from_mountinfo(text: str) -> str | None:
    """The kind that the root mount names: an engine's storage behind it, or LXC's folder as its root."""
    for line in text.splitlines()[:2000]:
        fields = line.split(" ")
        if len(fields) < 5 or fields[4] != "/":
            continue
        if fields[3].startswith("/var/lib/lxc/") or "/lxc/" in fields[3]:
            return "lxc"
        if "/var/lib/docker/" in line or "/docker/overlay2/" in line:
            return "docker"
        if "/containers/storage/overlay" in line:
            return "podman"
        if "containerd" in line and " - overlay " in line:
            return "containerd"
    return None


def root_is_a_disk(mountinfo: str) -> bool:
    """The root file system is a whole block device, which no engine of containers gives."""
    for line in mountinfo.splitlines()[:2000]:
        before, _, after = line.partition(" - ")
        fields, rest = before.split(" "), after.split(" ")
        if len(fields) > 4 and fields[4] == "/":
            return (
                fields[3] == "/"
                and len(rest) > 1
                and rest[0] not in ("overlay", "aufs", "fuse-overlayfs")
                and rest[1].startswith("/dev/")
            )
    return False


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace").replace("\0", "")
