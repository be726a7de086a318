"""The machine profile: facts to plain data and back, with one clear line for each fault.

Read by ``--machine FILE`` (JSON or TOML) and printed as ``facts`` in a report.
"""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any

from torchdoctor.probes import facts as shapes
from torchdoctor.probes.facts import Facts

__all__ = [
    "ProfileError",
    "facts_from_mapping",
    "facts_from_text",
    "facts_to_mapping",
    "normal_machine",
    "read_json",
    "read_toml",
]

_MACHINES = {
    "amd64": "x86_64", "x64": "x86_64", "x86-64": "x86_64", "arm64": "aarch64", "armv8l": "armv7l", "i386": "i686",
    "i586": "i686", "x86": "i686", "armv6l": "armv7l", "arm64e": "aarch64", "aarch64_be": "aarch64_be",
}  # fmt: skip
_OS = {"darwin": "macos", "osx": "macos", "mac": "macos", "win32": "windows", "win": "windows"}
_BESIDE = ("sources", "unknown")  # siblings of ``facts`` in a report, not part of the profile


class ProfileError(ValueError):
    """A profile that cannot be read. The text names the key and what was expected."""


def normal_machine(name: str) -> str:
    """``amd64`` → ``x86_64``, ``arm64`` → ``aarch64``: the names used in facts."""
    low = name.strip().lower()
    return _MACHINES.get(low, low)


def facts_to_mapping(facts: Facts, text: Callable[[str], str] | None = None) -> dict[str, Any]:
    """The profile as plain data in a fixed key order, nulls included; every text in it as ``text`` makes it."""
    plain: dict[str, Any] = {}
    for name in _fields(Facts):
        if name not in _BESIDE:
            plain[name] = _plain(getattr(facts, name), text)
    return plain


def _plain(value: Any, text: Callable[[str], str] | None) -> Any:
    kind: type = type(value)
    if kind is str:
        return value if text is None else text(value)
    if kind in _LEAVES:
        return value
    if kind is tuple:
        return [_plain(v, text) for v in value]
    if kind is dict or isinstance(value, Mapping):
        return {k: _plain(v, text) for k, v in sorted(value.items())}
    return {name: None if (held := getattr(value, name)) is None else _plain(held, text) for name in _fields(kind)}


_LEAVES = frozenset({int, bool, type(None)})


def read_json(text: str) -> Any:
    """A JSON document as plain data. Raises ``ValueError`` for what is none, or names a key twice in one object."""
    try:
        return json.loads(text, object_pairs_hook=_once)
    except json.JSONDecodeError as error:
        raise ValueError(f"line {error.lineno} column {error.colno}: {error.msg}") from None
    except RecursionError:
        raise ValueError("nested too deeply") from None
    except _TwiceError:
        raise
    except ValueError:  # the interpreter's own limit
        raise ValueError("a number has too many digits") from None


class _TwiceError(ValueError):
    pass


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise _TwiceError(f"{twice[:60]!r} is given twice")
    return found


def read_toml(text: str) -> dict[str, Any]:
    """A TOML document as plain data. Raises ``ValueError`` for what is none."""
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib

    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    except tomllib.TOMLDecodeError:
        raise
    except ValueError:  # the interpreter's own limit
        raise ValueError("a number has too many digits") from None


def facts_from_text(text: str, name: str, *, toml: bool) -> tuple[Facts, list[str]]:
    """Facts of a profile file and the warnings about keys nobody knows. Raises :class:`ProfileError`."""
    if toml:
        try:
            data: Any = read_toml(text)
        except ValueError as error:
            raise ProfileError(f"{name}: not valid TOML: {error}") from None
    else:
        try:
            data = read_json(text)
        except ValueError as error:
            raise ProfileError(f"{name}: not valid JSON: {error}") from None
    warnings: list[str] = []
    try:
        return facts_from_mapping(data, warnings=warnings), [f"{name}: {w}" for w in warnings]
    except ProfileError as error:
        raise ProfileError(f"{name}: {error}") from None


def facts_from_mapping(data: Any, *, warnings: list[str] | None = None) -> Facts:
    """Facts from plain data. Unknown keys go to ``warnings``; a wrong type raises :class:`ProfileError`."""
    if not isinstance(data, Mapping):
        raise ProfileError(f"expected an object of facts, found {_kind(data)}")
    built = _build(Facts, data, "", warnings if warnings is not None else [], skip=_BESIDE)
    assert isinstance(built, Facts)
    return _normal(built)


