"""conda's own ways: a channel that ended, an MKL that the channel's builds cannot be loaded with."""

from __future__ import annotations

import re
from collections.abc import Iterator

from torchdoctor.matrix.case import Case
from torchdoctor.matrix.catalog import version_key
from torchdoctor.matrix.checks import check
from torchdoctor.matrix.checks._packages import public
from torchdoctor.matrix.findings import finding
from torchdoctor.matrix.tables import table
from torchdoctor.matrix.verdict import Finding
from torchdoctor.probes.facts import regex

_CHANNEL = regex(r"(?:^|/|\s)pytorch(?:/(?:linux|osx|win|noarch)[\w-]{0,12})?/?(?:$|\s|,)")


def _asks_pytorch_channel(case: Case) -> str | None:
    """The fact that names the ``pytorch`` channel as the one torch is to come from; ``None`` where none does."""
    if _CHANNEL.search(case.facts.request.index or ""):
        return "request.index"
    channels = [(i, r.value) for i, r in enumerate(case.facts.settings or ()) if r.key == "channel"]
    explicit = next(
        (i for i, r in enumerate(case.facts.settings or ()) if r.key == "channel.of.pytorch" and r.value == "pytorch"),
        None,
    )
    if explicit is not None:
        return f"settings[{explicit}].value"
    # Another channel of the list (conda-forge, defaults) may well have it.
    listed = {value for _, value in channels}
    if "pytorch" in listed and listed <= {"pytorch", "nvidia", "nodefaults"}:
        return f"settings[{next(i for i, value in channels if value == 'pytorch')}].value"
    return None


@check("conda-channel-ended")
def channel_ended(case: Case) -> Iterator[Finding]:
    """A release after the last one of the ``pytorch`` channel is asked of it."""
    request = case.facts.request
    if request.installer != "conda" or not request.torch:
        return
    last = table("conda.toml")["pytorch_channel"]["last"]
    fact = _asks_pytorch_channel(case)
    number = re.search(r"(\d{1,2}\.\d{1,3}(?:\.\d{1,3})?)", request.torch)
    if fact is None or number is None:
        return
    upper = request.torch.lstrip().startswith(("<", "!="))
    asked = version_key(number[1])
    if upper or asked <= version_key(last)[: len(asked)]:
        return
    yield finding(
        "conda-channel-ended",
        case,
        about="request",
        detail=f"The pytorch channel ends with {last}; {request.torch} was never published there.",
        evidence=("request.torch", fact),
        fix=(
            "install torch with pip inside the conda environment",
            "or from conda-forge: conda install -c conda-forge pytorch",
        ),
    )


@check("conda-mkl-conflict")
def mkl_conflict(case: Case) -> Iterator[Finding]:
    """MKL 2024.1 and newer lacks a symbol that the builds of the ``pytorch`` channel ask for."""
    rows = table("conda.toml")["mkl"]
    mkl = case.package("mkl")
    if not mkl or version_key(mkl) < version_key(rows["first_without_symbol"]):
        return
    for place, row in enumerate(case.facts.distributions or ()):
        if row.name in ("pytorch", "libtorch") and row.build and row.channel == "pytorch" and row.version:
            if version_key(public(row.version)) <= version_key(rows["last_affected_torch"]):
                yield _mkl(case, f"distributions[{place}].channel", mkl)
            return


def _mkl(case: Case, fact: str, mkl: str | None) -> Finding:
    return finding(
        "conda-mkl-conflict",
        case,
        about="installed",
        detail=f"{'MKL ' + mkl if mkl else 'The MKL that is installed'} has no iJIT_NotifyEvent, which this torch asks for when it is loaded.",
        evidence=(fact, "packages.mkl", "packages.torch"),
        fix=('conda install "mkl<2024.1"', "or install torch with pip"),
    )
