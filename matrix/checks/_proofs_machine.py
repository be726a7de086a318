"""Texts that name a driver, a container, a device or a runtime as the cause."""

from __future__ import annotations

from torchdoctor.matrix import remedies
from torchdoctor.matrix.case import Case
from torchdoctor.matrix.catalog import version_key
from torchdoctor.matrix.checks._proof import Proof

__all__ = ["PROOFS"]


def on_linux_itself(case: Case) -> bool:
    system = case.facts.system
    return system.os in ("linux", None) and not (system.wsl or system.jetson or system.container)


def _on_the_bus(case: Case, index: int) -> bool:
    """Whether the GPU was read off a bus listing, not only named by a person."""
    return "controller" in (case.facts.source(f"gpus[{index}]") or "")


def not_usable(case: Case) -> bool:
    return case.facts.torch.gpu_available is not True


def _speaks_cuda_11(case: Case) -> bool:
    # CUDA 11 is the oldest that a release in the matrix was built for: below it no wheel is a cure.
    cuda = case.facts.drivers.nvidia.cuda
    return cuda is None or version_key(cuda) >= (11, 0)


def _compat_fix(case: Case) -> tuple[str, ...]:
    take = "take the cuda-compat folder off LD_LIBRARY_PATH and out of /etc/ld.so.conf.d, then run ldconfig"
    if case.facts.system.container:
        return (
            "use an image whose CUDA is not newer than the driver of the host",
            take,
            "or update the driver of the host",
        )
    return (take, "or update the driver, so that no compatibility library is needed")


def _fabric(case: Case) -> tuple[str, ...]:
    return remedies.fabric_manager(case.facts)


def _rebuild(case: Case) -> tuple[str, ...]:
    return remedies.rebuild_nvidia_module(case.facts)


def _mismatch(case: Case) -> tuple[str, ...]:
    return (
        remedies.restart(case.facts),
        "if it stays: remove every NVIDIA driver package and install one source's only",
    )


def _gpu_into_container(case: Case) -> tuple[str, ...]:
    return remedies.give_gpu(case.facts, "nvidia")


def _kfd_into_container(case: Case) -> tuple[str, ...]:
    if case.facts.system.os == "windows" or case.facts.system.wsl:
        return (
            "Docker on Windows has no /dev/kfd: install the ROCm wheels for Windows natively",
            "or AMD's WSL build of ROCm inside WSL, which uses /dev/dxg",
        )
    if case.facts.system.container:
        return remedies.give_gpu(case.facts, "amd")
    return ("load the driver: sudo modprobe amdgpu", "look at: sudo dmesg | grep -i -e amdgpu -e kfd")


def _group(case: Case) -> tuple[str, ...]:
    return remedies.join_group(case.facts, "render")


