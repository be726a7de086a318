from __future__ import annotations

from typing import Any

import pytest
from torchdoctor.probes.draft import Draft
from torchdoctor.probes.nvidia_cards import cards, integrated, nodes, put_slices, tegra
from torchdoctor.probes.nvidia_files import GPUS
from torchdoctor.probes.pci_device import PciDevice


def _card(address: str, **fields: Any) -> PciDevice:
    return PciDevice(address=address, vendor="10de", device="2684", class_code="0300", source="/sys/x", **fields)


def test_the_drivers_own_name_is_better_than_the_tables(recorded: Any) -> None:
    host = recorded(
        {f"{GPUS}/0000:01:00.0/information": "Model: \t\t NVIDIA GeForce RTX 4090\n"},
        listings={GPUS: ["0000:01:00.0"]},
    )
    ((source, fields),) = cards(host, [_card("0000:01:00.0", driver="nvidia", name="GeForce RTX 4090 D")])
    assert (source, fields["name"], fields["pci_id"]) == ("/sys/x", "NVIDIA GeForce RTX 4090", "10de:2684")


@pytest.mark.parametrize(
    ("model", "table", "name"),
    [
        ("Unknown", "GeForce GTX 1080 Ti", "NVIDIA GeForce GTX 1080 Ti"),
        ("Graphics Device", "TITAN V", "TITAN V"),
        ("Unknown", None, None),
    ],
)
def test_a_card_the_driver_has_no_name_for(recorded: Any, model: str, table: str | None, name: str | None) -> None:
    host = recorded({f"{GPUS}/0000:01:00.0/information": f"Model: {model}\n"}, listings={GPUS: ["0000:01:00.0"]})
    ((_, fields),) = cards(host, [_card("0000:01:00.0", driver="nvidia", name=table)])
    assert fields["name"] == name


def test_a_card_that_was_not_given_to_this_container_is_not_counted(recorded: Any) -> None:
    host = recorded({f"{GPUS}/0000:02:00.0/information": "Model: B\n"}, listings={GPUS: ["0000:02:00.0"]})
    given = cards(host, [_card("0000:01:00.0", driver="nvidia"), _card("0000:02:00.0", driver="nvidia")])
    assert [fields["address"] for _, fields in given] == ["0000:02:00.0"]
    # One that another driver holds is there all the same.
    assert len(cards(host, [_card("0000:01:00.0", driver="vfio-pci"), _card("0000:02:00.0", driver="nvidia")])) == 2


def test_cards_the_driver_knows_where_no_bus_is_shown(recorded: Any) -> None:
    host = recorded({f"{GPUS}/0000:01:00.0/information": "Model: NVIDIA L4\n"}, listings={GPUS: ["0000:01:00.0"]})
    ((source, fields),) = cards(host, [])
    assert (source, fields["name"]) == (f"{GPUS}/0000:01:00.0/information", "NVIDIA L4")
    assert cards(recorded(), []) == []


def test_the_gpu_inside_a_processor(recorded: Any) -> None:
    board = recorded(
        {
            "/proc/device-tree/compatible": "nvidia,p3737-0000+p3701-0005\0nvidia,tegra234\0",
            "/proc/device-tree/model": "NVIDIA Jetson AGX Orin Developer Kit\0",
        }
    )
    chip = tegra(board)
    assert chip is not None and chip["compute_capability"] == "8.7"
    assert integrated(board, chip) == {
        "vendor": "nvidia",
        "compute_capability": "8.7",
        "integrated": True,
        "name": "NVIDIA Jetson AGX Orin Developer Kit",
    }
    assert tegra(recorded({"/proc/device-tree/compatible": "brcm,bcm2712\0"})) is None
    assert tegra(recorded()) is None


def test_slices_that_were_made(recorded: Any) -> None:
    folder = "/proc/driver/nvidia/capabilities"
    draft = Draft()
    put_slices(recorded(listings={f"{folder}/gpu1/mig": ["config", "gi3", "gi12", "give"]}), draft, 2)
    assert [s.text for s in draft.build().symptoms or ()] == [f"{folder}/gpu1/mig: 2 instances"]
    whole = Draft()
    put_slices(recorded(listings={f"{folder}/gpu0/mig": ["config", "monitor"]}), whole, 1)
    assert whole.build().symptoms is None


def test_the_nodes_that_are_there(recorded: Any) -> None:
    assert nodes(recorded(listings={"/dev": ["nvidia3", "nvidiactl", "nvidia-uvm"]})) == ("/dev/nvidia3",)
    assert nodes(recorded()) == ("/dev/nvidia0",)
