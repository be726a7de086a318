from __future__ import annotations

import copy
import dataclasses
import pickle
from dataclasses import field
from typing import Any

import pytest
from torchdoctor.probes.facts import Facts, Gpu
from torchdoctor.probes.frozen import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """A record with every kind of default."""

    name: str
    memory: int | None = None
    tags: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Point:
    x: int
    y: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Single:
    value: str = "v"


def test_fields_take_what_is_given_and_their_defaults() -> None:
    card = Card(name="A")
    assert (card.name, card.memory, card.tags) == ("A", None, [])
    assert card.tags is not Card(name="B").tags
    assert Point(1) == Point(x=1, y=0) == Point(1, 0)
    assert Single().value == "v"


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda make: make(Card), "'name'"),
        (lambda make: make(Card, name="A", memori=1), "memori"),
        (lambda make: make(Card, "A"), "by position"),
        (lambda make: make(Point, 1, 2, 3), "by position"),
        (lambda make: make(Point, 1, x=2), "by position"),
    ],
)
def test_wrong_arguments_are_named(make: Any, words: str) -> None:
    with pytest.raises(TypeError, match=words):
        make(lambda kind, *places, **given: kind(*places, **given))


def test_nothing_changes_afterwards() -> None:
    card: Any = Card(name="A")
    with pytest.raises(dataclasses.FrozenInstanceError):
        card.name = "B"
    with pytest.raises(dataclasses.FrozenInstanceError):
        card.new = 1
    with pytest.raises(dataclasses.FrozenInstanceError):
        del card.name
    assert not hasattr(card, "__dict__")


def test_values_make_equality_hash_and_text() -> None:
    assert Point(1, 2) == Point(1, 2) != Point(2, 1)
    other: object = Point(1)
    assert Single() != other
    assert {Point(1, 2): "a"}[Point(1, 2)] == "a"
    assert hash(Single()) == hash(Single(value="v")) != hash(Single(value="w"))
    assert repr(Card(name="A", tags=["x"])) == "Card(name='A', memory=None, tags=['x'])"
    with pytest.raises(TypeError, match="unhashable"):
        hash(Card(name="A"))


def test_dataclasses_works_on_them() -> None:
    card = Card(name="A", tags=["x"])
    assert [f.name for f in dataclasses.fields(Card)] == ["name", "memory", "tags"]
    assert dataclasses.replace(card, memory=8) == Card(name="A", memory=8, tags=["x"])
    assert dataclasses.asdict(card) == {"name": "A", "memory": None, "tags": ["x"]}
    assert dataclasses.is_dataclass(card)


def test_copies_and_pickles_are_equal() -> None:
    facts = Facts(gpus=(Gpu(vendor="nvidia", memory=1),), packages={"torch": "2.8.0"})
    assert copy.copy(facts) == copy.deepcopy(facts) == pickle.loads(pickle.dumps(facts)) == facts


def test_patterns_match_by_place() -> None:
    match Point(1, 2):
        case Point(x, y):
            assert (x, y) == (1, 2)
        case _:
            pytest.fail("no match")


@dataclass(frozen=True, slots=True)
class Often:
    x: int
    y: int = 0
    tags: list[str] = field(default_factory=list)

    def __hash__(self) -> int:
        return self.x


def test_a_class_that_is_made_often_is_made_the_same_way() -> None:
    first = [Often(n, tags=["a"]) for n in range(60)]
    later = [Often(n, tags=["a"]) for n in range(60)]
    assert first == later
    assert Often.__init__.__code__.co_varnames[1:] == ("x", "y", "tags"), "written by now"
    assert Often(1).tags == [] and Often(1).tags is not Often(1).tags
    assert Often(1, 2) == Often(x=1, y=2) != Often(1)
    made: Any = Often
    for wrong in ({}, {"x": 1, "z": 2}):
        with pytest.raises(TypeError, match=r"'[xz]'"):
            made(**wrong)
    with pytest.raises(TypeError):
        made(1, 2, [], 3)


def test_a_hash_of_its_own_stays() -> None:
    assert hash(Often(7, 1)) == 7
