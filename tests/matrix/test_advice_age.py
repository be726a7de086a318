from __future__ import annotations

from collections.abc import Callable

import pytest
from torchdoctor.matrix.case import Asked
from torchdoctor.matrix.catalog import Catalog
from torchdoctor.matrix.judge import judge
from torchdoctor.probes.facts import Facts


@pytest.mark.parametrize(("days", "said"), [(None, False), (0, False), (90, False), (91, True)])
def test_old_data_says_so(catalog: Catalog, machine: Callable[..., Facts], days: int | None, said: bool) -> None:
    verdict = judge(machine(), Asked(data_age=days), catalog=catalog).verdict
    assert verdict.status == "ok"
    assert ("matrix-old" in {f.id for f in verdict.findings}) is said
