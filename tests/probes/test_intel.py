"""Intel display devices, the runtime's libraries and the render nodes."""

from __future__ import annotations

import time
from typing import Any

import pytest
from torchdoctor.probes import intel
from torchdoctor.probes.draft import Draft

BUS = "/sys/bus/pci/devices"
ARC = {f"{BUS}/0000:04:00.0/uevent": "PCI_CLASS=30000\nPCI_ID=8086:56A2\nDRIVER=i915\n"}
LISTED = {BUS: ["0000:04:00.0"]}


def test_a_card_beside_old_graphics(host: Any, probed: Any) -> None:
    facts = probed(intel.probe, host("linux-arc-a580-beside-hd4000"))
    assert [(g.pci_id, g.driver, g.integrated) for g in facts.gpus] == [
        ("8086:0162", "i915", True),
        ("8086:56a2", "xe", None),
    ]
    assert facts.drivers.intel.kernel_driver == "xe"
    assert facts.drivers.intel.compute_runtime == "1.6.33276"
    assert facts.runtimes.level_zero == "1.21.9"
    assert facts.devices["/dev/dri/renderD128"].openable is False
    assert facts.devices["/dev/dri/renderD129"].openable is True


def test_the_neural_accelerator_is_no_gpu(host: Any, probed: Any) -> None:
    assert "8086:643e" not in {g.pci_id for g in probed(intel.probe, host("linux-arc-a580-beside-hd4000")).gpus}


def test_no_runtime_anywhere_is_known_only_where_every_folder_was_looked_at(recorded: Any, probed: Any) -> None:
    facts = probed(intel.probe, recorded(ARC, listings=LISTED, absent=["/usr", "/run", "/etc"], environment={}))
    assert facts.drivers.intel.compute_runtime == ""
    assert facts.runtimes.level_zero == ""
    facts = probed(intel.probe, recorded(ARC, listings=LISTED, absent=["/usr/lib64"], environment={}))
    assert facts.drivers.intel.compute_runtime is None
    assert "drivers.intel.compute_runtime" in facts.unknown


@pytest.mark.parametrize("variable", [{"LD_LIBRARY_PATH": "/opt/ze:relative"}, {"CONDA_PREFIX": "/opt/ze/.."}])
def test_a_runtime_outside_the_system_folders_counts(recorded: Any, variable: Any, probed: Any) -> None:
    folder = "/opt/ze" if "LD_LIBRARY_PATH" in variable else "/opt/ze/../lib"
    box = recorded(
        ARC, listings=LISTED, absent=["/usr", "/run", "/etc"], environment=variable,
        links={f"{folder}/libze_intel_gpu.so.1": "libze_intel_gpu.so.1.3.29735"},
    )  # fmt: skip
    assert probed(intel.probe, box).drivers.intel.compute_runtime == "1.3.29735"


def test_a_library_whose_name_tells_no_version_is_there_all_the_same(recorded: Any, probed: Any) -> None:
    box = recorded(
        ARC, listings=LISTED, absent=["/usr/lib64"], stat={"/usr/lib/libze_intel_gpu.so.1": {"openable": True}}
    )
    facts = probed(intel.probe, box)
    assert facts.drivers.intel.compute_runtime is None
    assert "does not tell its version" in facts.unknown["drivers.intel.compute_runtime"]


def test_an_unbound_device_has_no_driver(recorded: Any, probed: Any) -> None:
    box = recorded({f"{BUS}/x/uevent": "PCI_CLASS=38000\nPCI_ID=8086:0BD5\n"}, listings={BUS: ["x"]})
    assert probed(intel.probe, box).drivers.intel.kernel_driver == ""


def test_a_machine_without_intel(host: Any) -> None:
    draft = Draft()
    intel.probe(host("linux-vm-no-gpu"), draft, time.monotonic() + 5)
    assert draft.forget_no_gpus() == BUS
    assert draft.value("drivers.intel.compute_runtime") is None


def test_a_card_that_a_virtual_machine_was_given_alone_may_stand_in_that_place(recorded: Any, probed: Any) -> None:
    files = {f"{BUS}/0000:00:02.0/uevent": "PCI_CLASS=30000\nPCI_ID=8086:56A0\n"}
    assert probed(intel.probe, recorded(files, listings={BUS: ["0000:00:02.0"]})).gpus[0].integrated is None


def test_the_bus_of_a_wsl_guest_proves_nothing(host: Any) -> None:
    draft = Draft()
    intel.probe(host("wsl2-rtx2070-with-bus"), draft, time.monotonic() + 5)
    assert draft.forget_no_gpus() is None
    assert "/dev/dxg" in draft.build().unknown["gpus"]
