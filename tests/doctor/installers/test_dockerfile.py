from __future__ import annotations

from collections.abc import Callable

import pytest
from torchdoctor.installers import Target, dockerfile
from torchdoctor.installers.target import Style
from torchdoctor.quote import QuoteError

Make = Callable[..., Target]


def test_one_instruction_with_a_cache_that_any_user_can_write(target: Make) -> None:
    # Wherever the command is printed, the shell is that of the image.
    text = dockerfile.render((target("2.14.1", "cu126"),), Style(shell="powershell"))
    first, second = text.split("\n")
    assert first.startswith("RUN --mount=type=cache,") and "mode=1777" in first and first.endswith(" \\")
    assert second.strip() == (
        "PIP_CACHE_DIR=/var/cache/pip pip install torch==2.14.1 --index-url https://download.pytorch.org/whl/cu126"
    )


def test_a_newline_would_begin_another_instruction(target: Make) -> None:
    with pytest.raises(QuoteError):
        dockerfile.render((target("2.14.1", "cu126"),), Style(python="/a\nUSER root"))


def test_what_is_left_out(target: Make) -> None:
    assert "Alpine" in dockerfile.leaves_out(target("2.14.1", "cpu").recommendation)
