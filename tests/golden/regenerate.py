"""Write the golden outputs anew: ``python tests/golden/regenerate.py``, then look at the diff.

Each machine of ``tests/hosts/profiles`` is judged and shown in every format, so that a change of layout or of an answer
shows in review. The version of the tool is left out, and of a page the constant style and script.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
PROFILES = HERE.parent / "hosts" / "profiles"
FORMATS = ("txt", "ansi", "md", "html", "github")


def machines() -> list[str]:
    """The names of the machines, in order."""
    return sorted(p.stem for p in PROFILES.glob("*.json"))


def report_of(machine: str) -> dict[str, Any]:
    """The report document on one machine."""
    from torchdoctor import api

    facts, _ = api.read_machine(str(PROFILES / f"{machine}.json"))
    report = api.judged(facts, ("machine", f"{machine}.json"), api.Options()).to_dict()
    report["tool"]["version"] = "0.0.0"
    return report


def outputs(machine: str) -> Iterator[tuple[str, str]]:
    """(format, text) of one machine in every format."""
    from torchdoctor.render.github import render_github
    from torchdoctor.render.html import render_html
    from torchdoctor.render.markdown import render_markdown
    from torchdoctor.render.text import render_text

    report = report_of(machine)
    yield "txt", render_text(report, width=80)
    yield "ansi", render_text(report, width=80, color=True)
    yield "md", render_markdown(report)
    yield "html", re.sub(r"<(style|script)>.*?</\1>", r"<\1>…</\1>", render_html(report), flags=re.DOTALL)
    yield "github", render_github(report)


def main() -> int:
    """Write every file; name those that changed."""
    wanted = set()
    for machine in machines():
        for form, text in outputs(machine):
            file = HERE / form / f"{machine}.{form}"
            wanted.add(file)
            if not file.exists() or file.read_text(encoding="utf-8") != text:
                file.parent.mkdir(exist_ok=True)
                file.write_text(text, encoding="utf-8", newline="\n")
                print(f"changed: {file.relative_to(HERE)}")
    for form in FORMATS:
        for file in (HERE / form).glob("*"):
            if file not in wanted:
                file.unlink()
                print(f"gone: {file.relative_to(HERE)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
