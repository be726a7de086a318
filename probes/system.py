"""The operating system: distribution, kernel, libc, container, WSL, Jetson, Windows and macOS versions."""

from __future__ import annotations

import re

from torchdoctor.probes.containers import container_kind
from torchdoctor.probes.distribution import distribution, release_file_names
from torchdoctor.probes.draft import Draft
from torchdoctor.probes.host import Host
from torchdoctor.probes.libc import probe_libc
from torchdoctor.probes.profile import normal_machine
from torchdoctor.probes.variables import reported

__all__ = [
    "parse_compatible", "parse_nv_tegra_release", "parse_proc_version", "parse_uname", "probe",
]  # fmt: skip

# Patterns stay text until one is needed: compiling them all costs more than the probe itself.
_MACHINE = r"(?:x86_64|amd64|i[3-6]86|aarch64(?:_be)?|arm64|armv[5-8]\w{0,4}|ppc64(?:le)?|s390x?|riscv(?:32|64)|loongarch64|mips\w{0,8}|sparc64)"
_KERNEL = r"^(?:Linux|Darwin|FreeBSD) version (\S{1,120})"
_TEGRA = r"^#\s*R(\d{1,3})\s*\(release\),\s*REVISION:\s*(\d{1,3}(?:\.\d{1,3}){0,2})"


def probe(host: Host, draft: Draft, deadline: float) -> None:
    """Facts of ``system`` and ``environment``."""
    draft.put("system.os", host.system, "the host")
    _environment(host, draft)
    _kernel(host, draft)
    if host.system == "windows":
        from torchdoctor.probes.windows import probe_system as probe_windows

        probe_windows(host, draft)
    elif host.system == "macos":
        from torchdoctor.probes.macos import probe_system as probe_macos

        probe_macos(host, draft)
    else:
        _linux(host, draft, deadline)
    page = host.value("page_size")
    if isinstance(page.value, int) and not isinstance(page.value, bool):
        draft.put("system.page_size", page.value, "sysconf")


def _environment(host: Host, draft: Draft) -> None:
    answer = host.environ()
    if answer.value is None:
        draft.miss("environment", answer.detail)
        return
    draft.mapping("environment", "the environment")
    for name, value in answer.value.items():
        if reported(name):
            draft.put(f"environment.{name}", value, "the environment")


def _kernel(host: Host, draft: Draft) -> None:
    for read in (
        lambda: (_line(host, "/proc/sys/kernel/osrelease"), "/proc/sys/kernel/osrelease"),
        lambda: (host.value("uname.release").value, "uname"),
        lambda: (parse_proc_version(_text(host, "/proc/version") or ""), "/proc/version"),
    ):
        kernel, source = read()
        if isinstance(kernel, str) and kernel:
            draft.put("system.kernel", kernel[:120], source)
            break
    machine = host.value("uname.machine").value or _line(host, "/proc/sys/kernel/arch")
    if isinstance(machine, str) and machine:
        draft.put("system.machine", normal_machine(machine), "uname")
    for argv, completed in host.commands():
        text = completed.stdout.decode("utf-8", "replace")
        if argv == ("uname", "-m"):
            word = text.strip()
            draft.put("system.machine", normal_machine(word) if re.fullmatch(_MACHINE, word) else None, "uname -m")
        elif argv == ("uname", "-r"):
            draft.put("system.kernel", text.strip()[:120] or None, "uname -r")
        elif argv[0] == "uname" and "-a" in argv[1:]:
            release, machine = parse_uname(text)
            draft.put("system.kernel", release, "uname -a")
            draft.put("system.machine", machine, "uname -a")


def parse_uname(text: str) -> tuple[str | None, str | None]:
    """Kernel release and machine of one line of ``uname -a``; lines before it are passed over."""
    for line in text.splitlines():
        words = line.split()
        if (
            len(words) > 3
            and words[0] in ("Linux", "Darwin", "FreeBSD", "OpenBSD", "NetBSD", "SunOS")
            and words[2][:1].isdigit()
        ):
            # The machine stands first of up to three alike; behind them only the name of the system.
            machines = [word for word in words[3:] if re.fullmatch(_MACHINE, word)]
            return words[2][:120], normal_machine(machines[0]) if machines else None
    return None, None


def parse_proc_version(text: str) -> str | None:
    """The kernel release that ``/proc/version`` names."""
    match = re.search(_KERNEL, text[:4096], re.M)
    return match[1] if match else None


def _linux(host: Host, draft: Draft, deadline: float) -> None:
    _distribution(host, draft)
    probe_libc(host, draft, deadline)
    kind, source = container_kind(host)
    draft.put("system.container", kind, source)
    if kind is None:
        draft.miss("system.container", "not every mark of a container could be looked for")
    _wsl(host, draft)
    _jetson(host, draft)
    _secure_boot(host, draft)
    vendor = re.search(r"^vendor_id\s{0,20}:\s{0,20}(\S{1,40})", (_text(host, "/proc/cpuinfo") or "")[:4096], re.M)
    if vendor:  # Rosetta in a Linux machine on Apple silicon names itself
        draft.put("system.translated", vendor[1] == "VirtualApple", "/proc/cpuinfo")


