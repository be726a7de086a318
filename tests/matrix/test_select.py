from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from torchdoctor.matrix.catalog import Catalog
from torchdoctor.matrix.infer import infer
from torchdoctor.matrix.request import wanted
from torchdoctor.matrix.select import Choice, choose, gpu_vendors
from torchdoctor.probes.facts import Facts

Machine = Callable[..., Facts]


def _choice(
    catalog: Catalog, facts: Facts, torch: str | None = None, variant: str | None = None, **more: Any
) -> Choice:
    return choose(catalog, infer(facts), wanted(torch), variant, **more)


def _taken(choice: Choice) -> tuple[str, str, str | None] | None:
    taken = choice.accepted
    if taken is None:
        return None
    index = taken.index_url.rsplit("/", 1)[-1] if taken.index_url else None
    return taken.build.torch, taken.build.variant, index


@pytest.mark.parametrize(
    ("gpus", "kwargs", "taken"),
    [
        (["4090"], {"driver": "580.95.05"}, ("2.15.0", "cu132", None)),
        (["4090"], {"driver": "535.183.01"}, ("2.14.1", "cu126", "cu126")),
        (["4090"], {"driver": "525.60.13"}, ("2.14.1", "cu126", "cu126")),
        (["4090"], {"driver": "525.60.11"}, ("2.7.1", "cu118", "cu118")),
        (["4090"], {"driver": "580.95.05", "os": "windows"}, ("2.15.0", "cu132", "cu132")),
        (["4090"], {"driver": "580.95.05", "python": "3.10.12"}, ("2.14.1", "cu130", None)),
        (["1080"], {"driver": "580.95.05"}, ("2.14.1", "cu126", "cu126")),
        (["1080"], {"driver": "470.42.01"}, ("2.7.1", "cu118", "cu118")),
        (["k80"], {"driver": "470.256.02"}, ("2.7.1", "cu118", "cu118")),
        (["5090"], {"driver": "575.64.03"}, ("2.13.0", "cu129", "cu129")),
        (["5090"], {"driver": "576.88", "os": "windows"}, ("2.11.0", "cu128", "cu128")),
        (["5090"], {"driver": "560.35.03"}, ("2.15.0", "cpu", "cpu")),  # a driver that does not know the chip
        (["4090", "1080"], {"driver": "580.95.05"}, ("2.14.1", "cu126", "cu126")),  # one wheel covers both
        (["7900"], {}, ("2.15.0", "rocm10.0", "rocm10.0")),
        (["mi250"], {}, ("2.14.1", "rocm7.2", "rocm7.2")),  # built for rocm10.0 but never tested: does not count
        (["580"], {}, ("2.15.0", "cpu", "cpu")),
        (["7900"], {"os": "windows"}, ("2.15.0", "cpu", None)),
        (["b580"], {}, ("2.15.0", "xpu", "xpu")),
        (["uhd"], {}, ("2.15.0", "cpu", "cpu")),
        (["780m"], {}, ("2.15.0", "rocm10.0", "rocm10.0")),  # integrated, alone, and a wheel has code for it
        (["renoir"], {}, ("2.15.0", "cpu", "cpu")),
        (["4090", "780m"], {"driver": "535.183.01"}, ("2.14.1", "cu126", "cu126")),  # no veto, no lure beside a card
        ([], {}, ("2.15.0", "cpu", "cpu")),
        ([], {"os": "windows"}, ("2.15.0", "cpu", None)),
        ([], {"arch": "aarch64", "python": "3.9.18"}, ("2.8.0", "cpu", None)),  # the default index serves CPU there
        ([], {"python": "3.13.2", "free_threaded": True}, ("2.12.0", "cpu", "cpu")),
        (["m1"], {"os": "macos"}, ("2.15.0", "mps", None)),
        (["m1"], {"os": "macos", "system": {"version": "14.6"}}, ("2.14.1", "mps", None)),
        (["m1"], {"os": "macos", "system": {"version": "12.7"}}, ("2.4.1", "mps", None)),
        (["m1"], {"os": "macos", "system": {"version": "11.7"}}, ("2.11.0", "cpu", None)),
        ([], {"os": "macos", "arch": "x86_64", "python": "3.11.9"}, ("2.2.2", "cpu", None)),
        ([], {"system": {"libc_version": "2.17"}}, ("2.6.0", "cpu", "cpu")),
        ([], {"os": "windows", "arch": "aarch64"}, ("2.15.0", "cpu", "cpu")),
        ([], {"os": "windows", "arch": "aarch64", "python": "3.14.0"}, None),
    ],
)
def test_the_choice(catalog: Catalog, machine: Machine, gpus: list[str], kwargs: dict[str, Any], taken: Any) -> None:
    assert _taken(_choice(catalog, machine(*gpus, **kwargs))) == taken


