from __future__ import annotations

import pytest
from torchdoctor.probes.reports import values


@pytest.mark.parametrize(
    ("text", "full", "variant"),
    [
        ("2.6.0+cu126", "2.6.0+cu126", "cu126"),
        ("2.11.0+rocm7.2.4.git6bea3e0b", "2.11.0+rocm7.2.4.git6bea3e0b", "rocm7.2.4"),
        ("2.3.0+cu121 (True)", "2.3.0+cu121", "cu121"),
        ("torch-2.1.0%2Bcu118-cp311", "2.1.0+cu118", "cu118"),
        ("2.7.0.dev20250312+cu128", "2.7.0.dev20250312+cu128", "cu128"),
        ("2.0.0a0+ec3941ad.nv23.02", "2.0.0a0+ec3941ad.nv23.02", None),
        ("2.1.0.post2+cxx11.abi", "2.1.0.post2+cxx11.abi", None),
        ("2.1.0+cuda 12.1", "2.1.0+cu121", "cu121"),
        ("1.13", "1.13", None),
    ],
)
def test_torch_versions(text: str, full: str, variant: str | None) -> None:
    parsed = values.parse_torch(text)
    assert parsed is not None
    assert (parsed.full, parsed.variant) == (full, variant)


def test_what_is_no_version() -> None:
    assert values.parse_torch("stable") is None
    assert values.cuda_variant("N/A") is None
    assert values.variant_of_url("https://example.com/simple") is None


@pytest.mark.parametrize(
    ("url", "variant"),
    [
        ("https://download.pytorch.org/whl/cu126", "cu126"),
        ("https://download.pytorch.org/whl/nightly/rocm7.2/", "rocm7.2"),
        ("https://download.pytorch.org/whl/test/cu124", "cu124"),
        ("https://download.pytorch.org/whl/torch_stable.html", None),
    ],
)
def test_index_variants(url: str, variant: str | None) -> None:
    assert values.variant_of_url(url) == variant


@pytest.mark.parametrize(
    ("banner", "expected"),
    [
        ("3.12.3 (main, Aug 14 2025, 17:47:21) [GCC 13.3.0] (64-bit runtime)", ("3.12.3", False, 64, "cpython", None)),
        ("3.7 (32-bit runtime)", ("3.7", None, 32, None, None)),
        ("3.10.6 (tags/v3.10.6:9c7b4bd) [MSC v.1932 32 bit (Intel)]", ("3.10.6", False, 32, "cpython", "i686")),
        ("3.12.5 (x) [MSC v.1940 64 bit (ARM64)]", ("3.12.5", False, 64, "cpython", "aarch64")),
        ("3.13.0 experimental free-threading build (main) [GCC 13]", ("3.13.0", True, None, "cpython", None)),
        ("3.13t", ("3.13", True, None, None, None)),
        ("3.9.16 (feeb267, Dec 29 2022) [PyPy 7.3.11 with GCC 10.2.1]", ("3.9.16", None, None, "pypy", None)),
        ("3.12.7+gc", ("3.12.7", None, None, None, None)),
    ],
)
def test_python_banners(banner: str, expected: tuple[object, ...]) -> None:
    found = values.parse_python(banner)
    assert found is not None
    assert (found.version, found.free_threaded, found.bits, found.implementation, found.machine) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ubuntu 22.04.4 LTS (x86_64)", ("linux", "Ubuntu", "22.04.4", "x86_64", None)),
        (
            "Red Hat Enterprise Linux release 8.6 (Ootpa) (x86_64)",
            ("linux", "Red Hat Enterprise Linux", "8.6", "x86_64", None),
        ),
        ("CentOS Linux 7 (Core)", ("linux", "CentOS Linux", "7", None, None)),
        ("Microsoft Windows 11 专业版 (10.0.26100 64 位)", ("windows", "Windows", "11", None, None)),
        ("macOS 15.3.2 (arm64)", ("macos", "macOS", "15.3.2", "aarch64", None)),
        ("macOS Catalina", ("macos", "macOS", "10.15", None, None)),
        ("Windows 11 + WSL2 Ubuntu 24.04", ("linux", "Ubuntu", "24.04", None, 2)),
        ("Ubuntu 22.04 on WSL2", ("linux", "Ubuntu", "22.04", None, 2)),
        ("common-cu128-ubuntu-2204-nvidia-570", ("linux", "Ubuntu", "22.04", None, None)),
        ("Fedora Linux 43 (Workstation Edition) x86_64", ("linux", "Fedora Linux", "43", "x86_64", None)),
    ],
)
def test_systems(text: str, expected: tuple[object, ...]) -> None:
    found = values.parse_system(text)
    assert found is not None
    assert (found.os, found.name, found.version, found.machine, found.wsl) == expected


def test_no_system_is_guessed() -> None:
    assert values.parse_system("DGX Spark") is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Linux-6.8.0-40-generic-x86_64-with-glibc2.35", ("linux", "x86_64", "glibc", "2.35", 0, None, False)),
        (
            "Linux-5.15.153.1-microsoft-standard-WSL2-x86_64-with-glibc2.35",
            ("linux", "x86_64", "glibc", "2.35", 2, None, False),
        ),
        ("Linux-4.4.0-19041-Microsoft-x86_64-with-glibc2.31", ("linux", "x86_64", "glibc", "2.31", 1, None, False)),
        ("Linux-5.10.120-tegra-aarch64-with-glibc2.29", ("linux", "aarch64", "glibc", "2.29", 0, None, True)),
        ("Linux-6.5.0-1013-nvidia-64k-aarch64-with-glibc2.35", ("linux", "aarch64", "glibc", "2.35", 0, 65536, False)),
        ("macOS-15.1.1-arm64-arm-64bit-Mach-O", ("macos", "aarch64", None, None, None, None, False)),
        ("Windows-10-10.0.22631-SP0", ("windows", None, None, None, None, None, False)),
    ],
)
def test_platform_strings(text: str, expected: tuple[object, ...]) -> None:
    found = values.parse_platform(text)
    assert found is not None
    got = (found.os, found.machine, found.libc, found.libc_version, found.wsl, found.page_size, found.tegra)
    assert got == expected
    assert values.parse_platform("something else") is None
