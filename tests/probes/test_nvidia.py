"""NVIDIA machines: what files tell, when nvidia-smi is asked, and what stays unknown."""

from __future__ import annotations

import time
from typing import Any

import pytest
from torchdoctor.probes import nvidia
from torchdoctor.probes.draft import Draft
from torchdoctor.probes.host import ABSENT, TIMEOUT, Answer, Completed
from torchdoctor.probes.nvidia_query import QUERIES

QUERY, OLD = (" ".join(argv) for argv, _ in QUERIES)
MODULE = {"/sys/module/nvidia/version": "580.95.05\n"}


def test_files_answer_everything(host: Any, probed: Any) -> None:
    box = host("linux-rtx4090-open-580")
    asked: list[Any] = []
    box.run = lambda *argv, **_: asked.append(argv)
    facts = probed(nvidia.probe, box)
    driver = facts.drivers.nvidia
    assert (driver.version, driver.module, driver.installed, driver.loaded, driver.library) == (
        "580.95.05",
        "open",
        True,
        True,
        "580.95.05",
    )
    assert facts.sources["drivers.nvidia.version"] == "/sys/module/nvidia/version"
    (gpu,) = facts.gpus
    assert (gpu.name, gpu.pci_id, gpu.driver) == ("NVIDIA GeForce RTX 4090", "10de:2684", "nvidia")
    assert facts.devices["/dev/nvidia-uvm"].openable is True
    assert asked == []


def test_a_driver_that_is_installed_and_not_loaded(host: Any, probed: Any) -> None:
    facts = probed(nvidia.probe, host("linux-nouveau-dkms-550"))
    driver = facts.drivers.nvidia
    assert (driver.version, driver.installed, driver.loaded, driver.library) == ("550.54.14", True, False, "")
    assert facts.sources["drivers.nvidia.version"] == "/usr/src/nvidia-550.54.14"
    assert facts.gpus[0].driver == "nouveau"


def test_module_and_library_of_different_versions(host: Any, probed: Any) -> None:
    driver = probed(nvidia.probe, host("linux-a100-library-mismatch")).drivers.nvidia
    assert (driver.version, driver.library, driver.module) == ("550.54.14", "550.90.07", "proprietary")


def test_a_container_sees_the_hosts_module_and_no_device(host: Any, probed: Any) -> None:
    facts = probed(nvidia.probe, host("container-h100-not-passed"))
    assert facts.drivers.nvidia.version == "580.95.05"
    assert facts.drivers.nvidia.library == ""
    assert facts.devices["/dev/nvidiactl"].present is False
    assert [g.pci_id for g in facts.gpus] == ["10de:2330"]


def test_a_container_that_was_given_one_of_two_cards_has_one(recorded: Any, probed: Any) -> None:
    bus, one = "/sys/bus/pci/devices", "DRIVER=nvidia\nPCI_CLASS=30200\nPCI_ID=10DE:2330\n"
    files = {f"{bus}/0000:1b:00.0/uevent": one, f"{bus}/0000:43:00.0/uevent": one, **MODULE}
    listings = {bus: ["0000:1b:00.0", "0000:43:00.0"], "/proc/driver/nvidia/gpus": ["0000:43:00.0"]}
    assert len(probed(nvidia.probe, recorded(files, listings=listings)).gpus) == 1
    assert len(probed(nvidia.probe, recorded(files, listings={bus: listings[bus]})).gpus) == 2


def test_wsl_asks_for_the_windows_driver(host: Any, probed: Any) -> None:
    facts = probed(nvidia.probe, host("wsl2-rtx5070"))
    driver = facts.drivers.nvidia
    assert (driver.version, driver.installed, driver.loaded, driver.library) == ("581.29", True, True, None)
    (gpu,) = facts.gpus
    assert (gpu.name, gpu.compute_capability, gpu.memory) == ("NVIDIA GeForce RTX 5070", "12.0", 12227 << 20)
    assert facts.devices["/dev/dxg"].present is True


def test_a_board_with_the_gpu_in_the_processor(host: Any, probed: Any) -> None:
    facts = probed(nvidia.probe, host("jetson-orin-nano-r36"))
    (gpu,) = facts.gpus
    assert (gpu.compute_capability, gpu.integrated, gpu.pci_id) == ("8.7", True, None)
    assert gpu.name == "NVIDIA Jetson Orin Nano Developer Kit"
    assert (facts.drivers.nvidia.installed, facts.drivers.nvidia.loaded) == (True, True)
    assert facts.drivers.nvidia.version is None


