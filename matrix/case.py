"""What a check is given: one machine, what is installed there, what was asked for, and the matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from torchdoctor.matrix.verdict import Evidence
from torchdoctor.probes.facts import Facts, Gpu, dataclass

if TYPE_CHECKING:
    from torchdoctor.matrix.catalog import Catalog, Release

__all__ = ["Asked", "Case", "Installed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What the caller (or a report) asks for. ``torch`` is a version or specifier as typed; ``variant`` ``None`` = auto."""

    torch: str | None = None
    variant: str | None = None
    requires: tuple[str, ...] = ()
    companions: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    data_age: int | None = None  # days since the matrix was compiled; the matrix itself has no clock
    by: str = "caller"  # or "report": read off facts.request


@dataclass(frozen=True, slots=True, kw_only=True)
class Installed:
    """The installed torch as far as it is known. ``version`` without its local part; ``variant`` ``None`` = not known;
    ``kernels`` are the architectures it really carries (read from the library, else from the matrix row of that stock
    wheel), ``None`` = not known; ``stock`` tells whether the matrix knows that very build.
    """

    version: str
    variant: str | None
    kernels: tuple[str, ...] | None
    kernels_source: str | None
    origin: str | None
    stock: bool
    release: Release | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One machine to judge. ``facts`` have already been through :mod:`torchdoctor.matrix.infer`."""

    facts: Facts
    catalog: Catalog
    asked: Asked
    installed: Installed | None = None

    def evidence(self, *paths: str, **shown: Any) -> tuple[Evidence, ...]:
        """Evidence rows for the facts at ``paths`` that are known; ``shown`` adds rows with a value of its own."""
        rows = []
        for path in paths:
            value = self.facts.get(path)
            if value is not None:
                rows.append(Evidence(fact=path, value=_shown(value), source=self.facts.source(path)))
        rows.extend(Evidence(fact=k, value=str(v), source=None) for k, v in shown.items())
        return tuple(rows)

    def gpus(self, vendor: str) -> tuple[tuple[int, Gpu], ...]:
        """The GPUs of a vendor with their place in ``facts.gpus``."""
        gpus = self.facts.gpus
        return tuple([(i, g) for i, g in enumerate(gpus) if g.vendor == vendor]) if gpus else ()

    def package(self, name: str) -> str | None:
        """The installed version of a distribution, or ``None`` where it is absent or not known."""
        return (self.facts.packages or {}).get(name)

    def symptom(self, *ids: str) -> tuple[tuple[int, str], ...]:
        """(index, text) of the symptoms seen with one of these ids."""
        symptoms = self.facts.symptoms
        return tuple([(i, s.text or "") for i, s in enumerate(symptoms) if s.id in ids]) if symptoms else ()


def _shown(value: Any) -> str:
    if isinstance(value, tuple | list):
        return " ".join(_shown(v) for v in value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(getattr(value, "text", None) or getattr(value, "name", None) or value)
