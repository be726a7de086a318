"""How texts are searched: for plain words first, then with regular expressions that are compiled when a text needs them.

The readers of pasted text hold hundreds, and one report needs a few dozen: compiling all of them took longer than reading.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

__all__ = ["holds", "regex"]


def holds(text: str, words: tuple[str, ...]) -> bool:
    """Whether one of the words occurs: what ``any`` would say, in half the time, for what every line is asked."""
    for word in words:  # noqa: SIM110 - see above
        if word in text:
            return True
    return False


if TYPE_CHECKING:

    def regex(source: str, flags: int = 0) -> re.Pattern[str]:
        """``re.compile(source, flags)``, put off."""

else:

    class regex:
        """``re.compile(source, flags)``, put off. An error in ``source`` shows at first use (a test compiles them all)."""

        # One slot a method: once set, it is found without a call.
        __slots__ = ("_flags", "_source", "findall", "finditer", "fullmatch", "match", "search", "split", "sub", "subn")

        def __init__(self, source: str, flags: int = 0) -> None:
            self._source, self._flags = source, flags

        def __getattr__(self, name: str) -> Any:
            if name.startswith("__"):
                raise AttributeError(name)
            compiled = re.compile(self._source, self._flags)
            for method in regex.__slots__[2:]:
                setattr(self, method, getattr(compiled, method))
            return getattr(compiled, name)

        def __reduce__(self) -> tuple[Any, ...]:
            return regex, (self._source, self._flags)
