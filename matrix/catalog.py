"""The releases of torch: which builds were published, for what, with which code in them.

One file a release line under ``data/releases/``, newest first, opened only when an answer needs it. Adding a release is
adding (or extending) one such file; nothing else names releases.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from torchdoctor.matrix.tables import compiled, parse_toml, table
from torchdoctor.probes.facts import dataclass

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

__all__ = [
    "MATRIX_DATE",
    "Broken",
    "Build",
    "Catalog",
    "Interpreters",
    "Release",
    "line_of",
    "toolkit_of",
    "version_key",
]

MATRIX_DATE = "2026-11-30"
"""The day the data was compiled; ``matrix-old`` counts from it."""

INDEX_ROOT = "https://download.pytorch.org/whl"
"""Every variant's index is a folder below it (source: the install page; ``data/release_sources.json``)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Build:
    """One published (release, variant, platform). ``kernels`` are the architectures its main library is built for
    (``sm_90`` or ``gfx1100``; ``None`` = not known), ``ptx`` those it carries as PTX (``None`` = not known),
    ``unconfirmed`` gfx targets compiled in but never tested, ``without_libraries`` those whose math libraries are missing.
    ``glibc`` overrides the floor of the release; ``therock`` marks wheels that install ROCm as Python packages.
    """

    torch: str
    variant: str
    platform: str
    kernels: tuple[str, ...] | None = None
    ptx: tuple[str, ...] | None = None
    unconfirmed: tuple[str, ...] = ()
    without_libraries: tuple[str, ...] = ()
    glibc: str | None = None
    therock: bool = False
    confidence: str = "primary"
    kernels_confidence: str = "primary"
    source: tuple[str, ...] = ()
    kernels_source: tuple[str, ...] = ()
    note: str | None = None

    def __hash__(self) -> int:
        return hash((self.torch, self.variant, self.platform))

    @property
    def toolkit(self) -> tuple[int, ...]:
        """The toolkit version in the variant's name, as :func:`toolkit_of` gives it."""
        return toolkit_of(self.variant)

    @property
    def vendor(self) -> str | None:
        """The GPU vendor the build serves, ``None`` for CPU."""
        return _vendor(self.variant)


@dataclass(frozen=True, slots=True, kw_only=True)
class Interpreters:
    """Interpreter tags (``cp313``, ``cp314t``) of one platform. ``index`` is ``default`` for the default package index,
    ``own`` for those only the variant's index holds; ``macos`` is the minimum in the wheel tag.
    """

    index: str
    platform: str
    tags: tuple[str, ...]
    macos: str | None = None
    confidence: str = "primary"


@dataclass(frozen=True, slots=True, kw_only=True)
class Broken:
    """A release known not to work somewhere: the finding id, the CPU feature it needs, where it shows.
    ``index`` is ``own`` where only the wheel of the variant's index is affected.
    """

    finding: str
    platform: str
    needs: str
    where: str
    index: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """One patch release and everything published under its number."""

    version: str
    date: str
    builds: tuple[Build, ...]
    interpreters: tuple[Interpreters, ...]
    default_index: Mapping[str, str]
    glibc: Mapping[str, str]
    metal_min: str | None
    metal_confidence: str = "primary"
    companions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    torchcodec: tuple[str, ...] = ()
    numpy2: Mapping[str, bool] = field(default_factory=dict)
    numpy2_confidence: str = "primary"
    xpu_platforms: tuple[str, ...] = ()
    xpu_linux_only: tuple[str, ...] = ()
    broken: tuple[Broken, ...] = ()
    cxx11_abi: str | None = None

    def __hash__(self) -> int:
        # Of what is looked up by release, nearly every look-up is of the very same object.
        return hash(self.version)

    def build(self, variant: str, platform: str) -> Build | None:
        """The build of a variant for a platform, ``None`` where it was never published."""
        for build in _on(self, platform):
            if build.variant == variant:
                return build
        return None

    def on(self, platform: str) -> tuple[Build, ...]:
        """Every build published for a platform."""
        return _on(self, platform)

    def tags(self, platform: str, index: str) -> tuple[str, ...]:
        """Interpreter tags of a platform on ``default`` or (all that the variant's ``own`` index holds) ``own``."""
        return _tags(self, platform, index)

    def glibc_floor(self, build: Build) -> str | None:
        """The real glibc floor of a build, ``None`` where it is not known."""
        floor = build.glibc or self.glibc.get(build.platform)
        return None if floor == "unknown" else floor


class Catalog:
    """The release lines, newest first, each file opened on first use and kept."""

    def __init__(self, root: Traversable | None = None) -> None:
        self._root = root
        self._lines = sorted(_lines(root), key=version_key, reverse=True)
        self._loaded: dict[str, tuple[Release, ...]] = {}

    @property
    def lines(self) -> tuple[str, ...]:
        """Release lines (``2.15``), newest first."""
        return tuple(self._lines)

    def line(self, line: str) -> tuple[Release, ...]:
        """The patches of a line, newest first; empty where there is no such line."""
        if line not in self._loaded:
            self._loaded[line] = _patches(self._read(line)) if line in self._lines else ()
        return self._loaded[line]

    def _read(self, line: str) -> Mapping[str, Any]:
        if self._root is None:
            return table(f"releases/{line}.toml")
        return parse_toml((self._root / f"{line}.toml").read_text(encoding="utf-8"))

    def releases(self) -> Iterator[Release]:
        """Every patch release, newest first."""
        for line in self._lines:
            yield from self.line(line)

    def release(self, version: str) -> Release | None:
        """The release of exactly that number (``2.5.1``), ``None`` where there is none."""
        return next((r for r in self.line(line_of(version)) if r.version == version), None)

    def newest(self) -> Release:
        """The newest release."""
        return self.line(self._lines[0])[0]

    def oldest(self) -> str:
        """The oldest release line."""
        return self._lines[-1]

    def variants(self) -> tuple[str, ...]:
        """Every variant name that any release has; opens every file."""
        return tuple(sorted({b.variant for r in self.releases() for b in r.builds}))


