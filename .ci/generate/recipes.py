#!/usr/bin/env python3
"""Put the files of docs/recipes/ into docs/recipes.md, each below the line that names it.

Run without arguments to write the page, with ``--check`` to fail where it is out of date.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = DOCS / "recipes.md"
BLOCK = re.compile(r"<!-- ([\w./-]+) -->\n```(\w+)\n.*?^```$", re.M | re.S)


def filled(text: str) -> str:
    """The page with every named file as it is now."""
    return BLOCK.sub(lambda m: f"<!-- {m[1]} -->\n```{m[2]}\n{(DOCS / m[1]).read_text(encoding='utf-8')}```", text)


def main() -> int:
    """Write the page, or compare it."""
    text = PAGE.read_text(encoding="utf-8")
    if text == filled(text):
        return 0
    if "--check" in sys.argv[1:]:
        print(f"{PAGE.name} is out of date: run {Path(__file__).name}", file=sys.stderr)
        return 1
    PAGE.write_text(filled(text), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
