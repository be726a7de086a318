from __future__ import annotations

from collections.abc import Callable

import pytest
from torchdoctor.probes.facts import Facts


@pytest.mark.parametrize(
    ("text", "name", "driver"),
    [
        (
            "\tdeviceName         = NVIDIA GeForce RTX 3070\n\tdriverID           = DRIVER_ID_NVIDIA_PROPRIETARY\n\tdriverInfo         = 550.120\n",
            "NVIDIA GeForce RTX 3070",
            "550.120",
        ),
        (
            "OpenGL renderer string: NVIDIA GeForce GTX 1070/PCIe/SSE2\nOpenGL core profile version string: 4.6.0 NVIDIA 535.183.01\n",
            "NVIDIA GeForce GTX 1070",
            "535.183.01",
        ),
        (
            "  Platform Vendor        NVIDIA Corporation\n  Device Name            NVIDIA GeForce RTX 3060\n  Driver Version         535.183.01\n",
            "NVIDIA GeForce RTX 3060",
            "535.183.01",
        ),
        (
            "  Device-1: NVIDIA GA106 [GeForce RTX 3060] vendor: ASUSTeK\n    driver: nvidia v: 550.120 arch: Ampere\n",
            "GeForce RTX 3060",
            "550.120",
        ),
        ("Card: NVIDIA TU116 [GeForce GTX 1660] driver: nvidia v: 470.223.02\n", "GeForce GTX 1660", "470.223.02"),
        (
            "Model: \t\t NVIDIA GeForce RTX 3090\nIRQ:   \t\t 129\nGPU UUID: \t GPU-xx\nGPU Firmware: \t 535.183.01\n",
            "NVIDIA GeForce RTX 3090",
            "535.183.01",
        ),
        (
            "│ NVITOP 1.3.2      Driver Version: 535.161.07     CUDA Driver Version: 12.2 │\n[0] NVIDIA L4 | 35°C,   0 % |     4 / 23034 MB |\n",
            "NVIDIA L4",
            "535.161.07",
        ),
        (
            "node01       Mon Jun  3 10:02:11 2024  535.161.07\n[0] NVIDIA A100-PCIE-40GB | 35'C,   0 % |     4 / 40960 MB |\n",
            "NVIDIA A100-PCIE-40GB",
            "535.161.07",
        ),
    ],
)
def test_card_and_driver(facts_of: Callable[[str], Facts], text: str, name: str, driver: str) -> None:
    facts = facts_of(text)
    assert facts.gpus is not None and [(g.name, g.vendor) for g in facts.gpus] == [(name, "nvidia")]
    assert facts.drivers.nvidia.version == driver


def test_lshw_names_the_driver_in_use(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(
        "  *-display\n       description: VGA compatible controller\n       product: AD104 [GeForce RTX 4070]\n       vendor: NVIDIA Corporation\n"
        "       physical id: 0\n       configuration: driver=nouveau latency=0\n"
    )
    assert facts.gpus is not None and [(g.name, g.driver) for g in facts.gpus] == [("GeForce RTX 4070", "nouveau")]
    assert (facts.system.os, facts.drivers.nvidia.version) == ("linux", None)


def test_inxi_without_nvidias_driver(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of("  Device-1: NVIDIA GA106 [GeForce RTX 3060] driver: nouveau v: kernel bus-ID: 01:00.0\n")
    assert facts.gpus is not None and facts.gpus[0].driver == "nouveau"
    assert facts.drivers.nvidia.version is None


def test_several_cards_of_gpustat(facts_of: Callable[[str], Facts]) -> None:
    row = "[{}] NVIDIA A100-SXM4-80GB | 35°C,   0 % |     4 / 81920 MB |\n"
    facts = facts_of("".join(row.format(n) for n in range(4)))
    assert facts.gpus is not None and [g.name for g in facts.gpus] == ["NVIDIA A100-SXM4-80GB"] * 4


def test_tensorflow_names_the_card(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(
        "I tensorflow/core/gpu_device.cc:1639] Created device -> device: 0, name: NVIDIA GeForce RTX 4090, pci bus id: 0000:01:00.0, compute capability: 8.9\n"
    )
    assert facts.gpus is not None
    assert (facts.gpus[0].name, facts.gpus[0].compute_capability) == ("NVIDIA GeForce RTX 4090", "8.9")


@pytest.mark.parametrize(
    "line",
    [
        "  CUDA Driver Version / Runtime Version          12.2 / 11.8",
        "CUDA Driver Version                           : 12.2",
    ],
)
def test_the_newest_cuda_of_the_driver(facts_of: Callable[[str], Facts], line: str) -> None:
    assert facts_of(f"{line}\n").drivers.nvidia.cuda == "12.2"


def test_other_vendors_numbers_are_no_nvidia_driver(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(
        "\tdriverName = radv\n\tdriverInfo = 550.120\n  Platform Vendor  Intel(R) Corporation\n  Driver Version   535.183.01\n"
    )
    assert facts.drivers.nvidia.version is None


def test_a_card_that_no_driver_claims(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(
        "  *-display UNCLAIMED\n       description: VGA compatible controller\n       product: AD104 [GeForce RTX 4070]\n"
        "       vendor: NVIDIA Corporation\n       bus info: pci@0000:01:00.0\n       configuration: latency=0\n"
    )
    assert facts.gpus is not None and facts.gpus[0].driver == ""