PROOFS: tuple[Proof, ...] = (
    Proof(
        finding="fabric-manager-not-ready",
        symptoms=("cuda-error-802",),
        about="nvidia",
        detail="The driver answers that the system is not yet initialized: the NVSwitch fabric has not come up.",
        fix=_fabric,
        when=not_usable,
    ),
    Proof(
        finding="driver-library-mismatch",
        symptoms=("cuda-error-803", "driver-library-mismatch"),
        about="nvidia",
        detail="The driver's own tool says that its library and the loaded kernel module are of different versions.",
        fix=_mismatch,
        # nvidia-smi answers again: the message is of the time before the restart.
        when=lambda case: not_usable(case) or not case.facts.drivers.nvidia.loaded,
        facts=("drivers.nvidia.version", "drivers.nvidia.library"),
    ),
    Proof(
        finding="cuda-compat-on-unsupported-gpu",
        symptoms=("cuda-error-804",),
        about="nvidia",
        detail="A forward-compatibility libcuda is loaded on a GPU that may not use one.",
        fix=_compat_fix,
        when=not_usable,
        facts=("drivers.nvidia.version", "gpus[0].name", "environment.LD_LIBRARY_PATH"),
    ),
    Proof(
        finding="libcuda-stub",
        symptoms=("cuda-error-34", "libcuda-stub-path"),
        about="nvidia",
        detail="The stub libcuda of a CUDA toolkit is found before the driver's: it is for linking only.",
        fix=(
            "take the stubs folder (…/lib64/stubs) off LD_LIBRARY_PATH and out of /etc/ld.so.conf.d",
            "then run: sudo ldconfig",
        ),
        facts=("environment.LD_LIBRARY_PATH",),
    ),
    Proof(
        finding="cuda-init-unknown-error",
        symptoms=("cuda-error-999",),
        about="nvidia",
        detail="cuInit fails without naming a reason: the driver's state, not a version, is at fault.",
        fix=("sudo rmmod nvidia_uvm && sudo modprobe nvidia_uvm (after a suspend)", "or restart the machine"),
        when=not_usable,
    ),
    Proof(
        finding="driver-not-loaded",
        symptoms=("nvidia-smi-failed", "nvidia-module-absent", "nvidia-module-key", "nvidia-device-taken"),
        about="nvidia",
        detail="The driver's tools are installed and cannot reach the kernel module.",
        fix=_rebuild,
        when=lambda case: on_linux_itself(case) and case.facts.drivers.nvidia.loaded is not True and not_usable(case),
        facts=("drivers.nvidia.version", "drivers.nvidia.installed", "system.kernel"),
    ),
    Proof(
        finding="driver-not-loaded",
        symptoms=("nvidia-module-flavour",),
        about="nvidia",
        detail="The kernel log says that this GPU needs the open kernel modules; the proprietary ones refuse it.",
        fix=lambda case: remedies.nvidia_driver(case.facts, open_module=True),
        when=lambda case: not_usable(case) and all(g.driver != "nvidia" for _, g in case.gpus("nvidia")),
        facts=("drivers.nvidia.version", "gpus[0].name"),
    ),
    Proof(
        finding="driver-too-old",
        symptoms=("driver-too-old-text", "driver-insufficient"),
        about="nvidia",
        detail="torch itself was told by the driver that it is too old for this build.",
        fix=lambda case: (
            "install a variant that the driver can run (see the recommendation)",
            *remedies.update_nvidia_driver(case.facts, "580"),
        ),
        lies_in=lambda case: "packages" if _speaks_cuda_11(case) else "system",
        when=not_usable,
        facts=("drivers.nvidia.version", "drivers.nvidia.cuda", "torch.version"),
    ),
    Proof(
        finding="container-no-gpu",
        symptoms=("container-no-driver", "container-no-gpu-capability", "container-no-libcuda"),
        about="nvidia",
        detail="The container was started without the GPU: the image's own start-up check finds no driver.",
        fix=_gpu_into_container,
        when=not_usable,
        facts=("system.container", "drivers.nvidia.version"),
    ),
    Proof(
        finding="container-no-gpu",
        symptoms=("container-no-runtime",),
        about="nvidia",
        detail="The container engine knows no NVIDIA runtime: the container toolkit is not installed, or not configured for it.",
        fix=_gpu_into_container,
        when=not_usable,
        facts=("system.container", "drivers.nvidia.version"),
    ),
    Proof(
        finding="container-no-gpu",
        symptoms=("found-no-nvidia-driver",),
        about="nvidia",
        detail="The container was started without --gpus, and the program in it finds no driver.",
        fix=_gpu_into_container,
        when=lambda case: not_usable(case) and bool(case.symptom("docker-run-without-gpu")),
        facts=("system.container",),
    ),
    Proof(
        finding="container-cuda-requirement",
        symptoms=("container-cuda-requirement", "container-brand-requirement"),
        about="nvidia",
        detail="The image asks for a newer CUDA than the driver of the host speaks, and the container toolkit refuses to start it.",
        fix=(
            "update the NVIDIA driver of the host",
            "or use an image for an older CUDA",
            "or, where only the wheel's CUDA matters: start it with NVIDIA_DISABLE_REQUIRE=1",
        ),
        facts=("drivers.nvidia.version", "drivers.nvidia.cuda"),
    ),
    Proof(
        finding="rocm-device-missing",
        symptoms=("container-kfd-missing", "kfd-missing", "rock-not-loaded"),
        about="amd",
        detail="/dev/kfd is not there: no ROCm program can reach the GPU.",
        fix=_kfd_into_container,
        facts=("system.os", "system.container"),
    ),
    Proof(
        finding="rocm-permission",
        symptoms=("kfd-denied",),
        about="amd",
        detail="This user may not open /dev/kfd.",
        fix=_group,
    ),
    Proof(
        finding="pcie-atomics-missing",
        symptoms=("pcie-atomics",),
        about="amd",
        detail="The report says that the platform offers no PCIe atomics, which ROCm needs.",
        fix=(
            "put the card into a slot that is wired to the processor, or use another board",
            "in a virtual machine: enable PCIe atomics for the passed-through device, or use a current ROCm build",
        ),
        # where the runtime names missing code, that is the cause
        severity=lambda case: "warning" if case.symptom("hip-invalid-function", "hip-no-binary") else "blocker",
    ),
    Proof(
        finding="metal-device-missing",
        symptoms=("mps-zero-memory",),
        about="apple",
        detail="Not even the first few bytes can be allocated: this is the paravirtual GPU of a virtual machine.",
        fix=("use device='cpu' here: a virtual Mac has no GPU that Metal can compute on",),
    ),
    Proof(
        finding="wsl-driver-not-visible",
        symptoms=("wsl-libraries-missing",),
        about="machine",
        detail="The folder with the libraries of the Windows driver, /usr/lib/wsl/lib, is not there.",
        fix=(
            "install or update the NVIDIA driver in Windows (https://www.nvidia.com/drivers)",
            "wsl --update && wsl --shutdown",
        ),
        when=lambda case: bool(case.facts.system.wsl) and not_usable(case),
        facts=("system.wsl",),
    ),
    Proof(
        finding="wsl-driver-not-visible",
        symptoms=("libcuda-not-found",),
        about="machine",
        detail="Inside WSL the Windows driver's libcuda is not on the loader's path.",
        fix=(
            "put /usr/lib/wsl/lib on LD_LIBRARY_PATH (first), or run: sudo ldconfig",
            "update the NVIDIA driver in Windows, then: wsl --shutdown",
        ),
        when=lambda case: bool(case.facts.system.wsl) and not_usable(case),
        facts=("system.wsl",),
    ),
    Proof(
        finding="driver-missing",
        symptoms=("nvidia-smi-not-found", "libcuda-not-found", "found-no-nvidia-driver"),
        about="nvidia",
        detail="The machine has an NVIDIA GPU and nothing of its driver is found.",
        fix=lambda case: remedies.nvidia_driver(case.facts),
        when=lambda case: (
            on_linux_itself(case)
            and case.facts.torch.gpu_available is False
            and not case.facts.drivers.nvidia.version
            and any(g.pci_id or _on_the_bus(case, i) for i, g in case.gpus("nvidia"))
        ),
        facts=("gpus[0].name", "gpus[0].pci_id"),
    ),
    Proof(
        finding="driver-too-old",
        symptoms=("invalid-ptx",),
        about="nvidia",
        detail="The driver cannot translate PTX of this build's newer toolkit.",
        fix=lambda case: remedies.update_nvidia_driver(case.facts, "580"),
        lies_in="system",
        facts=("drivers.nvidia.version", "drivers.nvidia.cuda", "torch.version"),
    ),
)
