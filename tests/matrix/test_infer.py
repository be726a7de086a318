"""What the matrix adds to facts, and what it must leave alone."""

from __future__ import annotations

from typing import Any

import pytest
from torchdoctor.matrix.infer import infer
from torchdoctor.probes.facts import Facts
from torchdoctor.probes.profile import facts_from_mapping


def inferred(**facts: Any) -> Facts:
    return infer(facts_from_mapping(facts))


def test_a_name_becomes_a_compute_capability_and_says_so() -> None:
    facts = inferred(gpus=[{"vendor": "nvidia", "name": "NVIDIA GeForce RTX 4090"}])
    assert facts.gpus is not None and facts.gpus[0].compute_capability == "8.9"
    assert facts.sources["gpus[0].compute_capability"] == "matrix: name NVIDIA GeForce RTX 4090"


def test_the_pci_id_beats_the_name() -> None:
    facts = inferred(gpus=[{"name": "GeForce GTX 1080", "pci_id": "10de:2684"}])
    assert facts.gpus is not None and facts.gpus[0].compute_capability == "8.9"
    assert facts.gpus[0].name == "GeForce GTX 1080"  # known, so left as it was
    assert facts.sources["gpus[0].compute_capability"] == "matrix: PCI id 10de:2684 (secondary)"


def test_the_pci_id_gives_vendor_name_and_kind() -> None:
    facts = inferred(gpus=[{"pci_id": "10de:2684"}, {"pci_id": "1002:164e"}, {"pci_id": "8086:9a49"}])
    assert facts.gpus is not None
    nvidia, amd, intel = facts.gpus
    assert (nvidia.vendor, nvidia.name, nvidia.integrated) == ("nvidia", "GeForce RTX 4090", False)
    assert (amd.vendor, amd.gfx, amd.integrated) == ("amd", "gfx1036", True)
    assert (intel.vendor, intel.integrated) == ("intel", True)


def test_an_id_between_the_rows_is_marked_as_inferred() -> None:
    facts = inferred(gpus=[{"pci_id": "10de:2b99"}])
    assert facts.gpus is not None and (facts.gpus[0].compute_capability, facts.gpus[0].name) == ("12.0", None)
    assert facts.sources["gpus[0].compute_capability"].endswith("by the range of its chip (inferred)")


@pytest.mark.parametrize("name", ["NVIDIA GeForce ...", "GeForce GT 730", "Graphics Device"])
def test_a_name_that_settles_nothing_adds_nothing(name: str) -> None:
    facts = inferred(gpus=[{"vendor": "nvidia", "name": name}])
    assert facts.gpus is not None and facts.gpus[0].compute_capability is None
    assert facts.sources == {}


def test_known_facts_are_never_changed() -> None:
    given = facts_from_mapping(
        {
            "gpus": [{"vendor": "amd", "name": "NVIDIA GeForce RTX 4090", "gfx": "gfx906", "integrated": True}],
            "drivers": {"nvidia": {"version": "550.54.14", "cuda": "13.0"}},
            "cpu": {"model": "Cortex-A72", "level": "armv8.2-a"},
        }
    )
    assert infer(given) == given


def test_gfx_tells_whether_it_is_integrated() -> None:
    facts = inferred(
        gpus=[
            {"vendor": "amd", "gfx": "gfx1103"},
            {"vendor": "amd", "gfx": "gfx1100"},
            {"vendor": "amd", "gfx": "gfx9999"},
        ]
    )
    assert facts.gpus is not None and [gpu.integrated for gpu in facts.gpus] == [True, False, None]


def test_the_driver_tells_its_cuda() -> None:
    facts = inferred(drivers={"nvidia": {"version": "550.54.14"}})
    assert facts.drivers.nvidia.cuda == "12.4"
    assert facts.sources["drivers.nvidia.cuda"] == "matrix: driver 550.54.14 speaks CUDA 12.4"


def test_the_windows_driver_counts_under_wsl() -> None:
    assert (
        inferred(system={"os": "linux", "wsl": 2}, drivers={"nvidia": {"version": "581.29"}}).drivers.nvidia.cuda
        == "13.0"
    )


def test_a_compatibility_libcuda_raises_the_ceiling() -> None:
    assert (
        inferred(drivers={"nvidia": {"version": "535.183.01", "library": "570.124.06"}}).drivers.nvidia.cuda == "12.8"
    )


@pytest.mark.parametrize(
    "facts",
    [
        {"system": {"jetson": "36.4.3"}, "drivers": {"nvidia": {"version": "540.4.0"}}},
        {"drivers": {"nvidia": {"version": ""}}},
        {"drivers": {"nvidia": {"version": "999.1"}}},
    ],
)
def test_no_ceiling_without_a_row(facts: dict[str, Any]) -> None:
    assert inferred(**facts).drivers.nvidia.cuda is None


def test_a_fact_that_became_known_is_no_longer_missing() -> None:
    given = facts_from_mapping({"drivers": {"nvidia": {"version": "550.54.14"}}})
    given = given.replace(
        unknown={"drivers.nvidia.cuda": "nvidia-smi did not answer", "runtimes.cuda": "not looked for"}
    )
    assert dict(infer(given).unknown) == {"runtimes.cuda": "not looked for"}


