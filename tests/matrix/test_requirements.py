from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from torchdoctor.matrix.catalog import Catalog
from torchdoctor.matrix.infer import infer
from torchdoctor.matrix.outcome import Outcome
from torchdoctor.matrix.requirements import below, interpreter_tag, machine_findings, never_served, requirements
from torchdoctor.probes.facts import Facts, Python

Machine = Callable[..., Facts]


@pytest.fixture
def asked(catalog: Catalog) -> Callable[..., list[Outcome]]:
    """``asked("2.15.0", "cpu", facts)``: every requirement of that build on the platform of the facts."""

    def answer(version: str, variant: str, facts: Facts, platform: str = "linux_x86_64", **how: Any) -> list[Outcome]:
        release = catalog.release(version)
        assert release is not None
        build = release.build(variant, platform)
        assert build is not None
        return list(requirements(release, build, infer(facts), **how))

    return answer


def _failed(outcomes: list[Outcome]) -> dict[str, str]:
    return {o.id: o.needs for o in outcomes if o.status == "failed"}


def _missing(outcomes: list[Outcome]) -> list[str]:
    return [fact for o in outcomes if o.status == "unknown" for fact in o.facts]


@pytest.mark.parametrize(
    ("version", "free_threaded", "tag"),
    [
        ("3.13.1", None, "cp313"),
        ("3.14.0", True, "cp314t"),
        ("3.9", False, "cp39"),
        ("3", None, None),
        (None, True, None),
    ],
)
def test_interpreter_tag(version: str | None, free_threaded: bool | None, tag: str | None) -> None:
    assert interpreter_tag(Facts(python=Python(version=version, free_threaded=free_threaded))) == tag


Asked = Callable[..., list[Outcome]]


def test_a_usual_machine_meets_every_requirement(asked: Asked, machine: Machine) -> None:
    outcomes = asked("2.15.0", "cu132", machine("4090", driver="580.95.05"))
    assert {o.status for o in outcomes} == {"met"}
    assert {fact.split(".")[0] for o in outcomes for fact in o.facts} == {"python", "system", "drivers", "gpus[0]"}


@pytest.mark.parametrize(
    ("python", "id", "needs"),
    [
        ({"version": "3.9.18"}, "python-unsupported", "Python 3.11–3.15"),
        ({"version": "3.12.4", "implementation": "pypy"}, "python-implementation", "CPython"),
        ({"version": "3.12.4", "bits": 32}, "python-32bit", "a 64-bit Python"),
        ({"version": "3.12.4", "free_threaded": True}, "free-threaded-unsupported", "an ordinary Python 3.11–3.15"),
    ],
)
def test_an_interpreter_without_a_wheel(
    asked: Asked, machine: Machine, python: dict[str, Any], id: str, needs: str
) -> None:
    found = _failed(asked("2.15.0", "cpu", machine(python=None).replace(python=Python(**python))))
    assert list(found) == [id]
    assert found[id].startswith(needs)


def test_an_interpreter_nobody_named_fails_nothing(asked: Asked, machine: Machine) -> None:
    outcomes = asked("2.15.0", "cpu", machine(python=None))
    assert _failed(outcomes) == {}
    assert _missing(outcomes) == ["python.version"]


@pytest.mark.parametrize(
    ("version", "variant", "libc", "id"),
    [
        ("2.15.0", "cpu", "2.28", None),
        ("2.15.0", "cpu", "2.27", "glibc-too-old"),
        ("2.5.1", "cpu", "2.17", None),
        ("2.5.1", "cpu", "2.12", "glibc-too-old"),
        # one release, two floors
        ("2.6.0", "cu124", "2.17", None),
        ("2.6.0", "cu126", "2.17", "glibc-too-old"),
    ],
)
def test_the_floor_of_glibc_is_that_of_the_build(
    asked: Asked, machine: Machine, version: str, variant: str, libc: str, id: str | None
) -> None:
    found = _failed(asked(version, variant, machine(system={"libc_version": libc})))
    assert list(found) == ([id] if id else [])


def test_glibc_unknown_on_either_side_is_unknown(asked: Asked, machine: Machine) -> None:
    assert _missing(asked("2.15.0", "cpu", machine(system={"libc_version": None}))) == ["system.libc_version"]
    # The floor of this very build was never established.
    assert _missing(asked("2.6.0", "rocm6.1", machine(system={"libc_version": "2.39"}))) == ["system.libc_version"]


