"""What to type to put things right, for the system at hand only: Ubuntu is told apt, Fedora dnf, a container ``docker run``."""

from __future__ import annotations

from torchdoctor.probes.facts import Facts

__all__ = [
    "fabric_manager",
    "family",
    "gfx_override",
    "give_gpu",
    "intel_runtime",
    "join_group",
    "nvidia_driver",
    "rebuild_nvidia_module",
    "restart",
    "update_nvidia_driver",
]

# First match wins: names as /etc/os-release and people write them.
_FAMILIES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("ubuntu", ("ubuntu", "pop!_os", "pop_os", "linux mint", "linuxmint", "elementary", "zorin", "neon")),
    ("debian", ("debian", "kali", "raspbian", "proxmox", "devuan")),
    ("fedora", ("fedora", "nobara", "bazzite")),
    ("rhel", ("red hat", "rhel", "centos", "rocky", "alma", "oracle", "scientific", "amazon", "amzn")),
    ("arch", ("arch", "manjaro", "endeavour", "cachyos", "garuda")),
    ("suse", ("suse", "sles")),
    ("nixos", ("nixos",)),
)

_DRIVER_GUIDE = "https://docs.nvidia.com/datacenter/tesla/driver-installation-guide/"
_DRIVER_PAGE = "https://www.nvidia.com/drivers"


def family(facts: Facts) -> str:
    """``ubuntu``, ``debian``, ``fedora``, ``rhel``, ``arch``, ``suse``, ``nixos``; ``windows`` or ``macos``; ``linux``
    for another distribution; empty where the system is not known.
    """
    if facts.system.os in ("windows", "macos"):
        return facts.system.os
    name = (facts.system.name or "").lower()
    for found, names in _FAMILIES:
        if any(n in name for n in names):
            return found
    return "linux" if facts.system.os == "linux" else ""


def restart(facts: Facts) -> str:
    """Restart the machine; from inside a container that means its host."""
    if facts.system.container:
        return "restart the host"
    return {"windows": "restart Windows", "macos": "restart the Mac"}.get(family(facts), "sudo reboot")


#: The target of each generation whose code its other chips run (source: the override table of the GPU data).
_OVERRIDES = {"gfx103": "10.3.0", "gfx110": "11.0.0"}


def gfx_override(facts: Facts, gfx: str | None) -> tuple[str, ...]:
    """The variable that lets the code of a generation's first chip run on another of it: reported to work, suggested only."""
    near = _OVERRIDES.get((gfx or "")[:-1])
    if (
        near
        and gfx != f"gfx{near.replace('.', '')}"
        and facts.system.os in ("linux", None)
        and not (facts.environment or {}).get("HSA_OVERRIDE_GFX_VERSION", "").startswith(near[:-1])
    ):
        return (f"try HSA_OVERRIDE_GFX_VERSION={near} (works for some chips of this generation, unsupported by AMD)",)
    return ()


def nvidia_driver(facts: Facts, *, open_module: bool | None = None) -> tuple[str, ...]:
    """Install the NVIDIA driver and restart. ``open_module`` is ``False`` for GPUs before Turing, which the open kernel
    modules refuse, ``None`` where the GPU is not known.
    """
    if facts.system.container:
        return ("install the NVIDIA driver on the host, not in the container", restart(facts))
    old = open_module is False
    step = {
        "ubuntu": "sudo ubuntu-drivers install",
        "debian": "sudo apt install nvidia-driver firmware-misc-nonfree  # with contrib, non-free, non-free-firmware on",
        "fedora": "sudo dnf install akmod-nvidia xorg-x11-drv-nvidia-cuda  # from RPM Fusion (nonfree)",
        "rhel": f"sudo dnf install {'cuda-drivers' if old else 'nvidia-open'}  # from NVIDIA's repository: {_DRIVER_GUIDE}",
        "arch": "install nvidia-580xx-dkms from the AUR" if old else "sudo pacman -S nvidia-open nvidia-utils",
        "suse": f"sudo zypper install-new-recommends --repo NVIDIA  # {_DRIVER_GUIDE}",
        "nixos": 'services.xserver.videoDrivers = [ "nvidia" ]; then: sudo nixos-rebuild switch',
        "windows": f"install the NVIDIA driver from {_DRIVER_PAGE}",
    }.get(family(facts), f"install the NVIDIA driver: {_DRIVER_GUIDE}")
    return (step, restart(facts))