def test_no_card_and_no_driver(host: Any) -> None:
    draft = Draft()
    nvidia.probe(host("linux-vm-no-gpu"), draft, time.monotonic() + 5)
    assert draft.forget_no_gpus() == "/sys/bus/pci/devices"
    facts = draft.build()
    assert (facts.drivers.nvidia.version, facts.drivers.nvidia.installed) == ("", False)
    assert facts.devices is None


def test_a_card_without_a_driver(recorded: Any, probed: Any) -> None:
    bus = "/sys/bus/pci/devices"
    host = recorded(
        {f"{bus}/0000:01:00.0/uevent": "PCI_CLASS=30000\nPCI_ID=10DE:2684\n", "/lib/modules/6.8/modules.dep": "a.ko:\n"},
        listings={bus: ["0000:01:00.0"], "/sys/module": ["ext4"]}, values={"uname.release": "6.8"},
        absent=["/proc/driver/nvidia", "/dev", "/usr", "/run", "/.singularity.d", "/var/lib/dkms"],
    )  # fmt: skip
    facts = probed(nvidia.probe, host)
    driver = facts.drivers.nvidia
    assert (driver.version, driver.installed, driver.loaded, driver.library) == ("", False, False, "")
    assert facts.gpus[0].driver == ""


def test_what_was_not_recorded_is_not_missing(recorded: Any, probed: Any) -> None:
    bus = "/sys/bus/pci/devices"
    facts = probed(nvidia.probe, recorded({f"{bus}/a/uevent": "PCI_CLASS=30000\nPCI_ID=10DE:2684\n"}))
    assert facts.drivers.nvidia == type(facts.drivers.nvidia)()
    assert facts.devices is None
    assert probed(nvidia.probe, recorded()).gpus is None


def test_a_stub_on_the_loaders_path_is_no_driver(recorded: Any, probed: Any) -> None:
    stub = "/usr/local/cuda/lib64/stubs"
    host = recorded(
        MODULE, environment={"LD_LIBRARY_PATH": stub}, stat={f"{stub}/libcuda.so.1": {"openable": True}},
    )  # fmt: skip
    facts = probed(nvidia.probe, host)
    assert [s.id for s in facts.symptoms] == ["libcuda-stub"]
    assert stub in facts.symptoms[0].text


class Asked:
    """A host whose nvidia-smi answers what it is told to."""

    def __init__(self, base: Any, *answers: Any) -> None:
        self.base, self.answers, self.kind = base, list(answers), "live"
        self.asked: list[str] = []

    def __getattr__(self, name: Any) -> Any:
        return getattr(self.base, name)

    def run(self, argv: Any, timeout: Any = 5.0) -> Any:
        self.asked.append(" ".join(argv))
        return self.answers.pop(0)


def loaded(recorded: Any, **more: Any) -> Any:
    """A machine whose kernel has the module, and whose bus cannot be seen."""
    return recorded(MODULE, absent=["/dev/dxg", "/sys/bus/pci"], stat={"/dev/nvidiactl": {"openable": True}}, **more)


def test_an_old_driver_is_asked_once_more_without_the_capability(recorded: Any, probed: Any) -> None:
    complaint = Answer(Completed(returncode=2, stdout=b'Field "compute_cap" is not a valid field to query.'))
    good = Answer(Completed(returncode=0, stdout=b"0, Tesla K80, 0x102D10DE, 00000000:05:00.0, 390.46, 11441\n"))
    box = Asked(loaded(recorded), complaint, good)
    facts = probed(nvidia.probe, box)
    assert box.asked == [QUERY, OLD]
    assert facts.gpus[0].pci_id == "10de:102d"


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (Answer(status=TIMEOUT, detail="nvidia-smi did not answer in 5 s"), "did not answer in 5 s"),
        (Answer(status=ABSENT, detail="nvidia-smi is not on the path"), "not on the path"),
        (Answer(Completed(returncode=18, stdout=b"", stderr=b"Failed to initialize NVML: Driver/library version mismatch")), "mismatch"),
        (Answer(Completed(returncode=0)), "said nothing"),
    ],
)  # fmt: skip
def test_a_tool_that_does_not_answer_costs_only_what_it_would_have_told(
    recorded: Any, probed: Any, answer: Any, reason: Any
) -> None:
    box = Asked(loaded(recorded), answer)
    facts = probed(nvidia.probe, box)
    assert facts.drivers.nvidia.version == "580.95.05"
    assert facts.gpus is None
    assert reason in facts.unknown["gpus"]
    assert box.asked == [QUERY]


