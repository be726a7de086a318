from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from torchdoctor.matrix.verdict import Finding

Examine = Callable[..., dict[str, Finding]]
Machine = Callable[..., dict[str, Any]]

GB = 10**9
AMD = [{"vendor": "amd", "name": "AMD Radeon RX 7900 XTX", "gfx": "gfx1100"}]


@pytest.mark.parametrize(
    ("groups", "variant", "found"),
    [
        ({"resources": {"disk_free": 7 * GB, "tmp_free": 2 * GB}}, None, False),
        ({"resources": {"disk_free": 5 * GB}}, None, True),
        ({"resources": {"disk_free": 5 * GB}}, "cpu", False),  # the CPU build is smaller
        ({"resources": {"disk_free": 5 * GB}, "gpus": []}, None, False),
        ({"resources": {"disk_free": 5 * GB}, "system": {"os": "windows"}}, None, False),
        ({"resources": {"tmp_free": 1.5 * GB}}, None, False),
        ({"resources": {"tmp_free": 1.5 * GB}, "gpus": AMD}, None, True),  # ROCm wheels are larger
        ({"resources": {}}, None, False),
        # Nothing is about to be installed.
        ({"resources": {"disk_free": GB}, "packages": {"torch": "2.15.0"}}, None, False),
        ({"resources": {"disk_free": GB}, "packages": {"torch": "2.15.0"}}, "cu132", True),
    ],
)
def test_room_for_the_build_this_machine_would_be_given(
    examine: Examine, machine: Machine, groups: dict[str, Any], variant: str | None, found: bool
) -> None:
    resources = {k: int(v) for k, v in groups["resources"].items()}
    note = examine(machine(**{**groups, "resources": resources}), variant=variant).get("disk-space")
    assert (note is not None) == found
    assert note is None or note.severity == "warning"


def test_both_places_are_named_with_what_they_have(examine: Examine, machine: Machine) -> None:
    small = machine(resources={"disk_free": 2 * GB, "tmp_free": GB // 2}, system={"container": "docker"})
    found = examine(small)["disk-space"]
    assert found.detail == (
        "The target has 2.0 GB free, about 6.0 GB are needed and the folder for temporary files has 0.5 GB free, "
        "about 1.0 GB are needed."
    )
    assert (found.lies_in, found.fix[-1][:13]) == ("container", "the CPU build")


def test_an_installer_that_ran_out_of_room(examine: Examine, machine: Machine) -> None:
    def told(text: str) -> Finding | None:
        return examine(machine(symptoms=[{"id": "disk-full", "text": text}])).get("disk-space")

    full = told("OSError: [Errno 28] No space left on device: '/tmp/pip-unpack'")
    assert full is not None and full.severity == "blocker"
    # Shared memory that is full is another matter.
    assert told("No space left on device: '/dev/shm/torch_1'") is None


@pytest.mark.parametrize("id", ["hash-mismatch", "bad-zip", "incomplete-download"])
def test_a_file_that_arrived_broken(examine: Examine, machine: Machine, id: str) -> None:
    found = examine(machine(symptoms=[{"id": id, "text": "x"}]))["download-corrupted"]
    assert found.about == "request"
    assert "download-corrupted" not in examine(machine())