def update_nvidia_driver(facts: Facts, branch: str) -> tuple[str, ...]:
    """Bring the driver to ``branch`` (``580``, or a build such as ``525.60.13``; empty where no number is known) or newer
    and restart.
    """
    branch = branch or str(_branch(facts, branch))
    if facts.system.wsl:
        return (f"install NVIDIA driver {branch} or newer in Windows ({_DRIVER_PAGE})", "wsl --shutdown")
    if facts.system.container:
        return (f"update the NVIDIA driver of the host to {branch} or newer", restart(facts))
    step = {
        "ubuntu": f"sudo apt install nvidia-driver-{_branch(facts, branch)}",
        "debian": f"sudo apt install nvidia-driver  # {branch} or newer; if your release lacks it: {_DRIVER_GUIDE}",
        "fedora": f"sudo dnf upgrade --refresh akmod-nvidia  # {branch} or newer",
        "rhel": f"sudo dnf upgrade 'nvidia*'  # {branch} or newer, from NVIDIA's repository",
        "arch": f"sudo pacman -Syu  # nvidia-utils {branch} or newer",
        "suse": f"sudo zypper update  # NVIDIA repository, {branch} or newer",
        "nixos": f"hardware.nvidia.package of branch {branch} or newer, then: sudo nixos-rebuild switch",
        "windows": f"install NVIDIA driver {branch} or newer from {_DRIVER_PAGE}",
    }.get(family(facts), f"update the NVIDIA driver to {branch} or newer: {_DRIVER_GUIDE}")
    return (step, restart(facts))


def _branch(facts: Facts, floor: str) -> int:
    """The driver branch to install where one of at least ``floor`` is wanted: one that is still made and that runs every
    GPU here. Of the old branches archives keep few.
    """
    from torchdoctor.matrix.drivers import driver_key, generations

    ends = {cc: int(row.last_branch) for cc, row in generations().items() if row.last_branch}
    mine = [ends[c] for g in facts.gpus or () if (c := g.compute_capability or "") in ends]
    lasting = max(ends.values())  # the last branch for the oldest GPUs that are still served runs the newer ones too
    return max(min([lasting, *mine]), *driver_key(floor)[:1], 0)


def rebuild_nvidia_module(facts: Facts) -> tuple[str, ...]:
    """Get the kernel module of an installed driver loaded."""
    if facts.system.container:
        return ("on the host: sudo modprobe nvidia",)
    build = {
        "ubuntu": "sudo apt install linux-headers-$(uname -r) && sudo dkms autoinstall",
        "debian": "sudo apt install linux-headers-$(uname -r) && sudo dkms autoinstall",
        "fedora": "sudo akmods --force",
        "rhel": "sudo dnf install kernel-devel-$(uname -r) && sudo dkms autoinstall",
        "arch": "sudo pacman -S linux-headers && sudo dkms autoinstall",
    }.get(family(facts))
    steps = ["sudo modprobe nvidia  # says why it fails"]
    if build:
        steps.append(f"after a kernel update: {build}")
    if facts.system.secure_boot:
        steps.insert(
            0, "Secure Boot is on: enrol the key the module is signed with (sudo mokutil --import, restart, confirm)"
        )
    elif facts.system.secure_boot is None:
        steps.append(
            "with Secure Boot on (mokutil --sb-state): enrol the module's key (sudo mokutil --import) or switch it off"
        )
    return tuple(steps)


