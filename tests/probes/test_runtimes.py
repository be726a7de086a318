from __future__ import annotations

from typing import Any

import pytest
from torchdoctor.probes.runtimes import (
    parse_cuda_header,
    parse_cuda_json,
    parse_cuda_text,
    parse_rocm_header,
    parse_rocm_version,
    probe,
)


def test_cuda_shapes() -> None:
    assert parse_cuda_json('{"cuda": {"name": "CUDA SDK", "version": "12.4.1"}}') == "12.4"
    for bad in ("", "{}", '{"cuda": 1}', '{"cuda": {"version": 12}}', '{"cuda": {"version": "twelve"}}', "[" * 9999):
        assert parse_cuda_json(bad) is None
    assert parse_cuda_text("CUDA Version 10.2.89\nCUDA Patch Version 10.2.1\n") == "10.2"
    assert parse_cuda_text("nothing") is None
    assert parse_cuda_header("#define CUDA_VERSION 13020\n") == "13.2"
    assert parse_cuda_header(" * CUDA_VERSION 13020") is None


@pytest.mark.parametrize(
    ("text", "version"),
    [("7.2.0-43\n", "7.2.0"), ("6.4\n", "6.4"), ("7.14.0", "7.14.0"), ("dev", None), ("1.2.3.4", None)],
)
def test_rocm_versions(text: str, version: str | None) -> None:
    assert parse_rocm_version(text) == version


def test_rocm_header() -> None:
    text = "#define ROCM_VERSION_MAJOR   6\n#define ROCM_VERSION_MINOR   4\n#define ROCM_VERSION_PATCH   1\n"
    assert parse_rocm_header(text) == "6.4.1"
    assert parse_rocm_header(text[:40]) is None


def test_the_toolkit_that_is_pointed_to_counts(recorded: Any, probed: Any) -> None:
    files = {
        "/usr/local/cuda-12.4/version.json": '{"cuda": {"version": "12.4.1"}}',
        "/usr/local/cuda-12.10/version.json": '{"cuda": {"version": "12.10.0"}}',
    }
    both = recorded(files, links={"/usr/local/cuda": "cuda-12.4"})
    assert probed(probe, both).runtimes.cuda == "12.4"
    # Without the link the newest, by number and not by letter.
    assert probed(probe, recorded(files)).runtimes.cuda == "12.10"
    named = recorded(files, environment={"CUDA_HOME": "/usr/local/cuda-12.4/"})
    facts = probed(probe, named)
    assert (facts.runtimes.cuda, facts.source("runtimes.cuda")) == ("12.4", "/usr/local/cuda-12.4/version.json")


def test_a_folder_name_alone_is_no_version(recorded: Any, probed: Any) -> None:
    left = recorded(listings={"/usr/local": ["cuda-12.4"], "/usr/local/cuda-12.4": []}, environment={})
    assert probed(probe, left).runtimes.cuda is None


def test_nvcc_of_a_recording(recorded: Any, probed: Any) -> None:
    text = "nvcc: NVIDIA (R) Cuda compiler driver\nCuda compilation tools, release 12.6, V12.6.77\n"
    assert probed(probe, recorded(commands={"/usr/local/cuda/bin/nvcc --version": text})).runtimes.cuda == "12.6"


def test_none_is_said_only_after_looking(recorded: Any, probed: Any) -> None:
    absent = ["/opt/cuda", "/usr/lib/cuda", "/usr/include/cuda.h", "/usr/include/rocm-core", "/opt/intel"]
    bare = recorded(listings={"/usr/local": ["bin"], "/opt": []}, absent=absent, environment={})
    runtimes = probed(probe, bare).runtimes
    assert (runtimes.cuda, runtimes.rocm, runtimes.oneapi) == ("", "", "")
    runtimes = probed(probe, recorded({"/usr/local/bin/x": ""}, environment={})).runtimes
    assert (runtimes.cuda, runtimes.rocm, runtimes.oneapi) == (None, None, None)


def test_rocm_oneapi_and_level_zero(recorded: Any, probed: Any) -> None:
    machine = recorded(
        {"/opt/rocm-7.2.0/.info/version": "7.2.0-43\n"},
        links={"/opt/rocm": "rocm-7.2.0"},
        listings={
            "/opt/intel/oneapi/compiler": ["2025.0", "2025.10", "latest"],
            "/usr/lib/x86_64-linux-gnu": ["libze_loader.so.1", "libze_loader.so.1.21.9", "libc.so.6"],
        },
    )
    runtimes = probed(probe, machine).runtimes
    assert (runtimes.rocm, runtimes.oneapi, runtimes.level_zero) == ("7.2.0", "2025.10", "1.21.9")


def test_compilers(recorded: Any, probed: Any) -> None:
    assert probed(probe, recorded(values={"compilers": ["gcc", "clang"]})).tools.compilers == ("gcc", "clang")
    assert probed(probe, recorded(values={"compilers": []})).tools.compilers == ()
    assert probed(probe, recorded()).tools.compilers is None


def test_windows(recorded: Any, probed: Any) -> None:
    base = "C/Program Files/NVIDIA GPU Computing Toolkit/CUDA"
    machine = recorded(
        {f"/{base}/v12.8/version.json": '{"cuda": {"version": "12.8.0"}}'},
        system="windows",
        environment={"HIP_PATH": "C:\\Program Files\\AMD\\ROCm\\6.4\\"},
    )
    runtimes = probed(probe, machine).runtimes
    assert (runtimes.cuda, runtimes.rocm) == ("12.8", "6.4")


def test_a_mac_has_none_of_these(recorded: Any, probed: Any) -> None:
    runtimes = probed(probe, recorded({"/usr/local/cuda/version.txt": "CUDA Version 10.2.89"}, system="macos")).runtimes
    assert runtimes.cuda is None
