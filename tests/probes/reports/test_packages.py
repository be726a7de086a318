from __future__ import annotations

import pytest
from torchdoctor.probes.reports.packages import canonical, interesting, pip_name, put_package
from torchdoctor.probes.reports.reading import PRINTED, open_reading


@pytest.mark.parametrize(
    ("name", "normal", "on_the_index"),
    [
        ("Flash_Attn", "flash-attn", "flash-attn"),
        ("nvidia.cublas--cu12", "nvidia-cublas-cu12", "nvidia-cublas-cu12"),
        ("pytorch", "torch", "pytorch"),  # another project there
        ("pytorch-gpu", "torch", "pytorch-gpu"),
    ],
)
def test_names(name: str, normal: str, on_the_index: str) -> None:
    assert (canonical(name), pip_name(name)) == (normal, on_the_index)


def test_only_ordinary_names_are_kept() -> None:
    reading = open_reading("a list")
    put_package(reading, "NumPy", "2.1.0", 0, PRINTED)
    put_package(reading, "3d", "1.0", 0, PRINTED)
    put_package(reading, "scipy", "", 0, PRINTED)
    assert reading.draft.build().packages == {"numpy": "2.1.0"}
    assert [interesting(n) for n in ("a", "ab", "1ab", "x" * 81)] == [False, True, False, False]