@cache
def _fields(cls: type) -> dict[str, str]:
    return {f.name: str(f.type) for f in dataclasses.fields(cls)}


def _build(cls: type, data: Mapping[str, Any], path: str, warnings: list[str], skip: Iterable[str] = ()) -> Any:
    known = _fields(cls)
    values: dict[str, Any] = {}
    for key, value in data.items():
        if key not in known or key in skip:
            if key not in skip:
                from difflib import get_close_matches

                near = get_close_matches(str(key), known, n=1)
                warnings.append(f"unknown key {path}{key}" + (f" (nearest known: {path}{near[0]})" if near else ""))
            continue
        kind = known[key]
        if type(value) is _LEAF_TYPES.get(kind):
            values[key] = value
        elif value is not None:
            values[key] = _convert(kind, value, f"{path}{key}", warnings)
    return cls(**values)


_LEAF_TYPES = {"str": str, "int": int, "bool": bool, "str | None": str, "int | None": int, "bool | None": bool}


def _convert(kind: str, value: Any, path: str, warnings: list[str]) -> Any:
    base = kind.removesuffix(" | None")
    if base in ("str", "int", "bool"):
        return _leaf(base, value, path)
    if base == "tuple[str, ...]":
        return tuple(_leaf("str", v, f"{path}[{i}]") for i, v in enumerate(_list(value, path)))
    if base.startswith("tuple["):
        cls = getattr(shapes, base[len("tuple[") : -len(", ...]")])
        return tuple(
            _build(cls, _object(v, f"{path}[{i}]"), f"{path}[{i}].", warnings) for i, v in enumerate(_list(value, path))
        )
    if base == "Mapping[str, str]":
        return {str(k): _leaf("str", v, f"{path}.{k}") for k, v in _object(value, path).items() if v is not None}
    if base.startswith("Mapping[str, "):
        cls = getattr(shapes, base[len("Mapping[str, ") : -1])
        return {
            str(k): _build(cls, _object(v, f"{path}.{k}"), f"{path}.{k}.", warnings)
            for k, v in _object(value, path).items()
        }
    return _build(getattr(shapes, base), _object(value, path), f"{path}.", warnings)


def _leaf(kind: str, value: Any, path: str) -> Any:
    if kind == "bool":
        if isinstance(value, bool):
            return value
    elif kind == "int":
        if isinstance(value, int) and not isinstance(value, bool):
            return value
        if isinstance(value, float) and value.is_integer():
            return int(value)
    elif isinstance(value, str):
        return value
    raise ProfileError(f"{path}: expected {_NAMES[kind]}, found {_kind(value)}")


_NAMES = {"str": "a string", "int": "a whole number", "bool": "true or false"}


def _list(value: Any, path: str) -> list[Any]:
    if isinstance(value, list | tuple):
        return list(value)
    raise ProfileError(f"{path}: expected a list, found {_kind(value)}")


def _object(value: Any, path: str) -> Mapping[str, Any]:
    if isinstance(value, Mapping):
        return value
    raise ProfileError(f"{path}: expected an object, found {_kind(value)}")


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "true or false"
    names = {str: "a string", int: "a number", float: "a number", list: "a list", dict: "an object", type(None): "null"}
    shown = names.get(type(value), type(value).__name__)
    return f"{shown} ({value!r})" if isinstance(value, str | int | float) and len(repr(value)) < 60 else shown


def _normal(facts: Facts) -> Facts:
    """Spellings that mean the same are read as the one the matrix uses."""
    system, python = facts.system, facts.python
    if system.machine or system.os:
        os = system.os.lower() if system.os else None
        os, machine = _OS.get(os, os) if os else os, system.machine and normal_machine(system.machine)
        if (os, machine) != (system.os, system.machine):
            system = dataclasses.replace(system, os=os, machine=machine)
    changes: dict[str, Any] = {}
    if python.machine:
        changes["machine"] = normal_machine(python.machine)
    if python.implementation:
        changes["implementation"] = python.implementation.lower()
    if python.version and python.version.endswith("t") and python.version[:1].isdigit():
        changes["version"] = python.version[:-1]
        changes["free_threaded"] = True if python.free_threaded is None else python.free_threaded
    if changes:
        python = dataclasses.replace(python, **changes)
    if system is facts.system and python is facts.python:
        return facts
    return facts.replace(system=system, python=python)