def fabric_manager(facts: Facts) -> tuple[str, ...]:
    """Install and start the Fabric Manager of the very driver that runs."""
    version = facts.drivers.nvidia.version or ""
    branch = version.split(".")[0]
    if facts.system.container:
        return ("on the host: sudo systemctl restart nvidia-fabricmanager  # its version must be the driver's",)
    package = {
        "ubuntu": f"sudo apt install nvidia-fabricmanager-{branch or '<driver branch>'}",
        "debian": f"sudo apt install nvidia-fabricmanager-{branch or '<driver branch>'}",
        "rhel": f"sudo dnf install nvidia-fabric-manager-{version or '<driver version>'}",
        "suse": f"sudo zypper install nvidia-fabric-manager-{version or '<driver version>'}",
    }.get(family(facts), f"install the Fabric Manager of driver {version}".rstrip())
    return (package, "sudo systemctl enable --now nvidia-fabricmanager", "nvidia-smi -q | grep -A2 Fabric")


_RUN: dict[str, dict[str, str]] = {
    "nvidia": {
        "docker": "docker run --gpus all …",
        "podman": "podman run --device nvidia.com/gpu=all …",
        "kubernetes": "ask for it in the pod: resources: {limits: {nvidia.com/gpu: 1}}",
        "apptainer": "apptainer exec --nv …",
        "singularity": "singularity exec --nv …",
        "lxc": "lxc config device add NAME gpu gpu && lxc config set NAME nvidia.runtime true",
    },
    "amd": {
        "docker": "docker run --device /dev/kfd --device /dev/dri --group-add $(stat -c %g /dev/kfd) …",
        "podman": "podman run --device /dev/kfd --device /dev/dri --group-add keep-groups …",
        "kubernetes": "ask for it in the pod: resources: {limits: {amd.com/gpu: 1}}",
        "apptainer": "apptainer exec --rocm …",
        "singularity": "singularity exec --rocm …",
        "lxc": "lxc config device add NAME gpu gpu && lxc config device add NAME kfd unix-char path=/dev/kfd",
    },
    "intel": {
        "docker": "docker run --device /dev/dri --group-add $(stat -c %g /dev/dri/renderD128) …",
        "podman": "podman run --device /dev/dri --group-add keep-groups …",
        "kubernetes": "ask for it in the pod: resources: {limits: {gpu.intel.com/xe: 1}}",
        "lxc": "lxc config device add NAME gpu gpu",
    },
}


def give_gpu(facts: Facts, vendor: str) -> tuple[str, ...]:
    """Start the container so that it gets the GPUs of ``vendor``."""
    engine = (facts.system.container or "").lower()
    run = _RUN[vendor].get(engine, _RUN[vendor]["docker"])
    if vendor != "nvidia" or engine in ("apptainer", "singularity"):
        return (run,)
    toolkit = "on the host: install nvidia-container-toolkit"
    if engine in ("docker", ""):
        toolkit += ", then: sudo nvidia-ctk runtime configure --runtime=docker && sudo systemctl restart docker"
    elif engine == "podman":
        toolkit += ", then: sudo nvidia-ctk cdi generate --output=/etc/cdi/nvidia.yaml"
    elif engine == "kubernetes":
        toolkit = "on the cluster: install NVIDIA's device plugin or GPU operator"
    return (toolkit, run)


def join_group(facts: Facts, group: str | None) -> tuple[str, ...]:
    """Let this user open a device node that ``group`` owns."""
    if facts.system.container:
        wanted = group if group and group.isdecimal() else "$(stat -c %g NODE)"
        return (f"start the container with --group-add {wanted}  # the number on the host; names differ inside",)
    return (f"sudo usermod -aG {group or 'render,video'} $USER", "log out and in again")


def intel_runtime(facts: Facts) -> tuple[str, ...]:
    """Install or update the Intel GPU's compute runtime and Level Zero."""
    step = {
        "ubuntu": "sudo apt install libze1 libze-intel-gpu1 intel-opencl-icd  # newest: ppa:kobuk-team/intel-graphics",
        "debian": "sudo apt install libze1 libze-intel-gpu1 intel-opencl-icd",
        "fedora": "sudo dnf install intel-compute-runtime intel-level-zero oneapi-level-zero",
        "arch": "sudo pacman -S intel-compute-runtime level-zero-loader",
        "windows": "install the current Intel graphics driver: https://www.intel.com/content/www/us/en/download-center/home.html",
    }.get(family(facts), "install the current compute runtime: https://github.com/intel/compute-runtime/releases")
    if facts.system.container:
        return (f"in the image: {step}",)
    return (step,)