@pytest.mark.parametrize(
    ("gpus", "kwargs", "torch", "variant", "taken"),
    [
        (["4090"], {"driver": "535.183.01"}, "2.8", None, ("2.8.0", "cu128", None)),
        (["4090"], {"driver": "580.95.05"}, "2.13.0", None, ("2.13.0", "cu130", None)),
        (["4090"], {"driver": "580.95.05", "python": "3.15.0"}, "2.13.0", None, ("2.13.0", "cu130", "cu130")),
        ([], {}, None, "cu126", ("2.14.1", "cu126", "cu126")),  # an image built where there is no GPU
        ([], {}, None, "cuda", ("2.15.0", "cu132", None)),
        (["7900"], {}, "2.9.1", None, ("2.9.1", "rocm6.4", "rocm6.4")),
        (["1080"], {"driver": "580.95.05"}, None, "cpu", ("2.15.0", "cpu", "cpu")),
        (["4090"], {"driver": "535.183.01"}, "2.15", "cu132", None),
        ([], {}, ">=2.8,<2.12", None, ("2.11.0", "cpu", "cpu")),
        (["m1"], {"os": "macos", "system": {"version": "14.6"}}, "2.15", None, ("2.15.0", "cpu", None)),
    ],
)
def test_what_is_asked_for(
    catalog: Catalog,
    machine: Machine,
    gpus: list[str],
    kwargs: dict[str, Any],
    torch: str | None,
    variant: str | None,
    taken: Any,
) -> None:
    assert _taken(_choice(catalog, machine(*gpus, **kwargs), torch, variant)) == taken


def test_no_wheel_covers_both(catalog: Catalog, machine: Machine) -> None:
    choice = _choice(catalog, machine("1080", "5090", driver="580.95.05"))
    assert _taken(choice) == ("2.15.0", "cu132", None)  # the newest generation first
    assert choice.left_out == (0,)
    choice = _choice(catalog, machine("1080", "1080", "5090", driver="580.95.05"))
    assert _taken(choice) == ("2.14.1", "cu126", "cu126")  # the larger set
    assert choice.left_out == (2,)


def test_a_missing_fact_is_said_and_decides_nothing(catalog: Catalog, machine: Machine) -> None:
    choice = _choice(catalog, machine("4090"))
    assert _taken(choice) == ("2.15.0", "cu132", None)
    assert choice.accepted is not None
    assert choice.accepted.unknown == ("drivers.nvidia.version",)
    choice = _choice(catalog, machine(gpus=None))
    assert choice.accepted is not None
    assert choice.accepted.unknown == ("gpus",)
    choice = _choice(catalog, machine(python=None))
    assert choice.accepted is not None
    assert choice.accepted.unknown == ("python.version",)


def test_a_missing_driver_gives_the_advice_for_later(catalog: Catalog, machine: Machine) -> None:
    for nvidia in ({"version": ""}, {"installed": False}, {"version": "470.42.01", "loaded": False}):
        choice = _choice(catalog, machine("4090", drivers={"nvidia": nvidia}))
        assert _taken(choice) == ("2.15.0", "cu132", None)


def test_only_the_cuda_ceiling_is_known(catalog: Catalog, machine: Machine) -> None:
    choice = _choice(catalog, machine("4090", drivers={"nvidia": {"cuda": "12.2"}}))
    assert _taken(choice) == ("2.14.1", "cu126", "cu126")
    choice = _choice(catalog, machine("4090", drivers={"nvidia": {"cuda": "13.1"}}))
    assert _taken(choice) == ("2.15.0", "cu132", None)


def test_candidates_go_down_to_the_one_taken(catalog: Catalog, machine: Machine) -> None:
    facts = machine("4090", driver="535.183.01")
    short = _choice(catalog, facts)
    assert [(j.build.torch, j.build.variant) for j in short.examined[:3]] == [
        ("2.15.0", "cu132"),
        ("2.15.0", "cu134"),
        ("2.15.0", "cpu"),
    ]
    assert short.examined[-1] is short.accepted
    assert short.examined[0].reasons == ("driver-too-old",)
    full = _choice(catalog, facts, every=True)
    assert len(full.examined) > len(short.examined)
    assert full.examined[-1].build.torch == "1.13.0"
    assert _taken(full) == _taken(short)


def test_discrete_cards_count_before_integrated_ones(machine: Machine) -> None:
    assert gpu_vendors(machine("4090", "780m", "uhd")) == ("nvidia",)
    assert gpu_vendors(machine("780m")) == ("amd",)
    assert gpu_vendors(machine()) == ()


def test_an_unknown_platform_fails_only_what_fails_everywhere(catalog: Catalog, machine: Machine) -> None:
    unknown = machine(python="3.14.0", system={"os": None, "machine": None})
    choice = _choice(catalog, unknown.replace(python=unknown.python.__class__(version="3.14.0")), "2.5.1")
    assert choice.accepted is None
    assert choice.examined[0].reasons == ("python-unsupported",)
    # 3.13 exists for Linux x86_64 only: not known to fail
    choice = _choice(catalog, unknown.replace(python=unknown.python.__class__(version="3.13.0")), "2.5.1")
    assert choice.accepted is not None
    assert "system.os" in choice.accepted.unknown
