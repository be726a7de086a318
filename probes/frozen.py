"""``dataclass`` without generated code, for the many records that every run imports.

:func:`dataclasses.dataclass` writes and compiles six methods for each class, a millisecond a piece; that alone was a
fourth of a whole run. Here the methods are closures over the fields. Everything of :mod:`dataclasses` that works on a
class made there (``fields``, ``replace``, ``asdict``) works on one made here.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar

__all__ = ["dataclass"]

_Class = TypeVar("_Class", bound=type)

_OFTEN = 64
"""From so many objects on, a class is worth a written method: writing it takes as long as making so many without."""

if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(*, frozen: bool, slots: bool, kw_only: bool = False) -> Callable[[_Class], _Class]:
        """A frozen, slotted data class; no other kind is made here."""
        assert frozen and slots
        return lambda plain: _made(plain, kw_only)


def _made(plain: _Class, kw_only: bool) -> _Class:
    # Without a text of its own, dataclasses would spell out the signature: as dear as the class.
    plain.__doc__ = plain.__doc__ or plain.__name__
    make = dataclasses.dataclass(init=False, repr=False, eq=False, slots=True, kw_only=kw_only)
    made: Any = make(plain)
    fields = dataclasses.fields(made)
    names = tuple(f.name for f in fields)
    setters = [(f.name, made.__dict__[f.name].__set__) for f in fields]
    count = len(fields)
    defaults = {f.name: f.default for f in fields if f.default is not dataclasses.MISSING}
    factories: Any = [(f.name, f.default_factory) for f in fields if f.default_factory is not dataclasses.MISSING]
    values = attrgetter(*names) if len(names) > 1 else lambda self: (getattr(self, names[0]),)

    made_before = 0

    def __init__(self: Any, *places: Any, **given: Any) -> None:
        nonlocal made_before
        made_before += 1
        if made_before == _OFTEN:
            made.__init__ = _written(fields, dict(setters), kw_only)
        if places:
            if kw_only or len(places) > len(names) or not given.keys().isdisjoint(names[: len(places)]):
                raise TypeError(f"{made.__name__}() got too many arguments by position")
            given.update(zip(names, places, strict=False))
        if len(given) != count:
            given = {**defaults, **given}
            for name, factory in factories:
                if name not in given:
                    given[name] = factory()
        try:
            for name, put in setters:
                put(self, given[name])
        except KeyError:
            raise TypeError(f"{made.__name__}() misses the argument {name!r}") from None
        if len(given) != count:
            unknown = ", ".join(sorted(given.keys() - set(names)))
            raise TypeError(f"{made.__name__}() got unexpected arguments: {unknown}")

    def __repr__(self: Any) -> str:
        return f"{made.__qualname__}({', '.join(f'{n}={getattr(self, n)!r}' for n in names)})"

    def __eq__(self: Any, other: object) -> Any:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return values(self) == values(other)

    def __hash__(self: Any) -> int:
        return hash(values(self))

    def __setstate__(self: Any, state: tuple[Any, ...]) -> None:
        for (_, put), value in zip(setters, state, strict=True):
            put(self, value)

    for method in (__init__, __repr__, __eq__, __hash__, __setstate__):
        if method.__name__ not in plain.__dict__ or method is __init__:
            setattr(made, method.__name__, method)
    made.__getstate__ = lambda self: values(self)
    made.__setattr__ = _refuse_set
    made.__delattr__ = _refuse_delete
    result: _Class = made
    return result


def _written(fields: tuple[dataclasses.Field[Any], ...], setters: dict[str, Any], kw_only: bool) -> Any:
    """An ``__init__`` as a person would write it, for a class that turns out to be made often."""
    scope: dict[str, Any] = {"UNSET": dataclasses.MISSING}
    places, lines = [], []
    for field in fields:
        name = field.name
        scope[f"put_{name}"] = setters[name]
        place, value = name, name
        if field.default is not dataclasses.MISSING:
            scope[f"default_{name}"] = field.default
            place = f"{name}=default_{name}"
        elif field.default_factory is not dataclasses.MISSING:
            scope[f"make_{name}"] = field.default_factory
            place, value = f"{name}=UNSET", f"make_{name}() if {name} is UNSET else {name}"
        places.append(place)
        lines.append(f"    put_{name}(self, {value})")
    star = "*, " if kw_only else ""
    exec(f"def __init__(self, {star}{', '.join(places)}):\n" + "\n".join(lines), scope)
    return scope["__init__"]


def _refuse_set(self: object, name: str, value: object) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_delete(self: object, name: str) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")
