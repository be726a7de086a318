from __future__ import annotations

from torchdoctor.matrix.findings import finding_kinds
from torchdoctor.matrix.outcome import HARDWARE, Outcome, failed, listed


def test_a_requirement_not_met_carries_what_would_meet_it() -> None:
    outcome = failed(
        "driver-too-old", ("drivers.nvidia.version",), "too old", "driver 580 or newer", value="580", gpu=1
    )
    assert outcome == Outcome(
        status="failed",
        id="driver-too-old",
        facts=("drivers.nvidia.version",),
        detail="too old",
        needs="driver 580 or newer",
        value="580",
        gpu=1,
        confidence="primary",
    )


def test_the_ids_no_software_helps_are_findings() -> None:
    assert sorted(HARDWARE - set(finding_kinds())) == []
    assert "driver-too-old" not in HARDWARE and "macos-too-old" not in HARDWARE


def test_architectures_in_a_sentence() -> None:
    assert listed(("sm_80", "sm_90")) == "sm_80 sm_90"
    assert listed(()) == ""
