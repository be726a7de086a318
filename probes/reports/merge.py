"""One list of GPUs from what several parts of a paste say about them."""

from __future__ import annotations

from typing import Any

from torchdoctor.probes.patterns import regex
from torchdoctor.probes.reports.reading import CLAIMED, GpuList, Reading

__all__ = ["merge_gpus"]

_MOST = 200  # readings of one vendor's GPUs: no real paste has more

Card = dict[str, Any]

_NOISE = regex(r"\b(?:nvidia|geforce|amd|radeon|intel|corporation|graphics|gpu|tm|r|laptop|mobile)\b|[^a-z0-9]+")


def merge_gpus(reading: Reading) -> None:
    """Puts the GPUs into the draft: a vendor's best-ranked list, with what the others add to the same cards."""
    for vendor in ("nvidia", "amd", "intel", "apple"):
        lists = [_only(rows, vendor) for rows in reading.gpu_lists]
        lists = sorted((rows for rows in lists if rows.gpus), key=lambda rows: (-rows.rank, -len(rows.gpus)))
        if not lists:
            continue
        lists = lists[:_MOST]
        base = lists[0]
        cards = [(dict(fields), source) for fields, source in base.gpus]
        for other in lists[1:]:
            _enrich(cards, other, base)
        for fields, source in cards:
            reading.draft.gpu(source, **{k: v for k, v in fields.items() if v is not None})


def _only(rows: GpuList, vendor: str) -> GpuList:
    return GpuList(rows.rank, rows.complete, [row for row in rows.gpus if row[0].get("vendor") == vendor][:_MOST])


def _key(fields: Card) -> str:
    return _NOISE.sub("", str(fields.get("name", "")).lower())


def _agree(a: Card, b: Card) -> bool:
    """Whether two descriptions can be of one model: what both know is the same."""
    return all(not (a.get(p) and b.get(p) and a[p] != b[p]) for p in ("gfx", "compute_capability", "pci_id"))


def _matching(cards: list[tuple[Card, str]], fields: Card) -> list[Card]:
    """The cards that ``fields`` may describe: those of that name, else the nameless ones, else the only model there is."""
    able = [card for card, _ in cards if _agree(card, fields)]
    key = _key(fields)
    if key:
        named = [c for c in able if _key(c) and (_key(c) in key or key in _key(c))]
        return named or [c for c in able if not c.get("name")]
    identified = [
        c for c in able if any(c.get(p) and c.get(p) == fields.get(p) for p in ("gfx", "compute_capability", "pci_id"))
    ]
    if identified:
        return identified
    open_ = [c for c in able if not any(c.get(p) for p in ("gfx", "compute_capability", "pci_id") if fields.get(p))]
    return open_ if len({_key(c) for c in open_}) == 1 else []


def _enrich(cards: list[tuple[Card, str]], other: GpuList, base: GpuList) -> None:
    used: dict[int, int] = {}
    for fields, source in other.gpus:
        free = [row for row in cards if id(row[0]) not in used]
        matches = _matching(free, fields)
        repeated = not matches
        matches = matches or _matching(cards, fields)
        if matches:
            # one description of a model holds for every card of that model
            for card in matches if len(other.gpus) == 1 else matches[:1]:
                for path, value in fields.items():
                    if card.get(path) is None:
                        card[path] = value
                used[id(card)] = 1
            if not repeated or base.complete or other.rank < CLAIMED or not _key(fields):
                continue
            cards.append((dict(fields), source))
        elif (
            not base.complete
            and (other.rank >= CLAIMED or base.rank <= CLAIMED or fields.get("gfx") or fields.get("pci_id"))
            and (_key(fields) or fields.get("gfx") or fields.get("pci_id"))
        ):
            cards.append((dict(fields), source))
            used[id(cards[-1][0])] = 1
