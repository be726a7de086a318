"""Print a copy-and-paste line of README: the code block after the comment ``<!-- NAME -->``."""

from __future__ import annotations

import re
import sys
from pathlib import Path

text = (Path(__file__).resolve().parent.parent / "README.md").read_text(encoding="utf-8")
found = re.search(rf"<!-- {re.escape(sys.argv[1])} -->\n```[a-z]*\n(.+)\n```", text)
if not found:
    sys.exit(f"README.md: no one-line block after <!-- {sys.argv[1]} -->")
print(found[1])
