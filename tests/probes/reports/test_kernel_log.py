from __future__ import annotations

from collections.abc import Callable

import pytest
from torchdoctor.probes.facts import Facts
from torchdoctor.probes.reports.pasted import read_text


@pytest.mark.parametrize(
    ("text", "version", "module"),
    [
        ("[    3.6] NVRM: loading NVIDIA UNIX x86_64 Kernel Module  550.120  Fri Sep 13 10:10:01 UTC 2024\n", "550.120", "proprietary"),
        ("kernel: NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64  570.133.07  Release Build  (dvs)\n", "570.133.07", "open"),
        ("$ cat /sys/module/nvidia/version\n535.171.04\n", "535.171.04", None),
    ],
)  # fmt: skip
def test_the_module_that_runs(facts_of: Callable[[str], Facts], text: str, version: str, module: str | None) -> None:
    nvidia = facts_of(text).drivers.nvidia
    assert (nvidia.version, nvidia.module, nvidia.loaded) == (version, module, True)
    assert facts_of(text).system.kernel is None


@pytest.mark.parametrize(
    ("refusal", "version", "module"),
    [
        ("installed in this system requires use of the NVIDIA open kernel modules.", None, "proprietary"),
        ("installed in this system is not supported by open\nNVRM: nvidia.ko because it does not include the required GPU", None, "open"),
        ("installed in this system is not supported by the\nNVRM: NVIDIA 535.183.01 driver release.", "535.183.01", None),
    ],
)  # fmt: skip
def test_a_card_that_the_module_refuses(
    facts_of: Callable[[str], Facts], refusal: str, version: str | None, module: str | None
) -> None:
    text = f"[    3.6] NVRM: The NVIDIA GPU 0000:01:00.0 (PCI ID: 10de:2b85)\nNVRM: {refusal}\n"
    facts = facts_of(text)
    assert facts.gpus is not None and [g.pci_id for g in facts.gpus] == ["10de:2b85"]
    assert (facts.drivers.nvidia.version, facts.drivers.nvidia.module) == (version, module)
    assert (facts.system.os, read_text(text, "x").kind) == ("linux", "kernel_log")


def test_modinfo_names_firmware_first(facts_of: Callable[[str], Facts]) -> None:
    firmware = "".join(f"firmware:       nvidia/535.129.03/gsp_{n}.bin\n" for n in range(12))
    facts = facts_of(
        f"$ modinfo nvidia\nfilename:       /lib/modules/5.15.0/nvidia.ko\n{firmware}version:        535.129.03\n"
    )
    assert facts.drivers.nvidia.version == "535.129.03"


@pytest.mark.parametrize(
    ("kind", "module"), [("Open Kernel Module for x86_64", "open"), ("x86_64 Kernel Module", "proprietary")]
)
def test_the_drivers_own_version_file(facts_of: Callable[[str], Facts], kind: str, module: str) -> None:
    nvidia = facts_of(
        f"$ cat /proc/driver/nvidia/version\nNVRM version: NVIDIA UNIX {kind}  570.133.07  Release Build\n"
    ).drivers.nvidia
    assert (nvidia.version, nvidia.module, nvidia.loaded) == ("570.133.07", module, True)


def test_a_module_that_is_installed_need_not_run(facts_of: Callable[[str], Facts]) -> None:
    nvidia = facts_of("$ modinfo nvidia\nfilename: /lib/modules/6.8.0/nvidia.ko\nversion:  550.120\n").drivers.nvidia
    assert (nvidia.version, nvidia.installed, nvidia.loaded) == ("550.120", True, None)
