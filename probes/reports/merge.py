"""One list of GPUs from what several parts of a paste say about them."""

from __future__ import annotations

import re
from typing import Any

from torchdoctor.probes.reports.reading import CLAIMED, GpuList, Reading

__all__ = ["merge_gpus"]

_NOISE = re.compile(r"\b(?:nvidia|geforce|amd|intel|corporation|graphics|gpu|tm|r|laptop|mobile)\b|[^a-z0-9]+")


def merge_gpus(reading: Reading) -> None:
    """Puts the GPUs into the draft: a vendor's best-ranked list, with what the others add to the same cards."""
    for vendor in ("nvidia", "amd", "intel", "apple"):
        lists = [_only(rows, vendor) for rows in reading.gpu_lists]
        lists = sorted((rows for rows in lists if rows.gpus), key=lambda rows: (-rows.rank, -len(rows.gpus)))
        if not lists:
            continue
        base = lists[0]
        cards = [(dict(fields), source) for fields, source in base.gpus]
        for other in lists[1:]:
            _enrich(cards, other, base)
        for fields, source in cards:
            reading.draft.gpu(source, **{k: v for k, v in fields.items() if v is not None})


def _only(rows: GpuList, vendor: str) -> GpuList:
    return GpuList(rows.rank, rows.complete, [row for row in rows.gpus if row[0].get("vendor") == vendor])


def _key(fields: dict[str, Any]) -> str:
    return _NOISE.sub("", str(fields.get("name", "")).lower())


def _same(a: dict[str, Any], b: dict[str, Any]) -> bool:
    """Whether two descriptions can be of one model: what both know agrees."""
    for path in ("gfx", "compute_capability", "pci_id"):
        if a.get(path) and b.get(path) and a[path] != b[path]:
            return False
    one, two = _key(a), _key(b)
    if not one or not two:
        return True
    return one in two or two in one


def _enrich(cards: list[tuple[dict[str, Any], str]], other: GpuList, base: GpuList) -> None:
    counts: dict[str, int] = {}
    for fields, source in other.gpus:
        key = _key(fields) or str(fields.get("gfx") or fields.get("pci_id") or "")
        matches = [card for card, _ in cards if _same(card, fields)]
        if matches:
            first = matches[min(counts.get(key, 0), len(matches) - 1)]
            named = bool(_key(fields))
            # without a name it describes a card only where there is one model to describe
            if named or len({_key(c) for c, _ in cards}) == 1:
                for card in matches if named and len(matches) > 1 else [first]:
                    for path, value in fields.items():
                        if card.get(path) is None:
                            card[path] = value
            counts[key] = counts.get(key, 0) + 1
            if counts[key] <= len(matches) or base.complete or other.rank <= CLAIMED:
                continue
            if named:
                cards.append((dict(fields), source))
        elif not base.complete and (other.rank >= base.rank - 8 or fields.get("gfx") or fields.get("pci_id")):
            if _key(fields) or not any(_key(c) for c, _ in cards) or fields.get("gfx"):
                cards.append((dict(fields), source))