def _distribution(host: Host, draft: Draft) -> None:
    for path in ("/etc/os-release", "/usr/lib/os-release"):
        os_release = _text(host, path)
        if os_release:
            break
    name, version = distribution(os_release)
    source = path if name else "/etc"
    if not (name and version):
        listing = host.listing("/etc").value or ()
        files = {n: text for n in release_file_names(listing) if (text := _text(host, f"/etc/{n}", 4096))}
        lsb = None
        if not os_release and (printed := host.run(["lsb_release", "-a"], timeout=2.0)).value is not None:
            lsb = printed.value.stdout.decode("utf-8", "replace")
        name, version = distribution(
            os_release,
            release_files=files,
            lsb_release=lsb,
            lsb_file=_text(host, "/etc/lsb-release"),
            debian_version=_text(host, "/etc/debian_version", 4096),
        )
        if name is None and (old := _text(host, "/etc/system-release", 4096)):
            name, version = distribution(None, release_files={"system-release": old})
    draft.put("system.name", name, source)
    draft.put("system.version", version, source)
    if version is None:
        rolling = bool(os_release)
        draft.miss(
            "system.version", "the distribution names no version" if rolling else "no file names the distribution"
        )


def _wsl(host: Host, draft: Draft) -> None:
    kernel = (
        _line(host, "/proc/sys/kernel/osrelease") or host.value("uname.release").value or _text(host, "/proc/version")
    )
    if not isinstance(kernel, str) or not kernel:
        if host.stat("/dev/dxg").ok:
            draft.put("system.wsl", 2, "/dev/dxg")
        return
    # WSL 1 says "4.4.0-19041-Microsoft", WSL 2 "…-microsoft-standard-WSL2"; own kernels drop the name, not the device.
    if "microsoft" in kernel.lower():
        old = "Microsoft" in kernel and "WSL2" not in kernel and "standard" not in kernel
        draft.put("system.wsl", 1 if old else 2, "/proc/sys/kernel/osrelease")
    elif host.stat("/dev/dxg").ok or "WSL2" in kernel:
        draft.put("system.wsl", 2, "/dev/dxg")
    elif host.stat("/dev/dxg").absent or host.kind == "live":
        draft.put("system.wsl", 0, "/proc/sys/kernel/osrelease")


def parse_nv_tegra_release(text: str) -> str | None:
    """``# R36 (release), REVISION: 4.3, …`` → ``36.4.3``."""
    match = re.search(_TEGRA, text, re.M)
    return f"{match[1]}.{match[2]}" if match else None


def parse_compatible(raw: bytes) -> str | None:
    """The Tegra chip of a device tree's ``compatible``: strings that each end in NUL."""
    for word in raw[:4096].split(b"\0"):
        if match := re.fullmatch(rb"nvidia,(tegra\d{2,4})", word):
            return match[1].decode()
    return None


def _jetson(host: Host, draft: Draft) -> None:
    path = "/etc/nv_tegra_release"
    answer = host.read(path, 1 << 16)
    if answer.value is not None:
        draft.put("system.jetson", parse_nv_tegra_release(answer.value.decode("utf-8", "replace")), path)
    for line in (_text(host, "/etc/nv_boot_control.conf", 4096) or "").splitlines():
        if line.startswith("TNSPEC") and draft.value("system.jetson") is None:
            draft.miss("system.jetson", "a Jetson board, but no file names its L4T release")
    chip = None
    for path in ("/proc/device-tree/compatible", "/sys/firmware/devicetree/base/compatible"):
        tree = host.read(path, 4096)
        if tree.value is not None:
            chip = parse_compatible(tree.value)
            break
    if draft.value("system.jetson") is None and chip is not None:
        draft.miss("system.jetson", f"the board is a {chip}, but no file names its L4T release")
    elif (
        draft.value("system.jetson") is None
        and answer.absent
        and (tree.absent or (tree.value is not None and chip is None))
    ):
        draft.put("system.jetson", "", "/etc/nv_tegra_release")


def _secure_boot(host: Host, draft: Draft) -> None:
    path = "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"
    raw = host.read(path, 16).value
    # Four bytes of attributes, then the value. That the file is missing says nothing.
    if raw is not None and len(raw) == 5 and raw[4] in (0, 1):
        draft.put("system.secure_boot", raw[4] == 1, path)


def _text(host: Host, path: str, limit: int = 1 << 16) -> str | None:
    raw = host.read(path, limit).value
    return None if raw is None else raw.decode("utf-8", "replace").replace("\0", "")


def _line(host: Host, path: str) -> str | None:
    return (_text(host, path, 4096) or "").strip().split("\n")[0] or None
