"""What is asked for: a release specifier and a variant name, read the way people write them."""

from __future__ import annotations

from collections.abc import Callable

from torchdoctor.matrix.catalog import Catalog, version_key
from torchdoctor.probes.facts import dataclass, regex

__all__ = ["RequestError", "Wanted", "normal_variant", "wanted"]

_PLAIN = regex(r"v?(\d{1,4}(?:\.\d{1,6}){0,3})(?:\+([A-Za-z0-9.]+))?")
_VARIANT = regex(r"cpu|xpu|mps|cuda|rocm|cu\d{2,3}|rocm\d{1,2}(?:\.\d{1,2}){1,2}")
_CUDA = regex(r"(?:cuda|cu)[ _-]?(\d{1,2})\.(\d)")
_BOUND = regex(r"\s*(>=|<=|<|>|!=)\s*(\d{1,4}(?:\.\d{1,6}){0,3})\s*")
_LINE = regex(r"\d+\.\d+")


class RequestError(ValueError):
    """A release or variant that cannot be understood; the text says what was expected."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """``matches`` tells whether a release number fits; ``exact`` is the number where one plain version was named, so that
    "there is no such release" can be said; ``line`` where a whole release line was; ``variant`` from a local version.
    ``prerelease`` is set where a nightly or release candidate was named, which the matrix does not hold.
    """

    text: str | None
    matches: Callable[[str], bool]
    exact: str | None = None
    line: str | None = None
    variant: str | None = None
    prerelease: bool = False


def wanted(text: str | None) -> Wanted:
    """A release as asked for: ``2.15``, ``2.14.1``, ``2.5.1+cu124``, ``>=2.8,<2.12``. Raises :class:`RequestError`."""
    if not text or not text.strip() or text.strip() in ("latest", "*"):
        return Wanted(text=None, matches=lambda version: True)
    spec = text.strip().removeprefix("torch").strip()
    plain = _PLAIN.fullmatch(spec.removeprefix("==").strip()) if not spec.endswith("*") else None
    if plain:
        number, local = plain[1], plain[2]
        parts = version_key(number)
        variant = local if local and _VARIANT.fullmatch(local.split(".post")[0]) else None
        if len(parts) >= 3:
            return Wanted(
                text=spec,
                matches=lambda v: version_key(v) == parts[:3],
                exact=".".join(map(str, parts[:3])),
                variant=variant,
            )
        exact = ".".join(map(str, (*parts, 0))) if spec.startswith("==") and len(parts) == 2 else None
        if exact:  # == 2.5 means 2.5.0
            return Wanted(text=spec, matches=lambda v: v == exact, exact=exact, variant=variant)
        return Wanted(text=spec, matches=lambda v: version_key(v)[: len(parts)] == parts, line=number, variant=variant)
    if bounds := _bounds(spec):
        return Wanted(text=spec, matches=lambda v: all(_within(v, *bound) for bound in bounds))
    from packaging.version import InvalidVersion, Version

    try:
        version = Version(spec)
        return Wanted(
            text=spec, matches=lambda v: v == version.public, exact=version.public, prerelease=version.is_prerelease
        )
    except InvalidVersion:
        pass
    from packaging.specifiers import InvalidSpecifier, SpecifierSet

    try:
        specifiers = SpecifierSet(spec)
    except InvalidSpecifier:
        raise RequestError(f"not a torch release or range: {text!r} (expected 2.15, 2.14.1 or >=2.8,<2.12)") from None
    return Wanted(text=spec, matches=lambda v: specifiers.contains(v))


def _bounds(spec: str) -> list[tuple[str, tuple[int, ...]]]:
    """``>=2.8,<2.12`` as bounds; empty where it is anything more than plain numbers. Most ranges are no more, and reading
    them with the library that reads all takes longer than judging a machine.
    """
    found = [_BOUND.fullmatch(part) for part in spec.split(",")]
    return [(match[1], _padded(match[2])) for match in found if match] if all(found) else []


def _padded(version: str) -> tuple[int, ...]:
    return (*version_key(version), 0, 0, 0, 0)[:4]


def _within(version: str, operator: str, bound: tuple[int, ...]) -> bool:
    have = _padded(version)
    if operator == "!=":
        return have != bound
    return (have >= bound if operator[0] == ">" else have <= bound) and (len(operator) == 2 or have != bound)


def normal_variant(text: str | None, catalog: Catalog | None = None) -> str | None:
    """A variant as the indexes spell it: ``CUDA 12.6`` → ``cu126``; ``auto`` → ``None``. A family (``cuda``, ``rocm``)
    stays a family. Raises :class:`RequestError` for what is no variant name at all.
    """
    if not text or text.strip().lower() in ("auto", ""):
        return None
    low = text.strip().lower()
    dotted = _CUDA.fullmatch(low)
    if dotted:
        low = f"cu{dotted[1]}{dotted[2]}"
    low = {"gpu": "cuda", "metal": "mps", "hip": "rocm"}.get(low, low)
    if not _VARIANT.fullmatch(low):
        raise RequestError(f"not a variant name: {text!r} (expected auto, cpu, cu132, rocm7.2, xpu or mps)")
    return low


def in_family(variant: str, asked: str) -> bool:
    """Whether a build's variant is the one asked for, or of the family asked for."""
    if asked == "cuda":
        return variant.startswith("cu") and variant[2:].isdecimal()
    if asked == "rocm":
        return variant.startswith("rocm")
    return variant == asked


def exists(catalog: Catalog, want: Wanted) -> bool | None:
    """Whether any release fits; ``None`` where the matrix cannot say (older than it reaches, or a pre-release)."""
    if want.prerelease:
        return None
    if want.exact or (want.line and _LINE.fullmatch(want.line)):
        number = want.exact or want.line or ""
        if version_key(number) < version_key(catalog.oldest()):
            return None
        line = ".".join(number.split(".")[:2])
        return any(want.matches(r.version) for r in catalog.line(line))
    return any(want.matches(r.version) for r in catalog.releases())