def test_a_tool_is_not_asked_when_no_time_is_left(recorded: Any) -> None:
    box, draft = Asked(loaded(recorded)), Draft()
    nvidia.probe(box, draft, time.monotonic() - 1)
    assert box.asked == []
    assert "no time was left" in draft.build().unknown["gpus"]


def test_a_tool_is_not_asked_where_nothing_hints_at_nvidia(recorded: Any, probed: Any) -> None:
    box = Asked(recorded(absent=["/dev", "/sys", "/proc", "/usr", "/run", "/.singularity.d"]))
    facts = probed(nvidia.probe, box)
    assert box.asked == []
    assert facts.drivers.nvidia.version == ""


def test_windows(host: Any, probed: Any) -> None:
    facts = probed(nvidia.probe, host("windows-rtx4080-stale-1060"))
    assert [g.name for g in facts.gpus] == ["NVIDIA GeForce RTX 4080 SUPER"]
    assert (facts.drivers.nvidia.version, facts.drivers.nvidia.installed) == ("580.88", True)


def test_windows_without_the_makers_driver(host: Any, probed: Any) -> None:
    facts = probed(nvidia.probe, host("windows-basic-driver"))
    assert [(g.pci_id, g.driver) for g in facts.gpus] == [("10de:2c05", "BasicDisplay")]
    assert (facts.drivers.nvidia.version, facts.drivers.nvidia.installed) == ("", False)


def test_the_node_of_the_card_that_was_given(recorded: Any, probed: Any) -> None:
    box = recorded(MODULE, listings={"/dev": ["null", "nvidia-uvm", "nvidia3", "nvidiactl"]}, absent=["/dev/dxg"])
    assert set(probed(nvidia.probe, box).devices) == {"/dev/nvidiactl", "/dev/nvidia3", "/dev/nvidia-uvm"}


def test_instances_of_a_card_that_is_split(recorded: Any, probed: Any) -> None:
    bus, slices = "/sys/bus/pci/devices", "/proc/driver/nvidia/capabilities/gpu0/mig"
    files = {f"{bus}/a/uevent": "DRIVER=nvidia\nPCI_CLASS=30200\nPCI_ID=10DE:20B2\n", **MODULE}
    split = recorded(files, listings={slices: ["config", "gi3", "gi4", "monitor"]})
    assert [s.id for s in probed(nvidia.probe, split).symptoms] == ["mig-slice"]
    assert probed(nvidia.probe, recorded(files, listings={slices: ["config", "monitor"]})).symptoms is None


def test_other_systems_are_not_looked_at(recorded: Any) -> None:
    draft = Draft()
    nvidia.probe(recorded(system="freebsd", absent=["/sys", "/proc", "/dev"]), draft, time.monotonic() + 5)
    assert draft.forget_no_gpus() is None
    assert draft.build().drivers.nvidia.version is None


def test_nodes_without_a_card_on_the_bus_are_a_reason_to_ask(recorded: Any, probed: Any) -> None:
    bus = "/sys/bus/pci/devices"
    base = recorded(
        {f"{bus}/a/uevent": "PCI_CLASS=60000\nPCI_ID=8086:1237\n"}, listings={bus: ["a"]},
        stat={"/dev/nvidiactl": {"openable": True}}, absent=["/dev/dxg"],
    )  # fmt: skip
    box = Asked(base, Answer(status=TIMEOUT, detail="nvidia-smi did not answer in 5 s"))
    facts = probed(nvidia.probe, box)
    assert box.asked == [QUERY]
    assert facts.gpus is None
    assert "did not answer" in facts.unknown["gpus"]


def test_the_bus_of_a_wsl_guest_does_not_keep_from_asking(host: Any, probed: Any) -> None:
    facts = probed(nvidia.probe, host("wsl2-rtx2070-with-bus"))
    assert [(g.name, g.pci_id) for g in facts.gpus] == [("NVIDIA GeForce RTX 2070", "10de:1f02")]
    assert facts.drivers.nvidia.version == "576.88"
