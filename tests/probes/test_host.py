from __future__ import annotations

import pytest
from torchdoctor.probes.host import ABSENT, DENIED, FAILED, TIMEOUT, UNRECORDED, Answer


def test_an_answer_with_a_value_is_ok() -> None:
    answer = Answer(b"text")
    assert (answer.ok, answer.absent, answer.value) == (True, False, b"text")


@pytest.mark.parametrize(
    ("status", "absent"), [(ABSENT, True), (DENIED, False), (UNRECORDED, False), (TIMEOUT, False), (FAILED, False)]
)
def test_only_absent_proves_that_nothing_is_there(status: str, absent: bool) -> None:
    answer: Answer[bytes] = Answer(status=status)
    assert (answer.ok, answer.absent, answer.value) == (False, absent, None)
