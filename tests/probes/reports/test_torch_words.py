from __future__ import annotations

import pytest
from torchdoctor.probes.reports import values
from torchdoctor.probes.reports.reading import PRINTED, open_reading
from torchdoctor.probes.reports.torch_words import put_torch


@pytest.mark.parametrize(
    ("version", "variant", "origin"),
    [
        ("2.6.0+cu124", "cu124", None),
        ("2.6.0", None, None),
        ("2.6.0a0+ecf3bae40a.nv25.01", None, "vendor"),
        ("2.6.0a0+git1eba9b3", None, "source"),
        ("2.9.0.dev20250801+cu128", "cu128", "nightly"),
    ],
)
def test_the_installed_torch(version: str, variant: str | None, origin: str | None) -> None:
    reading = open_reading("x")
    parsed = values.parse_torch(version)
    assert parsed is not None
    put_torch(reading, 0, parsed, PRINTED)
    facts = reading.draft.build()
    assert (facts.torch.version, facts.torch.variant, facts.torch.origin) == (version, variant, origin)
    assert facts.packages == {"torch": version}