@lru_cache(maxsize=1024)
def _on(release: Release, platform: str) -> tuple[Build, ...]:
    return tuple([b for b in release.builds if b.platform == platform])


@lru_cache(maxsize=1024)
def _tags(release: Release, platform: str, index: str) -> tuple[str, ...]:
    wanted = ("default",) if index == "default" else ("default", "own")
    return tuple(
        [t for row in release.interpreters if row.platform == platform and row.index in wanted for t in row.tags]
    )


@lru_cache(maxsize=256)
def _vendor(variant: str) -> str | None:
    if variant.startswith("cu"):
        return "nvidia"
    if variant.startswith("rocm"):
        return "amd"
    return {"xpu": "intel", "mps": "apple"}.get(variant)


@lru_cache(maxsize=256)
def toolkit_of(variant: str) -> tuple[int, ...]:
    """The toolkit version in a variant's name as numbers: ``cu132`` → (13, 2), ``rocm6.2.4`` → (6, 2, 4)."""
    digits = variant.lstrip("abcdefghijklmnopqrstuvwxyz")
    if variant.startswith("cu"):  # "cuda", as reports and builds of unknown origin have it: (0, 0), like cu00
        return (int(digits[:-1]), int(digits[-1])) if digits[1:].isdecimal() else (0, 0)
    return tuple(int(x) for x in digits.split(".")) if digits else ()


@lru_cache(maxsize=4096)
def version_key(version: str) -> tuple[int, ...]:
    """``2.10.0`` → (2, 10, 0), for ordering release numbers; anything after the digits of a part is dropped."""
    parts = []
    for part in version.split("+")[0].split("."):
        digits = ""
        for char in part:
            if not char.isdecimal():
                break
            digits += char
        if not digits or len(digits) > 9:
            break
        parts.append(int(digits))
    return tuple(parts)


def line_of(version: str) -> str:
    """``2.5.1+cu124`` → ``2.5``."""
    return ".".join(version.split("+")[0].split(".")[:2])


def _lines(root: Traversable | None) -> Iterator[str]:
    names = (
        [name.removeprefix("releases/") for name in compiled() if name.startswith("releases/")] if root is None else []
    )
    if not names:
        from importlib.resources import files

        folder = root if root is not None else files("torchdoctor.matrix") / "data" / "releases"
        names = [p.name for p in folder.iterdir() if p.name.endswith(".toml")]
    yield from (name.removesuffix(".toml") for name in names)


def _patches(data: Mapping[str, Any]) -> tuple[Release, ...]:
    return tuple(sorted((_release(data, p) for p in data["patch"]), key=lambda r: version_key(r.version), reverse=True))


def _release(data: Mapping[str, Any], patch: Mapping[str, Any]) -> Release:
    version = patch["version"]

    def of(rows: str) -> list[Mapping[str, Any]]:
        return [row for row in data.get(rows, ()) if version in row.get("patches", (version,))]

    builds = tuple(_build(version, row) for row in of("build"))
    glibc = data["glibc"]
    metal = data.get("metal", {})
    numpy2 = data.get("numpy2", {})
    xpu = data.get("xpu", {})
    codec = data.get("torchcodec", {})
    return Release(
        version=version,
        date=patch["date"],
        builds=builds,
        interpreters=tuple(
            Interpreters(
                index=row["index"],
                platform=row["platform"],
                tags=tuple(row["tags"]),
                macos=row.get("macos"),
                confidence=row["confidence"],
            )
            for row in of("interpreters")
        ),
        default_index={k: v for k, v in data["default_index"].items() if k not in ("source", "confidence")},
        glibc={k: v for k, v in glibc.items() if k.startswith("linux_")},
        cxx11_abi=glibc.get("cxx11_abi"),
        metal_min=metal.get("min_macos"),
        metal_confidence=metal.get("confidence", "primary"),
        companions={k: (v,) if isinstance(v, str) else tuple(v) for k, v in patch.get("companions", {}).items()},
        torchcodec=tuple(codec[k] for k in ("oldest", "newest") if k in codec),
        numpy2={
            os: version in numpy2[os] if isinstance(numpy2[os], list) else numpy2[os]
            for os in ("linux", "macos", "windows")
            if os in numpy2
        },
        numpy2_confidence=numpy2.get("confidence", "primary"),
        xpu_platforms=tuple(xpu.get("platforms", ())),
        xpu_linux_only=tuple(xpu.get("linux_only", ())),
        broken=tuple(
            Broken(
                finding=row["finding"],
                platform=row["platform"],
                needs=row["needs"],
                where=row["where"],
                index=row.get("index"),
            )
            for row in of("broken")
        ),
    )


def _build(version: str, row: Mapping[str, Any]) -> Build:
    return Build(
        torch=version,
        variant=row["variant"],
        platform=row["platform"],
        kernels=tuple(row["kernels"]) if "kernels" in row else None,
        ptx=tuple(row["ptx"]) if "ptx" in row else None,
        unconfirmed=tuple(row.get("unconfirmed", ())),
        without_libraries=tuple(row.get("without_libraries", ())),
        glibc=row.get("glibc"),
        therock=row.get("therock", False),
        confidence=row["confidence"],
        kernels_confidence=row.get("kernels_confidence", "primary"),
        source=tuple(row.get("source", ())),
        kernels_source=tuple(row.get("kernels_source", ())),
        note=row.get("note"),
    )
