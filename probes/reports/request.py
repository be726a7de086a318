"""What a report shows was tried: release, variant, index, interpreter, installer."""

from __future__ import annotations

from torchdoctor.probes.patterns import regex
from torchdoctor.probes.public import no_credentials
from torchdoctor.probes.reports import values
from torchdoctor.probes.reports.reading import Reading

__all__ = ["put_index", "put_request"]

_LOCAL = regex(r"\+([A-Za-z0-9][\w.]{0,60})")


def put_request(reading: Reading, index: int, package: str, specifier: str | None, rank: int) -> None:
    """A requirement that was asked for. Only torch fills ``request.torch``; another package is named as such."""
    specifier = (specifier or "").strip().strip("'\"")
    if package != "torch":
        if reading.draft.value("request.torch") is None:
            reading.put("request.package", package, index, rank - 5)
        return
    reading.draft.put("request.package", "torch", reading.source(index), rank=rank)
    local = _LOCAL.search(specifier)
    version = _LOCAL.sub("", specifier)
    if version.startswith(("===", "==")):
        version = version.lstrip("=").strip()
    if version.startswith("^"):
        version = ">=" + version[1:]
    if version and any(c.isdigit() for c in version):
        reading.put("request.torch", version.strip(" ,"), index, rank)
    if local:
        reading.put("request.variant", values.variant_of_local(local[1]), index, rank)


def put_index(reading: Reading, index: int, url: str, rank: int, *, beside: bool = False) -> None:
    """An index or find-links address. One that names a variant asks for that variant, unless it stands ``beside`` the
    default index, which may serve the request as well.
    """
    url = url.strip("'\"`,;)]} ").rstrip(".`'\"")
    if not url.startswith(("http://", "https://", "file:")) or len(url) > 400:
        return
    url = no_credentials(url)
    torch_index = values.variant_of_url(url) is not None or any(
        h in url
        for h in (
            "download.pytorch.org",
            "repo.amd.com",
            "repo.radeon.com",
            "rocm.nightlies",
            "rocm.prereleases",
            "intel.com",
            "intel-extension",
        )
    )
    if torch_index or reading.draft.value("request.index") is None:
        reading.put("request.index", url, index, rank + (2 if torch_index else -3))
    if not beside:
        reading.put("request.variant", values.variant_of_url(url), index, rank - 4)
