"""The table of finding ids: complete, consistent, and every id with a rule that can yield it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torchdoctor.matrix
from torchdoctor.matrix import checks
from torchdoctor.matrix.case import Asked, Case
from torchdoctor.matrix.catalog import Catalog
from torchdoctor.matrix.findings import STACK, finding, finding_kinds, kind
from torchdoctor.probes.facts import Facts, System

# The ids promised to callers. None is ever renamed or dropped; a new one is added here and in the table.
_IDS = """
gpu-below-minimum gpu-newer-than-wheel gpu-arch-missing driver-too-old driver-missing driver-not-loaded
driver-library-mismatch fabric-manager-not-ready cuda-compat-on-unsupported-gpu libcuda-stub
cuda-init-unknown-error container-no-gpu container-cuda-requirement wsl-driver-not-visible gpu-not-found
devices-hidden mixed-gpu-generations jetson-needs-vendor-wheel triton-ptxas-too-old gfx-unsupported
gfx-override-mismatch rocm-device-missing rocm-permission rocm-wsl-runtime igpu-dgpu-conflict
pcie-atomics-missing rocm-sdk-arch-mismatch xpu-gpu-unsupported xpu-driver-too-old xpu-driver-mismatch
xpu-kernel-driver xpu-permission xpu-oneapi-missing xpu-oneapi-conflict ipex-version-mismatch macos-too-old
macos-x86-dropped rosetta-python metal-device-missing cpu-lacks-avx cpu-lacks-avx2 arm-lacks-lse arm32
page-size-unsupported glibc-too-old glibc-too-new musl libstdcxx-missing no-wheel-for-platform
wheel-arch-mismatch emulated-python windows-runtime-missing win-long-path python-unsupported
free-threaded-unsupported python-implementation python-32bit wrong-interpreter wrong-variant
variant-not-published version-does-not-exist index-configuration companion-mismatch companion-pin-conflict
downstream-abi-mismatch downstream-arch-missing mixed-cuda-major duplicate-install system-cuda-shadowing
numpy-abi openmp-duplicate conda-channel-ended conda-mkl-conflict download-corrupted disk-space shm-too-small
"""
_NOTES = """
cc-warning-benign same-major-compat minor-version-compat cuda-compat-in-use toolkit-differs
wsl-versions-differ vendor-build cuda-build-on-cpu-host newest-out-of-reach support-ends insufficient-data
inferred-fact claim-contradicts-report torch-advice-wrong unused-nvidia-packages matrix-old
mig-single-instance tegra-smi-absent
"""
IDS, NOTES = set(_IDS.split()), set(_NOTES.split())


def test_the_table_holds_exactly_the_promised_ids() -> None:
    assert set(finding_kinds()) == IDS | NOTES


def test_notes_are_notes_by_default() -> None:
    assert {id for id in NOTES if kind(id).severity != "note"} == set()


@pytest.mark.parametrize("id", sorted(IDS | NOTES))
def test_row(id: str) -> None:
    row = kind(id)
    assert row.lies_in and set(row.lies_in) <= set(STACK)
    assert row.severity in ("blocker", "warning", "note")
    assert set(row.explains) <= set(finding_kinds()) - {id}
    assert (row.title and row.title[0].isupper()) or row.title.startswith(
        ("torch", "glibc", "libstdc++", "macOS", "nvidia-smi", "intel-", "oneAPI", "/dev")
    )
    assert not row.title.endswith(".") and len(row.title) <= 100
    assert row.help and not row.help.endswith(".")


def test_no_two_explain_each_other() -> None:
    kinds = finding_kinds()
    assert [(a, b) for a in kinds for b in kinds[a].explains if a in kinds[b].explains and a < b] == []


# ---- every id can be yielded

_BY_CALLERS = {
    # Said of the answer as a whole by the code that puts it together.
    "matrix-old": "depends on today's date, which only the caller knows",
}


def test_every_id_has_a_rule() -> None:
    list(checks.run_checks(_case()))
    registered = {id for ids, _, _ in checks._registered for id in ids.split()}
    root = Path(str(next(iter(torchdoctor.matrix.__path__))))
    text = "".join(p.read_text("utf-8") for p in root.glob("*.py"))
    text += "".join(p.read_text("utf-8") for p in (root / "data" / "releases").glob("*.toml"))
    missing = {id for id in IDS | NOTES if id not in registered and f'"{id}"' not in text}
    assert missing - set(_BY_CALLERS) == set()


# ---- the helper


def _case(**system: Any) -> Case:
    facts = Facts(system=System(**system), sources={"system.os": "/etc/os-release"})
    return Case(facts=facts, catalog=Catalog(), asked=Asked())


def test_a_finding_takes_what_is_not_said_from_the_table() -> None:
    made = finding("musl", _case(os="linux"), evidence=("system.os", "system.libc"), extra=7)
    assert (made.severity, made.lies_in, made.about) == ("blocker", "system", "machine")
    assert made.title == kind("musl").title
    assert made.fix == (kind("musl").help,)
    assert [(e.fact, e.value, e.source) for e in made.evidence] == [
        ("system.os", "linux", "/etc/os-release"),
        ("extra", "7", None),
    ]


def test_what_is_said_wins() -> None:
    case = _case(os="linux")
    made = finding(
        "driver-too-old",
        case,
        severity="warning",
        lies_in="packages",
        fix="x",
        title="T",
        about="request",
        evidence=case.evidence("system.os"),
    )
    assert (made.severity, made.lies_in, made.fix, made.title, made.about) == (
        "warning",
        "packages",
        ("x",),
        "T",
        "request",
    )
    assert made.evidence[0].fact == "system.os"


def test_unknown_ids_and_layers_are_refused() -> None:
    with pytest.raises(KeyError):
        finding("no-such-id", _case())
    with pytest.raises(ValueError, match="driver-too-old: 'kernel' is none of hardware"):
        finding("driver-too-old", _case(), lies_in="kernel")