def test_musl_is_no_old_glibc(asked: Asked, machine: Machine) -> None:
    musl = machine(system={"libc": "musl", "libc_version": "1.2.5"})
    assert _failed(asked("2.15.0", "cpu", musl)) == {"musl": "a system with glibc"}


@pytest.mark.parametrize(
    ("cpu", "status"),
    [
        ({"features": ["fp", "asimd"]}, "failed"),
        ({"features": ["fp", "asimd", "atomics"]}, "met"),
        ({"level": "armv8.0-a"}, "failed"),
        ({"level": "armv8.2-a"}, "met"),
        ({}, "unknown"),
    ],
)
def test_releases_that_need_atomics(asked: Asked, machine: Machine, cpu: dict[str, Any], status: str) -> None:
    outcomes = asked("2.10.0", "cpu", machine(arch="aarch64", cpu=cpu), "linux_aarch64")
    (found,) = [o for o in outcomes if "cpu.features" in o.facts]
    assert found.status == status
    assert found.id == ("arm-lacks-lse" if status == "failed" else "")
    usual = asked("2.14.1", "cpu", machine(arch="aarch64", cpu=cpu), "linux_aarch64")
    assert [o for o in usual if "cpu.features" in o.facts] == []


def test_only_the_wheel_of_torchs_own_index_lacks_atomics_support(asked: Asked, machine: Machine) -> None:
    facts = machine(arch="aarch64", cpu={"level": "armv8.0-a"}, python="3.10.12")
    assert "arm-lacks-lse" in _failed(asked("2.0.0", "cpu", facts, "linux_aarch64"))
    assert "arm-lacks-lse" not in _failed(asked("2.0.0", "cpu", facts, "linux_aarch64", index="default"))


@pytest.mark.parametrize(
    ("macos", "variant", "needs"),
    [
        ("15.5", "mps", None),
        ("15", "mps", None),  # as people say it
        ("14", "mps", "macOS 15 or newer"),
        ("14.7", "mps", "macOS 15 or newer"),  # Metal asks for more than the wheel does
        ("14.7", "cpu", None),
        ("10.15.7", "cpu", "macOS "),
    ],
)
def test_metal_asks_for_more_than_the_wheel(
    catalog: Catalog, machine: Machine, macos: str, variant: str, needs: str | None
) -> None:
    from dataclasses import replace

    release = catalog.release("2.15.0")
    assert release is not None
    build = release.build("cpu", "macos_arm64")
    assert build is not None
    facts = machine("m1", os="macos", arch="aarch64", system={"version": macos})
    found = _failed(list(requirements(release, replace(build, variant=variant), facts)))
    if needs is None:
        assert found == {}
    else:
        assert list(found) == ["macos-too-old"] and found["macos-too-old"].startswith(needs)


def test_a_mac_whose_gpu_is_not_apples_is_not_judged(catalog: Catalog, machine: Machine) -> None:
    from dataclasses import replace

    release = catalog.release("2.15.0")
    assert release is not None
    build = release.build("cpu", "macos_arm64")
    assert build is not None
    outcomes = list(requirements(release, replace(build, variant="mps"), machine(os="macos", arch="aarch64", gpus=[])))
    assert _missing(outcomes) == ["gpus"]


def _ids(outcomes: Iterator[Outcome]) -> list[str]:
    return [o.id for o in outcomes]


def test_what_no_release_ever_served(machine: Machine) -> None:
    assert _ids(never_served(machine())) == []
    assert _ids(never_served(machine(arch="armv7l"))) == ["arm32"]
    assert _ids(never_served(machine(arch="i686"))) == ["python-32bit"]
    assert _ids(never_served(machine(system={"libc": "musl"}))) == ["musl"]
    pypy = machine().replace(python=Python(implementation="pypy", version="3.10.14", bits=64))
    assert _ids(never_served(pypy)) == ["python-implementation"]


def test_a_platform_without_wheels_is_said_only_where_nothing_says_more(machine: Machine) -> None:
    assert _ids(machine_findings(machine(arch="riscv64"))) == ["no-wheel-for-platform"]
    assert _ids(machine_findings(machine(arch="armv7l"))) == ["arm32"]


@pytest.mark.parametrize(
    ("version", "floor", "answer"),
    [
        ("15", "15.0", False),
        ("14", "14.0", False),
        ("12", "12.3", None),
        ("12.2", "12.3", True),
        ("12.3.1", "12.3", False),
        ("11", "12.3", True),
        ("13", "12.3", False),
    ],
)
def test_a_coarse_version_proves_only_what_it_says(version: str, floor: str, answer: bool | None) -> None:
    assert below(version, floor) is answer
