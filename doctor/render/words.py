"""What every format says the same way: verdicts, the command to show, why the newest release is out of reach."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from torchdoctor.render.clean import clean

__all__ = [
    "LABELS",
    "accepted_line",
    "chosen_command",
    "evidence_text",
    "group",
    "install_title",
    "newer_rejected",
    "newer_title",
    "pick",
    "reasons_text",
    "recommended_is_installed",
]

#: Verdict → (sign, word). The word carries the meaning; sign and colour only repeat it.
LABELS: Mapping[str, tuple[str, str]] = {
    "ok": ("✓", "OK"),
    "mismatch": ("✗", "MISMATCH"),
    "blocked": ("✗", "BLOCKED"),
    "unknown": ("?", "UNKNOWN"),
}


def pick(data: Any, path: str) -> Any:
    """The value at a dotted path of mappings, ``None`` where a step is missing."""
    for step in path.split("."):
        if not isinstance(data, Mapping):
            return None
        data = data.get(step)
    return data


def group(data: Any, path: str) -> Mapping[str, Any]:
    """The mapping at ``path``; an empty one where there is none."""
    value = pick(data, path)
    return value if isinstance(value, Mapping) else {}


def recommended_is_installed(report: Mapping[str, Any]) -> bool:
    """Whether the recommendation is what is installed already."""
    torch, best = group(report, "facts.torch"), group(report, "recommendation")
    version = str(torch.get("version") or "").partition("+")[0]
    return bool(best) and version == best.get("torch") and torch.get("variant") == best.get("variant")


def chosen_command(recommendation: Mapping[str, Any], installer: str | None = None) -> str:
    """The command to show: that of ``installer``, else the one asked for beside pip and uv, else pip's."""
    commands = group(recommendation, "commands")
    if installer and installer in commands:
        return str(commands[installer])
    for name, command in commands.items():
        if name not in ("pip", "uv"):
            return str(command)
    return str(commands.get("pip") or "")


def newer_rejected(report: Mapping[str, Any]) -> list[tuple[str, list[tuple[str, str]]]]:
    """(releases, [(variants, reasons)…]) of what is newer than the recommended release, newest first: the newest patch of
    each line, neighbours with the same reasons together (``2.9.1–2.15.0``). CPU builds count where nothing else does.
    """
    best = group(report, "recommendation").get("torch")
    releases: dict[str, dict[str, list[str]]] = {}
    lines: dict[str, str] = {}
    for candidate in report.get("candidates") or ():
        version = clean(candidate.get("torch"))
        if candidate.get("torch") == best:
            break
        if candidate.get("accepted"):
            continue  # works, but leaves the GPU unused
        if lines.setdefault(version.rpartition(".")[0], version) != version:
            continue
        # What is proved suffices; what is missing counts where nothing is.
        why = ", ".join(clean(r) for r in candidate.get("reasons") or ())
        missing = ", ".join(clean(u) for u in candidate.get("unknown") or ())
        why = why or (f"{missing} not known" if missing else "not judged")
        releases.setdefault(version, {}).setdefault(why, []).append(clean(candidate.get("variant")))
    told: list[tuple[list[str], list[tuple[str, str]]]] = []
    for version, by_reason in releases.items():
        rows = [(", ".join(v for v in variants if v != "cpu"), why) for why, variants in by_reason.items()]
        rows = [row for row in rows if row[0]] or [("cpu", why) for why in by_reason]
        if told and len(rows) == 1 and [why for _, why in told[-1][1]] == [rows[0][1]]:
            told[-1][0].append(version)
        else:
            told.append(([version], rows))
    return [(v[0] if len(v) == 1 else f"{v[-1]}–{v[0]}", [("", w) for _, w in r] if len(v) > 1 else r) for v, r in told]


def reasons_text(rows: Sequence[tuple[str, str]]) -> str:
    """``cu132, cu134: driver-too-old; xpu: …`` of one entry of :func:`newer_rejected`."""
    return "; ".join(f"{variants}: {why}" if variants else why for variants, why in rows)


def newer_title(report: Mapping[str, Any]) -> str:
    """The heading of :func:`newer_rejected`."""
    return "Why not a newer release" if group(report, "recommendation") else "Why none works"


def install_title(report: Mapping[str, Any]) -> str:
    """What the recommended command is good for, as the start of a line that goes on with the build."""
    verdict, installed = report.get("verdict"), recommended_is_installed(report)
    if installed:
        return (
            "Installed already, the newest that works here:"
            if verdict == "ok"
            else "The best build here, installed already:"
        )
    if verdict == "blocked":
        # What cannot be had as asked is no step on the way to this build; nor is a GPU's trouble to one for the CPU.
        about = {f.get("about") for f in report.get("findings") or () if f.get("severity") == "blocker"}
        first = "machine" in about or ("installed" in about and pick(report, "recommendation.variant") != "cpu")
        return "Once that is done, install" if first else "For the machine as it is, install"
    if verdict == "unknown":
        return "As far as is known, install"
    fits = verdict == "ok" and group(report, "facts.torch").get("version")
    return "The newest that works here is" if fits else "Install"


def alternative_title() -> str:
    """What the alternative is, as the start of a line that goes on with the build."""
    return "Not what was asked for, but it works here:"


def accepted_line(recommendation: Mapping[str, Any]) -> str:
    """``torch 2.14.1 (cu126) with torchvision 0.29.1``."""
    packages = group(recommendation, "packages")
    with_ = [f"{clean(k)} {clean(v)}" for k, v in packages.items() if k != "torch"]
    line = f"torch {clean(recommendation.get('torch'))} ({clean(recommendation.get('variant'))})"
    return f"{line} with {' and '.join(with_)}" if with_ else line


def evidence_text(row: Mapping[str, Any]) -> str:
    """One row of evidence without its source: ``drivers.nvidia.version = 535.183.01``."""
    fact, value = clean(row.get("fact")), row.get("value")
    if value is None:
        return f"{fact} is not there"
    return f"{fact} = {clean(value) or '(empty)'}"