def test_the_gpu_of_apple_silicon_is_part_of_the_chip() -> None:
    facts = inferred(system={"os": "macos"}, cpu={"model": "Apple M2 Pro"})
    assert facts.gpus is not None and (facts.gpus[0].vendor, facts.gpus[0].name) == ("apple", "Apple M2 Pro")
    assert facts.source("gpus[0].name") == "matrix: the GPU is part of the Apple M2 Pro"
    named = inferred(gpus=[{"name": "Apple M1"}])
    assert named.gpus is not None and (named.gpus[0].vendor, named.gpus[0].integrated) == ("apple", True)


@pytest.mark.parametrize(
    "facts",
    [
        {"system": {"os": "macos"}, "cpu": {"model": "Apple M2 (Virtual)"}},
        {"system": {"os": "linux"}, "cpu": {"model": "Apple M2"}},
        {"system": {"os": "macos"}, "cpu": {"model": "Intel(R) Core(TM) i9"}},
        {"system": {"os": "macos"}, "cpu": {"model": "Apple M2"}, "gpus": []},
    ],
)
def test_no_apple_gpu_is_made_up(facts: dict[str, Any]) -> None:
    assert not inferred(**facts).gpus


def test_an_arm_core_tells_its_level() -> None:
    facts = inferred(system={"machine": "aarch64"}, cpu={"model": "Cortex-A72"})
    assert facts.cpu.level == "armv8.0-a"
    assert facts.sources["cpu.level"] == "matrix: core Cortex-A72 (secondary)"
    # What the core reports of itself wins, and an unknown level stays one.
    assert inferred(system={"machine": "aarch64"}, cpu={"model": "Cortex-A72", "features": ["asimd"]}).cpu.level is None
    assert inferred(system={"machine": "aarch64"}, cpu={"model": "Oryon"}).cpu.level is None
    assert inferred(system={"machine": "x86_64"}, cpu={"model": "Cortex-A72"}).cpu.level is None


@pytest.mark.parametrize(
    ("offered", "torch", "facts", "python", "platform"),
    [
        # begins with the interpreter
        ("2.2.0 2.2.1 2.3.0", "2.1.0", {}, "3.12", None),
        ("1.13.0 1.13.1 2.0.0", "1.8.1", {}, "3.11", "linux_x86_64"),
        ("2.5.0 2.6.0", "2.4.1", {}, "3.13", "linux_x86_64"),
        ("2.9.0 2.9.1", "2.8.0", {}, "3.14", None),
        # ends with the platform or the interpreter
        ("2.2.0 2.2.1 2.2.2", "2.4.1", {}, "3.12", "macos_x86_64"),
        ("1.11.0 1.13.1 2.4.0 2.4.1", "2.6.0", {}, "3.8", None),
        ("2.4.0+cu124 2.4.1+cu124", "2.5.1", {"system": {"os": "windows"}}, "3.8", "windows_amd64"),
        ("2.0.0+cu118 2.6.0+cu118", "2.7.0", {"python": {"version": "3.11.9"}}, None, "linux_x86_64 glibc<2.28"),
        # an old list proves nothing by its end
        ("2.2.0 2.3.0 2.4.1", None, {}, "3.12", None),
        ("1.11.0 1.13.1 2.4.1", None, {}, None, None),
        ("1.11.0 1.13.1 2.4.1", "2.99.0", {}, None, None),  # never existed
        ("2.0.0 2.0.1 2.1.0", "2.1.5", {}, "3.11", None),  # Windows, macOS or Arm
        ("2.0.0 2.0.1 2.1.0", "<2.5", {"system": {"os": "windows"}}, "3.11", "windows_amd64"),
        # proves nothing at all
        ("2.4.0+cu124 2.5.1+cu124", "2.3.0", {}, None, None),  # the index begins there
        ("2.4.0+cu124 2.6.0+cu124", "2.7.0", {}, None, None),  # the index ends there
        ("2.4.0+cu999", "2.7.0", {}, None, None),
        ("0.1.2 0.1.2.post1", "2.0.0", {}, None, None),
        ("none", "2.99", {}, None, None),
    ],
)
def test_the_versions_pip_offered(
    offered: str, torch: str | None, facts: dict[str, Any], python: str | None, platform: str | None
) -> None:
    request = inferred(request={"torch": torch, "versions_offered": offered.split()}, **facts).request
    assert (request.python, request.platform) == (python, platform)


def test_what_the_report_says_of_the_interpreter_stands() -> None:
    facts = inferred(request={"torch": "2.1.0", "versions_offered": ["2.2.0", "2.3.0"], "python": "3.9"})
    assert facts.request.python == "3.9"
    other = inferred(request={"torch": "0.14", "package": "torchao", "versions_offered": ["2.2.0", "2.3.0"]})
    assert other.request.python is None


def test_inferring_twice_adds_nothing() -> None:
    once = inferred(
        gpus=[{"pci_id": "10de:2684"}, {"name": "Radeon 780M"}],
        drivers={"nvidia": {"version": "580.65.06"}},
        request={"torch": "2.1.0", "versions_offered": ["2.2.0", "2.3.0"]},
    )
    assert infer(once) == once


def test_every_source_names_a_fact_that_exists() -> None:
    facts = inferred(gpus=[{"name": "RTX 3090"}, {"pci_id": "1002:744c"}], drivers={"nvidia": {"version": "550.1"}})
    assert all(text.startswith("matrix: ") for text in facts.sources.values())
    assert [path for path in facts.sources if facts.get(path) is None] == []


def test_facts_without_anything_to_add_come_back_as_they_are() -> None:
    given = facts_from_mapping({})
    assert infer(given) is given
