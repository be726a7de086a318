"""Answers about one machine, kept while that machine is judged: every build of every release asks for the same few."""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from typing import Any, TypeVar, cast

from torchdoctor.probes.facts import Facts

__all__ = ["once_a_machine"]

_Ask = TypeVar("_Ask", bound=Callable[..., Any])


def once_a_machine(ask: _Ask) -> _Ask:
    """Ask once for each combination of the further arguments (hashable, by position) as long as the facts are the same
    object. Only the machine asked about last is remembered, so nothing grows with the number of machines.
    """
    held: tuple[Facts | None, dict[tuple[Any, ...], Any]] = (None, {})

    def answer(facts: Facts, *args: Any) -> Any:
        nonlocal held
        machine, known = held
        if machine is not facts:
            known = {}
            held = (facts, known)
        if args not in known:
            known[args] = ask(facts, *args)
        return known[args]

    return cast(_Ask, update_wrapper(answer, ask))
