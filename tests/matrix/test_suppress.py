"""Causes silence symptoms, one finding an id, the right order."""

from __future__ import annotations

from torchdoctor.matrix.findings import kind
from torchdoctor.matrix.suppress import suppress
from torchdoctor.matrix.verdict import Evidence, Finding, Severity


def made(id: str, severity: Severity | None = None, lies_in: str = "", evidence: tuple[str, ...] = ()) -> Finding:
    rows = tuple(Evidence(fact=fact, value="x", source=None) for fact in evidence)
    row = kind(id)
    return Finding(
        id=id,
        severity=severity or row.severity,
        about="machine",
        title=row.title,
        evidence=rows,
        lies_in=lies_in or row.lies_in[0],
    )


def ids(*findings: Finding) -> list[str]:
    return [f.id for f in suppress(findings)]


def test_a_cause_silences_its_symptoms() -> None:
    assert ids(made("gpu-not-found"), made("driver-missing"), made("wrong-variant")) == ["driver-missing"]


def test_a_weaker_cause_leaves_the_graver_symptom() -> None:
    assert ids(made("wrong-variant"), made("devices-hidden", "warning")) == ["wrong-variant", "devices-hidden"]
    assert ids(made("wrong-variant"), made("devices-hidden", "blocker")) == ["devices-hidden"]


def test_what_no_cause_explains_stays() -> None:
    assert ids(made("numpy-abi"), made("driver-missing")) == ["driver-missing", "numpy-abi"]


def test_one_finding_an_id_the_gravest_with_all_evidence() -> None:
    weak, strong = (
        made("shm-too-small", "note", evidence=("resources.shm",)),
        made("shm-too-small", "blocker", evidence=("symptoms[0]",)),
    )
    (kept,) = suppress([weak, strong])
    assert kept.severity == "blocker"
    assert [e.fact for e in kept.evidence] == ["symptoms[0]", "resources.shm"]


def test_of_two_alike_the_better_proved() -> None:
    one, two = made("numpy-abi", evidence=("a",)), made("numpy-abi", evidence=("b", "c"))
    assert [e.fact for e in suppress([one, two])[0].evidence] == ["b", "c", "a"]
    assert suppress([one, one])[0].evidence == one.evidence


def test_blockers_first_then_from_the_ground_up() -> None:
    order = ids(
        made("toolkit-differs"),
        made("openmp-duplicate", "warning"),
        made("companion-mismatch"),
        made("rocm-permission"),
        made("python-implementation"),
        made("container-no-gpu"),
        made("glibc-too-old", lies_in="system"),
    )
    assert order == [
        "glibc-too-old",
        "container-no-gpu",
        "python-implementation",
        "rocm-permission",
        "companion-mismatch",
        "openmp-duplicate",
        "toolkit-differs",
    ]


def test_nothing() -> None:
    assert suppress([]) == ()
