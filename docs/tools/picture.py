"""Draw a real run as the README's picture: ``python docs/tools/picture.py`` writes ``docs/images/run.svg``."""

from __future__ import annotations

import io
import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
MACHINE = ROOT / "tests" / "hosts" / "profiles" / "driver-too-old.json"
PICTURE = ROOT / "docs" / "images" / "run.svg"
_WIDTH = 98


def picture() -> str:
    """The SVG, the same bytes for the same report; its fonts are those of the reader's machine."""
    from rich.console import Console
    from rich.text import Text
    from torchdoctor import api
    from torchdoctor.render.text import STYLES, text_spans

    facts, _ = api.read_machine(str(MACHINE))
    report = api.judged(facts, ("machine", MACHINE.name), api.Options()).to_dict()
    console = Console(record=True, width=_WIDTH, file=io.StringIO(), force_terminal=True, highlight=False)
    console.print(Text("$ torchdoctor", style="bold"))
    for spans in text_spans(report, width=_WIDTH):
        line = Text()
        for text, style in spans:
            line.append(text, style=STYLES[style][1])
        console.print(line, soft_wrap=True)
    svg = console.export_svg(title="torchdoctor", unique_id="run")
    return re.sub(r"@font-face \{[^}]*\}\s*", "", svg)  # nothing is fetched from elsewhere


def main() -> int:
    """Write the picture."""
    PICTURE.parent.mkdir(exist_ok=True)
    PICTURE.write_text(picture(), encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
