"""``gpus [NAME]``: what the matrix knows of a GPU, and which driver and builds it needs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from torchdoctor.matrix.gpus import KnownGpu

__all__ = ["command"]

_FEW = 6  # names or ids shown on a line of text; JSON holds all
_WIDTH = 100


@click.command("gpus")
@click.argument("name", nargs=-1)
@click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True, help="How to print it."
)
def command(name: tuple[str, ...], form: str) -> None:
    """What the matrix knows of a GPU: NAME is a name, a PCI id (10de:2684), a gfx target or a compute capability.

    Without NAME: the generations, with the drivers that carry them.
    """
    text = " ".join(name).strip()
    if not text:
        rows = _generations()
        click.echo(_json({"gpus": rows}) if form == "json" else _listing(rows))
        return
    from torchdoctor.matrix.gpu_search import nearest, search

    found = [_facts(gpu) for gpu in search(text)]
    if not found:
        near = nearest(text)
        hint = f" (nearest known: {', '.join(near)})" if near else ""
        raise click.UsageError(f"no GPU is known by the name {text[:80]!r}{hint}")
    click.echo(_json({"query": text, "gpus": found}) if form == "json" else "\n\n".join(map(_sheet, found)))


def _json(data: dict[str, Any]) -> str:
    return json.dumps({"schema": "torchdoctor/gpus/1", **data}, indent=2, ensure_ascii=False)


def _facts(gpu: KnownGpu) -> dict[str, Any]:
    from torchdoctor.matrix.gpu_search import ids_of, names_of
    from torchdoctor.matrix.gpus import by_pci

    ids = ids_of(gpu)
    chips = {known.chip for id in ids if (known := by_pci(id)) is not None}
    return {
        "vendor": gpu.vendor,
        "name": gpu.name,
        "chip": gpu.chip or (chips.pop() if len(chips) == 1 else None),
        "architecture": gpu.architecture,
        "compute_capability": gpu.compute_capability,
        "gfx": gpu.gfx,
        "xpu": gpu.xpu,
        "integrated": gpu.integrated,
        "pci_ids": list(ids),
        "names": [] if gpu.name else list(names_of(gpu)),
        "driver": _driver(gpu.compute_capability),
        "wheels": _wheels(gpu, {gpu.platform} if gpu.platform else chips),
        "note": gpu.note,
        "confidence": gpu.confidence,
    }


def _driver(compute_capability: str | None) -> dict[str, Any] | None:
    """The drivers that carry a compute capability: the first branch, its first builds, the last branch."""
    from torchdoctor.matrix.drivers import generation

    row = generation(compute_capability) if compute_capability else None
    if row is None:
        return None
    first = {"branch": row.first_branch, "linux": row.first_linux, "windows": row.first_windows}
    return {"first": first, "last_branch": row.last_branch, "modules": row.modules, "confidence": row.confidence}


def _needs(gpu: KnownGpu, toolkit: tuple[int, ...], platform: str) -> str | None:
    """The lowest driver for a CUDA build on this GPU: the floor of its CUDA, or the first driver that knows the GPU."""
    from torchdoctor.matrix.drivers import at_least, driver_floor, first_driver

    if gpu.vendor != "nvidia" or not gpu.compute_capability:
        return None
    os = "windows" if platform.startswith("windows") else "linux"
    floor = driver_floor(toolkit[0], os).version
    first = first_driver(gpu.compute_capability, os)
    return first.version if first and at_least(first.version, floor) else floor


def _wheels(gpu: KnownGpu, platforms: set[str | None]) -> list[dict[str, Any]]:
    """Per variant and platform the releases whose wheel carries the GPU and the driver they need, newest variants first.
    ``platforms`` are the Intel platforms it may be: a release counts where it lists them all.
    """
    from torchdoctor.matrix.catalog import Catalog, version_key

    spans: dict[tuple[str, str], list[str]] = {}
    toolkits: dict[tuple[str, str], tuple[int, ...]] = {}
    for release in Catalog().releases():
        for build in release.builds:
            if build.vendor != gpu.vendor:
                continue
            if gpu.vendor == "intel":
                elsewhere = platforms & set(release.xpu_linux_only) and not build.platform.startswith("linux")
                carries = (
                    gpu.xpu is not False
                    and bool(platforms)
                    and platforms <= set(release.xpu_platforms)
                    and not elsewhere
                )
            else:
                carries = _carries(gpu, build)
            if carries:
                spans.setdefault((build.variant, build.platform), []).append(release.version)
                toolkits[build.variant, build.platform] = build.toolkit
    found = []
    for variant, platform in sorted(spans, key=lambda key: (tuple(-part for part in toolkits[key]), key[1])):
        releases = sorted(spans[variant, platform], key=version_key)
        driver = _needs(gpu, toolkits[variant, platform], platform)
        found.append({"variant": variant, "platform": platform, "driver": driver, "releases": releases})
    return found


def _carries(gpu: KnownGpu, build: Any) -> bool:
    from torchdoctor.matrix.gpu_code import cuda_coverage

    if build.kernels is None:
        return False
    if gpu.compute_capability:
        found = cuda_coverage(build.kernels, build.ptx or (), gpu.compute_capability)
        return found is not None and found.covered
    return gpu.gfx in build.kernels and gpu.gfx not in build.without_libraries and gpu.gfx not in build.unconfirmed


# Text


def _sheet(row: dict[str, Any]) -> str:
    title = row["name"] or row["gfx"] or row["compute_capability"] or row["chip"] or "Intel graphics"
    lines = [f"{title}"]

    def say(label: str, value: str | None) -> None:
        if value:
            lines.append(f"  {label:<20} {value}")

    say("vendor", {"nvidia": "NVIDIA", "amd": "AMD", "intel": "Intel"}[row["vendor"]])
    say("chip" if row["vendor"] != "intel" else "platform", row["chip"])
    say("generation", row["architecture"])
    say("compute capability", row["compute_capability"])
    say("gfx target", row["gfx"])
    if row["vendor"] == "intel":
        listed = {True: "listed by PyTorch", False: "not listed by PyTorch", None: "not known"}
        say("XPU builds", listed[row["xpu"]] + (f" ({row['note']})" if row["note"] else ""))
    say("integrated", {True: "yes", False: "no", None: None}[row["integrated"]])
    say("PCI ids", _some(row["pci_ids"]))
    say("such as", _some(row["names"]))
    if row["driver"]:
        first, last = row["driver"]["first"], row["driver"]["last_branch"]
        builds = ", ".join(
            f"{os} {first[key]}" for os, key in (("Linux", "linux"), ("Windows", "windows")) if first[key]
        )
        say("first driver", (first["branch"] or "not known") + (f" ({builds})" if builds else ""))
        say("last driver", f"branch {last}" if last else None)
        modules = {"open": "open only", "proprietary": "proprietary only", "either": "open or proprietary"}
        say("kernel modules", modules.get(row["driver"]["modules"]))
    lines.extend(_wheel_lines(row["wheels"]))
    if row["confidence"] != "primary":
        say("confidence", row["confidence"])
    return "\n".join(lines)


def _wheel_lines(wheels: list[dict[str, Any]]) -> list[str]:
    """One line for the platforms that share variant, releases and driver."""
    grouped: dict[tuple[str, str, str], list[str]] = {}
    for wheel in wheels:
        first, last = wheel["releases"][0], wheel["releases"][-1]
        span = first if first == last else f"{first} to {last}"
        driver = f"driver {wheel['driver']}" if wheel["driver"] else ""
        grouped.setdefault((wheel["variant"], span, driver), []).append(wheel["platform"])
    if not grouped:
        return [f"  {'torch wheels':<20} none of a release that the matrix holds"]
    lines = []
    for place, ((variant, span, driver), platforms) in enumerate(grouped.items()):
        label = "torch wheels" if place == 0 else ""
        middle = f"{driver:<17} " if driver else ""
        lines.append(f"  {label:<20} {variant:<9} {span:<16} {middle}{', '.join(platforms)}")
    return lines


def _some(values: list[str]) -> str:
    more = f" and {len(values) - _FEW} more" if len(values) > _FEW else ""
    return ", ".join(values[:_FEW]) + more


def _generations() -> list[dict[str, Any]]:
    from torchdoctor.matrix.drivers import generations
    from torchdoctor.matrix.tables import rows

    found: list[dict[str, Any]] = []
    for row in reversed(generations().values()):
        cc = row.compute_capability
        names = [r["name"] for r in rows("nvidia_gpus.json", "names") if r["compute_capability"] == cc]
        facts = {"first_branch": row.first_branch, "last_branch": row.last_branch}
        found.append({"vendor": "nvidia", "architecture": row.name, "compute_capability": cc, **facts, "names": names})
    for target in reversed(rows("amd_gpus.json", "targets")):
        names = [r["name"] for r in rows("amd_gpus.json", "names") if r["gfx"] == target["gfx"]]
        found.append({"vendor": "amd", "architecture": target["architecture"], "gfx": target["gfx"], "names": names})
    for platform in rows("intel_gpus.json", "platforms"):
        mine = [
            r["name"] for r in rows("intel_gpus.json", "pci") if r["platform"] == platform["platform"] and r["name"]
        ]
        facts = {"platform": platform["platform"], "xpu": platform["xpu"]}
        found.append(
            {"vendor": "intel", "architecture": platform["architecture"], **facts, "names": list(dict.fromkeys(mine))}
        )
    return found


def _listing(rows: list[dict[str, Any]]) -> str:
    titles = {"nvidia": "NVIDIA: compute capability, generation, driver branches", "amd": "AMD: gfx target, generation"}
    lines: list[str] = []
    vendor = None
    for row in rows:
        if row["vendor"] != vendor:
            vendor = row["vendor"]
            lines += [""] if lines else []
            lines.append(titles.get(vendor, "Intel: in the XPU builds, generation"))
        key = row.get("compute_capability") or row.get("gfx") or ("yes" if row.get("xpu") else "no")
        head = f"  {key:<8} {row['architecture'] or 'not known':<16} "
        if vendor == "nvidia":
            head += f"{row['first_branch'] or '':>3}{'-' + row['last_branch'] if row['last_branch'] else '':<4} "
        names = sorted(row["names"], key=lambda name: not name.startswith("GeForce")) or [row.get("platform") or ""]
        while len(names) > 1 and len(head) + len(", ".join(names)) > _WIDTH:
            names = names[:-1]
        lines.append((head + ", ".join(names)).rstrip())
    return "\n".join(lines)
