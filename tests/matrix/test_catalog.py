from __future__ import annotations

import json
from pathlib import Path

import pytest
from torchdoctor.matrix.catalog import Build, Catalog, line_of, version_key


def test_lines_are_newest_first_and_read_only_when_needed(catalog: Catalog) -> None:
    fresh = Catalog()
    assert fresh.lines[0] == "2.15"
    assert fresh.lines[-1] == "1.13"
    assert next(fresh.releases()).version == "2.15.0"
    assert list(fresh._loaded) == ["2.15"]


def test_every_patch_is_there(catalog: Catalog) -> None:
    versions = [r.version for r in catalog.releases()]
    assert len(versions) == 30
    assert versions == sorted(versions, key=version_key, reverse=True)
    assert {"1.13.0", "2.2.2", "2.12.0", "2.12.1", "2.14.1"} <= set(versions)
    assert catalog.release("2.13.1") is None
    assert catalog.release("9.9.9") is None


def test_what_differs_between_patches_is_kept_apart(catalog: Catalog) -> None:
    old, new = catalog.release("2.12.0"), catalog.release("2.12.1")
    assert old is not None
    assert new is not None
    assert "cp313t" in old.tags("linux_x86_64", "default")
    assert "cp313t" not in new.tags("linux_x86_64", "own")
    assert old.build("cu129", "linux_x86_64") is None
    assert new.build("cu129", "linux_x86_64") is not None


def test_interpreters_differ_by_index(catalog: Catalog) -> None:
    release = catalog.release("2.13.0")
    assert release is not None
    assert "cp315" not in release.tags("linux_x86_64", "default")
    assert "cp315" in release.tags("linux_x86_64", "own")
    assert "cp315" not in release.tags("windows_amd64", "own")
    assert release.tags("linux_s390x", "own") == ("cp311", "cp312", "cp313", "cp314", "cp314t")


def test_real_glibc_floors(catalog: Catalog) -> None:
    floors = {}
    for version, variant in (
        ("2.5.1", "cu124"),
        ("2.6.0", "cu124"),
        ("2.6.0", "cu126"),
        ("2.6.0", "rocm6.1"),
        ("2.7.0", "cpu"),
    ):
        release = catalog.release(version)
        assert release is not None
        build = release.build(variant, "linux_x86_64")
        assert build is not None
        floors[version, variant] = release.glibc_floor(build)
    assert floors == {
        ("2.5.1", "cu124"): "2.17",
        ("2.6.0", "cu124"): "2.17",
        ("2.6.0", "cu126"): "2.28",
        ("2.6.0", "rocm6.1"): None,
        ("2.7.0", "cpu"): "2.28",
    }


def test_lists_differ_by_system(catalog: Catalog) -> None:
    release = catalog.release("2.8.0")
    assert release is not None
    linux, windows = release.build("cu126", "linux_x86_64"), release.build("cu126", "windows_amd64")
    assert linux is not None
    assert windows is not None
    assert "sm_50" in (linux.kernels or ())
    assert "sm_50" not in (windows.kernels or ())


@pytest.mark.parametrize(
    ("variant", "toolkit", "vendor"),
    [
        ("cu132", (13, 2), "nvidia"),
        ("cu118", (11, 8), "nvidia"),
        ("cuda", (0, 0), "nvidia"),
        ("rocm6.2.4", (6, 2, 4), "amd"),
        ("rocm10.0", (10, 0), "amd"),
        ("cpu", (), None),
        ("xpu", (), "intel"),
        ("mps", (), "apple"),
    ],
)
def test_variant_names(variant: str, toolkit: tuple[int, ...], vendor: str | None) -> None:
    build = Build(torch="2.15.0", variant=variant, platform="linux_x86_64")
    assert build.toolkit == toolkit
    assert build.vendor == vendor


def test_versions_compare_as_numbers() -> None:
    assert version_key("2.10.0") > version_key("2.9.1")
    assert version_key("2.5.1+cu124") == (2, 5, 1)
    assert version_key("") == ()
    assert line_of("2.5.1+cu124") == "2.5"


def test_every_row_of_every_release(catalog: Catalog) -> None:
    """A new release is tested without a new test: what any answer may lean on is there for each of its builds."""
    for release in catalog.releases():
        assert release.date[:2] == "20"
        assert release.metal_min is not None
        assert set(release.numpy2) == {"linux", "macos", "windows"}
        for build in release.builds:
            where = f"{release.version} {build.variant} {build.platform}"
            assert release.tags(build.platform, "own"), where
            if build.vendor in ("nvidia", "amd"):
                assert build.kernels, where
                assert build.kernels_source, where
            if build.vendor == "intel":
                assert release.xpu_platforms, where
            if build.platform in ("linux_x86_64", "linux_aarch64"):
                assert release.glibc_floor(build) or build.glibc == "unknown", where
        assert release.companions.get("torchvision"), release.version


def test_measured_wheels_agree_with_the_release_files(catalog: Catalog) -> None:
    """Architectures counted in real wheels, against the rows (the counts lie beside the data, with their source)."""
    path = Path(__file__).parent.parent / "data" / "measured_kernels.json"
    for row in json.loads(path.read_text(encoding="utf-8")):
        release = catalog.release(row["torch"])
        assert release is not None
        build = release.build(row["variant"], row["platform"])
        assert build is not None
        assert sorted(build.kernels or ()) == sorted(row["kernels"]), row
