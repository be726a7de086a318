from __future__ import annotations

from collections.abc import Callable

import pytest
from torchdoctor.probes.facts import Facts
from torchdoctor.probes.reports.pasted import read_text

_OLD = """+------------------------------------------------------+
| NVIDIA-SMI 352.39     Driver Version: 352.39         |
|-------------------------------+----------------------+----------------------+
| GPU  Name        Persistence-M| Bus-Id        Disp.A | Volatile Uncorr. ECC |
|===============================+======================+======================|
|   0  Quadro K4000        Off  | 0000:03:00.0     Off |                  N/A |
| 30%   40C    P8    16W /  87W |      9MiB /  3070MiB |      0%      Default |
"""
_NEW = """| NVIDIA-SMI 610.43.02              KMD Version: 610.43.02     CUDA UMD Version: 13.3     |
|=========================================+========================+======================|
|   0  NVIDIA B200                    On  |   00000000:63:00.0 Off |                    0 |
| N/A   26C    P0            139W / 1000W |       0MiB / 183359MiB |      0%      Default |
|                                         |                        |             Disabled |
+-----------------------------------------+------------------------+----------------------+
|   1  NVIDIA B200                    On  |   00000000:68:00.0 Off |                    0 |
| N/A   30C    P0            142W / 1000W |       0MiB / 183359MiB |      0%      Default |
+-----------------------------------------------------------------------------------------+
| Processes:                                                                              |
|    0   N/A  N/A      1234      G   /usr/lib/xorg/Xorg                            120MiB |
"""


