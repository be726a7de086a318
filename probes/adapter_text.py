"""What the commands of Windows print of its display adapters: lists, tables, csv and JSON, as rows of text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from torchdoctor.probes.registry_text import parse_blocks

__all__ = ["adapter_rows"]

# pnputil and dxdiag: whether the label begins an adapter, and the property that it is called elsewhere.
_LABELS = {
    "Instance ID": (True, "PNPDeviceID"), "Device Description": (False, "Name"),
    "Card name": (True, "Name"), "Device Key": (False, "PNPDeviceID"), "Driver Version": (False, "DriverVersion"),
}  # fmt: skip
_MOST = 64  # adapters, and lines of a table


def adapter_rows(argv: Sequence[str], text: str) -> list[dict[str, str]]:
    """One row for each ``Win32_VideoController`` that ``wmic``, PowerShell, ``pnputil`` or ``dxdiag`` printed, by property.

    Empty where ``argv`` asked for something else or nothing was printed in a form that is known.
    """
    asked = " ".join(argv).lower()
    if ("pnputil" in asked and "display" in asked) or "dxdiag" in asked:
        return list(_of_labels(text))
    if "win32_videocontroller" not in asked:
        return []
    text = text.lstrip("\ufeff").strip()
    if text[:1] in ("[", "{"):
        return list(_of_json(text))
    lines = [line.rstrip() for line in text.splitlines() if line.strip()][:_MOST]
    if "-expandproperty name" in asked:
        return [{"Name": line.strip()} for line in lines]
    blocks = [block for block in parse_blocks(text) if block.get("Name") or block.get("PNPDeviceID")]
    if blocks or not lines:
        return blocks
    heads = re.findall(r"[^\s,\"]{1,64}", lines[0])
    if "Name" not in heads and "Caption" not in heads and "Description" not in heads:
        return []
    return list(_of_csv(lines) if "," in lines[0] or lines[0].startswith('"') else _of_table(lines))


def _of_json(text: str) -> Iterator[dict[str, str]]:
    import json

    try:
        rows = json.loads(text)
    except (ValueError, RecursionError):
        return
    for row in (rows if isinstance(rows, list) else [rows])[:_MOST]:
        if isinstance(row, dict):
            yield {key: value for key, value in row.items() if isinstance(value, str)}


def _of_csv(lines: list[str]) -> Iterator[dict[str, str]]:
    import csv

    try:
        for row in csv.DictReader(lines):
            yield {key: value.strip() for key, value in row.items() if key and isinstance(value, str)}
    except csv.Error:
        return


def _of_table(lines: list[str]) -> Iterator[dict[str, str]]:
    """Columns begin where their headings do; PowerShell underlines them and cuts what is too long."""
    starts = [(match[0], match.start()) for match in re.finditer(r"\S{1,64}", lines[0])]
    ends = [start for _, start in starts[1:]] + [None]
    for line in lines[1:]:
        if set(line) <= {"-", " "}:
            continue
        row = {head: line[start:end].strip() for (head, start), end in zip(starts, ends, strict=True)}
        yield {head: value for head, value in row.items() if not value.endswith(("...", "…"))}


def _of_labels(text: str) -> Iterator[dict[str, str]]:
    row: dict[str, str] = {}
    for line in text.splitlines():
        label, _, value = line[:1000].partition(":")
        first, key = _LABELS.get(label.strip(), (False, ""))
        if first and row:
            yield row
            row = {}
        if key and (row or first):
            row.setdefault(key, value.strip())
    if row:
        yield row
