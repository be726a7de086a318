"""Trees of distributions: ``uv tree``, ``pipdeptree`` and ``pdm list --tree``, which show what is resolved or installed here."""

from __future__ import annotations

from torchdoctor.probes.patterns import regex
from torchdoctor.probes.reports import values
from torchdoctor.probes.reports.packages import canonical, put_package
from torchdoctor.probes.reports.reading import PRINTED, Reading
from torchdoctor.probes.reports.torch_words import put_torch

__all__ = ["read_package_tree"]

# uv writes v2.9.1, pipdeptree [required: …, installed: 2.9.1], pdm 2.9.1 [ required: … ].
_BRANCH = regex(
    r"^[\s│|]{0,120}(?:[├└+`|]?[─-]{1,3}) ?([A-Za-z][\w.-]{0,80})(?:\[[\w, .-]{1,400}\])? "
    r"(?:v(\d{1,6}\.[\w.+!-]{1,60})|\[required: [^\]]{1,120}, installed: (\d[\w.+!-]{0,60})\]|(\d[\w.+!-]{0,60}) \[ required: )"
)


def read_package_tree(reading: Reading) -> None:
    """The distributions on the branches of a tree. ``uv tree --universal`` shows other systems' branches too: left alone."""
    if not reading.has("── ", "-- ", ", installed: ") or reading.has("--universal"):
        return
    seen = 0
    for index, line in enumerate(reading.lines):
        if "─" not in line and "-" not in line[:120]:
            continue
        match = _BRANCH.match(line[:1000])
        if match is None:
            continue
        name, version = canonical(match[1]), match[2] or match[3] or match[4]
        seen += 1
        put_package(reading, name, version, index, PRINTED)
        if name == "torch" and (parsed := values.parse_torch(version)):
            put_torch(reading, index, parsed, PRINTED)
        reading.taken.add(index)
    if seen >= 2:
        reading.saw("package_tree", 10)