def test_an_old_table_has_no_cuda_version(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(_OLD)
    assert (facts.drivers.nvidia.version, facts.drivers.nvidia.cuda) == ("352.39", None)
    assert facts.gpus is not None
    assert (facts.gpus[0].name, facts.gpus[0].memory) == ("Quadro K4000", 3070 * 1024**2)


def test_the_labels_of_driver_610(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(_NEW)
    assert (facts.drivers.nvidia.version, facts.drivers.nvidia.cuda, facts.drivers.nvidia.loaded) == (
        "610.43.02",
        "13.3",
        True,
    )
    assert facts.gpus is not None
    assert [(g.name, g.memory) for g in facts.gpus] == [("NVIDIA B200", 183359 * 1024**2)] * 2


def test_under_wsl_the_windows_driver_counts(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of("| NVIDIA-SMI 515.65.01    Driver Version: 516.94       CUDA Version: 11.6     |\n")
    assert (facts.drivers.nvidia.version, facts.drivers.nvidia.cuda) == ("516.94", "11.6")


def test_a_cut_name_is_no_name(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(
        "| NVIDIA-SMI 525.147.05   Driver Version: 525.147.05   CUDA Version: 12.0     |\n|   0  NVIDIA GeForce ...  Off  | 00000000:09:00.0  On |                  N/A |\n"
    )
    assert facts.gpus is not None
    assert (facts.gpus[0].vendor, facts.gpus[0].name) == ("nvidia", None)


def test_no_libcuda_is_not_no_cuda(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of("| NVIDIA-SMI 550.54.14   Driver Version: 550.54.14   CUDA Version: N/A     |\n")
    assert facts.drivers.nvidia.cuda is None and "drivers.nvidia.cuda" in facts.unknown


def test_listing_with_mig(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(
        "GPU 0: NVIDIA A100-SXM4-80GB (UUID: GPU-aa)\n  MIG 3g.40gb     Device  0: (UUID: MIG-bb)\n  MIG 3g.40gb     Device  1: (UUID: MIG-cc)\n"
    )
    assert facts.gpus is not None and [g.name for g in facts.gpus] == ["NVIDIA A100-SXM4-80GB"]
    assert facts.symptoms is not None and facts.symptoms[0].id == "mig-slice"
    assert "GPU-aa" not in facts.sources["gpus[0]"]


def test_query(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(
        "Driver Version                            : 610.57.04 [Deprecated; will be removed in CUDA 14.0. Use KMD Version instead]\n"
        "KMD Version                               : 610.57.04\nCUDA UMD Version                          : 13.3\nAttached GPUs                             : 1\n"
        "    Product Name                          : NVIDIA L4\n    FB Memory Usage\n        Total                             : 23034 MiB\n        Device Id                         : 0x27B810DE\n"
    )
    assert (facts.drivers.nvidia.version, facts.drivers.nvidia.cuda) == ("610.57.04", "13.3")
    assert facts.gpus is not None
    assert (facts.gpus[0].name, facts.gpus[0].memory, facts.gpus[0].pci_id) == (
        "NVIDIA L4",
        23034 * 1024**2,
        "10de:27b8",
    )


@pytest.mark.parametrize(
    "text",
    [
        "name, driver_version, compute_cap, memory.total [MiB]\nNVIDIA L4, 550.54.15, 8.9, 23034 MiB\n",
        "$ nvidia-smi --query-gpu=name,driver_version,compute_cap,memory.total --format=csv,noheader,nounits\nNVIDIA L4, 550.54.15, 8.9, 23034\n",
    ],
)
def test_csv(facts_of: Callable[[str], Facts], text: str) -> None:
    facts = facts_of(text)
    assert facts.gpus is not None and len(facts.gpus) == 1
    gpu = facts.gpus[0]
    assert (gpu.name, gpu.compute_capability, gpu.memory, facts.drivers.nvidia.version) == (
        "NVIDIA L4",
        "8.9",
        23034 * 1024**2,
        "550.54.15",
    )


def test_csv_values_that_are_none(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of("name, driver_version, compute_cap, memory.total [MiB]\nNVIDIA GB10, 580.95.05, [N/A], [N/A]\n")
    assert facts.gpus is not None
    assert (facts.gpus[0].compute_capability, facts.gpus[0].memory) == (None, None)


def test_xml(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(
        "<nvidia_smi_log>\n\t<driver_version>550.54.15</driver_version>\n\t<cuda_version>12.4</cuda_version>\n\t\t<product_name>NVIDIA L4</product_name>\n"
        "\t\t\t<pci_device_id>27B810DE</pci_device_id>\n\t\t<fb_memory_usage>\n\t\t\t<total>23034 MiB</total>\n</nvidia_smi_log>\n"
    )
    assert (facts.drivers.nvidia.version, facts.drivers.nvidia.cuda) == ("550.54.15", "12.4")
    assert facts.gpus is not None and facts.gpus[0].pci_id == "10de:27b8" and facts.gpus[0].memory == 23034 * 1024**2


def test_kind() -> None:
    assert read_text(_NEW, "x").kind == "nvidia_smi"


def test_a_windows_table(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(
        "| NVIDIA-SMI 551.78                 Driver Version: 551.78         CUDA Version: 12.4     |\n| GPU  Name                     TCC/WDDM  | Bus-Id          Disp.A | Volatile Uncorr. ECC |\n"
    )
    assert facts.system.os == "windows"


@pytest.mark.parametrize(
    ("column", "answer", "gpus", "driver"),
    [
        ("compute_cap", "8.6\n8.6\n", [(None, "8.6"), (None, "8.6")], None),
        ("driver_version", "driver_version\n470.256.02\n", None, "470.256.02"),
        ("name", "name\nTesla T4\n", [("Tesla T4", None)], None),
        ("name", "No devices were found\n", None, None),
        ("name", "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\n", None, None),
    ],
)
def test_one_column(
    facts_of: Callable[[str], Facts],
    column: str,
    answer: str,
    gpus: list[tuple[str | None, str | None]] | None,
    driver: str | None,
) -> None:
    facts = facts_of(f"$ nvidia-smi --query-gpu={column} --format=csv\n{answer}")
    assert (facts.gpus and [(g.name, g.compute_capability) for g in facts.gpus]) == gpus
    assert facts.drivers.nvidia.version == driver


def test_a_table_that_was_squeezed(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(
        "| NVIDIA-SMI 610.47    KMD Version: 610.47    CUDA UMD Version: 13.3     |\n"
        "|   0  NVIDIA GeForce RTX 4060  | 00000000:2B:00.0  On |                  N/A |\n"
    )
    assert facts.gpus is not None
    assert [g.name for g in facts.gpus] == ["NVIDIA GeForce RTX 4060"]


def test_the_oldest_table(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(
        "| NVIDIA-SMI 4.304.125   Driver Version: 304.125       |\n"
        "| GPU  Name                     | Bus-Id        Disp.  | Volatile Uncorr. ECC |\n"
        "|   0  GeForce 8400 GS          | 0000:01:00.0     N/A |                  N/A |\n"
        "| 40%   52C  N/A     N/A /  N/A |  50%  127MB /  255MB |     N/A      Default |\n"
    )
    assert facts.drivers.nvidia.version == "304.125"
    assert facts.gpus is not None
    assert [g.name for g in facts.gpus] == ["GeForce 8400 GS"]


def test_columns_that_name_no_maker(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of("index, uuid, name, pci.bus_id\n0, GPU-a, Tesla M60, 00000000:00:1E.0\n")
    assert facts.gpus is not None
    assert [(g.vendor, g.name) for g in facts.gpus] == [("nvidia", "Tesla M60")]


_MIG_ROW = (
    "|   {n}  NVIDIA A100-SXM4-40GB          On  | 00000000:0{n}:00.0 Off |                   On |\n"
    "| N/A   31C    P0              43W / 400W |      0MiB / 40960MiB |     N/A      Default |\n"
    "|                                         |                      |             {mode} |\n"
    "+-----------------------------------------+----------------------+----------------------+\n"
)


def _mig_table(*modes: str) -> str:
    head = "| NVIDIA-SMI 535.183.06             Driver Version: 535.183.06   CUDA Version: 12.2     |\n"
    rows = "".join(_MIG_ROW.format(n=n, mode=f"{mode:>8}") for n, mode in enumerate(modes))
    return head + rows + "| MIG devices:           |\n|  No MIG devices found                          |\n"


@pytest.mark.parametrize(
    ("modes", "hidden"), [(("Enabled",), True), (("Enabled", "Enabled"), True), (("Enabled", "Disabled"), False)]
)
def test_mig_mode_without_instances(facts_of: Callable[[str], Facts], modes: tuple[str, ...], hidden: bool) -> None:
    ids = [s.id for s in facts_of(_mig_table(*modes)).symptoms or ()]
    assert ("mig-without-slices" in ids) is hidden


@pytest.mark.parametrize(("mode", "hidden"), [("Enabled", True), ("Disabled", False), ("N/A", False)])
def test_mig_mode_of_a_query(facts_of: Callable[[str], Facts], mode: str, hidden: bool) -> None:
    facts = facts_of(
        "Driver Version                            : 570.86.15\nAttached GPUs                             : 1\n"
        "    Product Name                          : NVIDIA H100 PCIe\n    MIG Mode\n        Current                           : "
        f"{mode}\n        Pending                           : Enabled\n    MIG Devices                           : None\n"
    )
    assert ("mig-without-slices" in [s.id for s in facts.symptoms or ()]) is hidden
