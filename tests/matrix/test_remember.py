from __future__ import annotations

from torchdoctor.matrix.remember import once_a_machine
from torchdoctor.probes.facts import Facts


def test_each_question_is_asked_once_a_machine() -> None:
    asked: list[tuple[int, str, int]] = []

    @once_a_machine
    def answer(facts: Facts, word: str, number: int = 0) -> str:
        asked.append((id(facts), word, number))
        return f"{word}{number}"

    one, other = Facts(), Facts()
    assert [answer(one, "a", 1), answer(one, "a", 1), answer(one, "b", 1)] == ["a1", "a1", "b1"]
    assert [a[1:] for a in asked] == [("a", 1), ("b", 1)]
    assert answer(other, "a", 1) == "a1"
    assert asked[-1] == (id(other), "a", 1), "equal facts of another machine are another machine"
    answer(one, "a", 1)
    assert len(asked) == 4, "only the last machine is remembered"
