"""Files of the NVIDIA driver."""

from __future__ import annotations

from typing import Any

import pytest
from torchdoctor.probes.nvidia_files import (
    Library,
    find_library,
    normal_address,
    parse_information,
    parse_proc_version,
    traces,
    version_in,
)


@pytest.mark.parametrize(
    ("line", "version", "module"),
    [
        ("NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.135  Fri Nov  8 00:01:02 UTC 2024", "550.135", "proprietary"),
        ("NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  Release Build  (b@two words)  Tue", "580.95.05", "open"),
        ("NVRM version: NVIDIA UNIX Open Kernel Module for aarch64  550.144.03  Release Build", "550.144.03", "open"),
        ("NVRM version: NVIDIA UNIX x86_64 Kernel Module  177.80  Wed Oct  1", "177.80", "proprietary"),
        ("NVRM version: NVIDIA UNIX x86_64 Kernel Module", None, "proprietary"),
        ("GCC version: 550.54", None, None),
        ("", None, None),
    ],
)  # fmt: skip
def test_both_shapes_of_the_version_line(line: Any, version: Any, module: Any) -> None:
    assert parse_proc_version(f"{line}\nGCC version:  Selected multilib: .;@m64\n") == (version, module)


def test_information_mixes_tabs_and_blanks() -> None:
    found = parse_information(
        "Model: \t\t NVIDIA A10G\nVideo BIOS: \t ??.??.??\nBus Location: \t 0000:00:1e.0\nbroken\n"
    )
    assert (found["Model"], found["Bus Location"]) == ("NVIDIA A10G", "0000:00:1e.0")


@pytest.mark.parametrize(
    ("text", "version"), [("580.95.05\n", "580.95.05"), ("580", None), ("580.95 [Deprecated]", None), ("", None)]
)
def test_only_a_version_is_a_version(text: Any, version: Any) -> None:
    assert version_in(text) == version


@pytest.mark.parametrize(
    ("text", "address"),
    [("0000000F:01:00.0", "000f:01:00.0"), ("00000000:65:00.0", "0000:65:00.0"), ("0009:01:00.0", "0009:01:00.0"), ("x:y", "x:y"), ("zz:01:00.0", "zz:01:00.0"), ("", "")],
)  # fmt: skip
def test_one_place_has_one_spelling(text: Any, address: Any) -> None:
    assert normal_address(text) == address


def test_the_link_tells_the_version(recorded: Any) -> None:
    lib = "/usr/lib/x86_64-linux-gnu"
    links = {
        f"{lib}/libcuda.so.1": "nvidia/current/libcuda.so.1",
        f"{lib}/nvidia/current/libcuda.so.1": "libcuda.so.535.183.01",
    }
    assert find_library(recorded(links=links)) == (Library(path=f"{lib}/libcuda.so.1", version="535.183.01"), False)


def test_the_variable_goes_first(recorded: Any) -> None:
    links = {
        "/usr/lib64/libcuda.so.1": "libcuda.so.550.54.14",
        "/usr/local/cuda/compat/libcuda.so.1": "libcuda.so.575.57.08",
    }
    library: Any = find_library(recorded(links=links, environment={"LD_LIBRARY_PATH": "/usr/local/cuda/compat"}))[0]
    assert (library.path, library.version) == ("/usr/local/cuda/compat/libcuda.so.1", "575.57.08")


def test_a_linux_driver_inside_wsl_is_found_behind_the_right_library(recorded: Any) -> None:
    stat = {"/usr/lib/wsl/lib/libcuda.so.1": {"openable": True}}
    links = {"/usr/lib/x86_64-linux-gnu/libcuda.so.1": "libcuda.so.550.54.14"}
    library: Any = find_library(recorded(stat=stat, links=links), wsl=True)[0]
    assert library.version == "550.54.14"
    library = find_library(recorded(stat=stat), wsl=True)[0]
    assert (library.path, library.version) == ("/usr/lib/wsl/lib/libcuda.so.1", None)


def test_a_versioned_file_without_its_link_counts_in_a_recording(recorded: Any) -> None:
    library: Any = find_library(recorded({"/usr/lib64/libcuda.so.525.60.13": b"\x7fELF"}))[0]
    assert library.version == "525.60.13"


def test_none_is_known_only_where_every_folder_was_looked_at(recorded: Any) -> None:
    assert find_library(recorded(absent=["/usr", "/run", "/.singularity.d"])) == (None, True)
    assert find_library(recorded(absent=["/usr/lib64"])) == (None, False)


@pytest.mark.parametrize(
    ("manifest", "files", "trace"),
    [
        ({"listings": {"/usr/src": ["linux-headers-6.8", "nvidia-550.54.14"]}}, {}, ("/usr/src/nvidia-550.54.14", "550.54.14")),
        ({"listings": {"/var/lib/dkms/nvidia": ["560.35.03", "kernel-6.8"]}}, {}, ("/var/lib/dkms/nvidia/560.35.03", "560.35.03")),
        ({"values": {"uname.release": "6.8.0-45"}}, {"/lib/modules/6.8.0-45/modules.dep": "kernel/a.ko:\nkernel/nvidia-550/nvidia.ko.zst: kernel/drm.ko\n"}, ("/lib/modules/6.8.0-45/kernel/nvidia-550/nvidia.ko.zst", None)),
        ({"stat": {"/usr/bin/nvidia-smi": {"openable": True}}}, {}, ("/usr/bin/nvidia-smi", None)),
    ],
)  # fmt: skip
def test_what_an_installed_driver_leaves(recorded: Any, manifest: Any, files: Any, trace: Any) -> None:
    assert traces(recorded(files, **manifest)) == (trace, False)


def test_no_trace_is_known_only_where_all_was_read(recorded: Any) -> None:
    dep = {"/lib/modules/6.8/modules.dep": "kernel/drivers/nvidiafb.ko: x\nkernel/nvidia-wmi.ko:\n"}
    everything = {"values": {"uname.release": "6.8"}, "absent": ["/usr", "/var/lib/dkms"]}
    assert traces(recorded(dep, **everything)) == (None, True)
    assert traces(recorded(**everything)) == (None, False)
    assert traces(recorded()) == (None, False)
