"""The matrix as plain rows, one for each (release, variant, platform): what ``releases`` and the documentation show."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from torchdoctor.matrix.catalog import INDEX_ROOT, MATRIX_DATE, Build, Catalog, Release

__all__ = ["SCHEMA", "mark_here", "release_document"]

SCHEMA = "torchdoctor/releases/1"
_VENDORS = {"nvidia": "NVIDIA", "amd": "AMD", "intel": "Intel", "apple": "Apple"}


def release_document(
    *, torch: str | None = None, variant: str | None = None, every_patch: bool = False, catalog: Catalog | None = None
) -> dict[str, Any]:
    """The document of schema ``torchdoctor/releases/1``, newest release first. ``torch`` is a release, line or specifier,
    ``variant`` one variant or family; the newest fitting patch of each line, unless ``every_patch``.

    Raises :class:`~torchdoctor.matrix.request.RequestError`.
    """
    from torchdoctor.matrix.request import in_family, normal_variant, wanted
    from torchdoctor.matrix.tables import table

    catalog = catalog or Catalog()
    told = table("release_sources.json")
    want, only = wanted(torch), normal_variant(variant)
    rows = []
    for line in catalog.lines:
        patches = [r for r in catalog.line(line) if want.matches(r.version)]
        for release in patches if every_patch else patches[:1]:
            builds = sorted(release.builds, key=_order)
            rows += [_row(release, b, told) for b in builds if only is None or in_family(b.variant, only)]
    return {"schema": SCHEMA, "matrix": MATRIX_DATE, "rows": rows}


def _order(build: Build) -> tuple[object, ...]:
    kinds = ("nvidia", "amd", "intel", None)
    return (
        kinds.index(build.vendor),
        tuple(-n for n in build.toolkit),
        build.platform != "linux_x86_64",
        build.platform,
    )


def _row(release: Release, build: Build, told: Mapping[str, Any]) -> dict[str, Any]:
    macos = build.platform == "macos_arm64"
    default = release.default_index.get(build.platform) == build.variant
    tags = release.tags(build.platform, "own")
    gpus: list[str] | None = [_dotted(k) for k in build.kernels] if build.kernels is not None else None
    if build.vendor == "intel":
        linux = build.platform.startswith("linux")
        gpus = [p for p in release.xpu_platforms if linux or p not in release.xpu_linux_only] or None
    elif build.vendor is None:
        gpus = []
    return {
        "torch": release.version,
        "date": release.date,
        "variant": "cpu + mps" if macos else build.variant,
        "platform": build.platform,
        "pythons": sorted({_python(t) for t in tags}, key=_python_order),
        "gpus": gpus,
        "driver": _driver(build),
        "system": _system(release, build),
        "metal": f"macOS {release.metal_min}" if macos and release.metal_min else None,
        "default_index": default,
        "index_url": None if default else f"{INDEX_ROOT}/{build.variant}",
        "confidence": build.kernels_confidence if build.kernels is not None else build.confidence,
        "source": [told.get(key, key) for key in dict.fromkeys((*build.source, *build.kernels_source))],
        "here": None,
    }


def _dotted(kernel: str) -> str:
    """``sm_120`` → ``12.0``; gfx targets stay as they are."""
    name, _, number = kernel.partition("_")
    if not number:
        return kernel
    digits = number.rstrip("abcdefghijklmnopqrstuvwxyz")
    return f"{digits[:-1]}.{digits[-1]}" + ("" if name == "sm" else "+PTX")


def _python(tag: str) -> str:
    """``cp313t`` → ``3.13t``; ``cp37m`` → ``3.7``."""
    digits = tag.removeprefix("cp")
    return f"{digits[0]}.{digits[1:].removesuffix('m')}"


def _python_order(version: str) -> tuple[bool, int]:
    return (version.endswith("t"), int(version.split(".")[1].rstrip("t")))


def _driver(build: Build) -> str | None:
    if build.vendor != "nvidia":
        return None
    from torchdoctor.matrix.drivers import driver_floor

    os = "windows" if build.platform.startswith("windows") else "linux"
    return driver_floor(build.toolkit[0], os).version


def _system(release: Release, build: Build) -> str | None:
    if build.platform.startswith("linux"):
        floor = release.glibc_floor(build)
        return f"glibc {floor}" if floor else None
    floors = [r.macos for r in release.interpreters if r.platform == build.platform and r.macos]
    return f"macOS {min(floors, key=lambda v: [int(p) for p in v.split('.')])}" if floors else None


def mark_here(document: Mapping[str, Any], report: Mapping[str, Any], platform: str | None) -> None:
    """Fill ``here`` of every row from a report in which every candidate was examined: ``accepted``, ``reasons`` and
    ``unknown``; rows of another ``platform`` or another vendor's GPU are rejected for that.
    """
    judged = {(c["torch"], c["variant"]): c for c in report["candidates"]}
    vendors = {g.get("vendor") for g in report["facts"].get("gpus") or ()}
    for row in document["rows"]:
        if platform is not None and row["platform"] != platform:
            row["here"] = {"accepted": False, "reasons": ["another platform"], "unknown": []}
            continue
        names: Iterable[str] = ("mps", "cpu") if row["variant"] == "cpu + mps" else (row["variant"],)
        found = [judged[row["torch"], name] for name in names if (row["torch"], name) in judged]
        if found:
            best = next((c for c in found if c["accepted"]), found[0])
            row["here"] = {key: best[key] for key in ("accepted", "reasons", "unknown")}
            continue
        vendor = _vendor(row["variant"])
        reason = f"no {_VENDORS[vendor]} GPU" if vendor and vendor not in vendors else "not examined"
        row["here"] = {"accepted": False, "reasons": [reason], "unknown": []}


def _vendor(variant: str) -> str | None:
    if variant.startswith("cu"):
        return "nvidia"
    return "amd" if variant.startswith("rocm") else "intel" if variant == "xpu" else None
