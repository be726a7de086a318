"""Answers about one machine, kept while that machine is judged: every build of every release asks for the same few."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from torchdoctor.probes.facts import Facts

__all__ = ["once_a_machine"]

_Args = ParamSpec("_Args")
_Answer = TypeVar("_Answer")


def once_a_machine(ask: Callable[Concatenate[Facts, _Args], _Answer]) -> Callable[Concatenate[Facts, _Args], _Answer]:
    """Ask once for each combination of the further arguments (hashable, by position) as long as the facts are the same
    object. Only the machine asked about last is remembered, so nothing grows with the number of machines.
    """
    held: tuple[Facts | None, dict[tuple[object, ...], _Answer]] = (None, {})

    @wraps(ask)
    def answer(facts: Facts, *args: _Args.args, **named: _Args.kwargs) -> _Answer:
        nonlocal held
        machine, known = held
        if machine is not facts:
            known = {}
            held = (facts, known)
        if args not in known:
            known[args] = ask(facts, *args, **named)
        return known[args]

    return answer
